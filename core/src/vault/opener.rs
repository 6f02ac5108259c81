//! Putting secrets back into the arguments of one call.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value, json};
use zeroize::Zeroizing;

use super::binding::{Asked, Compiled};
use super::destination::{Place, sealed_texts};
use super::kept::{FileAt, Owner, Secret};
use super::{ArgumentPath, Destination, Sealing, State, Vault, placeholders};
use crate::kind::{Effect, Resource};
use crate::scrub::{Scrubber, Values};

/// How the ledger names the binding of a secret to the file that it was read from.
const FILE: &str = "file";
/// How many openings are noted one by one.
const MOST_NOTED: usize = 16;

/// Puts secrets back for one call, and remembers which.
pub(crate) struct Opener {
    vault: Arc<Vault>,
    owner: Owner,
    done: Mutex<Done>,
    /// The values that were put back, for the scrubber of the call's result.
    values: Arc<Values>,
}

#[derive(Default)]
struct Done {
    /// How often, by placeholder, argument and binding.
    openings: BTreeMap<(String, String, String), usize>,
    /// True if the tool showed secrets as placeholders by itself.
    has_sealed: bool,
}

/// Why a call may not have the secret of a placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The placeholder.
    pub placeholder: String,
    /// The argument that it stands in.
    pub argument: String,
    /// Why, as a sentence for the model.
    pub why: String,
}

/// A secret that goes back, and by which binding: none where it goes back to its own file.
struct Granted {
    placeholder: String,
    argument: ArgumentPath,
    secret: Secret,
    binding: Option<Arc<Compiled>>,
}

/// A text with its secrets put back, not yet handed to anybody.
pub(crate) struct Opened {
    argument: String,
    text: Zeroizing<String>,
    granted: Vec<Granted>,
}

impl Opened {
    /// A text without secrets.
    pub(crate) fn of_text(text: &str) -> Opened {
        let text = Zeroizing::new(text.to_owned());
        Opened { argument: String::new(), text, granted: Vec::new() }
    }

    /// The argument that it is of.
    pub(crate) fn argument(&self) -> &str {
        &self.argument
    }

    /// The text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The text that was opened, `text`, with what `token` gives in place of each secret's
    /// placeholder. `token` gets the placeholder, its secret, and whether it could be guessed.
    pub(crate) fn veiled(
        &self,
        text: &str,
        mut token: impl FnMut(&str, &str, bool) -> String,
    ) -> String {
        let mut granted = self.granted.iter().peekable();
        let (mut veiled, mut copied) = (String::with_capacity(text.len()), 0);
        for one in placeholders(text) {
            let Some(grant) = granted.next_if(|grant| grant.placeholder == one.text) else {
                continue;
            };
            veiled.push_str(&text[copied..one.span.start]);
            veiled.push_str(&token(one.text, &grant.secret.value, grant.secret.is_guessable));
            copied = one.span.end;
        }
        veiled.push_str(&text[copied..]);
        veiled
    }

    /// The secrets in it that could be guessed, by their placeholders. They are masked only where
    /// their context shows what they are.
    pub(crate) fn guessable(&self) -> impl Iterator<Item = (&str, &str)> {
        let guessable = self.granted.iter().filter(|one| one.secret.is_guessable);
        guessable.map(|one| (one.placeholder.as_str(), one.secret.value.as_str()))
    }
}

impl Opener {
    /// The opener for a call of a tenant's session; `None` if the call has no session.
    pub(crate) fn of(
        vault: &Arc<Vault>,
        tenant: &str,
        session: Option<&str>,
    ) -> Option<Arc<Opener>> {
        let owner = Owner { tenant: tenant.to_owned(), session: session?.to_owned() };
        let (done, values) = (Mutex::default(), Arc::default());
        Some(Arc::new(Opener { vault: vault.clone(), owner, done, values }))
    }

    /// Keeps what a scrubber masks, for the session of the call. `file` is where it was read from.
    pub(crate) fn sealing(&self, file: Option<FileAt>) -> Sealing<'_> {
        Sealing::new(&self.vault, &self.owner, file)
    }

    fn done(&self) -> MutexGuard<'_, Done> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts the secrets back wherever the arguments have placeholders of this session: all, or none
    /// if one of them may not be there. A placeholder that is not ours is a text like any other.
    pub(crate) fn open_all(
        &self,
        tool: &str,
        args: &mut Value,
        touches: &[(Effect, Resource)],
    ) -> Result<(), Refusal> {
        let places = sealed_texts(args);
        if places.is_empty() {
            return Ok(());
        }
        let mut found = Vec::new();
        for place in &places {
            found.extend(self.kept_in(place)?);
        }
        if found.is_empty() {
            return Ok(());
        }
        let shown = Destination::of_call(tool, args, touches);
        let secrets = found.iter().map(|one| (one.placeholder.as_str(), &one.secret)).collect();
        let opened = opened(args, &secrets);
        // Checked with the secrets put back, because one of them may contain what makes it another host.
        let to = Destination::of_call(tool, &opened, touches);
        let state = self.vault.state();
        for one in &mut found {
            let binding = state.binding(&self.owner, one, &to);
            one.binding = Some(binding.ok_or_else(|| Refusal {
                placeholder: one.placeholder.clone(),
                argument: one.argument.to_string(),
                why: state.why(&self.owner, &one.placeholder, &one.secret, &shown),
            })?);
        }
        drop(state);
        self.commit(&found)?;
        *args = opened;
        Ok(())
    }

    /// The secrets of this session that a text has placeholders of.
    fn kept_in(&self, place: &Place<'_>) -> Result<Vec<Granted>, Refusal> {
        let now_ms = self.vault.clock.now_ms();
        let mut state = self.vault.state();
        let mut found = Vec::new();
        for one in placeholders(place.text) {
            let Some(secret) = state.kept.get(&self.owner, one.text, now_ms) else { continue };
            if place.is_key {
                let why = "A secret is never put back into the name of an argument.".into();
                let (placeholder, argument) = (one.text.to_owned(), place.path.to_string());
                return Err(Refusal { placeholder, argument, why });
            }
            let (placeholder, argument) = (one.text.to_owned(), place.path.clone());
            found.push(Granted { placeholder, argument, secret, binding: None });
        }
        Ok(found)
    }

    /// The text for a file, with every secret of it back in its place. `is_there` says of a
    /// placeholder that opens nothing whether the file has it as a text already.
    pub(crate) fn open_text(
        &self,
        (tool, argument): (&str, &str),
        text: &str,
        file: &FileAt,
        is_there: impl Fn(&str) -> bool,
    ) -> Result<Opened, Refusal> {
        let path = ArgumentPath::of(argument);
        let to = Destination::of_file(tool, file.path.clone());
        let mut opened = Zeroizing::new(String::with_capacity(text.len()));
        let (mut granted, mut copied) = (Vec::new(), 0);
        let mut state = self.vault.state();
        let now_ms = self.vault.clock.now_ms();
        for one in placeholders(text).filter(|one| !one.is_bare()) {
            let found = match state.kept.get(&self.owner, one.text, now_ms) {
                Some(secret) => state.grant(&self.owner, one.text, &path, secret, (file, &to)),
                None => Err(unknown()),
            };
            match found {
                Ok(grant) => {
                    opened.push_str(&text[copied..one.span.start]);
                    opened.push_str(&grant.secret.value);
                    copied = one.span.end;
                    granted.push(grant);
                }
                Err(_) if is_there(one.text) => {}
                Err(why) => {
                    let placeholder = one.text.to_owned();
                    return Err(Refusal { placeholder, argument: argument.to_owned(), why });
                }
            }
        }
        opened.push_str(&text[copied..]);
        Ok(Opened { argument: argument.to_owned(), text: opened, granted })
    }

    /// Marks the texts as used: bindings for a single use are used up, and each secret is noted.
    pub(crate) fn use_texts(&self, opened: &[Opened]) -> Result<(), Refusal> {
        self.commit(opened.iter().flat_map(|opened| &opened.granted))
    }

    fn commit<'g>(&self, granted: impl IntoIterator<Item = &'g Granted>) -> Result<(), Refusal> {
        let granted: Vec<&Granted> = granted.into_iter().collect();
        let mut state = self.vault.state();
        if let Some(gone) = granted.iter().find(|one| !state.still_holds(one)) {
            return Err(Refusal {
                placeholder: gone.placeholder.clone(),
                argument: gone.argument.to_string(),
                why: "Its binding was for once, and another call has used it up.".into(),
            });
        }
        state.use_up(&granted);
        for one in granted.iter().filter(|one| !one.secret.is_guessable) {
            state.guards.add(&self.owner.tenant, &one.secret.kind, &one.secret.value);
        }
        drop(state);
        self.note(&granted);
        Ok(())
    }

    fn note(&self, granted: &[&Granted]) {
        let mut done = self.done();
        for one in granted {
            let binding = one.binding.as_ref().map_or(FILE, |binding| &binding.shown.id);
            let key = (one.placeholder.clone(), one.argument.to_string(), binding.to_owned());
            *done.openings.entry(key).or_default() += 1;
            // One that is too short to be guarded is masked where its context shows what it is.
            let value = &one.secret.value;
            for text in [Some(value.as_str()), unescaped(value).as_ref().map(|text| text.as_str())]
            {
                let _ = text.map(|text| self.values.add(text, Some(&one.secret.kind)));
            }
        }
    }

    /// Remembers that the tool itself sealed something in its text.
    pub(crate) fn has_sealed(&self) {
        self.done().has_sealed = true;
    }

    /// True if the result of the call holds for it alone: it shows placeholders, which do not live
    /// for ever, or it was made with a secret.
    pub(crate) fn is_used(&self) -> bool {
        let done = self.done();
        done.has_sealed || !done.openings.is_empty()
    }

    /// The same scrubber, that also looks for what was put back for the tenant's calls, wherever
    /// it is by now.
    pub(crate) fn standing_scrubber(&self, scrubber: &Scrubber) -> Scrubber {
        match self.vault.state().guards.of(&self.owner.tenant) {
            Some(values) => scrubber.with_values(values),
            None => scrubber.clone(),
        }
    }

    /// The same, that also looks for all that was put back for this call.
    pub(crate) fn scrubber(&self, scrubber: &Scrubber) -> Scrubber {
        let scrubber = self.standing_scrubber(scrubber);
        if self.done().openings.is_empty() {
            return scrubber;
        }
        scrubber.with_values(self.values.clone())
    }

    /// What was put back, for the ledger; never a value.
    pub(crate) fn notes(&self) -> Option<Value> {
        let done = self.done();
        let note =
            |((placeholder, argument, binding), count): (&(String, String, String), &usize)| {
                let mut note = Map::new();
                note.insert("placeholder".into(), json!(placeholder));
                note.insert("argument".into(), json!(argument));
                note.insert("binding".into(), json!(binding));
                if *count > 1 {
                    note.insert("times".into(), json!(count));
                }
                Value::Object(note)
            };
        if done.openings.is_empty() {
            return None;
        }
        let opened: Vec<Value> = done.openings.iter().take(MOST_NOTED).map(note).collect();
        let more = done.openings.len() - opened.len();
        let mut notes = json!({ "opened": opened });
        if more > 0 {
            notes["more"] = json!(more);
        }
        Some(notes)
    }
}

impl State {
    fn asked<'a>(owner: &'a Owner, placeholder: &'a str, secret: &'a Secret) -> Asked<'a> {
        let Owner { tenant, session } = owner;
        Asked { tenant, session, placeholder, kind: &secret.kind }
    }

    /// The binding by which a secret may go there. One that lasts is taken before one for once.
    fn binding(&self, owner: &Owner, one: &Granted, to: &Destination) -> Option<Arc<Compiled>> {
        let asked = State::asked(owner, &one.placeholder, &one.secret);
        let fits = |binding: &&Arc<Compiled>| {
            binding.is_about(&asked) && binding.allows(to, &one.argument)
        };
        let mut fitting: Vec<&Arc<Compiled>> = self.bindings.iter().filter(fits).collect();
        fitting.sort_by_key(|binding| binding.shown.once);
        fitting.first().map(|binding| Arc::clone(binding))
    }

    /// The leave for a secret to go into a file: its own, or one that it is bound to.
    fn grant(
        &self,
        owner: &Owner,
        placeholder: &str,
        argument: &ArgumentPath,
        secret: Secret,
        (file, to): (&FileAt, &Destination),
    ) -> Result<Granted, String> {
        let is_own = secret.files.contains(file);
        let (placeholder, argument) = (placeholder.to_owned(), argument.clone());
        let mut grant = Granted { placeholder, argument, secret, binding: None };
        if !is_own {
            let binding = self.binding(owner, &grant, to);
            let why = || self.why(owner, &grant.placeholder, &grant.secret, to);
            grant.binding = Some(binding.ok_or_else(why)?);
        }
        Ok(grant)
    }

    /// True if nobody has taken the binding away meanwhile.
    fn still_holds(&self, granted: &Granted) -> bool {
        let Some(binding) = &granted.binding else { return true };
        self.bindings.iter().any(|one| Arc::ptr_eq(one, binding))
    }

    /// Takes away the bindings that were for once.
    fn use_up(&mut self, granted: &[&Granted]) {
        let used = granted.iter().filter_map(|one| one.binding.as_ref());
        let used: Vec<&Arc<Compiled>> = used.filter(|binding| binding.shown.once).collect();
        if !used.is_empty() {
            self.bindings.retain(|one| !used.iter().any(|gone| Arc::ptr_eq(gone, one)));
        }
    }

    /// Why a secret may not go there, and where it may.
    fn why(&self, owner: &Owner, placeholder: &str, secret: &Secret, to: &Destination) -> String {
        let asked = State::asked(owner, placeholder, secret);
        let bound = self.bindings.iter().filter(|binding| binding.is_about(&asked));
        let mut places: Vec<String> = bound.map(|binding| binding.shown.to_string()).collect();
        let files = secret.files.iter().map(|file| format!("file {}", file.path.display()));
        places.extend(files);
        let places = match places.len() {
            0 => "It may be put back nowhere".to_owned(),
            1..=4 => format!("It may be put back only here: {}", places.join("; ")),
            more => format!(
                "It may be put back only here: {}; and {} more",
                places[..4].join("; "),
                more - 4
            ),
        };
        let hosts = bound_hosts(self.bindings.iter().filter(|binding| binding.is_about(&asked)));
        format!("It stands for a secret that may not go to {to}. {places}.{hosts}")
    }
}

/// What must be known of hosts where some are bound.
fn bound_hosts<'b>(mut bindings: impl Iterator<Item = &'b Arc<Compiled>>) -> &'static str {
    match bindings.any(|binding| !binding.shown.hosts.is_empty()) {
        true => {
            " A host is reached over `https` and its own port, unless the owner opens another scheme \
             or port in `hosts`."
        }
        false => "",
    }
}

/// What a secret from a JSON text is to a reader of JSON, if that is something else: a tool may say
/// it again without its escapes.
fn unescaped(value: &str) -> Option<Zeroizing<String>> {
    let quoted = value.contains('\\').then(|| Zeroizing::new(format!("\"{value}\"")))?;
    serde_json::from_str::<String>(&quoted).ok().map(Zeroizing::new)
}

/// What is said of a placeholder that opens nothing, where only a secret could be meant.
fn unknown() -> String {
    "No secret is kept under it in this session: it is from another session, it was forgotten, or \
     it was never one."
        .into()
}

/// The arguments with the secrets in place of their placeholders.
fn opened(args: &Value, secrets: &BTreeMap<&str, &Secret>) -> Value {
    match args {
        Value::String(text) => {
            let mut opened = String::with_capacity(text.len());
            let mut copied = 0;
            for one in placeholders(text) {
                let Some(secret) = secrets.get(one.text) else { continue };
                opened.push_str(&text[copied..one.span.start]);
                opened.push_str(&secret.value);
                copied = one.span.end;
            }
            opened.push_str(&text[copied..]);
            Value::String(opened)
        }
        Value::Array(items) => items.iter().map(|item| self::opened(item, secrets)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(key, field)| (key.clone(), self::opened(field, secrets)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}
