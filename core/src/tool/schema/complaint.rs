//! Where arguments do not fit, written for a model: what was expected at which place, what came
//! instead, and what was probably meant.

use std::collections::HashSet;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use super::Schema;
use super::form::{listed_names, listed_values};
use crate::limits::{echo, shortened};
use crate::nearest::nearest;
use crate::tool::repair::dotted;

/// How many complaints one answer lists.
const MOST_COMPLAINTS: usize = 5;

/// How long one complaint may get, in characters.
const LONGEST: usize = 600;

/// How many forms a complaint names where there are several to choose from.
const MOST_FORMS: usize = 8;

impl Schema {
    /// What is wrong with the arguments, a complaint each, five at most; empty if nothing is.
    pub fn complaints(&self, args: &Value) -> Vec<String> {
        if self.accepts(args) {
            return Vec::new();
        }
        if !self.can_explain(args) {
            return vec!["They are too large to say where: send less at a time.".to_owned()];
        }
        let errors = self.errors(args).take(MOST_COMPLAINTS);
        errors.map(|error| self.complaint(&error, args)).collect()
    }

    fn complaint(&self, error: &ValidationError<'_>, args: &Value) -> String {
        let place = place(error);
        let got = shown(error.instance());
        let text = match error.kind() {
            ValidationErrorKind::Required { property } => self.missing(error, property),
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                self.unknown_properties(error, unexpected)
            }
            ValidationErrorKind::Type { kind } => {
                format!("{place}: expected {}, got {got}.", types(kind))
            }
            ValidationErrorKind::Enum { options } => {
                let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
                let meant = did_you_mean(error.instance(), options);
                let allowed = listed_values(options);
                format!("{place}: {got} is not one of the allowed values {allowed}{meant}.")
            }
            ValidationErrorKind::Constant { expected_value } => {
                let wanted = expected_value.to_string();
                format!("{place}: expected {}, got {got}.", shortened(&wanted, 200))
            }
            ValidationErrorKind::AnyOf { context }
            | ValidationErrorKind::OneOfNotValid { context } => {
                self.no_form_fits(error, context, args)
            }
            ValidationErrorKind::OneOfMultipleValid { .. } => {
                let forms = self.forms(error);
                format!("{place}: it must have exactly one of these forms, not several: {forms}.")
            }
            ValidationErrorKind::FalseSchema => format!("{place}: nothing may be given here."),
            _ => {
                let why = error.masked_with("the value").to_string();
                format!("{place}: got {got}, but {}.", shortened(&why, 300))
            }
        };
        shortened(&text, LONGEST).into_owned()
    }

    fn missing(&self, error: &ValidationError<'_>, property: &Value) -> String {
        let name = property.as_str().unwrap_or_default();
        let known: HashSet<&str> = self.siblings(error).into_iter().collect();
        let strangers = error.instance().as_object().into_iter().flatten();
        let strangers =
            strangers.map(|(given, _)| given.as_str()).filter(|given| !known.contains(given));
        let meant = match nearest(name, strangers) {
            Some(given) => format!("; `{}` was given, did you mean `{name}`?", echo(given)),
            None => ".".to_owned(),
        };
        match error.instance_path().is_empty() {
            true => format!("The required property `{name}` is missing{meant}"),
            false => format!("{}: the required property `{name}` is missing{meant}", place(error)),
        }
    }

    fn unknown_properties(&self, error: &ValidationError<'_>, unexpected: &[String]) -> String {
        let known = self.siblings(error);
        let named = |name: &String| match nearest(name, known.iter().copied()) {
            Some(meant) => format!("`{}` (did you mean `{meant}`?)", echo(name)),
            None => format!("`{}`", echo(name)),
        };
        let mut named: Vec<String> = unexpected.iter().take(MOST_COMPLAINTS).map(named).collect();
        if unexpected.len() > MOST_COMPLAINTS {
            named.push(format!("and {} more", unexpected.len() - MOST_COMPLAINTS));
        }
        let mut text = match error.instance_path().is_empty() {
            true => format!("Unknown property {}", named.join(", ")),
            false => format!("{}: unknown property {}", place(error), named.join(", ")),
        };
        if !known.is_empty() {
            text.push_str(&format!("; known: {}", listed_names(known.iter().copied())));
        }
        text.push('.');
        text
    }

    fn no_form_fits(
        &self,
        error: &ValidationError<'_>,
        context: &[Vec<ValidationError<'static>>],
        args: &Value,
    ) -> String {
        let at = error.instance_path();
        let forms = self.forms(error);
        let got = shown(error.instance());
        let mut text = format!("{}: expected {forms}, got {got}.", place(error));
        // The form that was meant is the one whose type is right and that is least wrong.
        let right_type = |errors: &&Vec<ValidationError<'static>>| {
            let is_type = |error: &ValidationError<'_>| {
                matches!(error.kind(), ValidationErrorKind::Type { .. })
                    && error.instance_path() == at
            };
            !errors.iter().any(is_type)
        };
        let chosen = |error: &ValidationError<'_>| {
            matches!(error.kind(), ValidationErrorKind::Constant { .. })
        };
        let meant = context.iter().filter(right_type).min_by_key(|errors| {
            (errors.iter().filter(|error| chosen(error)).count(), errors.len())
        });
        if let Some(first) = meant.and_then(|errors| errors.first())
            && !matches!(
                first.kind(),
                ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. }
            )
        {
            text.push_str(&format!(" The nearest does not fit: {}", self.complaint(first, args)));
        }
        text
    }

    /// The forms that the schema at the error lets choose from.
    fn forms(&self, error: &ValidationError<'_>) -> String {
        let branches = self.source.pointer(error.schema_path().as_str());
        let branches = branches.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut forms: Vec<String> =
            branches.iter().take(MOST_FORMS).map(|branch| self.form(branch)).collect();
        if branches.len() > MOST_FORMS {
            forms.push(format!("{} others", branches.len() - MOST_FORMS));
        }
        match forms.is_empty() {
            true => "another form".to_owned(),
            false => forms.join(", or "),
        }
    }

    /// The properties that the schema knows at the place of an error.
    fn siblings(&self, error: &ValidationError<'_>) -> Vec<&str> {
        let keyword = error.schema_path().as_str();
        let parent = keyword.rsplit_once('/').map_or("", |(parent, _)| parent);
        // The path of a list's entry (`required/0`) is one deeper.
        let schema = self.source.pointer(parent);
        let schema = schema.filter(|schema| schema.is_object()).or_else(|| {
            self.source.pointer(parent.rsplit_once('/').map_or("", |(parent, _)| parent))
        });
        let properties = schema.map(|schema| self.followed(schema));
        let properties = properties.and_then(|schema| schema.get("properties")?.as_object());
        properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect()
    }
}

fn place(error: &ValidationError<'_>) -> String {
    let path = error.instance_path();
    match path.is_empty() {
        true => "The arguments".to_owned(),
        false => format!("`{}`", dotted(path.as_str())),
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => one.to_string(),
        TypeKind::Multiple(many) => {
            many.iter().map(|one| one.to_string()).collect::<Vec<_>>().join(" or ")
        }
    }
}

fn did_you_mean(given: &Value, options: &[Value]) -> String {
    let texts = options.iter().filter_map(Value::as_str);
    let meant = given.as_str().and_then(|given| nearest(given, texts));
    meant.map(|meant| format!(", did you mean \"{}\"?", echo(meant))).unwrap_or_default()
}

/// A value as a complaint shows it: its kind, and itself where that is short.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(flag) => format!("the boolean {flag}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) if text.chars().nth(40).is_none() => format!("the string {value}"),
        Value::String(_) => "a string".into(),
        Value::Array(_) => "an array".into(),
        Value::Object(_) => "an object".into(),
    }
}
