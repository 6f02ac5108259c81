//! `awk` and `sed` as interpreters: where their programs stand, and which files they change in
//! place.

use super::super::WrapperCall;
use super::super::switches::{self, Letters};
use crate::code::{awk, sed};
use crate::effect::{Access, CodeFrom, Effect};
use crate::invocation::{Argument, Stdin};
use crate::model::{Grammar, Opt, Parsed, Style};
use crate::place;
use crate::value::{Origin, Value};

/// The options of `awk`.
static AWK: Letters = Letters {
    flags: "bcCghIkMnNOPrsStV",
    values: "FvfeEilmW",
    attached: "opdDL",
    digits: "",
    last: "",
    long_flags: &[
        "--version", "--help", "--posix", "--traditional", "--re-interval", "--csv", "--sandbox",
        "--bignum", "--optimize", "--characters-as-bytes", "--non-decimal-data", "--lint",
        "--gen-pot", "--use-lc-numeric", "--no-optimize",
    ],
    long_values: &[
        "--field-separator", "--assign", "--file", "--source", "--exec", "--include", "--load",
    ],
    any_long: false,
};

/// Evaluates what `awk` runs.
#[expect(clippy::too_many_lines, reason = "one option after the other")]
pub(super) fn run_awk(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    let mut switches = switches::read(&parsed.operands, &AWK);
    wrapper.report_switches(&switches);
    if switches.has("--version") || switches.has("V") || switches.has("h") {
        return;
    }
    let mut variables = Vec::new();
    for variable in switches.values(&["v", "--assign"]) {
        if let Some((name, _)) = variable.value.prefix().split_once('=') {
            let from = name.len() + 1;
            let value = match &variable.value {
                Value::Prefix(text, origin) => {
                    Value::known(&text[from..]).then(Value::Unknown(origin.clone()))
                }
                other => other.map(|text| text.get(from..).unwrap_or_default().to_owned()),
            };
            variables.push((name.to_owned(), value));
        }
    }
    if switches.has("D") {
        wrapper.dynamic("a debugger of awk runs commands that are not told".to_owned());
    }
    /// Settings of `awk -W` that run nothing.
    const WORDS: &[&str] =
        &["version", "v", "posix", "help", "usage", "dump", "interactive", "traditional"];
    let is_plain = |word: &Argument| {
        word.value.as_known().is_some_and(|text| {
            WORDS.contains(&text) || text.starts_with("sprintf=") || text.starts_with("random=")
        })
    };
    if !switches.values(&["W"]).all(is_plain) {
        wrapper.dynamic("an option behind `-W` is not known".to_owned());
    }
    let leads = |(name, value): &(String, Value)| {
        name.to_ascii_lowercase().ends_with("suffix")
            && value.as_known().is_none_or(|text| text.contains('/'))
    };
    if variables.iter().any(leads) {
        wrapper.dynamic("what was in its files is kept elsewhere".to_owned());
    }
    for file in switches.values(&["p", "o", "d"]) {
        let name = file.value.prefix();
        let name = if name.is_empty() { "awkprof.out" } else { name };
        wrapper.file_effect(Access::Write, &Value::known(name), false, false);
    }
    let mut programs: Vec<Argument> = switches.values(&["e", "--source"]).cloned().collect();
    let files: Vec<Argument> = switches.values(&["f", "--file", "E", "--exec"]).cloned().collect();
    if programs.is_empty() && files.is_empty() && !switches.rest.is_empty() {
        programs.push(switches.rest.remove(0));
    }
    let in_place =
        switches.values(&["i", "--include"]).any(|file| file.value.as_known() == Some("inplace"));
    for file in switches.values(&["i", "--include", "l", "--load"]) {
        if file.value.as_known() != Some("inplace") {
            wrapper.file_effect(Access::Execute, &file.value.clone(), false, false);
            wrapper.dynamic("awk loads a library that is not known".to_owned());
        }
    }
    wrapper.feeds();
    for program in programs {
        wrapper.program_of_awk(&program.value, &variables);
    }
    for file in files {
        let path = place::resolve(&file.value, &wrapper.state.cwd, wrapper.interpreter.env);
        let known = path.as_known().and_then(|known| wrapper.own_file(known));
        let stdin = match (&wrapper.invocation.stdin, path.as_known()) {
            (Stdin::Text(text), Some("/dev/stdin" | "/workspace/-")) => Some(text.clone()),
            _ => None,
        };
        wrapper.file_effect(Access::Execute, &path, false, false);
        match known.or(stdin) {
            Some(text) => wrapper.program_of_awk(&text, &variables),
            None => wrapper.effect(Effect::Code { from: CodeFrom::File }),
        }
    }
    let is_assignment = |word: &Argument| {
        word.value.prefix().split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|char| char == '_' || char.is_ascii_alphanumeric())
        })
    };
    let files: Vec<Argument> =
        switches.rest.iter().filter(|word| !is_assignment(word)).cloned().collect();
    wrapper.reads(if in_place { Access::Write } else { Access::Read }, &files);
    wrapper.done();
}

impl WrapperCall<'_, '_> {
    /// Evaluates a program of `awk`.
    fn program_of_awk(&mut self, program: &Value, variables: &[(String, Value)]) {
        self.effect(Effect::Code { from: CodeFrom::Inline("awk".to_owned()) });
        match program {
            Value::Known(text) => self.acts(None, awk(text, variables)),
            Value::OneOf(texts) => {
                for text in texts {
                    self.acts(None, awk(text, variables));
                }
            }
            Value::Prefix(text, _) => {
                self.inline(program, "the end of the awk program is not known".into());
                self.acts(None, awk(text, variables));
            }
            Value::Unknown(_) => self.inline(program, "the awk program is not known".into()),
        }
    }
}

/// The options of `sed`.
pub(super) static SED: Grammar = Grammar {
    options: &[
        Opt::value(&["-e", "--expression"]),
        Opt::value(&["-f", "--file"]),
        Opt::flag(&["-n", "--quiet", "--silent"]),
        Opt::flag(&["-E", "-r", "--regexp-extended"]),
        Opt::flag(&["-s", "--separate"]),
        Opt::flag(&["-u", "--unbuffered", "--line-buffered"]),
        Opt::flag(&["-z", "--null-data", "--zero-terminated"]),
        Opt::attached(&["-i", "--in-place"]),
        Opt::attached(&["-I"]),
        Opt::value(&["-l", "--line-length"]),
        Opt::flag(&["-a"]),
        Opt::flag(&["--debug"]),
        Opt::flag(&["--sandbox"]),
        Opt::flag(&["--posix"]),
        Opt::flag(&["-b", "--binary"]),
        Opt::flag(&["--follow-symlinks"]),
        Opt::flag(&["--help"]),
        Opt::flag(&["--version"]),
    ],
    style: Style::Gnu,
    subcommands: &[],
};

/// Evaluates what `sed` runs.
pub(super) fn run_sed(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    if parsed.has("--help") || parsed.has("--version") {
        return;
    }
    let mut operands = parsed.operands.clone();
    let in_place = parsed.has("-i") || parsed.has("-I");
    // On BSD the suffix is a word of its own, and often an empty one.
    if in_place && operands.first().is_some_and(|word| word.value.as_known() == Some("")) {
        operands.remove(0);
    }
    let mut scripts: Vec<Argument> = parsed.values("-e").cloned().collect();
    let files: Vec<Argument> = parsed.values("-f").cloned().collect();
    if scripts.is_empty() && files.is_empty() && !operands.is_empty() {
        scripts.push(operands.remove(0));
    }
    wrapper.feeds();
    let mut texts: Vec<Value> = Vec::new();
    if !scripts.is_empty() {
        let whole = scripts.iter().enumerate().fold(Value::known(""), |all, (at, script)| {
            let line = if at > 0 { "\n" } else { "" };
            all.then(Value::known(line)).then(script.value.clone())
        });
        texts.push(whole);
    }
    for file in files {
        let path = place::resolve(&file.value, &wrapper.state.cwd, wrapper.interpreter.env);
        let known = path.as_known().and_then(|known| wrapper.own_file(known));
        match (known, &wrapper.invocation.stdin, path.as_known()) {
            (Some(text), _, _) => texts.push(text),
            (None, Stdin::Text(text), Some("/dev/stdin")) => texts.push(text.clone()),
            _ => {
                wrapper.file_effect(Access::Execute, &path, false, false);
                wrapper.effect(Effect::Code { from: CodeFrom::File });
            }
        }
    }
    for text in texts {
        let (known, ends) = match &text {
            Value::Known(text) => (vec![text.clone()], true),
            Value::OneOf(texts) => (texts.clone(), true),
            Value::Prefix(text, _) => (vec![text.clone()], false),
            Value::Unknown(_) => (Vec::new(), false),
        };
        if !ends {
            wrapper.inline(&text, "a part of the sed script is not known".into());
        }
        for script in known.iter().filter(|_| ends || !parsed.has("--sandbox")) {
            wrapper.acts(None, sed(script));
        }
    }
    for suffix in parsed.values("-i").chain(parsed.values("-I")).cloned().collect::<Vec<_>>() {
        wrapper.keeps(&suffix, &operands);
    }
    wrapper.reads(if in_place { Access::Write } else { Access::Read }, &operands);
    wrapper.done();
}

impl WrapperCall<'_, '_> {
    /// What was in files is kept beside them: in their names with this behind, or, if it has a `*`, in this
    /// with their names in it, which may lead elsewhere.
    pub(super) fn keeps(&mut self, suffix: &Argument, files: &[Argument]) {
        let Some(text) = suffix.value.as_known().map(str::to_owned) else {
            return self.file_effect(Access::Write, &suffix.value.clone(), false, false);
        };
        if !text.contains(['*', '/']) {
            return;
        }
        for file in files {
            let Some(path) = file.value.as_known() else {
                let start = text.split('*').next().unwrap_or_default();
                let end = Value::Unknown(Origin::Picked);
                let kept = Value::known(start).then(end);
                self.file_effect(Access::Write, &kept, true, false);
                continue;
            };
            let (folder, name) =
                path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
            let kept =
                if text.contains('*') { text.replace('*', name) } else { format!("{name}{text}") };
            let beside = path.contains('/') && !kept.contains('/');
            let kept = if beside { format!("{folder}/{kept}") } else { kept };
            self.file_effect(Access::Write, &Value::Known(kept), false, false);
        }
    }
}
