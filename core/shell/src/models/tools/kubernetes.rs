//! `kubectl`, `helm` and local clusters, from their reference (1.31, 3.16).

use crate::effect::{Access, Effect, Payload, SystemChange};
use crate::invocation::Argument;
use crate::model::tool::Action::{
    At, Call, Cloud, Destroys, Fetches, Here, If, Listens, Reads, Secret, Setting, System, Unless,
};
use crate::model::tool::{Tool, opts, tools};
use crate::model::{Opt, Parsed, Report};
use crate::value::{Origin, Value};

/// Options of `kubectl get`.
const GET: &[Opt] = opts!(
    "-o --output=, -l --selector=, -A --all-namespaces, -w --watch, --watch-only, --show-labels, --show-kind, --show-managed-fields, \
     --sort-by=, --no-headers, -L --label-columns=, --field-selector=, --chunk-size=, --ignore-not-found, --server-print, \
     --subresource=, --template=, --allow-missing-template-keys, --output-watch-events, -f --filename=<, -k --kustomize=<, -R --recursive, \
     --show-events, -c --container=, --all-containers, --follow, -p --previous, --since=, --since-time=, --tail=, --timestamps, --prefix, \
     --max-log-requests=, --limit-bytes=, --ignore-errors, --pod-running-timeout=, --containers, --sum, --api-version=, --namespaced[=], \
     --verbs=, --api-group=, --categories=, --cached, --client, --short, --for=, --types=, --list, --quiet -q, --revision=, --timeout="
);

/// Options of commands that apply a file.
const APPLY: &[Opt] = opts!(
    "-f --filename=<, -k --kustomize=<, -R --recursive, --dry-run[=], -o --output=, -l --selector=, --prune, --prune-allowlist=, --server-side, \
     --force-conflicts, --field-manager=, --validate[=], --wait, --timeout=, --overwrite, --save-config, --record, --all, --force, \
     --grace-period=, --cascade=, --now, -A --all-namespaces, --ignore-not-found, --field-selector=, -i --interactive, --type=, -p --patch=, \
     --patch-file=<, --replicas=, --current-replicas=, --resource-version=, --min=, --max=, --cpu-percent=, --name=, --port=, --target-port=, \
     --protocol=, --image=, --env -e=, --from-literal=, --from-file=<, --from-env-file=<, --docker-server=, --docker-username=, --docker-password=, \
     --docker-email=, --clusterrole=, --role=, --serviceaccount=, --verb=, --resource=, --limits=, --requests=, --schedule=, --restart=, --list, \
     --to-revision=, --ignore-daemonsets, --delete-emptydir-data, --delete-local-data, --disable-eviction, --pod-selector=, --skip-wait-for-delete-timeout=, \
     --local, --labels=, --subresource=, --edit, --show-managed-fields, --template=, --from=, --tcp=, --class=, --rule=, --cert=<, --key=<, -c --containers=, --windows-line-endings"
);

/// Options that the commands of `helm` share.
const HELM: &[Opt] = opts!(
    "-f --values=<, --set=, --set-string=, --set-file=, --set-json=, --version=, --repo=, --devel, --dry-run[=], --debug, --wait, --wait-for-jobs, \
     --timeout=, --atomic, --install -i, --create-namespace, --reuse-values, --reset-values, --reset-then-reuse-values, --force, --cleanup-on-fail, \
     --no-hooks, --skip-crds, --include-crds, -o --output=, -a --all, -A --all-namespaces, --max=, --revision=, --show-only -s=, --output-dir=>, \
     --api-versions=, --kube-version=, --validate, --is-upgrade, --name-template=, -g --generate-name, --description=, --history-max=, \
     --keep-history, --post-renderer=!, --username=, --password=, --ca-file=<, --pass-credentials, --untar, --untardir=>, -d --destination=>, \
     --strict, --quiet, -q --short, --filter=, -l --selector=, --deployed, --failed, --pending, --force-update, --no-update, --with-subcharts, \
     --skip-refresh, --dependency-update, --app-version=, --verify, --render-subchart-notes, --hide-notes, --logs, --date, --cascade=, --ignore-not-found, -r --regexp"
);

/// The tools of this file, each with its options, its commands and its examples.
pub(super) const TABLE: &[Tool] = tools! {
    Go "kubectl oc k3s-kubectl" "-n --namespace=, --context=, --kubeconfig=<, --cluster=, --user=, -s --server=, --token=, --as=, --as-group=, --as-uid=, \
        --request-timeout=, -v --v=, --insecure-skip-tls-verify, --certificate-authority=<, --client-certificate=<, --client-key=<, --tls-server-name=, \
        --cache-dir=>, --match-server-version, --password=, --username=, --profile=, --help -h, --log-flush-frequency=, --warnings-as-errors"
        => Call(named_files); {
        "get" [GET] "--raw=" => Fetches(""), Call(secrets);
        "describe logs top explain api-resources api-versions version cluster-info events wait diff" [GET] => Fetches(""), Reads; {
            "pod pods node nodes no po" [GET] => Fetches("");
            "dump" "--output-directory=>" => Fetches(""), Secret("the state of the cluster");
            "*" [GET] => Fetches(""), Call(secrets);
        };
        "auth" => ; { "can-i whoami" [GET] "--as=" => Fetches(""); "reconcile" [APPLY] => Cloud("kubernetes"); };
        "config" => ; {
            "view" [GET] "--minify, --raw, --flatten, --merge" => If("--raw --flatten", &[Secret("credentials of the cluster")]);
            "current-context get-contexts get-clusters get-users" "-o --output=, --no-headers" => ;
            "use-context use set-context set set-cluster set-credentials unset rename-context delete-context delete-cluster delete-user"
                "--current, --server=, --cluster=, --user=, --token=, --embed-certs, --client-certificate=<, --client-key=<, --certificate-authority=<, --exec-command=!"
                => At(Access::Write, "~/.kube/config");
        };
        "kustomize" "--enable-helm, --load-restrictor=, -o --output=>" => Reads;
        "completion options plugin help" => ; { "list" => ; "*" => ; };
        "create apply replace patch edit label annotate scale autoscale set expose taint cordon uncordon certificate run" [APPLY] "--rm, -i --stdin, -t --tty, \
            --command, --attach, --expose, --overrides=, --image-pull-policy=, --privileged, --env=" => Unless("--dry-run", &[Cloud("kubernetes"), Fetches("")]), Call(host_pod); {
            "secret token" [APPLY] "--duration=, --audience=" => Cloud("kubernetes"), Secret("credentials of the cluster"); { "*" [APPLY] => Cloud("kubernetes"), Secret("credentials of the cluster"); };
            "image resources env selector serviceaccount subject view-last-applied set-last-applied edit-last-applied approve deny" [APPLY] => Cloud("kubernetes"), Fetches("");
            "configmap cm" [APPLY] => Cloud("kubernetes"), Fetches("");
            @Operands "*" => Cloud("kubernetes"), Fetches(""), Call(host_pod);
        };
        "rollout" => ; {
            "status history" [GET] => Fetches("");
            "restart undo pause resume" [APPLY] => Cloud("kubernetes"), Fetches("");
        };
        "delete drain" [APPLY] => Unless("--dry-run", &[Destroys("kubernetes"), Fetches("")]);
        @Operands "exec debug attach" => Cloud("kubernetes"), Fetches(""), Call(host_pod);
        "cp" "-c --container=, --no-preserve, --retries=" => Call(copies), Fetches("");
        "port-forward proxy" "--address=, --pod-running-timeout=, -p --port=, -w --www=, --api-prefix=, --accept-hosts=, --disable-filter, --reject-paths=, -u --unix-socket=, -P --www-prefix=, --keepalive="
            => Fetches(""), Listens;
    } [
        "kubectl get pods": "network",
        "kubectl get pods -n x -o wide": "network",
        "kubectl -n x get deploy/web -o yaml": "network",
        "kubectl get secret x -o jsonpath='{.data.ca}'": "network secret",
        "kubectl get ingress -o jsonpath='{.items[*].spec.rules[*].host}'": "network",
        "kubectl describe pod web-0": "network",
        "kubectl logs -f deploy/web --tail=50 -c app": "network",
        "kubectl apply -f k8s/": "cloud network",
        "kubectl apply -f x.yml --dry-run=client": "",
        "kubectl delete ns x": "cloud:destroys network",
        "kubectl exec -it web -- ls": "cloud network",
        "kubectl config view --raw": "secret",
        "kubectl config current-context": "",
        "kubectl rollout status deploy/web": "network",
        "kubectl drain n1 --ignore-daemonsets --force": "cloud:destroys network",
        "kubectl port-forward svc/web 8080:80": "listen network",
        "kubectl cp a.db web:/x": "network network:send",
        "kubectl cp web:/x ./y": "network write:workspace:recursive",
        "kubectl run x --image=y --overrides '{\"spec\":{\"hostPID\":true}}'": "cloud container_escape network",
        "kubectl frobnicate": "unmodelled",
        "kubectl get pods -o go-template='{{.}}'": "network",
        "kubectl get pods -o go-template-file=/home/user/.ssh/id_rsa": "network read:secret",
        "kubectl get pods -ogo-template-file --template=/home/user/.ssh/id_rsa": "network read:secret",
        "kubectl create configmap x --from-file=a=/home/user/.ssh/id_rsa --dry-run=client -o yaml": "cloud network read:secret",
    ]

    Go "helm" "-n --namespace=, --kube-context=, --kubeconfig=<, --kube-token=, --kube-apiserver=, --registry-config=<, --repository-cache=>, --repository-config=<, --burst-limit=, --qps=, --help -h" => Call(named_files); {
        "template lint version env verify completion" [HELM] => ;
        "show inspect" [HELM] => ; { "values chart readme crds all" [HELM] => Fetches(""); "*" [HELM] => ; };
        "list ls status history get search" [HELM] => Fetches(""); { "values manifest notes hooks all metadata" [HELM] => Fetches(""), Secret("values of a release"); "repo hub" [HELM] => Fetches(""); "*" [HELM] => Fetches(""); };
        "install upgrade rollback test" [HELM] => Unless("--dry-run", &[Cloud("kubernetes"), Fetches("")]);
        "uninstall delete un" [HELM] => Destroys("kubernetes"), Fetches("");
        "repo" => ; { "list" [HELM] => ; "add update remove rm index" [HELM] "--url=, --merge=<" => Fetches(""), At(Access::Write, "~/.config/helm"); };
        "dependency dep pull fetch package create" [HELM] => Fetches(""), Here; { "list build update" [HELM] => Fetches(""), Here; "*" [HELM] => Fetches(""), Here; };
        "push registry" [HELM] => Fetches(""); { "login logout" "-u --username=, -p --password=, --password-stdin, --insecure" => Secret("the password of the registry"); "*" => Fetches(""); };
        "plugin" => ; { "list" => ; "install update uninstall" "--version=" => Setting("a plug-in"); };
        "diff secrets" [HELM] => Fetches(""); { "upgrade release revision rollback" [HELM] => Fetches(""); };
    } [
        "helm template chart -f values.yaml --set a=b": "",
        "helm upgrade --install web ./chart -n x": "cloud network",
        "helm uninstall web": "cloud:destroys network",
        "helm list -A": "network",
        "helm template x --post-renderer cat": "code:setting",
        "helm template x --set-file a=/home/user/.ssh/id_rsa": "read:secret",
    ]

    Go "minikube kind k3d microk8s colima lima limactl rancher-desktop vcluster tilt skaffold devspace kops \
        eksctl kubeadm k3s rke2 talosctl" "-p --profile=, -n --name=, --namespace=, \
        --driver=, --cpus=, --memory=, --kubernetes-version=, --nodes=, --addons=, -o --output=, --config=<, -f --filename=, --image=, --wait=, -v=, --context=, --kubeconfig=<, --help -h, \
        --port=, -a --agents=, --region=, -c --cpu=, -m=, -d --disk=, -t=, --tail, --cleanup[=]" => ; {
        "status version profile ip list ls dashboard get logs addons config options kubectl image ssh-key" => ; { "list view clusters nodes" => ; "enable disable set load build" => System(SystemChange::Service); "*" => ; };
        "start stop pause unpause restart up run dev build render apply deploy create load cluster" => Cloud("kubernetes"), System(SystemChange::Service); {
            "delete" => Destroys("kubernetes"); "list ls get" => ; "*" => Cloud("kubernetes"), System(SystemChange::Service);
        };
        "delete down reset uninstall purge" => Destroys("kubernetes"), System(SystemChange::Service); { "*" => Destroys("kubernetes"), System(SystemChange::Service); };
        "export" => Secret("credentials of the cluster"); { "*" => Secret("credentials of the cluster"); };
    } [
        "minikube start --driver=docker": "cloud system:service",
        "kind delete cluster": "cloud:destroys system:service",
        "minikube status": "",
    ]
    Operands "k9s stern kubectx kubens kubeval kubeconform kube-linter kube-score kustomize popeye" => Fetches(""), crate::model::tool::Action::Looks; [
        "stern web": "network",
    ]
};

/// Files that stand within the values of options: `-o jsonpath-file=x`, `--set-file a=x`.
fn named_files(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for form in parsed.values("-o") {
        let Some((kind, file)) = form.value.prefix().split_once('=') else { continue };
        if kind.ends_with("-file") {
            let known = form.value.as_known().map(|_| Value::known(file));
            let value = known.unwrap_or(Value::Unknown(Origin::Other));
            report.reads(&Argument { value, ..form.clone() });
        }
    }
    let is_file = |form: &Argument| form.value.prefix().contains("-file");
    if parsed.values("-o").any(is_file) {
        parsed.values("--template").for_each(|file| report.reads(file));
    }
    for option in ["--from-file", "--set-file"] {
        for set in parsed.values(option) {
            for file in set.value.prefix().split(['=', ',']).skip(1) {
                report.reads(&Argument { value: Value::known(file), ..set.clone() });
            }
            if set.value.as_known().is_none() {
                report.not_understood("a file that it reads is not known");
            }
        }
    }
}

/// Secrets of the cluster are shown.
fn secrets(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let names = ["secret", "secrets", "all", "sealedsecret", "sealedsecrets"];
    let is_secret = |text: &str| {
        text.split(',').any(|part| names[..2].contains(&part.split('/').next().unwrap_or_default()))
            || text.starts_with("secret")
    };
    let shows = parsed.operands.iter().any(|word| is_secret(word.value.prefix()));
    let raw = parsed.value("--raw").is_some_and(|word| word.value.prefix().contains("secret"));
    if shows || raw {
        report.add(Effect::Secret { kind: "secrets of the cluster".to_owned(), path: None });
    }
}

/// A pod that has the host's namespaces or files.
fn host_pod(report: &mut Report<'_>, _: &Parsed<'_>) {
    let marks = ["hostPID", "hostNetwork", "hostIPC", "hostPath", "privileged", "node/"];
    let words = report.invocation.arguments.iter().filter_map(|word| word.value.as_known());
    let before: Vec<&str> = words.take_while(|word| *word != "--").collect();
    let debugs = before.first() == Some(&"debug");
    let found = before
        .iter()
        .any(|word| marks.iter().take(if debugs { 6 } else { 5 }).any(|mark| word.contains(mark)));
    if found {
        report.add(Effect::ContainerEscape { how: "a pod with rights of its node".to_owned() });
    }
}

/// `kubectl cp pod:path path`
fn copies(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let [from, to] = &parsed.operands[..] else { return };
    if !from.value.prefix().contains(':') {
        let host = Value::Unknown(Origin::Other);
        let sends = Payload::File(from.value.clone());
        report.add(Effect::Network { host, port: None, fetches: false, sends });
        report.tree(Access::Read, from, true, false);
    }
    if !to.value.prefix().contains(':') {
        report.tree(Access::Write, to, true, false);
    }
}
