//! Whether two glob patterns could match a common path.
//!
//! A pattern means what `globset` says it means, with `literal_separator`, as in the file tools. Most
//! pairs are decided by the fixed text that both begin and end with; automatons decide the rest. The
//! answer may be wrong in one direction only: "apart" is always true.

use std::sync::OnceLock;

use globset::{Glob, GlobBuilder};

use super::path_automaton::{Automaton, Effort, Overlap};
use crate::id::check_key;

/// The longest path that is compared with patterns, in bytes: as long as Linux can name.
const MOST_PATH_BYTES: usize = 4096;

/// A pattern that was checked.
pub(super) struct PathPattern {
    text: String,
    /// How many bytes of the text every path that it matches begins with.
    prefix: usize,
    /// How many bytes of the text every path that it matches ends with.
    suffix: usize,
    /// True if it matches its text and nothing else.
    literal: bool,
    automaton: OnceLock<Option<Automaton>>,
}

impl PathPattern {
    /// A pattern for paths relative to a workspace. A leading `./` is left out.
    ///
    /// # Errors
    ///
    /// A sentence that says what is wrong with it and what to write instead.
    pub(super) fn parse(text: &str) -> Result<PathPattern, String> {
        let pattern = text.strip_prefix("./").unwrap_or(text);
        check_key("patterns", pattern).map_err(|error| error.message().to_owned())?;
        check_relative("pattern", pattern)?;
        if let Some(folder) = pattern.strip_suffix('/') {
            return Err(format!(
                "the pattern `{pattern}` ends in `/` and would match no file; write `{folder}/**` \
                 for everything in the folder"
            ));
        }
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        let glob =
            glob.map_err(|error| format!("{error}; escape with `\\` what is meant as it stands"))?;
        check_classes(&glob)?;
        Ok(PathPattern::checked(pattern.to_owned()))
    }

    /// A pattern that was parsed before, as its text.
    pub(super) fn checked(text: String) -> PathPattern {
        let special = ['*', '?', '[', ']', '{', '}', '\\'];
        let (prefix, suffix) = match (text.find(special), text.rfind(special)) {
            (Some(first), Some(last)) => {
                let suffix = &text[last + 1..];
                // `**/` may stand for nothing at all, without its `/`.
                (first, suffix.strip_prefix('/').unwrap_or(suffix).len())
            }
            _ => (text.len(), text.len()),
        };
        let literal = prefix == text.len();
        PathPattern { text, prefix, suffix, literal, automaton: OnceLock::new() }
    }

    /// The pattern as text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    fn prefix(&self) -> &str {
        &self.text[..self.prefix]
    }

    fn suffix(&self) -> &str {
        &self.text[self.text.len() - self.suffix..]
    }

    fn automaton(&self, effort: &mut Effort) -> Option<&Automaton> {
        let new = || match self.literal {
            true => Some(Automaton::of_path(&self.text)),
            false => Automaton::of_pattern(&self.text, effort),
        };
        self.automaton.get_or_init(new).as_ref()
    }

    /// Whether some path is matched by both.
    pub(super) fn overlap(&self, other: &PathPattern, effort: &mut Effort) -> Overlap {
        let begins = |a: &str, b: &str| a.starts_with(b) || b.starts_with(a);
        let ends = |a: &str, b: &str| a.ends_with(b) || b.ends_with(a);
        if !effort.spend(1) {
            return Overlap::TooCostly;
        }
        if !begins(self.prefix(), other.prefix()) || !ends(self.suffix(), other.suffix()) {
            return Overlap::Apart;
        }
        if self.literal && other.literal {
            return if self.text == other.text { Overlap::Common } else { Overlap::Apart };
        }
        match (self.automaton(effort), other.automaton(effort)) {
            (Some(one), Some(two)) => one.meets(two, effort),
            _ => Overlap::TooCostly,
        }
    }
}

/// The pattern that matches one path: relative, without `.` and `..`.
///
/// # Errors
///
/// A sentence that says what is wrong with it.
pub(super) fn check_path(path: &str) -> Result<PathPattern, String> {
    let path = path.strip_prefix("./").unwrap_or(path);
    if path.is_empty() || path.contains('\0') {
        return Err("`path` is empty or contains a NUL character; name a file".into());
    }
    if path.len() > MOST_PATH_BYTES {
        return Err(format!(
            "`path` has {} bytes; no file is named by more than {MOST_PATH_BYTES}",
            path.len()
        ));
    }
    check_relative("path", path)?;
    let (prefix, suffix) = (path.len(), path.len());
    Ok(PathPattern {
        text: path.to_owned(),
        prefix,
        suffix,
        literal: true,
        automaton: OnceLock::new(),
    })
}

fn check_relative(what: &str, path: &str) -> Result<(), String> {
    let odd = |part: &str| part == "." || part == "..";
    if path.starts_with('/') || path.contains("//") || path.split('/').any(odd) {
        return Err(format!(
            "the {what} `{path}` is not relative and plain; leave out a leading `/`, `//`, `.` \
             and `..`, and write it from the workspace's root, like `src/main.rs`"
        ));
    }
    Ok(())
}

/// `globset` compares bytes, so `[é]` would match half a letter: never a file.
fn check_classes(glob: &Glob) -> Result<(), String> {
    let text = glob.glob();
    let mut class = false;
    let mut escaped = false;
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if !class => escaped = true,
            '[' => class = true,
            ']' => class = false,
            c if class && !c.is_ascii() => {
                return Err(format!(
                    "the pattern `{text}` has `{c}` between `[` and `]`, where only ASCII can \
                     stand; write `{{{c},…}}` instead"
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(one: &str, two: &str) -> bool {
        let (one, two) = (PathPattern::parse(one).unwrap(), PathPattern::parse(two).unwrap());
        let found = one.overlap(&two, &mut Effort::default());
        assert_eq!(two.overlap(&one, &mut Effort::default()), found);
        assert_ne!(found, Overlap::TooCostly);
        found == Overlap::Common
    }

    #[test]
    fn patterns_with_a_common_path_overlap() {
        for (one, two) in [
            ("src/a.rs", "src/a.rs"),
            ("src/a.rs", "./src/a.rs"),
            ("src/**", "src/a.rs"),
            ("src/**", "src/deep/er/a.rs"),
            ("src/*.rs", "src/a.*"),
            ("**/*.rs", "src/**"),
            ("**", "anything"),
            ("a/**/b", "a/b"),
            ("a/**/b", "a/x/*/b"),
            ("{src,tests}/*.rs", "tests/a?.rs"),
            ("[a-f].txt", "[!a-e].txt"),
            ("*a*", "*b*"),
            (r"a\*b", "a*b"),
            ("日本/*", "日本/é.md"),
        ] {
            assert!(overlap(one, two), "{one} {two}");
        }
    }

    #[test]
    fn patterns_without_a_common_path_are_apart() {
        for (one, two) in [
            ("src/a.rs", "src/b.rs"),
            ("src/**", "tests/**"),
            ("src/**", "src"),
            ("src/*.rs", "src/*.md"),
            ("src/*", "src/deep/a.rs"),
            ("**/*.rs", "**/*.md"),
            ("{a,b}/*", "{c,d}/*"),
            ("[a-c].txt", "[d-f].txt"),
            ("?.txt", "??.txt"),
            ("a*b", "a*c"),
            (r"a\*b", "a?*?b"),
            ("README.md", "readme.md"),
        ] {
            assert!(!overlap(one, two), "{one} {two}");
        }
    }

    #[test]
    fn patterns_that_can_match_nothing_are_refused() {
        for (pattern, word) in [
            ("", "empty"),
            ("./", "empty"),
            ("/etc/passwd", "leading `/`"),
            ("a//b", "`//`"),
            ("../a", "`..`"),
            ("a/../b", "`..`"),
            ("a/./b", "`.`"),
            ("src/", "`src/**`"),
            ("src/[a", "unclosed"),
            ("src/{a", "unclosed"),
            ("src/a}", "unopened"),
            ("[z-a]", "invalid range"),
            ("a\\", "dangling"),
            ("[é]", "{é,…}"),
            ("a\0b", "NUL"),
        ] {
            let why = PathPattern::parse(pattern).err().unwrap();
            assert!(why.contains(word), "{pattern}: {why}");
        }
    }

    #[test]
    fn what_costs_too_much_to_compare_is_not_said_to_overlap() {
        let slow = |mid: &str| PathPattern::parse(&format!("{}{mid}*", "*a".repeat(60))).unwrap();
        let (one, two) = (slow("/x"), slow("/y"));
        assert_eq!(one.overlap(&two, &mut Effort::default()), Overlap::Apart);
        assert_eq!(one.overlap(&two, &mut Effort::of(1_000)), Overlap::TooCostly);
        assert_eq!(slow("/x").overlap(&slow("/y"), &mut Effort::of(10)), Overlap::TooCostly);
    }

    #[test]
    fn the_longest_patterns_without_classes_and_braces_are_never_too_costly() {
        let long = |end: &str| PathPattern::parse(&format!("{}{end}", "a*".repeat(254))).unwrap();
        let found = long("/x").overlap(&long("/?"), &mut Effort::default());
        assert_eq!(found, Overlap::Common);
        let found = long("x?").overlap(&long("??y?"), &mut Effort::default());
        assert_ne!(found, Overlap::TooCostly);
    }

    /// Numbers that are the same in every run.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, most: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(self.0 >> 33).unwrap() % most
        }

        fn pattern(&mut self) -> String {
            const PARTS: [&str; 16] = [
                "a", "b", "/", "a/", "/b", "?", "*", "**", "**/", "/**", "[ab]", "[!a]", "{a,b}",
                "{a/b,b}", "{*,a}", "\\*",
            ];
            (0..=self.below(2)).map(|_| PARTS[self.below(PARTS.len())]).collect()
        }
    }

    /// Every text of at most `longest` letters.
    fn words(longest: usize) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut from = 0;
        for _ in 0..longest {
            let until = words.len();
            for n in from..until {
                for letter in ["a", "b", "c", "*", "/"] {
                    words.push(format!("{}{letter}", words[n]));
                }
            }
            from = until;
        }
        words
    }

    /// Random patterns against every short path, matched by `globset` alone.
    #[test]
    fn the_decision_agrees_with_trying_every_path() {
        let words = words(4);
        let mut dice = Dice(7);
        let mut patterns = std::collections::BTreeMap::new();
        while patterns.len() < 100 {
            let text = dice.pattern();
            let Ok(pattern) = PathPattern::parse(&text) else { continue };
            let glob = GlobBuilder::new(pattern.text()).literal_separator(true).build().unwrap();
            let matcher = glob.compile_matcher();
            for word in words.iter().take(156) {
                let Ok(path) = check_path(word) else { continue };
                let found = pattern.overlap(&path, &mut Effort::default()) == Overlap::Common;
                assert_eq!(found, matcher.is_match(word), "{text} {word}");
            }
            let bits = |some: &[String]| {
                let bit = |(n, word): (usize, &String)| u64::from(matcher.is_match(word)) << n;
                some.iter().enumerate().map(bit).sum()
            };
            let matched: Vec<u64> = words.chunks(64).map(bits).collect();
            patterns.insert(text, (pattern, matched));
        }
        let mut apart = 0;
        for (one, (left, ours)) in &patterns {
            for (two, (right, theirs)) in &patterns {
                let common = ours.iter().zip(theirs).any(|(a, b)| a & b != 0);
                let found = left.overlap(right, &mut Effort::default());
                assert_eq!(found == Overlap::Common, common, "{one} {two}");
                assert_ne!(found, Overlap::TooCostly);
                apart += usize::from(!common);
            }
        }
        assert!(apart > 500, "{apart}");
    }
}
