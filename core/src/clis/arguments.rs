//! The words of a call, read as options and operands. Which options take a value is not known of
//! every program: where it is not, the word behind one may be either.

/// The words of a call.
#[derive(Debug, Default)]
pub(super) struct Arguments<'a> {
    pub options: Vec<Given<'a>>,
    pub operands: Vec<Operand<'a>>,
}

/// An option that is given.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Given<'a> {
    /// Its name with its dashes: `--verbose`, `-v`.
    pub name: String,
    /// What it is set to, or what may be that: the word behind it.
    pub value: Option<&'a str>,
    /// How many operands surely stand before it.
    pub behind: usize,
}

/// A word that is no option.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Operand<'a> {
    pub text: &'a str,
    /// False if it may be the value of the option before it.
    pub sure: bool,
    /// True behind `--`.
    pub after_dashes: bool,
}

/// How a program reads its options.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Style<'s> {
    /// The options that take a value.
    pub values: &'s [&'s str],
    /// True if `-name` is the same as `--name`.
    pub single_dash: bool,
}

impl<'a> Arguments<'a> {
    /// Reads words.
    pub fn read(words: &'a [String], style: Style<'_>) -> Arguments<'a> {
        let mut read = Arguments::default();
        let mut words = words.iter().map(String::as_str).peekable();
        let mut behind = 0;
        // True after an option that may take a value and has none: the next word may be its value.
        let mut open = false;
        while let Some(word) = words.next() {
            if word == "--" {
                let rest = words.by_ref();
                let operand = |text| Operand { text, sure: true, after_dashes: true };
                read.operands.extend(rest.map(operand));
                break;
            }
            if !word.starts_with('-') || word == "-" {
                open = false;
                behind += 1;
                read.operands.push(Operand { text: word, sure: true, after_dashes: false });
                continue;
            }
            let is_long = word.starts_with("--") || style.single_dash;
            let mut given = if is_long { long(word) } else { cluster(word, style.values) };
            given.iter_mut().for_each(|one| one.behind = behind);
            let was_open = std::mem::take(&mut open);
            if let Some(last) = given.last_mut().filter(|last| last.value.is_none()) {
                let takes = style.values.contains(&last.name.as_str());
                let next = words.peek().copied();
                let is_option = next.is_some_and(|next| next.starts_with('-') && next != "-");
                // With blanks in it, it may be the value of one whose name was cut short.
                let is_text = next.is_some_and(|next| next.contains(char::is_whitespace));
                last.value = next.filter(|_| takes || !is_option || is_text);
                open = !takes && is_option;
                // With another subcommand the option may take no value: then an option is one.
                if last.value.is_some() && !is_option {
                    words.next();
                }
                let text = next.filter(|_| !is_option && (!takes || was_open));
                let operand = text.map(|text| Operand { text, sure: false, after_dashes: false });
                read.operands.extend(operand);
            }
            read.options.append(&mut given);
        }
        read
    }
}

/// `--name`, `--name=value`, and the same with one dash.
fn long(word: &str) -> Vec<Given<'_>> {
    let name = word.trim_start_matches('-');
    let (name, value) = match name.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (name, None),
    };
    vec![Given { name: format!("--{name}"), value, behind: 0 }]
}

/// `-v`, `-abc`, `-Xvalue`, `-n=5`. What is none of these is one option of that name.
fn cluster<'a>(word: &'a str, values: &[&str]) -> Vec<Given<'a>> {
    let takes = |letter: char| values.contains(&format!("-{letter}").as_str());
    let is_name = |word: &str| {
        word.contains('-') && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    if is_name(&word[1..]) && !word[1..].starts_with(takes) {
        // It may be one name, or letters of which one takes the rest.
        let found = word.char_indices().skip(1).find(|(_, letter)| takes(*letter));
        let rest = found.map(|(at, letter)| (letter, &word[at + 1..]));
        let taken = rest.filter(|(_, rest)| !rest.is_empty());
        let taken = taken.map(|(letter, rest)| (format!("-{letter}"), Some(rest)));
        let all = taken.into_iter().chain([(word.to_owned(), None)]);
        return all.map(|(name, value)| Given { name, value, behind: 0 }).collect();
    }
    let mut given = Vec::new();
    for (at, letter) in word.char_indices().skip(1) {
        let rest = &word[at + letter.len_utf8()..];
        if letter == '=' && !given.is_empty() {
            let last = given.len() - 1;
            let last: &mut Given<'_> = &mut given[last];
            last.value = Some(rest);
            return given;
        }
        if !letter.is_ascii_alphanumeric() {
            return vec![Given { name: word.to_owned(), value: None, behind: 0 }];
        }
        let name = format!("-{letter}");
        let takes = takes(letter);
        let value = (takes && !rest.is_empty()).then(|| rest.strip_prefix('=').unwrap_or(rest));
        given.push(Given { name, value, behind: 0 });
        if takes {
            return given;
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &[&str], style: Style<'_>) -> (Vec<String>, Vec<String>) {
        let words: Vec<String> = line.iter().map(|word| (*word).to_owned()).collect();
        let read = Arguments::read(&words, style);
        let options = read.options.iter().map(|one| match one.value {
            Some(value) => format!("{}={value}", one.name),
            None => one.name.clone(),
        });
        let operands = read.operands.iter().map(|one| match one.sure {
            true => one.text.to_owned(),
            false => format!("{}?", one.text),
        });
        (options.collect(), operands.collect())
    }

    #[test]
    fn options_are_read_however_they_are_spelled() {
        let style = Style { values: &["-X", "--region", "-c", "-e"], single_dash: false };
        for (line, options, operands) in [
            (
                &["repo", "--yes", "delete", "o/r"][..],
                &["--yes=delete"][..],
                &["repo", "delete?", "o/r"][..],
            ),
            (&["-XDELETE", "api"], &["-X=DELETE"], &["api"]),
            (&["-X", "-v"], &["-X=-v", "-v"], &[]),
            (&["-X", "--region", "x", "y"], &["-X=--region", "--region=x"], &["y"]),
            (&["--abc", "--\ndrop x"], &["--abc=--\ndrop x", "--\ndrop x"], &[]),
            (&["-vvv", "-n=5"], &["-v", "-v", "-v", "-n=5"], &[]),
            (&["-qcDROP x"], &["-q", "-c=DROP x"], &[]),
            (&["--region", "x", "ls"], &["--region=x"], &["ls"]),
            (&["-version-check"], &["-e=rsion-check", "-version-check"], &[]),
            (&["a", "--", "-v", "--x"], &[], &["a", "-v", "--x"]),
            (&["-"], &[], &["-"]),
            (
                &["--profile", "--region", "delete", "ns", "x"],
                &["--profile", "--region=delete"],
                &["delete?", "ns", "x"],
            ),
            (&["--tab", "-e", "-c", "x"], &["--tab", "-e=-c", "-c=x"], &[]),
            (&["-qea-b"], &["-e=a-b", "-qea-b"], &[]),
        ] {
            let (read, left) = shown(line, style);
            assert_eq!(
                (read, left),
                (
                    options.iter().map(ToString::to_string).collect(),
                    operands.iter().map(ToString::to_string).collect()
                ),
                "{line:?}"
            );
        }
        assert_eq!(shown(&["-version-check"], Style::default()).0, ["-version-check"]);
        let single = Style { values: &[], single_dash: true };
        assert_eq!(shown(&["-chdir=x", "-destroy"], single).0, ["--chdir=x", "--destroy"]);
    }
}
