//! What tables cannot say of `git`: settings, addresses, and when work is lost.

use crate::effect::{Access, CodeFrom, Effect, Payload, Persistence};
use crate::invocation::Argument;
use crate::model::{Parsed, Report};
use crate::models::address::host_and_port;
use crate::place;
use crate::value::{Origin, Value};

use super::names::Setting;

/// A setting of `-c name=value`.
fn setting(report: &mut Report<'_>, word: &Argument) {
    let text = word.value.prefix();
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, word.value.as_known().map(|_| value)),
        None => (text, word.value.as_known().map(|_| "true")),
    };
    match Setting::of(name, value) {
        Setting::Harmless => {}
        Setting::Unknown => report.not_understood(format!("its setting `{name}` is not known")),
        Setting::Runs => {
            let from = CodeFrom::Setting(name.to_owned());
            report.at(Effect::Code { from }, word.span.clone());
        }
    }
}

/// The settings of the call itself, and where the repository is.
pub(super) fn settings(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    // Those of a command may be called `-c` as well, and mean another thing.
    let words = &parsed.invocation.arguments;
    let name = parsed.subcommands.first();
    let last = words.iter().rposition(|word| word.value.as_known() == name.copied());
    for two in words[..last.unwrap_or(words.len())].windows(2) {
        if two[0].value.as_known() == Some("-c") {
            setting(report, &two[1]);
        }
    }
    for word in parsed.values("--config-env") {
        // Behind `=` stands the name of a variable, not the value.
        let name = word.value.prefix().split('=').next().unwrap_or_default();
        let end = Value::known(format!("{name}=")).then(Value::Unknown(Origin::Other));
        setting(report, &Argument { value: end, ..word.clone() });
    }
    for word in parsed.values("--git-dir") {
        report.tree(Access::Read, word, true, false);
        let ours = word.value.as_known().is_some_and(|path| {
            !path.starts_with(['/', '~']) && !path.contains("..") && path.ends_with(".git")
        });
        if !ours {
            let from = CodeFrom::Setting("the settings of another repository".to_owned());
            report.at(Effect::Code { from }, word.span.clone());
        }
    }
    for word in parsed.values("--work-tree") {
        report.tree(Access::Write, word, true, false);
    }
    elsewhere(report, parsed);
}

/// Settings of a repository that is not in the workspace are somebody's: they may name programs. A
/// folder with `--bare` is taken for a repository, whatever stands in it.
fn elsewhere(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let makes = ["init", "clone", "version", "help"];
    if parsed.subcommands.first().is_none_or(|name| makes.contains(name)) {
        return;
    }
    let folders = report.cwd.possible().unwrap_or_default();
    if folders.iter().any(|folder| !is_inside(report, folder)) {
        report.not_understood("a repository outside the workspace has settings of its own");
    }
    if parsed.has("--bare") {
        report.not_understood("with `--bare` any folder is taken for a repository");
    }
}

/// True for a path in the workspace.
fn is_inside(report: &Report<'_>, path: &str) -> bool {
    report.env.workspace.iter().any(|root| place::is_within(path, root))
}

/// `diff` of two files, one of which is outside of the repository, needs no repository.
pub(super) fn compared(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let is_outside = |word: &&Argument| {
        let text = word.value.prefix();
        let path = place::resolve(&word.value, &report.cwd, report.env);
        let leads_out = text.starts_with(['/', '~']) || text.split('/').any(|part| part == "..");
        let inside =
            path.possible().is_some_and(|all| all.iter().all(|one| is_inside(report, one)));
        leads_out && !inside
    };
    if parsed.has("--no-index") || parsed.operands.iter().any(|word| is_outside(&word)) {
        for word in &parsed.operands {
            report.tree(Access::Read, word, true, false);
        }
    }
}

/// A merge strategy that is not one of Git's own is a program.
pub(super) fn strategy(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    /// Merge strategies that are part of `git`.
    const OWN: &[&str] = &["ort", "recursive", "resolve", "octopus", "ours", "subtree"];
    let named = parsed.values("-s").chain(parsed.values("--strategy"));
    for word in named {
        if !word.value.as_known().is_some_and(|name| OWN.contains(&name)) {
            report.not_understood("its strategy is a program that is not known");
        }
    }
}

/// `checkout-index --prefix=x`: the names of all files are put behind this text.
pub(super) fn prefixed(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for word in parsed.values("--prefix") {
        let path = word.value.clone().then(Value::Unknown(Origin::Picked));
        let effect = report.file_effect(Access::Write, &path, true, false);
        report.at(effect, word.span.clone());
    }
}

/// `hash-object --stdin-paths` reads the files that standard input names.
pub(super) fn hashed(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if parsed.has("--stdin-paths") {
        report.reads_listed(None);
    }
}

/// `mv a b`, `worktree move a b`
pub(super) fn last_written(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if let Some(word) = parsed.operands.last() {
        report.tree(Access::Write, word, true, false);
    }
}

/// `archive --remote=address`, `clone --bundle-uri=address`
pub(super) fn named_address(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for word in parsed.values("--remote").chain(parsed.values("--bundle-uri")) {
        address(report, word, false);
    }
}

/// The end of the names of patches: it may lead elsewhere.
pub(super) fn suffix(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if parsed.values("--suffix").any(|word| word.value.prefix().contains('/')) {
        report.not_understood("the names of the patches lead elsewhere");
    }
}

/// What connecting to an address does: a host, a path, or a command.
fn address(report: &mut Report<'_>, word: &Argument, sends: bool) {
    let text = word.value.prefix();
    let lower = text.to_ascii_lowercase();
    let runs = text.contains("::") && !lower.starts_with("http")
        || lower.contains("://-")
        || text.starts_with("-");
    if runs {
        let from = CodeFrom::Setting("a remote helper".to_owned());
        report.at(Effect::Code { from }, word.span.clone());
        return;
    }
    let host = host(text);
    if host.is_none() && is_path(text) {
        report.tree(if sends { Access::Write } else { Access::Read }, word, true, false);
        return;
    }
    let host = host.map_or(Value::Unknown(Origin::Other), Value::known);
    let sends = if sends { Payload::File(Value::known(".")) } else { Payload::None };
    let port = if text.contains("://") { host_and_port(&word.value).1 } else { None };
    report.at(Effect::Network { host, port, fetches: true, sends }, word.span.clone());
}

/// True for a remote that is a folder of this machine.
fn is_path(text: &str) -> bool {
    text.starts_with(['/', '.', '~']) || text.starts_with("file:")
}

/// The host of `scheme://user@host:port/path` or `user@host:path`.
fn host(text: &str) -> Option<String> {
    let rest = match text.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.split(['/', '?']).next()?,
        None if text.contains('/') && !text.split('/').next()?.contains(':') => return None,
        None => text.split_once(':').map(|(host, _)| host)?,
    };
    let host = rest.rsplit('@').next()?;
    let host = host.split(':').next()?;
    Some(host.to_owned()).filter(|host| !host.is_empty())
}

/// `fetch`, `pull`, `ls-remote`, `submodule add`: the first operand is an address or a name.
pub(super) fn remote(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    match parsed.operands.first() {
        Some(word) => address(report, word, false),
        None => report.add(Effect::Network {
            host: Value::Unknown(Origin::Other),
            port: None,
            fetches: true,
            sends: Payload::None,
        }),
    }
}

/// `remote add`, `submodule set-url`: an address is kept, and nothing is fetched.
pub(super) fn url(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for word in &parsed.operands {
        let text = word.value.prefix();
        if text.contains("::") || text.contains("://-") {
            let from = CodeFrom::Setting("a remote helper".to_owned());
            report.at(Effect::Code { from }, word.span.clone());
        }
    }
}

/// The effects of `git clone`.
pub(super) fn clone(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for word in parsed.values("-c") {
        setting(report, word);
    }
    let Some(from) = parsed.operands.first() else { return };
    address(report, from, false);
    fills(report, from, parsed.operands.get(1));
}

/// The folder that a clone fills: the one that is named, or that of the address.
pub(in super::super) fn fills(report: &mut Report<'_>, from: &Argument, named: Option<&Argument>) {
    let folder = named.map_or_else(|| folder_of(&from.value), |folder| folder.value.clone());
    let effect = report.file_effect(Access::Write, &folder, true, false);
    report.add(effect);
}

/// `submodule add address folder`
pub(super) fn added(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if let Some(from) = parsed.operands.first() {
        fills(report, from, parsed.operands.get(1));
    }
}

/// `subtree add --prefix=folder address`
pub(super) fn taken_in(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if let Some(folder) = parsed.value("-P") {
        report.tree(Access::Write, folder, true, false);
    }
}

/// `pull address`: not from where this work comes.
pub(super) fn pulled(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let text = parsed.operands.first().map_or("", |word| word.value.prefix());
    if host(text).is_some() || is_path(text) {
        report.not_understood("it takes in the work of another repository");
    }
}

/// The folder that a clone makes, if none is named: it is one below the folder where it runs.
fn folder_of(address: &Value) -> Value {
    let folder = address.map(|text| {
        let name = text.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or("repository");
        name.strip_suffix(".git").unwrap_or(name).to_owned()
    });
    match folder {
        Value::Unknown(_) => Value::Prefix("./".into(), Origin::Picked),
        other => other,
    }
}

/// The effects of `git push`.
pub(super) fn push(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if parsed.has("-n") {
        return;
    }
    let specs = parsed.operands.get(1..).unwrap_or_default();
    let begins = |start: char| specs.iter().any(|word| word.value.prefix().starts_with(start));
    let forced = ["-f", "--mirror"].iter().any(|option| parsed.has(option)) || begins('+');
    let deletes =
        ["-d", "--prune", "--mirror"].iter().any(|option| parsed.has(option)) || begins(':');
    report.add(Effect::VersionControlRemote { forced, deletes });
    let target = parsed.operands.first().or_else(|| parsed.value("--repo"));
    let text = target.map_or("", |word| word.value.prefix());
    if let Some(word) = target
        && (text.contains(':') || is_path(text))
    {
        address(report, word, true);
    }
}

/// The words behind `--`.
fn behind_dashes<'p>(parsed: &Parsed<'p>) -> &'p [Argument] {
    let words = &parsed.invocation.arguments;
    match words.iter().position(|word| word.value.as_known() == Some("--")) {
        Some(at) => &words[at + 1..],
        None => &[],
    }
}

/// `checkout` of files throws away what is changed in them.
pub(super) fn checkout(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let dashes = parsed.invocation.arguments.iter().any(|word| word.value.as_known() == Some("--"));
    let makes = ["-b", "-B", "--orphan", "-t", "-d"].iter().any(|option| parsed.has(option));
    let looks_like_path = |word: &Argument| {
        let text = word.value.prefix();
        text == "."
            || text.starts_with(['.', '/', ':', '*'])
            || text.ends_with('/')
            || text.contains('*')
    };
    let files = if dashes {
        !behind_dashes(parsed).is_empty()
    } else {
        !makes
            && (parsed.operands.len() > 1 || parsed.operands.first().is_some_and(looks_like_path))
    };
    let merges = parsed.has("--ours") || parsed.has("--theirs");
    let loses = files && !merges
        || ["-f", "-B", "-p", "--pathspec-from-file"].iter().any(|option| parsed.has(option));
    if loses {
        report.add(Effect::VersionControlLoss);
    } else if !makes && parsed.operands.first().is_some_and(|word| has_extension(&word.value)) {
        report.may(Effect::VersionControlLoss);
    }
}

/// True for `a.rs`, which may be a file or, rarely, a branch.
fn has_extension(value: &Value) -> bool {
    let Some((_, end)) = value.as_known().and_then(|text| text.rsplit_once('.')) else {
        return false;
    };
    (1..=4).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// The effects of `git restore`.
pub(super) fn restore(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if !parsed.has("-S") || parsed.has("-W") {
        report.add(Effect::VersionControlLoss);
    }
}

/// `gc`: objects that nothing refers to are lost if they are pruned at once.
pub(super) fn collection(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let since = parsed.value("--prune").and_then(|word| word.value.as_known());
    if parsed.value("--prune").is_some() && since != Some("2.weeks.ago") {
        report.add(Effect::VersionControlLoss);
    }
}

/// `maintenance start`: it makes something run later.
pub(super) fn scheduled(report: &mut Report<'_>, _: &Parsed<'_>) {
    report.add(Effect::Persistence(Persistence::Schedule));
}

/// `worktree add path`, `bundle create file`
pub(super) fn first_written(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if let Some(word) = parsed.operands.first() {
        report.tree(Access::Write, word, true, false);
    }
}

/// The effects of `git config`.
pub(super) fn config(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let has = |options: &[&str]| options.iter().any(|option| parsed.has(option));
    let verb = parsed.subcommands.get(1).copied().unwrap_or_default();
    let words = &parsed.operands;
    let reads = has(&[
        "-l", "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color",
        "--get-colorbool",
    ]);
    let removes = has(&["--unset", "--unset-all", "--remove-section"]);
    let changes = removes || has(&["--add", "--replace-all", "--rename-section", "-e"]);
    let file = parsed.value("-f");
    let looks = match verb {
        "list" | "get" => true,
        "" => reads || !changes && words.len() < 2,
        _ => false,
    };
    if looks {
        if let Some(file) = file {
            report.file(Access::Read, file);
        }
        return;
    }
    let known = |at: usize| words.get(at).and_then(|word: &Argument| word.value.as_known());
    let kind = match verb {
        "edit" | "rename-section" => Setting::Runs,
        "unset" | "remove-section" => Setting::Harmless,
        "" if has(&["-e", "--rename-section"]) => Setting::Runs,
        "" if removes => Setting::Harmless,
        _ => known(0).map_or(Setting::Runs, |name| Setting::of(name, known(1))),
    };
    written(report, parsed, file, kind != Setting::Runs);
    match kind {
        Setting::Harmless => {}
        Setting::Unknown => report.not_understood("the setting is not known"),
        Setting::Runs => report.add(Effect::Persistence(Persistence::Hook)),
    }
}

/// The file that settings are written to. What a harmless one changes is not what others run, so it is
/// reported as a file beside it.
fn written(report: &mut Report<'_>, parsed: &Parsed<'_>, file: Option<&Argument>, harmless: bool) {
    let home = |name: &str| Value::known(format!("{}/{name}", report.env.home));
    let below = |folder: String| Value::Prefix(folder, Origin::Picked);
    let path = match file {
        Some(file) => file.value.clone(),
        None if parsed.has("--system") => Value::known("/etc/gitconfig"),
        None if parsed.has("--global") && harmless => below(format!("{}/", report.env.home)),
        None if parsed.has("--global") => home(".gitconfig"),
        None if harmless => below("./".to_owned()),
        None => Value::known(".git/config"),
    };
    let recursive = matches!(path, Value::Prefix(..));
    let effect = report.file_effect(Access::Write, &path, recursive, false);
    report.add(effect);
}
