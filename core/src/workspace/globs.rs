//! Patterns for paths, as models write them.

use std::borrow::Cow;
use std::path::Path;

use globset::Glob;
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};

use crate::limits::echo;
use crate::nearest::nearest_few;

/// The most patterns of a call.
const MOST: usize = 100;

/// The most braces that one pattern opens. They are compiled by a function that calls itself for
/// each that is open, and many thousands would take more stack than there is.
const MOST_BRACES: usize = 64;

/// How many types are named that may have been meant.
const MOST_LIKELY: usize = 5;
/// Types to name where none is likely.
const EXAMPLES: [&str; 8] = ["rust", "py", "js", "ts", "go", "java", "c", "md"];

/// What paths must be like, counted from the folder that is looked through. As in `.gitignore`: one
/// without a slash is about names in any folder, others are about the whole path; `*` matches no
/// slash, `**` does; `{a,b}` is either. `!` in front excludes, folders with all that is in them.
#[derive(Clone, Debug)]
pub struct Globs {
    all: Override,
    /// Those that name something hidden. Nothing hidden is found by the others.
    dotted: Option<Override>,
    /// The types of files. None: every type.
    types: Option<Types>,
}

/// Everything matches.
impl Default for Globs {
    fn default() -> Globs {
        Globs { all: Override::empty(), dotted: None, types: None }
    }
}

/// A pattern that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadGlob {
    /// It cannot be read.
    #[error("`{}` is no glob: {problem}{}", echo(glob), escaping(glob))]
    Syntax {
        /// The pattern.
        glob: String,
        /// Why not.
        problem: String,
    },
    /// It has `..` in it.
    #[error("the glob `{}` has `..` in it; globs count from `path`, so give another path", echo(.0))]
    Parent(String),
    /// It begins with `!` where all patterns leave out.
    #[error(
        "the glob `{}` begins with `!`, and all of these globs leave out; give it without the `!`",
        echo(.0)
    )]
    Twice(String),
    /// There are more than 100.
    #[error("there are more than {MOST} globs")]
    TooMany,
    /// It opens more than 64 braces.
    #[error("the glob `{}` opens more than {MOST_BRACES} braces; give several globs", echo(.0))]
    Braces(String),
}

/// How to write a bracket or a brace that is part of a name.
fn escaping(glob: &str) -> &'static str {
    match glob.contains(['[', '{']) {
        true => "; a bracket or a brace of a name is written with a backslash before it, as `\\[`",
        false => "",
    }
}

/// A type of files that nobody knows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is no type of files; {}. For anything else give globs, such as `*.{}`",
    echo(name),
    likely.join(", "),
    echo(name)
)]
pub(crate) struct UnknownType {
    name: String,
    /// What may have been meant.
    likely: Vec<String>,
}

impl UnknownType {
    fn new(name: &str) -> UnknownType {
        let mut known = TypesBuilder::new();
        let known = known.add_defaults().definitions();
        let ending = format!("*.{}", name.trim_start_matches(['*', '.']));
        let by_ending = known.iter().filter(|def| def.globs().contains(&ending));
        let mut likely: Vec<&str> = by_ending.map(|def| def.name()).collect();
        if likely.is_empty() {
            likely = nearest_few(name, known.iter().map(|def| def.name()), MOST_LIKELY);
        }
        let what = if likely.is_empty() { "known are " } else { "you may mean " };
        if likely.is_empty() {
            likely = EXAMPLES.to_vec();
        }
        let mut likely: Vec<String> = likely.iter().map(|name| format!("`{name}`")).collect();
        if let Some(first) = likely.first_mut() {
            first.insert_str(0, what);
        }
        UnknownType { name: name.to_owned(), likely }
    }
}

impl BadGlob {
    /// The same about the glob as it was written.
    fn of_excluded(self) -> BadGlob {
        let written = |glob: String| glob.strip_prefix('!').map_or(glob.clone(), str::to_owned);
        match self {
            BadGlob::Syntax { glob, problem } => BadGlob::Syntax { glob: written(glob), problem },
            BadGlob::Parent(glob) => BadGlob::Parent(written(glob)),
            BadGlob::Braces(glob) => BadGlob::Braces(written(glob)),
            other => other,
        }
    }
}

/// True if a pattern opens more braces than may be compiled. Whoever did not write it himself asks
/// before each compilation.
pub(super) fn has_too_many_braces(glob: &str) -> bool {
    let mut escaped = false;
    let mut open = 0;
    for byte in glob.bytes() {
        open += usize::from(byte == b'{' && !escaped);
        escaped = byte == b'\\' && !escaped;
    }
    open > MOST_BRACES
}

impl Globs {
    pub(crate) fn new(globs: &[String]) -> Result<Globs, BadGlob> {
        if globs.len() > MOST {
            return Err(BadGlob::TooMany);
        }
        let globs: Vec<String> = globs.iter().map(|glob| normal(glob)).collect();
        if let Some(glob) = globs.iter().find(|glob| leads_up(glob)) {
            return Err(BadGlob::Parent(glob.clone()));
        }
        if let Some(glob) = globs.iter().find(|glob| has_too_many_braces(glob)) {
            return Err(BadGlob::Braces(glob.clone()));
        }
        let dotted: Vec<&String> = globs.iter().filter(|glob| names_hidden(glob)).collect();
        let dotted = match dotted.is_empty() {
            true => None,
            false => Some(compiled(dotted)?),
        };
        Ok(Globs { all: compiled(&globs)?, dotted, types: None })
    }

    /// The same, and only files of one type, as ripgrep names them: `rust`, `py`, `js`.
    ///
    /// # Errors
    /// [`UnknownType`]
    pub(crate) fn of_type(self, name: &str) -> Result<Globs, UnknownType> {
        let mut types = TypesBuilder::new();
        types.add_defaults().select(name);
        let types = types.build().map_err(|_| UnknownType::new(name))?;
        Ok(Globs { types: Some(types), ..self })
    }

    /// The other way round: nothing that one of these matches.
    ///
    /// # Errors
    /// The pattern that is none, or that there are too many.
    pub fn excluding(globs: &[String]) -> Result<Globs, BadGlob> {
        if let Some(glob) = globs.iter().find(|glob| glob.starts_with('!')) {
            return Err(BadGlob::Twice(glob.clone()));
        }
        let excluded: Vec<String> = globs.iter().map(|glob| format!("!{glob}")).collect();
        Globs::new(&excluded).map_err(|bad| bad.of_excluded())
    }

    /// True for what none of the globs is about, when all of them exclude.
    pub(super) fn keeps(&self, path: &Path, is_folder: bool) -> bool {
        !self.all.matched(path, is_folder).is_ignore()
    }

    /// True if a pattern names something hidden.
    pub(super) fn name_hidden(&self) -> bool {
        self.dotted.is_some()
    }

    /// True if files in the folder may match.
    pub(super) fn enter(&self, folder: &Path) -> bool {
        !self.all.matched(folder, true).is_ignore()
    }

    /// True if the file matches. Something hidden on the way to it takes a pattern that says so,
    /// unless all that is hidden is looked at.
    pub(super) fn match_file(&self, file: &Path, is_hidden: bool) -> bool {
        let is_of_type = |types: &Types| types.matched(file, false).is_whitelist();
        if self.all.matched(file, false).is_ignore() || !self.types.as_ref().is_none_or(is_of_type)
        {
            return false;
        }
        match &self.dotted {
            Some(dotted) if is_hidden => dotted.matched(file, false).is_whitelist(),
            _ => true,
        }
    }
}

fn compiled<'g>(globs: impl IntoIterator<Item = &'g String>) -> Result<Override, BadGlob> {
    let mut builder = OverrideBuilder::new(".");
    for glob in globs {
        let bad = |error: ignore::Error| BadGlob::Syntax {
            glob: glob.clone(),
            problem: match error {
                ignore::Error::Glob { err, .. } => err,
                error => error.to_string(),
            },
        };
        builder.add(&with_bracketed_names(glob)).map_err(bad)?;
    }
    let bad = |error: ignore::Error| BadGlob::Syntax {
        glob: "globs".to_owned(),
        problem: error.to_string(),
    };
    builder.build().map_err(bad)
}

/// A glob in which `[abc]` stands for one of these characters, and for a name with those brackets too, as
/// folders of routes have: `app/[id]/page.tsx`. Where it is no range of characters it is only a name.
pub(super) fn with_bracketed_names(glob: &str) -> Cow<'_, str> {
    let mut rest = glob;
    let mut all = String::new();
    for _ in 0..MOST_BRACES {
        let found = opening(rest).and_then(|at| Some((at, class_length(&rest[at..])?)));
        let Some((at, length)) = found else { break };
        let (class, behind) = rest[at..].split_at(length);
        all.push_str(&rest[..at]);
        let mut name = String::new();
        for character in class.chars() {
            if "*?[]{},!\\".contains(character) {
                name.push('\\');
            }
            name.push(character);
        }
        match Glob::new(class) {
            Ok(_) => all.push_str(&format!("{{{class},{name}}}")),
            Err(_) => all.push_str(&name),
        }
        rest = behind;
    }
    if all.is_empty() { glob.into() } else { (all + rest).into() }
}

/// Where the first bracket opens that no backslash stands before.
fn opening(glob: &str) -> Option<usize> {
    let mut is_escaped = false;
    glob.bytes().position(|byte| {
        let opens = byte == b'[' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        opens
    })
}

/// How long a set of characters is that begins there; none where it is not closed within a name.
fn class_length(glob: &str) -> Option<usize> {
    let inner = glob[1..].strip_prefix(['!', '^']).unwrap_or(&glob[1..]);
    // A bracket that comes first is one of the characters.
    let from = glob.len() - inner.strip_prefix(']').unwrap_or(inner).len();
    let length = from + glob[from..].find(']')? + 1;
    (!glob[..length].contains('/')).then_some(length)
}

fn leads_up(glob: &str) -> bool {
    glob.trim_start_matches('!').split('/').any(|name| name == "..")
}

/// A folder means all that is in it, and `./` means nothing.
fn normal(glob: &str) -> String {
    let (not, glob) = match glob.strip_prefix('!') {
        Some(glob) => ("!", glob),
        None => ("", glob),
    };
    let mut below = glob;
    while let Some(rest) = below.strip_prefix("./") {
        below = rest;
    }
    let anchor = if below.len() < glob.len() && !below.contains('/') { "/" } else { "" };
    let all = if below.ends_with('/') && not.is_empty() { "**" } else { "" };
    format!("{not}{anchor}{below}{all}")
}

fn names_hidden(glob: &str) -> bool {
    let begins = ["/.", "{.", ",."].iter().any(|start| glob.contains(start));
    !glob.starts_with('!') && (glob.starts_with('.') || begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn globs(globs: &[&str]) -> Result<Globs, BadGlob> {
        Globs::new(&globs.iter().map(|glob| (*glob).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn patterns_mean_what_they_mean_in_a_gitignore() {
        for (patterns, path, matches) in [
            (&[][..], "a/b.rs", true),
            (&["*.rs"][..], "a/b.rs", true),
            (&["*.rs"][..], "a/b.rss", false),
            (&["src/*.rs"][..], "src/b.rs", true),
            (&["src/*.rs"][..], "src/a/b.rs", false),
            (&["src/*.rs"][..], "a/src/b.rs", false),
            (&["src/**/*.rs"][..], "src/b.rs", true),
            (&["src/"][..], "src/a/b.rs", true),
            (&["./*.rs"][..], "b.rs", true),
            (&["./*.rs"][..], "a/b.rs", false),
            (&["*.{rs,toml}"][..], "Cargo.toml", true),
            (&["*.rs", "!b.*"][..], "a/b.rs", false),
            (&["!b.*"][..], "a/c.rs", true),
            (&["[ab].rs"][..], "a.rs", true),
            (&["[ab].rs"][..], "[ab].rs", true),
            (&["[ab].rs"][..], "c.rs", false),
            (&["app/[locale]/**/*.tsx"][..], "app/[locale]/a/b.tsx", true),
            (&["app/[locale]/**/*.tsx"][..], "app/[local]/a/b.tsx", false),
            (&["app/[...slug]/*.tsx"][..], "app/[...slug]/b.tsx", true),
            (&["app/[[...slug]]/*.tsx"][..], "app/[[...slug]]/b.tsx", true),
            (&["app/[user-id]/*"][..], "app/[user-id]/b.tsx", true),
            (&["app/(group)/@slot/(..)x/[id]/*"][..], "app/(group)/@slot/(..)x/[id]/b", true),
            (&["[a-c]*/[id]/x.{ts,tsx}"][..], "b1/[id]/x.ts", true),
            (&["[id].tsx"][..], "a/[id].tsx", true),
            (&["[!a].rs"][..], "b.rs", true),
            (&["[!a].rs"][..], "a.rs", false),
            (&["[!a].rs"][..], "[!a].rs", true),
            (&[r"\[id\]/*"][..], "[id]/x", true),
            (&[r"\[id\]/*"][..], "i/x", false),
            (&["{[id],x}/*"][..], "[id]/x", true),
            (&["[]a].rs"][..], "].rs", true),
            (&["!app/[locale]/**"][..], "app/[locale]/x", false),
        ] {
            let globs = globs(patterns).unwrap();
            assert_eq!(globs.match_file(Path::new(path), false), matches, "{patterns:?} {path}");
        }
    }

    #[test]
    fn only_a_pattern_that_names_something_hidden_finds_it() {
        let globs = globs(&["*.yml", ".github/**", "!.git"]).unwrap();
        assert!(globs.name_hidden());
        assert!(globs.match_file(Path::new(".github/x.yml"), true));
        assert!(!globs.match_file(Path::new(".other/x.yml"), true));
        assert!(globs.match_file(Path::new("x.yml"), false));
        assert!(!globs.enter(Path::new(".git")));
        assert!(globs.enter(Path::new("src")));
    }

    #[test]
    fn a_type_is_one_of_ripgreps_and_an_unknown_one_names_the_likely() {
        let of_type = |name: &str| globs(&["!b.*"]).unwrap().of_type(name);
        let rust = of_type("rust").unwrap();
        assert!(rust.match_file(Path::new("a/x.rs"), false));
        assert!(!rust.match_file(Path::new("a/x.py"), false));
        assert!(!rust.match_file(Path::new("b.rs"), false), "the globs hold besides");
        let refusal = |name: &str| of_type(name).unwrap_err().to_string();
        assert!(refusal("rs").contains("you may mean `rust`"), "{}", refusal("rs"));
        assert!(refusal(".tsx").contains("`ts`"), "{}", refusal(".tsx"));
        assert!(refusal("pyton").contains("`python`"), "{}", refusal("pyton"));
        assert!(refusal("####").contains("known are `rust`"), "{}", refusal("####"));
    }

    #[test]
    fn what_is_excluded_is_a_name_anywhere_or_a_path_from_the_start() {
        let globs = |globs: &[&str]| {
            Globs::excluding(&globs.iter().map(|glob| (*glob).to_owned()).collect::<Vec<_>>())
        };
        for (pattern, path, is_folder, kept) in [
            ("*.log", "a/b.log", false, false),
            ("*.log", "a/b.rs", false, true),
            ("target", "a/target", true, false),
            ("target/", "target", true, false),
            ("target/", "target", false, true),
            ("a/*.rs", "a/b.rs", false, false),
            ("a/*.rs", "b/a/b.rs", false, true),
            ("**/node_modules/**", "a/node_modules/b", false, false),
            ("./b.rs", "a/b.rs", false, true),
        ] {
            let globs = globs(&[pattern]).unwrap();
            assert_eq!(globs.keeps(Path::new(path), is_folder), kept, "{pattern} {path}");
        }
        assert!(globs(&[]).unwrap().keeps(Path::new("a"), false));
        let refusal = |pattern: &str| globs(&[pattern]).unwrap_err().to_string();
        assert!(refusal("{b").starts_with("`{b` is no glob: "));
        assert!(refusal("!b").contains("without the `!`"));
        assert!(refusal("../b").contains("glob `../b`"));
    }

    #[test]
    fn what_is_no_pattern_is_refused_by_its_name() {
        let refusal = |patterns: &[&str]| globs(patterns).unwrap_err().to_string();
        assert!(refusal(&["a", "{b"]).starts_with("`{b` is no glob: "));
        assert!(refusal(&["app/[id/*"]).contains(r"as `\[`"), "{}", refusal(&["app/[id/*"]));
        assert!(refusal(&["../*.rs"]).contains("`..`"));
        assert!(refusal(&["a"; 101]).contains("more than 100"));
    }
}
