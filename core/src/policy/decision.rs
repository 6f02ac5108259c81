//! Layers of lists compiled to one bit per tool, with the steps kept so that a refusal can name
//! the rule that decided.

use fixedbitset::FixedBitSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::profile::PROFILES;
use super::{Catalog, Entry, Error, Inputs, ListEntry, Policy};
use crate::kind::ToolId;

/// A compiled policy: which tools of one catalog may be called.
#[derive(Clone, Debug)]
pub struct Decision {
    allowed: FixedBitSet,
    stages: Vec<Stage>,
}

/// One list applied: the tools left after it, and what is needed to name the entry that decided.
#[derive(Clone, Debug)]
struct Stage {
    source: String,
    denies: bool,
    entries: Vec<(Entry, FixedBitSet)>,
    left: FixedBitSet,
}

/// The rule that refused a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rule {
    /// The list and, where one entry decided, the entry: `policy.deny[0] = "group:fs"`.
    pub name: String,
    /// The same as a sentence.
    pub text: String,
}

/// One step of an explanation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// The list that was applied: `policy.profile`, `policy.allow`, `agent helper deny`, …
    pub source: String,
    /// Whether the tool was still allowed before it.
    pub before: bool,
    /// Whether the tool was still allowed after it.
    pub after: bool,
}

impl Decision {
    /// Compiles the configuration's policy and then the layers, in order, for one catalog.
    pub(super) fn compile(
        catalog: &Catalog,
        policy: &Policy,
        inputs: &Inputs<'_>,
    ) -> Result<Decision, Error> {
        let texts = |list: &[ListEntry]| -> Vec<String> {
            list.iter().map(|entry| entry.text().to_owned()).collect()
        };
        let row = format!("agent {}", inputs.agent.unwrap_or_default());
        let mut decision = Decision { allowed: catalog.everything(), stages: Vec::new() };
        decision.profile(catalog, &policy.profile)?;
        let allow = policy.allow.as_deref().map(texts);
        decision.allow(catalog, "policy.allow", allow.as_deref())?;
        if let Some(lists) = inputs.row {
            decision.allow(catalog, &format!("{row} allow"), lists.allow)?;
        }
        decision.deny(catalog, "policy.deny", &texts(&policy.deny))?;
        if let Some(lists) = inputs.row {
            decision.deny(catalog, &format!("{row} deny"), lists.deny)?;
        }
        Ok(decision)
    }

    /// True if a call of the tool wants somebody's approval.
    pub fn asks(&self, _tool: ToolId) -> Option<Rule> {
        None
    }

    /// The agents that the caller may give work to.
    pub fn delegate_targets(&self) -> Option<&[String]> {
        None
    }

    /// True if the tool may be called.
    pub fn allows(&self, tool: ToolId) -> bool {
        self.allowed.contains(tool.0 as usize)
    }

    /// The rule that refuses the tool; none if it is allowed.
    pub fn refusal(&self, tool: ToolId) -> Option<Rule> {
        let index = tool.0 as usize;
        self.stages.iter().find(|stage| !stage.left.contains(index)).map(|stage| stage.rule(index))
    }

    /// What each list did to the tool, in order.
    pub fn steps(&self, tool: ToolId) -> Vec<Step> {
        let index = tool.0 as usize;
        let mut before = true;
        self.stages
            .iter()
            .map(|stage| {
                let after = stage.left.contains(index);
                let step = Step { source: stage.source.clone(), before, after };
                before = after;
                step
            })
            .collect()
    }

    fn profile(&mut self, catalog: &Catalog, profile: &str) -> Result<(), Error> {
        if profile == "full" {
            return Ok(());
        }
        let Some((_, entries)) = PROFILES.iter().find(|(name, _)| *name == profile) else {
            return Err(Error::UnknownProfile {
                source_name: "policy.profile".into(),
                profile: profile.to_owned(),
            });
        };
        let entries: Vec<String> = entries.iter().map(|entry| (*entry).to_owned()).collect();
        self.apply(catalog, &format!("policy.profile = \"{profile}\""), &entries, false)
    }

    fn allow(
        &mut self,
        catalog: &Catalog,
        source: &str,
        entries: Option<&[String]>,
    ) -> Result<(), Error> {
        match entries {
            Some(entries) => self.apply(catalog, source, entries, false),
            None => Ok(()),
        }
    }

    fn deny(&mut self, catalog: &Catalog, source: &str, entries: &[String]) -> Result<(), Error> {
        if entries.is_empty() {
            return Ok(());
        }
        self.apply(catalog, source, entries, true)
    }

    fn apply(
        &mut self,
        catalog: &Catalog,
        source: &str,
        entries: &[String],
        denies: bool,
    ) -> Result<(), Error> {
        let mut named = catalog.nothing();
        let mut expanded = Vec::with_capacity(entries.len());
        for (index, text) in entries.iter().enumerate() {
            let place = format!("{source}[{index}]");
            let entry = Entry::parse(&place, text)?;
            let tools = entry.expand(&place, catalog)?;
            if !entry.is_negated() {
                named.union_with(&tools);
            }
            expanded.push((entry, tools));
        }
        if !entries.is_empty() && expanded.iter().all(|(entry, _)| entry.is_negated()) {
            return Err(Error::BadEntry {
                source_name: source.to_owned(),
                entry: entries[0].clone(),
                why: "the list has only entries with `!`, so there is nothing to take them from"
                    .into(),
            });
        }
        for (entry, tools) in &expanded {
            if entry.is_negated() {
                named.difference_with(tools);
            }
        }
        let mut left = self.allowed.clone();
        if denies {
            left.difference_with(&named);
        } else {
            left.intersect_with(&named);
        }
        self.allowed.clone_from(&left);
        self.stages.push(Stage { source: source.to_owned(), denies, entries: expanded, left });
        Ok(())
    }
}

impl Stage {
    fn rule(&self, tool: usize) -> Rule {
        let decided = self
            .entries
            .iter()
            .position(|(entry, tools)| entry.is_negated() != self.denies && tools.contains(tool));
        match decided {
            Some(index) => {
                let entry = self.entries[index].0.text();
                let name = format!("{}[{index}] = \"{entry}\"", self.source);
                let text =
                    format!("the list `{}` rules it out by its entry `{entry}`", self.source);
                Rule { name, text }
            }
            None => Rule {
                name: self.source.clone(),
                text: format!("`{}` does not include it", self.source),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::{CatalogTool, RowLists};
    use super::*;

    const TOOLS: [&str; 6] = ["edit", "exec", "list_files", "read_file", "weather", "write_file"];

    fn catalog() -> Catalog {
        let tools = TOOLS
            .map(|name| CatalogTool {
                group: (name == "weather").then(|| "outside".into()),
                ..CatalogTool::named(name)
            })
            .to_vec();
        let aliases = BTreeMap::from([("bash".to_owned(), "exec".to_owned())]);
        let groups = BTreeMap::from([
            ("both".to_owned(), vec!["group:files".to_owned(), "!edit".to_owned()]),
            ("files".to_owned(), vec!["*_file".to_owned(), "bash".to_owned(), "edit".to_owned()]),
        ]);
        Catalog::new(tools, aliases, &groups).unwrap()
    }

    #[test]
    fn members_of_a_declared_group_are_entries() {
        let files = ["edit", "exec", "read_file", "write_file"];
        assert_eq!(allowed(&lists(Some(&["group:files"]), &[]), None), files);
        let both = ["exec", "read_file", "write_file"];
        assert_eq!(allowed(&lists(Some(&["group:both"]), &[]), None), both);
        let new = |name: &str, member: &str| {
            let groups = BTreeMap::from([(name.to_owned(), vec![member.to_owned()])]);
            Catalog::new(Vec::new(), BTreeMap::new(), &groups).unwrap_err().to_string()
        };
        assert!(new("a", "group:a").contains("holds itself"));
        assert!(new("a", "group:nope").contains("groups.a[0]"));
        assert!(new("a", "x y").contains("groups.a[0]"));
    }

    #[test]
    fn an_entry_that_can_match_nothing_is_refused() {
        for entry in ["groups:fs", "group fs", "a,b", "@fs", "!edit", "", "!", "group:", "a["] {
            let refused = Decision::compile(&catalog(), &lists(None, &[entry]), &Inputs::default());
            assert!(refused.is_err(), "{entry}");
        }
    }

    fn allowed(policy: &Policy, row: Option<RowLists<'_>>) -> Vec<&'static str> {
        let catalog = catalog();
        let inputs = Inputs { agent: Some("a"), row, ..Inputs::default() };
        let decision = Decision::compile(&catalog, policy, &inputs).unwrap();
        TOOLS.into_iter().filter(|name| decision.allows(catalog.id(name).unwrap())).collect()
    }

    fn lists(allow: Option<&[&str]>, deny: &[&str]) -> Policy {
        Policy {
            allow: allow.map(|a| a.iter().map(|s| ListEntry::from(*s)).collect()),
            deny: deny.iter().map(|s| ListEntry::from(*s)).collect(),
            ..Policy::default()
        }
    }

    #[test]
    fn a_default_policy_allows_everything() {
        assert_eq!(allowed(&Policy::default(), None).len(), 6);
    }

    #[test]
    fn an_empty_allow_list_allows_nothing() {
        assert!(allowed(&lists(Some(&[]), &[]), None).is_empty());
    }

    #[test]
    fn groups_aliases_and_globs_are_entries() {
        let all_fs = ["edit", "list_files", "read_file", "write_file"];
        assert_eq!(allowed(&lists(Some(&["group:fs"]), &[]), None), all_fs);
        assert_eq!(allowed(&lists(Some(&["bash"]), &[]), None), ["exec"]);
        assert_eq!(allowed(&lists(Some(&["*_file"]), &[]), None), ["read_file", "write_file"]);
        assert_eq!(allowed(&lists(Some(&["group:outside"]), &[]), None), ["weather"]);
    }

    #[test]
    fn negation_subtracts_after_the_whole_list_whatever_the_order() {
        let expected = ["edit", "list_files", "read_file"];
        assert_eq!(allowed(&lists(Some(&["!write_file", "group:fs"]), &[]), None), expected);
        assert_eq!(allowed(&lists(Some(&["group:fs", "!write_file"]), &[]), None), expected);
    }

    #[test]
    fn deny_wins_over_allow_and_a_layer_only_narrows() {
        let own = ["read_file".to_owned(), "exec".to_owned()];
        let row = Some(RowLists { allow: Some(&own), deny: &[] });
        let policy = lists(Some(&["group:fs"]), &[]);
        assert_eq!(allowed(&policy, row), ["read_file"]);
        let policy = lists(None, &["exec"]);
        assert_eq!(allowed(&policy, row), ["read_file"]);
    }

    #[test]
    fn profiles_are_built_in_and_unknown_ones_are_errors() {
        let coding = Policy { profile: "coding".into(), ..Policy::default() };
        let expected = ["edit", "exec", "list_files", "read_file", "write_file"];
        assert_eq!(allowed(&coding, None), expected);
        let bogus = Policy { profile: "bogus".into(), ..Policy::default() };
        let error = Decision::compile(&catalog(), &bogus, &Inputs::default()).unwrap_err();
        assert!(error.to_string().contains("bogus"));
    }

    #[test]
    fn an_unknown_group_names_its_place_and_the_nearest_group() {
        let error = Decision::compile(&catalog(), &lists(None, &["group:fss"]), &Inputs::default())
            .unwrap_err();
        assert!(error.to_string().contains("policy.deny[0]"), "{error}");
        assert!(error.to_string().contains("group:fs`"), "{error}");
    }

    #[test]
    fn a_refusal_names_the_entry_and_the_steps_end_with_the_decision() {
        let catalog = catalog();
        let policy = lists(Some(&["group:fs"]), &["edit", "write_*"]);
        let decision = Decision::compile(&catalog, &policy, &Inputs::default()).unwrap();
        let id = |name| catalog.id(name).unwrap();
        assert_eq!(
            decision.refusal(id("write_file")).unwrap().name,
            "policy.deny[1] = \"write_*\""
        );
        assert_eq!(decision.refusal(id("exec")).unwrap().name, "policy.allow");
        assert!(decision.refusal(id("read_file")).is_none());
        for name in ["exec", "edit", "read_file"] {
            let last = decision.steps(id(name)).pop().unwrap();
            assert_eq!(last.after, decision.allows(id(name)));
        }
    }
}
