//! Rust: `cargo` and its common plugins, `rustc`, `rustup`, from their help texts (1.90).

use crate::compilers::{are_harmless_rust_flags, is_compiler, is_harmless_codegen, sets_codegen};
use crate::effect::{Access, Certainty, CodeFrom, Effect};
use crate::model::tool::Action::{
    At, Call, Cloud, Database, Fetches, Here, If, Installs, MayFetch, Project, Reads, Removes,
    Runs, RunsBehindDashes, RunsOption, Secret, Sends, Setting, Touches, Unless, Writes,
};
use crate::model::tool::{Tool, opts, tools};
use crate::model::{Opt, Parsed, Report};
use crate::models::perform::{beyond, perform};
use crate::value::Value;

/// Options that choose packages and features.
const PACKAGES: &[Opt] = opts!(
    "-p --package=, --workspace --all, --exclude=, -F --features=, --all-features, \
     --no-default-features, --target=, --target-dir=>, --manifest-path=<, --lockfile-path=<"
);

/// Options that choose targets and how they are built.
const TARGETS: &[Opt] = opts!(
    "--lib, --bins, --bin=, --examples, --example=, --tests, --test=, --benches, --bench=, \
     --all-targets, -j --jobs=, --keep-going, -r --release, --profile=, --message-format=, \
     --ignore-rust-version, --timings[=], --future-incompat-report, --unit-graph, \
     --artifact-dir --out-dir=>, --no-run, --no-fail-fast, --doc, --debug"
);

/// Options that the commands of `cargo nextest` share.
const NEXTEST: &[Opt] = opts!(
    "--run-ignored=, --partition=, -E --filter-expr --filterset=, --test-threads=, --retries=, \
     --fail-fast --ff, --max-fail=, --no-capture --nocapture, --failure-output=, --success-output=, \
     --status-level=, --final-status-level=, -P --nextest-profile=, --no-tests=, --hide-progress-bar, \
     --show-progress=, --config-file=<, --cargo-profile=, --archive-file=<, --list-type=, -T --message-format-list="
);

/// The tools of this file, each with its options, its commands and its examples.
pub(super) const TABLE: &[Tool] = tools! {
    Inherited "cargo cross" "-v --verbose, -q --quiet, --color=, --frozen, --locked, --offline, --config=, \
        -Z=, -C=/, --list, --explain=, -V --version, --help -h, +*" => If("--config", &[Call(settings)]), If("--target", &[Call(target)]); {
        "build b check c bench test t doc d" [PACKAGES, TARGETS] "--open, --no-deps, --document-private-items"
            => Project, Here;
        "rustc rustdoc" [PACKAGES, TARGETS] "--open, --crate-type=, --print=" => Project, Here, Call(flags_behind);
        "clippy" [PACKAGES, TARGETS] "--fix, --allow-dirty, --allow-staged, --allow-no-vcs, --no-deps" => Project, Here, Call(flags_behind);
        "fix" [PACKAGES, TARGETS] "--broken-code, --edition, --edition-idioms, --allow-dirty, --allow-staged, --allow-no-vcs"
            => Project, Here;
        @InheritedPosix "run r" [PACKAGES, TARGETS] => Project, Here;
        "miri" [PACKAGES, TARGETS, NEXTEST] => Project, Here; {
            "test run setup nextest" [PACKAGES, TARGETS, NEXTEST] => Project, Here;
        };
        "fmt" "-p --package=, --all, --check, --manifest-path=<, --message-format="
            => Unless("--check", &[Call(formats)]);
        "clean" [PACKAGES] "-r --release, --profile=, --doc, -n --dry-run" => Here;
        "tree metadata pkgid locate-project read-manifest verify-project config" [PACKAGES] "-e --edges=, -i --invert=, \
            --prune=, --depth=, --prefix=, --no-dedupe, -d --duplicates, --charset=, -f --format=, \
            --format-version=, --no-deps, --filter-platform=, --message-format=" => ;
        "new init" "--vcs=, --bin, --lib, --edition=, --name=, --registry=" => Writes;
        "update generate-lockfile fetch upgrade" "-p --package=, --aggressive, --recursive, --precise=, -w --workspace, --dry-run, \
            -n, --manifest-path=<, --target=, --breaking, -i --incompatible, --exclude=" => Fetches("crates.io"), Here;
        "vendor" "--manifest-path=<, -s --sync=<, --no-delete, --respect-source-config, --versioned-dirs"
            => Fetches("crates.io"), Here;
        "search info" "--limit=, --registry=, --index=" => Fetches("crates.io");
        "add" [PACKAGES] "--default-features, --optional, --no-optional, --rename=, --dev, --build, --path=, --git=, \
            --branch=, --tag=, --rev=, --registry=, --ignore-rust-version, -n --dry-run, --public, --no-public"
            => Unless("-n", &[Installs, Here]);
        "remove rm" "--dev, --build, --target=, -p --package=, --manifest-path=<, -n --dry-run" => Here;
        "install binstall" [PACKAGES, TARGETS] "--version --vers=, --index=, --registry=, --git=, --branch=, --tag=, \
            --rev=, --path=<, --root=>, -f --force, -n --dry-run, --no-track, --debug, -y --no-confirm, --strategies="
            => Unless("--path", &[Installs]), If("--path", &[Project, At(Access::Write, "~/.cargo/bin")]);
        "uninstall" "-p --package=, --bin=, --root=>" => Removes;
        "package" [PACKAGES, TARGETS] "-l --list, --no-verify, --no-metadata, --allow-dirty, --exclude-lockfile"
            => Project, Here;
        "publish" [PACKAGES, TARGETS] "-n --dry-run, --index=, --registry=, --token=, --no-verify, --allow-dirty"
            => Project, Here, Unless("-n", &[Sends("crates.io"), Cloud("crates.io")]);
        "login logout" "--registry=" => Secret("the token of crates.io"), At(Access::Write, "~/.cargo/credentials.toml");
        "owner yank" "-a --add=, -r --remove=, -l --list, --token=, --version=, --undo, --index=, --registry="
            => Sends("crates.io"), Cloud("crates.io");
        "version help" => ;
        "report" => ; { "future-incompatibilities" "--id=, -p --package=" => ; };
        // Plugins.
        "nextest" [PACKAGES, TARGETS, NEXTEST] => ; {
            "run r list archive bench" [PACKAGES, TARGETS, NEXTEST] => Project, Here;
            "show-config help" [NEXTEST] => ;
        };
        "llvm-cov tarpaulin" [PACKAGES, TARGETS, NEXTEST] "--html, --json, --lcov, --codecov, --cobertura, --text, --open, \
            --output-path=>, --output-dir=>, --ignore-filename-regex=, --no-report, --no-clean, --summary-only, \
            --branch, --fail-under-lines=, -o --out=, --skip-clean, --exclude-files=, --engine=, --timeout=, --ignore-tests"
            => Project, Here; {
            "test run nextest report clean show-env" [PACKAGES, TARGETS, NEXTEST] "--html, --json, --lcov, --codecov, \
                --output-path=>, --output-dir=>, --open, --workspace" => Project, Here;
        };
        "expand" [PACKAGES, TARGETS] "--theme=, --ugly" => Project, Here;
        "asm bloat udeps machete hack deny outdated mutants semver-checks public-api sort careful flamegraph shear insta geiger msrv" [PACKAGES, TARGETS]
            "--crates, -n=, --filter=, --each-feature, --feature-powerset, --depth=, -w, --grouped, --check, --fix, \
            --with-metadata, --skip-target-dir, --accept, --review, --unreferenced=, --test-runner=, -o --output=>, \
            --baseline-rev=, --baseline-version=, --no-dev-deps, --rust, --version-range=, -R --root-deps-only, --timeout="
            => Project, Here; {
            "check list init fetch test review accept reject show verify find pending-snapshots clippy build bans advisories licenses sources"
                [PACKAGES, TARGETS] "--accept, --review, --unreferenced=, --test-runner=, --each-feature, --feature-powerset, --depth="
                => Project, Here;
            "*" [PACKAGES, TARGETS] "--crates, -n=, --each-feature" => Project, Here;
        };
        "criterion zigbuild spellcheck about vet" [PACKAGES, TARGETS] "--history-id=, --output-format=, --no-history, --cfg=, --fix, --checkers=, --cache-dir=>" => Project, Here; {
            "check suggest certify fmt prune init generate clarify list-files" [PACKAGES, TARGETS] "--fix, -c --config=<, -o --output-file=>, --fail, --threshold=, --locked, -m --code=" => Project, Here;
            "*" [PACKAGES, TARGETS] => Reads;
        };
        "tauri leptos component ndk dist" [PACKAGES, TARGETS] "--output-format=, -t=, -P --platform=" => ; {
            "build watch test dev plan info icon help" [PACKAGES, TARGETS] "-t=, -b --bundles=, --no-bundle, --ci, -d, -o=>, -P --platform=, --artifacts=, --tag=" => Project, Here;
        };
        "sqlx" => ; {
            "prepare" [PACKAGES] "--check, -D --database-url=, --no-dotenv" => Project, Here;
            "migrate mig" => ; { "info" "--source=<, -D --database-url=" => Project; "add" "-r, --source=<, -t, -s" => Here; "run revert" "--source=<, -D --database-url=, --dry-run" => Database(false); };
            "database db" => ; { "create setup" "-D --database-url=" => Database(false); "drop reset" "-y, -f --force, -D --database-url=" => Database(true); };
        };
        "release" [PACKAGES] "-n --dry-run, -x --execute, --no-confirm, --no-publish, --no-push, --no-tag, -v --verbose, --allow-branch=, --isolated"
            => Project, Here, If("-x", &[Sends("crates.io"), Cloud("crates.io")]); {
            "patch minor major alpha beta rc release" [PACKAGES] "-n --dry-run, -x --execute, --no-confirm, --no-publish, --no-push, --no-tag" => Project, Here, If("-x", &[Sends("crates.io"), Cloud("crates.io")]);
            "changes config" => Project;
        };
        "size nm objdump objcopy strip readobj profdata cov" [PACKAGES, TARGETS] => Project, Here, Touches;
        "fuzz" => ; {
            "run build check cov coverage cmin tmin fmt" [PACKAGES, TARGETS]
                "-s --sanitizer=, -O, -D --dev, -a --debug-assertions, -c --careful, --fuzz-dir=/, --build-std, \
                --strip-dead-code, --no-cfg-fuzzing, --no-trace-compares, -R --runs="
                => Project, Here;
            "init add" "-t --target=, --fuzzing-workspace=, --fuzz-dir=/" => Here;
            "list" "--fuzz-dir=/" => ;
        };
        "audit" "-D --deny=, --ignore=, --json, -f --file=<, -n --no-fetch, -d --db=<, --stale" => MayFetch("github.com"); { "fix" => Here; };
        @Posix "watch" "-x --exec=, -s --shell=, -w --watch=, -i --ignore=, -c --clear, -q --quiet, -d --delay=, --why, -B=, \
            --postpone, --no-restart, --no-gitignore, -C --workdir=/"
            => Project, Here, RunsOption("-x", "cargo "), RunsOption("-s", ""), RunsBehindDashes;
        "xtask" => ; { @Operands "*" => Project, Here; };
        @InheritedPosix "make" "--makefile=<, -t --task=, -p --profile=, -e --env=" => Project, Here;
        "generate" "--git=, -n --name=, --path=<, -b --branch=, --vcs=, --force, -d --define=, --init" => Fetches("github.com"), Project, Here;
    } [
        "cargo test -p x --release -- --nocapture": "code:project write:workspace:recursive",
        "cargo +nightly fmt --all -- --check": "",
        "cargo fmt --all --check": "",
        "cargo fmt": "write:workspace:recursive",
        "cargo test su::": "code:project write:workspace:recursive",
        "cargo run -- --halt-on-error": "code:project write:workspace:recursive",
        "cargo build --release --target-dir /etc/x": "code:project write:system write:workspace:recursive",
        "cargo clippy --all-targets --all-features -- -D warnings": "code:project write:workspace:recursive",
        "cargo nextest run -E 'test(x)' --no-capture": "code:project write:workspace:recursive",
        "cargo install ripgrep --locked": "package:install",
        "cargo install --path .": "code:project write:home:recursive",
        "cargo add serde -F derive": "package:install write:workspace:recursive",
        "cargo tree -i serde": "",
        "cargo publish --dry-run": "code:project write:workspace:recursive",
        "cargo publish": "cloud code:project network:send write:workspace:recursive",
        "cargo --config build.rustc-wrapper=/tmp/x build": "code:project code:setting write:workspace:recursive",
        "cargo --config profile.release.debug=true build": "code:project write:workspace:recursive",
        "cargo --config build.target-dir=\"/etc/x\" build": "code:project write:system:recursive write:workspace:recursive",
        "cargo size --release -- -A": "code:project write:workspace:recursive",
        "cargo fuzz run parse -- -max_total_time=60": "code:project write:workspace:recursive",
        "cross build --target aarch64-unknown-linux-gnu": "code:project write:workspace:recursive",
        "cargo build --target /tmp/x.json": "code:project execute:temp:recursive write:temp:recursive write:workspace:recursive",
        "cargo build --target \"$TARGET\"": "code:project write:workspace:recursive",
        "cargo rustc --release -- -Clinker=/tmp/x": "code:project code:setting write:workspace:recursive",
        "cargo rustc -- --emit=asm": "code:project write:workspace:recursive",
        "cargo rustc -- --emit asm=/etc/x": "code:project write:system write:workspace:recursive",
        "cargo criterion --bench x": "code:project write:workspace:recursive",
        "cargo tauri build --debug": "code:project write:workspace:recursive",
        "cargo sqlx prepare --check": "code:project write:workspace:recursive",
        "cargo sqlx database drop": "database:destroys",
        "cargo release --dry-run": "code:project write:workspace:recursive",
        "cargo release --execute": "cloud code:project network:send write:workspace:recursive",
        "cargo clippy -- -D warnings -A clippy::all": "code:project write:workspace:recursive",
        "cargo objcopy --release -- -O binary /etc/x": "code:project execute:system:recursive write:system:recursive write:workspace:recursive",
        "cargo --config build.jobs=$(nproc) build": "code:project write:workspace:recursive",
        "cargo --config target.x.linker='clang' build": "code:project write:workspace:recursive",
        "cargo test --config target.x.runner='rm'": "code:project code:setting write:workspace:recursive",
        "cargo watch -x test -s 'rm a'": "code:project delete:workspace write:workspace:recursive",
        "cargo watch -- rm a": "code:project delete:workspace write:workspace:recursive",
        "cargo frobnicate": "unmodelled",
        "cargo build --frobnicate": "code:project unmodelled write:workspace:recursive",
    ]

    Single "rustc rustdoc clippy-driver" "-o=>, --out-dir=>, --crate-type=, --crate-name=, -C[=], -Z[=], --emit=, --edition=, \
        -L[=], -l[=], --cfg=, --check-cfg=, -O, -g, --test, --extern=, --target=, --explain=, --print=, -A[=], -W[=], \
        -D[=], -F[=], --cap-lints=, --sysroot=, -v, --verbose, -V, --version, --error-format=, --color=, -vV, --help, -h, \
        --json=, --document-private-items, --html-in-header=<, --test-args=, --markdown-css=<, --html-before-content=<, \
        --html-after-content=<, --extern-html-root-url=, --theme=<, --default-theme=, --output=>, --no-run, \
        --markdown-no-toc, --test-run-directory=<, --test-builder=!, --runtool --test-runtool=!, \
        --runtool-arg --test-runtool-arg="
        => Reads, Here, Call(linker), Call(emitted), If("--target", &[Call(target)]); [
        "rustc -O --edition 2021 -o out main.rs": "write:workspace write:workspace:recursive",
        "rustc -Copt-level=3 main.rs": "write:workspace:recursive",
        "rustc -Clinker=/tmp/x main.rs": "code:setting write:workspace:recursive",
        "rustc -C linker=/tmp/x main.rs": "code:setting write:workspace:recursive",
        "rustc -Clinker=clang main.rs": "write:workspace:recursive",
        "rustc --version": "",
        "rustc -Cllvm-args=-load=/tmp/x.so main.rs": "code:setting write:workspace:recursive",
        "rustc @/tmp/x": "code:setting write:workspace:recursive",
        "rustc --emit=asm=/etc/x,link main.rs": "write:system write:workspace:recursive",
        "rustc --print cfg=/etc/x": "write:system write:workspace:recursive",
        "rustc --target /tmp/x.json main.rs": "execute:temp:recursive write:temp:recursive write:workspace:recursive",
        "rustdoc --test --extern-html-root-url core=https://x.example src/lib.rs": "write:workspace:recursive",
        "rustdoc --test-runtool /tmp/x src/lib.rs": "code:file code:setting execute:temp write:workspace:recursive",
    ]

    Inherited "rustup" "-v --verbose, -q --quiet, -V --version, --help -h, +*" => ; {
        "show check which doc help completions man" "-v, --toolchain=, --book, --std, --path, --installed" => ; {
            "active-toolchain home profile" "-v" => ;
            "*" "--toolchain=" => ;
        };
        "toolchain target component" => ; {
            "list" "-v --verbose, --installed, --toolchain=, -q --quiet" => ;
            "add install" "--profile=, -c --component=, -t --target=, --toolchain=, --no-self-update, --force, --allow-downgrade" => Installs;
            "remove uninstall" "--toolchain=, --target=" => Removes;
            "link" => Setting("another toolchain");
        };
        "update install upgrade" "--no-self-update, --force, --profile=, -c --component=, -t --target=" => Installs;
        "uninstall" => Removes;
        "default override set self" => At(Access::Write, "~/.rustup"); {
            "*" "--path=, --nonexistent" => At(Access::Write, "~/.rustup");
        };
        @Posix "run" "--install" => Runs(1);
    } [
        "rustup show": "",
        "rustup target add wasm32-unknown-unknown": "package:install",
        "rustup toolchain list -v": "",
        "rustup component add clippy --toolchain nightly": "package:install",
        "rustup run stable rm -r x": "delete:workspace:recursive",
        "rustup default nightly": "write:home:recursive",
    ]

    Inherited "trunk" "-v --verbose, -q --quiet, --config=<, --offline" => ; {
        "build watch" "--release, -d --dist=>, --public-url=, --filehash[=], --features=, --no-default-features, --minify" => Project, Here;
        "clean" => Here;
        "config" => ; { "show" => ; };
    } ["trunk build --release": "code:project write:workspace:recursive"]

    Gnu "rustfmt" "--check, --edition=, --style-edition=, --config-path=<, --config=, --emit=, -l --files-with-diff, \
        -v --verbose, -q --quiet, --backup, --print-config=, --color=, --skip-children, --help -h, -V --version, +*"
        => Reads, Unless("--check", &[Writes]); [
        "rustfmt --edition 2024 --check src/a.rs": "",
        "rustfmt src/a.rs ~/.bashrc": "write:startup write:workspace",
    ]
};

/// `cargo fmt -- --check`
fn formats(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let checks = parsed.operands.iter().any(|word| word.value.as_known() == Some("--check"));
    if !checks {
        perform(report, parsed, &[Here], Certainty::Must);
    }
}

/// What `--config` sets: of most settings nothing is run.
fn settings(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for word in parsed.values("--config") {
        let (key, value) = word.value.prefix().split_once('=').unwrap_or_default();
        let key: String = key.chars().filter(|char| !"'\" \t".contains(*char)).collect();
        let value = word.value.as_known().map(|_| value.trim());
        match meaning(&key, value) {
            Means::Nothing => {}
            Means::Folder(path) => {
                let path = Value::known(path);
                let effect = report.file_effect(Access::Write, &path, true, false);
                report.at(effect, word.span.clone());
            }
            Means::Source => {
                report.not_understood(format!("`{key}` says where its packages come from"));
            }
            Means::Code => {
                let from = CodeFrom::Setting("`--config`".to_owned());
                report.at(Effect::Code { from }, word.span.clone());
            }
        }
    }
}

/// What a setting of Cargo means.
enum Means<'v> {
    /// Nothing that matters.
    Nothing,
    /// It writes there.
    Folder(&'v str),
    /// It fetches packages from elsewhere, or through somebody.
    Source,
    /// It may run anything.
    Code,
}

/// What a setting means. `value`: as TOML has it, if it is known.
fn meaning<'v>(key: &str, value: Option<&'v str>) -> Means<'v> {
    /// Sections of settings that only choose.
    const STARTS: &[&str] =
        &["profile.", "term.", "resolver.", "unstable.", "future-incompat-report."];
    /// Settings that only choose.
    const WHOLE: &[&str] = &[
        "build.jobs", "build.incremental", "build.pipelining", "http.debug",
        "http.low-speed-limit", "http.multiplexing", "http.timeout", "http.user-agent",
        "net.git-fetch-with-cli", "net.offline", "net.retry",
    ];
    /// Sections that say from where packages are fetched.
    const SOURCES: &[&str] = &["http.", "net.", "registries.", "registry.", "source."];
    let starts = |all: &[&str]| all.iter().any(|start| key.starts_with(start));
    let is_key = key.chars().all(|char| char.is_ascii_alphanumeric() || "-_.*".contains(char));
    // A table may hold any other key, and an escape any other text.
    let is_whole = |value: &str| !value.contains(['{', '\\', '\n']);
    if !is_key || !value.is_none_or(is_whole) {
        return Means::Code;
    }
    let path = |value: &'v str| value.trim_matches(['\'', '"']);
    match (key, value) {
        ("build.target-dir" | "build.build-dir", Some(value)) => Means::Folder(path(value)),
        // A file of that name names its linker.
        ("build.target", Some(value))
            if !value.contains(['/', '[']) && !value.contains(".json") =>
        {
            Means::Nothing
        }
        (_, Some(value)) if key.ends_with("flags") && are_harmless_rust_flags(value) => {
            Means::Nothing
        }
        (_, Some(value)) if key.ends_with(".linker") && is_compiler(path(value)) => Means::Nothing,
        _ if key.ends_with("flags") || key.contains("credential") => Means::Code,
        _ if starts(STARTS) || WHOLE.contains(&key) => Means::Nothing,
        _ if starts(SOURCES) => Means::Source,
        _ => Means::Code,
    }
}

/// A target that is a file names its linker.
fn target(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for word in parsed.values("--target") {
        let text = word.value.prefix();
        if text.contains('/') || text.contains(".json") {
            beyond(report, word, &word.value, true);
        }
    }
}

/// `cargo rustc -- -C linker=…`
fn flags_behind(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let words = parsed.invocation.arguments.iter().map(|word| word.value.as_known());
    let flags = words.skip_while(|word| *word != Some("--")).skip(1);
    let Some(known) = flags.collect::<Option<Vec<&str>>>() else {
        report.not_understood("a flag for `rustc` is not known");
        return;
    };
    let mut others = Vec::new();
    let mut words = known.into_iter();
    while let Some(word) = words.next() {
        match word.split_once('=').unwrap_or((word, "")) {
            ("--emit" | "--print", "") => kinds(report, words.next().unwrap_or_default()),
            ("--emit" | "--print", all) => kinds(report, all),
            _ => others.push(word),
        }
    }
    if !are_harmless_rust_flags(&others.join("\u{1f}")) {
        report.add(Effect::Code { from: CodeFrom::Setting("flags for `rustc`".to_owned()) });
    }
}

/// `--emit=asm=FILE`, `--print=cfg=FILE`
fn emitted(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for word in parsed.values("--emit").chain(parsed.values("--print")) {
        kinds(report, word.value.prefix());
    }
}

/// `asm=FILE,link`
fn kinds(report: &mut Report<'_>, all: &str) {
    for kind in all.split(',') {
        if let Some((_, file)) = kind.split_once('=') {
            report.path(Access::Write, file);
        }
    }
}

/// `-C linker=…` and the like run a program. In a file of arguments anything may stand.
fn linker(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let words = &parsed.invocation.arguments;
    let apart = words.windows(2).filter(|two| matches!(two[0].value.as_known(), Some("-C" | "-Z")));
    let apart = apart.map(|two| &two[1]);
    let options = parsed.values("-C").chain(parsed.values("-Z")).chain(apart).filter(|option| {
        !match option.value.as_known() {
            Some(option) => is_harmless_codegen(option),
            // Only its value is not known.
            None => option.value.prefix().contains('=') && sets_codegen(option.value.prefix()),
        }
    });
    let files = words.iter().filter(|word| word.value.prefix().starts_with('@'));
    for word in options.chain(files) {
        let name = word.value.prefix().split('=').next().unwrap_or_default();
        let from = CodeFrom::Setting(format!("`{name}`"));
        report.at(Effect::Code { from }, word.span.clone());
    }
}
