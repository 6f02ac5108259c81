//! Code: unquoted values that are a name, a call, a member, a type or an expression.

use super::random::is_random;
use super::word_score::Words;
use crate::words;

/// True if an unquoted value reads as code, together with what follows it on the line.
pub(super) fn is_code(value: &[u8], after: &[u8]) -> bool {
    let Some(first) = value.first() else { return true };
    let name =
        value.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$')).count();
    let rest = &value[name..];
    let opens = matches!(
        first,
        b'&' | b'(' | b'[' | b'{' | b'<' | b'|' | b'"' | b'\'' | b'\\' | b'=' | b'>'
    ) && value.len() > 1
        && (after.is_empty() || matches!(first, b'&' | b'"' | b'\'' | b'(' | b'[' | b'{' | b'<'));
    opens
        || value.starts_with(b"::")
        || is_pointer(value)
        || is_grammar_repetition(value)
        || is_null_member(value)
        || is_typed_parameter(value)
        || name > 0 && has_operator(&value[..name], rest)
        || is_dotted(value)
        || has_unbalanced_parentheses(value)
}

/// The most signs before a pointer or a negated name.
const MAX_POINTER_SIGNS: usize = 3;

/// A pointer, a negation or an arrow: `*const T`, `*self`, `!flag`, `-> T`.
fn is_pointer(value: &[u8]) -> bool {
    let mark = value
        .iter()
        .take_while(|b| matches!(b, b'*' | b'!' | b'-' | b'+' | b'@' | b'.' | b'?'))
        .count();
    let rest = &value[mark..];
    mark > 0
        && mark <= MAX_POINTER_SIGNS
        && rest.iter().all(|b| {
            b.is_ascii_alphanumeric()
                || matches!(b, b'_' | b'.' | b'(' | b')' | b':' | b',' | b';' | b'>')
        })
        && Words::of(rest).mostly_words()
        && !rest.iter().any(u8::is_ascii_digit)
}

/// A repetition in a grammar: `1*tchar`.
///
/// Source: RFC 5234, section 3.6.
fn is_grammar_repetition(value: &[u8]) -> bool {
    let digits = value.iter().take_while(|b| b.is_ascii_digit()).count();
    let [b'*', rule @ ..] = &value[digits..] else { return false };
    digits > 0
        && rule.first().is_some_and(u8::is_ascii_alphabetic)
        && rule.iter().all(|b| b.is_ascii_alphabetic() || *b == b'-')
}

/// No value, and the next member of an object: `token:null,apiKey:x`.
fn is_null_member(value: &[u8]) -> bool {
    let comma = value.iter().position(|b| *b == b',');
    comma.is_some_and(|comma| words::NULL_WORDS.contains(&&value[..comma]))
}

/// The type of a parameter, and the next parameter: `key: str,version: str`.
fn is_typed_parameter(value: &[u8]) -> bool {
    let mut parts = value.splitn(2, |b| *b == b',');
    let (kind, next) = (parts.next().unwrap_or_default(), parts.next());
    words::TYPE_NAMES.contains(&kind) && next.is_some_and(is_name)
}

/// A shorter name may be anything before an operator: it is too short to tell words from noise.
const MIN_JUDGED_NAME: usize = 6;

/// A name, and then a call, an index, a generic, a path or an arrow.
fn has_operator(name: &[u8], rest: &[u8]) -> bool {
    let worded = || {
        let words = Words::of(name);
        words.mostly_words()
            || name.len() < MIN_JUDGED_NAME
            || name.iter().all(|&b| b.is_ascii_lowercase() || b == b'_')
    };
    match rest {
        [b'(', ..] | [b'<', ..] | [b'[', ..] => worded(),
        [b':', b':', ..]
        | [b'-', b'>', ..]
        | [b'=', b'>', ..]
        | [b'?', b'.', ..]
        | [b'!', b'(' | b'[', ..] => true,
        [b'.', next, ..] => {
            (next.is_ascii_alphabetic() || *next == b'_')
                && rest.iter().any(|b| matches!(b, b'(' | b'[' | b'<'))
                && worded()
        }
        [b'=', b'=', ..] | [b'!', b'=', ..] | [b'|', b'|', ..] | [b'&', b'&', ..] => true,
        [b'{', ..] | [b'|', ..] | [b'?'] | [b'?', b':', ..] => worded(),
        _ => false,
    }
}

/// Two or more names with dots between them, each of words: `self.key`, `props.isPrivate`,
/// `org.example.Key`.
fn is_dotted(value: &[u8]) -> bool {
    let trimmed = value.strip_suffix(b",").or(value.strip_suffix(b";")).unwrap_or(value);
    let trimmed = trimmed.strip_suffix(b"()").unwrap_or(trimmed);
    let is_part = |part: &[u8]| {
        !part.is_empty()
            && (part[0].is_ascii_alphabetic() || part[0] == b'_')
            && part
                .iter()
                .all(|&b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'?' | b'!' | b'$'))
            && (part.iter().all(|&b| b.is_ascii_lowercase() || b == b'_')
                || part.len() <= 2
                || is_numbered(part)
                || Words::of(part).mostly_words())
    };
    trimmed.contains(&b'.') && trimmed.split(|&b| b == b'.').all(is_part) && !is_random(value)
}

/// The longest abbreviation with a number.
const MAX_NUMBERED: usize = 10;

/// Lower-case letters and then digits: `ed25519`, `base64`.
fn is_numbered(part: &[u8]) -> bool {
    let letters = part.iter().take_while(|b| b.is_ascii_lowercase()).count();
    part.len() <= MAX_NUMBERED && part[letters..].iter().all(u8::is_ascii_digit)
}

/// Parentheses that the value opens and does not close, or closes and does not open.
fn has_unbalanced_parentheses(value: &[u8]) -> bool {
    let count = |b: u8| value.iter().filter(|&&c| c == b).count();
    (count(b'(') != count(b')')) && Words::of(value).mostly_words()
}

/// A name in code: letters, digits, `_` and `$`, not starting with a digit.
pub(super) fn is_name(value: &[u8]) -> bool {
    value.first().is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'$'))
        && value.iter().all(|&b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$'))
}

/// Words with hyphens in between: a name in a configuration.
pub(super) fn is_kebab(value: &[u8]) -> bool {
    value.contains(&b'-')
        && value.first().is_some_and(u8::is_ascii_alphabetic)
        && value.iter().all(|&b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

/// A text with more than one escape of a byte per so many bytes is binary data written out.
const BYTES_PER_ESCAPE: usize = 8;

/// A regular expression, or bytes written as escapes.
pub(super) fn is_pattern(value: &[u8]) -> bool {
    let has = |part: &[u8]| value.windows(part.len()).any(|window| window == part);
    let escapes = value.windows(2).filter(|pair| *pair == b"\\x").count();
    escapes * BYTES_PER_ESCAPE > value.len()
        || value.starts_with(b"^") && value.ends_with(b"$")
        || words::PATTERN_PARTS.iter().any(|part| has(part))
}

/// A shorter name may be an abbreviation.
const MIN_UNNATURAL_NAME: usize = 8;
/// A name with a smaller share of its letters in words, in per cent, is no name of words.
const MIN_WORD_SHARE: usize = 55;

/// A name that nobody gives to a variable: long, and neither words nor abbreviations with numbers.
pub(super) fn is_unnatural_name(value: &[u8]) -> bool {
    let words = Words::of(value);
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let upper = value.iter().filter(|b| b.is_ascii_uppercase()).count();
    let lower = value.iter().filter(|b| b.is_ascii_lowercase()).count();
    let groups =
        value.windows(2).filter(|p| p[0].is_ascii_digit() != p[1].is_ascii_digit()).count();
    let mixed = upper >= 2 && lower >= 2 || digits >= 2 && groups >= 3 || digits >= 4 && lower >= 3;
    value.len() >= MIN_UNNATURAL_NAME && mixed && words.covered * 100 < value.len() * MIN_WORD_SHARE
}

/// True for what follows a value in code: `,`, `;`, `)`, an operator.
pub(super) fn code_continues(after: &[u8]) -> bool {
    let after = after.trim_ascii_start();
    matches!(
        after.first(),
        Some(
            b',' | b';'
                | b')'
                | b'}'
                | b']'
                | b'('
                | b'.'
                | b'='
                | b'+'
                | b'?'
                | b'|'
                | b'&'
                | b'<'
                | b'>'
                | b'{'
                | b'['
                | b'*'
                | b'%'
                | b'!'
        )
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_types_and_members_are_code() {
        let code = [
            "Option<String>",
            "&'static",
            "strings.TrimPrefix(header,",
            "operator.attrgetter(\"x\")",
            "self.key",
            "parser.next_token()",
            "std::env::var",
            "Vec<u8>",
            "token[0]",
            "*const",
            "a.b.c",
            "format!(\"x\")",
            "props.isPrivate",
            "response.json()[\"a\"]",
            "fn(x)",
            "&self.token",
            "null,apiKey:void",
        ];
        for text in code {
            assert!(is_code(text.as_bytes(), b""), "{text}");
        }
    }

    #[test]
    fn literals_are_no_code() {
        let literals = [
            "Summer3165$iRr",
            "v!zFDpOszLmba",
            "d+ILt5n#3T4%e",
            "*MAfZdb7K3TIk",
            "#Iof-wdWS6XQng",
            "95*#Ae8Dg2kS#IOGGB",
            "Kraken7912*0xS",
            "!zj52UR+-yjXX7Bz",
            "+fqVXA!nUT0K",
            "hunter2",
            "MzY5MTcyNjMyOTE0NDMxNDg4.GUzxfn.kG4tLYGCFzQ4JX1ofR4WssUeqDs_v9FTeLZCxf",
            "Winter8447*Lfw",
            "Velvet6108!IMy",
            "Tiger2259$lnZ",
            "-8iTWMPP8hkqwa-Im6",
        ];
        for text in literals {
            assert!(!is_code(text.as_bytes(), b""), "{text}");
        }
    }
}
