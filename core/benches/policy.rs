//! A decision about 1,000 tools with every layer set, against the same policy evaluated with
//! `HashSet<String>`.
//!
//! `make bench` runs it and prints its tables. Two baselines: one builds the sets from the lists
//! for each decision, as the seeds' engine does; one keeps the set of each list ready and only
//! applies it. All rows are measured in this one process, in turns, and the smallest of the turns
//! counts. The policy and the caller are the same everywhere, and so is the answer: that is checked
//! before anything is measured.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, and may fail")]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use toolkeep::kind::{Action, Capability, Origin, ToolId};
use toolkeep::policy::{
    Catalog, CatalogTool, Compiled, Decision, Inputs, ListEntry, Memo, Policy, RowLists,
};

const TOOLS: u32 = 1_000;
const TURNS: usize = 15;

fn main() {
    let world = World::new();
    let parent = world.memo.decide(&world.above()).unwrap();
    let above: HashSet<String> = world.names(&parent);
    let inputs = world.inputs(&parent);
    let naive = Naive::new(&world, above);
    let decision = world.memo.decide(&inputs).unwrap();
    let names = world.names(&decision);
    assert!(names.len() > 10, "a decision that leaves nothing measures nothing");
    assert_eq!(names, naive.built(&inputs));
    assert_eq!(names, naive.kept(&inputs));
    let mut best = [f64::MAX; 4];
    for _ in 0..TURNS {
        let rows = [
            time(20, || naive.built(black_box(&inputs)).len()),
            time(20, || naive.kept(black_box(&inputs)).len()),
            time(2_000, || world.memo.compiled().decide(black_box(&inputs)).unwrap()),
            time(20_000, || world.memo.decide(black_box(&inputs)).unwrap()),
        ];
        for (best, row) in best.iter_mut().zip(rows) {
            *best = best.min(row);
        }
    }
    let [built, kept, cold, memoised] = best;
    println!(
        "| policy_decide, {TOOLS} tools, all layers set | ns | of sets built each time | of sets kept ready |"
    );
    println!("|---|---:|---:|---:|");
    for (what, ns) in [
        ("hash sets built from the lists each time", built),
        ("hash sets kept ready", kept),
        ("toolkeep, cold", cold),
        ("toolkeep, memoised", memoised),
    ] {
        println!("| {what} | {ns:.0} | {:.1}× | {:.1}× |", built / ns, kept / ns);
    }
    println!();
    println!("| policy_decide | allocations per decision |");
    println!("|---|---:|");
    let allocations = |run: &dyn Fn()| allocation_counter::measure(run).count_total;
    let cold = allocations(&|| drop(black_box(world.memo.compiled().decide(&inputs).unwrap())));
    println!("| toolkeep, cold | {cold} |");
    let memoised = allocations(&|| {
        for _ in 0..1_000 {
            drop(black_box(world.memo.decide(black_box(&inputs)).unwrap()));
        }
    });
    println!("| toolkeep, memoised (of 1,000 decisions together) | {memoised} |");
    println!();
    println!("| policy, {TOOLS} tools | µs |");
    println!("|---|---:|");
    let catalog = world.memo.compiled().catalog();
    let compile = || Compiled::new(catalog.clone(), world.policy.clone()).unwrap();
    println!("| compile all lists, once per generation | {:.0} |", time(20, compile) / 1e3);
    let id = ToolId(7);
    println!("| explain one tool | {:.1} |", time(200, || decision.steps(id)) / 1e3);
}

/// Nanoseconds of one run.
fn time<T>(runs: u32, mut run: impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    for _ in 0..runs {
        drop(black_box(run()));
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(runs)
}

struct World {
    tools: Vec<CatalogTool>,
    aliases: BTreeMap<String, String>,
    policy: Arc<Policy>,
    memo: Memo,
    row: (Vec<String>, Vec<String>),
    request: Vec<String>,
}

impl World {
    fn new() -> World {
        let tools: Vec<CatalogTool> = (0..TOOLS).map(tool).collect();
        let aliases: BTreeMap<String, String> =
            (0..50).map(|n| (format!("Alias{n}"), name(n * 7))).collect();
        let policy: Arc<Policy> = Arc::new(serde_json::from_value(policy()).unwrap());
        let catalog =
            Arc::new(Catalog::new(tools.clone(), aliases.clone(), &BTreeMap::new()).unwrap());
        let memo = Memo::new(Compiled::new(catalog, policy.clone()).unwrap(), 4_096);
        assert_eq!(memo.compiled().unmatched(), []);
        let row_allow = (0..15).map(|n| format!("group:part{n}")).chain(some(100..120)).collect();
        let row = (row_allow, some(200..210));
        World { tools, aliases, policy, memo, row, request: some(0..40) }
    }

    fn above(&self) -> Inputs<'_> {
        Inputs { agent: Some("boss"), provider: Some("openai"), ..Inputs::default() }
    }

    fn inputs<'i>(&'i self, parent: &'i Arc<Decision>) -> Inputs<'i> {
        Inputs {
            agent: Some("helper"),
            provider: Some("openai"),
            model: Some("gpt"),
            channel: Some("telegram"),
            channel_type: None,
            chat: Some("-100200300"),
            in_group: true,
            depth: 1,
            tools: Some(&self.request),
            row: Some(RowLists { allow: Some(&self.row.0), deny: &self.row.1 }),
            parent: Some(parent),
        }
    }

    fn names(&self, decision: &Decision) -> HashSet<String> {
        decision.allowed().map(|id| self.tools[id.0 as usize].name.clone()).collect()
    }
}

fn name(n: u32) -> String {
    format!("part{}_tool_{n}", n % 20)
}

fn some(range: std::ops::Range<u32>) -> Vec<String> {
    range.map(|n| name(n * 3 % TOOLS)).collect()
}

fn tool(n: u32) -> CatalogTool {
    let capabilities = match n % 4 {
        0 => vec![],
        1 => vec![Capability::ReadOnly],
        2 => vec![Capability::ReadOnly, Capability::OpenWorld],
        _ => vec![Capability::Destructive],
    };
    CatalogTool {
        origin: if n % 10 == 9 { Origin::Mcp } else { Origin::Host },
        group: Some(format!("part{}", n % 20)),
        capabilities,
        channels: if n.is_multiple_of(50) { vec!["slack".into()] } else { Vec::new() },
        action: (n % 100 == 1).then_some(Action::Delegate),
        ..CatalogTool::named(name(n))
    }
}

fn policy() -> Value {
    let mut deny = some(500..520);
    deny.push("part19_*".into());
    let lists = |seed: u32| {
        json!({
            "allow": some(seed..seed + 20).into_iter().chain(["*".into()]).collect::<Vec<_>>(),
            "deny": some(seed + 300..seed + 310),
            "also_allow": some(seed + 303..seed + 308),
            "ask": ["capability:destructive"],
        })
    };
    let merge = |mut base: Value, more: Value| {
        let more = more.as_object().unwrap().clone();
        base.as_object_mut().unwrap().extend(more);
        base
    };
    let boss = json!({ "deny": ["part18_*"] });
    let helper = merge(
        lists(20),
        json!({
            "by_provider": { "openai/gpt": merge(lists(30), json!({ "profile": "full" })) },
            "tools": ["part1*", "part2*", "part3*", "part4*", "group:part5"],
            "actions": { "allow": ["patch"] },
        }),
    );
    let mut chat = lists(40);
    chat.as_object_mut().unwrap().remove("also_allow");
    json!({
        "profile": "full",
        "allow": ["*", "!part17_*", "capability:read-only"],
        "deny": deny.into_iter().map(Value::from).chain([
            json!({ "entry": "group:part16", "final": true }),
        ]).collect::<Vec<_>>(),
        "also_allow": ["part15_*", "part16_*"],
        "by_provider": { "openai/gpt": merge(lists(10), json!({ "profile": "full" })) },
        "agents": { "boss": boss, "helper": helper },
        "by_chat": { "telegram:-100200300": chat },
        "subagents": { "deny": some(600..610), "leaf_deny": some(610..620), "max_depth": 1 },
    })
}

/// An allow list, a deny list and an also-allow list.
type Layer<'w> = (Option<&'w [ListEntry]>, &'w [ListEntry], &'w [ListEntry]);

/// What is done with the set of a list.
type Apply<'a> = &'a mut dyn FnMut(&HashSet<String>);

/// The baseline: every set a `HashSet<String>`.
struct Naive<'w> {
    policy: &'w Policy,
    tools: &'w [CatalogTool],
    aliases: &'w BTreeMap<String, String>,
    groups: HashMap<String, Vec<String>>,
    capable: HashMap<&'static str, Vec<String>>,
    above: HashSet<String>,
    ready: HashMap<*const ListEntry, HashSet<String>>,
}

impl<'w> Naive<'w> {
    fn new(world: &'w World, above: HashSet<String>) -> Naive<'w> {
        let mut groups: HashMap<String, Vec<String>> = HashMap::new();
        let mut capable: HashMap<&'static str, Vec<String>> = HashMap::new();
        for tool in &world.tools {
            groups.entry(tool.group.clone().unwrap()).or_default().push(tool.name.clone());
            let read_only = tool.capabilities.contains(&Capability::ReadOnly);
            if read_only {
                capable.entry("read-only").or_default().push(tool.name.clone());
            }
        }
        let (policy, aliases) = (&*world.policy, &world.aliases);
        let ready = HashMap::new();
        let mut naive =
            Naive { policy, tools: &world.tools, aliases, groups, capable, above, ready };
        naive.ready = naive
            .all_lists()
            .into_iter()
            .filter(|list| !list.is_empty())
            .map(|list| (list.as_ptr(), naive.listed(list)))
            .collect();
        naive
    }

    fn all_lists(&self) -> Vec<&'w [ListEntry]> {
        let subagents = &self.policy.subagents;
        let tools = self.policy.agents["helper"].tools.as_deref().unwrap();
        let mut all = vec![tools, &*subagents.deny, &*subagents.leaf_deny];
        for (allow, deny, also_allow) in self.layers() {
            all.extend([allow.unwrap_or_default(), deny, also_allow]);
        }
        all
    }

    /// The allow, deny and also-allow lists of the five places.
    fn layers(&self) -> [Layer<'w>; 5] {
        let policy = self.policy;
        let provider = &policy.by_provider["openai/gpt"];
        let agent = &policy.agents["helper"];
        let both = &agent.by_provider["openai/gpt"];
        let chat = &policy.by_chat["telegram:-100200300"];
        [
            (policy.allow.as_deref(), &policy.deny, &policy.also_allow),
            (provider.allow.as_deref(), &provider.deny, &provider.also_allow),
            (agent.allow.as_deref(), &agent.deny, &agent.also_allow),
            (both.allow.as_deref(), &both.deny, &both.also_allow),
            (chat.allow.as_deref(), &chat.deny, &[]),
        ]
    }

    fn expand<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> HashSet<String> {
        let (mut added, mut taken) = (HashSet::new(), HashSet::new());
        for text in texts {
            let (into, body) = match text.strip_prefix('!') {
                Some(body) => (&mut taken, body),
                None => (&mut added, text),
            };
            if let Some(group) = body.strip_prefix("group:") {
                into.extend(self.groups[group].iter().cloned());
            } else if let Some(capability) = body.strip_prefix("capability:") {
                into.extend(self.capable[capability].iter().cloned());
            } else if let Some(start) = body.strip_suffix('*') {
                let names = self.tools.iter().map(|tool| &tool.name);
                into.extend(names.filter(|name| name.starts_with(start)).cloned());
            } else {
                into.insert(self.aliases.get(body).map_or(body, String::as_str).to_owned());
            }
        }
        added.retain(|name| !taken.contains(name));
        added
    }

    fn listed(&self, list: &[ListEntry]) -> HashSet<String> {
        self.expand(list.iter().map(ListEntry::text))
    }

    fn built(&self, inputs: &Inputs<'_>) -> HashSet<String> {
        self.evaluate(inputs, &|list, use_set| use_set(&self.listed(list)))
    }

    fn kept(&self, inputs: &Inputs<'_>) -> HashSet<String> {
        self.evaluate(inputs, &|list, use_set| {
            if let Some(set) = self.ready.get(&list.as_ptr()) {
                use_set(set);
            }
        })
    }

    fn evaluate(
        &self,
        inputs: &Inputs<'_>,
        with: &dyn Fn(&[ListEntry], Apply<'_>),
    ) -> HashSet<String> {
        let mut left: HashSet<String> = self.tools.iter().map(|tool| tool.name.clone()).collect();
        for (allow, ..) in self.layers() {
            let allow = allow.unwrap();
            with(allow, &mut |set| left.retain(|name| set.contains(name)));
        }
        for (_, deny, _) in self.layers() {
            with(deny, &mut |set| left.retain(|name| !set.contains(name)));
        }
        let finals = &self.groups["part16"];
        for (.., also_allow) in self.layers() {
            with(also_allow, &mut |set| {
                left.extend(set.iter().filter(|name| !finals.contains(name)).cloned());
            });
        }
        let row = inputs.row.unwrap();
        let allow = self.expand(row.allow.unwrap().iter().map(String::as_str));
        left.retain(|name| allow.contains(name));
        let deny = self.expand(row.deny.iter().map(String::as_str));
        left.retain(|name| !deny.contains(name));
        let tools = self.policy.agents["helper"].tools.as_deref().unwrap();
        with(tools, &mut |set| left.retain(|name| set.contains(name)));
        for tool in self.tools {
            let elsewhere =
                !tool.channels.is_empty() && !tool.channels.contains(&"telegram".into());
            if elsewhere || tool.action.is_some() {
                left.remove(&tool.name);
            }
        }
        for list in [&self.policy.subagents.deny, &self.policy.subagents.leaf_deny] {
            with(list, &mut |set| left.retain(|name| !set.contains(name)));
        }
        left.retain(|name| self.above.contains(name));
        let request = self.expand(inputs.tools.unwrap().iter().map(String::as_str));
        left.retain(|name| request.contains(name));
        left
    }
}
