//! Gate: arguments that fit the tool's schema, put right where nothing is lost by it, or a text
//! that says where they do not fit.

use serde_json::error::Category;
use serde_json::{Map, Value};

use super::state::Call;
use crate::error::Code;
use crate::limits::{MAX_ARGUMENT_BYTES, TooMuch, check_json, discard, echo};
use crate::strict::{self, Unread};
use crate::tool::{Arguments, Found, Names, Repair, RepairKind, ToolError, type_name, unfenced};

/// Arguments that fit, and what was done to them.
#[derive(Debug)]
pub(super) struct Prepared {
    pub args: Value,
    pub repairs: Vec<Repair>,
}

impl Prepared {
    /// Notes what was put right, and gives the arguments. A default that was filled in is no news
    /// to the ledger.
    pub(super) fn noted(self, call: &mut Call<'_>) -> Value {
        let news = self.repairs.iter().filter(|repair| repair.kind != RepairKind::Defaulted);
        let news: Vec<Value> =
            news.filter_map(|repair| serde_json::to_value(repair).ok()).collect();
        if !news.is_empty() {
            call.notes.insert("repairs".into(), Value::Array(news));
        }
        call.repairs = self.repairs;
        self.args
    }
}

/// The arguments, or why they are too much to be looked at.
pub(super) fn within_limits(args: Arguments) -> Result<Arguments, TooMuch> {
    match args {
        Arguments::Value(value) => match check_json(&value) {
            Ok(()) => Ok(Arguments::Value(value)),
            Err(why) => {
                discard(value);
                Err(why)
            }
        },
        Arguments::Text(text) if text.len() > MAX_ARGUMENT_BYTES => Err(TooMuch::Large),
        text => Ok(text),
    }
}

pub(super) fn pass(found: &Found, args: Result<Arguments, TooMuch>) -> Result<Prepared, ToolError> {
    let Found { entry, alias } = found;
    let name = &entry.spec.name;
    let (args, mut repairs) = parse(name, args.map_err(|why| too_much(name, why))?)?;
    let Value::Object(fields) = &args else {
        return Err(refusal(name, "They must be one JSON object of named arguments."));
    };
    let empty = fields.is_empty();
    let names = Names { argument_aliases: &entry.spec.argument_aliases, alias: alias.as_deref() };
    let fitted = entry.schema.fit(names, args);
    let inexact = entry.schema.inexact_integers(&fitted.args);
    if fitted.fits && !inexact.is_empty() {
        let places: Vec<String> =
            inexact.iter().take(5).map(|place| format!("`{}`", echo(place))).collect();
        let text = format!(
            "{}: the whole number is too large to be kept exactly (64 bits at most). Give a \
             smaller one, or give it as a string if the tool takes one.",
            places.join(", ")
        );
        return Err(refusal(name, &text));
    }
    if fitted.fits {
        repairs.extend(fitted.repairs);
        return Ok(Prepared { args: fitted.args, repairs });
    }
    let required = entry.schema.required();
    if empty && !required.is_empty() {
        let text = format!(
            "They arrived empty, but these are required: {}. If you did send them, they were \
             probably dropped because the output was too long: send them again in smaller parts.",
            required.join(", ")
        );
        return Err(refusal(name, &text));
    }
    let complaints = entry.schema.complaints(&fitted.args).join(" ");
    let lead = if empty { "They arrived empty. " } else { "" };
    Err(refusal(name, &format!("{lead}{complaints} Correct that and call again.")))
}

/// The JSON value that the arguments are. A text within a text is read, too.
fn parse(name: &str, args: Arguments) -> Result<(Value, Vec<Repair>), ToolError> {
    let mut repairs = Vec::new();
    let mut parsed = |from: &str, value: &Value| {
        let to = Some(type_name(value));
        repairs.push(Repair::new("", RepairKind::Parsed, Some(from), to));
    };
    let value = match args {
        Arguments::Value(Value::String(text)) => {
            let value = read(name, &text, &mut parsed)?;
            parsed("string", &value);
            value
        }
        Arguments::Value(value) => value,
        Arguments::Text(text) => read(name, &text, &mut parsed)?,
        Arguments::Unread(why) => {
            return Err(refusal(name, &format!("{why}. Correct that and call again.")));
        }
    };
    let value = match value {
        Value::String(text) if text.trim_start().starts_with(['{', '`']) => {
            let value = read(name, &text, &mut parsed)?;
            parsed("string", &value);
            value
        }
        value => value,
    };
    Ok((if value.is_null() { Value::Object(Map::new()) } else { value }, repairs))
}

fn read(name: &str, text: &str, parsed: &mut impl FnMut(&str, &Value)) -> Result<Value, ToolError> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    let error = match strict::parse(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let error = match unfenced(text).map(strict::parse) {
        Some(Ok(value)) => {
            parsed("fenced text", &value);
            return Ok(value);
        }
        Some(Err(inner @ Unread::Repeated(_))) => inner,
        _ => error,
    };
    let error = match error {
        Unread::Broken(error) => error,
        Unread::Repeated(key) => {
            let key = echo(&key);
            let text = format!("`{key}` is there twice. Send each argument once.");
            return Err(refusal(name, &text));
        }
    };
    // The parser has no code for it, and stops at the same depth as `check_json`.
    if error.to_string().starts_with("recursion limit exceeded") {
        return Err(too_much(name, TooMuch::Deep));
    }
    let advice = match error.classify() {
        Category::Eof => {
            "They end too early, probably because the output was too long: send them again, in \
             smaller parts if they are long."
        }
        _ => "Send one complete JSON object, and nothing before or after it.",
    };
    Err(refusal(name, &format!("They are not valid JSON: {error}. {advice}")))
}

fn refusal(name: &str, text: &str) -> ToolError {
    ToolError::new(Code::InvalidArguments, format!("The arguments of `{name}` do not fit. {text}"))
}

fn too_much(name: &str, why: TooMuch) -> ToolError {
    let text = format!("Their JSON is refused: {why}. Send less at a time.");
    refusal(name, &text)
}
