//! The other names of arguments.

use serde_json::Value;

use super::{Names, Repair, RepairKind, type_name};
use crate::tool::Schema;

/// One argument that came under another name.
pub(super) struct Rename {
    pub alias: String,
    pub name: String,
    /// The argument is there already: this one is left out.
    drop: bool,
}

impl Names<'_> {
    /// The arguments that came under another name. What is a property of the schema is never
    /// another name for one, unless the alias of the tool says so: there it means something else.
    pub(super) fn renames(&self, schema: &Schema, args: &Value) -> Vec<Rename> {
        let Value::Object(fields) = args else { return Vec::new() };
        let mut renames: Vec<Rename> = Vec::new();
        let own = self.alias.iter().flat_map(|alias| &alias.arguments);
        let own = own.map(|(alias, name)| (alias, name, true));
        let general = self.argument_aliases.iter();
        let general =
            general.flat_map(|(name, aliases)| aliases.iter().map(move |a| (a, name, false)));
        for (alias, name, is_own) in own.chain(general) {
            if !fields.contains_key(alias)
                || (schema.has_property(alias) && !is_own)
                || !schema.has_property(name)
                || renames.iter().any(|earlier| earlier.alias == *alias)
            {
                continue;
            }
            let taken = |earlier: &Rename| !earlier.drop && earlier.name == *name;
            let drop = fields.contains_key(name) || renames.iter().any(taken);
            renames.push(Rename { alias: alias.clone(), name: name.clone(), drop });
        }
        renames
    }
}

impl Names<'_> {
    /// Adds what the alias's own names say that the call uses.
    pub(super) fn imply(&self, schema: &Schema, args: &mut Value, used: &[String]) -> Vec<Repair> {
        let (Some(alias), Value::Object(fields)) = (self.alias, args) else { return Vec::new() };
        let mut repairs = Vec::new();
        let implied = alias.implied.iter().filter(|(name, _)| used.contains(name));
        for (name, value) in implied.flat_map(|(_, values)| values) {
            if !fields.contains_key(name) && schema.has_property(name) {
                fields.insert(name.clone(), value.clone());
                let to = Some(type_name(value));
                repairs.push(Repair::new(name, RepairKind::Defaulted, None, to));
            }
        }
        repairs
    }
}

pub(super) fn apply(args: &mut Value, renames: Vec<Rename>) -> Vec<Repair> {
    let Value::Object(fields) = args else { return Vec::new() };
    let mut repairs = Vec::new();
    for Rename { alias, name, drop } in renames {
        let Some(value) = fields.shift_remove(&alias) else { continue };
        let (from, to) = (Some(alias.as_str()), Some(name.as_str()));
        if drop {
            repairs.push(Repair::new(alias.as_str(), RepairKind::DroppedAlias, from, to));
        } else {
            repairs.push(Repair::new(name.as_str(), RepairKind::Renamed, from, to));
            fields.insert(name, value);
        }
    }
    repairs
}
