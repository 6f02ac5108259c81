//! Checks the words of a call against what is denied.

use std::sync::LazyLock;

use regex::Regex;

use super::arguments::{Arguments, Given, Operand};
use super::definition::Definition;
use super::patterns::{at_start, compiled};
use super::presets::{self, Denied, Preset};
use super::sql;

/// Why a call is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Denial {
    /// What denies it: `deny_args[2]`, `preset gh`.
    pub rule: String,
    /// What is denied, for a reader.
    pub why: String,
}

/// Why a call with these words is refused; none if it is not. `input` is what it gets on standard
/// input.
pub(super) fn denial(of: &Definition, words: &[String], input: Option<&str>) -> Option<Denial> {
    if let Some(word) = words.iter().find(|word| reads_processes(word)) {
        let why = format!("`{}` leads to what processes hold in memory", crate::limits::echo(word));
        return Some(Denial { rule: "cli.proc".into(), why });
    }
    let preset = of.preset();
    preset
        .and_then(|preset| of_preset(preset, words, input))
        .or_else(|| of_owner(of, preset, words))
}

/// True for a path to a file in which the environment of a process stands.
pub(super) fn reads_processes(word: &str) -> bool {
    static PROCESSES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)(^|[/@=:])proc/+([^/]+/+)*(environ|mem|fd|root|cwd|task|maps)\b").ok()
    });
    PROCESSES.as_ref().is_none_or(|pattern| pattern.is_match(word))
}

// What a preset denies.

/// A rule of a preset with its patterns compiled.
struct Compiled {
    denied: &'static Denied,
    words: Vec<Regex>,
    anywhere: Option<Regex>,
    value: Regex,
    unless: Option<Regex>,
}

/// The rules of a preset, by its name; none where one cannot be read.
type RulesOf = (&'static str, Option<Vec<Compiled>>);

static COMPILED: LazyLock<Vec<RulesOf>> = LazyLock::new(|| {
    presets::all().iter().map(|preset| (preset.name, rules_of(preset).ok())).collect()
});

fn rules_of(preset: &'static Preset) -> Result<Vec<Compiled>, regex::Error> {
    let whole = |pattern: &str| Regex::new(&format!("(?i)^(?:{pattern})$"));
    let rule = |denied: &'static Denied| {
        Ok(Compiled {
            denied,
            words: denied.words.iter().map(|word| whole(word)).collect::<Result<_, _>>()?,
            anywhere: (!denied.anywhere.is_empty()).then(|| whole(denied.anywhere)).transpose()?,
            value: Regex::new(denied.value)?,
            unless: (!denied.unless.is_empty()).then(|| whole(denied.unless)).transpose()?,
        })
    };
    preset.denied.iter().map(rule).collect()
}

fn of_preset(preset: &'static Preset, words: &[String], input: Option<&str>) -> Option<Denial> {
    let name = preset.name;
    let denial = |why: String| Some(Denial { rule: format!("preset {name}"), why });
    let rules = COMPILED.iter().find(|(of, _)| *of == name).and_then(|(_, rules)| rules.as_ref());
    let Some(rules) = rules else {
        return denial("its rules cannot be read".into());
    };
    let read = Arguments::read(words, preset.style());
    // A word that may be the value of an option may stand before them.
    let is_skipped = |one: &Operand<'_>| preset.skips.contains(&one.text);
    let first = read.operands.iter().take_while(|one| !one.sure || is_skipped(one)).count();
    let skipped = read.operands[..first].iter().rposition(is_skipped).map_or(0, |at| at + 1);
    let operands = &read.operands[skipped..];
    if let Some(rule) = rules.iter().find(|rule| rule.holds(preset, &read, operands, skipped)) {
        return denial(rule.denied.why.to_owned());
    }
    let is_own = |one: &Operand<'_>| preset.subcommands.contains(&one.text);
    if !preset.subcommands.is_empty() && !operands.first().is_none_or(is_own) {
        return denial(presets::NOT_ITS_OWN.to_owned());
    }
    if preset.sql.is_empty() {
        return None;
    }
    let given = read.options.iter().filter(|one| fits_any(one, preset.sql, preset.abbreviates));
    let texts = given.filter_map(|one| one.value).chain(input);
    let why = texts.into_iter().find_map(sql::refusal)?;
    denial(why)
}

impl Compiled {
    fn holds(
        &self,
        preset: &Preset,
        read: &Arguments<'_>,
        operands: &[Operand<'_>],
        skipped: usize,
    ) -> bool {
        let behind = behind(operands, &self.words);
        let Some(behind) = behind else { return false };
        let is_around = |pattern: &Regex| {
            operands[behind..].iter().any(|operand| pattern.is_match(operand.text))
        };
        if !self.anywhere.as_ref().is_none_or(is_around) {
            return false;
        }
        let fits = |value: Option<&str>| {
            let is_fine = value.is_some_and(|value| {
                self.unless.as_ref().is_some_and(|unless| unless.is_match(value))
            });
            let is_meant = self.denied.value.is_empty()
                || value.is_some_and(|value| self.value.is_match(value));
            is_meant && !is_fine
        };
        if self.denied.options.is_empty() {
            let everything = self.denied.value.is_empty();
            return everything || operands[behind..].iter().any(|one| fits(Some(one.text)));
        }
        read.options.iter().any(|one| {
            fits_any(one, self.denied.options, preset.abbreviates)
                && (!self.denied.global || one.behind <= skipped)
                && fits(one.value)
        })
    }
}

/// How many operands are used up by the words of a subcommand; none if it is another one. What may be
/// the value of an option may be passed over.
fn behind(operands: &[Operand<'_>], words: &[Regex]) -> Option<usize> {
    let Some((word, others)) = words.split_first() else { return Some(0) };
    let first = operands.first()?;
    let taken = || Some(1 + behind(&operands[1..], others)?);
    let matched = word.is_match(first.text).then(taken).flatten();
    matched.or_else(|| (!first.sure).then(|| Some(1 + behind(&operands[1..], words)?)).flatten())
}

/// True if an option is one of these, in full or by its beginning.
fn fits_any(given: &Given<'_>, options: &[&str], abbreviates: bool) -> bool {
    options.iter().any(|option| is_option(&given.name, option, abbreviates))
}

/// The shortest abbreviation of a long option: two dashes and a letter.
const SHORTEST: usize = 3;

fn is_option(given: &str, option: &str, abbreviates: bool) -> bool {
    if !option.starts_with("--") {
        return given == option;
    }
    let (given, option) = (given.to_ascii_lowercase(), option.to_ascii_lowercase());
    given == option || abbreviates && given.len() >= SHORTEST && option.starts_with(&given)
}

// What the owner denies.

fn of_owner(of: &Definition, preset: Option<&Preset>, words: &[String]) -> Option<Denial> {
    let style = preset.map(Preset::style).unwrap_or_default();
    let read = Arguments::read(words, style);
    let unsure = read.operands.iter().filter(|one| !one.sure).count();
    if unsure > MOST_UNSURE && !of.deny_args.is_empty() {
        let why = format!("more than {MOST_UNSURE} words that may be values of options");
        return Some(Denial { rule: "deny_args".into(), why });
    }
    let searched = searched(of, words, &read);
    for (at, pattern) in of.deny_args.iter().enumerate() {
        // One that does not compile denies everything.
        let found = compiled(pattern)
            .map_or(true, |pattern| searched.iter().any(|text| pattern.is_match(text)));
        if found {
            let (rule, why) = (format!("deny_args[{at}]"), format!("`{pattern}`"));
            return Some(Denial { rule, why });
        }
    }
    let alone = alone(words, &read);
    for (at, pattern) in of.deny_verbose.iter().enumerate() {
        if shows(pattern, &alone, &read) {
            let (rule, why) = (format!("deny_verbose[{at}]"), format!("`{pattern}`"));
            return Some(Denial { rule, why });
        }
    }
    None
}

/// The texts that `deny_args` is held against: the words as they stand, the operands without the
/// options between them, and each option with its value, joined in both ways.
fn searched(of: &Definition, words: &[String], read: &Arguments<'_>) -> Vec<String> {
    let is_prose = |name: &str| of.free_text.iter().any(|option| option == name);
    let mut shown: Vec<&str> = Vec::new();
    let mut after_prose = false;
    for word in words {
        let (name, value) =
            word.split_once('=').map_or((word.as_str(), None), |(n, v)| (n, Some(v)));
        let is_value = std::mem::replace(&mut after_prose, false);
        if is_value {
            continue;
        }
        if is_prose(name) {
            after_prose = value.is_none();
            shown.push(name);
        } else {
            shown.push(word);
        }
    }
    let operands: Vec<&Operand<'_>> =
        read.operands.iter().filter(|one| shown.contains(&one.text)).collect();
    let mut all = vec![shown.join(" ")];
    all.extend(readings(&operands));
    for one in read.options.iter().filter(|one| !is_prose(&one.name)) {
        all.push(one.name.clone());
        if let Some(value) = one.value {
            all.push(format!("{} {value}", one.name));
            all.push(format!("{}={value}", one.name));
        }
    }
    all
}

/// Up to how many operands that may be values of options are read in every combination: 2^8 readings.
const ALL_READ: usize = 8;

/// How many such operands a call may have at most if the owner denies anything.
const MOST_UNSURE: usize = 64;

/// Every way to read operands: each that may be the value of an option counts or does not. Of very many
/// such ones all count, none, or any two.
fn readings(operands: &[&Operand<'_>]) -> Vec<String> {
    let unsure: Vec<usize> = (0..operands.len()).filter(|at| !operands[*at].sure).collect();
    let text = |counts: &dyn Fn(usize) -> bool| {
        let kept = operands.iter().enumerate().filter(|(at, one)| one.sure || counts(*at));
        kept.map(|(_, one)| one.text).collect::<Vec<_>>().join(" ")
    };
    if unsure.len() <= ALL_READ {
        let bit = |choice: u32, at| {
            unsure.iter().position(|one| *one == at).is_some_and(|bit| choice >> bit & 1 == 1)
        };
        return (0..1_u32 << unsure.len()).map(|choice| text(&|at| bit(choice, at))).collect();
    }
    let mut all = vec![text(&|_| true), text(&|_| false)];
    for (place, one) in unsure.iter().enumerate() {
        all.extend(unsure[place..].iter().map(|other| text(&|at| at == *one || at == *other)));
    }
    all
}

/// The texts that `deny_verbose` is held against: each word that is no value of an option for sure, and
/// each option with its value.
fn alone(words: &[String], read: &Arguments<'_>) -> Vec<String> {
    let mut all: Vec<String> = words.iter().take_while(|word| *word != "--").cloned().collect();
    all.extend(read.options.iter().filter_map(|one| Some(format!("{}={}", one.name, one.value?))));
    all
}

/// True if a pattern of `deny_verbose` is found. One that is a short option stands for it in clusters,
/// too, and one that is a long option for its beginnings.
fn shows(pattern: &str, alone: &[String], read: &Arguments<'_>) -> bool {
    let is_short = |text: &str| {
        text.len() == 2 && text.starts_with('-') && text.as_bytes()[1].is_ascii_alphanumeric()
    };
    let is_long = |text: &str| {
        text.len() > 4
            && text.starts_with("--")
            && text[2..].bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    if is_short(pattern) {
        return read.options.iter().any(|one| one.name == pattern);
    }
    let long = is_long(pattern);
    let begins =
        |one: &Given<'_>| long && one.name.len() > SHORTEST && pattern.starts_with(&one.name);
    read.options.iter().any(begins)
        || at_start(pattern).map_or(true, |pattern| alone.iter().any(|text| pattern.is_match(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(|word| word.replace('_', " ")).collect()
    }

    fn owner(args: &[&str], verbose: &[&str], line: &str) -> Option<String> {
        let texts = |all: &[&str]| all.iter().map(ToString::to_string).collect();
        let of = Definition {
            deny_args: texts(args),
            deny_verbose: texts(verbose),
            free_text: vec!["--body".into()],
            ..Definition::default()
        };
        denial(&of, &words(line), None).map(|denial| denial.rule)
    }

    #[test]
    fn the_owners_patterns_are_held_against_words_operands_and_options() {
        let args = [r"auth\s+", r"repo\s+delete", r"secret\s+", "--force=yes", "-X DELETE"];
        for (line, rule) in [
            ("auth login", Some("deny_args[0]")),
            ("AUTH login", Some("deny_args[0]")),
            ("repo delete foo/bar", Some("deny_args[1]")),
            ("repo --yes delete foo/bar", Some("deny_args[1]")),
            ("repo --repo o/r delete", Some("deny_args[1]")),
            ("repo --repo o/r --yes delete", Some("deny_args[1]")),
            ("--a x repo --b x --yes delete --c x", Some("deny_args[1]")),
            (
                "--a 1 --b 2 --c 3 --d 4 repo --e 5 --f 6 --g 7 --h 8 --i 9 delete",
                Some("deny_args[1]"),
            ),
            ("--a 1 --b repo --c 3 --d 4 --e 5 --f 6 --g 7 --h 8 --i delete", Some("deny_args[1]")),
            ("--a 1 --b 2 --c 3 --d 4 --e 5 --f 6 --g 7 --h 8 --i 9 repo view", None),
            ("secret set TOKEN", Some("deny_args[2]")),
            ("x --force yes", Some("deny_args[3]")),
            ("x -X DELETE", Some("deny_args[4]")),
            ("issue create --body secret_rotation", None),
            ("issue create --body=secret_rotation", None),
            ("issue create --title secret_rotation", Some("deny_args[2]")),
            ("api repos/x", None),
            ("repo view foo/bar", None),
        ] {
            assert_eq!(owner(&args, &[], line).as_deref(), rule, "{line}");
        }
        assert_eq!(owner(&args, &[], &"--a x ".repeat(70)).as_deref(), Some("deny_args"));
        assert_eq!(owner(&[], &[], &"--a x ".repeat(70)), None);
    }

    #[test]
    fn verbose_options_are_found_at_the_start_in_clusters_and_abbreviated() {
        let refused = |patterns: &[&str], line| owner(&[], patterns, line).is_some();
        for line in
            ["-v", "--verbose", "-vv", "-vvv", "--verbose=true", "api -v repos/x", "-qv", "--verb"]
        {
            assert!(refused(&["--verbose", "-v"], line), "{line}");
        }
        for line in ["--version", "version", "--help", "api repos/x", "-version-check", "x -- -v"] {
            assert!(!refused(&["--verbose", "-v"], line), "{line}");
        }
        let levels = ["--verbosity=debug", "--log-http"];
        for (line, is_refused) in [
            ("--verbosity=debug", true),
            ("--verbosity debug", true),
            ("--log-http", true),
            ("--verbosity=info", false),
            ("version", false),
        ] {
            assert_eq!(refused(&levels, line), is_refused, "{line}");
        }
        assert!(refused(&["--debug"], "--debugger") && !refused(&["--debug"], "--version"));
    }

    #[test]
    fn every_rule_of_every_preset_compiles() {
        for preset in presets::all() {
            assert!(rules_of(preset).is_ok(), "{}", preset.name);
        }
    }

    #[test]
    fn the_environment_of_processes_is_no_file_to_be_sent() {
        for word in [
            "/proc/self/environ",
            "@/proc/1/environ",
            "../../proc/self/environ",
            "x=@/proc//self/environ",
            "file:///proc/self/environ",
            "/proc/self/fd/3",
        ] {
            assert!(reads_processes(word), "{word}");
        }
        for word in ["docs/proc/readme.md", "environ", "/process/environ"] {
            assert!(!reads_processes(word), "{word}");
        }
    }
}
