//! Finds tools by words: BM25 over name, group and description.

use std::collections::HashMap;
use std::sync::Arc;

use super::deferred::{Deferred, Offered};
use super::{Entry, Snapshot, ToolSpec};

/// How soon more of the same word stops counting.
const K1: f64 = 1.2;
/// How much a long description weighs against a tool.
const B: f64 = 0.75;

/// The words that a tool is found by, with how often each occurs.
#[derive(Debug, Default)]
pub(crate) struct Words {
    counts: HashMap<String, u32>,
    length: u32,
}

impl Words {
    pub(super) fn of(spec: &ToolSpec) -> Words {
        let mut words = Words::default();
        let original = spec.original_name.as_deref().unwrap_or_default();
        let group = spec.group.as_deref().unwrap_or_default();
        for text in [&spec.name, original, group, &spec.description] {
            for word in tokens(text) {
                *words.counts.entry(word).or_default() += 1;
                words.length += 1;
            }
        }
        words
    }

    fn count(&self, word: &str) -> f64 {
        f64::from(self.counts.get(word).copied().unwrap_or(0))
    }
}

/// The words of a text: lower-case runs of letters and digits, also the parts of `camelCase`; those
/// of one byte are left out.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = text.chars().collect();
    for (at, &char) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1);
        let begins = char.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || (before.is_uppercase() && after.is_some_and(|after| after.is_lowercase()))
            });
        if begins || !char.is_alphanumeric() {
            words.push(std::mem::take(&mut word));
        }
        if char.is_alphanumeric() {
            word.extend(char.to_lowercase());
        }
    }
    words.push(word);
    words.retain(|word| word.len() > 1);
    words
}

impl Deferred {
    /// The deferred tools of a caller with that decision that fit the words best, the best first.
    pub(crate) fn search(
        &self,
        snapshot: &Snapshot,
        offered: Offered<'_>,
        words: &[String],
        most: usize,
    ) -> Vec<Arc<Entry>> {
        let tools: Vec<(&Arc<Entry>, &Words)> = self
            .past_entries(snapshot, offered)
            .map(|entry| (entry, entry.views.words(&entry.spec)))
            .collect();
        let mut scored: Vec<(f64, &Arc<Entry>)> = scores(&tools, words);
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id)));
        scored.into_iter().take(most).map(|(_, entry)| entry.clone()).collect()
    }
}

fn scores<'s>(tools: &[(&'s Arc<Entry>, &Words)], words: &[String]) -> Vec<(f64, &'s Arc<Entry>)> {
    let number = tools.len() as f64;
    let length: f64 = tools.iter().map(|(_, own)| f64::from(own.length)).sum();
    let average = length / number.max(1.0);
    let rarity: Vec<(&String, f64)> = words
        .iter()
        .map(|word| {
            let holding = tools.iter().filter(|(_, own)| own.count(word) > 0.0).count() as f64;
            (word, (1.0 + (number - holding + 0.5) / (holding + 0.5)).ln())
        })
        .collect();
    let score = |own: &Words| -> f64 {
        let norm = K1 * (1.0 - B + B * f64::from(own.length) / average.max(1.0));
        let of = |(word, rarity): &(&String, f64)| {
            let count = own.count(word);
            rarity * count * (K1 + 1.0) / (count + norm)
        };
        rarity.iter().map(of).sum()
    };
    tools
        .iter()
        .map(|(entry, own)| (score(own), *entry))
        .filter(|(score, _)| *score > 0.0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lower_case_parts_of_names_of_more_than_one_byte() {
        let cases: [(&str, &[&str]); 8] = [
            ("search web", &["search", "web"]),
            ("Search Web", &["search", "web"]),
            ("query_db tool", &["query", "db", "tool"]),
            ("", &[]),
            ("a b c", &[]),
            ("createIssue", &["create", "issue"]),
            ("HTTPServer2 GET", &["http", "server2", "get"]),
            ("é Größe", &["é", "größe"]),
        ];
        for (text, expected) in cases {
            assert_eq!(tokens(text), expected, "{text}");
        }
    }
}
