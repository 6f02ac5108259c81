//! The script that makes a shell in a container become the command.
//!
//! Variables come in this script, which goes over standard input. As arguments of a program, or in what
//! the engine stores about a container, everybody could read them.

use std::fmt::Write as _;

use super::super::console::Console;
use super::super::environment::Variables;
use super::super::sandbox::HOME;
use crate::shell::{REMOVED, Run, SET, SHELL_OPTIONS};

/// What every command in a container gets besides what its image sets.
const DEFAULTS: &[(&str, &str)] = &[
    ("HOME", HOME),
    ("USER", "agent"),
    ("LOGNAME", "agent"),
    ("LANG", "C.UTF-8"),
    ("TERM", "dumb"),
    ("TMPDIR", "/tmp"),
];

/// Says which command a process is of; see `sweep.sh`.
const RUN: &str = "TOOLKEEP_RUN";

/// The script of a command. `set` are the owner's variables, `own` those of the request.
pub(super) fn script(
    run: &Run,
    cwd: &str,
    console: Console,
    set: &Variables,
    own: &Variables,
) -> String {
    let mut variables: Variables =
        DEFAULTS.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    if matches!(console, Console::Terminal { .. }) {
        variables.insert("TERM".into(), "xterm-256color".into());
    }
    variables.extend(set.clone());
    match run {
        Run::Direct { environment, .. } => variables.extend(environment.iter().cloned()),
        Run::Canonical { .. } => {
            variables.extend(SET.iter().map(|(name, value)| ((*name).into(), (*value).into())));
        }
        Run::Verbatim { .. } => {}
    }
    variables.extend(own.clone());
    variables.retain(|name, _| is_kept(name));
    let mut script = String::from("read -r TOOLKEEP_RUN _ </proc/self/stat\nexport TOOLKEEP_RUN\n");
    let _ = writeln!(
        script,
        "cd {} 2>/dev/null || {{ printf '%s folder\\n' \"$end\"; exit 1; }}\n\
         printf '%s begin\\n' \"$end\"",
        quoted(cwd)
    );
    for (name, value) in &variables {
        let _ = writeln!(script, "export {name}={}", quoted(value));
    }
    match run {
        Run::Direct { program, arguments, .. } => {
            let words = std::iter::once(program).chain(arguments).map(|word| quoted(word));
            let _ = writeln!(script, "exec {}", words.collect::<Vec<_>>().join(" "));
        }
        Run::Canonical { script: text } | Run::Verbatim { text } => {
            let (options, text) = (SHELL_OPTIONS.join(" "), quoted(text));
            let _ = writeln!(
                script,
                "if command -v bash >/dev/null; then exec bash {options} -c {text}\nelse exec sh -c \
                 {text}\nfi"
            );
        }
    }
    script
}

/// A text as one word of a shell, whatever is in it.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// True for the name of a variable that a program may get.
pub(super) fn is_kept(name: &str) -> bool {
    is_name(name) && !REMOVED.contains(&name) && name != RUN
}

fn is_name(name: &str) -> bool {
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
    name.chars().all(is_part)
        && !name.starts_with(|char: char| char.is_ascii_digit() || char == '\0')
        && !name.is_empty()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn ran(run: &Run, own: &Variables) -> String {
        let script = script(run, "/", Console::Once, &Variables::default(), own);
        let output = Command::new("sh").arg("-c").arg(&script).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn words_and_values_stay_what_they_are() {
        let odd = "a 'b' \"c\" $(id) `id` \\ \n*\té";
        let run = Run::Direct {
            program: "printf".into(),
            arguments: vec!["%s|".into(), odd.into(), String::new()],
            environment: Vec::new(),
        };
        assert_eq!(ran(&run, &Variables::default()), format!(" begin\n{odd}||"));
        let run = Run::Canonical { script: "printf '%s|' \"$ODD\" \"$LC_ALL\"".into() };
        let own = [("ODD".to_owned(), odd.to_owned())].into();
        assert_eq!(ran(&run, &own), format!(" begin\n{odd}|C|"));
    }

    #[test]
    fn what_is_no_variable_or_changes_a_shell_is_left_out() {
        let own = ["TOOLKEEP_RUN", "BASH_ENV", "LD_PRELOAD", "A;id", "1A", "", "FINE"];
        let own = own.map(|name| (name.to_owned(), "x".to_owned())).into();
        let run = Run::Verbatim { text: "true".into() };
        let script = script(&run, "/", Console::Once, &Variables::default(), &own);
        assert!(script.contains("export FINE='x'\n"), "{script}");
        for bad in ["TOOLKEEP_RUN=", "BASH_ENV=", "LD_PRELOAD=", "A;id", "1A=", "export ="] {
            assert!(!script.contains(bad), "{script}");
        }
    }
}
