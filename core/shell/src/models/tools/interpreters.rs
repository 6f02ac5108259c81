//! Languages whose code is not searched. A file of the project is trusted, and code in the command
//! or on standard input is asked about.

use crate::effect::{Certainty, CodeFrom, Effect};
use crate::model::tool::Action::{Call, Executes, Here, Project, Runs, Touches};
use crate::model::tool::{Tool, opts, tools};
use crate::model::{Opt, Parsed, Report};
use crate::models::kinds::is_fed;
use crate::models::perform::perform;

/// What those of the Java machine share.
const MACHINE: &[Opt] = opts!(
    "-cp=<, -classpath=<, --classpath=<, --class-path=<, -D[=], -version, --version, -v, -h, -help, --help, -q, -s, -d, -nowarn, -encoding="
);

/// The tools of this file, each with its options, its commands and its examples.
pub(super) const TABLE: &[Tool] = tools! {
    SinglePosix "groovy kotlin scala amm jshell" [MACHINE] => Call(interprets); [
        "groovy x.groovy a": "code:project write:workspace:recursive",
        "groovy -e x": "unmodelled",
        "scala -e x": "code:project unmodelled write:workspace:recursive",
        "kotlin -e x": "code:project unmodelled write:workspace:recursive",
        "jshell x.jsh": "code:project write:workspace:recursive",
        "echo x | jshell": "code:stdin",
    ]
    SinglePosix "clojure clj" "-M[=], -X[=], -T[=], -A[=], -P, -Spath, -Stree, -Sdescribe, -Sforce, -Sverbose, --version, -version, --help, -h, -m="
        => Call(clojure); [
        "clojure -M:test": "code:project write:workspace:recursive",
        "clj -X:build jar": "code:project write:workspace:recursive",
        "clj -M -e x": "code:inline:clojure code:project unmodelled write:workspace:recursive",
        "clojure -e x": "unmodelled",
        "clojure -Sdeps x -M:y": "unmodelled",
    ]
    Posix "jbang" "--verbose, --quiet, -h --help, -V --version, -o --offline, --fresh, -D=" => Call(interprets); [
        "jbang x.java": "code:project write:workspace:recursive",
        "jbang -c x": "unmodelled",
        "jbang run x": "unmodelled",
        "jbang x@y/z": "unmodelled",
    ]
    Gnu "m4" "-D --define=, -U --undefine=, -I --include=<, -P --prefix-builtins, -E --fatal-warnings, -Q --quiet --silent, -s --synclines, -G --traditional, -g --gnu" => Call(interprets); [
        "m4 x.m4": "code:project write:workspace:recursive",
        "m4 <<< 'esyscmd(id)'": "code:stdin",
        "m4 -D x='a' y.m4": "code:project write:workspace:recursive",
    ]
    Posix "nu" "-h --help, -v --version, -n --no-config-file, --no-history, -l --login, -i --interactive" => Call(interprets); [
        "nu x.nu": "code:file code:project execute:workspace write:workspace:recursive",
        "nu -c x": "dynamic unmodelled",
    ]

    // It runs a compiler, or any other program, with what is said behind.
    Posix "libtool" "--mode=, --tag=, -s --silent --quiet, -v --verbose, --no-verbose, --debug, -n --dry-run, --features, --config, --finish, --version, --preserve-dup-deps, --no-warn"
        => Here, Runs(0); [
        "libtool --mode=compile gcc -c x.c": "write:workspace:recursive",
        "libtool --mode=execute rm x": "delete:workspace write:workspace:recursive",
    ]
};

/// A file that it runs, or what it reads.
fn interprets(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let Some(first) = parsed.operands.first() else {
        if is_fed(report) {
            report.add(Effect::Code { from: CodeFrom::Stdin });
        }
        return;
    };
    let text = first.value.prefix();
    if text == "-" {
        report.add(Effect::Code { from: CodeFrom::Stdin });
        return;
    }
    // A name alone is a command of it, or something that it fetches.
    let is_file = text.contains(['.', '/']) && !text.contains(['@', ':']);
    if !is_file && report.name() != "scala" && report.name() != "kotlin" {
        report.not_understood("what it runs by this name is not known");
        return;
    }
    perform(report, parsed, &[Project, Here, Executes, Touches], Certainty::Must);
}

/// Code behind `-M -e`.
fn clojure(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let evaluates =
        parsed.options.iter().filter_map(|(option, word)| Some((option, word.as_ref()?)));
    let has_code = evaluates.clone().any(|(_, word)| word.value.prefix().contains("eval"))
        || parsed
            .operands
            .iter()
            .any(|word| matches!(word.value.as_known(), Some("-e" | "--eval")))
        || parsed.unknown.iter().any(|word| word.value.prefix().starts_with("-e"))
            && parsed.has("-M");
    if has_code {
        report.add(Effect::Code { from: CodeFrom::Inline("clojure".to_owned()) });
    }
    let is_alone = parsed.options.is_empty() && parsed.operands.is_empty();
    if is_alone && is_fed(report) {
        report.add(Effect::Code { from: CodeFrom::Stdin });
    } else if parsed.unknown.is_empty() || parsed.has("-M") || parsed.has("-X") || parsed.has("-T")
    {
        perform(report, parsed, &[Project, Here, Executes], Certainty::Must);
    }
}
