//! The script that makes a shell in a container become a program with credentials.
//!
//! Variables and files come in this script, which goes over standard input, and builtins of the shell do
//! the rest. So nothing of them is ever an argument of a program, or in what the engine stores about a
//! container.

use std::fmt::Write as _;

use super::super::isolated::{Isolated, PrivateFile};
use super::super::sandbox::HOME;
use super::script::{is_kept, quoted};

/// The script of a program that runs in a container of its own.
pub(super) fn script(isolated: &Isolated, cwd: &str) -> String {
    let mut words = isolated.words.iter().map(|word| quoted(word));
    let name = words.next().unwrap_or_default();
    let arguments: Vec<String> = words.collect();
    let mut script = String::from("read -r TOOLKEEP_RUN _ </proc/self/stat\nexport TOOLKEEP_RUN\n");
    script.push_str(include_str!("isolated.sh"));
    let _ = writeln!(
        script,
        "cd {} 2>/dev/null || refuse folder\n\
         find_program {name} || refuse program",
        quoted(cwd)
    );
    for file in &isolated.files {
        let _ = writeln!(script, "{} 2>/dev/null || refuse files", written(file));
    }
    let _ = writeln!(
        script,
        "printf '%s begin\\n' \"$end\"\n\
         PATH=$search\n\
         : \"${{LANG:=C.UTF-8}}\"\n\
         export PATH PWD LANG\n\
         set -- \"$found\" {}",
        arguments.join(" ")
    );
    let variables = isolated.variables.iter().filter(|(name, _)| is_kept(name));
    for (name, value) in variables {
        let _ = writeln!(script, "export {name}={}", quoted(value));
    }
    script.push_str("exec \"$@\"\n");
    script
}

/// What writes a private file.
fn written(file: &PrivateFile) -> String {
    let path = quoted(&format!("{HOME}/{}", file.name));
    format!("(umask 077; printf '{}' >{path})", format_of(&file.content))
}

/// Bytes as a format of `printf`, on one line, that nothing in them can break out of.
fn format_of(content: &[u8]) -> String {
    let mut text = String::with_capacity(content.len());
    for byte in content {
        match byte {
            b'\n' => text.push_str("\\n"),
            b'\'' | b'\\' | b'%' | b'-' => drop(write!(text, "\\{byte:03o}")),
            b' '..=b'~' => text.push(char::from(*byte)),
            _ => drop(write!(text, "\\{byte:03o}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::super::super::environment::Variables;
    use super::*;

    #[test]
    fn the_content_of_a_file_stays_what_it_is() {
        let all: Vec<u8> = (0..=255).chain(*b"--BEGIN %s 'k' \\101 $(id)\n-x\n").collect();
        let format = format_of(&all);
        assert!(!format.contains(['\n', '\'']), "{format}");
        let output = Command::new("sh").args(["-c", &format!("printf '{format}'")]).output();
        assert_eq!(output.unwrap().stdout, all);
    }

    #[test]
    fn a_program_has_its_own_variables_its_own_words_and_a_search_path_of_the_image() {
        let variables: Variables =
            [("end", "x y"), ("TOKEN", "it's"), ("LD_PRELOAD", "x"), ("A;id", "x")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into();
        let words = ["env", "-u", "_", "printf", "%s|", "a b", "$HOME"].map(str::to_owned).to_vec();
        let ran = |words: Vec<String>, path: &str| {
            let isolated = Isolated { words, variables: variables.clone(), files: Vec::new() };
            let script = format!("end=mark\n{}", script(&isolated, "/"));
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", &script]).env("PATH", path).env("STRAY", "a\nexport B=b");
            String::from_utf8(shell.output().unwrap().stdout).unwrap()
        };
        let path = format!("relative:/proc:{}", std::env::var("PATH").unwrap());
        assert_eq!(ran(words, &path), "mark begin\na b|$HOME|");
        let text = ran(vec!["env".into()], &path);
        for line in ["end=x y", "TOKEN=it's", "PWD=/"] {
            assert!(text.lines().any(|own| own == line), "{text}");
        }
        for no in ["STRAY", "LD_PRELOAD", "id=", "CARGO", "relative", "/proc"] {
            assert!(!text.contains(no), "{no}: {text}");
        }
        // What is on another mount than the root is none of the image's.
        assert_eq!(ran(vec!["exe".into()], "/proc/self"), "mark program\n");
        assert_eq!(ran(vec!["none".into()], &path), "mark program\n");
    }
}
