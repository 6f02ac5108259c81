//! The settings of the repository that git would work in: those that make it run a program, or send a
//! credential through another host.

use std::cell::Cell;
use std::fs;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use super::arguments::{Arguments, Style};
use crate::exec::sandbox::{Mounted, WORKSPACE};

/// Harmful settings that cannot be overridden by settings in the environment.
static HARMFUL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^(alias\.|man\.|web\.|browser\.|help\.|hook\.|core\.(sshcommand|gitproxy|alternaterefscommand)=|filter\..*\.(clean|smudge|process)=|diff\.(external|.*\.(command|textconv))=|merge\..*\.driver=|remote\..*\.(vcs|uploadpack|receivepack|proxy)=|submodule\..*\.update=!|credential\.(.*\.)?helper=.|include(if)?\.|http\.(.*\.)?(proxy|ssl\w*|cookiefile|curloptresolve|extraheader|followredirects|delegation|pinnedpubkey)=|gpg\.|interactive\.difffilter=|trailer\..*\.(command|cmd)=|tar\..*\.command=|(difftool|mergetool)\..*\.(cmd|path)=|gc\.recentobjectshook=)",
    )
    .ok()
});

/// The most files of settings that are read for one call.
const MOST_FILES: usize = 200;

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// The files that git would see: those of this machine, or those of a container.
pub(super) struct RepositoryView<'m> {
    mounted: Option<&'m Mounted>,
    /// A link of a container's workspace led out of it, where it cannot be known what git would find.
    led_away: Cell<bool>,
}

impl<'m> RepositoryView<'m> {
    /// `mounted`: how a container sees the workspace. None: git runs on the host.
    pub(super) fn new(mounted: Option<&'m Mounted>) -> RepositoryView<'m> {
        RepositoryView { mounted, led_away: Cell::new(false) }
    }

    /// Where a file is on this machine. None: it is of an image, where no agent writes.
    fn real(&self, path: &Path) -> Option<PathBuf> {
        let Some(mounted) = self.mounted else { return Some(path.to_owned()) };
        let real = mounted.on_host(mounted.without_links(path).to_str()?);
        if real.is_none() && path.starts_with(WORKSPACE) && mounted.real.is_some() {
            self.led_away.set(true);
        }
        real
    }

    /// The text of a regular file that is not too large. Pipes and devices are never opened for reading.
    fn text(&self, path: &Path) -> io::Result<String> {
        let real = self.real(path).ok_or(io::ErrorKind::NotFound)?;
        let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let file = fs::OpenOptions::new().read(true).custom_flags(flags).open(real);
        // A path below a file does not exist either.
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::NotADirectory => io::ErrorKind::NotFound.into(),
            _ => error,
        })?;
        let mut bytes = Vec::new();
        if !file.metadata()?.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.real(path).is_some_and(|path| path.is_dir())
    }

    /// True if something stands there, were it a link that leads nowhere.
    fn stands(&self, path: &Path) -> bool {
        let folder = path.parent().and_then(|folder| self.real(folder));
        let name = path.file_name();
        folder.zip(name).is_some_and(|(folder, name)| folder.join(name).symlink_metadata().is_ok())
    }

    fn exists(&self, path: &Path) -> bool {
        self.real(path).is_some_and(|path| path.exists())
    }
}

/// The setting that would do harm, with its file; none if there is none. `words` are those of the call.
pub(super) fn harmful(
    words: &[String],
    cwd: &Path,
    style: Style<'_>,
    view: &RepositoryView<'_>,
) -> Option<String> {
    let read = Arguments::read(words, style);
    let given = |name: &'static str| {
        let first = read.options.iter().filter(|option| option.behind == 0);
        first.filter(move |option| option.name == name).filter_map(|option| option.value)
    };
    let at = given("-C").fold(cwd.to_owned(), |at, folder| at.join(folder));
    // Git starts from the folder that all of these options lead to.
    let mut folders: Vec<PathBuf> =
        given("--git-dir").flat_map(|folder| of_git_folder(&at.join(folder), view)).collect();
    folders.extend(of_work_tree(&at, view));
    // A repository that a word names, to fetch from it or to work in it.
    let named =
        read.operands.iter().map(|word| at.join(word.text)).filter(|path| view.is_dir(path));
    folders.extend(named.flat_map(|path| of_work_tree(&path, view)));
    let mut files = Vec::new();
    folders.iter().for_each(|folder| settings_of(folder, view, &mut files));
    if files.len() >= MOST_FILES {
        return Some(format!("more than {MOST_FILES} files of settings"));
    }
    if view.led_away.get() {
        return Some("settings behind a link out of the workspace".to_owned());
    }
    if folders.iter().any(|folder| is_harmful_work(folder, view)) {
        return Some("a rebase or the like that is under way and runs programs".to_owned());
    }
    files.iter().find_map(|file| {
        let shown = file.display();
        let Ok(text) = view.text(file) else {
            return Some(format!("`{shown}`, which cannot be read"));
        };
        let found = first_harmful(&text, file)?;
        Some(format!("`{found}` in `{shown}`"))
    })
}

/// The folders of a repository whose own is named: also by a file that names another, and where it
/// shares that of another.
fn of_git_folder(git: &Path, view: &RepositoryView<'_>) -> Vec<PathBuf> {
    let named = named_in(git, "gitdir:", view);
    let named = named.and_then(|named| git.parent().map(|folder| folder.join(named)));
    let mut found: Vec<PathBuf> = named.into_iter().chain([git.to_owned()]).collect();
    let shared: Vec<PathBuf> = found.iter().filter_map(|own| shared_by(own, view)).collect();
    found.extend(shared);
    found
}

/// The folder that a repository's own shares with another one.
fn shared_by(own: &Path, view: &RepositoryView<'_>) -> Option<PathBuf> {
    Some(own.join(named_in(&own.join("commondir"), "", view)?))
}

/// The folders of the repositories that Git may find for a folder: the first that it would take for one,
/// and what it might take for one before that.
fn of_work_tree(folder: &Path, view: &RepositoryView<'_>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in folder.ancestors() {
        let git = folder.join(".git");
        let named = named_in(&git, "gitdir:", view).map(|named| folder.join(named));
        let shares = view.exists(&folder.join("commondir"));
        let is_bare =
            view.stands(&folder.join("HEAD")) && (shares || view.is_dir(&folder.join("objects")));
        let bare = is_bare.then(|| folder.to_owned());
        for own in named.into_iter().chain([git]).filter(|own| view.is_dir(own)).chain(bare) {
            let common = shared_by(&own, view);
            let is_whole = view.stands(&own.join("HEAD"))
                && (common.is_some() || view.is_dir(&own.join("objects")));
            found.push(own);
            found.extend(common);
            if is_whole {
                return found;
            }
        }
    }
    found
}

/// True if what is under way in a repository would run a program when it goes on: by its plan, or by a
/// strategy with a path, which is a program. What cannot be read may be anything.
fn is_harmful_work(folder: &Path, view: &RepositoryView<'_>) -> bool {
    let has = |name: &str, is_harmful: fn(&str) -> bool| match view.text(&folder.join(name)) {
        Ok(text) => text.lines().any(is_harmful),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    };
    let runs = |line: &str| matches!(line.split_whitespace().next(), Some("exec" | "x"));
    let is_path = |line: &str| !line.contains("://") && line.contains('/');
    has("rebase-merge/git-rebase-todo", runs)
        || has("rebase-merge/strategy", is_path)
        || has("sequencer/opts", is_path)
}

/// The path that a file names behind a word.
fn named_in(file: &Path, word: &str, view: &RepositoryView<'_>) -> Option<PathBuf> {
    let text = view.text(file).ok()?;
    Some(PathBuf::from(text.strip_prefix(word)?.trim()))
}

fn settings_of(folder: &Path, view: &RepositoryView<'_>, files: &mut Vec<PathBuf>) {
    let own = ["config", "config.worktree"].map(|name| folder.join(name));
    files.extend(own.into_iter().filter(|file| view.exists(file)));
    modules_of(&folder.join("modules"), view, files);
}

/// The settings of the repositories of submodules, whose names may have several parts.
fn modules_of(folder: &Path, view: &RepositoryView<'_>, files: &mut Vec<PathBuf>) {
    let Some(Ok(entries)) = view.real(folder).map(fs::read_dir) else { return };
    let below = entries.flatten().map(|entry| folder.join(entry.file_name()));
    for path in below.filter(|path| view.is_dir(path)) {
        if files.len() >= MOST_FILES {
            return;
        }
        if view.exists(&path.join("HEAD")) {
            settings_of(&path, view, files)
        } else {
            modules_of(&path, view, files)
        }
    }
}

/// The name of the first setting of a file that would do harm.
fn first_harmful(text: &str, file: &Path) -> Option<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // A value goes on behind a backslash at the end of its line, and a comment does not.
    let joined = text.replace("\\\r\n", "").replace("\\\n", "");
    of_lines(&joined, file).or_else(|| of_lines(text, file))
}

fn of_lines(text: &str, file: &Path) -> Option<String> {
    let mut section = String::new();
    for line in text.lines() {
        let mut line = line.trim();
        while let Some(header) = line.strip_prefix('[') {
            // Git does not read a header without an end either.
            let Some((header, rest)) = header_of(header) else { return Some("[".to_owned()) };
            let (name, below) = header.split_once(char::is_whitespace).unwrap_or((header, ""));
            let below = below.trim().trim_matches('"');
            section = if below.is_empty() { name.into() } else { format!("{name}.{below}") };
            line = rest.trim();
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (name, value) = line.split_once('=').unwrap_or((line, "true"));
        let name = format!("{section}.{}", name.trim());
        // Quotes may stand anywhere in a value.
        let setting = format!("{name}={}", value.replace('"', "").trim());
        let worktree =
            name.eq_ignore_ascii_case("core.worktree").then(|| &setting[name.len() + 1..]);
        if HARMFUL.as_ref().is_none_or(|pattern| pattern.is_match(&setting))
            || worktree.is_some_and(|folder| leads_out(folder, file))
        {
            return Some(name);
        }
    }
    None
}

/// True if what a file of settings calls the working folder is none of the repository's: its files
/// would be taken for the repository's own.
fn leads_out(folder: &str, file: &Path) -> bool {
    let Some(own) = file.parent() else { return true };
    let within = own.ancestors().find(|above| above.ends_with(".git")).and_then(Path::parent);
    let mut at = own.to_owned();
    for part in Path::new(folder).components() {
        match part {
            Component::ParentDir => drop(at.pop()),
            Component::Normal(name) => at.push(name),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    folder.contains('\\') || !within.is_some_and(|within| at.starts_with(within))
}

/// A header up to its end, which is not in quotes, and what stands behind it.
fn header_of(text: &str) -> Option<(&str, &str)> {
    let (mut quoted, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = quoted,
            '"' => quoted = !quoted,
            ']' if !quoted => return Some((&text[..at], &text[at + 1..])),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_run_programs_are_found() {
        for (text, found) in [
            ("[core]\n\tbare = false\n[remote \"o\"]\n url = https://x\n fetch = +a:b\n", None),
            ("[alias]\n st = status\n", Some("alias.st")),
            ("# c \\\n[alias]\n e = \\\n !./ev\n", Some("alias.e")),
            ("[man \"man\"]\n path = /x\n", Some("man.man.path")),
            ("[help]\n autocorrect = immediate\n", Some("help.autocorrect")),
            ("[user]\nname = a # [alias]\n", None),
            ("[credential]\n helper =\n", None),
            ("[alias]\n st = !sh -c x\n", Some("alias.st")),
            ("[alias] st = \"!sh\"\n", Some("alias.st")),
            ("[CORE]\n sshCommand=x\n", Some("CORE.sshCommand")),
            ("# a \\\n[alias]\n x = !env\n", Some("alias.x")),
            ("[alias] x = \"!env #]\"\n", Some("alias.x")),
            ("[alias] # ]\n x = !env\n", Some("alias.x")),
            ("[a] [alias] x = !env\n", Some("alias.x")),
            ("[alias]\n x = \"\" !env\n", Some("alias.x")),
            ("\u{feff}[alias]\n x = !env\n", Some("alias.x")),
            ("[tar \"x\"]\n command = env\n", Some("tar.x.command")),
            ("[difftool \"t\"]\n cmd = env\n", Some("difftool.t.cmd")),
            ("[alias \"a]b\"]\n c = !env\n", Some("alias.a]b.c")),
            ("[remote \"o]\n url = x\n", Some("[")),
            ("[core]\n ssh\\\nCommand = x\n", Some("core.sshCommand")),
            ("[filter \"x\"]\n clean = y\n", Some("filter.x.clean")),
            ("[remote \"o\"]\n receivepack = x\n", Some("remote.o.receivepack")),
            ("[http \"https://x\"]\n proxy = y\n", Some("http.https://x.proxy")),
            ("[http]\n sslVerify = false\n", Some("http.sslVerify")),
            ("[include]\n path = x\n", Some("include.path")),
            ("[core]\n worktree = ../../../a\n", None),
            ("[core]\n workTree = ../../../../tmp\n", Some("core.workTree")),
            ("[core]\n worktree = /tmp\n", Some("core.worktree")),
            ("[submodule \"a\"]\n update = !x\n", Some("submodule.a.update")),
        ] {
            let file = Path::new("/w/.git/modules/a/config");
            assert_eq!(first_harmful(text, file).as_deref(), found, "{text}");
        }
    }

    #[test]
    fn the_repository_is_found_from_below_and_by_options() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a/.git/modules/m/n", "a/b", "c"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        fs::write(at("a/.git/HEAD"), "x").unwrap();
        fs::create_dir(at("a/.git/objects")).unwrap();
        fs::write(at("a/.git/modules/m/n/HEAD"), "x").unwrap();
        fs::write(at("a/.git/modules/m/n/config"), "[alias]\nx = !y\n").unwrap();
        let style = Style { values: &["-C"], single_dash: false };
        let found = |line: &[&str], cwd: &str| {
            let words: Vec<String> = line.iter().map(ToString::to_string).collect();
            harmful(&words, &at(cwd), style, &RepositoryView::new(None)).is_some()
        };
        assert!(found(&["fetch"], "a/b"));
        assert!(found(&["-C", "../a", "fetch"], "c"));
        assert!(found(&["--git-dir=../a/.git", "fetch"], "c"));
        assert!(!found(&["fetch"], "c"));
        // A folder that Git takes for a repository, beside one that it does not.
        for name in ["d/.git", "d/objects", "e/.git", "e/sub/evil/objects"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        let harm = "[alias]\nx = !y\n";
        for folder in ["d", "e/evil", "e/sub/evil"] {
            fs::create_dir_all(at(folder)).unwrap();
            fs::write(at(folder).join("HEAD"), "x").unwrap();
            fs::write(at(folder).join("config"), harm).unwrap();
        }
        assert!(found(&["x"], "d"));
        fs::write(at("e/.git/HEAD"), "x").unwrap();
        fs::write(at("e/.git/commondir"), "../evil").unwrap();
        assert!(found(&["x"], "e"));
        assert!(found(&["--git-dir=evil", "-C", "sub", "x"], "e"));
        // Bare ones whose `HEAD` leads nowhere, or that have the objects of another.
        for name in ["g/objects", "g/refs", "h", "i"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        std::os::unix::fs::symlink("refs/heads/none", at("g/HEAD")).unwrap();
        fs::write(at("g/config"), harm).unwrap();
        fs::write(at("h/HEAD"), "ref: refs/heads/x").unwrap();
        fs::write(at("h/commondir"), "../d").unwrap();
        fs::write(at("i/file"), "gitdir: ../g").unwrap();
        assert!(found(&["-C", "g", "z"], "."));
        assert!(found(&["-C", "h", "z"], "."));
        assert!(found(&["--git-dir=i/file", "z"], "."));
    }

    #[test]
    fn work_under_way_that_runs_programs_is_found_and_no_pipe_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let style = Style { values: &[], single_dash: false };
        let found = |line: &[&str], cwd: &str| {
            let words: Vec<String> = line.iter().map(ToString::to_string).collect();
            harmful(&words, &at(cwd), style, &RepositoryView::new(None)).is_some()
        };
        fs::create_dir_all(at("f/.git/rebase-merge")).unwrap();
        fs::write(at("f/.git/HEAD"), "x").unwrap();
        fs::create_dir(at("f/.git/objects")).unwrap();
        assert!(!found(&["rebase", "--continue"], "f"));
        let todo = at("f/.git/rebase-merge/git-rebase-todo");
        fs::write(&todo, "pick a b\nexec env\n").unwrap();
        assert!(found(&["rebase", "--continue"], "f"));
        fs::write(&todo, "pick a b\n").unwrap();
        assert!(!found(&["rebase", "--continue"], "f"));
        fs::write(at("f/.git/rebase-merge/strategy"), "x/evil\n").unwrap();
        assert!(found(&["rebase", "--continue"], "f"));
        fs::remove_file(at("f/.git/rebase-merge/strategy")).unwrap();
        // A pipe is not read, so that nothing waits for it.
        for name in ["f/.git/sequencer", "j/.git/objects"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        let pipe = |name: &str| rustix::fs::mkfifoat(rustix::fs::CWD, at(name), 0o600.into());
        pipe("f/.git/sequencer/opts").unwrap();
        assert!(found(&["cherry-pick", "--continue"], "f"));
        fs::write(at("j/.git/HEAD"), "x").unwrap();
        pipe("j/.git/config").unwrap();
        assert!(found(&["fetch"], "j"));
    }

    #[test]
    fn in_a_container_links_and_paths_are_those_of_the_container() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a/.git", "b/kept", "c", "d"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        fs::write(at("b/kept/config"), "[alias]\nx = !y\n").unwrap();
        std::os::unix::fs::symlink("/workspace/b/kept/config", at("a/.git/config")).unwrap();
        std::os::unix::fs::symlink("/workspace/b/kept", at("c/.git")).unwrap();
        fs::write(at("d/.git"), "gitdir: /workspace/b/kept\n").unwrap();
        let mounted = Mounted { real: Some(folder.path().to_owned()) };
        let style = Style { values: &["-C"], single_dash: false };
        let found = |cwd: &str, words: &[&str]| {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            harmful(&words, Path::new(cwd), style, &RepositoryView::new(Some(&mounted))).is_some()
        };
        for name in ["a", "c", "d"] {
            assert!(found(&format!("/workspace/{name}"), &["fetch"]), "{name}");
            assert!(found("/", &["-C", &format!("/workspace/{name}"), "fetch"]), "{name}");
        }
        assert!(!found("/workspace/b", &["fetch"]));
        fs::create_dir(at("e")).unwrap();
        std::os::unix::fs::symlink("/proc/self/cwd/b/kept", at("e/.git")).unwrap();
        assert!(found("/workspace/e", &["fetch"]));
    }
}
