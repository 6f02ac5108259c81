//! `node`: its options, and which of them write a file or load code.

use super::super::WrapperCall;
use super::super::switches::{self, Letters, Switches};
use crate::code::Language;
use crate::effect::{Access, CodeFrom, Effect};
use crate::invocation::Argument;
use crate::model::Parsed;
use crate::value::Value;

/// The options of `node`.
static NODE: Letters = Letters {
    flags: "ichpv",
    values: "erC",
    attached: "",
    digits: "",
    last: "",
    long_flags: &[
        "--abort-on-uncaught-exception",
        "--addons",
        "--no-addons",
        "--allow-addons",
        "--allow-child-process",
        "--allow-fs-read",
        "--allow-fs-write",
        "--allow-wasi",
        "--allow-worker",
        "--allow-natives-syntax",
        "--allow-inspector",
        "--allow-net",
        "--completion-bash",
        "--cpu-prof",
        "--no-deprecation",
        "--no-warnings",
        "--deprecation",
        "--warnings",
        "--enable-source-maps",
        "--enable-fips",
        "--entry-url",
        "--experimental-detect-module",
        "--experimental-eventsource",
        "--experimental-import-meta-resolve",
        "--experimental-json-modules",
        "--experimental-permission",
        "--permission",
        "--permission-audit",
        "--experimental-print-required-tla",
        "--experimental-repl-await",
        "--experimental-require-module",
        "--experimental-specifier-resolution",
        "--experimental-sqlite",
        "--experimental-strip-types",
        "--experimental-test-coverage",
        "--experimental-test-isolation",
        "--test-isolation",
        "--experimental-test-module-mocks",
        "--experimental-test-snapshots",
        "--experimental-transform-types",
        "--experimental-vm-modules",
        "--experimental-wasm-modules",
        "--experimental-websocket",
        "--experimental-webstorage",
        "--experimental-worker",
        "--experimental-abortcontroller",
        "--experimental-fetch",
        "--experimental-global-customevent",
        "--experimental-global-navigator",
        "--experimental-global-webcrypto",
        "--experimental-modules",
        "--experimental-network-inspection",
        "--experimental-shadow-realm",
        "--experimental-default-type",
        "--experimental-async-context-frame",
        "--async-context-frame",
        "--force-context-aware",
        "--force-fips",
        "--force-node-api-uncaught-exceptions-policy",
        "--frozen-intrinsics",
        "--expose-gc",
        "--expose_gc",
        "--expose-internals",
        "--heap-prof",
        "--harmony",
        "--huge-max-old-generation-size",
        "--heapsnapshot-near-heap-limit",
        "--heapsnapshot-signal",
        "--inspect",
        "--inspect-brk",
        "--inspect-wait",
        "--inspect-publish-uid",
        "--insecure-http-parser",
        "--interpreted-frames-native-stack",
        "--jitless",
        "--max-old-space-size",
        "--max_old_space_size",
        "--max-semi-space-size",
        "--max-http-header-size",
        "--max-heap-size",
        "--min-semi-space-size",
        "--network-family-autoselection",
        "--network-family-autoselection-attempt-timeout",
        "--node-snapshot",
        "--openssl-legacy-provider",
        "--openssl-shared-config",
        "--optimize-for-size",
        "--pending-deprecation",
        "--preserve-symlinks",
        "--preserve-symlinks-main",
        "--prof",
        "--prof-process",
        "--perf-basic-prof",
        "--report-on-fatalerror",
        "--report-on-signal",
        "--report-uncaught-exception",
        "--report-compact",
        "--report-exclude-env",
        "--report-exclude-network",
        "--report-signal",
        "--secure-heap",
        "--secure-heap-min",
        "--stack-size",
        "--stack_size",
        "--stack-trace-limit",
        "--strip-types",
        "--test",
        "--test-concurrency",
        "--test-coverage-branches",
        "--test-coverage-functions",
        "--test-coverage-lines",
        "--test-coverage-include",
        "--test-coverage-exclude",
        "--test-force-exit",
        "--test-only",
        "--test-shard",
        "--test-timeout",
        "--test-udp-no-try-send",
        "--test-update-snapshots",
        "--test-randomize",
        "--test-random-seed",
        "--test-rerun-failures",
        "--throw-deprecation",
        "--tls-cipher-list",
        "--tls-max-v1.2",
        "--tls-max-v1.3",
        "--tls-min-v1.0",
        "--tls-min-v1.1",
        "--tls-min-v1.2",
        "--tls-min-v1.3",
        "--trace-deprecation",
        "--trace-exit",
        "--trace-sigint",
        "--trace-sync-io",
        "--trace-uncaught",
        "--trace-warnings",
        "--trace-events-enabled",
        "--trace-tls",
        "--trace-require-module",
        "--trace-env",
        "--trace-promises",
        "--trace-gc",
        "--trace_gc",
        "--trace-opt",
        "--trace-deopt",
        "--track-heap-objects",
        "--unhandled-rejections",
        "--use-bundled-ca",
        "--use-largepages",
        "--use-openssl-ca",
        "--use-system-ca",
        "--use-env-proxy",
        "--v8-options",
        "--v8-pool-size",
        "--verify-base-objects",
        "--wasm-stack-limit",
        "--watch",
        "--watch-preserve-output",
        "--zero-fill-buffers",
        "--print",
        "--check",
        "--interactive",
        "--help",
        "--version",
        "--node-memory-debug",
        "--no-opt",
        "--build-snapshot",
        "--no-experimental-fetch",
        "--logfile",
        "--no-logfile-per-isolate",
        "--logfile-per-isolate",
        "--trace-turbo-filter",
        "--max-lazy",
        "--single-threaded",
        "--predictable",
        "--random-seed",
        "--use-strict",
        "--lazy",
    ],
    long_values: &[
        "--eval", "--require", "--import", "--loader", "--experimental-loader", "--conditions",
        "--env-file", "--env-file-if-exists", "--run", "--test-name-pattern",
        "--test-skip-pattern", "--test-reporter", "--test-reporter-destination",
        "--test-global-setup", "--input-type", "--title", "--watch-path", "--watch-kill-signal",
        "--icu-data-dir", "--redirect-warnings", "--cpu-prof-dir", "--cpu-prof-name",
        "--cpu-prof-interval", "--heap-prof-dir", "--heap-prof-name", "--heap-prof-interval",
        "--diagnostic-dir", "--report-directory", "--report-dir", "--report-filename",
        "--trace-event-file-pattern", "--trace-event-categories", "--openssl-config",
        "--disable-warning", "--disable-proto", "--dns-result-order", "--inspect-port",
        "--debug-port", "--localstorage-file", "--snapshot-blob", "--build-snapshot-config",
        "--experimental-sea-config", "--experimental-config-file", "--experimental-policy",
        "--policy-integrity", "--tls-keylog",
    ],
    any_long: false,
};

/// Options that name a file or a folder, and what is done with it.
const PLACES: &[(&str, Access)] = &[
    ("--redirect-warnings", Access::Write),
    ("--cpu-prof-dir", Access::Write),
    ("--cpu-prof-name", Access::Write),
    ("--heap-prof-dir", Access::Write),
    ("--heap-prof-name", Access::Write),
    ("--diagnostic-dir", Access::Write),
    ("--report-directory", Access::Write),
    ("--report-dir", Access::Write),
    ("--report-filename", Access::Write),
    ("--logfile", Access::Write),
    ("--trace-event-file-pattern", Access::Write),
    ("--localstorage-file", Access::Write),
    ("--tls-keylog", Access::Write),
    ("--env-file", Access::Read),
    ("--env-file-if-exists", Access::Read),
    ("--watch-path", Access::List),
    ("--icu-data-dir", Access::Read),
    ("--openssl-config", Access::Execute),
    ("--experimental-config-file", Access::Execute),
    ("--experimental-policy", Access::Execute),
    ("--build-snapshot-config", Access::Execute),
    ("--experimental-sea-config", Access::Execute),
];

/// Reporters of tests that come with node.
const REPORTERS: &[&str] = &["spec", "tap", "dot", "junit", "lcov"];

/// Records what options make it write, read and load.
fn places(wrapper: &mut WrapperCall<'_, '_>, switches: &Switches) {
    for (option, access) in PLACES {
        let files: Vec<Argument> = switches.values(&[option]).cloned().collect();
        wrapper.reads(*access, &files);
    }
    let destinations: Vec<Argument> = switches
        .values(&["--test-reporter-destination"])
        .filter(|file| !matches!(file.value.as_known(), Some("stdout" | "stderr")))
        .cloned()
        .collect();
    wrapper.reads(Access::Write, &destinations);
    // A blob is written where it is built, and run elsewhere.
    let access = if switches.has("--build-snapshot") { Access::Write } else { Access::Execute };
    let blobs: Vec<Argument> = switches.values(&["--snapshot-blob"]).cloned().collect();
    wrapper.reads(access, &blobs);
}

/// Evaluates what `node` runs.
pub(super) fn node(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    let mut switches = switches::read(&parsed.operands, &NODE);
    wrapper.report_switches(&switches);
    if ["--help", "--version", "h", "v"].iter().any(|option| switches.has(option)) {
        return;
    }
    let mut codes: Vec<Argument> = switches.values(&["e", "--eval"]).cloned().collect();
    let prints = switches.has("p") || switches.has("--print");
    if let Some(code) = switches.values(&["--print"]).next() {
        codes.push(code.clone());
    } else if prints && codes.is_empty() && !switches.rest.is_empty() {
        codes.push(switches.rest.remove(0));
    }
    let loaded: Vec<Argument> = switches
        .values(&[
            "r", "--require", "--import", "--loader", "--experimental-loader",
            "--test-global-setup", "--test-reporter",
        ])
        .cloned()
        .collect();
    for module in loaded {
        match &module.value {
            Value::Known(name) if REPORTERS.contains(&name.as_str()) => {}
            Value::Known(name) if name.starts_with("file:") => {
                let path = Value::known(name.trim_start_matches("file:").trim_start_matches("//"));
                wrapper.code_of_file(Language::JavaScript, &path, &[]);
            }
            Value::Known(name) if !name.starts_with(['.', '/']) && !name.starts_with("data:") => {
                let from = CodeFrom::Project(format!("the module {name}"));
                wrapper.effect(Effect::Code { from });
            }
            Value::Known(name) if name.starts_with("data:") => {
                wrapper.dynamic("node loads code that stands in an address".into());
            }
            path => wrapper.code_of_file(Language::JavaScript, &path.clone(), &[]),
        }
    }
    places(wrapper, &switches);
    if switches.options.iter().any(|(name, _)| name.starts_with("--inspect")) {
        wrapper.effect(Effect::Listen { port: Some(9229) });
    }
    if !codes.is_empty() {
        let code = wrapper.joined_code(&codes);
        let code = if prints { Value::known("console.log(").then(code) } else { code };
        wrapper.code(Language::JavaScript, &code, &switches.rest);
    } else if switches.has("--test") || switches.has("--run") {
        wrapper.effect(Effect::Code { from: CodeFrom::Project("node --test".into()) });
        if switches.has("--test") {
            wrapper.reads(Access::Execute, &switches.rest);
        }
    } else if switches.has("c") || switches.has("--check") {
        wrapper.reads(Access::Read, &switches.rest);
    } else if let Some(".") = switches.rest.first().and_then(|file| file.value.as_known()) {
        wrapper.code_of_file(Language::JavaScript, &Value::known("./index.js"), &[]);
    } else {
        wrapper.operands(Language::JavaScript, &switches.rest);
    }
    wrapper.done();
}
