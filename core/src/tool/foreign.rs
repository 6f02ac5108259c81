//! Names for tools that have one already, where they come from: `<prefix>__<name>`, within what
//! every provider takes.
//!
//! A name that needs no change keeps its letters. Any other is made to fit and ends with six hex
//! digits of a digest of what it was, so that two foreign names never come out as one. The tool
//! keeps the name that it had in `ToolSpec::original_name`: that is the way back.

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use super::ToolSpec;

/// What stands between prefix and name.
const BETWEEN: &str = "__";
/// The longest name.
const LONGEST: usize = 64;
/// The hex digits of the digest.
const DIGITS: usize = 6;

/// The prefix of the tools of an MCP server. `prefix` is what the owner set; empty means one made
/// of the server's name.
pub fn mcp_prefix(prefix: &str, server: &str) -> String {
    match prefix {
        "" => format!("mcp_{}", server.replace('-', "_")),
        given if given.starts_with("mcp_") => given.to_owned(),
        given => format!("mcp_{given}"),
    }
}

/// The canonical name of a foreign tool. Different pairs of prefix and name have different ones,
/// as far as six hex digits can tell; `is_taken` says which are in use, and another is made then.
pub fn canonical(prefix: &str, original: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let plain = format!("{prefix}{BETWEEN}{original}");
    if keeps_its_letters(prefix, &plain) && !is_taken(&plain) {
        return plain;
    }
    let mut round = 0;
    loop {
        let name = with_digest(prefix, original, &plain, round);
        // Sixteen rounds all taken is no accident; the registry refuses the name then.
        if round == 16 || !is_taken(&name) {
            return name;
        }
        round += 1;
    }
}

/// True if the name says which prefix and name it was made of, and is no digest's.
fn keeps_its_letters(prefix: &str, plain: &str) -> bool {
    ToolSpec::check_name(plain).is_ok()
        && !prefix.is_empty()
        && !prefix.contains(BETWEEN)
        && !prefix.ends_with('_')
        && plain.len() > prefix.len() + BETWEEN.len()
        && !ends_like_a_digest(plain)
}

fn ends_like_a_digest(name: &str) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    match name.as_bytes().split_last_chunk::<{ DIGITS + 1 }>() {
        Some((_, [b'_', digits @ ..])) => digits.iter().all(is_digit),
        _ => false,
    }
}

fn with_digest(prefix: &str, original: &str, plain: &str, round: u32) -> String {
    let mut digest = Sha256::new();
    for part in [prefix.as_bytes(), original.as_bytes()] {
        digest.update(part.len().to_be_bytes());
        digest.update(part);
    }
    digest.update(round.to_be_bytes());
    let digest = HEXLOWER.encode(&digest.finalize());
    let mut name: String = plain
        .chars()
        .map(|char| if char.is_ascii_alphanumeric() || char == '-' { char } else { '_' })
        .collect();
    if !name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        name.insert(0, '_');
    }
    name.truncate(LONGEST - DIGITS - 1);
    format!("{name}_{}", &digest[..DIGITS])
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::tool::Dialect;

    fn free(_: &str) -> bool {
        false
    }

    #[test]
    fn an_mcp_prefix_is_the_owners_or_made_of_the_server() {
        for (prefix, server, expected) in [
            ("", "vnstock", "mcp_vnstock"),
            ("", "my-server", "mcp_my_server"),
            ("pg", "postgres", "mcp_pg"),
            ("mcp_pg", "postgres", "mcp_pg"),
            ("mcp", "x", "mcp_mcp"),
            ("vnstock", "vnstock", "mcp_vnstock"),
        ] {
            assert_eq!(mcp_prefix(prefix, server), expected);
        }
    }

    #[test]
    fn a_name_that_fits_keeps_its_letters_and_another_gets_a_digest() {
        assert_eq!(canonical("mcp_git", "create-issue", free), "mcp_git__create-issue");
        let dotted = canonical("mcp_git", "issue.create", free);
        assert!(dotted.starts_with("mcp_git__issue_create_"), "{dotted}");
        assert_eq!(dotted.len(), "mcp_git__issue_create_".len() + 6);
        let long = canonical("mcp_git", &"x".repeat(80), free);
        assert_eq!(long.len(), 64);
        assert_ne!(canonical("mcp_git", "", free), canonical("mcp_git", "_", free));
    }

    #[test]
    fn a_taken_name_gives_way_to_another_one() {
        let taken = canonical("mcp_git", "a.b", free);
        let other = canonical("mcp_git", "a.b", |name| name == taken);
        assert_ne!(taken, other);
        let digest = canonical("mcp_git", "ab", |name| name == "mcp_git__ab");
        assert!(ends_like_a_digest(&digest), "{digest}");
    }

    #[test]
    fn random_names_never_meet_and_suit_every_provider() {
        let parts = ["a", "b", "_", "__", ".", "-", "é", " ", "/", "1f", "_0123ab", "Z"];
        let prefixes = ["mcp_a", "mcp_a_", "mcp_a__b", "mcp_b", "9x", "", "mcp.a", "mcp_é"];
        let mut state = 0x9e37_79b9_u64;
        let mut next = |most: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(state >> 33).unwrap_or(0) % most
        };
        let mut back: HashMap<String, (String, String)> = HashMap::new();
        for _ in 0..50_000 {
            let prefix = prefixes[next(prefixes.len())].to_owned();
            let most = if next(50) == 0 { 60 } else { 6 };
            let length = next(most);
            let original: String = (0..length).map(|_| parts[next(parts.len())]).collect();
            let mine = (prefix, original);
            // As a registry has it: taken by another tool, not by this one.
            let is_taken = |name: &str| back.get(name).is_some_and(|known| *known != mine);
            let name = canonical(&mine.0, &mine.1, is_taken);
            assert!(ToolSpec::check_name(&name).is_ok(), "{name}");
            for (_, dialect) in Dialect::ALL {
                assert!(dialect.takes_name(&name), "{dialect} {name}");
            }
            assert_eq!(*back.entry(name).or_insert_with(|| mine.clone()), mine);
        }
    }
}
