//! Wrappers that run a command for each of many things: `xargs`, `find -exec`, `parallel`, `fd -x`.
//!
//! Where the things are known (a here-document, `printf … | xargs`), the command runs with them.
//! Otherwise it runs with a value that begins where the search begins, so that `find src -exec rm
//! {} +` deletes below `src`.

use super::prefix::options;
use super::{Wrapper, WrapperCall};
use crate::effect::Access;
use crate::invocation::program_name;
use crate::invocation::{Argument, Stdin};
use crate::model::{Grammar, Opt, Parsed, Style};
use crate::place;
use crate::value::{Origin, Value};

/// The wrapper commands of this file: their names, options and how they run what they run.
pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["xargs", "gxargs"],
        grammar: options![
            flag ["-0", "--null"], value ["-a", "--arg-file"], value ["-d", "--delimiter"], value ["-E"],
            attached ["-e", "--eof"], value ["-I"], attached ["-i", "--replace"], value ["-L"],
            attached ["-l", "--max-lines"], value ["-n", "--max-args"], value ["-P", "--max-procs"],
            flag ["-o", "--open-tty"], flag ["-p", "--interactive"], value ["--process-slot-var"],
            flag ["-r", "--no-run-if-empty"], value ["-s", "--max-chars"], flag ["--show-limits"],
            flag ["-t", "--verbose"], flag ["-x", "--exit"], value ["-J"], value ["-R"], value ["-S"],
            flag ["--help"], flag ["--version"],
        ],
        run: xargs,
    },
    Wrapper { names: &["find", "gfind", "bfs"], grammar: &OPERANDS, run: find },
    Wrapper { names: &["fd", "fdfind"], grammar: &OPERANDS, run: fd },
    Wrapper {
        names: &["parallel", "rush"],
        grammar: options![
            value ["-j", "--jobs", "-P"], value ["-n", "--max-args", "-N"], value ["-I"], value ["-d", "--delimiter"],
            value ["-a", "--arg-file"], value ["-C", "--colsep"], value ["--joblog"], value ["--results"],
            value ["--timeout"], value ["--retries"], value ["--delay"], value ["--tmpdir"], value ["--halt"],
            value ["--load"], value ["--memfree"], value ["-L"], value ["-S", "--sshlogin"], value ["--block"],
            flag ["-0", "--null"], flag ["-k", "--keep-order"], flag ["-v", "--verbose"], flag ["-q", "--quote"],
            flag ["-u", "--ungroup"], flag ["-m"], flag ["-X"], flag ["-r", "--no-run-if-empty"],
            flag ["--bar"], flag ["--progress"], flag ["--eta"], flag ["--pipe"], flag ["--dry-run"],
            flag ["--will-cite"], flag ["--tag"], flag ["--line-buffer", "--lb"], flag ["--linebuffer"],
            flag ["-t"], flag ["--no-notice"], flag ["--xargs"], flag ["--group"], flag ["--shuf"], flag ["-h", "--help"],
        ],
        run: parallel,
    },
];

/// No options: every word is an operand, and the code below reads it itself.
static OPERANDS: Grammar = Grammar { options: &[], style: Style::Operands, subcommands: &[] };

/// The words that are read from standard input, each as an argument; none if they are not known.
fn words_of(
    text: &Value,
    null: bool,
    delimiter: Option<&Argument>,
    lines: bool,
) -> Option<Vec<String>> {
    let text = text.as_known()?;
    let list = |separator: char| -> Vec<String> {
        text.trim_end_matches(separator).split(separator).map(str::to_owned).collect()
    };
    if null {
        return Some(list('\0'));
    }
    if let Some(delimiter) = delimiter {
        return match delimiter.value.as_known()? {
            "\\n" | "\n" => Some(list('\n')),
            "\\0" => Some(list('\0')),
            other => other.chars().next().filter(|_| other.chars().count() == 1).map(list),
        };
    }
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (Some(open), _) if open == char => quote = None,
            (Some(_), char) => word.get_or_insert_default().push(char),
            (None, '\'' | '"') => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (None, '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, '\n') => words.extend(word.take()),
            (None, ' ' | '\t') if !lines => words.extend(word.take()),
            (None, ' ' | '\t') if word.is_none() => {}
            (None, char) => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    Some(words)
}

/// The most commands that are run one by one. The rest of a longer list is unknown.
const MOST_ROUNDS: usize = 16;

/// The words that `xargs` reads, if they are known, and where they come from.
fn input(
    wrapper: &WrapperCall<'_, '_>,
    parsed: &Parsed<'_>,
    lines: bool,
) -> (Option<Vec<String>>, Origin) {
    let stdin = match parsed.value("-a") {
        Some(file) => {
            let path = place::resolve(&file.value, &wrapper.state.cwd, wrapper.interpreter.env);
            match path.as_known().and_then(|path| wrapper.interpreter.file(path)) {
                Some(text) => Stdin::Text(text.clone()),
                None if path.as_known().is_some_and(place::is_stdin) => {
                    wrapper.invocation.stdin.clone()
                }
                None => Stdin::File(path),
            }
        }
        None => wrapper.invocation.stdin.clone(),
    };
    let read = match &stdin {
        Stdin::Text(text) | Stdin::Rest(text) => {
            words_of(text, parsed.has("-0"), parsed.value("-d"), lines)
        }
        // The null device, or what a caller gives: nothing.
        Stdin::File(path) if path.as_known() == Some("/dev/null") => Some(Vec::new()),
        _ => None,
    };
    let origin = match &stdin {
        Stdin::Pipe(writers) => Origin::Output(writers.clone()),
        Stdin::Text(text) | Stdin::Rest(text) => text.origin().cloned().unwrap_or(Origin::Other),
        _ => Origin::Input,
    };
    (read, origin)
}

/// Evaluates what `xargs` runs.
#[expect(clippy::too_many_lines, reason = "one match arm per expression of `find`")]
fn xargs(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    if ["--help", "--version", "--show-limits"].iter().any(|option| parsed.has(option)) {
        return;
    }
    let replace =
        match (parsed.value("-I").or(parsed.value("-J")), parsed.value("-i"), parsed.has("-i")) {
            (Some(text), ..) | (None, Some(text), _) => {
                Some(text.value.as_known().unwrap_or("{}").to_owned())
            }
            (None, None, true) => Some("{}".to_owned()),
            (None, None, false) => None,
        };
    wrapper.file(Access::Read, parsed.value("-a"));
    let (read, origin) = input(wrapper, parsed, replace.is_some());
    // Of what another may have read, or what was stopped, there may be less.
    let is_rest = matches!(wrapper.invocation.stdin, Stdin::Rest(_));
    let mut words = parsed.operands.clone();
    if words.is_empty() {
        words.push(wrapper.word(Value::known("echo")));
    }
    let begins = match &origin {
        Origin::Output(writers) => found_in(wrapper, writers, 8),
        _ => None,
    };
    let unknown = Argument {
        many: true,
        ..wrapper.word(match begins {
            // No name begins with the dot, but all behind the slash.
            Some(begins) if begins == "." => Value::Prefix("./".to_owned(), origin.clone()),
            Some(begins) => Value::Prefix(begins, origin.clone()),
            None => Value::Unknown(origin.clone()),
        })
    };
    wrapper.state.redirect(0, super::Descriptor::Input(Stdin::File(Value::known("/dev/null"))));
    wrapper.conditional = true;
    match (replace, read) {
        (None, Some(read)) => {
            let all = read.len().max(1);
            let most = parsed.value("-n").map(|most| most.value.as_known()?.parse::<usize>().ok());
            let most = most.flatten().filter(|most| *most > 0).unwrap_or(all);
            let mut several = read.chunks(most).take(MOST_ROUNDS);
            let mut chunk = several.next().or(Some(&[]));
            while let Some(read) = chunk {
                let read = read.iter().map(|word| wrapper.word(Value::known(word.as_str())));
                let words: Vec<Argument> = words.iter().cloned().chain(read).collect();
                wrapper.run(&words);
                chunk = several.next();
            }
            // Where it is divided by something else, all at once and some of it.
            let divides = ["-L", "-l", "-s"].iter().any(|option| parsed.has(option));
            if divides || is_rest || read.len() > most.saturating_mul(MOST_ROUNDS) {
                words.push(unknown);
                wrapper.run(&words);
            }
        }
        (None, None) => {
            words.push(unknown);
            wrapper.run(&words);
        }
        (Some(mark), read) => {
            let read = read.filter(|read| read.len() <= MOST_ROUNDS);
            let is_all = read.is_some() && !is_rest;
            for text in read.into_iter().flatten() {
                let words: Vec<Argument> = words
                    .iter()
                    .map(|word| Argument {
                        value: word.value.map(|word| word.replace(&mark, &text)),
                        ..word.clone()
                    })
                    .collect();
                wrapper.run(&words);
            }
            if !is_all {
                let unknown = Value::Unknown(origin);
                let words: Vec<Argument> =
                    words.iter().map(|word| replaced(word, &mark, &unknown)).collect();
                wrapper.run(&words);
            }
        }
    }
}

/// What all names begin with that `find` writes into a pipe, straight or through what leaves lines
/// out: the folder that it looks into.
fn found_in(wrapper: &WrapperCall<'_, '_>, writers: &[usize], depth: usize) -> Option<String> {
    /// Programs that print some of the lines that they read.
    const FILTERS: &[&str] =
        &["grep", "egrep", "fgrep", "head", "tail", "sort", "uniq", "tac", "shuf"];
    let [writer] = writers else { return None };
    let call = wrapper.interpreter.out.invocations.get(*writer)?;
    let name = program_name(call.program.value.as_known()?);
    if FILTERS.contains(&name)
        && depth > 0
        && let Stdin::Pipe(writers) = &call.stdin
    {
        let changes = |word: &Argument| {
            matches!(
                word.value.as_known(),
                None | Some("-o" | "-c" | "--count" | "--only-matching")
            )
        };
        let plain = !call.arguments.iter().any(changes);
        return if plain { found_in(wrapper, writers, depth - 1) } else { None };
    }
    if !matches!(name, "find" | "gfind") {
        return None;
    }
    // With its own format it may write anything.
    let words: Option<Vec<&str>> =
        call.arguments.iter().map(|word| word.value.as_known()).collect();
    let words = words?;
    if words.iter().any(|word| word.starts_with("-printf") || word.starts_with("-exec")) {
        return None;
    }
    let mut words = words.into_iter().skip_while(|word| matches!(*word, "-H" | "-L" | "-P"));
    match words.next() {
        Some(folder) if !folder.starts_with(['-', '(', '!']) => {
            let is_last = words.next().is_none_or(|next| next.starts_with(['-', '(', '!']));
            is_last.then(|| folder.to_owned())
        }
        _ => Some(".".to_owned()),
    }
}

/// A word with a mark in it replaced by what is not known.
fn replaced(word: &Argument, mark: &str, with: &Value) -> Argument {
    let Some(text) = word.value.as_known().filter(|text| text.contains(mark)) else {
        return word.clone();
    };
    let mut value = Value::known("");
    for (at, part) in text.split(mark).enumerate() {
        if at > 0 {
            value = value.then(with.clone());
        }
        value = value.then(Value::known(part));
    }
    Argument { value, ..word.clone() }
}

/// `find … -exec command ;`, whose `{}` begins as the folder that is searched does.
fn find(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    let words = &parsed.operands;
    let is_expression =
        |word: &Argument| word.value.prefix().starts_with(['-', '(', ')', '!', ',']) && !word.many;
    let is_option = |word: &Argument| matches!(word.value.as_known(), Some("-H" | "-L" | "-P"));
    let first = words.iter().take_while(|word| is_option(word)).count();
    let folders = words[first..].iter().take_while(|word| !is_expression(word));
    let found = folders
        .map(|folder| match &folder.value {
            Value::Known(folder) => {
                let folder = folder.trim_end_matches('/');
                Value::Prefix(format!("{folder}/"), Origin::Picked)
            }
            other => Value::Unknown(other.origin().cloned().unwrap_or(Origin::Other)),
        })
        .reduce(|one, other| if one == other { one } else { Value::Unknown(Origin::Other) })
        .unwrap_or(Value::Prefix("./".to_owned(), Origin::Picked));
    wrapper.conditional = true;
    let here = wrapper.state.cwd.clone();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let (there, named) = match word.value.as_known() {
            Some("-exec" | "-ok") => (here.clone(), found.clone()),
            // It runs where it has found something.
            Some("-execdir" | "-okdir") => {
                let place = place::resolve(&found, &here, wrapper.interpreter.env);
                (place.clone(), place)
            }
            _ => continue,
        };
        let length = words[at..]
            .iter()
            .position(|word| matches!(word.value.as_known(), Some(";")))
            .into_iter()
            .chain(
                words[at..]
                    .windows(2)
                    .position(|pair| {
                        pair[0].value.as_known() == Some("{}")
                            && pair[1].value.as_known() == Some("+")
                    })
                    .map(|place| place + 1),
            )
            .min()
            .unwrap_or(words.len() - at);
        let command: Vec<Argument> = words[at..at + length]
            .iter()
            .map(|word| match word.value.as_known() {
                Some("{}") => Argument { value: named.clone(), many: true, ..word.clone() },
                _ => replaced(word, "{}", &Value::Unknown(Origin::Other)),
            })
            .collect();
        wrapper.state.cwd = there;
        wrapper.run(&command);
        at += length;
    }
    wrapper.state.cwd = here;
    // What it finds is its own output, whatever else it runs.
    wrapper.ran = false;
}

/// `fd pattern -x command`, `-X command`: the command goes to the end, or to a `;`.
fn fd(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    let words = &parsed.operands;
    let start = words.iter().position(|word| {
        matches!(word.value.as_known(), Some("-x" | "-X" | "--exec" | "--exec-batch"))
    });
    let Some(start) = start else { return };
    wrapper.conditional = true;
    let found = Value::Unknown(Origin::Glob("*".to_owned()));
    let mut command: Vec<Argument> = words[start + 1..]
        .iter()
        .take_while(|word| word.value.as_known() != Some(";"))
        .map(|word| replaced(word, "{}", &found))
        .collect();
    if !words[start + 1..].iter().any(|word| word.value.prefix().contains("{}")) {
        command.push(Argument { many: true, ..wrapper.word(found) });
    }
    wrapper.run(&command);
}

/// `parallel command ::: a b`: the command is a text for a shell.
fn parallel(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    wrapper.file(Access::Read, parsed.value("-a"));
    wrapper.file(Access::Write, parsed.value("--joblog"));
    wrapper.file(Access::Write, parsed.value("--results"));
    if parsed.has("-h") {
        return;
    }
    let words = &parsed.operands;
    let mark =
        |word: &Argument| matches!(word.value.as_known(), Some(":::" | "::::" | ":::+" | "::::+"));
    let end = words.iter().position(mark).unwrap_or(words.len());
    let (command, sources) = words.split_at(end);
    let inputs: Option<Vec<Value>> = match sources {
        [first, rest @ ..] if first.value.as_known() == Some(":::") && !rest.iter().any(mark) => {
            Some(rest.iter().map(|word| word.value.clone()).collect())
        }
        [] => match &wrapper.invocation.stdin {
            Stdin::Text(text) => {
                text.as_known().map(|text| text.lines().map(Value::known).collect())
            }
            _ => None,
        },
        _ => None,
    };
    wrapper.conditional = true;
    let inputs = inputs
        .filter(|inputs| inputs.len() <= 16)
        .unwrap_or_else(|| vec![Value::Unknown(Origin::Input)]);
    for input in inputs {
        // Without a command each input is one.
        let text = if command.is_empty() {
            input
        } else {
            let has_mark = command.iter().any(|word| word.value.prefix().contains("{}"));
            let words: Vec<Argument> =
                command.iter().map(|word| replaced(word, "{}", &input)).collect();
            let text = wrapper.joined(&words);
            if has_mark { text } else { text.then(Value::known(" ")).then(input) }
        };
        wrapper.script(&text, &[]);
    }
}
