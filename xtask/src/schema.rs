//! The operations with their types, read from the JSON Schemas that the core gives.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

use schemars::{Schema, schema_for};
use serde_json::{Map, Value};
use toolkeep::shell::{Env, Proposal};
use toolkeep::{Config, ModesAlone, ToolSpec};

/// A type as the generated languages need it.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    Any,
    Null,
    Boolean,
    Integer,
    Number,
    Text,
    /// One of these strings.
    OneOf(Vec<String>),
    List(Box<Type>),
    /// Keys to values.
    Map(Box<Type>, Box<Type>),
    /// One of [`Api::types`].
    Named(String),
    Union(Vec<Type>),
}

/// A field of an object, or an argument of an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: String,
    pub doc: String,
    pub required: bool,
    pub default: Option<Value>,
    pub kind: Type,
}

/// A type with a name.
#[derive(Clone, Debug, PartialEq)]
pub enum Definition {
    Object { doc: String, fields: Vec<Field> },
    Alias { doc: String, kind: Type },
}

/// One operation.
pub struct Operation {
    pub domain: String,
    pub verb: String,
    pub doc: String,
    pub arguments: Vec<Field>,
    pub result: Type,
}

/// Every operation, and every type that goes in or comes out.
#[derive(Default)]
pub struct Api {
    pub operations: Vec<Operation>,
    pub types: BTreeMap<String, Definition>,
    /// What a host writes: the configuration, the description of a tool, arguments.
    pub inputs: BTreeSet<String>,
    /// What operations answer with.
    pub results: BTreeSet<String>,
}

/// The parts of the data plane that a host writes as data.
const INPUTS: &[&str] = &["Config", "ToolSpec", "ShellEnv", "ShellModes"];

/// The parts of it that a host reads and no operation answers with.
const RESULTS: &[&str] = &["ShellProposal"];

impl Api {
    /// Reads the core's table.
    pub fn read() -> Result<Api, Box<dyn Error>> {
        let mut api = Api::default();
        for operation in toolkeep::ops::all() {
            let (domain, verb) = operation.name.split_once('.').ok_or("a name without a dot")?;
            let arguments = api.object_fields(&root((operation.arguments)())?)?;
            let result = api.root_type(root((operation.result)())?)?;
            api.operations.push(Operation {
                domain: domain.into(),
                verb: verb.into(),
                doc: paragraphs(operation.doc),
                arguments,
                result,
            });
        }
        for schema in [
            schema_for!(Config),
            schema_for!(ToolSpec),
            schema_for!(Env),
            schema_for!(ModesAlone),
            schema_for!(Proposal),
        ] {
            api.root_type(root(schema)?)?;
        }
        api.sort();
        Ok(api)
    }

    /// One type alone.
    pub fn definition_of(schema: Schema) -> Result<Definition, Box<dyn Error>> {
        let mut schema = root(schema)?;
        let mut api = Api::default();
        api.learn(&mut schema)?;
        api.definition(&schema)
    }

    /// Finds out which types go in and which come out.
    fn sort(&mut self) {
        let arguments = self.operations.iter().flat_map(|one| &one.arguments);
        let mut inputs: BTreeSet<String> = INPUTS.iter().map(|name| (*name).to_owned()).collect();
        arguments.for_each(|field| names(&field.kind, &mut inputs));
        let mut results: BTreeSet<String> = RESULTS.iter().map(|name| (*name).to_owned()).collect();
        self.operations.iter().for_each(|one| names(&one.result, &mut results));
        self.inputs = self.with_parts(inputs);
        self.results = self.with_parts(results);
    }

    /// The types and those that they are made of.
    fn with_parts(&self, mut found: BTreeSet<String>) -> BTreeSet<String> {
        let mut left: Vec<String> = found.iter().cloned().collect();
        while let Some(name) = left.pop() {
            let mut parts = BTreeSet::new();
            match self.types.get(&name) {
                Some(Definition::Object { fields, .. }) => {
                    fields.iter().for_each(|field| names(&field.kind, &mut parts));
                }
                Some(Definition::Alias { kind, .. }) => names(kind, &mut parts),
                None => {}
            }
            left.extend(parts.into_iter().filter(|part| found.insert(part.clone())));
        }
        found
    }

    /// The name of a type where it comes out. What may leave keys out when it goes in has all of
    /// them when it comes out, and another name.
    pub fn result_name(&self, name: &str) -> String {
        if self.differs(name) { format!("Full{name}") } else { name.to_owned() }
    }

    /// True if the type goes in and comes out, and not in the same shape.
    pub fn differs(&self, name: &str) -> bool {
        self.inputs.contains(name)
            && self.results.contains(name)
            && self.with_parts(BTreeSet::from([name.to_owned()])).iter().any(|part| {
                matches!(self.types.get(part), Some(Definition::Object { fields, .. })
                    if fields.iter().any(|field| !field.required))
            })
    }

    /// True if operations speak of the type.
    pub fn is_of_operations(&self, name: &str) -> bool {
        let arguments = self.operations.iter().flat_map(|one| &one.arguments);
        let mut named = BTreeSet::new();
        arguments.for_each(|field| names(&field.kind, &mut named));
        self.results.contains(name) || self.with_parts(named).contains(name)
    }

    /// The domains with their operations, in the table's order.
    pub fn domains(&self) -> Vec<(&str, Vec<&Operation>)> {
        let mut domains: Vec<(&str, Vec<&Operation>)> = Vec::new();
        for operation in &self.operations {
            match domains.iter_mut().find(|(name, _)| *name == operation.domain) {
                Some((_, operations)) => operations.push(operation),
                None => domains.push((&operation.domain, vec![operation])),
            }
        }
        domains
    }

    /// A result: a named object, or whatever else the schema says.
    fn root_type(&mut self, mut schema: Map<String, Value>) -> Result<Type, Box<dyn Error>> {
        self.learn(&mut schema)?;
        let title = schema.get("title").and_then(Value::as_str).map(str::to_owned);
        match (schema.get("properties"), title) {
            (Some(_), Some(title)) => {
                let definition = self.definition(&schema)?;
                self.add(&title, definition)?;
                Ok(Type::Named(title))
            }
            _ => self.kind(&Value::Object(schema)),
        }
    }

    fn object_fields(&mut self, schema: &Map<String, Value>) -> Result<Vec<Field>, Box<dyn Error>> {
        let mut schema = schema.clone();
        self.learn(&mut schema)?;
        self.fields(&schema)
    }

    /// Takes in the definitions that a schema brings along.
    fn learn(&mut self, schema: &mut Map<String, Value>) -> Result<(), Box<dyn Error>> {
        let Some(Value::Object(definitions)) = schema.remove("$defs") else { return Ok(()) };
        for (name, definition) in &definitions {
            let definition = definition.as_object().ok_or("a definition is no object")?;
            let definition = self.definition(definition)?;
            self.add(name, definition)?;
        }
        Ok(())
    }

    fn add(&mut self, name: &str, definition: Definition) -> Result<(), Box<dyn Error>> {
        match self.types.insert(name.to_owned(), definition.clone()) {
            Some(known) if known != definition => {
                Err(format!("two types are called {name}").into())
            }
            _ => Ok(()),
        }
    }

    fn definition(&mut self, schema: &Map<String, Value>) -> Result<Definition, Box<dyn Error>> {
        let doc = doc_of(schema);
        if schema.contains_key("properties") {
            return Ok(Definition::Object { doc, fields: self.fields(schema)? });
        }
        Ok(Definition::Alias { doc, kind: self.kind(&Value::Object(schema.clone()))? })
    }

    fn fields(&mut self, schema: &Map<String, Value>) -> Result<Vec<Field>, Box<dyn Error>> {
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return Ok(Vec::new());
        };
        let field = |(name, schema): (&String, &Value)| {
            let own = schema.as_object().cloned().unwrap_or_default();
            Ok(Field {
                name: name.clone(),
                doc: doc_of(&own),
                required: required.contains(&name.as_str()),
                default: own.get("default").cloned(),
                kind: self.kind(schema)?,
            })
        };
        properties.iter().map(field).collect()
    }

    fn kind(&self, schema: &Value) -> Result<Type, Box<dyn Error>> {
        let Value::Object(schema) = schema else { return Ok(Type::Any) };
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            return Ok(Type::Named(target.rsplit('/').next().unwrap_or_default().into()));
        }
        if let Some(options) = schema.get("enum").and_then(Value::as_array) {
            return Ok(Type::OneOf(texts(options)));
        }
        if let Some(constant) = schema.get("const") {
            return Ok(Type::OneOf(texts(std::slice::from_ref(constant))));
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(choices) = schema.get(key).and_then(Value::as_array) {
                let kinds: Result<Vec<Type>, _> = choices.iter().map(|c| self.kind(c)).collect();
                return Ok(joined(kinds?));
            }
        }
        match schema.get("type") {
            Some(Value::String(one)) => self.plain(one, schema),
            Some(Value::Array(many)) => {
                let kinds: Result<Vec<Type>, _> =
                    texts(many).iter().map(|one| self.plain(one, schema)).collect();
                Ok(joined(kinds?))
            }
            _ => Ok(Type::Any),
        }
    }

    fn plain(&self, name: &str, schema: &Map<String, Value>) -> Result<Type, Box<dyn Error>> {
        Ok(match name {
            "null" => Type::Null,
            "boolean" => Type::Boolean,
            "integer" => Type::Integer,
            "number" => Type::Number,
            "string" => Type::Text,
            "array" => Type::List(Box::new(match schema.get("items") {
                Some(items) => self.kind(items)?,
                None => Type::Any,
            })),
            "object" => {
                let keys = schema.get("propertyNames").map(|keys| self.kind(keys)).transpose()?;
                let values = schema.get("additionalProperties");
                let values = values.map(|values| self.kind(values)).transpose()?;
                Type::Map(keys.unwrap_or(Type::Text).into(), values.unwrap_or(Type::Any).into())
            }
            other => return Err(format!("unknown type `{other}`").into()),
        })
    }
}

/// The types that a type names itself.
fn names(kind: &Type, found: &mut BTreeSet<String>) {
    match kind {
        Type::Named(name) => {
            found.insert(name.clone());
        }
        Type::List(inner) => names(inner, found),
        Type::Map(keys, values) => {
            names(keys, found);
            names(values, found);
        }
        Type::Union(kinds) => kinds.iter().for_each(|kind| names(kind, found)),
        _ => {}
    }
}

fn root(schema: Schema) -> Result<Map<String, Value>, Box<dyn Error>> {
    match schema.to_value() {
        Value::Object(schema) => Ok(schema),
        _ => Err("a schema is no object".into()),
    }
}

fn texts(values: &[Value]) -> Vec<String> {
    values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// A union without unions in it; choices among strings become one.
fn joined(kinds: Vec<Type>) -> Type {
    let mut options = Vec::new();
    let mut rest = Vec::new();
    for kind in kinds {
        match kind {
            Type::OneOf(more) => options.extend(more),
            Type::Union(more) => rest.extend(more),
            other => rest.push(other),
        }
    }
    if !options.is_empty() {
        rest.insert(0, Type::OneOf(options));
    }
    match rest.len() {
        1 => rest.remove(0),
        _ => Type::Union(rest),
    }
}

fn doc_of(schema: &Map<String, Value>) -> String {
    paragraphs(schema.get("description").and_then(Value::as_str).unwrap_or_default())
}

/// A doc comment with its lines joined to paragraphs, and its links to Rust items as plain code.
pub fn paragraphs(doc: &str) -> String {
    let mut doc = doc.to_owned();
    while let Some(link) = doc.find("](crate::").or_else(|| doc.find("](super")) {
        let Some(end) = doc[link..].find(')') else { break };
        doc.replace_range(link..=link + end, "");
        if let Some(start) = doc[..link].rfind('[') {
            doc.remove(start);
        }
    }
    let lines: Vec<&str> = doc.lines().map(str::trim).collect();
    let blocks = lines.split(|line| line.is_empty()).map(|block| block.join(" "));
    blocks.filter(|block| !block.is_empty()).collect::<Vec<_>>().join("\n\n")
}
