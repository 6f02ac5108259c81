//! Arguments that a model got nearly right, put right where nothing is lost by it.
//!
//! Names come first: an argument under another of its names gets its own. What fits then is left
//! as it is, but for defaults. What does not is converted where the schema complains, and only
//! kept if everything fits afterwards; a conversion never changes what a value says.

mod convert;
mod names;

use std::collections::BTreeMap;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Alias, Schema};
use crate::limits::{check_json, shortened};

pub(crate) use convert::{type_name, unfenced};

/// How many conversions are made before arguments count as wrong. A strict definition makes a model
/// send a null for all that it leaves out, so there may be many.
const MOST_FIXES: usize = 4_096;

/// How many conversions of one kind of step are on record.
const MOST_REPAIRS: usize = 256;

/// How often the schema is asked again after conversions: a list within a text within a list.
const MOST_ROUNDS: usize = 8;

/// What was put right in the arguments of a call. It never holds a value of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repair {
    /// The argument: `a.b[0]`. Empty: the arguments as a whole.
    pub path: String,
    /// What was done.
    pub kind: RepairKind,
    /// The type that it had (`string`), or the name that it came under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The type that it has now, or its own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// What was done to an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RepairKind {
    /// JSON text became the list or object in it.
    Parsed,
    /// It came under another of its names.
    Renamed,
    /// Another name of an argument that was given under its own, too: left out.
    DroppedAlias,
    /// A value became the same value of another type: `"5"` and `5`.
    Coerced,
    /// A value became a list of that one.
    Wrapped,
    /// A null where none may be: left out.
    DroppedNull,
    /// It was not given, and has a default.
    Defaulted,
}

impl Repair {
    pub(crate) fn new(
        path: impl Into<String>,
        kind: RepairKind,
        from: Option<&str>,
        to: Option<&str>,
    ) -> Repair {
        let (from, to) = (from.map(str::to_owned), to.map(str::to_owned));
        Repair { path: path.into(), kind, from, to }
    }
}

/// Arguments after everything was tried.
#[derive(Debug)]
pub(crate) struct Fitted {
    /// The arguments. Where they do not fit, as they came but for names.
    pub args: Value,
    /// What was done to them. Empty where they do not fit.
    pub repairs: Vec<Repair>,
    /// True if the schema takes them.
    pub fits: bool,
}

/// What is known of a tool's arguments beside their schema.
#[derive(Clone, Copy)]
pub(crate) struct Names<'t> {
    /// The tool's other names for its arguments.
    pub argument_aliases: &'t BTreeMap<String, Vec<String>>,
    /// The alias that the tool was called by.
    pub alias: Option<&'t Alias>,
}

impl Schema {
    /// Makes the arguments fit, if that is possible without a guess.
    pub(crate) fn fit(&self, names: Names<'_>, args: Value) -> Fitted {
        let renames = names.renames(self, &args);
        if renames.is_empty() {
            return match self.settle(names, args, &[]) {
                Ok((args, repairs)) => Fitted { args, repairs, fits: true },
                Err(args) => Fitted { args, repairs: Vec::new(), fits: false },
            };
        }
        let meant: Vec<String> = renames.iter().map(|rename| rename.name.clone()).collect();
        let used: Vec<String> = renames.iter().map(|rename| rename.alias.clone()).collect();
        let mut named = args.clone();
        let mut repairs = names::apply(&mut named, renames);
        repairs.extend(names.imply(self, &mut named, &used));
        match self.settle(names, named, &[]) {
            Ok((args, more)) => {
                repairs.extend(more);
                Fitted { args, repairs, fits: true }
            }
            // What looked like another name was none, or its value is wrong. A default must not take
            // the place of what may have been meant.
            Err(named) => match self.settle(names, args, &meant) {
                Ok((args, repairs)) => Fitted { args, repairs, fits: true },
                Err(_) => Fitted { args: named, repairs: Vec::new(), fits: false },
            },
        }
    }

    /// The arguments with defaults, but for those `without`, and conversions, or as they are where
    /// that does not help.
    fn settle(
        &self,
        names: Names<'_>,
        mut args: Value,
        without: &[String],
    ) -> Result<(Value, Vec<Repair>), Value> {
        let mut repairs = self.fill(names, &mut args, without);
        if !self.accepts(&args) {
            let filled = names_of(&repairs);
            if let Some((converted, mut more)) = self.converted(&args) {
                repairs.append(&mut more);
                args = converted;
            } else {
                take_out(&mut args, &filled);
                repairs.clear();
                if !self.accepts(&args) {
                    let Some((converted, more)) = self.converted(&args) else { return Err(args) };
                    (args, repairs) = (converted, more);
                }
            }
            // A null that was dropped makes room for a default.
            let more = self.fill(names, &mut args, without);
            match self.accepts(&args) {
                true => repairs.extend(more),
                false => take_out(&mut args, &names_of(&more)),
            }
        }
        repairs.extend(self.whole_numbers(&mut args));
        Ok((args, repairs))
    }

    /// Adds the defaults of the alias, then those of the schema, but for those `without`.
    fn fill(&self, names: Names<'_>, args: &mut Value, without: &[String]) -> Vec<Repair> {
        let Value::Object(fields) = args else { return Vec::new() };
        let mut repairs = Vec::new();
        let mut add = |fields: &mut Map<String, Value>, name: &str, value: &Value| {
            if !fields.contains_key(name) && !without.iter().any(|other| other == name) {
                fields.insert(name.to_owned(), value.clone());
                let to = Some(type_name(value));
                repairs.push(Repair::new(name, RepairKind::Defaulted, None, to));
            }
        };
        for (name, value) in names.alias.iter().flat_map(|alias| &alias.defaults) {
            if self.has_property(name) {
                add(fields, name, value);
            }
        }
        for (name, value) in self.defaults() {
            add(fields, name, value);
        }
        repairs
    }

    /// The arguments converted where the schema complains, if they fit then.
    fn converted(&self, args: &Value) -> Option<(Value, Vec<Repair>)> {
        if !self.can_explain(args) {
            return None;
        }
        let mut args = args.clone();
        let (mut repairs, mut made) = (Vec::new(), 0);
        for _ in 0..MOST_ROUNDS {
            let mut fixes = Vec::new();
            for error in self.errors(&args).take(MOST_FIXES) {
                fixes.extend(fixes_for(&error)?);
            }
            made += fixes.len();
            if fixes.is_empty() || made > MOST_FIXES {
                return None;
            }
            for fix in fixes {
                repairs.extend(fix.apply(&mut args));
            }
            repairs.truncate(MOST_REPAIRS);
            if check_json(&args).is_err() {
                return None;
            }
            if self.accepts(&args) {
                return Some((args, repairs));
            }
        }
        None
    }

    /// Writes `5.0` as `5` where a whole number is wanted: to JSON Schema they are the same, to a
    /// program they are not.
    fn whole_numbers(&self, args: &mut Value) -> Vec<Repair> {
        let is_whole = |value: &Value| convert::whole(value).is_some();
        if !any_number(args, is_whole) {
            return Vec::new();
        }
        let mut found = Vec::new();
        self.find_integers(self.source(), args, String::new(), is_whole, &mut found);
        let mut repairs = Vec::new();
        for pointer in found {
            let Some(value) = args.pointer_mut(&pointer) else { continue };
            let Some(whole) = convert::whole(value) else { continue };
            *value = Value::from(whole);
            if repairs.len() < MOST_REPAIRS {
                let (path, kind) = (dotted(&pointer), RepairKind::Coerced);
                repairs.push(Repair::new(path, kind, Some("number"), Some("integer")));
            }
        }
        repairs
    }

    /// Where a whole number is wanted and one came that is too large to have been kept exactly.
    pub(crate) fn inexact_integers(&self, args: &Value) -> Vec<String> {
        let mut found = Vec::new();
        if any_number(args, convert::is_inexact) {
            self.find_integers(self.source(), args, String::new(), convert::is_inexact, &mut found);
        }
        found.iter().map(|pointer| dotted(pointer)).collect()
    }

    /// The pointers of such numbers, where a whole one is wanted.
    fn find_integers(
        &self,
        schema: &Value,
        value: &Value,
        at: String,
        is_such: fn(&Value) -> bool,
        found: &mut Vec<String>,
    ) {
        let schema = self.followed(schema);
        match value {
            Value::Number(_) if is_such(value) && wants_integer(schema) => {
                found.push(at);
            }
            Value::Object(fields) => {
                let properties = schema.get("properties").and_then(Value::as_object);
                for (name, schema) in properties.into_iter().flatten() {
                    if let Some(value) = fields.get(name) {
                        let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                        self.find_integers(schema, value, at, is_such, found);
                    }
                }
            }
            Value::Array(items) => {
                if let Some(schema) = schema.get("items") {
                    for (index, item) in items.iter().enumerate() {
                        self.find_integers(schema, item, format!("{at}/{index}"), is_such, found);
                    }
                }
            }
            _ => {}
        }
    }
}

fn any_number(value: &Value, is_such: fn(&Value) -> bool) -> bool {
    match value {
        Value::Number(_) => is_such(value),
        Value::Array(items) => items.iter().any(|item| any_number(item, is_such)),
        Value::Object(fields) => fields.values().any(|field| any_number(field, is_such)),
        _ => false,
    }
}

fn wants_integer(schema: &Value) -> bool {
    let is = |schema: &Value, name: &str| match schema.get("type") {
        Some(Value::String(kind)) => kind == name,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == name),
        _ => false,
    };
    let branches = ["anyOf", "oneOf"].iter().filter_map(|key| schema.get(key)?.as_array());
    let forms: Vec<&Value> = std::iter::once(schema).chain(branches.flatten()).collect();
    forms.iter().any(|form| is(form, "integer")) && !forms.iter().any(|form| is(form, "number"))
}

fn names_of(repairs: &[Repair]) -> Vec<String> {
    repairs.iter().map(|repair| repair.path.clone()).collect()
}

fn take_out(args: &mut Value, names: &[String]) {
    if let Value::Object(fields) = args {
        for name in names {
            fields.shift_remove(name);
        }
    }
}

/// One conversion, at a JSON pointer.
struct Fix {
    at: String,
    /// What is put there. None: the property is left out.
    with: Option<(Value, RepairKind)>,
}

impl Fix {
    fn apply(self, args: &mut Value) -> Option<Repair> {
        let Some((value, kind)) = self.with else {
            let (parent, name) = self.at.rsplit_once('/')?;
            let name = name.replace("~1", "/").replace("~0", "~");
            let removed = args.pointer_mut(parent)?.as_object_mut()?.shift_remove(&name);
            let kind = RepairKind::DroppedNull;
            return removed.map(|_| Repair::new(dotted(&self.at), kind, Some("null"), None));
        };
        let place = args.pointer_mut(&self.at)?;
        let (from, to) = (type_name(place), type_name(&value));
        *place = value;
        Some(Repair::new(dotted(&self.at), kind, Some(from), Some(to)))
    }
}

/// What would answer a complaint. None: nothing would.
fn fixes_for(error: &ValidationError<'_>) -> Option<Vec<Fix>> {
    let instance = error.instance().as_ref();
    let at = error.instance_path().as_str();
    let fix = |with| Some(vec![Fix { at: at.to_owned(), with }]);
    let drop_null = || if instance.is_null() && !at.is_empty() { fix(None) } else { None };
    match error.kind() {
        ValidationErrorKind::Type { kind } => {
            let wanted: Vec<String> = match kind {
                TypeKind::Single(one) => vec![one.to_string()],
                TypeKind::Multiple(many) => many.iter().map(|one| one.to_string()).collect(),
            };
            convert::to_type(instance, &wanted).and_then(|with| fix(Some(with))).or_else(drop_null)
        }
        ValidationErrorKind::Enum { options } => convert::to_option(instance, options.as_array()?)
            .and_then(|with| fix(Some(with)))
            .or_else(drop_null),
        ValidationErrorKind::Constant { expected_value } => {
            let options = std::slice::from_ref(expected_value.as_ref());
            convert::to_option(instance, options)
                .and_then(|with| fix(Some(with)))
                .or_else(drop_null)
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            let branch = context.iter().find_map(|errors| {
                let fixes: Option<Vec<Vec<Fix>>> = errors.iter().map(fixes_for).collect();
                fixes.map(|fixes| fixes.into_iter().flatten().collect::<Vec<_>>())
            });
            branch.filter(|fixes| !fixes.is_empty()).or_else(drop_null)
        }
        _ => None,
    }
}

/// A JSON pointer as people write it: `a.b[0]`.
pub(crate) fn dotted(pointer: &str) -> String {
    let mut path = String::new();
    for segment in pointer.split('/').skip(1) {
        let segment = segment.replace("~1", "/").replace("~0", "~");
        if !segment.is_empty() && segment.bytes().all(|b| b.is_ascii_digit()) && !path.is_empty() {
            path.push_str(&format!("[{segment}]"));
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&segment);
        }
    }
    shortened(&path, 120).into_owned()
}

#[cfg(test)]
mod tests;
