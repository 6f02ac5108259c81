//! Other ways to write a word.

use super::Dice;

/// A text between single quotes.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A text in base64.
pub(super) fn base64(text: &str) -> String {
    data_encoding::BASE64.encode(text.as_bytes())
}

/// A place within a word, of at least one character on each side if it is long enough.
fn middle(word: &str, dice: &mut Dice) -> usize {
    if word.len() < 2 { 0 } else { 1 + dice.roll(word.len() - 1) }
}

/// `r''m`, `r""m`
pub(super) fn split_by_quotes(word: &str, dice: &mut Dice) -> String {
    let (first, rest) = word.split_at(middle(word, dice));
    format!("{first}{}{rest}", dice.pick(&["''", "\"\"", "$''", "$\"\"", "\\\n"]))
}

/// `'rm'`, `"rm"`, `r"m"`
pub(super) fn between_quotes(word: &str, dice: &mut Dice) -> String {
    let (first, rest) = word.split_at(middle(word, dice));
    match dice.roll(4) {
        0 => format!("'{word}'"),
        1 => format!("\"{word}\""),
        2 => format!("{first}'{rest}'"),
        _ => format!("\"{first}\"{rest}"),
    }
}

/// `\r\m`
pub(super) fn behind_backslashes(word: &str, dice: &mut Dice) -> String {
    let all = dice.roll(2) == 0;
    let at = middle(word, dice);
    let escape = |(n, char): (usize, char)| {
        if all || n == at { format!("\\{char}") } else { char.to_string() }
    };
    word.chars().enumerate().map(escape).collect()
}

/// `$'\x72\155'`
pub(super) fn in_ansi_quotes(word: &str, dice: &mut Dice) -> String {
    let mut escape = |char: char| match dice.roll(5) {
        0 => format!("\\x{:02x}", u32::from(char)),
        1 => format!("\\{:03o}", u32::from(char)),
        2 => format!("\\u{:04x}", u32::from(char)),
        3 => format!("\\U{:08x}", u32::from(char)),
        _ => char.to_string(),
    };
    format!("$'{}'", word.chars().map(&mut escape).collect::<String>())
}

/// `$(printf '\162\155')`
pub(super) fn in_octal(word: &str) -> String {
    word.chars().map(|char| format!("\\{:03o}", u32::from(char))).collect()
}

/// The same path, written otherwise.
pub(super) fn same_path(path: &str, dice: &mut Dice) -> Option<String> {
    if path.contains(':') || path.starts_with("/dev/") || path.starts_with("/proc/") {
        return None;
    }
    let rest = path.strip_prefix('/')?;
    Some(match dice.roll(5) {
        0 => format!("//{rest}"),
        1 => format!("/./{rest}"),
        2 => format!("/usr/../{rest}"),
        3 => format!("/proc/self/root/{rest}"),
        _ => format!("/{}", rest.replace('/', "//")),
    })
}
