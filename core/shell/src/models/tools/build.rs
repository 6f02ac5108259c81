//! Build programs: `make`, `cmake`, `go` and others.
//!
//! A build runs code of the project, which is the owner's to trust. What its words add to that is
//! judged: variables that name a compiler, flags that run a program, and folders outside of the
//! workspace.

use crate::compilers::golang::{are_harmless_gcflags, are_harmless_ldflags};
use crate::compilers::{are_harmless_flags, is_compiler_command, is_usual, of_builds};
use crate::effect::{Access, Certainty, CodeFrom, Effect};
use crate::invocation::{Argument, program_name};
use crate::model::tool::Action::{
    self, At, Call, Executes, Fetches, Here, If, Installs, Project, Reads, Setting, Touches,
    Unknown, Unless, Writes,
};
use crate::model::tool::{Tool, opts, tools};
use crate::model::{Opt, Parsed, Report};
use crate::models;
use crate::models::perform::{beyond, perform, word};
use crate::names::is_wrapper;
use crate::value::{Origin, Value};

use super::plain::plain;

/// Options of `go` that build.
const GO_BUILD: &[Opt] = opts!(
    "-C=/, -a, -n, -p=, -race, -msan, -asan, -cover, -covermode=, -coverpkg=, -v, -work, -x, -asmflags=, -buildmode=, \
     -buildvcs[=], -compiler=, -gccgoflags=, -gcflags=, -installsuffix=, -json, -ldflags=, -linkshared, -mod=, -modcacherw, \
     -modfile=<, -overlay=<, -pgo=, -pkgdir=>, -tags=, -trimpath, -toolexec=!, -o=>, -i"
);

/// Options of `go test`.
const GO_TEST: &[Opt] = opts!(
    "-args, -c, -exec=!, -test.v, -bench=, -benchtime=, -benchmem, -count=, -cpu=, -failfast, -fullpath, -fuzz=, -fuzztime=, \
     -fuzzminimizetime=, -list=, -parallel=, -run=, -short, -shuffle=, -skip=, -timeout=, -vet=, -blockprofile=>, \
     -blockprofilerate=, -coverprofile=>, -cpuprofile=>, -memprofile=>, -memprofilerate=, -mutexprofile=>, \
     -mutexprofilefraction=, -outputdir=>, -trace=>, -update"
);

/// Options that the commands of `make` share.
const MAKE: &[Opt] = opts!(
    "-b, -m, -B --always-make, -C --directory=/, -d, --debug[=], -e --environment-overrides, -E --eval=, -f --file --makefile=<, \
     -h --help, -i --ignore-errors, -I --include-dir=<, -j --jobs[=], --jobserver-style=, -k --keep-going, -l --load-average --max-load[=], \
     -L --check-symlink-times, -n --just-print --dry-run --recon, -o --old-file --assume-old=, -O --output-sync[=], \
     -p --print-data-base, -q --question, -r --no-builtin-rules, -R --no-builtin-variables, -s --silent --quiet, --no-silent, \
     -S --no-keep-going --stop, --shuffle[=], -t --touch, --trace, -v --version, -w --print-directory, --no-print-directory, \
     -W --what-if --new-file --assume-new=, --warn-undefined-variables"
);

/// The tools of this file, each with its options, its commands and its examples.
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
        "make SHELL=/bin/bash BUILD=release CFLAGS='-O2 -g' ARGS='-v -x'": "code:project write:workspace:recursive",
        "make 'X=$(shell rm x)'": "code:project code:setting write:workspace:recursive",
        "make 'X!=rm x'": "code:project code:setting write:workspace:recursive",
        "make .SHELLFLAGS=-ec": "code:project code:setting write:workspace:recursive",
        "make CC='sh -c x'": "code:project unmodelled write:workspace:recursive",
        "make PYTHON='sh -c id'": "code:project unmodelled write:workspace:recursive",
        "make 'X=a;b'": "code:project unmodelled write:workspace:recursive",
        "make --frobnicate": "code:project unmodelled write:workspace:recursive",
    ]

    Gnu "just" "-f --justfile=<, -d --working-directory=/, -l --list, -n --dry-run, -s --show=, --summary, -v --verbose, -q --quiet, \
        --set==, --shell=!, --shell-arg=, -u --unsorted, --dump, --fmt, --check, --unstable, --evaluate, --init, --choose, \
        --groups, -e --edit, --color=, --no-color, -V --version, --yes, --variables, --chooser=!, -c --command, -h --help, --timestamp, \
        --dotenv-path=<, -E=<, --list-heading=, --usage, --one"
        => If("-c", &[Setting("`--command`")]), Unless("-l -s --summary --dump", &[Project, Here]), Call(texts); [
        "just x='$(id)' test": "code:project unmodelled write:workspace:recursive",
        "just test": "code:project write:workspace:recursive",
        "just --list": "",
    ]

    Gnu "cmake" "-S=<, -B=>, -C=<, -D=, -U=, -G=, -T=, -A=, --toolchain=<, --install-prefix=>, -W[=], --fresh, -L[=], -LA, -LAH, -LH, -N, \
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
        "cmake -B b -DCMAKE_C_COMPILER=/usr/bin/clang -D CMAKE_CXX_COMPILER_LAUNCHER=ccache": "code:project write:workspace write:workspace:recursive",
        "cmake -B b -DCMAKE_C_COMPILER=./x": "code:project unmodelled write:workspace write:workspace:recursive",
        "cmake -B b -D CMAKE_MAKE_PROGRAM=./x": "code:project unmodelled write:workspace write:workspace:recursive",
        "cmake --build b -- SHELL=/tmp/x": "code:project code:setting write:workspace write:workspace:recursive",
        "cmake ..": "code:project execute:workspace_root:recursive write:workspace:recursive write:workspace_root:recursive",
    ]
    Gnu "ctest cpack" "-C --build-config=, --preset=, --list-presets, --progress, -V --verbose, -VV, --extra-verbose, --debug, --output-on-failure, \
        --stop-on-failure, -F, -j --parallel[=], --test-load=, -Q --quiet, -O --output-log=>, --output-junit=>, -N --show-only[=], -L --label-regex=, \
        -R --tests-regex=, -E --exclude-regex=, -LE --label-exclude=, -I=, -U, --rerun-failed, --repeat=, --repeat-until-fail=, --schedule-random, \
        --timeout=, --stop-time=, -T --test-action=, -M=, -S=<, -D --dashboard=, --test-dir=/, --no-tests=, --print-labels, -G=, -P=, -B=>, --config=<, --version"
        => Project, Here, If("-D -T", &[Unknown("it may send what it found")]); [
        "ctest --test-dir build -j8 --output-on-failure": "code:project write:workspace:recursive",
        "ctest --test-dir /tmp/x": "code:project execute:temp:recursive write:temp:recursive",
    ]
    Gnu "ninja samu ninja-build" "--version, -v --verbose, --quiet, -C=/, -f=<, -j=, -k=, -l=, -n, -d=, -t=, -w=, -h --help"
        => Project, Here, Call(installs); [
        "ninja -C build -j4 test": "code:project write:workspace:recursive",
        "ninja install": "code:project execute:system:recursive write:system:recursive write:workspace:recursive",
    ]
    Operands "meson" => Project, Here, Call(meson), Call(installs), Call(plain); [
        "meson setup b --native-file=/tmp/x.ini": "code:project execute:temp:recursive write:temp:recursive write:workspace:recursive",
        "meson test --wrapper='rm x'": "code:project unmodelled write:workspace:recursive",
        "meson setup build": "code:project write:workspace:recursive",
        "meson setup build --prefix=/usr -Dsysconfdir=/etc": "code:project write:workspace:recursive",
        "meson setup /srv/build": "code:project execute:system:recursive write:system:recursive write:workspace:recursive",
        "meson install -C build": "code:project execute:system:recursive write:system:recursive write:workspace:recursive",
    ]
    Operands "scons waf premake5 gyp bjam tup redo ant sbt mill lein boot \
        kotlinc scalac groovyc scala-cli coursier cs bloop maven-wrapper detekt ktlint google-java-format scalafmt \
        qmake uic moc autoconf autoreconf automake aclocal autoheader libtoolize configure config.status \
        mage task go-task earthly dagger nuke cake psake rake-compiler xcodebuild xctest swift swiftc swiftlint swiftformat pod carthage tuist \
        xcodegen fastlane flutter dart fvm melos zig zls nim nimble crystal shards dub dmd ldc2 gdc v odin vlang haxe haxelib gleam roc"
        => Project, Here, Touches, Call(plain); [
        "swift build -c release": "code:project write:workspace:recursive",
        "flutter test": "code:project write:workspace:recursive",
        "sbt 'testOnly x.Y'": "code:project write:workspace:recursive",
        "crystal spec --verbose": "code:project write:workspace:recursive",
        "crystal eval 'system(\"id\")'": "code:project unmodelled write:workspace:recursive",
        "dub run x": "code:project unmodelled write:workspace:recursive",
        "nimble install x": "code:project package:install write:workspace:recursive",
        "pod install": "code:project package:install write:workspace:recursive",
        "dart pub publish --force": "code:project unmodelled write:workspace:recursive",
        "earthly github.com/x/y+all": "code:project unmodelled write:workspace:recursive",
        "task 'X=$(id)' test": "code:project unmodelled write:workspace:recursive",
    ]

    // Words that begin with two slashes are names of targets.
    Operands "bazel bazelisk blaze buck buck2 pants plz gn" => Project, Here, Call(targets), Call(plain); [
        "bazel test //... --test_output=errors": "code:project write:workspace:recursive",
        "bazel --output_base=/etc/x build //x": "code:project execute:system:recursive write:system:recursive write:workspace:recursive",
        "bazel run --run_under='sh -c id' //x": "code:project unmodelled write:workspace:recursive",
    ]

    Single "go" "-C=/" => Call(go_flags); {
        "build install" [GO_BUILD] => Project, Here, Call(module);
        "test" [GO_BUILD, GO_TEST] => Project, Here, Call(module);
        @SinglePosix "run" [GO_BUILD] "-exec=!" => Project, Here, Call(module);
        "vet" [GO_BUILD] "-vettool=!, -json, -c=" => Project, Here, Call(module);
        "list" [GO_BUILD] "-compiled, -deps, -e, -export, -f=, -find, -m, -u, -versions, -reuse=<, -retracted, -test" => Project, Call(module);
        "fmt fix" [GO_BUILD] "-fix=" => Here, Call(module);
        "generate" [GO_BUILD] "-run=, -skip=" => Project, Here;
        "env" "-json, -changed, -u, -w" => If("-w -u", &[At(Access::Write, "~/.config/go/env"), Setting("a setting of the compiler")]);
        "version doc help" "-m, -v, -all, -c, -cmd, -short, -src, -u, -http, -json" => ;
        "clean" "-i, -r, -cache, -testcache, -modcache, -fuzzcache, -n, -x" => Here, If("-cache -modcache -fuzzcache", &[At(Access::Write, "~/go")]);
        "get" [GO_BUILD] "-t, -u[=], -d, -tool" => Installs, Here;
        "mod" => ; {
            "tidy download vendor" "-go=, -compat=, -e, -v, -x, -json, -o=>, -diff" => Fetches("proxy.golang.org"), Here;
            "edit" "-require=, -droprequire=, -replace=, -dropreplace=, -exclude=, -go=, -fmt, -print, -json, -module=, -toolchain=, -retract=, -tool=" => Here, Writes;
            "init" "-require=, -droprequire=, -replace=, -dropreplace=, -exclude=, -go=, -fmt, -print, -json, -module=, -toolchain=, -retract=, -tool=" => Here;
            "graph why verify" "-go=, -m, -vendor" => ;
        };
        "work" => ; { "init use sync edit vendor" "-r, -use=, -dropuse=, -fmt, -print, -json, -go=" => Here; };
        @SinglePosix "tool" "-n, -modfile=<" => Project, Here, Touches, Call(plain);
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
        "go build -ldflags '-s -w -X main.v=1' ./...": "code:project write:workspace:recursive",
        "go build -ldflags=-extld=./x": "code:project unmodelled write:workspace:recursive",
        "go build -gccgoflags=-B./x -compiler=gccgo": "code:project unmodelled write:workspace:recursive",
        "go tool compile -o /etc/x x.go": "code:project execute:system:recursive write:system:recursive write:workspace:recursive",
        "go clean -testcache": "write:workspace:recursive",
        "go build --frobnicate": "code:project unmodelled write:workspace:recursive",
    ]
    Single "gofmt goimports gofumpt gci golines" "-l, -w, -d, -s, -e, -r=, -cpuprofile=>, -local=, -v, -extra, -lang=, -m=, -format-only, -srcdir=, -modpath=, write, print, diff, -cpuprofile=>"
        => Reads, If("-w write", &[Writes]); [
        "gofmt -l .": "",
        "gofmt -s -w a.go": "write:workspace",
    ]
    Operands "golangci-lint staticcheck revive gosec govulncheck gotestsum ginkgo gopls dlv wire mockgen mockery \
        stringer sqlc buf protoc protoc-gen-go templ air swag ko gore errcheck ineffassign \
        gocyclo deadcode benchstat pprof cgo vgo protolint grpcurl-lint" => Project, Here, Touches, Call(plain); [
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
    assigns(report, parsed);
    if others == 0 {
        perform(report, parsed, &[Project, Here, Call(installs)], Certainty::Must);
    }
}

/// `CC=clang`: what variables of `make` are set to, which it expands, and runs as they are used.
fn assigns(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for word in &parsed.operands {
        let Some((name, value)) = word.value.prefix().split_once('=') else { continue };
        let is_run = name.ends_with('!');
        let name = name.trim_end_matches(['!', ':', '+', '?']).trim();
        let is_known = word.value.as_known().is_some();
        if is_run || runs_text(name, value) {
            let from = CodeFrom::Setting(format!("`{name}`"));
            report.at(Effect::Code { from }, word.span.clone());
        } else if name.contains(['$', '`']) || value.contains(['$', '`', ';', '|', '&', '\n']) {
            report.not_understood(format!("what `{name}` expands to is not known"));
        } else if is_known && (name == "SHELL" || of_builds(name) && is_usual(name, value)) {
            // A path of a compiler or of a shell is none that is written.
        } else if of_builds(name) && !is_as_before(name, &word.value) || is_command(value) {
            report.not_understood(format!("what the build runs by `{name}` is not known"));
        } else {
            beyond(report, word, &Value::known(value), true);
        }
    }
}

/// True if setting a variable of `make` so makes it run a text.
fn runs_text(name: &str, value: &str) -> bool {
    /// Variables of `make` that change what it runs.
    const RUNS: &[&str] = &["MAKE", "MAKEFILES", ".SHELLFLAGS", "GNUMAKEFLAGS"];
    /// Shells that `make` may be given.
    const SHELLS: &[&str] =
        &["sh", "bash", "dash", "/bin/sh", "/bin/bash", "/bin/dash", "/usr/bin/bash"];
    let calls = ["$(shell", "${shell", "$(eval", "${eval", "$(file", "${file"];
    RUNS.contains(&name)
        || name == "SHELL" && !SHELLS.contains(&value)
        || matches!(name, "MAKEFLAGS" | "MFLAGS") && !is_usual(name, value)
        || calls.iter().any(|call| value.contains(call) || name.contains(call))
}

/// True for what a variable of the environment was set to before.
fn is_as_before(name: &str, value: &Value) -> bool {
    matches!(value, Value::Prefix(_, Origin::Environment(before)) if before == name)
}

/// True for a program with words of its own, as far as that is visible: `sh -c id`.
fn is_command(value: &str) -> bool {
    let Some((first, _)) = value.trim().split_once(char::is_whitespace) else { return false };
    let name = program_name(first);
    let is_program = models::is_known(name) || is_wrapper(name);
    (is_program || first.contains('/')) && !models::is_everyday(name)
}

/// Values that `just` puts into the text of a recipe.
fn texts(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let is_set = |word: &&Argument| word.value.prefix().contains('=');
    let words = parsed.operands.iter().filter(is_set).chain(parsed.values("--set"));
    let is_code = |word: &Argument| word.value.prefix().contains(['$', '`', ';', '|', '&', '\n']);
    if words.into_iter().any(is_code) {
        report.not_understood("a variable may hold a command");
    }
}

/// Options of `bazel` and its like may name files; names of targets begin with two slashes.
fn targets(report: &mut Report<'_>, _: &Parsed<'_>) {
    let is_dashes = |word: &&Argument| word.value.as_known() != Some("--");
    for argument in report.invocation.arguments.iter().take_while(is_dashes) {
        let text = argument.value.prefix();
        if argument.value.possible().is_none() && text.is_empty() {
            report.not_understood("a word whose text is not known may be an option");
        } else if !text.starts_with("//")
            && !text.starts_with("-//")
            && !text.starts_with(['@', ':'])
        {
            word(report, argument, true);
        }
    }
}

/// Flags that `go` gives to a linker and a compiler.
fn go_flags(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    /// A check of the value of an option.
    type Check = fn(&str) -> bool;
    let checks: [(&str, Check); 4] = [
        ("-ldflags", are_harmless_ldflags),
        ("-gcflags", are_harmless_gcflags),
        ("-asmflags", are_harmless_gcflags),
        ("-gccgoflags", are_harmless_flags),
    ];
    for (option, are_harmless) in checks {
        for word in parsed.values(option) {
            // The version that a linker gets is often put together.
            let text = match &word.value {
                Value::Prefix(text, _) if text.contains("-X") => text.trim_end_matches(['\'', '"']),
                other => other.as_known().unwrap_or("-"),
            };
            if !are_harmless(text) {
                report.not_understood(format!("what `{option}` makes it run is not known"));
            }
        }
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

/// The folders that `meson` gets are those of a later installation, except for its build folder.
fn meson(report: &mut Report<'_>, _: &Parsed<'_>) {
    for argument in &report.invocation.arguments {
        let text = argument.value.prefix();
        let name = text.strip_prefix("--").and_then(|text| Some(text.split_once('=')?.0));
        let is_later =
            name.is_some_and(|name| name == "prefix" || name.ends_with("dir") && name != "destdir");
        let set = text.strip_prefix("-D").and_then(|set| set.split_once('='));
        if let Some((name, flags)) = set {
            let is_args = name.ends_with("_args") || name.ends_with("_link_args");
            if is_args && !flags.split(',').all(are_harmless_flags) {
                report.not_understood(format!("what `{name}` makes a compiler do is not known"));
            }
        } else if !is_later {
            word(report, argument, true);
        }
    }
}

/// Checkers that `cmake` may run at each file.
const CHECKERS: &[&str] = &[
    "", "OFF", "clang-tidy", "cppcheck", "cpplint", "include-what-you-use", "iwyu", "qemu", "wine",
];

/// True for a variable of `cmake` that names a program which a build runs.
fn names_program(name: &str) -> bool {
    /// Ends of names of variables of CMake that name a program.
    const ENDS: &[&str] = &[
        "_COMPILER", "_LAUNCHER", "_MAKE_PROGRAM", "_LINKER", "_EMULATOR", "_CLANG_TIDY",
        "_CPPCHECK", "_CPPLINT", "_INCLUDE_WHAT_YOU_USE", "_LINK_WHAT_YOU_USE", "_COMMAND",
        "CMAKE_AR", "CMAKE_NM", "CMAKE_RANLIB", "CMAKE_STRIP", "CMAKE_OBJCOPY", "CMAKE_OBJDUMP",
        "CMAKE_MT", "CMAKE_INSTALL_NAME_TOOL",
    ];
    name.contains("RULE_LAUNCH") || ENDS.iter().any(|end| name.ends_with(end))
}

/// The effects of `cmake`.
fn cmake(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if parsed.has("-E") || parsed.has("-P") {
        report.not_understood("what its own tools and scripts do is not known");
        return;
    }
    for word in parsed.values("-D") {
        let Some((name, value)) = word.value.prefix().split_once('=') else { continue };
        let name = name.split(':').next().unwrap_or(name);
        if names_program(name) {
            let is_usual = word.value.as_known().is_some()
                && (is_compiler_command(value) || CHECKERS.contains(&value));
            if !is_usual {
                report.not_understood(format!("what the build runs by `{name}` is not known"));
            }
        } else if name.contains("_FLAGS") {
            if !are_harmless_flags(value) {
                report.not_understood(format!("what `{name}` makes a compiler do is not known"));
            }
        } else if !name.contains("INSTALL") {
            // Where it will be installed some day does not count.
            beyond(report, word, &Value::known(value), true);
        }
    }
    if parsed.has("--build") {
        assigns(report, parsed);
    }
    let install = |word: &Argument| word.value.as_known() == Some("install");
    let target = parsed.values("-t").find(|word| install(word));
    if let Some(word) = target.or(parsed.value("--install")).filter(|_| !parsed.has("--prefix")) {
        beyond(report, word, &Value::known("/usr/local"), true);
    }
    let builds = parsed.has("--build") || parsed.has("--install");
    let actions: &[Action] = if builds { &[Project, Here] } else { &[Project, Here, Executes] };
    perform(report, parsed, actions, Certainty::Must);
}

/// A package with a version does not belong to the project, and neither does code by a path that leads out of it.
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
