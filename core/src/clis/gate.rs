//! Finds the calls of CLIs in a command that was analysed, wherever they stand in it.
//!
//! It looks at what the analysis says is run, and not at how it is spelled. What it misses finds no
//! binary: commands do not see the files of CLIs.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use globset::Glob;

use crate::shell::{
    Access, Analysis, CodeFrom, Effect, Env, Invocation, Locus, Origin, Stdin, Stdout, Value,
    analyse,
    ir::{CommandKind, Piece, Script, SimpleCommand, Word},
    place, program_name,
};

use super::binary::program_folders;

/// A CLI as the gate knows it.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    name: String,
    path: Option<PathBuf>,
    file: Option<File>,
}

/// Which file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct File {
    device: u64,
    inode: u64,
    size: u64,
}

impl File {
    fn of(path: &Path) -> Option<File> {
        let data = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some(File { device: data.dev(), inode: data.ino(), size: data.len() })
    }
}

impl Known {
    /// A CLI of that name, whose binary stands there, without links.
    pub(crate) fn new(name: &str, path: Option<PathBuf>) -> Known {
        let file = path.as_deref().and_then(File::of);
        Known { name: name.to_owned(), path, file }
    }

    /// Where its binary is, without links.
    pub(crate) fn path(&self) -> Option<&PathBuf> {
        self.path.as_ref()
    }

    /// True if a program's name is its name, in whatever letters.
    fn is_named(&self, program: &str) -> bool {
        let name = program_name(program);
        let stem = name.len().checked_sub(".exe".len()).and_then(|at| name.split_at_checked(at));
        let name = match stem {
            Some((stem, end)) if end.eq_ignore_ascii_case(".exe") => stem,
            _ => name,
        };
        name.eq_ignore_ascii_case(&self.name)
    }

    /// True if a file is its binary, a link to it, or a copy of it.
    fn is_file(&self, path: &Path) -> bool {
        let Some(own) = self.file else { return false };
        let Some(found) = File::of(path) else { return false };
        (found.device, found.inode) == (own.device, own.inode)
            || found.size == own.size
                && self.path.as_deref().is_some_and(|own| is_copy(own, path).unwrap_or(true))
    }
}

/// True if two files of the same size have the same content.
fn is_copy(one: &Path, other: &Path) -> std::io::Result<bool> {
    let (mut one, mut other) = (fs::File::open(one)?, fs::File::open(other)?);
    let mut parts = [vec![0; 64 * 1024], vec![0; 64 * 1024]];
    loop {
        let [first, second] = &mut parts;
        let read = one.read(first)?;
        if read == 0 {
            return Ok(true);
        }
        if other.read_exact(&mut second[..read]).is_err() || first[..read] != second[..read] {
            return Ok(false);
        }
    }
}

/// A call that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Called {
    /// The command is just that: the CLI's position in the list, and its arguments.
    Alone(usize, Vec<String>),
    /// The call stands in something bigger, or may; how, for a reader.
    Within(usize, String),
}

/// Looks for calls of CLIs in a command; blocking, it looks at files. The first that is found counts.
pub(crate) fn look(analysis: &Analysis, env: &Env, clis: &[Known]) -> Option<Called> {
    if clis.is_empty() {
        return None;
    }
    let gate = Gate { env, clis };
    gate.alone(analysis).or_else(|| {
        let (at, how) = gate.within(analysis, 0)?;
        Some(Called::Within(at, how))
    })
}

struct Gate<'g> {
    env: &'g Env,
    clis: &'g [Known],
}

/// A CLI by its position, and how it is called.
type Hit = (usize, String);

/// How deep texts within texts are looked into here. Those that a shell would run are a matter of the
/// analysis, which goes deeper.
const DEEPEST: usize = 3;

impl Gate<'_> {
    fn alone(&self, analysis: &Analysis) -> Option<Called> {
        let words = plain_words(&analysis.script)?;
        if !analysis.problems.is_empty() {
            return None;
        }
        let (program, arguments) = words.split_first()?;
        let named = |cli: &Known| !program.contains('/') && cli.is_named(program);
        let here = |cli: &Known| {
            let real =
                program.starts_with('/').then(|| Path::new(program).canonicalize().ok())??;
            (cli.path.as_ref() == Some(&real)).then_some(())
        };
        let at = self.clis.iter().position(|cli| named(cli) || here(cli).is_some())?;
        Some(Called::Alone(at, arguments.to_vec()))
    }

    fn within(&self, analysis: &Analysis, depth: usize) -> Option<Hit> {
        let calls = analysis.invocations.iter().enumerate();
        calls
            .filter(|(_, call)| call.locus == Locus::Here)
            .find_map(|(number, call)| self.of_call(analysis, number, call, depth))
            .or_else(|| {
                analysis.found.iter().find_map(|found| self.of_effect(&found.effect, depth))
            })
            .or_else(|| self.not_understood(analysis))
    }

    fn of_call(
        &self,
        analysis: &Analysis,
        number: usize,
        call: &Invocation,
        depth: usize,
    ) -> Option<Hit> {
        self.of_program(call)
            .or_else(|| self.of_builtin(call, depth))
            .or_else(|| self.looked_up(call))
            .or_else(|| self.handed_on(analysis, number, call))
    }

    /// The program itself.
    fn of_program(&self, call: &Invocation) -> Option<Hit> {
        if call.builtin {
            return None;
        }
        let how = |cli: usize| (cli, "it stands in a bigger command".to_owned());
        let value = &call.program.value;
        if let Some(programs) = value.possible() {
            return programs.iter().find_map(|program| self.is_program(program, call)).map(how);
        }
        let may_be = |cli: &Known| match value.origin() {
            Some(Origin::Glob(pattern)) => {
                let pattern = Glob::new(&program_name(pattern).to_ascii_lowercase());
                pattern.map_or(true, |pattern| pattern.compile_matcher().is_match(&cli.name))
            }
            _ => cli.name.starts_with(&program_name(value.prefix()).to_ascii_lowercase()),
        };
        let at = self.clis.iter().position(may_be)?;
        Some((at, "what is run is known only when it runs, and may be the CLI".to_owned()))
    }

    /// The CLI that a program is: by its name, or by its file.
    fn is_program(&self, program: &str, call: &Invocation) -> Option<usize> {
        let named = self.clis.iter().position(|cli| cli.is_named(program));
        named.or_else(|| {
            if self.clis.iter().all(|cli| cli.file.is_none()) {
                return None;
            }
            let paths: Vec<PathBuf> = if program.contains('/') {
                let path = place::resolve(&Value::known(program), &call.cwd, self.env);
                path.as_known().map(PathBuf::from).into_iter().collect()
            } else {
                program_folders().iter().map(|folder| folder.join(program)).collect()
            };
            self.clis.iter().position(|cli| paths.iter().any(|path| cli.is_file(path)))
        })
    }

    /// What `alias`, `trap`, `hash -p` and `complete` keep to be run later.
    fn of_builtin(&self, call: &Invocation, depth: usize) -> Option<Hit> {
        let name = call.program.value.as_known().map(program_name)?;
        if !matches!(name, "alias" | "hash" | "trap" | "complete" | "bind" | "enable" | "abbr") {
            return None;
        }
        call.arguments.iter().find_map(|word| {
            let text = word
                .value
                .possible()
                .map_or(word.value.prefix(), |all| all.first().map_or("", |s| s));
            let text = if name == "alias" {
                text.split_once('=').map_or("", |(_, text)| text)
            } else {
                text
            };
            let at = self.of_text(text, depth)?;
            Some((at, format!("`{name}` keeps it to be run later")))
        })
    }

    /// The CLI that a text calls where a shell runs it.
    fn of_text(&self, text: &str, depth: usize) -> Option<usize> {
        if text.trim().is_empty() || depth >= DEEPEST || !self.is_mentioned(text) {
            return None;
        }
        let analysis = analyse(text, self.env);
        let alone = match self.alone(&analysis) {
            Some(Called::Alone(at, _)) => Some(at),
            _ => None,
        };
        alone.or_else(|| Some(self.within(&analysis, depth + 1)?.0))
    }

    /// Where `which gh` gives its path to another command.
    fn looked_up(&self, call: &Invocation) -> Option<Hit> {
        const LOOKING: &[&str] =
            &["which", "type", "command", "whereis", "whence", "readlink", "realpath", "locate"];
        let name = call.program.value.as_known().map(program_name)?;
        if !LOOKING.contains(&name) || !matches!(call.stdout, Stdout::Substitution | Stdout::Pipe) {
            return None;
        }
        let at = self.named_by(call)?;
        Some((at, "its path is looked up to be used".to_owned()))
    }

    /// The CLI that one of the arguments is.
    fn named_by(&self, call: &Invocation) -> Option<usize> {
        let words = call.arguments.iter().filter_map(|word| word.value.possible()).flatten();
        words.filter_map(|word| self.clis.iter().position(|cli| cli.is_named(word))).next()
    }

    /// Programs that may run what they are given, where that cannot be known.
    fn handed_on(&self, analysis: &Analysis, number: usize, call: &Invocation) -> Option<Hit> {
        let own = analysis.found.iter().filter(|found| found.by == Some(number));
        let mut is_unknown = false;
        let mut is_code = false;
        for found in own {
            match &found.effect {
                Effect::Unmodelled { .. } => is_unknown = true,
                Effect::Dynamic { .. } => is_code = true,
                Effect::Code { from: CodeFrom::Inline(language) } => is_code |= !is_read(language),
                Effect::Code {
                    from: CodeFrom::Setting(_) | CodeFrom::Stdin | CodeFrom::Decoded,
                } => {
                    is_code = true;
                }
                _ => {}
            }
        }
        if !is_unknown && !is_code {
            return None;
        }
        let texts = call.arguments.iter().filter_map(|word| word.value.possible()).flatten();
        let stdin = match &call.stdin {
            Stdin::Text(text) => text.possible().unwrap_or_default(),
            _ => &[],
        };
        let program = call.program.value.as_known().map_or("a program", program_name);
        let how = |at| (at, format!("`{program}` may run it"));
        let at = |fits: &dyn Fn(&Known) -> bool| self.clis.iter().position(fits);
        let of_word = texts.into_iter().find_map(|text| {
            let first = text.split_whitespace().next().unwrap_or_default();
            let is_code = is_code || text.contains(['(', ';', '|', '`', '!', '$', '"', '\n']);
            at(&|cli| cli.is_named(first) || is_code && mentions(text, &cli.name))
        });
        // What a program reads that nobody knows may be code of its own.
        let of_input = || stdin.iter().find_map(|text| at(&|cli| mentions(text, &cli.name)));
        of_word.or_else(of_input).map(how)
    }

    fn of_effect(&self, effect: &Effect, depth: usize) -> Option<Hit> {
        match effect {
            Effect::File(file) if file.access != Access::List => {
                let path = file.path.as_known()?;
                let at = self.clis.iter().position(|cli| self.is_binary(cli, path))?;
                Some((at, "its binary is read, copied, linked or changed".to_owned()))
            }
            Effect::EnvironmentInjection { name, value } => {
                let values = value.possible().unwrap_or_default();
                let at = values.iter().find_map(|text| self.of_text(text, depth))?;
                Some((at, format!("the variable `{name}` has it run by another program")))
            }
            _ => None,
        }
    }

    /// True if a path is a CLI's binary, or would be if it were installed.
    fn is_binary(&self, cli: &Known, path: &str) -> bool {
        let at = Path::new(path);
        if cli.path.as_deref() == Some(at) || cli.file.is_some() && cli.is_file(at) {
            return true;
        }
        let is_program = |folder: &Path| program_folders().iter().any(|one| one == folder);
        cli.is_named(path) && at.parent().is_some_and(is_program)
    }

    /// Where a part of the text was not understood and the CLI is named somewhere in it.
    fn not_understood(&self, analysis: &Analysis) -> Option<Hit> {
        let is_dynamic = |effect: &Effect| matches!(effect, Effect::Dynamic { .. });
        let is_unclear = !analysis.problems.is_empty()
            || analysis.found.iter().any(|found| is_dynamic(&found.effect));
        if !is_unclear {
            return None;
        }
        let at = self.clis.iter().position(|cli| mentions(&analysis.text, &cli.name))?;
        Some((at, "a part of the command cannot be understood".to_owned()))
    }

    fn is_mentioned(&self, text: &str) -> bool {
        let unquoted: String = text.chars().filter(|c| !"'\"\\".contains(*c)).collect();
        let is_plain = |cli: &Known| mentions(&unquoted, &cli.name);
        // What is put together when it runs may be anything.
        self.clis.iter().any(is_plain) || text.contains(['$', '`', '*', '?', '['])
    }
}

/// Languages whose code is read: what it runs is found like any other program.
fn is_read(language: &str) -> bool {
    matches!(language, "python" | "javascript" | "perl" | "ruby" | "php" | "lua" | "awk" | "sed")
}

/// True if a text has a name as a word of its own.
fn mentions(text: &str, name: &str) -> bool {
    let (text, name) = (text.to_ascii_lowercase(), name.to_ascii_lowercase());
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(&name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(part) && !after.starts_with(part)
    })
}

/// The words of a text that is one command of literal words, without anything of a shell's.
fn plain_words(script: &Script) -> Option<Vec<String>> {
    let [item] = &script.items[..] else { return None };
    let [command] = &item.pipeline.commands[..] else { return None };
    let CommandKind::Simple(SimpleCommand { assignments, words, arrays }) = &command.kind else {
        return None;
    };
    let is_plain = !item.background
        && !item.pipeline.negated
        && command.redirections.is_empty()
        && assignments.is_empty()
        && arrays.is_empty();
    is_plain.then(|| words.iter().map(literal).collect())?
}

fn literal(word: &Word) -> Option<String> {
    let piece = |piece: &Piece| match piece {
        Piece::Literal { text, .. } => Some(text.clone()),
        _ => None,
    };
    word.pieces.iter().map(piece).collect()
}
