//! Walks over whole trees: with rules, while folders are swapped, until nobody waits.

use std::borrow::Cow;
use std::fs;
use std::io::{BufRead, Read};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use ignore::WalkBuilder;
use proptest::prelude::*;

use super::{SECRET, World};
use crate::workspace::{
    GlobOptions, Globs, Line, Mask, Matched, OverlaidFile, Overlay, Pattern, Reading, SearchFound,
    SearchOptions, SearchText, Show, Unfiltered, Workspace,
};

/// Puts `*` for every letter of what is secret here.
struct Stars;

impl Stars {
    fn star(text: &[u8]) -> Cow<'_, [u8]> {
        Cow::Owned(String::from_utf8_lossy(text).replace("swordfish", "***").into_bytes())
    }
}

impl Mask for Stars {
    fn masked(&self, _: &Path, text: &[u8], show: &mut dyn FnMut(&[u8]) -> Matched) -> Matched {
        show(&Stars::star(text))
    }

    fn masked_as_read<'r>(&self, mut text: Box<dyn BufRead + 'r>) -> Box<dyn Read + 'r> {
        let mut whole = Vec::new();
        text.read_to_end(&mut whole).unwrap();
        Box::new(std::io::Cursor::new(Stars::star(&whole).into_owned()))
    }
}

fn options(query: &str) -> SearchOptions {
    SearchOptions {
        pattern: Pattern::new(query, Reading::default()).unwrap(),
        globs: Globs::new(&[]).unwrap(),
        unfiltered: Unfiltered::default(),
        context: (0, 0),
        show: Show::Lines,
        skipped: 0,
        max_results: 100,
        max_chars: 10_000,
    }
}

fn searched(workspace: &Workspace, path: &str, options: &SearchOptions) -> SearchFound {
    let overlay: (&Overlay, &mut dyn Iterator<Item = SearchText>) =
        (&Overlay::default(), &mut std::iter::empty());
    let path = workspace.relative(path).unwrap();
    workspace.search(&path, options, overlay, &Stars, &|| false).unwrap()
}

fn shown(found: &SearchFound) -> Vec<String> {
    let line = |path: &str, line: &Line| format!("{path}:{}:{}", line.number, line.text);
    found.files.iter().flat_map(|f| f.matched.lines.iter().map(|l| line(&f.path, l))).collect()
}

fn globbed(workspace: &Workspace, unfiltered: Unfiltered, overlay: &Overlay) -> Vec<String> {
    let globs = Globs::new(&[]).unwrap();
    let options = GlobOptions { globs, unfiltered, max_results: 10_000 };
    let path = workspace.relative(".").unwrap();
    workspace.glob(&path, &options, overlay, &|| false).unwrap().paths
}

#[test]
fn a_file_of_any_size_is_searched_as_it_is_masked() {
    let world = World::new();
    for megabytes in [0, 2, 17] {
        let filler = "some line of text that nobody looks for\n".repeat(megabytes * 26_215);
        let text = format!("{filler}the password is swordfish\nand no more\n");
        fs::write(world.inside("big.txt"), text).unwrap();
        let lines = filler.len() / 40;
        let search = |query: &str| shown(&searched(&world.workspace, "big.txt", &options(query)));
        let masked = format!("big.txt:{}:the password is ***", lines + 1);
        assert_eq!(search("password"), [masked.as_str()], "{megabytes}");
        assert_eq!(search("swordf"), [""; 0], "{megabytes}");
        assert_eq!(search("and no more$"), [format!("big.txt:{}:and no more", lines + 2)]);
    }
}

#[test]
fn links_are_not_followed_and_what_is_no_file_is_passed_over() {
    let world = World::new();
    symlink(world.outside("secret.txt"), world.inside("link.txt")).unwrap();
    symlink("hello.txt", world.inside("near.txt")).unwrap();
    symlink(world.outside(""), world.inside("away")).unwrap();
    symlink("..", world.inside("subdir/up")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        world.inside("pipe.txt"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    let all = Unfiltered { hidden: true, ignored: true };
    let paths = globbed(&world.workspace, all, &Overlay::default());
    assert_eq!(paths, ["hello.txt", "subdir/nested.txt"]);
    let found = searched(&world.workspace, ".", &options("."));
    assert_eq!(shown(&found), ["hello.txt:1:hello", "subdir/nested.txt:1:nested"]);
    // A folder that is named may be reached through a link that stays inside.
    symlink("subdir", world.inside("in")).unwrap();
    assert_eq!(shown(&searched(&world.workspace, "in", &options("."))), ["in/nested.txt:1:nested"]);
}

#[test]
fn a_walk_ends_soon_when_nobody_waits() {
    let world = World::new();
    for folder in 0..200 {
        fs::create_dir(world.inside(&format!("f{folder:03}"))).unwrap();
        fs::write(world.inside(&format!("f{folder:03}/x")), "hello").unwrap();
    }
    let asked = AtomicUsize::new(0);
    let is_stopped = || asked.fetch_add(1, Ordering::Relaxed) >= 10;
    let path = world.workspace.relative(".").unwrap();
    let overlay: (&Overlay, &mut dyn Iterator<Item = SearchText>) =
        (&Overlay::default(), &mut std::iter::empty());
    let found = world.workspace.search(&path, &options("hello"), overlay, &Stars, &is_stopped);
    assert!(found.unwrap().files.len() < 20);
}

#[test]
fn folders_as_deep_as_may_be_are_walked_and_deeper_ones_are_counted() {
    let world = World::new();
    let mut path = String::new();
    for depth in 1..=102 {
        path.push_str("d/");
        fs::create_dir(world.inside(&path)).unwrap();
        if depth >= 100 {
            fs::write(world.inside(&format!("{path}file")), "deep").unwrap();
        }
    }
    let found = searched(&world.workspace, ".", &options("deep"));
    assert_eq!((found.files.len(), found.unread), (1, 1));
}

#[test]
fn what_an_overlay_has_is_found_and_what_it_shadows_is_not() {
    let world = World::new();
    let files = ["memory/a.md", "SOUL.md"];
    let files = files.map(|path| OverlaidFile { path: path.into(), bytes: 4 }).to_vec();
    let shadow = |path: &Path| path == Path::new("hello.txt") || path == Path::new("subdir");
    let overlay = Overlay::new(Some(std::sync::Arc::new(shadow)), files);
    let paths = globbed(&world.workspace, Unfiltered::default(), &overlay);
    assert_eq!(paths, ["SOUL.md", "memory/a.md"]);
    let texts = [SearchText { path: "SOUL.md".into(), text: "hello swordfish\n".into() }];
    let search = |path: &str| {
        let path = world.workspace.relative(path).unwrap();
        let options = options("hello");
        assert!(options.covers(&path, "SOUL.md"), "{path}");
        world
            .workspace
            .search(&path, &options, (&overlay, &mut texts.iter().cloned()), &Stars, &|| false)
            .unwrap()
    };
    for path in [".", "SOUL.md"] {
        assert_eq!(shown(&search(path)), ["SOUL.md:1:hello ***"]);
    }
    let gone = world.workspace.relative("hello.txt").unwrap();
    let gone = world.workspace.search(
        &gone,
        &options("h"),
        (&overlay, &mut std::iter::empty()),
        &Stars,
        &|| false,
    );
    assert_eq!(gone.unwrap_err().code(), crate::error::Code::NotFound);
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_swapped_for_a_link_to_outside_is_not_walked_into() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};

    let world = World::new();
    fs::create_dir(world.inside("door")).unwrap();
    fs::write(world.inside("door/secret.txt"), "harmless").unwrap();
    symlink(world.outside(""), world.inside("link")).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let walker = scope.spawn(|| {
            let mut found = 0;
            for _ in 0..crate::soak::rounds(400, 20_000) {
                for line in shown(&searched(&world.workspace, ".", &options("secret|harmless"))) {
                    assert!(!line.contains(SECRET), "{line}");
                    found += 1;
                }
            }
            done.store(true, Ordering::Relaxed);
            found
        });
        while !done.load(Ordering::Relaxed) && !walker.is_finished() {
            let (door, link) = (world.inside("door"), world.inside("link"));
            let _ = renameat_with(CWD, door, CWD, link, RenameFlags::EXCHANGE);
        }
        assert!(walker.join().unwrap() > 0);
    });
}

/// A path of a small world, where names meet often.
fn path() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["a", "b", "cc", ".h", "x.log", "y.txt", "target"]);
    prop::collection::vec(name, 1..5).prop_map(|names| names.join("/"))
}

fn rule() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "*.log", "!x.log", "/a", "a/", "b/cc", "**/b", "!.h", ".h", "target", "!target/", "cc/**",
        "y.*", "/a/*", "!/a/b", "# none", "",
    ])
    .prop_map(str::to_owned)
}

fn ignores() -> impl Strategy<Value = Vec<(String, bool, Vec<String>)>> {
    let file = (path(), any::<bool>(), prop::collection::vec(rule(), 1..4));
    prop::collection::vec(file, 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        u32::try_from(crate::soak::rounds(60, 3_000)).unwrap()
    ))]

    /// The same as ripgrep's own walker, which opens by path, finds.
    #[test]
    fn a_walk_finds_what_the_rules_leave(
        files in prop::collection::vec(path(), 1..40),
        ignores in ignores(),
        // None: no repository is anywhere. Otherwise the root is one, and that folder is another.
        repository in prop::option::of(path()),
        hidden in any::<bool>(),
        ignored in any::<bool>(),
    ) {
        let base = tempfile::tempdir().unwrap();
        for path in &files {
            let path = base.path().join(path);
            // A name may be a file's already where this wants a folder.
            if fs::create_dir_all(path.parent().unwrap()).is_ok() && !path.is_dir() {
                let _ = fs::write(&path, "x");
            }
        }
        for (folder, is_git, rules) in &ignores {
            let name = if *is_git { ".gitignore" } else { ".ignore" };
            let folder = base.path().join(folder);
            let folder = if folder.is_dir() { folder } else { base.path().to_owned() };
            fs::write(folder.join(name), rules.join("\n")).unwrap();
        }
        if repository.is_some() {
            fs::create_dir(base.path().join(".git")).unwrap();
        }
        if let Some(folder) = repository.as_ref().map(|folder| base.path().join(folder))
            && folder.is_dir()
        {
            fs::create_dir_all(folder.join(".git/info")).unwrap();
            fs::write(folder.join(".git/info/exclude"), "cc\n").unwrap();
        }
        let workspace = Workspace::open(base.path()).unwrap();
        let mut found = globbed(&workspace, Unfiltered { hidden, ignored }, &Overlay::default());
        found.sort();
        let mut builder = WalkBuilder::new(base.path());
        builder.hidden(!hidden).ignore(!ignored).git_ignore(!ignored).git_exclude(!ignored);
        // Where it asks for no repository it does not notice that another one begins.
        builder.git_global(false).parents(false).require_git(repository.is_some());
        let walked = builder.build().map(Result::unwrap);
        let files = walked.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
        let mut expected: Vec<String> = files
            .map(|entry| entry.path().strip_prefix(base.path()).unwrap().to_str().unwrap().into())
            .filter(|path: &String| ignored || !path.split('/').any(|name| name == ".git"))
            .collect();
        expected.sort();
        prop_assert_eq!(found, expected);
    }
}
