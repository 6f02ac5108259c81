//! A custom tool as it is stored, checked and compiled.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use super::template::{At, Template};
use crate::error::{Code, Error};
use crate::exec::environment;
use crate::kind::{Capability, Taint};
use crate::limits::echo;
use crate::nearest::nearest;
use crate::store::CustomTool;
use crate::tool::{Entry, Schema, ToolError, ToolSpec};

/// The group of every custom tool.
pub(crate) const GROUP: &str = "custom";

/// The longest that a custom tool may run, in seconds.
const LONGEST: i64 = 3_600;

/// What a call has left for clearing up after a command that took all its time.
const SPARE: Duration = Duration::from_secs(10);

/// A custom tool that can be called.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) row: CustomTool,
    template: Template,
}

impl Definition {
    /// The definition that a registered tool was made of, if it is a custom one.
    pub(crate) fn of(entry: &Entry) -> Option<Arc<Definition>> {
        entry.definition.clone()?.downcast().ok()
    }

    /// Checks a tool and takes its command apart.
    ///
    /// # Errors
    /// `invalid_argument` that names the field.
    pub(crate) fn new(row: CustomTool) -> Result<Definition, Error> {
        ToolSpec::check_name(&row.key.name)?;
        Schema::compile(&row.key.name, &row.parameters)?;
        if !(1..=LONGEST).contains(&row.timeout_seconds) {
            let why = format!("{} is not between 1 and {LONGEST}", row.timeout_seconds);
            return Err(bad("timeout_seconds", &why));
        }
        check_working_dir(row.working_dir.as_deref())?;
        row.permit.check()?;
        for name in &row.env_names {
            check_variable(name)?;
        }
        if row.command.trim().is_empty() {
            return Err(bad("command", "it is empty; write the command"));
        }
        let parsed = Template::parse(&row.command, |key| is_fixed(&row.parameters, key));
        let template = parsed.map_err(|why| bad("command", &why))?;
        check_keys(&template, &row.parameters).map_err(|why| bad("command", &why))?;
        Ok(Definition { row, template })
    }

    /// How it is described to models and policies.
    pub(crate) fn spec(&self) -> ToolSpec {
        let row = &self.row;
        let mut spec = ToolSpec::new(&row.key.name, &row.description)
            .group(GROUP)
            .capability(Capability::Mutating)
            .timeout(self.timeout() + SPARE);
        spec.parameters = row.parameters.clone();
        if row.permit.has_network() {
            spec.capabilities.push(Capability::OpenWorld);
            spec.taints.push(Taint::Untrusted);
        }
        spec
    }

    /// How long its command may run.
    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_secs(self.row.timeout_seconds.unsigned_abs())
    }

    /// How long its command may run in a call that has this long.
    pub(crate) fn timeout_within(&self, call: Option<Duration>) -> Duration {
        match call {
            // Never so long that the call is given up before the command has ended in good order.
            Some(call) => self.timeout().min(call.saturating_sub(SPARE).max(call / 2)),
            None => self.timeout(),
        }
    }

    /// The command of a call with these arguments, which have passed the schema.
    ///
    /// # Errors
    /// `invalid_arguments` that names the argument.
    pub(crate) fn command(&self, args: &Value) -> Result<String, ToolError> {
        let none = Map::new();
        let args = args.as_object().unwrap_or(&none);
        let bound = self.template.bind(args, |key, value| self.is_listed(key, value));
        bound.map_err(|why| {
            let name = &self.row.key.name;
            ToolError::new(
                Code::InvalidArguments,
                format!("The arguments of `{name}` do not fit. {why}"),
            )
        })
    }

    fn is_listed(&self, key: &str, value: &Value) -> bool {
        let schema = property(&self.row.parameters, key);
        listed(schema).chain(listed(&schema["items"])).any(|listed| listed == value)
    }
}

/// Variables that nobody may set for a command: they make a shell or the loader run something else.
pub(crate) fn check_variable(name: &str) -> Result<(), Error> {
    match environment::is_kept_out(name) {
        true => {
            let why = format!(
                "`{}` changes what a shell or the loader runs, and is taken away from every command; \
                 give the variable another name",
                echo(name)
            );
            Err(bad("env", &why))
        }
        false => Ok(()),
    }
}

fn check_working_dir(path: Option<&str>) -> Result<(), Error> {
    let why = match path {
        None => return Ok(()),
        Some("") => "it is empty; leave it out for the workspace",
        Some(path) if path.contains('\0') => "it has a NUL character",
        Some(path) if Path::new(path).components().any(|part| part.as_os_str() == "..") => {
            "it has `..` in it; write where it leads"
        }
        Some(_) => return Ok(()),
    };
    Err(bad("working_dir", why))
}

/// Looks whether every place has a parameter, and one that can stand there.
fn check_keys(template: &Template, parameters: &Value) -> Result<(), String> {
    let known = parameters["properties"].as_object();
    let known: Vec<&str> = known.into_iter().flat_map(Map::keys).map(String::as_str).collect();
    for key in template.keys() {
        if !known.contains(&key) {
            let meant = nearest(key, known.iter().copied());
            let hint = match (meant, known.is_empty()) {
                (Some(meant), _) => format!("did you mean `{{{{.{meant}}}}}`?"),
                (None, true) => "there are no `parameters`; declare it there".to_owned(),
                (None, false) => format!("there are: {}", known.join(", ")),
            };
            return Err(format!("`{{{{.{key}}}}}` names no parameter; {hint}"));
        }
    }
    let required = parameters["required"].as_array();
    for word in template.words() {
        for key in word.keys() {
            let schema = property(parameters, key);
            let takes = |kind: &str| schema["type"] == kind;
            if takes("array") && (word.whole().is_none() || matches!(word.at, At::One { .. })) {
                return Err(format!(
                    "`{{{{.{key}}}}}` is a list, which becomes several words, and exactly one stands \
                     there; write it as a word of its own, among the arguments of a program"
                ));
            }
            let is_there = required.is_some_and(|all| all.iter().any(|name| name == key))
                || !schema["default"].is_null();
            if matches!(word.at, At::One { .. }) && !is_there {
                return Err(format!(
                    "`{{{{.{key}}}}}` stands where there must be a word, and `{key}` may be left out; \
                     name it in `required`, or give it a `default`"
                ));
            }
        }
    }
    Ok(())
}

/// True if the values of a parameter can be nothing but numbers, `true`, `false`, or what is listed.
fn is_fixed(parameters: &Value, key: &str) -> bool {
    let schema = property(parameters, key);
    let is_plain =
        |kind: &Value| ["integer", "number", "boolean"].iter().any(|plain| kind == plain);
    listed(schema).next().is_some()
        || is_plain(&schema["type"])
        || schema["type"].as_array().is_some_and(|all| !all.is_empty() && all.iter().all(is_plain))
}

fn property<'p>(parameters: &'p Value, key: &str) -> &'p Value {
    parameters.get("properties").and_then(|all| all.get(key)).unwrap_or(&Value::Null)
}

/// The values that a schema lists.
fn listed(schema: &Value) -> impl Iterator<Item = &Value> {
    schema["enum"].as_array().into_iter().flatten().chain(schema.get("const"))
}

fn bad(field: &str, why: &str) -> Error {
    Error::new(Code::InvalidArgument, format!("`{field}`: {why}"))
}
