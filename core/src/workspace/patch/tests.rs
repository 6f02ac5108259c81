//! Patches as git, `diff` and models write them.

use std::borrow::Cow;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use similar::{ChangeTag, TextDiff};

use super::apply::HunkProblem;
use super::*;
use crate::error::Code;

fn as_it_is(content: &[u8]) -> Cow<'_, [u8]> {
    Cow::Borrowed(content)
}

/// The hunks of a patch of one file that is updated.
fn hunks(patch: &str) -> Vec<Hunk> {
    let mut files = parse(patch).unwrap();
    assert_eq!(files.len(), 1, "{files:?}");
    match files.remove(0).action {
        Action::Update { hunks, to: None } => hunks,
        other => panic!("{other:?}"),
    }
}

fn patched(content: &str, patch: &str) -> Result<String, Misfit> {
    let (content, _) = apply(content.as_bytes(), &hunks(patch), &|| false, as_it_is)?;
    Ok(String::from_utf8(content).unwrap())
}

fn unified(hunks: &str) -> String {
    format!("--- a/f\n+++ b/f\n{hunks}")
}

fn v4a(hunks: &str) -> String {
    format!("*** Begin Patch\n*** Update File: f\n{hunks}*** End Patch\n")
}

fn malformed(patch: &str) -> String {
    parse(patch).unwrap_err().to_string()
}

#[test]
fn a_git_diff_names_what_becomes_of_each_file() {
    let patch = "From 123 Mon Sep 17\nSubject: [PATCH] x\n---\n f | 2 +-\n\n\
        diff --git a/new.txt b/new.txt\nnew file mode 100644\nindex 0000000..1\n--- /dev/null\n\
        +++ b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n\
        diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n\
        @@ -1 +0,0 @@\n-x\n\
        diff --git a/old name b/new name\nsimilarity index 100%\nrename from old name\n\
        rename to new name\n\
        diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\n\
        diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1 +1 @@ fn x()\n-a\n+b\n-- \n2.39\n";
    let files = parse(patch).unwrap();
    let found: Vec<String> = files
        .iter()
        .map(|file| match &file.action {
            Action::Add(content) => format!("A {} {content:?}", file.path),
            Action::Delete(hunks) => format!("D {} {}", file.path, hunks.len()),
            Action::Update { hunks, to } => format!("M {} {} {to:?}", file.path, hunks.len()),
        })
        .collect();
    let want = [
        "A new.txt \"one\\ntwo\\n\"",
        "D gone 1",
        "M old name 0 Some(\"new name\")",
        "A empty \"\"",
        "M f 1 None",
    ];
    assert_eq!(found, want);
}

#[test]
fn the_other_shape_names_what_becomes_of_each_file() {
    let patch = "*** Begin Patch\n*** Add File: a\n+one\n+\n\n*** Delete File: b\n\
        *** Update File: c\n*** Move to: d/e\n@@ fn x()\n-a\n+b\n@@\n x\n+y\n*** End of File\n\
        *** End Patch\n";
    let files = parse(patch).unwrap();
    assert_eq!(files[0].action, Action::Add("one\n\n".into()));
    assert_eq!(files[1], FilePatch { path: "b".into(), action: Action::Delete(Vec::new()) });
    let Action::Update { hunks, to } = &files[2].action else { panic!("{files:?}") };
    assert_eq!(to.as_deref(), Some("d/e"));
    assert_eq!((hunks[0].anchors.as_slice(), hunks[0].at_end), (&["fn x()".to_owned()][..], false));
    assert_eq!((hunks[1].old.as_str(), hunks[1].at_end), ("x\n", true));
    let crlf = patch.replace('\n', "\r\n");
    assert_eq!(parse(&crlf).unwrap(), files);
}

#[test]
fn what_is_no_patch_says_in_which_line_and_what_to_write() {
    for (patch, part) in [
        ("hello", "names no file"),
        ("@@ -1 +1 @@\n-a\n+b\n", "before the name of its file"),
        ("--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n", "cut off"),
        ("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n b\n", "changes nothing"),
        ("--- a/f\n+++ b/f\n", "give a hunk"),
        ("--- /dev/null\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", "`f` is new"),
        ("diff --git a/x b/x\nBinary files a/x and b/x differ\n", "binary"),
        ("diff --git a/x b/y\ncopy from x\ncopy to y\n", "copies"),
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "modes of files"),
        ("*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n", "cut off"),
        ("*** Begin Patch\n*** Update File: f\n@@\n-a\nb\n*** End Patch", "begins with a blank"),
        ("*** Begin Patch\n*** Add File: f\none\n*** End Patch", "begins with `+`"),
        ("*** Begin Patch\n*** Update File:\n@@\n-a\n*** End Patch", "names no file"),
        ("*** Begin Patch\n*** Update File: f\n*** End Patch", "give a hunk"),
        ("*** Begin Patch\n*** Rename File: f\n*** End Patch", "where a file begins"),
        ("*** Begin Patch\n*** End Patch", "names no file"),
    ] {
        let message = malformed(patch);
        assert!(message.contains(part), "{patch:?}: {message}");
    }
    assert!(malformed(&"x".repeat(MAX_PATCH_BYTES + 1)).contains("204800"));
}

#[test]
fn wrong_counts_do_not_matter_if_the_lines_are_clear() {
    let content = "a\nb\nc\nd\ne\n";
    for counts in ["-1,9 +1,9", "-1,1 +1,1", "-1,5 +1,5"] {
        let patch = unified(&format!("@@ {counts} @@\n a\n-b\n+B\n@@ -4,2 +4,2 @@\n d\n-e\n+E\n"));
        assert_eq!(patched(content, &patch).unwrap(), "a\nB\nc\nd\nE\n", "{counts}");
    }
    let next = "@@ -1,4 +1,4 @@\n a\n-b\n+B\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n";
    assert_eq!(parse(&unified(next)).unwrap().len(), 2);
    assert_eq!(patched("a\n\nb\n", &unified("@@\n a\n\n-b\n+c\n\n")).unwrap(), "a\n\nc\n");
}

#[test]
fn lines_that_look_like_names_belong_to_the_hunk_that_counts_them() {
    let patch = unified("@@ -1,2 +1,2 @@\n a\n--- x\n+++ y\n");
    assert_eq!(patched("a\n-- x\n", &patch).unwrap(), "a\n++ y\n");
}

#[test]
fn a_hunk_is_found_where_its_lines_have_moved_to() {
    let patch = unified("@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n");
    assert_eq!(patched("0\n0\na\nb\nc\nd\n", &patch).unwrap(), "0\n0\na\nb\nC\nd\n");
    assert_eq!(patched("b\nc\nd\n", &patch).unwrap(), "b\nC\nd\n");
    let two = unified("@@ -1,2 +1,2 @@\n-a\n+A\n x\n@@ -4,2 +4,2 @@\n-a\n+A\n x\n");
    let content = "new\nnew\na\nx\n-\na\nx\n-\na\nx\n";
    assert_eq!(patched(content, &two).unwrap(), "new\nnew\nA\nx\n-\nA\nx\n-\na\nx\n");
}

#[test]
fn context_that_differs_in_one_blank_is_refused_with_the_nearest_place() {
    let patch = unified("@@ -1,3 +1,3 @@\n fn a() {\n-  one();\n+  two();\n }\n");
    let misfit = patched("fn a() {\n    one();\n}\n", &patch).unwrap_err();
    let message = misfit.to_string();
    assert!(message.starts_with("hunk 1 of 1: its lines are not in the file"), "{message}");
    assert!(message.contains("-  one();\n+    one();"), "{message}");
}

#[test]
fn a_hunk_without_a_line_number_needs_a_single_place_or_a_line_above() {
    let content = "def a():\n    x = 1\n\ndef b():\n    x = 1\n";
    let many = patched(content, &v4a("@@\n-    x = 1\n+    x = 2\n")).unwrap_err();
    assert_eq!(many.problem, HunkProblem::ManyMatches { lines: vec![2, 5] });
    let below = patched(content, &v4a("@@ def b():\n-    x = 1\n+    x = 2\n")).unwrap();
    assert_eq!(below, "def a():\n    x = 1\n\ndef b():\n    x = 2\n");
    let none = patched(content, &v4a("@@ def c():\n-    x = 1\n+    x = 2\n")).unwrap_err();
    assert!(matches!(none.problem, HunkProblem::NoAnchor { .. }), "{none}");
    let two = v4a("@@ def b():\n-    x = 1\n+    x = 2\n@@ def a():\n-    x = 1\n+    x = 3\n");
    assert!(patched(content, &two).is_err());
    let upwards = v4a("@@\n-def b():\n+def B():\n@@\n-def a():\n+def A():\n");
    let message = patched(content, &upwards).unwrap_err().to_string();
    assert!(message.contains("in the order of the file"), "{message}");
}

#[test]
fn lines_are_added_behind_a_line_an_anchor_or_the_end() {
    assert_eq!(patched("a\nb\n", &unified("@@ -1,0 +2 @@\n+x\n")).unwrap(), "a\nx\nb\n");
    assert_eq!(patched("a\nb\n", &unified("@@ -0,0 +1 @@\n+x\n")).unwrap(), "x\na\nb\n");
    assert_eq!(patched("a\nb", &unified("@@ -2,0 +3 @@\n+x\n")).unwrap(), "a\nb\nx\n");
    assert_eq!(patched("a\nb\n", &v4a("@@ a\n+x\n")).unwrap(), "a\nx\nb\n");
    assert_eq!(patched("a\r\nb", &v4a("@@\n+x\n")).unwrap(), "a\r\nb\r\nx\r\n");
    let beyond = patched("a\n", &unified("@@ -9,0 +10 @@\n+x\n")).unwrap_err();
    assert!(matches!(beyond.problem, HunkProblem::BeyondEnd { line: 9, lines: 1 }), "{beyond}");
}

#[test]
fn a_patch_without_any_cr_means_the_line_ends_of_the_file() {
    let patch = unified("@@ -1,2 +1,3 @@\n a\n-b\n+B\n+c\n");
    assert_eq!(patched("a\r\nb\r\n", &patch).unwrap(), "a\r\nB\r\nc\r\n");
    let given = unified("@@ -1,2 +1,2 @@\n a\r\n-b\r\n+B\r\n");
    assert_eq!(patched("a\r\nb\r\n", &given).unwrap(), "a\r\nB\r\n");
    assert!(patched("a\nb\n", &given).is_err());
    assert_eq!(patched("a\r\nb\nc\n", &unified("@@\n-b\n+B\n")).unwrap(), "a\r\nB\nc\n");
}

#[test]
fn in_a_file_of_mixed_line_ends_every_line_that_stays_keeps_its_own() {
    let content = "a\r\nb\nc\r\nd\ne\r\n";
    for (hunk, want) in [
        ("@@\n a\n b\n-c\n+C\n d\n", "a\r\nb\nC\nd\ne\r\n"),
        ("@@ -1,3 +1,4 @@\n a\n+x\n b\n c\n", "a\r\nx\r\nb\nc\r\nd\ne\r\n"),
        ("@@ -2,2 +2,4 @@\n b\n+x\n+y\n c\n", "a\r\nb\nx\ny\nc\r\nd\ne\r\n"),
        ("@@\n a\n-b\n-c\n+B\n+C\n+D\n d\n", "a\r\nB\r\nC\r\nD\r\nd\ne\r\n"),
        ("@@ -3,0 +4 @@\n+x\n", "a\r\nb\nc\r\nx\r\nd\ne\r\n"),
        ("@@ -0,0 +1 @@\n+x\n", "x\r\na\r\nb\nc\r\nd\ne\r\n"),
    ] {
        assert_eq!(patched(content, &unified(hunk)).unwrap(), want, "{hunk}");
    }
    assert_eq!(patched(content, &v4a("@@ d\n+x\n")).unwrap(), "a\r\nb\nc\r\nd\nx\ne\r\n");
    assert_eq!(patched("a\r\nb\nc", &unified("@@\n a\n b\n-c\n+C\n")).unwrap(), "a\r\nb\nC");
    assert_eq!(patched("a\nb\r\nc", &v4a("@@\n+d\n")).unwrap(), "a\nb\r\nc\r\nd\r\n");
    let given = unified("@@\n a\r\n-b\n+B\r\n");
    assert_eq!(patched("a\r\nb\nc\n", &given).unwrap(), "a\r\nB\r\nc\n");
}

#[test]
fn blank_lines_around_the_hunks_of_the_other_shape_are_none_of_the_file() {
    let content = "a\nb\nc\nd\n";
    let two = "@@\n a\n-b\n+B\n\n@@\n c\n-d\n+D\n";
    assert_eq!(patched(content, &v4a(two)).unwrap(), "a\nB\nc\nD\n");
    for blank in ["\n@@\n-b\n+B\n\n\n@@\n-d\n+D\n\n\n", "\n\n@@ a\n-b\n+B\n\n@@ c\n-d\n+D\n\n"] {
        assert_eq!(patched(content, &v4a(blank)).unwrap(), "a\nB\nc\nD\n", "{blank:?}");
    }
    // Where the file has them, they give the place.
    let there = v4a("@@ a\n-x\n+y\n\n@@\n-z\n+Z\n");
    assert_eq!(patched("a\nx\nb\nx\n\nz\n", &there).unwrap(), "a\nx\nb\ny\n\nZ\n");
    let files = parse("*** Begin Patch\n\n*** Update File: f\n\n@@\n-a\n+b\n\n\n*** End Patch\n");
    assert_eq!(files.unwrap().len(), 1);
}

#[test]
fn text_that_is_not_ascii_is_put_into_no_file_of_another_encoding() {
    let refused = hunks(&unified("@@\n-end\n+\u{7d42}\n"));
    let misfit = check_hunks(b"\x95\x5c\nend\n", &refused).unwrap_err();
    assert!(misfit.to_string().contains("line 1"), "{misfit}");
    assert!(check_hunks("\u{8868}\nend\n".as_bytes(), &refused).is_ok());
    let ascii = hunks(&unified("@@\n-end\n+fin\n"));
    assert!(check_hunks(b"\x95\x5c\nend\n", &ascii).is_ok());
}

#[test]
fn a_patch_that_nobody_waits_for_is_applied_no_further() {
    let patch = hunks(&unified("@@\n-a\n+b\n"));
    let misfit = apply(b"a\n", &patch, &|| true, as_it_is).unwrap_err();
    assert_eq!((misfit.code(), misfit.problem), (Code::Cancelled, HunkProblem::Ended));
}

#[test]
fn a_missing_last_line_end_is_kept_made_and_taken_away() {
    let marker = "\\ No newline at end of file\n";
    let made = unified(&format!("@@ -1 +1 @@\n-a\n{marker}+b\n"));
    assert_eq!(patched("a", &made).unwrap(), "b\n");
    assert!(patched("a\n", &made).is_err());
    let taken = unified(&format!("@@ -1 +1 @@\n-a\n+b\n{marker}"));
    assert_eq!(patched("a\n", &taken).unwrap(), "b");
    assert!(patched("a\nc\n", &taken).is_err());
    let kept = unified(&format!("@@ -1,2 +1,2 @@\n-a\n+b\n c\n{marker}"));
    assert_eq!(patched("a\nc", &kept).unwrap(), "b\nc");
    assert_eq!(patched("x\na", &unified("@@ -2 +2 @@\n-a\n+b\n")).unwrap(), "x\nb");
    assert_eq!(patched("x\r\na", &v4a("@@\n-a\n+b\n")).unwrap(), "x\r\nb");
}

/// A text of lines of which some are the same; `ends` says whether it ends in a line end.
fn text(lines: &[u8], end: &str, ends: bool) -> String {
    let mut text: String = lines.iter().map(|line| format!("line {line}{end}")).collect();
    if !ends {
        text.truncate(text.trim_end_matches(['\r', '\n']).len());
    }
    text
}

/// The difference as the other shape has it.
fn as_v4a(old: &str, new: &str) -> String {
    let mut patch = "*** Begin Patch\n*** Update File: f\n".to_owned();
    let diff = TextDiff::from_lines(old, new);
    for group in diff.grouped_ops(3) {
        patch.push_str("@@\n");
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            patch.push_str(&format!("{sign}{}\n", change.value().trim_end_matches('\n')));
        }
    }
    patch + "*** End Patch\n"
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn a_diff_of_any_two_texts_makes_one_out_of_the_other(
        old in prop::collection::vec(0_u8..12, 0..40),
        new in prop::collection::vec(0_u8..12, 0..40),
        crlf: bool,
        ends: (bool, bool),
        context in 0_usize..4,
    ) {
        let end = if crlf { "\r\n" } else { "\n" };
        let (old, new) = (text(&old, end, ends.0), text(&new, end, ends.1));
        prop_assume!(old != new && !old.is_empty() && !new.is_empty());
        let diff = TextDiff::from_lines(&old, &new);
        let patch = diff.unified_diff().context_radius(context).header("a/f", "b/f").to_string();
        prop_assert_eq!(patched(&old, &patch).unwrap(), new, "{}", patch);
    }

    #[test]
    fn a_diff_without_numbers_fits_a_text_without_repeated_lines(
        keep in prop::collection::vec(0_u8..4, 1..60),
    ) {
        let old: String = (0..keep.len()).map(|n| format!("line {n}\n")).collect();
        let new: String = keep
            .iter()
            .enumerate()
            .map(|(n, what)| match what {
                0 => String::new(),
                1 => format!("new {n}\nline {n}\n"),
                _ => format!("line {n}\n"),
            })
            .collect();
        prop_assume!(old != new);
        prop_assert_eq!(patched(&old, &as_v4a(&old, &new)).unwrap(), new);
    }

    #[test]
    fn no_text_makes_the_parser_fail_otherwise_than_by_saying_so(
        lines in prop::collection::vec(
            prop::sample::select(vec![
                "", " a", "-a", "+a", "+b", "@@", "@@ -1 +1 @@", "@@ -1,2 +1,9 @@ x", "--- a/f",
                "+++ b/f", "--- /dev/null", "+++ /dev/null", "diff --git a/f b/f", "new file mode 1",
                "deleted file mode 1", "rename from f", "rename to g", "\\ No newline", "-- ", "é",
                "*** Begin Patch", "*** Update File: f", "*** Add File: g", "*** End of File",
                "*** Delete File: f", "*** Move to: h", "*** End Patch", "@@ -1 +1", "\"\\3",
            ]),
            0..20,
        ),
        crlf: bool,
    ) {
        let text = lines.join(if crlf { "\r\n" } else { "\n" });
        if let Ok(files) = parse(&text) {
            for file in files {
                // Whether they fit does not matter here.
                let _ = apply(b"a\nb\n", file.hunks(), &|| false, as_it_is);
            }
        }
    }
}

/// What `git apply` makes of a file; none where it refuses, or git is not there.
fn by_git(folder: &Path, old: &str, patch: &str) -> Option<String> {
    fs::write(folder.join("f"), old).unwrap();
    let mut git = Command::new("git")
        .args(["apply", "--unsafe-paths", "--whitespace=nowarn", "-"])
        .current_dir(folder)
        .env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap())
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    git.stdin.take().unwrap().write_all(patch.as_bytes()).unwrap();
    git.wait().unwrap().success().then(|| fs::read_to_string(folder.join("f")).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn where_git_applies_a_diff_to_a_changed_file_the_outcome_is_the_same(
        keep in prop::collection::vec(0_u8..5, 4..40),
        changed in prop::collection::vec(0_u8..12, 4..40),
        ends: bool,
    ) {
        let line = |n: usize| format!("line {n}\n");
        let mut old: String = (0..keep.len()).map(line).collect();
        let edit = |n: usize, what: u8| match what {
            0 => String::new(),
            1 => format!("new {n}\nline {n}\n"),
            _ => line(n),
        };
        let mut new: String = keep.iter().enumerate().map(|(n, what)| edit(n, *what)).collect();
        if !ends {
            old.pop();
            new.pop();
        }
        prop_assume!(old != new && !new.is_empty());
        // What somebody else made of the old file in the meantime.
        let mut now = String::new();
        for (n, line) in old.split_inclusive('\n').enumerate() {
            match changed.get(n) {
                Some(0) => now.push_str(&format!("other {n}\n{line}")),
                Some(1) => {}
                _ => now.push_str(line),
            }
        }
        prop_assume!(!now.is_empty());
        let diff = TextDiff::from_lines(&old, &new);
        let patch = diff.unified_diff().context_radius(2).header("a/f", "b/f").to_string();
        let folder = tempfile::tempdir().unwrap();
        if let Some(theirs) = by_git(folder.path(), &now, &patch) {
            prop_assert_eq!(patched(&now, &patch).unwrap(), theirs, "{}\n{}", now, patch);
        }
    }
}

#[test]
fn git_is_there_to_compare_with() {
    let folder = tempfile::tempdir().unwrap();
    let patch = unified("@@ -1,2 +1,2 @@\n a\n-b\n+B\n");
    assert_eq!(by_git(folder.path(), "a\nb\n", &patch).as_deref(), Some("a\nB\n"));
}

#[test]
fn line_numbers_beyond_all_measure_break_nothing() {
    for line in ["18446744073709551615", "9223372036854775809", "9223372036854775808"] {
        let twice =
            format!("@@ -{line},1 +{line},1 @@\n-a\n+b\n@@ -{line},1 +{line},1 @@\n-c\n+d\n");
        assert_eq!(patched("a\nx\nc\n", &unified(&twice)).unwrap(), "b\nx\nd\n", "{line}");
        let added = format!("@@ -1,1 +1,1 @@\n-a\n+b\n@@ -{line},0 +{line},1 @@\n+d\n");
        let missed = patched("a\nx\nc\n", &unified(&added)).unwrap_err();
        assert!(matches!(missed.problem, HunkProblem::BeyondEnd { .. }), "{missed}");
    }
}
