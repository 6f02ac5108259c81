//! Layers of lists compiled to one bit per tool, with the steps kept so that a refusal can name
//! the rule that decided.

use fixedbitset::FixedBitSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::profile::PROFILES;
use super::{Catalog, Entry, Error, Policy};
use crate::kind::ToolId;

/// The lists of one owner: the agent's own, in time the provider's and the group's.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Whose lists these are, as it stands in a rule: `agent helper`.
    pub source: String,
    /// Only these remain. Absent: no change. Empty: none.
    pub allow: Option<Vec<String>>,
    /// These are taken away.
    pub deny: Vec<String>,
}

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
    pub fn compile(
        catalog: &Catalog,
        policy: &Policy,
        layers: &[Layer],
    ) -> Result<Decision, Error> {
        let mut decision = Decision { allowed: catalog.everything(), stages: Vec::new() };
        decision.profile(catalog, &policy.profile)?;
        decision.allow(catalog, "policy.allow", policy.allow.as_deref())?;
        for layer in layers {
            decision.allow(catalog, &format!("{} allow", layer.source), layer.allow.as_deref())?;
        }
        decision.deny(catalog, "policy.deny", &policy.deny)?;
        for layer in layers {
            decision.deny(catalog, &format!("{} deny", layer.source), &layer.deny)?;
        }
        Ok(decision)
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

    use super::super::CatalogTool;
    use super::*;

    const TOOLS: [&str; 6] = ["edit", "exec", "list_files", "read_file", "weather", "write_file"];

    fn catalog() -> Catalog {
        let tools = TOOLS
            .map(|name| CatalogTool {
                name: name.into(),
                group: (name == "weather").then(|| "outside".into()),
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
        assert_eq!(allowed(&lists(Some(&["group:files"]), &[]), &[]), files);
        let both = ["exec", "read_file", "write_file"];
        assert_eq!(allowed(&lists(Some(&["group:both"]), &[]), &[]), both);
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
            let refused = Decision::compile(&catalog(), &lists(None, &[entry]), &[]);
            assert!(refused.is_err(), "{entry}");
        }
    }

    fn allowed(policy: &Policy, layers: &[Layer]) -> Vec<&'static str> {
        let catalog = catalog();
        let decision = Decision::compile(&catalog, policy, layers).unwrap();
        TOOLS.into_iter().filter(|name| decision.allows(catalog.id(name).unwrap())).collect()
    }

    fn lists(allow: Option<&[&str]>, deny: &[&str]) -> Policy {
        Policy {
            allow: allow.map(|a| a.iter().map(|s| (*s).to_owned()).collect()),
            deny: deny.iter().map(|s| (*s).to_owned()).collect(),
            ..Policy::default()
        }
    }

    #[test]
    fn a_default_policy_allows_everything() {
        assert_eq!(allowed(&Policy::default(), &[]).len(), 6);
    }

    #[test]
    fn an_empty_allow_list_allows_nothing() {
        assert!(allowed(&lists(Some(&[]), &[]), &[]).is_empty());
    }

    #[test]
    fn groups_aliases_and_globs_are_entries() {
        let all_fs = ["edit", "list_files", "read_file", "write_file"];
        assert_eq!(allowed(&lists(Some(&["group:fs"]), &[]), &[]), all_fs);
        assert_eq!(allowed(&lists(Some(&["bash"]), &[]), &[]), ["exec"]);
        assert_eq!(allowed(&lists(Some(&["*_file"]), &[]), &[]), ["read_file", "write_file"]);
        assert_eq!(allowed(&lists(Some(&["group:outside"]), &[]), &[]), ["weather"]);
    }

    #[test]
    fn negation_subtracts_after_the_whole_list_whatever_the_order() {
        let expected = ["edit", "list_files", "read_file"];
        assert_eq!(allowed(&lists(Some(&["!write_file", "group:fs"]), &[]), &[]), expected);
        assert_eq!(allowed(&lists(Some(&["group:fs", "!write_file"]), &[]), &[]), expected);
    }

    #[test]
    fn deny_wins_over_allow_and_a_layer_only_narrows() {
        let layer = Layer {
            source: "agent a".into(),
            allow: Some(vec!["read_file".into(), "exec".into()]),
            deny: vec![],
        };
        let policy = lists(Some(&["group:fs"]), &[]);
        assert_eq!(allowed(&policy, std::slice::from_ref(&layer)), ["read_file"]);
        let policy = lists(None, &["exec"]);
        assert_eq!(allowed(&policy, &[layer]), ["read_file"]);
    }

    #[test]
    fn profiles_are_built_in_and_unknown_ones_are_errors() {
        let coding = Policy { profile: "coding".into(), ..Policy::default() };
        let expected = ["edit", "exec", "list_files", "read_file", "write_file"];
        assert_eq!(allowed(&coding, &[]), expected);
        let bogus = Policy { profile: "bogus".into(), ..Policy::default() };
        let error = Decision::compile(&catalog(), &bogus, &[]).unwrap_err();
        assert!(error.to_string().contains("bogus"));
    }

    #[test]
    fn an_unknown_group_names_its_place_and_the_nearest_group() {
        let error = Decision::compile(&catalog(), &lists(None, &["group:fss"]), &[]).unwrap_err();
        assert!(error.to_string().contains("policy.deny[0]"), "{error}");
        assert!(error.to_string().contains("group:fs`"), "{error}");
    }

    #[test]
    fn a_refusal_names_the_entry_and_the_steps_end_with_the_decision() {
        let catalog = catalog();
        let policy = lists(Some(&["group:fs"]), &["edit", "write_*"]);
        let decision = Decision::compile(&catalog, &policy, &[]).unwrap();
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
