//! Closes home folders, except for what a command's work needs.
//!
//! Programs keep logins in home folders, each under a name of its own, so a list of secrets would never
//! be complete. The list says instead what toolchains read there, and everything else in every home is
//! closed. An owner opens more with `files.read_roots`, and a person by approving a command that reads a
//! file there.
//!
//! A closed home is covered by an empty folder, the skeleton. It has only the places at which the open
//! parts are mounted again.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::environment::{TOOLCHAINS, Variables};
use super::places::{Temps, is_own};
use super::real::outermost;
use super::stat_cache::{Question, StatCache, There};

/// What toolchains read in the home of their user: measured with builds of `core/tests/behaviour/builds.rs`,
/// and from the documentation of each for where it keeps its programs, packages and settings. A name with a
/// login in it, such as `.cargo/credentials.toml`, stays covered all the same.
const OPEN: &[&str] = &[
    // Git, and what editors and terminals show.
    ".gitconfig",
    ".gitignore",
    ".gitignore_global",
    ".gitattributes",
    ".config/git/config",
    ".config/git/ignore",
    ".config/git/attributes",
    ".editorconfig",
    ".terminfo",
    ".fonts",
    ".local/share/fonts",
    ".config/fontconfig",
    // Rust.
    ".cargo",
    ".rustup",
    ".config/rustfmt",
    // Python.
    ".pyenv",
    ".local/bin",
    ".local/lib",
    ".local/share/uv",
    ".local/share/pipx",
    ".local/share/virtualenvs",
    ".local/share/hatch",
    ".local/share/pdm",
    ".local/pipx",
    ".virtualenvs",
    ".rye",
    ".pixi",
    ".conda/envs",
    ".conda/pkgs",
    "miniconda3",
    "anaconda3",
    "miniforge3",
    "mambaforge",
    "micromamba",
    ".cache/pip",
    ".cache/uv",
    ".cache/pypoetry",
    ".cache/pre-commit",
    ".config/matplotlib",
    // JavaScript.
    ".nvm",
    ".npm",
    ".npm-global",
    ".node-gyp",
    ".volta",
    ".bun",
    ".deno",
    ".fnm",
    ".local/share/fnm",
    ".local/share/pnpm",
    ".local/share/corepack",
    ".cache/node",
    ".cache/node-gyp",
    ".cache/pnpm",
    ".cache/yarn",
    ".cache/deno",
    ".cache/ms-playwright",
    ".cache/puppeteer",
    ".cache/Cypress",
    ".cache/electron",
    ".yarn",
    // Go.
    "go",
    "sdk",
    ".config/go",
    ".cache/go-build",
    ".gvm",
    // The JVM, without the settings that hold logins.
    ".m2/repository",
    ".m2/wrapper",
    ".gradle/caches",
    ".gradle/wrapper",
    ".gradle/jdks",
    ".gradle/native",
    ".sdkman",
    ".jdks",
    ".jenv",
    ".ivy2/cache",
    ".ivy2/local",
    ".sbt/boot",
    ".sbt/1.0",
    ".cache/coursier",
    ".local/share/coursier",
    ".konan",
    // Other languages.
    ".rbenv",
    ".rvm",
    ".gem/ruby",
    ".local/share/gem",
    ".composer/vendor",
    ".config/composer/vendor",
    ".cache/composer",
    ".phpenv",
    ".dotnet",
    ".nuget/packages",
    ".ghcup",
    ".cabal",
    ".stack",
    ".opam",
    ".elan",
    ".juliaup",
    ".julia",
    ".mix",
    ".hex/packages",
    ".kiex",
    ".pub-cache",
    ".zvm",
    ".cache/zig",
    ".swiftly",
    ".swiftpm",
    "R",
    "perl5",
    ".luarocks",
    // Several of them.
    ".asdf",
    ".local/share/mise",
    ".config/mise",
    ".local/state/mise",
    ".proto",
    ".nix-profile",
    ".local/state/nix",
    ".linuxbrew",
    ".cache/bazel",
    ".cache/bazelisk",
    ".cache/ccache",
    ".ccache",
    ".cache/sccache",
    ".emscripten_cache",
    "emsdk",
    "Android/Sdk",
];

/// Where the machine keeps homes, and programs that many use.
const ROOTS: &[&str] = &["/home", "/root"];
const SHARED_PROGRAMS: &[&str] = &["/home/linuxbrew/.linuxbrew"];

/// Folders of programs: what they need lies beside them.
const OF_PROGRAMS: &[&str] = &["bin", "sbin", "shims", "libexec", ".bin"];

/// Folders of a home that hold more than one thing.
const BROAD: &[&str] = &[".local", ".config", ".cache", "snap"];

/// Folders of the system: a user whose home is said to be there has none.
const OF_SYSTEM: &[&str] =
    &["/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/run", "/sbin", "/sys", "/usr"];
const NO_HOME: &[&str] = &["/", "/nonexistent", "/opt", "/srv", "/tmp", "/var", "/var/tmp", "/mnt"];

/// The homes of this machine.
#[derive(Debug)]
pub(super) struct Homes {
    /// What is closed, without links, none within another.
    closed: Vec<PathBuf>,
    /// Those of the user who runs this process.
    own: BTreeSet<PathBuf>,
    /// What is open where it is there.
    open: Vec<PathBuf>,
}

/// What a command sees of the homes.
#[derive(Clone, Debug, Default)]
pub(crate) struct HomesView {
    /// The closed folders, and what stands in the place of each.
    pub(crate) closed: Vec<(PathBuf, PathBuf)>,
    /// What of them is seen all the same.
    pub(crate) open: Vec<PathBuf>,
}

impl HomesView {
    /// True for a path that lies in a closed folder.
    pub(crate) fn encloses(&self, path: &Path) -> bool {
        self.closed.iter().any(|(closed, _)| path.starts_with(closed))
    }

    /// True for a path that lies in a closed folder and is open there.
    pub(crate) fn shows(&self, path: &Path) -> bool {
        self.open.iter().any(|open| path.starts_with(open))
    }
}

impl Homes {
    /// Looks them up. `variables` are those that commands get.
    pub(super) fn of_machine(variables: &Variables) -> Homes {
        let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
        let own = std::env::home_dir().filter(|home| home.is_absolute());
        Homes::of(own, &users, variables)
    }

    fn of(own: Option<PathBuf>, users: &str, variables: &Variables) -> Homes {
        let uid = rustix::process::geteuid().as_raw();
        let own: Vec<PathBuf> = own.into_iter().chain(homes_of(users, |one| one == uid)).collect();
        // By convention the numbers of people begin at 1,000, and 65,534 is nobody's.
        let others = homes_of(users, |one| one >= 1_000 && one != 65_534);
        let roots = ROOTS.iter().map(PathBuf::from);
        let all = own.iter().cloned().chain(others).chain(roots);
        let closed = all.filter_map(|home| home.canonicalize().ok()).filter(|home| is_home(home));
        let closed = outermost(closed.collect());
        let homes: BTreeSet<PathBuf> =
            own.iter().filter_map(|home| home.canonicalize().ok()).collect();
        let named = homes.iter().flat_map(|home| OPEN.iter().map(move |name| home.join(name)));
        let mut open: BTreeSet<PathBuf> = named.collect();
        open.extend(SHARED_PROGRAMS.iter().map(PathBuf::from));
        let value = |name: &str| variables.get(name).map(String::as_str).unwrap_or_default();
        let listed = TOOLCHAINS.iter().flat_map(|name| value(name).split(':')).map(PathBuf::from);
        open.extend(listed);
        let homes = Homes { closed, own: homes, open: Vec::new() };
        for folder in value("PATH").split(':').map(Path::new) {
            open.extend(homes.of_programs(folder));
        }
        let is_closed = |path: &PathBuf| homes.closed.iter().any(|home| path.starts_with(home));
        open.retain(|path| path.is_absolute() && is_closed(path) && !homes.is_whole(path));
        Homes { open: open.into_iter().collect(), ..homes }
    }

    /// What a program needs that lies in this folder: the folder, and if it is named as folders of programs
    /// are, the one that it is in. A whole home is never needed.
    pub(super) fn of_programs(&self, folder: &Path) -> Vec<PathBuf> {
        let named = |path: &Path, names: &[&str]| {
            path.file_name().is_some_and(|own| names.iter().any(|name| own == *name))
        };
        let above =
            folder.parent().filter(|above| named(folder, OF_PROGRAMS) && !named(above, BROAD));
        let both = above.into_iter().chain([folder]).filter(|path| !self.is_whole(path));
        both.map(Path::to_owned).collect()
    }

    /// True for a home, a folder of homes, and what is above one.
    fn is_whole(&self, path: &Path) -> bool {
        self.own.iter().chain(&self.closed).any(|home| home.starts_with(path))
            || path.parent() == Some(Path::new("/home"))
    }

    /// What a command sees that has these mounts, and reads these paths besides. They have no links.
    ///
    /// # Errors
    /// Where the skeletons cannot be made.
    pub(super) fn view(
        &self,
        mounts: &[PathBuf],
        reads: &[PathBuf],
        stat_cache: &StatCache,
        temps: &Temps,
    ) -> io::Result<HomesView> {
        let shown = [mounts, reads].concat();
        let is_closed =
            |home: &&PathBuf| !is_own(home) && !shown.iter().any(|root| home.starts_with(root));
        let closed: Vec<&PathBuf> = self.closed.iter().filter(is_closed).collect();
        if closed.is_empty() {
            return Ok(HomesView::default());
        }
        let there = stat_cache.lookup(Question::There, self.open.clone(), |probe, paths| {
            let is_there = |path: &&PathBuf| probe.at(path).is_some_and(|it| it != There::Nothing);
            paths.iter().filter(is_there).cloned().collect()
        });
        let is_within = |path: &Path| closed.iter().any(|home| path.starts_with(home));
        let mut open: Vec<PathBuf> = Vec::new();
        let mut links = Vec::new();
        for path in there.paths.iter().chain(&shown).filter(|path| is_within(path)) {
            match fs::read_link(path) {
                Ok(target) => {
                    links.push((path.clone(), target));
                    open.extend(path.canonicalize().ok().filter(|real| is_within(real)));
                }
                Err(_) => open.push(path.clone()),
            }
        }
        let open = outermost(open);
        let mut view = HomesView { closed: Vec::new(), open };
        for home in closed {
            let here = |path: &&PathBuf| path.starts_with(home);
            let links = links.iter().filter(|(path, _)| path.starts_with(home));
            let skeleton = temps.skeleton(home, view.open.iter().filter(here), links)?;
            view.closed.push((home.clone(), skeleton));
        }
        // A workspace has a mount of its own.
        view.open.retain(|path| !mounts.contains(path));
        Ok(view)
    }
}

/// The homes of the users with such numbers.
fn homes_of(users: &str, wanted: impl Fn(u32) -> bool) -> impl Iterator<Item = PathBuf> {
    users.lines().filter_map(move |line| {
        let mut fields = line.split(':').skip(2);
        let number = fields.next()?.parse().ok()?;
        let home = fields.nth(2).filter(|home| home.starts_with('/'))?;
        wanted(number).then(|| PathBuf::from(home))
    })
}

fn is_home(path: &Path) -> bool {
    let is_of_system = OF_SYSTEM.iter().any(|folder| path.starts_with(folder));
    path.is_dir() && !is_of_system && !NO_HOME.iter().any(|folder| path == Path::new(folder))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A home with these files, and what is open of it.
    fn home(files: &[&str], path: &str) -> (tempfile::TempDir, PathBuf, Homes) {
        let folder = tempfile::tempdir_in("/var").unwrap();
        let home = folder.path().canonicalize().unwrap();
        for file in files {
            let at = home.join(file);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            fs::write(at, "x").unwrap();
        }
        let path = path.replace('~', home.to_str().unwrap());
        let variables = Variables::from([("PATH".to_owned(), path)]);
        let homes = Homes::of(Some(home.clone()), "", &variables);
        (folder, home, homes)
    }

    fn view(homes: &Homes, mounts: &[PathBuf]) -> HomesView {
        homes.view(mounts, &[], &StatCache::default(), &Temps::new().unwrap()).unwrap()
    }

    #[test]
    fn a_home_shows_toolchains_and_nothing_else() {
        let files = [
            ".cargo/config.toml",
            ".gitconfig",
            ".config/git/credentials",
            ".config/rclone/rclone.conf",
            ".claude/.credentials.json",
            "notes",
            "tools/x/bin/run",
            ".local/share/keyrings/a",
            ".local/bin/tool",
        ];
        let (_folder, home, homes) = home(&files, "/usr/bin:~/tools/x/bin:~/.local/bin:~/bin");
        let view = view(&homes, &[]);
        let shows = |path: &str| view.shows(&home.join(path));
        for (path, is_shown) in [
            (".cargo/config.toml", true),
            (".gitconfig", true),
            ("tools/x/lib", true),
            (".local/bin/tool", true),
            (".config/git/credentials", false),
            (".config/rclone/rclone.conf", false),
            (".claude/.credentials.json", false),
            (".local/share/keyrings/a", false),
            ("notes", false),
            ("tools/y", false),
        ] {
            assert_eq!(shows(path), is_shown, "{path}");
            assert!(view.encloses(&home.join(path)));
        }
    }

    #[test]
    fn a_skeleton_has_the_places_of_what_is_open() {
        let (_folder, home, homes) =
            home(&["work/a", ".gitconfig", "dotfiles/ignore", "notes"], "");
        symlink("dotfiles/ignore", home.join(".gitignore")).unwrap();
        let temps = Temps::new().unwrap();
        let shown = [home.join("work")];
        let view =
            homes.view(&shown, &[home.join("notes")], &StatCache::default(), &temps).unwrap();
        let skeleton = view.closed.iter().find(|(closed, _)| *closed == home).unwrap().1.clone();
        assert!(skeleton.join("work").is_dir());
        assert_eq!(fs::read(skeleton.join(".gitconfig")).unwrap(), b"");
        let link = fs::read_link(skeleton.join(".gitignore")).unwrap();
        assert_eq!(link, Path::new("dotfiles/ignore"));
        assert!(view.shows(&home.join("dotfiles/ignore")));
        assert!(!view.shows(&home.join("work/a")), "it is a workspace");
        assert!(view.shows(&home.join("notes")));
        // Another command adds to it.
        homes.view(&[home.join("work/a")], &[], &StatCache::default(), &temps).unwrap();
        assert!(skeleton.join("work/a").is_file());
    }

    #[test]
    fn a_home_that_is_the_workspace_is_not_closed() {
        let (_folder, home, homes) = home(&["a"], "");
        let all = view(&homes, std::slice::from_ref(&home));
        assert!(!all.encloses(&home));
        let above = view(&homes, &[home.parent().unwrap().to_owned()]);
        assert!(!above.encloses(&home));
    }

    #[test]
    fn what_is_no_home_is_not_closed() {
        let users = "root:x:0:0::/root:/bin/sh\nbin:x:2:2::/bin:/bin/sh\nu:x:1000:1000::/usr/u:/bin/sh\n\
                     n:x:65534:1::/nonexistent:/bin/sh\nw:x:1001:1::/var:/bin/sh\nbad\nx:y:z\n";
        let homes = Homes::of(Some("/".into()), users, &Variables::new());
        let expected: Vec<PathBuf> = ["/home", "/root"]
            .iter()
            .filter_map(|path| Path::new(path).canonicalize().ok())
            .collect();
        assert_eq!(homes.closed, expected);
    }
}
