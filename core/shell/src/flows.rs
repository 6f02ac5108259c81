//! Effects that together are more than each: a secret that is sent, code that is fetched and run, a
//! shell between two ends of a connection.
//!
//! Invocations are the nodes of a graph. One feeds another by a pipe, by a word that holds what the
//! other wrote (`$(…)`), by a file that one writes and the other reads, or because it runs the
//! other. From each invocation that sends something, or that runs what it reads, [`join`] follows
//! the edges backwards and adds an effect for what it finds there: [`Effect::Leak`],
//! [`Effect::Code`] from the network or from a decoder, [`Effect::RemoteShell`].
//!
//! The graph says that data may flow, and not that it does: `curl x | sort | sh` counts as running
//! what the network sends, whatever `sort` leaves of it.
//!
//! # Example
//!
//! ```text
//! curl -s https://get.example/x > /tmp/x; base64 -d /tmp/x > /tmp/y; sh /tmp/y
//! ```
//!
//! `sh` runs a file, so the search begins at `sh`. `base64` writes that file, and reads one that
//! `curl` writes; `curl` reaches the network. So `sh` gets two effects more: it runs what the
//! network sent, and it runs what was decoded.

mod decoders;
mod programs;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::effect::{Access, Certainty, CodeFrom, Effect, Found, Leak, Payload, Scope};
use crate::invocation::{Argument, Invocation, Stdin, Stdout};
use crate::place;
use crate::value::{Origin, Value};
use programs::{
    CONNECTORS, COPY_PROGRAMS, DESCRIBE_MACHINE, FETCH_REPOSITORIES, HTTP_DATA_OPTIONS, RESOLVERS,
    SHELLS,
};

/// The effects that arise from several invocations together, of those that send or that run what
/// they read.
#[must_use]
pub fn join(text: &str, invocations: &[Invocation], found: &[Found]) -> Vec<Found> {
    if !found.iter().any(may_end_a_flow) && !invocations.iter().any(reads_code) {
        return Vec::new();
    }
    let mut graph = Graph::new(text, invocations, found);
    graph.before = (0..invocations.len()).map(|number| graph.direct_sources(number)).collect();
    graph.commanded = (0..invocations.len())
        .map(|number| graph.code_sources(number).iter().any(|from| graph.is_network(*from)))
        .collect();
    let mut joined = Vec::new();
    for number in 0..invocations.len() {
        graph.sends(number, &mut joined);
        graph.runs(number, &mut joined);
    }
    graph.add_effects_of_shell(&mut joined);
    let mut all: Vec<Found> = Vec::new();
    for found in joined {
        if !all.contains(&found) {
            all.push(found);
        }
    }
    all
}

/// True for an effect that sends or runs something that may come from elsewhere. Without one, the
/// graph is not built.
fn may_end_a_flow(found: &Found) -> bool {
    match &found.effect {
        Effect::Network { .. } | Effect::Code { .. } | Effect::Dynamic { .. } => true,
        Effect::File(file) => file.access == Access::Execute,
        _ => false,
    }
}

/// True for an invocation that may run what it is given, whatever effects were found of it.
fn reads_code(invocation: &Invocation) -> bool {
    let name = invocation.name().unwrap_or_default();
    evaluates(invocation, name) || is_shell(name) || tcp(&invocation.stdin)
}

/// The invocations of a text, and what flows between them.
struct Graph<'a> {
    /// The text, to see what stands between two invocations.
    text: &'a str,
    /// The nodes.
    invocations: &'a [Invocation],
    /// The effects of all invocations.
    found: &'a [Found],
    /// For each invocation, the files that it reads and those that it writes.
    files: Vec<(BTreeSet<&'a str>, BTreeSet<&'a str>)>,
    /// For each invocation, those that it runs.
    inner: Vec<Vec<usize>>,
    /// For each invocation, those from which something comes to it.
    before: Vec<Vec<usize>>,
    /// True for those that run what comes from the network.
    commanded: Vec<bool>,
}

impl<'a> Graph<'a> {
    /// Collects, for each invocation, the files that it reads and writes and the invocations that
    /// it runs.
    fn new(text: &'a str, invocations: &'a [Invocation], found: &'a [Found]) -> Graph<'a> {
        let mut files = vec![(BTreeSet::new(), BTreeSet::new()); invocations.len()];
        let mut inner = vec![Vec::new(); invocations.len()];
        for (number, invocation) in invocations.iter().enumerate() {
            if let Some(outer) = invocation.outer.and_then(|outer| inner.get_mut(outer)) {
                outer.push(number);
            }
            if let Stdin::File(path) = &invocation.stdin {
                files[number].0.extend(possible(path));
            }
            if let Stdout::File { path, .. } = &invocation.stdout {
                files[number].1.extend(possible(path));
            }
        }
        for found in found {
            let (Effect::File(file), Some((reads, writes))) =
                (&found.effect, found.by.and_then(|by| files.get_mut(by)))
            else {
                continue;
            };
            match file.access {
                Access::Read | Access::Move | Access::Link | Access::Execute => {
                    reads.extend(possible(&file.path));
                }
                Access::Write => writes.extend(possible(&file.path)),
                Access::List | Access::Delete | Access::Meta => {}
            }
        }
        for (reads, writes) in &mut files {
            let is_real = |path: &&str| !path.starts_with("/dev/") || path.starts_with("/dev/shm/");
            reads.retain(is_real);
            writes.retain(is_real);
        }
        let (before, commanded) = (Vec::new(), Vec::new());
        Graph { text, invocations, found, files, inner, before, commanded }
    }

    /// The effects of an invocation.
    fn effects(&self, number: usize) -> impl Iterator<Item = &'a Found> + use<'a> {
        self.found.iter().filter(move |found| found.by == Some(number))
    }

    /// The name of an invocation's program; empty if it is not known.
    fn name(&self, number: usize) -> &'a str {
        self.invocations[number].name().unwrap_or_default()
    }

    /// The invocations that wrote what one reads on standard input.
    fn stdin(&self, number: usize) -> Vec<usize> {
        match &self.invocations[number].stdin {
            Stdin::Pipe(numbers) => numbers.clone(),
            Stdin::Text(value) | Stdin::Rest(value) | Stdin::File(value) => {
                value.outputs().to_vec()
            }
            Stdin::Inherited | Stdin::Unknown => Vec::new(),
        }
    }

    /// The invocations that wrote what stands in the words of one. What they wrote may be known.
    fn words(&self, number: usize) -> Vec<usize> {
        let invocation = &self.invocations[number];
        let words = invocation.arguments.iter().chain([&invocation.program]);
        words.flat_map(Self::word).collect()
    }

    /// The invocations that wrote what stands in a word.
    fn word(word: &Argument) -> Vec<usize> {
        let mut all = word.value.outputs().to_vec();
        all.extend(word.made_by.iter().filter(|number| !word.value.outputs().contains(number)));
        all
    }

    /// The invocations that write a file which this one reads.
    fn writers(&self, number: usize) -> Vec<usize> {
        let reads = &self.files[number].0;
        let writes = |other: &usize| {
            *other != number && self.files[*other].1.iter().any(|path| reads.contains(path))
        };
        (0..self.invocations.len()).filter(writes).collect()
    }

    /// All invocations from which something comes to these, over any number of steps, themselves
    /// included.
    fn sources_of(&self, from: Vec<usize>) -> BTreeSet<usize> {
        let mut all = BTreeSet::new();
        let mut next = from;
        while let Some(number) = next.pop() {
            if number >= self.invocations.len() || !all.insert(number) {
                continue;
            }
            next.extend(self.before[number].iter().copied());
        }
        all
    }

    /// The invocations from which something comes to one in a single step.
    fn direct_sources(&self, number: usize) -> Vec<usize> {
        let mut all = self.stdin(number);
        all.extend(self.words(number));
        all.extend(self.writers(number));
        all.extend(self.inner[number].iter().copied());
        all
    }

    /// True for one that brings something in from the network.
    fn is_network(&self, number: usize) -> bool {
        let fetches = |found: &Found| {
            matches!(
                found.effect,
                Effect::Network { fetches: true, .. } | Effect::Listen { .. } | Effect::RemoteShell
            )
        };
        self.effects(number).any(fetches) || tcp(&self.invocations[number].stdin)
    }

    /// The worst that these invocations read: a secret, the environment, or something of this
    /// machine.
    fn leak(&self, numbers: &BTreeSet<usize>) -> Option<Leak> {
        let of_effect = |effect: &Effect| match effect {
            Effect::Secret { .. } => Some(Leak::Secret),
            Effect::EnvironmentDump => Some(Leak::Environment),
            Effect::File(file) if file.access == Access::Read => match file.scope {
                Scope::Secret | Scope::Denied => Some(Leak::Secret),
                Scope::HarmlessDevice => None,
                _ => Some(Leak::Local),
            },
            _ => None,
        };
        let read = numbers
            .iter()
            .flat_map(|number| self.effects(*number))
            .filter_map(|found| of_effect(&found.effect));
        let reporting = numbers
            .iter()
            .filter(|number| DESCRIBE_MACHINE.contains(&self.name(**number)))
            .map(|_| Leak::Local);
        read.chain(reporting).max()
    }

    /// Adds an effect of the invocation that causes it.
    fn add(&self, joined: &mut Vec<Found>, cause: &Found, effect: Effect) {
        joined.push(Found { effect, ..cause.clone() });
    }

    /// What one that sends sends.
    fn sends(&self, number: usize, joined: &mut Vec<Found>) {
        let invocation = &self.invocations[number];
        let name = self.name(number);
        let inline = self
            .effects(number)
            .any(|found| matches!(&found.effect, Effect::Code { from: CodeFrom::Inline(_) }));
        for cause in self.effects(number) {
            let Effect::Network { sends, .. } = &cause.effect else { continue };
            let mut leak = None;
            let reads_input = match sends {
                Payload::Stdin => true,
                Payload::File(path) => matches!(path.as_known(), Some("-" | "/dev/stdin")),
                Payload::Text | Payload::None => inline || CONNECTORS.contains(&name),
            };
            if reads_input {
                let mut from = self.stdin(number);
                from.extend(self.writers_of_stdin(number));
                leak = leak.max(self.leak(&self.sources_of(from)));
                if let Stdin::File(path) = &invocation.stdin {
                    leak = leak.max(self.leak_of_file(number, path));
                }
            }
            // What is pushed is the work itself; where it goes is judged as such.
            if let Payload::File(path) = sends
                && !reads_input
                && name != "git"
            {
                leak = leak.max(self.leak_of_file(number, path)).max(Some(Leak::Local));
            }
            leak = leak.max(self.leak_of_words(number));
            if inline && *sends != Payload::None {
                let own: BTreeSet<usize> =
                    std::iter::once(number).chain(self.inner[number].iter().copied()).collect();
                leak = leak.max(self.leak(&own).filter(|leak| *leak > Leak::Local));
            }
            if let Some(leak) = leak {
                self.add(joined, cause, Effect::Leak(leak));
            }
            // What a shell writes goes where its commands come from.
            let mut from = self.stdin(number);
            from.extend(self.writers_of_stdin(number));
            for other in self.sources_of(from) {
                if self.commanded[other] && other != number {
                    self.add(joined, cause, Effect::RemoteShell);
                }
            }
        }
    }

    /// The invocations that wrote the file which one reads on standard input.
    fn writers_of_stdin(&self, number: usize) -> Vec<usize> {
        match &self.invocations[number].stdin {
            Stdin::File(_) => self.writers(number),
            _ => Vec::new(),
        }
    }

    /// What leaks with a file that is sent.
    fn leak_of_file(&self, number: usize, path: &Value) -> Option<Leak> {
        let name = |path: &Value| path.prefix().rsplit('/').next().unwrap_or_default().to_owned();
        let secret = self.effects(number).any(|found| match &found.effect {
            Effect::File(file) => file.scope == Scope::Secret && name(&file.path) == name(path),
            _ => false,
        });
        let writers = self.leak(&self.sources_of(self.writers(number)));
        let shell = self.found.iter().any(|found| match &found.effect {
            Effect::File(file) => {
                found.by.is_none() && file.scope == Scope::Secret && &file.path == path
            }
            _ => false,
        });
        if secret || shell { Some(Leak::Secret) } else { writers.or(Some(Leak::Local)) }
    }

    /// The secrets in the words of an invocation that sends. A URL component counts as a secret only if it is one by itself.
    fn leak_of_words(&self, number: usize) -> Option<Leak> {
        let invocation = &self.invocations[number];
        let is_resolver = RESOLVERS.contains(&self.name(number));
        let mut worst = None;
        for (at, word) in invocation.arguments.iter().enumerate() {
            let option = at.checked_sub(1).and_then(|at| invocation.arguments.get(at));
            let option = option.and_then(|word| word.value.as_known()).unwrap_or_default();
            let text = word.value.prefix();
            let is_data = is_resolver
                || HTTP_DATA_OPTIONS.contains(&option)
                || text.starts_with("--data")
                || text.starts_with("--post")
                || text.starts_with("-d") && text.len() > 2 && !text.starts_with("--");
            let from = Self::word(word);
            if !from.is_empty() {
                let leak = self.leak(&self.sources_of(from));
                worst = worst.max(leak.filter(|leak| is_data || *leak > Leak::Local));
            }
            if let Some(Origin::Environment(name) | Origin::EnvironmentOr(name, _)) =
                word.value.origin()
                && crate::names::is_secret_name(name)
                && !authorizes(option, text)
            {
                worst = worst.max(Some(Leak::Secret));
            }
        }
        worst
    }

    /// Those whose output one runs as code.
    fn code_sources(&self, number: usize) -> BTreeSet<usize> {
        let invocation = &self.invocations[number];
        let mut from = Vec::new();
        let mut reads = false;
        for found in self.effects(number) {
            match &found.effect {
                Effect::Code { from: CodeFrom::Stdin } => {
                    from.extend(self.stdin(number));
                    from.extend(self.words(number));
                }
                Effect::Dynamic { .. } => from.extend(self.words(number)),
                Effect::File(file) if file.access == Access::Execute => {
                    reads = true;
                    from.extend(file.path.outputs());
                }
                _ => {}
            }
        }
        if reads {
            from.extend(self.writers(number));
        }
        if evaluates(invocation, self.name(number)) {
            from.extend(self.words(number));
            from.extend(self.writers(number));
        }
        from.extend(Self::word(&invocation.program));
        from.retain(|other| *other != number && !self.inner[number].contains(other));
        self.sources_of(from)
    }

    /// Adds what one runs that others wrote.
    fn runs(&self, number: usize, joined: &mut Vec<Found>) {
        let invocation = &self.invocations[number];
        let sources = self.code_sources(number);
        let cause = Found {
            effect: Effect::RemoteShell,
            certainty: if invocation.conditional { Certainty::May } else { Certainty::Must },
            by: Some(number),
            program: invocation.program.value.prefix().to_owned(),
            span: invocation.span.clone(),
        };
        let is_code = is_shell(self.name(number)) || invocation.program.value.as_known().is_none();
        let network =
            sources.iter().any(|source| self.is_network(*source) && !self.is_clone(*source));
        let reads_tcp = tcp(&invocation.stdin) && is_code;
        if network || reads_tcp {
            self.add(joined, &cause, Effect::Code { from: CodeFrom::Network });
        }
        if sources.iter().any(|source| self.decodes(*source)) || self.decoded_before(number) {
            self.add(joined, &cause, Effect::Code { from: CodeFrom::Decoded });
        }
        if self.runs_what_code_wrote(number) || self.runs_what_was_cloned(number) {
            self.add(joined, &cause, Effect::Code { from: CodeFrom::Fetched });
        }
        let writes_tcp = match &invocation.stdout {
            Stdout::File { path, .. } => is_tcp(path),
            _ => false,
        };
        if writes_tcp && (network || reads_tcp) {
            self.add(joined, &cause, Effect::RemoteShell);
        }
    }

    /// True for one that runs a file which code in the text has made.
    fn runs_what_code_wrote(&self, number: usize) -> bool {
        const FILTER_LANGUAGES: &[&str] = &["sed", "awk", "jq"];
        let executes = self.effects(number).filter_map(|found| match &found.effect {
            Effect::File(file) if file.access == Access::Execute => Some(possible(&file.path)),
            _ => None,
        });
        let paths: BTreeSet<&str> = executes.flatten().collect();
        let is_code = |found: &Found| {
            matches!(&found.effect, Effect::Code { from: CodeFrom::Inline(language) }
                if !FILTER_LANGUAGES.contains(&&**language))
        };
        self.writers(number).into_iter().any(|writer| {
            !self.files[writer].1.is_disjoint(&paths) && self.effects(writer).any(is_code)
        })
    }

    /// True for one that runs what stands in a folder which the text has fetched before.
    fn runs_what_was_cloned(&self, number: usize) -> bool {
        let mut runs = false;
        let mut places = possible(&self.invocations[number].cwd);
        for found in self.effects(number) {
            match &found.effect {
                Effect::Code { from: CodeFrom::Project(_) | CodeFrom::File } => runs = true,
                Effect::File(file) => {
                    runs |= file.access == Access::Execute;
                    places.extend(possible(&file.path));
                }
                _ => {}
            }
        }
        let from = |other: &usize| self.cloned_into(*other).next().is_some();
        if !runs || !(0..number).any(|other| from(&other)) {
            return false;
        }
        let named = self.named_places(number);
        let is_there = |place: &str| {
            let mut clones = (0..number).filter(from).flat_map(|other| self.cloned_into(other));
            clones.any(|folder| place::is_within(place, folder))
        };
        let copies = |other: usize| {
            COPY_PROGRAMS.contains(&self.name(other))
                && self.named_places(other).iter().any(|place| is_there(place))
        };
        places.into_iter().any(is_there)
            || named.iter().any(|place| is_there(place))
            || (0..number).any(copies)
    }

    /// Where its words lead that may be paths.
    fn named_places(&self, number: usize) -> Vec<String> {
        let invocation = &self.invocations[number];
        // Of a pattern, the folder in which it looks.
        let fixed = |text: &'a str| text.split(['*', '?', '[']).next().unwrap_or_default();
        let texts = |word: &'a Argument| match &word.value {
            Value::Unknown(Origin::Glob(pattern)) => vec![fixed(pattern)],
            Value::Prefix(text, _) => vec![fixed(text)],
            other => possible(other),
        };
        let words = invocation.arguments.iter().flat_map(texts);
        let words: Vec<&str> =
            words.map(|word| word.split_once('=').map_or(word, |(_, value)| value)).collect();
        let below = |folder: &str, word: &str| match word.starts_with('/') {
            true => word.to_owned(),
            false => format!("{folder}/{}", word.trim_start_matches("./").trim_end_matches('/')),
        };
        let folders = possible(&invocation.cwd);
        folders.iter().flat_map(|folder| words.iter().map(|word| below(folder, word))).collect()
    }

    /// True for one that fetches a repository and shows nothing of it: its files can be read before they
    /// run.
    fn is_clone(&self, number: usize) -> bool {
        matches!(self.invocations[number].stdout, Stdout::Inherited | Stdout::Nowhere)
            && FETCH_REPOSITORIES.contains(&self.name(number))
            && self.cloned_into(number).next().is_some()
    }

    /// The folders that one fills with what it fetches.
    fn cloned_into(&self, number: usize) -> impl Iterator<Item = &'a str> + use<'a> {
        let fetches = self.is_network(number);
        self.effects(number).filter(move |_| fetches).flat_map(|found| match &found.effect {
            Effect::File(file) if file.access == Access::Write && file.recursive => {
                possible(&file.path)
            }
            _ => Vec::new(),
        })
    }

    /// What the shell itself sends, and what it runs of files that were fetched.
    fn add_effects_of_shell(&self, joined: &mut Vec<Found>) {
        for cause in self.found.iter().filter(|found| found.by.is_none()) {
            match &cause.effect {
                Effect::Network { .. } => {
                    let to_tcp = |number: &usize| matches!(&self.invocations[*number].stdout, Stdout::File { path, .. } if is_tcp(path));
                    let from: Vec<usize> = (0..self.invocations.len()).filter(to_tcp).collect();
                    if let Some(leak) = self.leak(&self.sources_of(from)) {
                        self.add(joined, cause, Effect::Leak(leak));
                    }
                }
                Effect::File(file) if file.access == Access::Execute => {
                    let paths: BTreeSet<&str> = possible(&file.path).into_iter().collect();
                    let writes = |number: &usize| !self.files[*number].1.is_disjoint(&paths);
                    let mut from: Vec<usize> = (0..self.invocations.len()).filter(writes).collect();
                    from.extend(file.path.outputs());
                    let sources = self.sources_of(from);
                    if sources.iter().any(|source| self.is_network(*source)) {
                        self.add(joined, cause, Effect::Code { from: CodeFrom::Network });
                    }
                    if sources.iter().any(|source| self.decodes(*source)) {
                        self.add(joined, cause, Effect::Code { from: CodeFrom::Decoded });
                    }
                }
                _ => {}
            }
        }
    }
}

/// True for a header or a user that logs in, which is what such a secret is for.
fn authorizes(option: &str, text: &str) -> bool {
    let is_header = text.split_once(':').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|char| char == '-' || char.is_ascii_alphabetic())
    });
    is_header && !text.starts_with("http")
        || matches!(
            option,
            "-u" | "--user" | "-H" | "--header" | "--oauth2-bearer" | "--password" | "-p"
        )
}

/// True for a builtin that runs its words, or a file that they name.
fn evaluates(invocation: &Invocation, name: &str) -> bool {
    invocation.builtin && matches!(name, "eval" | "source" | "." | "trap")
}

/// True for a shell, and for an interpreter that may run commands.
fn is_shell(name: &str) -> bool {
    let interpreters = ["python", "perl", "ruby", "node", "php", "lua"];
    SHELLS.contains(&name) || interpreters.iter().any(|start| name.starts_with(start))
}

/// The known texts of a path.
fn possible(path: &Value) -> Vec<&str> {
    path.possible().unwrap_or_default().iter().map(String::as_str).collect()
}

/// True for `/dev/tcp/…` and `/dev/udp/…`, by which Bash opens a connection.
fn is_tcp(path: &Value) -> bool {
    path.prefix().starts_with("/dev/tcp/") || path.prefix().starts_with("/dev/udp/")
}

/// True where standard input is such a connection.
fn tcp(stdin: &Stdin) -> bool {
    matches!(stdin, Stdin::File(path) if is_tcp(path))
}
