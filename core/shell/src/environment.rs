//! Variables by which programs are told what to run, what to load, where their settings are and
//! where to write.
//!
//! [`steers`] says whether a variable does so by its name. [`is_harmless`] says whether a value of
//! it does no more than the program would have done without. Such a variable is asked about where a
//! program gets it, unless name or value are known to be harmless. The names and what each takes
//! stand in `names`, what fits each kind of value in `values`, and options within values
//! (`PYTEST_ADDOPTS`) in `options`.

use crate::env::Env;
use crate::place;
use crate::value::{Origin, Value};

mod names;
mod options;
mod values;

pub(crate) use names::prepare;
pub use names::{steers, steers_by_itself};
pub use options::{Kind, are_harmless as are_harmless_options};
pub use values::leads_out;

/// True if a program that is given a variable so does nothing else than it would have done without.
/// Without a folder, what does not begin with one is taken to be in the workspace.
#[must_use]
pub fn is_harmless(name: &str, value: &Value, cwd: Option<&Value>, env: &Env) -> bool {
    let Some(takes) = names::takes(name) else { return false };
    if takes == names::Takes::Anything {
        return true;
    }
    let fits = |text: &str| values::fits(takes, name, &Value::known(text), cwd, env);
    match value {
        // What was there before, or this.
        Value::Unknown(Origin::Environment(before)) => before == name,
        Value::Unknown(Origin::EnvironmentOr(before, text)) => before == name && fits(text),
        Value::Prefix(text, Origin::Environment(before)) if before == name => {
            text.strip_suffix([':', ' ']).is_some_and(fits)
        }
        // A number, or the name of a new file, adds nothing to a place.
        Value::Prefix(_, origin) => {
            let is_one = matches!(origin, Origin::Output(_)) || origin.is_plain();
            is_one && takes.is_place() && values::fits(takes, name, value, cwd, env)
        }
        Value::Unknown(Origin::Number) => takes == names::Takes::Switch,
        Value::Unknown(_) => false,
        Value::Known(_) | Value::OneOf(_) => {
            value.possible().is_some_and(|all| all.iter().all(|text| fits(text)))
        }
    }
}

/// A text as a path, and where it leads; none if it is not known.
fn resolved(path: &Value, cwd: Option<&Value>, env: &Env) -> Option<Value> {
    match cwd {
        Some(cwd) => Some(place::resolve(path, cwd, env)),
        None if path.prefix().starts_with('/') => {
            Some(place::resolve(path, &Value::known(env.cwd.clone()), env))
        }
        None => None,
    }
}

#[cfg(test)]
mod tests;
