//! Building blocks of the tables: short names for grammars and models, and effects that many
//! programs have.
//!
//! A table is read more often than anything else here, so a row says only what is special about its
//! program. `gnu`, `posix`, `single` and `list` make grammars, `model` and `ex` make rows, and the
//! methods of [`Report`] here report what many programs do: reading what a list names, connecting
//! to a host.

use crate::effect::{Access, Effect, Payload, SystemChange};
use crate::invocation::{Argument, Stdin};
use crate::model::{Example, Grammar, Model, Opt, Parsed, Report, Style};
use crate::value::{Origin, Value};

/// What a model does with parsed arguments.
pub(super) type Effects = fn(&mut Report<'_>, &Parsed<'_>);

/// A row of a table.
pub(super) const fn model(
    names: &'static [&'static str],
    grammar: &'static Grammar,
    effects: Effects,
    examples: &'static [Example],
) -> Model {
    Model { names, grammar, effects, examples }
}

/// A command and its effects.
pub(super) const fn ex(command: &'static str, effects: &'static [&'static str]) -> Example {
    Example { command, effects }
}

/// Several options, as [`Opt::list`] reads them.
pub(super) const fn list(options: &'static str) -> Opt {
    Opt::list(options)
}

/// Options as GNU programs read them.
pub(super) const fn gnu(options: &'static [Opt]) -> Grammar {
    Grammar::of(Style::Gnu, options)
}

/// Options that end with the first operand.
pub(super) const fn posix(options: &'static [Opt]) -> Grammar {
    Grammar::of(Style::Posix, options)
}

/// Long options with one dash.
pub(super) const fn single(options: &'static [Opt]) -> Grammar {
    Grammar::of(Style::Single, options)
}

/// No options but those that every program has.
pub(super) const BARE: Grammar = gnu(&[]);

/// No options at all: all words are operands.
pub(super) const WORDS: Grammar = Grammar::of(Style::Operands, &[]);

/// It prints, and does nothing else.
pub(super) fn nothing(_: &mut Report<'_>, _: &Parsed<'_>) {}

/// It reads the files that its operands name.
pub(super) fn reads(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for operand in &parsed.operands {
        report.reads(operand);
    }
}

/// It reads the files behind its first operand.
pub(super) fn reads_rest(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for operand in parsed.operands.iter().skip(1) {
        report.reads(operand);
    }
}

/// It looks at the names or metadata of its operands.
pub(super) fn lists(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for operand in &parsed.operands {
        report.file(Access::List, operand);
    }
    if parsed.operands.is_empty() {
        report.path(Access::List, ".");
    }
}

/// It writes the files that its operands name.
pub(super) fn writes(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for operand in &parsed.operands {
        report.writes(operand);
    }
}

/// It reads and changes the files that its operands name.
pub(super) fn changes(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    reads(report, parsed);
    writes(report, parsed);
}

/// It reads its first operand, and writes the second, if there is one: `uniq in out`.
pub(super) fn reads_first_writes_second(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if let Some(first) = parsed.operands.first() {
        report.reads(first);
    }
    if let Some(second) = parsed.operands.get(1) {
        report.writes(second);
    }
}

/// It reads its operands, and writes the last one: `convert a b`.
pub(super) fn reads_writes_last(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let Some((last, rest)) = parsed.operands.split_last() else { return };
    for operand in rest {
        report.reads(operand);
    }
    report.writes(last);
}

/// It changes metadata of its operands.
pub(super) fn changes_metadata(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for operand in &parsed.operands {
        report.file(Access::Meta, operand);
    }
}

/// It changes how the machine runs, in a way that has no name of its own.
pub(super) fn changes_system(report: &mut Report<'_>, _: &Parsed<'_>) {
    report.add(Effect::System(SystemChange::Other));
}

/// It writes to disks themselves, or mounts them.
pub(super) fn writes_devices(report: &mut Report<'_>, _: &Parsed<'_>) {
    report.add(Effect::Device { what: report.name().to_owned() });
}

/// It looks around in the network.
pub(super) fn recon(report: &mut Report<'_>, _: &Parsed<'_>) {
    report.add(Effect::Recon);
}

/// Its options are too many, or it runs what its operands say: nobody knows.
pub(super) fn unknown(report: &mut Report<'_>, _: &Parsed<'_>) {
    report.not_understood("what it does depends on words that are not understood");
}

impl Report<'_> {
    /// It talks to the machine that an operand or an option names: `host`, `host:port`, `user@host`.
    pub(super) fn connects(&mut self, host: &Argument, fetches: bool, sends: Payload) {
        let (host, port) = super::address::host_and_port(&host.value);
        self.add(Effect::Network { host, port, fetches, sends });
    }

    /// It talks to a machine that stands in no argument.
    pub(super) fn connects_somewhere(&mut self, fetches: bool, sends: Payload) {
        let host = Value::Unknown(Origin::Other);
        self.add(Effect::Network { host, port: None, fetches, sends });
    }
}

impl Report<'_> {
    /// It reads the files whose names stand in a list, or on standard input for `-`.
    pub(super) fn reads_listed(&mut self, list: Option<&Argument>) {
        let is_stdin = list.is_none_or(|list| list.value.as_known() == Some("-"));
        let origin = match &self.invocation.stdin {
            Stdin::Pipe(numbers) if is_stdin => Origin::Output(numbers.clone()),
            _ => Origin::Input,
        };
        let effect = self.file_effect(Access::Read, &Value::Unknown(origin), true, false);
        self.add(effect);
    }

    /// It writes files whose names stand in what it reads: an archive, a list.
    pub(super) fn writes_unknown(&mut self) {
        let origin = Origin::Other;
        let effect = self.file_effect(Access::Write, &Value::Unknown(origin), false, false);
        self.add(effect);
    }
}

/// What stands behind a text that begins a word: the `x` of `of=x`.
pub(super) fn behind(argument: &Argument, start: &str) -> Option<Argument> {
    let value = match &argument.value {
        Value::Known(text) => Value::known(text.strip_prefix(start)?),
        Value::OneOf(texts) => {
            let rest: Option<Vec<_>> = texts.iter().map(|text| text.strip_prefix(start)).collect();
            Value::one_of(rest?.into_iter().map(str::to_owned))
        }
        Value::Prefix(text, origin) => {
            Value::known(text.strip_prefix(start)?).then(Value::Unknown(origin.clone()))
        }
        Value::Unknown(_) => return None,
    };
    Some(Argument { value, ..argument.clone() })
}

/// A name within a folder.
pub(super) fn within(folder: &Argument, name: &str) -> Argument {
    let value = match &folder.value {
        Value::Known(text) => Value::known(format!("{}/{name}", text.trim_end_matches('/'))),
        Value::OneOf(_) => {
            folder.value.map(|text| format!("{}/{name}", text.trim_end_matches('/')))
        }
        other => other.clone(),
    };
    Argument { value, ..folder.clone() }
}

/// The last name of a path, if it is known.
pub(super) fn last_name(path: &Argument) -> Option<&str> {
    let text = path.value.as_known()?.trim_end_matches('/');
    text.rsplit('/').next().filter(|name| !name.is_empty())
}

/// True if a program is given a text to run on standard input.
pub(super) fn is_fed(report: &Report<'_>) -> bool {
    !matches!(report.invocation.stdin, Stdin::Inherited)
        && report.invocation.stdin != Stdin::File(Value::known("/dev/null"))
}
