//! Here-documents: where the body begins and ends to a shell.
//!
//! The crate reads some marks differently from a shell: marks that are quoted in unusual ways,
//! lines that go on, and ends within `$(…)`. It then takes commands for text, which would hide
//! them. So the body is found once more from the text, and a document whose body differs is a
//! problem.

use std::ops::Range;

use super::doubt::odd_backslashes;

/// True if a shell takes exactly this range for the body. `mark` is the word behind `<<`, as it is
/// written.
pub(super) fn is_body(text: &str, mark: &Range<usize>, body: &Range<usize>) -> bool {
    found(text, mark).as_ref() == Some(body)
}

/// The range that a shell takes for the body, if the mark and the lines around it are written in a
/// usual way.
fn found(text: &str, mark: &Range<usize>) -> Option<Range<usize>> {
    let first = text.get(..mark.start)?.rfind('\n').map_or(0, |line| line + 1);
    let end = mark.end + text.get(mark.end..)?.find('\n')?;
    let behind = &text[mark.end..end];
    if !is_closed(behind) || behind.match_indices("<<").any(|(at, _)| is_hidden(&behind[..at])) {
        return None;
    }
    let mut at = first;
    let mut start = end + 1;
    // The bodies of those that stand before it on the line come first.
    loop {
        at += text.get(at..mark.end)?.find("<<")? + 2;
        let rest = &text[at..end];
        if let Some(behind) = rest.strip_prefix('<') {
            at = end - behind.len();
            continue;
        }
        let unstripped = rest.strip_prefix('-');
        let rest = unstripped.unwrap_or(rest).trim_start_matches([' ', '\t']);
        at = end - rest.len();
        let is_it = at == mark.start;
        let length = if is_it { mark.end - mark.start } else { rest.find(ends_word)? };
        let (name, quoted) = name(&rest[..length])?;
        let (length, next) = length_of(&text[start..], name, quoted, unstripped.is_some())?;
        if is_it {
            return Some(start..start + length);
        }
        start += next;
    }
}

/// True if an operator stands within a word before a document, where the crate overlooks it once
/// another document has begun.
fn is_hidden(before: &str) -> bool {
    let before = before.trim_end_matches(|char: char| char.is_ascii_digit() || char == '<');
    !before.ends_with(|char: char| char.is_whitespace() || ";|&()".contains(char))
}

/// True for a character that ends the mark of a here-document.
fn ends_word(char: char) -> bool {
    char.is_whitespace() || ";|&<>()".contains(char)
}

/// The mark without its quotes, if they are of a usual kind, and whether it has any.
fn name(mark: &str) -> Option<(&str, bool)> {
    let inside = |quote: &str| mark.strip_prefix(quote)?.strip_suffix(quote);
    let unquoted = inside("'").or_else(|| inside("\"")).or_else(|| mark.strip_prefix('\\'));
    let name = unquoted.unwrap_or(mark);
    let is_usual = |char: char| char.is_alphanumeric() || "_.-".contains(char);
    let begins = |char: char| char.is_alphanumeric() || char == '_';
    (name.starts_with(begins) && name.chars().all(is_usual)).then_some((name, unquoted.is_some()))
}

/// True if nothing that begins on the line of the mark continues behind that line.
fn is_closed(line: &str) -> bool {
    let (mut quote, mut depth, mut before) = (None, 0_usize, ' ');
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        let next = chars.peek().copied();
        match (quote, char) {
            (Some('"') | None, '\\') if next.is_none() => return false,
            (Some('"') | None, '\\') => _ = chars.next(),
            (Some('"') | None, '`') | (Some('"'), '$') if char == '`' || next == Some('(') => {
                return false;
            }
            (Some(open), _) if open == char => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(char),
            (None, '#') if before.is_whitespace() => break,
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, '{') if before == '$' => depth += 1,
            (None, '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = char;
    }
    quote.is_none() && depth == 0
}

/// The length of the body that begins here, without and with its end. None if it has no end, or an
/// end that is put together from several lines.
fn length_of(text: &str, name: &str, quoted: bool, strip: bool) -> Option<(usize, usize)> {
    let mut at = 0;
    loop {
        let (begin, mut line, mut lines) = (at, String::new(), 0);
        loop {
            let whole = text.get(at..)?.split_inclusive('\n').next()?;
            at += whole.len();
            lines += 1;
            let shown = whole.strip_suffix('\n').unwrap_or(whole);
            let goes_on = !quoted && whole.len() > shown.len() && odd_backslashes(shown);
            line.push_str(&shown[..shown.len() - usize::from(goes_on)]);
            if !goes_on {
                break;
            }
        }
        let line = if strip { line.trim_start_matches('\t') } else { &line };
        match line.strip_prefix(name) {
            Some("") => return (lines == 1).then_some((begin, at)),
            // Within `$(…)` it ends there.
            Some(behind) if behind.contains(')') => return None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the second line, and those behind it before the last, are taken for the body.
    fn is_read(text: &str, body: &str) -> bool {
        let start = text.find("<<").unwrap() + 2;
        let start = start + usize::from(text[start..].starts_with('-'));
        let mark = text[start..].find([' ', '\n', ';', '|', ')']).unwrap();
        let at = text.find(body).unwrap();
        is_body(text, &(start..start + mark), &(at..at + body.len()))
    }

    #[test]
    fn usual_documents_are_read() {
        for (text, body) in [
            ("cat <<E\na\nb\nE\n", "a\nb\n"),
            ("cat <<E\nE\\\nF\nE\n", "E\\\nF\n"),
            ("cat <<'E' > \"$HOME/${x}\" # it's\na\\\nE\n", "a\\\n"),
            ("cat <<-\\E | sort\n\ta\n\tE\nls", "\ta\n"),
            ("x=$(cat <<E)\na\\\nb\nE\n)", "a\\\nb\n"),
            ("cat <<E <<F\nx\nE\ny\nF\n", "x\n"),
            ("while cat <<\"E_1.x\"; do\na (b)\nE_1.x", "a (b)\n"),
        ] {
            assert!(is_read(text, body), "{text:?}");
        }
    }

    #[test]
    fn others_are_not() {
        for (text, body) in [
            ("cat <<EF\nE\\\nF\nevil", "E\\\n"),
            ("cat <<E\nx\nE\\\n\nevil", "x\n"),
            ("cat <<E \\\n F\nx\nE\n", " F\nx\n"),
            ("cat <<E <<F\nx\\\nE\ny\nF\n", "x\\\n"),
            ("cat <<'E'F\nx\nEF\n", "x\n"),
            ("cat <<{E\nx\n{E\n", "x\n"),
            ("cat <<E $(\nx\nE\n)", "x\n"),
            ("cat <<E \"$(echo \"\nx\nE\n)", "x\n"),
            ("cat <<E 'a\nx'\nE\n", "x'\n"),
            ("x=$(cat <<E\nx\nE)\ny\nE\n)", "x\nE)\ny\n"),
            ("cat <<E\nx\n", "x\n"),
        ] {
            assert!(!is_read(text, body), "{text:?}");
        }
    }
}
