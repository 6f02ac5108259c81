//! `docker`, `podman` and their like, from their reference (28.0).
//!
//! The evaluation looks into what a container runs. The effects here are those that reach out of
//! it: mounts of the host, sockets, privileges, and images that are fetched or pushed.

use crate::effect::{Access, Certainty, CodeFrom, Effect, Payload, Scope, SystemChange};
use crate::invocation::Argument;
use crate::model::tool::Action::{
    self, At, Call, Destroys, Escapes, Fetches, Here, If, Project, Reads, Secret, Sends, System,
    Unknown,
};
use crate::model::tool::{Tool, opts, tools};
use crate::model::{Opt, Parsed, Report};
use crate::models::perform::perform;
use crate::place;
use crate::value::{Origin, Value};

/// Options that the commands of `docker run` share.
const RUN: &[Opt] = opts!(
    "-d --detach, -i --interactive, -t --tty, -T --no-TTY --no-tty, --rm, --privileged, --init, -P --publish-all, --read-only, \
     --no-healthcheck, --oom-kill-disable, --sig-proxy, -q --quiet, --disable-content-trust, --no-deps, --build, --service-ports, \
     --use-aliases, --remove-orphans, --replace, -a --attach=, --add-host=, --annotation=, --blkio-weight=, --cap-add=, --cap-drop=, \
     --cgroup-parent=, --cgroupns=, --cidfile=>, -c --cpu-shares=, --cpus=, --cpuset-cpus=, --cpuset-mems=, --cpu-period=, --cpu-quota=, \
     --cpu-rt-period=, --cpu-rt-runtime=, --detach-keys=, --device=, --device-cgroup-rule=, --device-read-bps=, --device-write-bps=, --dns=, \
     --dns-option=, --dns-search=, --domainname=, --entrypoint=, -e --env=, --env-file=<, --expose=, --gpus=, --group-add=, -h --hostname=, \
     --health-cmd=, --health-interval=, --health-retries=, --health-timeout=, --health-start-period=, --ip=, --ip6=, --ipc=, --isolation=, \
     --kernel-memory=, -l --label=, --label-file=<, --link=, --link-local-ip=, --log-driver=, --log-opt=, --mac-address=, -m --memory=, \
     --memory-reservation=, --memory-swap=, --memory-swappiness=, --mount=, --name=, --network --net=, --network-alias --net-alias=, \
     --oom-score-adj=, --pid=, --pids-limit=, --platform=, -p --publish=, --pull=, --restart=, --runtime=, --security-opt=, --shm-size=, \
     --stop-signal=, --stop-timeout=, --storage-opt=, --sysctl=, --tmpfs=, --ulimit=, -u --user=, --userns=, --uts=, -v --volume=, \
     --volume-driver=, --volumes-from=, -w --workdir=, --pod=, --secret=, --systemd=, --tz=, --umask=, --arch=, --rootfs"
);

/// Options that the commands of `docker compose` share.
const COMPOSE: &[Opt] = opts!(
    "-f --file=<, -p --project-name=, --profile=, --project-directory=/, --env-file=<, --ansi=, --progress=, --parallel=, --compatibility, \
     --dry-run, --all-resources, --verbose, -v --version"
);

/// Options of `docker compose up`.
const COMPOSE_UP: &[Opt] = opts!(
    "-d --detach, --build, --no-build, --force-recreate, --no-recreate, --remove-orphans, --abort-on-container-exit, \
     --abort-on-container-failure, --always-recreate-deps, --attach=, --attach-dependencies, --exit-code-from=, --menu, --no-attach=, \
     --no-color, --no-deps, --no-log-prefix, --no-start, --pull=, --quiet-pull, -q --quiet, -V --renew-anon-volumes, --scale=, -t --timeout=, \
     --timestamps, --wait, --wait-timeout=, -w --watch, -y --yes, -s --signal=, --rmi=, -v --volumes, --stop, -a --all, --format=, \
     --filter=, --services, --status=, --orphans, --no-trunc, --follow, -n --tail=, --since=, --until=, --index=, --ignore-pull-failures, \
     --include-deps, --policy=, --no-cache, --build-arg=, -m --memory=, --ssh=, --push, --with-dependencies, --check, --images, --hash=, \
     --environment, --variables, --no-interpolate, --no-normalize, --no-path-resolution, --resolve-image-digests, -o --output=>, --lock-image-digests, \
     --protocol=, --json, -L --follow-link, --archive, -f"
);

/// Options of `docker build`.
const BUILD: &[Opt] = opts!(
    "--add-host=, --allow=, --annotation=, --attest=, --build-arg=, --build-context=, --builder=, --cache-from=, --cache-to=, --call=, \
     --cgroup-parent=, --check, -f --file=<, --iidfile=>, --label=, --load, --metadata-file=>, --network=, --no-cache, --no-cache-filter=, \
     -o --output=>, --platform=, --progress=, --provenance=, --pull, --push, -q --quiet, --sbom=, --secret=, --shm-size=, --ssh=, -t --tag=, \
     --target=, --ulimit=, --compress, --cpu-period=, --cpu-quota=, -c=, --cpuset-cpus=, --disable-content-trust, --force-rm, --isolation=, \
     -m --memory=, --memory-swap=, --rm, --security-opt=, --squash, -D --debug, --layers, --format=, --set=, --print, --list=, --jobs=, -v --volume="
);

/// Options of commands that list.
const LIST: &[Opt] = opts!(
    "-a --all, --digests, -f --filter=, --format=, --no-trunc, -q --quiet, -l --latest, -n --last=, -s --size, --tree, --type=, --details, \
     --follow, --since=, -t --timestamps, --tail=, -n=, --until=, --no-stream, -v --verbose, --orchestrator=, -H --human, -w --watch, --ns, --pod, --sort="
);

/// Options of commands that remove.
const FORCE: &[Opt] = opts!(
    "-f --force, -a --all, -v --volumes, -l --link, --filter=, --no-prune, -t --time --timeout=, -s --signal=, -q --quiet, --keep-storage=, \
     --max-used-space=, --depend, --latest, -i --ignore"
);

/// What starting a container does.
const RUNS: Action = Call(run);

/// The tools of this file, each with its options, its commands and its examples.
pub(super) const TABLE: &[Tool] = tools! {
    Go "docker podman nerdctl" "-H --host=, -c --context=, --config=<, -l --log-level=, -D --debug, --tls, --tlsverify, --tlscacert=<, \
        --tlscert=<, --tlskey=<, -v --version, --namespace=, --root=>, -r --remote, --url=, --connection=, --help -h" => Call(engine); {
        @Posix "run create" [RUN] => RUNS;
        @Posix "exec" [RUN] => RUNS;
        "ps images image-ls version info search history inspect logs top port stats events diff wait" [LIST] => ;
        "build" [BUILD] => Call(builds);
        "pull" "-a --all-tags, --platform=, -q --quiet, --disable-content-trust" => Fetches("the registry");
        "push" "-a --all-tags, -q --quiet, --platform=, --disable-content-trust" => Sends("the registry");
        "start stop restart pause unpause rename update attach" [FORCE, RUN] => System(SystemChange::Service);
        "kill" [FORCE] => System(SystemChange::Service);
        "rm rmi" [FORCE] => System(SystemChange::Other), If("-v", &[Destroys("docker")]);
        "tag commit" "-a --author=, -c --change=, -m --message=, -p --pause" => System(SystemChange::Other);
        "save export" "-o --output=>, --platform=" => ;
        "load import" "-i --input=<, -q --quiet, --platform=, -c --change=, -m --message=" => System(SystemChange::Other);
        "cp" "-a --archive, -L --follow-link, -q --quiet" => Call(copies);
        "login logout" "-u --username=, -p --password=, --password-stdin" => Secret("the password of the registry"), Fetches("the registry");
        "container" => ; {
            @Posix "run create exec" [RUN] => RUNS;
            "ls list ps inspect logs top port stats diff wait" [LIST] => ;
            "start stop restart pause unpause kill rename update attach" [FORCE, RUN] => System(SystemChange::Service);
            "rm prune" [FORCE] => System(SystemChange::Other), If("-v", &[Destroys("docker")]);
            "cp" "-a --archive, -L --follow-link, -q --quiet" => Call(copies);
        };
        "image" => ; {
            "ls list inspect history" [LIST] => ;
            "build" [BUILD] => Call(builds);
            "pull" "-a --all-tags, --platform=, -q --quiet" => Fetches("the registry");
            "push" "-a --all-tags, -q --quiet" => Sends("the registry");
            "rm prune tag load import" [FORCE] "-i --input=<" => System(SystemChange::Other);
            "save" "-o --output=>, --platform=" => ;
        };
        "volume" => ; {
            "ls list inspect" [LIST] => ;
            "create update" "-d --driver=, --label=, -o --opt=, --name=" => System(SystemChange::Other), If("-o", &[Unknown("a volume may be any folder")]);
            "rm remove prune" [FORCE] => Destroys("docker");
        };
        "network" => ; {
            "ls list inspect" [LIST] => ;
            "create rm remove prune connect disconnect" [FORCE] "-d --driver=, --subnet=, --gateway=, --internal, -o --opt=, --attachable, --label=, --ipv6, --alias=, --ip="
                => System(SystemChange::Other);
        };
        "system" => ; {
            "df info events" [LIST] => ;
            "prune" [FORCE] => Destroys("docker");
        };
        "builder" => ; { "prune" [FORCE] => System(SystemChange::Other); "build" [BUILD] => Call(builds); };
        "buildx" "--builder=" => ; {
            "build b bake" [BUILD] => Call(builds);
            "ls version inspect du history" [LIST] "--bootstrap" => ; { "ls logs inspect" => ; };
            "create use rm stop prune install" [FORCE] "--name=, --use, --driver=, --driver-opt=, --bootstrap, --platform=, --buildkitd-flags=, --config=<" => System(SystemChange::Other);
            "imagetools" => ; { "inspect" "--format=, --raw" => Fetches("the registry"); "create" "-t --tag=, --append, --dry-run" => Sends("the registry"); };
        };
        "compose" [COMPOSE] => ; {
            "up start restart create watch scale" [COMPOSE_UP] => Project, System(SystemChange::Service);
            "stop pause unpause kill" [COMPOSE_UP] => System(SystemChange::Service);
            "down rm" [COMPOSE_UP] => System(SystemChange::Service), If("-v", &[Destroys("docker")]);
            "ps logs images top port config convert ls events version volumes stats" [COMPOSE_UP] => ;
            "build" [COMPOSE_UP] => Project;
            "pull" [COMPOSE_UP] => Fetches("the registry");
            "push publish" [COMPOSE_UP] => Sends("the registry");
            @Posix "exec run" [RUN] => Project, RUNS;
            "cp" [COMPOSE_UP] => Call(copies);
            "attach wait" "--down-project" => ;
        };
        "context" => ; { "ls show inspect" [LIST] => ; "use create rm update import export" "--docker=, --description=, --from=" => At(Access::Write, "~/.docker"); };
        "manifest" => ; { "inspect" "-v --verbose, --insecure" => Fetches("the registry"); "create push annotate rm" "-p --purge, --amend, --arch=, --os=" => Sends("the registry"); };
        "swarm service stack node secret config" => System(SystemChange::Service); {
            "ls list ps inspect services logs" [LIST] => ;
            "rm leave" [FORCE] => Destroys("docker");
            "*" [RUN] "-c --compose-file=<, --prune, --with-registry-auth, --replicas=, --image=, --advertise-addr=, --token=" => System(SystemChange::Service);
        };
        "scout" => Fetches("the registry"); { "*" "--format=, --only-severity=, --exit-code, -o --output=>" => Fetches("the registry"); };
        "machine unshare generate kube play pod" => Unknown("what it does is not known"); {
            "ls list ps inspect info" [LIST] => ;
            "start stop restart" => System(SystemChange::Service);
        };
    } [
        "docker build -t app .": "code:project",
        "docker build --network host .": "code:project",
        "docker build -t x -f docker/Dockerfile --build-arg A=1 --target dev .": "code:project",
        "docker ps -a --format '{{.Names}}'": "",
        "docker logs -f --tail 100 web": "",
        "docker inspect web": "",
        "docker run --rm -it -v /:/h alpine cat /h/etc/shadow": "container_escape network write:workspace_root:recursive",
        "docker run --rm -v ./src:/app node:20 npm test": "code:project execute:unknown:recursive network write:unknown:recursive write:workspace:recursive",
        "docker run --privileged alpine true": "container_escape network",
        "docker run -it --rm alpine": "network",
        "docker run --pid=host --net host x": "container_escape network",
        "docker run -v /var/run/docker.sock:/s x": "container_escape network write:system:recursive",
        "docker run --mount type=bind,src=/etc,dst=/e x": "container_escape network write:system:recursive",
        "docker run -v data:/data -p 80:80 -d --name web nginx": "network",
        "docker run --cap-add SYS_ADMIN --device /dev/sda x": "container_escape network",
        "docker exec -it web ls": "",
        "docker exec --privileged web ls": "container_escape",
        "docker -H unix:///run/docker.sock ps": "container_escape",
        "docker compose up -d --build": "code:project system:service",
        "docker compose -f a.yml logs -f web": "",
        "docker compose down -v": "cloud:destroys system:service",
        "docker system prune -af --volumes": "cloud:destroys",
        "docker volume rm x": "cloud:destroys",
        "docker rm -f web": "system:other",
        "docker cp web:/x ./y": "write:workspace:recursive",
        "docker cp /etc/shadow web:/x": "read:secret:recursive",
        "docker push x/y": "network:send",
        "docker save x -o /etc/y": "write:system",
        "docker login -u x": "network secret",
        "docker frobnicate": "unmodelled",
        "podman ps": "",
    ]

    Go "docker-compose podman-compose" [COMPOSE] => Call(engine); {
        "up start restart create watch scale" [COMPOSE_UP] => Project, System(SystemChange::Service);
        "stop pause unpause kill" [COMPOSE_UP] => System(SystemChange::Service);
        "down rm" [COMPOSE_UP] => System(SystemChange::Service), If("-v", &[Destroys("docker")]);
        "ps logs images top port config convert ls events version" [COMPOSE_UP] => ;
        "build" [COMPOSE_UP] => Project;
        "pull" [COMPOSE_UP] => Fetches("the registry");
        "push" [COMPOSE_UP] => Sends("the registry");
        @Posix "exec run" [RUN] => Project, RUNS;
    } ["docker-compose up -d": "code:project system:service", "docker-compose exec web ls": "code:project"]

    Go "buildah skopeo crane regctl oras dive trivy grype syft cosign" "--debug, --log-level=, -q --quiet, -v --version, --format=, -f=, -o --output=, --severity=, --exit-code=, \
        --ignore-unfixed, --scanners=, --override-os=, --override-arch=, --platform=, --authfile=<, --tls-verify[=], -t --tag=, --no-progress" => Fetches("the registry"); {
        "inspect images ps containers version manifest digest ls list-tags tag-ls config catalog image fs filesystem repo sbom attest verify tree dir" => Reads; { "*" => Reads; };
        "pull export blob download fetch" => Here;
        "bud build-using-dockerfile build" [BUILD] => Project, Here;
        "copy cp push tag append mutate delete sign rm rmi" => Sends("the registry");
        "unshare mount run from" => Escapes("a container that is built without a engine");
        "*" => Reads;
    } ["skopeo inspect docker://alpine": "network", "buildah unshare ls": "container_escape network", "trivy image --severity HIGH x": "network"]
};

/// Where the engine is: a socket that is named rules the machine.
fn engine(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for host in parsed.values("-H").chain(parsed.values("--url")) {
        if parsed.subcommands.is_empty() || !parsed.has("-h") {
            let how = "the socket of a container engine".to_owned();
            report.at(Effect::ContainerEscape { how }, host.span.clone());
        }
    }
}

/// Options of `run`, `create` and `exec` that reach out of the container.
fn run(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let mut escapes = |how: &str, word: Option<&Argument>| {
        let span = word.map_or(report.invocation.span.clone(), |word| word.span.clone());
        report.at(Effect::ContainerEscape { how: how.to_owned() }, span);
    };
    if parsed.has("--privileged") {
        escapes("all rights", None);
    }
    for option in ["--pid", "--network", "--ipc", "--uts", "--userns", "--cgroupns"] {
        for word in parsed.values(option) {
            let is_host =
                word.value.prefix().starts_with("host") || word.value.as_known().is_none();
            if is_host {
                escapes("a namespace of the host", Some(word));
            }
        }
    }
    for option in [
        "--cap-add", "--device", "--device-cgroup-rule", "--runtime", "--cgroup-parent", "--sysctl",
    ] {
        for word in parsed.values(option) {
            escapes("rights or devices of the host", Some(word));
        }
    }
    for word in parsed.values("--security-opt") {
        let text = word.value.prefix();
        if !text.starts_with("no-new-privileges") {
            escapes("an option that takes its limits away", Some(word));
        }
    }
    for word in parsed.values("-v") {
        mount(report, word);
    }
    for word in parsed.values("--mount") {
        bind(report, word);
    }
    if parsed.subcommands.last() != Some(&"exec")
        && !parsed.subcommands.contains(&"compose")
        && !report.name().contains("compose")
    {
        let host = Value::known("the registry");
        let sends = Payload::None;
        report.may(Effect::Network { host, port: None, fetches: true, sends });
    }
}

/// `-v source:target:options`
fn mount(report: &mut Report<'_>, word: &Argument) {
    let text = word.value.prefix().to_owned();
    let mut parts = text.split(':');
    let source = parts.next().unwrap_or_default().to_owned();
    let is_whole = word.value.as_known().is_some() || text.contains(':');
    // A volume by its name, or one without, which is new.
    let is_volume = !source.starts_with(['/', '.', '~']) || !text.contains(':');
    if is_whole && is_volume && !source.is_empty() {
        return;
    }
    let value = if is_whole { Value::known(source) } else { word.value.clone() };
    let reads_only =
        parts.nth(1).is_some_and(|options| options.split(',').any(|option| option == "ro"));
    mounted(report, word, &value, reads_only);
}

/// `--mount type=bind,source=/x,target=/y`
fn bind(report: &mut Report<'_>, word: &Argument) {
    let text = word.value.prefix().to_owned();
    let parts: Vec<&str> = text.split(',').collect();
    if word.value.as_known().is_some() && !parts.contains(&"type=bind") {
        return;
    }
    let source = parts
        .iter()
        .find_map(|part| part.strip_prefix("source=").or_else(|| part.strip_prefix("src=")));
    let reads_only = parts.iter().any(|part| part.starts_with("readonly") || *part == "ro");
    let value = source.map_or(Value::Unknown(Origin::Other), Value::known);
    mounted(report, word, &value, reads_only);
}

/// A folder of the host stands in a container.
fn mounted(report: &mut Report<'_>, word: &Argument, source: &Value, reads_only: bool) {
    let access = if reads_only { Access::Read } else { Access::Write };
    let effect = report.file_effect(access, source, true, false);
    let path = place::resolve(source, &report.cwd, report.env);
    let own =
        path.as_known().is_some_and(|path| report.env.workspace.iter().any(|root| root == path));
    let scope = place::scope(&path, report.env);
    report.at(effect, word.span.clone());
    let outside = matches!(
        scope,
        Scope::WorkspaceRoot
            | Scope::System
            | Scope::Kernel
            | Scope::Device
            | Scope::Denied
            | Scope::Secret
            | Scope::Startup
    );
    if outside && !own && !matches!(path.as_known(), Some("/etc/localtime" | "/etc/timezone")) {
        let how = "a folder of the host".to_owned();
        report.at(Effect::ContainerEscape { how }, word.span.clone());
    }
}

/// `--privileged` builds, and files that are given as secrets.
fn builds(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for word in parsed.values("--allow").chain(parsed.values("--security-opt")) {
        let how = "a build with rights of the host".to_owned();
        report.at(Effect::ContainerEscape { how }, word.span.clone());
    }
    for word in parsed.values("--secret") {
        let text = word.value.prefix();
        let source = text
            .split(',')
            .find_map(|part| part.strip_prefix("src=").or_else(|| part.strip_prefix("source=")));
        if let Some(source) = source {
            report.path(Access::Read, source);
        }
    }
    for word in parsed.values("-v") {
        mount(report, word);
    }
    if parsed.has("--push") {
        perform(report, parsed, &[Sends("the registry")], Certainty::Must);
    }
    for word in &parsed.operands {
        let text = word.value.prefix();
        if text.contains("://") || text.starts_with("git@") {
            perform(report, parsed, &[Fetches("")], Certainty::Must);
        } else if text != "-" {
            report.tree(Access::Read, word, true, false);
        }
    }
    report.add(Effect::Code { from: CodeFrom::Project(report.name().to_owned()) });
}

/// `cp container:path path`
fn copies(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let is_inside = |word: &Argument| {
        let text = word.value.prefix();
        !text.starts_with(['/', '.', '~']) && text.contains(':')
    };
    let [from, to] = &parsed.operands[..] else { return };
    if !is_inside(from) && from.value.as_known() != Some("-") {
        report.tree(Access::Read, from, true, false);
    }
    if !is_inside(to) && to.value.as_known() != Some("-") {
        report.tree(Access::Write, to, true, false);
    }
}
