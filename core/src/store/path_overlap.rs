//! Whether two glob patterns could match a common path.
//!
//! A pattern means what `globset` says it means, with `literal_separator`, as in the file tools:
//! its regular expression becomes an automaton, and two patterns overlap if both automatons can
//! end on the same bytes. The answer errs on one side only: "apart" is always true.

use std::collections::HashSet;

use globset::{Glob, GlobBuilder};
use regex_automata::nfa::thompson::{NFA, State, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_automata::util::syntax;

use crate::id::check_key;

/// How much looking one decision may cost, over all pairs of patterns. Past it patterns count as
/// overlapping: a pattern can be built to be slow to compare, and a model may have written it.
const MOST_STEPS: usize = 1_000_000;

/// A pattern that was checked.
pub(super) struct PathPattern {
    glob: Glob,
    /// What every path that it matches begins with.
    prefix: String,
    /// True if it matches the prefix and nothing else.
    literal: bool,
}

/// The steps that are left for a decision.
pub(super) struct Steps(usize);

impl Default for Steps {
    fn default() -> Steps {
        Steps(MOST_STEPS)
    }
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
        let special = pattern.find(['*', '?', '[', '{', '\\']);
        let prefix = pattern[..special.unwrap_or(pattern.len())].to_owned();
        Ok(PathPattern { glob, prefix, literal: special.is_none() && !pattern.contains('}') })
    }

    /// The pattern as text.
    pub(super) fn text(&self) -> &str {
        self.glob.glob()
    }

    /// True if the path is one of its paths.
    pub(super) fn matches(&self, path: &str) -> bool {
        match self.literal {
            true => path == self.prefix,
            false => path.starts_with(&self.prefix) && self.glob.compile_matcher().is_match(path),
        }
    }

    /// False only if no path is matched by both.
    pub(super) fn overlaps(&self, other: &PathPattern, steps: &mut Steps) -> bool {
        if !(self.prefix.starts_with(&other.prefix) || other.prefix.starts_with(&self.prefix)) {
            return false;
        }
        match (self.literal, other.literal) {
            (true, true) => self.prefix == other.prefix,
            (true, false) => other.matches(&self.prefix),
            (false, true) => self.matches(&other.prefix),
            (false, false) => match (automaton(&self.glob), automaton(&other.glob)) {
                (Some(one), Some(two)) => ends_together(&one, &two, steps),
                _ => true,
            },
        }
    }
}

/// A path as the store compares it: relative, without `.` and `..`.
///
/// # Errors
///
/// A sentence that says what is wrong with it.
pub(super) fn check_path(path: &str) -> Result<&str, String> {
    let path = path.strip_prefix("./").unwrap_or(path);
    if path.is_empty() || path.contains('\0') {
        return Err("`path` is empty or contains a NUL character; name a file".into());
    }
    check_relative("path", path)?;
    Ok(path)
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

fn automaton(glob: &Glob) -> Option<NFA> {
    let syntax = syntax::Config::new().utf8(false).dot_matches_new_line(true);
    let config = NFA::config().utf8(false).which_captures(WhichCaptures::None);
    NFA::compiler().syntax(syntax).configure(config).build(glob.regex()).ok()
}

/// True if some bytes bring both automatons to their ends, or if the steps run out.
fn ends_together(one: &NFA, two: &NFA, steps: &mut Steps) -> bool {
    let start = (one.start_anchored(), two.start_anchored());
    let mut seen = HashSet::from([start]);
    let mut open = vec![start];
    while let Some((a, b)) = open.pop() {
        if steps.0 == 0 {
            return true;
        }
        steps.0 -= 1;
        let (left, right) = (one.state(a), two.state(b));
        let mut next = Vec::new();
        match (free(left), free(right)) {
            (Some(moves), _) => next.extend(moves.into_iter().map(|a| (a, b))),
            (None, Some(moves)) => next.extend(moves.into_iter().map(|b| (a, b))),
            (None, None) => {
                if matches!((left, right), (State::Match { .. }, State::Match { .. })) {
                    return true;
                }
                let rights = ranges(right);
                for (from, to, a) in ranges(left) {
                    let common = rights.iter().filter(|(low, high, _)| from <= *high && *low <= to);
                    next.extend(common.map(|(_, _, b)| (a, *b)));
                }
            }
        }
        open.extend(next.into_iter().filter(|pair| seen.insert(*pair)));
    }
    false
}

/// Where a state leads without a byte; none if it takes a byte or ends. The only looks are the
/// first `^` and the last `$`, where they always hold.
fn free(state: &State) -> Option<Vec<StateID>> {
    match state {
        State::Look { next, .. } | State::Capture { next, .. } => Some(vec![*next]),
        State::Union { alternates } => Some(alternates.to_vec()),
        State::BinaryUnion { alt1, alt2 } => Some(vec![*alt1, *alt2]),
        State::ByteRange { .. }
        | State::Sparse(_)
        | State::Dense(_)
        | State::Fail
        | State::Match { .. } => None,
    }
}

/// Where a state leads with a byte: from, to (both included), next.
fn ranges(state: &State) -> Vec<(u8, u8, StateID)> {
    match state {
        State::ByteRange { trans } => vec![(trans.start, trans.end, trans.next)],
        State::Sparse(sparse) => {
            sparse.transitions.iter().map(|t| (t.start, t.end, t.next)).collect()
        }
        State::Dense(dense) => {
            let led = |byte| dense.matches_byte(byte).map(|next| (byte, byte, next));
            (0..=u8::MAX).filter_map(led).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(one: &str, two: &str) -> bool {
        let (one, two) = (PathPattern::parse(one).unwrap(), PathPattern::parse(two).unwrap());
        let found = one.overlaps(&two, &mut Steps::default());
        assert_eq!(two.overlaps(&one, &mut Steps::default()), found);
        found
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
    fn what_costs_too_much_to_compare_counts_as_overlapping() {
        let slow = |end: &str| PathPattern::parse(&format!("{}{end}", "*a".repeat(60))).unwrap();
        let (one, two) = (slow("x"), slow("y"));
        assert!(!one.overlaps(&two, &mut Steps::default()));
        let mut few = Steps(1_000);
        assert!(one.overlaps(&two, &mut few));
        assert_eq!(few.0, 0);
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
            for word in words.iter().take(31) {
                assert_eq!(pattern.matches(word), matcher.is_match(word), "{text} {word}");
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
                let found = left.overlaps(right, &mut Steps::default());
                assert_eq!(found, common, "{one} {two}");
                apart += usize::from(!found);
            }
        }
        assert!(apart > 500, "{apart}");
    }
}
