//! What settings of `git` do, by their names and values.

/// What a setting does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    /// It runs nothing and changes nothing that is trusted.
    Harmless,
    /// Its name is not known.
    Unknown,
    /// It names a program, or what leads to one.
    Runs,
}

/// Settings that do no harm whatever their value is: names, and sections whose settings are all of this
/// kind, which end in `.`.
const HARMLESS: &str = " \
    user. author. committer. color. advice. column. status. log. \
    rebase.stat rebase.autosquash rebase.autostash rebase.updaterefs rebase.missingcommitscheck \
    rebase.abbreviatecommands rebase.forkpoint rebase.rebasemerges rebase.instructionformat rebase.backend \
    rebase.reschedulefailedexec \
    pull.rebase pull.ff push.default push.autosetupremote push.followtags \
    fetch.prune fetch.prunetags fetch.parallel fetch.all fetch.output fetch.recursesubmodules fetch.fsckobjects \
    fetch.writecommitgraph fetch.showforcedupdates fetch.unpacklimit fetch.negotiationalgorithm \
    branch.autosetupmerge branch.autosetuprebase branch.sort \
    commit.gpgsign commit.verbose commit.cleanup commit.status tag.gpgsign tag.sort init.defaultbranch \
    gc.auto gc.autodetach gc.autopacklimit gc.bigpackthreshold gc.writecommitgraph gc.packrefs gc.cruftpacks \
    gc.aggressivewindow gc.aggressivedepth \
    pack.window pack.depth pack.compression pack.threads pack.windowmemory pack.packsizelimit pack.usesparse \
    pack.deltacachesize pack.deltacachelimit pack.usebitmaps pack.writebitmaphashcache pack.indexversion \
    merge.conflictstyle merge.ff merge.renames merge.renamelimit merge.stat merge.log merge.autostash \
    diff.algorithm diff.renames diff.renamelimit diff.mnemonicprefix diff.noprefix diff.colormoved \
    diff.colormovedws diff.context diff.interhunkcontext diff.submodule diff.ignoresubmodules diff.indentheuristic \
    diff.wserrorhighlight diff.statgraphwidth diff.suppressblankempty \
    core.quotepath core.autocrlf core.eol core.safecrlf core.abbrev core.ignorecase core.longpaths \
    core.filemode core.compression core.bare core.symlinks core.preloadindex core.untrackedcache \
    core.commentchar core.whitespace core.precomposeunicode core.sparsecheckout core.sparsecheckoutcone \
    core.multipackindex core.commitgraph core.logallrefupdates core.repositoryformatversion core.checkstat \
    core.protecthfs core.protectntfs core.bigfilethreshold \
    http.postbuffer http.lowspeedlimit http.lowspeedtime http.version protocol.version \
    index.threads index.version index.skiphash index.sparse feature.experimental feature.manyfiles \
    format.pretty grep.linenumber grep.column grep.patterntype grep.extendedregexp grep.threads grep.fullname \
    grep.fallbacktonoindex blame.blankboundary blame.coloring blame.date blame.showemail blame.showroot \
    blame.markunblamablelines blame.markignoredlines i18n.commitencoding i18n.logoutputencoding \
    help.autocorrect rerere.enabled rerere.autoupdate submodule.recurse submodule.fetchjobs versionsort.suffix \
    worktree.guessremote worktree.userelativepaths transfer.fsckobjects receive.denycurrentbranch \
    checkout.defaultremote checkout.guess checkout.workers clone.defaultremotename \
    apply.whitespace apply.ignorewhitespace am.keepcr am.threeway am.messageid \
    stash.showincludeuntracked stash.showpatch stash.showstat notes.mergestrategy notes.displayref \
    notes.rewriteref notes.rewritemode gpg.format safe.directory maintenance.auto clean.requireforce \
    lfs.fetchinclude lfs.fetchexclude lfs.concurrenttransfers lfs.locksverify lfs.batch lfs.activitytimeout \
    lfs.dialtimeout lfs.tlstimeout lfs.allowincompletepush lfs.skipdownloaderrors lfs.setlockablereadonly \
    lfs.fetchrecentalways lfs.fetchrecentrefsdays lfs.transfer.maxretries credential.usehttppath \
    credential.username extensions.worktreeconfig extensions.objectformat extensions.refstorage \
    extensions.partialclone extensions.relativeworktrees ";

/// Sections and names whose values are run, or lead to what is.
const RUNS: &[&str] = &[
    "alias.", "pager.", "include.", "includeif.", "url.", "filter.", "difftool.", "mergetool.",
    "browser.", "man.", "guitool.", "uploadpack.", "tar.", "trailer.", "remote.", "credential.",
    "gpg.", "core.", "sequence.", "interactive.", "diff.", "merge.", "sendemail.", "protocol.",
    "http.", "lfs.customtransfer.", "lfs.extension.", "submodule.", "hook.", "web.", "instaweb.",
    "init.template", "ssh.", "receive.", "gc.recent", "fsmonitor.", "maintenance.", "imap.",
    "pull.twohead", "pull.octopus",
];

impl Setting {
    /// What a setting does; the value is none if it is not known.
    pub(super) fn of(name: &str, value: Option<&str>) -> Setting {
        let name = name.to_ascii_lowercase();
        let section = name.find('.').map(|at| &name[..=at]);
        let listed = |one: &str| !one.contains(' ') && HARMLESS.contains(&format!(" {one} "));
        let harmless = listed(&name)
            || section.is_some_and(listed)
            || is_off(&name, value)
            || is_of_branch(&name, value)
            || is_shown_by(&name, value)
            || name.starts_with("alias.") && value.is_some_and(is_command)
            || name.starts_with("lfs.") && name.ends_with(".locksverify")
            || name == "blame.ignorerevsfile" && value.is_some_and(is_plain_path);
        if harmless {
            return Setting::Harmless;
        }
        let runs = RUNS.iter().any(|start| name.starts_with(start))
            || ["hook", "cmd", "command", "program", "helper", "mergeoptions"]
                .iter()
                .any(|end| name.ends_with(end))
            || name.starts_with("branch.") && value.is_none_or(|value| value.contains(':'));
        if runs { Setting::Runs } else { Setting::Unknown }
    }
}

/// A value with which nothing is run. A folder of hooks may have any name.
fn is_off(name: &str, value: Option<&str>) -> bool {
    match name {
        "core.pager" | "core.editor" => {
            matches!(value, Some("" | "cat" | "less" | "true" | "false" | ":"))
        }
        "core.fsmonitor" => matches!(value, Some("" | "true" | "false")),
        "core.hookspath" => matches!(value, Some("" | "/dev/null")),
        "credential.helper" => value == Some(""),
        _ => {
            name.starts_with("pager.")
                && matches!(value, Some("" | "cat" | "less" | "true" | "false"))
        }
    }
}

/// `branch.x.merge`, and `branch.x.remote` with the plain name of a remote.
fn is_of_branch(name: &str, value: Option<&str>) -> bool {
    let Some((_, key)) = name.strip_prefix("branch.").and_then(|rest| rest.rsplit_once('.')) else {
        return false;
    };
    let is_plain = |value: &str| {
        !value.starts_with('-')
            && value.chars().all(|char| char.is_ascii_alphanumeric() || "-_.".contains(char))
    };
    match key {
        "merge" | "rebase" | "description" => true,
        "remote" | "pushremote" => value.is_some_and(is_plain),
        _ => false,
    }
}

/// Programs that show or edit a text, without a shell that would see more than their names.
fn is_shown_by(name: &str, value: Option<&str>) -> bool {
    let is_program = name.starts_with("pager.") || matches!(name, "core.pager" | "core.editor");
    let shows = |value: &str| {
        let mut words = value.split(' ');
        let programs = ["less", "more", "delta", "vi", "vim", "nvim", "nano", "emacs", "bat", "hx"];
        words.next().is_some_and(|program| programs.contains(&program))
            && words.all(|word| {
                let letters = word.strip_prefix('-').unwrap_or("+");
                !letters.is_empty() && letters.chars().all(|char| char.is_ascii_alphabetic())
            })
    };
    is_program && value.is_some_and(shows)
}

/// The name of a command of Git's own, with plain options.
fn is_command(value: &str) -> bool {
    let mut words = value.split(' ');
    let commands =
        ["add", "branch", "checkout", "commit", "diff", "log", "show", "stash", "status", "switch"];
    words.next().is_some_and(|command| commands.contains(&command))
        && words.all(|word| {
            word.chars().all(|char| char.is_ascii_alphanumeric() || "-=%".contains(char))
        })
}

/// True for a path within the repository.
fn is_plain_path(value: &str) -> bool {
    !value.starts_with(['/', '~', '-']) && !value.split('/').any(|part| part == "..")
}
