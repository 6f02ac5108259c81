//! Files that are run by their path, as the kernel does it: by the program that the first line
//! names, or else as a script of the shell.

use std::collections::BTreeSet;

use super::WrapperCall;
use crate::effect::{Access, Effect, FileEffect};
use crate::place;
use crate::value::Value;

/// The longest first line that the kernel reads (`BINPRM_BUF_SIZE` of Linux, without its end).
const LONGEST_LINE: usize = 255;

impl WrapperCall<'_, '_> {
    /// Runs a file with the words of the invocation.
    pub(super) fn local(&mut self, program: &str) {
        let path = place::resolve(&Value::known(program), &self.state.cwd, self.interpreter.env);
        let text = path.as_known().and_then(|path| self.interpreter.written_text(path));
        let lines = text.map(first_lines).unwrap_or_default();
        if lines.iter().all(|line| *line == First::None) {
            self.script_of_file(&Value::known(program), &self.invocation.arguments);
            return;
        }
        let scope = place::scope(&path, self.interpreter.env);
        let access = Access::Execute;
        let file =
            FileEffect { access, path: path.clone(), scope, recursive: false, forced: false };
        self.effect(Effect::File(file));
        if let Some(path) = path.as_known() {
            // An effect says if it may be another file by now.
            self.own_file(path);
        }
        self.conditional |= lines.len() > 1;
        for line in lines {
            match line {
                First::Program(words) => {
                    let words = words.into_iter().chain([program.to_owned()]);
                    let mut all: Vec<_> = words.map(|word| self.word(Value::Known(word))).collect();
                    all.extend(self.invocation.arguments.iter().cloned());
                    self.run(&all);
                }
                First::None | First::Unknown => {
                    self.dynamic(format!("what runs `{program}` is not known"));
                }
            }
        }
    }
}

/// What the first line of a file says.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum First {
    /// The program that runs it, and perhaps one word for that.
    Program(Vec<String>),
    /// Nothing: a shell runs it.
    None,
    /// It is not known.
    Unknown,
}

/// What the first line of each possible text says.
fn first_lines(text: &Value) -> BTreeSet<First> {
    match text {
        Value::Known(text) => [first_line(text, true)].into(),
        Value::OneOf(texts) => texts.iter().map(|text| first_line(text, true)).collect(),
        Value::Prefix(text, _) => [first_line(text, false)].into(),
        // Then nothing of it is known, which an effect says.
        Value::Unknown(_) => [First::None].into(),
    }
}

/// What one first line says. `ends` says whether the text is known to its end.
fn first_line(text: &str, ends: bool) -> First {
    let Some(rest) = text.strip_prefix("#!") else {
        let may_begin_so = !ends && "#!".starts_with(text);
        return if may_begin_so { First::Unknown } else { First::None };
    };
    let line = match rest.split_once('\n') {
        Some((line, _)) => line,
        None if ends => rest,
        None => return First::Unknown,
    };
    if line.len() > LONGEST_LINE - 2 {
        return First::Unknown;
    }
    let line = line.trim_matches([' ', '\t']);
    let (program, word) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let word = word.trim_matches([' ', '\t']);
    match program {
        // The shell runs it, and takes the line for a comment.
        "" => First::None,
        _ if word.is_empty() => First::Program(vec![program.to_owned()]),
        _ => First::Program(vec![program.to_owned(), word.to_owned()]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Origin;

    #[test]
    fn a_first_line_names_a_program_and_one_word() {
        let words =
            |words: &[&str]| First::Program(words.iter().map(|&word| word.to_owned()).collect());
        for (text, first) in [
            ("#!/bin/sh\nls", words(&["/bin/sh"])),
            ("#! /bin/rm -r -f \n", words(&["/bin/rm", "-r -f"])),
            ("#!\t/usr/bin/env\tpython3", words(&["/usr/bin/env", "python3"])),
            ("#!\nls", First::None),
            ("# !/bin/sh\n", First::None),
            ("ls", First::None),
            ("", First::None),
            (&format!("#!/bin/sh {}\n", "x".repeat(300)), First::Unknown),
        ] {
            assert_eq!(first_line(text, true), first, "{text}");
        }
        let begins = |text: &str| first_lines(&Value::Prefix(text.into(), Origin::Other));
        assert_eq!(begins("#"), [First::Unknown].into());
        assert_eq!(begins("#!/bin/sh"), [First::Unknown].into());
        assert_eq!(begins("#!/bin/sh\n"), [words(&["/bin/sh"])].into());
        assert_eq!(begins("ls"), [First::None].into());
    }
}
