//! Build programs: `make`, `cmake`, `go`, and those of the Java machine.

use crate::shell::effect::{Access, Certainty, CodeFrom, Effect};
use crate::shell::invocation::Argument;
use crate::shell::model::{Opt, Parsed, Report};
use crate::shell::models::perform::{beyond, perform, word};
use crate::shell::models::tool::Does::{
    self, At, Call, Cloud, Executes, Fetches, Here, If, Installs, Project, Reads, Sends, Setting,
    Touches, Unless, Writes,
};
use crate::shell::models::tool::{Tool, opts, tools};
use crate::shell::value::Value;

const GO_BUILD: &[Opt] = opts!(
    "-C=/, -a, -n, -p=, -race, -msan, -asan, -cover, -covermode=, -coverpkg=, -v, -work, -x, -asmflags=, -buildmode=, \
     -buildvcs[=], -compiler=, -gccgoflags=, -gcflags=, -installsuffix=, -json, -ldflags=, -linkshared, -mod=, -modcacherw, \
     -modfile=<, -overlay=<, -pgo=, -pkgdir=>, -tags=, -trimpath, -toolexec=!, -o=>, -i"
);

const GO_TEST: &[Opt] = opts!(
    "-args, -c, -exec=!, -test.v, -bench=, -benchtime=, -benchmem, -count=, -cpu=, -failfast, -fullpath, -fuzz=, -fuzztime=, \
     -fuzzminimizetime=, -list=, -parallel=, -run=, -short, -shuffle=, -skip=, -timeout=, -vet=, -blockprofile=>, \
     -blockprofilerate=, -coverprofile=>, -cpuprofile=>, -memprofile=>, -memprofilerate=, -mutexprofile=>, \
     -mutexprofilefraction=, -outputdir=>, -trace=>, -update"
);

const MAKE: &[Opt] = opts!(
    "-b, -m, -B --always-make, -C --directory=/, -d, --debug[=], -e --environment-overrides, -E --eval=, -f --file --makefile=<, \
     -h --help, -i --ignore-errors, -I --include-dir=<, -j --jobs[=], --jobserver-style=, -k --keep-going, -l --load-average --max-load[=], \
     -L --check-symlink-times, -n --just-print --dry-run --recon, -o --old-file --assume-old=, -O --output-sync[=], \
     -p --print-data-base, -q --question, -r --no-builtin-rules, -R --no-builtin-variables, -s --silent --quiet, --no-silent, \
     -S --no-keep-going --stop, --shuffle[=], -t --touch, --trace, -v --version, -w --print-directory, --no-print-directory, \
     -W --what-if --new-file --assume-new=, --warn-undefined-variables"
);

const GRADLE: &[Opt] = opts!(
    "-a --no-rebuild, -b --build-file=<, -c --settings-file=<, -g --gradle-user-home=>, -I --init-script=<, -p --project-dir=/, -h --help -?, \
     -q --quiet, -w --warn, -i --info, -d --debug, -s --stacktrace, -S --full-stacktrace, -x --exclude-task=, -m --dry-run, \
     -P --project-prop=, -D --system-prop=, -t --continuous, --continue, --build-cache, --no-build-cache, --configuration-cache, \
     --no-configuration-cache, --configure-on-demand, --console=, --daemon, --no-daemon, --foreground, --status, --stop, \
     --max-workers=, --offline, --parallel, --no-parallel, --priority=, --profile, --scan, --no-scan, --refresh-dependencies, \
     --refresh-keys, --rerun-tasks, --rerun, --warning-mode=, --watch-fs, --no-watch-fs, -v --version, -V --show-version, --tests=, \
     --write-locks, --update-locks=, --write-verification-metadata=, -M=, -F=, --all, --configuration=, --dependency=, --info, \
     --fail-fast, --include-build=<, --gradle-version=, --distribution-type=, --args=, --debug-jvm, --type=, --dsl=, --test-framework=, --task="
);

pub(super) const TABLE: &[Tool] = tools! {
    Gnu "make gmake bmake remake" [MAKE] => Call(make), If("-E", &[Setting("`--eval`")]); [
        "make -j4 test": "code:project write:workspace:recursive",
        "make": "code:project write:workspace:recursive",
        "make -C sub CC=clang V=1 -j 8 all": "code:project write:workspace:recursive",
        "make -f /tmp/evil.mk": "code:file execute:temp",
        "make -f - x": "code:stdin",
        "make --eval='x:;cat y' x": "code:project code:setting write:workspace:recursive",
        "make SHELL=/tmp/x": "code:project code:setting write:workspace:recursive",
        "make install": "code:project execute:system:recursive write:system:recursive write:workspace:recursive",
        "make install DESTDIR=out": "code:project write:workspace:recursive",
        "make --frobnicate": "code:project unmodelled write:workspace:recursive",
    ]

    Gnu "just" "-f --justfile=<, -d --working-directory=/, -l --list, -n --dry-run, -s --show=, --summary, -v --verbose, -q --quiet, \
        --set==, --shell=!, --shell-arg=, -u --unsorted, --dump, --fmt, --check, --unstable, --evaluate, --init, --choose, \
        --groups, -e --edit, --color=, --no-color, -V --version, --yes, --variables, --chooser=!, -c --command, -h --help, --timestamp, \
        --dotenv-path=<, -E=<, --list-heading=, --usage, --one"
        => If("-c", &[Setting("`--command`")]), Unless("-l -s --summary --dump --evaluate", &[Project, Here]); [
        "just test": "code:project write:workspace:recursive",
        "just --list": "",
    ]

    Gnu "cmake" "-S=<, -B=>, -C=<, -D[=], -U[=], -G=, -T=, -A=, --toolchain=<, --install-prefix=>, -W[=], --fresh, -L[=], -LA, -LAH, -LH, -N, \
        --graphviz=>, --system-information[=], --log-level=, --log-context, --debug-trycompile, --debug-output, --debug-find, \
        --trace, --trace-expand, --trace-source=, --warn-uninitialized, --preset=, --list-presets[=], --build=>, -j --parallel[=], \
        -t --target=, --config=, --clean-first, -v --verbose, --install=, --component=, --prefix=>, --strip, --default-directory-permissions=, \
        --open=, -E, -P=, --workflow, --version -V, --help -h, --help-command=, --use-stderr, --compile-no-warning-as-error, --profiling-output=>, --no-warn-unused-cli"
        => Call(cmake); [
        "cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release": "code:project write:workspace write:workspace:recursive",
        "cmake --build build -j 8 --target test": "code:project write:workspace write:workspace:recursive",
        "cmake --build build -- -j4": "code:project write:workspace write:workspace:recursive",
        "cmake --install build --prefix /usr": "code:project write:system write:workspace:recursive",
        "cmake --install build": "code:project execute:system:recursive write:system:recursive write:workspace:recursive",
        "cmake -B build -DCMAKE_INSTALL_PREFIX=/usr": "code:project write:workspace write:workspace:recursive",
        "cmake -E rm -rf x": "unmodelled",
        "cmake ..": "code:project execute:workspace_root:recursive write:workspace:recursive write:workspace_root:recursive",
    ]
    Gnu "ctest cpack" "-C --build-config=, --preset=, --list-presets, --progress, -V --verbose, -VV, --extra-verbose, --debug, --output-on-failure, \
        --stop-on-failure, -F, -j --parallel[=], --test-load=, -Q --quiet, -O --output-log=>, --output-junit=>, -N --show-only[=], -L --label-regex=, \
        -R --tests-regex=, -E --exclude-regex=, -LE --label-exclude=, -I=, -U, --rerun-failed, --repeat=, --repeat-until-fail=, --schedule-random, \
        --timeout=, --stop-time=, -T --test-action=, -M=, -S=<, -D --dashboard=, --test-dir=, --no-tests=, --print-labels, -G=, -P=, -B=>, --config=<, --version"
        => Project, Here; ["ctest --test-dir build -j8 --output-on-failure": "code:project write:workspace:recursive"]
    Gnu "ninja samu ninja-build" "--version, -v --verbose, --quiet, -C=/, -f=<, -j=, -k=, -l=, -n, -d=, -t=, -w=, -h --help"
        => Project, Here, Call(installs); [
        "ninja -C build -j4 test": "code:project write:workspace:recursive",
        "ninja install": "code:project execute:system:recursive write:system:recursive write:workspace:recursive",
    ]
    Operands "meson" => Project, Here, Call(meson), Call(installs); [
        "meson setup build": "code:project write:workspace:recursive",
        "meson setup build --prefix=/usr -Dsysconfdir=/etc": "code:project write:workspace:recursive",
        "meson setup /srv/build": "code:project execute:system:recursive write:system:recursive write:workspace:recursive",
        "meson install -C build": "code:project execute:system:recursive write:system:recursive write:workspace:recursive",
    ]
    Operands "scons waf premake5 gyp xmake bjam tup redo ant sbt mill lein boot clojure clj \
        kotlin kotlinc scala scalac scala-cli amm groovy groovyc bloop coursier cs maven-wrapper jbang detekt ktlint google-java-format scalafmt \
        qmake uic moc autoconf autoreconf automake aclocal autoheader libtoolize libtool configure config.status m4 \
        mage task go-task earthly dagger nuke cake psake rake-compiler xcodebuild xctest swift swiftc swiftlint swiftformat pod carthage tuist \
        xcodegen fastlane flutter dart fvm melos zig zls nim nimble crystal shards dub dmd ldc2 gdc v odin vlang haxe haxelib gleam roc nu"
        => Project, Here, Touches; [
        "swift build -c release": "code:project write:workspace:recursive",
        "flutter test": "code:project write:workspace:recursive",
        "sbt 'testOnly x.Y'": "code:project write:workspace:recursive",
    ]

    // Words that begin with two slashes are names of targets.
    Operands "bazel bazelisk blaze buck buck2 pants plz gn" => Project, Here; ["bazel test //...": "code:project write:workspace:recursive"]

    Gnu "gradle" [GRADLE] => Call(gradle); [
        "gradle test": "code:project write:workspace:recursive",
        "gradle test --tests 'x.Y*' --info -Pfoo=bar": "code:project write:workspace:recursive",
        "./gradlew build -x test": "code:file execute:workspace",
        "gradle --init-script /tmp/x.gradle build": "code:file code:project execute:temp execute:temp:recursive write:workspace:recursive",
    ]
    Single "mvn mvnd" "-q, --quiet, -B, --batch-mode, -U, --update-snapshots, -o, --offline, -X, --debug, -e, --errors, -f=<, --file=<, -pl=, \
        --projects=, -am, --also-make, -amd, -D[=], -P[=], -T[=], --threads=, -N, --non-recursive, -rf=, --resume-from=, -s=<, --settings=<, -gs=<, \
        -t=<, -l=>, --log-file=>, -fae, -ff, -fn, -ntp, --no-transfer-progress, -c, -C, -v, --version, -V, --show-version, -h, --help, -nsu, -cpu, -b=, -itr"
        => Project, Here, Call(deploys); [
        "mvn -q -B test -Dtest=Foo#bar -pl core -am": "code:project write:workspace:recursive",
        "mvn clean package -DskipTests": "code:project write:workspace:recursive",
        "mvn exec:exec -Dexec.executable=rm": "code:project dynamic write:workspace:recursive",
        "mvn deploy": "cloud code:project network:send write:workspace:recursive",
    ]

    SinglePosix "java javaw" "-jar, -cp=<, -classpath=<, --class-path=<, -D[=], -X[=], -XX:[=], -ea[=], -da[=], -esa, -server, -client, -version, --version, \
        -showversion, --show-version, -help, -h, -?, --help-extra, -verbose[=], -agentlib:[=], -agentpath:[=], -javaagent:[=], -p=<, --module-path=<, \
        -m=, --module=, --add-modules=, --add-opens=, --add-exports=, --add-reads=, --enable-preview, --source=, --list-modules, --enable-native-access="
        => If("-agentlib: -agentpath: -javaagent: -X", &[Call(agent)]), Call(java); [
        "java -Xmx2g -jar target/app.jar --port 1": "code:file execute:workspace",
        "java -version": "",
        "java -cp build x.Main": "code:project",
        "java -javaagent:/tmp/x.jar x.Main": "code:project code:setting",
    ]
    Single "javac javadoc jar jlink jpackage javap jdeps jshell keytool jarsigner native-image" "-d=>, -cp=<, -classpath=<, --class-path=<, -sourcepath=<, -source=, -target=, --release=, \
        -encoding=, -g[=], -Xlint[=], -proc:[=], -processorpath=<, -nowarn, -verbose, -parameters, -J[=], -version, --version, -h=, -s=>, -implicit:[=], \
        -p=<, --module-path=<, -A[=], -c, -v, -private, -public, -xf=<, -tf=<, -cf=>, -cfe=>, cf=>, tf=<, xf=<, -tvf=<, --create, --list, --file=, -quiet"
        => Reads, Here; [
        "javac -d out src/A.java": "write:workspace write:workspace:recursive",
        "jar tf target/a.jar": "write:workspace:recursive",
    ]
    Inherited "dotnet" "-v --verbosity=, --info, --version, --list-sdks, --list-runtimes, -d --diagnostics, --help -h -?, -c --configuration=, -f --framework=, \
        -r --runtime=, -o --output=>, --no-restore, --no-build, --nologo, --interactive, --os=, -a --arch=, -p --property --project=, --source=, -p:[=], \
        --filter=, --logger -l=, --collect=, --settings -s=<, --blame, -t --list-tests, --results-directory=>, --force, --no-incremental, --self-contained[=], \
        --no-dependencies, --include-symbols, --version-suffix=, --launch-profile=, --no-launch-profile, --verify-no-changes, --severity=, --tl[=], -m[=]" => ; {
        "build test publish pack clean msbuild format watch vstest workload-restore" => Project, Here;
        @InheritedPosix "run" => Project, Here;
        "restore" => Fetches("nuget.org"), Here;
        "add remove" => Installs, Here; { "package reference" "--version=, --prerelease" => Installs, Here; "*" => Installs, Here; };
        "new" "-n --name=, --language=, -lang=, --dry-run, --list" => Here; { "list search" => ; "install" => Installs; "*" "-n --name=, --language=, --use-controllers" => Here; };
        "sln list help sdk" => ; { "add remove" => Here; "list check" => ; "*" => ; };
        "tool" => ; { "install update" "-g --global, --version=, --local, --tool-path=>" => Installs; "uninstall" "-g --global" => Installs; "restore" => Installs; "list" "-g --global" => ; @InheritedPosix "run" => Project; };
        "nuget" => ; { "push delete" "-k --api-key=, -s --source=" => Sends("nuget.org"), Cloud("the registry"); "*" => Here; };
        "ef" => Project, Here; { "*" => Project, Here; };
        "workload" => Installs; { "list" => ; "*" => Installs; };
    } [
        "dotnet test --no-build -c Release --filter Name~x": "code:project write:workspace:recursive",
        "dotnet add package x": "package:install write:workspace:recursive",
        "dotnet --version": "",
        "dotnet run --project a -- -x": "code:project write:workspace:recursive",
    ]

    Single "go" "-C=/" => ; {
        "build install" [GO_BUILD] => Project, Here, Call(module);
        "test" [GO_BUILD, GO_TEST] => Project, Here, Call(module);
        @SinglePosix "run" [GO_BUILD] "-exec=!" => Project, Here, Call(module);
        "vet" [GO_BUILD] "-vettool=!, -json, -c=" => Project, Here;
        "list" [GO_BUILD] "-compiled, -deps, -e, -export, -f=, -find, -m, -u, -versions, -reuse=<, -retracted, -test" => Project;
        "fmt fix" [GO_BUILD] "-fix=" => Here;
        "generate" [GO_BUILD] "-run=, -skip=" => Project, Here;
        "env" "-json, -changed, -u, -w" => If("-w -u", &[At(Access::Write, "~/.config/go/env"), Setting("a setting of the compiler")]);
        "version doc help" "-m, -v, -all, -c, -cmd, -short, -src, -u, -http, -json" => ;
        "clean" "-i, -r, -cache, -testcache, -modcache, -fuzzcache, -n, -x" => Here, If("-cache -modcache -testcache -fuzzcache", &[At(Access::Write, "~/go")]);
        "get" [GO_BUILD] "-t, -u[=], -d, -tool" => Installs, Here;
        "mod" => ; {
            "tidy download vendor" "-go=, -compat=, -e, -v, -x, -json, -o=>, -diff" => Fetches("proxy.golang.org"), Here;
            "init edit" "-require=, -droprequire=, -replace=, -dropreplace=, -exclude=, -go=, -fmt, -print, -json, -module=, -toolchain=, -retract=, -tool=" => Here;
            "graph why verify" "-go=, -m, -vendor" => ;
        };
        "work" => ; { "init use sync edit vendor" "-r, -use=, -dropuse=, -fmt, -print, -json, -go=" => Here; };
        @SinglePosix "tool" "-n, -modfile=<" => Project, Here;
        "telemetry" => ; { "on off local" => At(Access::Write, "~/.config/go/telemetry"); };
    } [
        "go test ./... -run X -count=1 -race -v": "code:project write:workspace:recursive",
        "go test -run TestFormat ./...": "code:project write:workspace:recursive",
        "go test -exec 'cat x' ./...": "code:project code:setting write:workspace:recursive",
        "go build -toolexec=cat ./...": "code:project code:setting write:workspace:recursive",
        "go build -o bin/app ./cmd/app": "code:project write:workspace write:workspace:recursive",
        "go run ./cmd/app -x": "code:project write:workspace:recursive",
        "go run github.com/evil/x@latest": "code:package code:project write:workspace:recursive",
        "go install golang.org/x/tools/gopls@latest": "code:project package:install write:workspace:recursive",
        "go env GOPATH": "",
        "go get x": "package:install write:workspace:recursive",
        "go mod tidy": "network write:workspace:recursive",
        "go vet ./...": "code:project write:workspace:recursive",
        "go build --frobnicate": "code:project unmodelled write:workspace:recursive",
    ]
    Single "gofmt goimports gofumpt gci golines" "-l, -w, -d, -s, -e, -r=, -cpuprofile=>, -local=, -v, -extra, -lang=, -m=, -format-only, -srcdir=, -modpath=, write, print, diff, -cpuprofile=>"
        => Reads, If("-w write", &[Writes]); [
        "gofmt -l .": "",
        "gofmt -s -w a.go": "write:workspace",
    ]
    Operands "golangci-lint staticcheck revive gosec govulncheck gotestsum ginkgo gopls dlv wire mockgen mockery \
        stringer sqlc buf protoc protoc-gen-go templ air swag ko gore errcheck ineffassign \
        gocyclo deadcode benchstat pprof cgo vgo protolint grpcurl-lint" => Project, Here, Touches; [
        "golangci-lint run --fix ./...": "code:project write:workspace:recursive",
        "buf generate": "code:project write:workspace:recursive",
    ]
};

/// `make`: what the build file says, which may be another one than the project's.
fn make(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let mut others = 0;
    for file in parsed.values("-f") {
        match file.value.as_known() {
            Some("-" | "/dev/stdin") => {
                report.add(Effect::Code { from: CodeFrom::Stdin });
                others += 1;
            }
            _ => {
                if super::is_beyond(report, &file.value) {
                    report.file(Access::Execute, file);
                    report.add(Effect::Code { from: CodeFrom::File });
                    others += 1;
                }
            }
        }
    }
    let runs = ["SHELL", "MAKE", "MAKEFILES", "MAKEFLAGS"];
    for word in &parsed.operands {
        let name = word.value.prefix().split(['=', ':']).next().unwrap_or_default();
        if runs.contains(&name) && word.value.prefix().contains('=') {
            let from = CodeFrom::Setting(format!("`{name}`"));
            report.at(Effect::Code { from }, word.span.clone());
        } else if let Some((_, value)) = word.value.prefix().split_once('=') {
            beyond(report, word, &Value::known(value), true);
        }
    }
    if others == 0 {
        perform(report, parsed, &[Project, Here, Call(installs)], Certainty::Must);
    }
}

/// What is installed goes to a folder of the system, unless another is named.
fn installs(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let target = ["install", "uninstall", "install-strip"];
    let is_target =
        |word: &&Argument| word.value.as_known().is_some_and(|word| target.contains(&word));
    let names = |word: &Argument| {
        let text = word.value.prefix().to_ascii_lowercase();
        ["destdir", "prefix", "--destdir"].iter().any(|name| {
            text.strip_prefix(name).is_some_and(|rest| rest.starts_with('=') || rest.is_empty())
        })
    };
    if let Some(word) = parsed.operands.iter().find(is_target)
        && !parsed.invocation.arguments.iter().any(names)
    {
        beyond(report, word, &Value::known("/usr/local"), true);
    }
}

/// Folders that `meson` is told are where it will install to some day, but for the build's own.
fn meson(report: &mut Report<'_>, _: &Parsed<'_>) {
    for argument in &report.invocation.arguments {
        let text = argument.value.prefix();
        let is_later = text.starts_with("-D") || text.starts_with("--") && text.contains('=');
        if !is_later {
            word(report, argument, true);
        }
    }
}

fn cmake(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if parsed.has("-E") || parsed.has("-P") {
        report.not_understood("what its own tools and scripts do is not known");
        return;
    }
    for word in parsed.values("-D") {
        if let Some((name, value)) = word.value.prefix().split_once('=')
            // Where it will be installed some day.
            && !name.contains("INSTALL")
        {
            beyond(report, word, &Value::known(value), true);
        }
    }
    let install = |word: &Argument| word.value.as_known() == Some("install");
    let target = parsed.values("-t").find(|word| install(word));
    if let Some(word) = target.or(parsed.value("--install")).filter(|_| !parsed.has("--prefix")) {
        beyond(report, word, &Value::known("/usr/local"), true);
    }
    let builds = parsed.has("--build") || parsed.has("--install");
    let does: &[Does] = if builds { &[Project, Here] } else { &[Project, Here, Executes] };
    perform(report, parsed, does, Certainty::Must);
}

fn gradle(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for option in ["-I", "-b", "-c", "--include-build"] {
        for file in parsed.values(option) {
            if super::is_beyond(report, &file.value) {
                report.file(Access::Execute, file);
                report.add(Effect::Code { from: CodeFrom::File });
            }
        }
    }
    perform(report, parsed, &[Project, Here, Call(deploys)], Certainty::Must);
}

/// Goals that send what is built away, and one that runs the program which a property names.
fn deploys(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if parsed.operands.iter().any(|word| word.value.prefix().ends_with("exec:exec")) {
        let why = "the program that a property of the build names".to_owned();
        report.add(Effect::Dynamic { why });
    }
    let sends = ["deploy", "publish", "release:perform", "uploadArchives", "publishToMavenCentral"];
    let is_sent =
        |word: &&str| sends.iter().any(|goal| word == goal || word.ends_with(&format!(":{goal}")));
    if parsed.operands.iter().filter_map(|word| word.value.as_known()).any(|word| is_sent(&word)) {
        perform(report, parsed, &[Sends(""), Cloud("the registry")], Certainty::Must);
    }
}

fn agent(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let loads =
        ["-agentlib:", "-agentpath:", "-javaagent:"].iter().any(|option| parsed.has(option));
    let boots = parsed.values("-X").any(|word| word.value.prefix().starts_with("bootclasspath"));
    if loads || boots {
        perform(report, parsed, &[Setting("an agent")], Certainty::Must);
    }
}

fn java(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let Some(first) = parsed.operands.first() else { return };
    if parsed.has("-jar") || first.value.prefix().ends_with(".java") {
        report.file(Access::Execute, first);
        report.add(Effect::Code { from: CodeFrom::File });
    } else {
        perform(report, parsed, &[Project], Certainty::Must);
    }
}

/// A package with a version is none of the project, and neither is code by a path that leads out of it.
fn module(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for word in &parsed.operands {
        if word.value.prefix().starts_with(['/', '.', '~']) {
            beyond(report, word, &word.value, true);
        }
        // What stands behind is the program's own.
        if parsed.subcommands.last() == Some(&"run") {
            break;
        }
    }
    let versioned = |word: &&Argument| word.value.prefix().contains('@');
    let Some(word) = parsed.operands.iter().find(versioned) else { return };
    if parsed.subcommands.last() == Some(&"run") {
        let from = CodeFrom::Package(word.value.prefix().to_owned());
        report.at(Effect::Code { from }, word.span.clone());
    } else {
        let manager = report.name().to_owned();
        let effect = Effect::Package { manager, source: word.value.clone(), installs: true };
        report.at(effect, word.span.clone());
    }
}
