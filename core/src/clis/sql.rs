//! What psql is given: SQL, in which literals and comments are not code, and psql's own commands.

use std::sync::LazyLock;

use regex::Regex;

/// What it denies, in words.
pub(super) const BLOCKED: &str = "DROP, TRUNCATE, ALTER SYSTEM and COPY with a program in SQL, and commands of psql that run \
     programs, read scripts or change the server (`\\!`, `\\copy … program`, `\\o |…`, `\\i`, `\\c`)";

static DESTRUCTIVE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?is)\b(drop|truncate)\b|\balter\s+system\b|\bcopy\b.*\bprogram\b").ok()
});
static INDIRECT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(execute|do|query_to_xml|dblink\w*)\b").ok());

/// A variable of psql's that stands for code. `::` is a cast, and `1:2` a slice.
static VARIABLE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(^|[^:]):[\p{L}_]|(^|[^:\d\s]|[^\d\s]\s+|^\s+):\d").ok());

/// Commands of psql that are denied, whatever follows.
const COMMANDS: &[&str] = &[
    "!",
    "i",
    "ir",
    "include",
    "include_relative",
    "setenv",
    "e",
    "edit",
    "ef",
    "ev",
    "s",
    "cd",
    "c",
    "connect",
    "password",
    "getenv",
    "encoding",
    "gexec",
    "lo_import",
    "prompt",
];

/// Commands of psql that write into what follows, which may be a program.
const WRITERS: &[&str] = &["o", "out", "w", "write", "g", "gx"];

/// Why a text is refused; none if it is not.
pub(super) fn refusal(text: &str) -> Option<String> {
    let small = text.to_ascii_lowercase();
    for setting in ["standard_conforming_strings", "client_encoding"] {
        if small.contains(setting) {
            return Some(format!("`{setting}` changes where literals end"));
        }
    }
    // It can be set unseen, too.
    refusal_of(text, false).or_else(|| refusal_of(text, true))
}

/// `escapes`: a backslash counts in every literal.
fn refusal_of(text: &str, escapes: bool) -> Option<String> {
    let read = Read::of(text, escapes);
    for command in &read.commands {
        if let Some(why) = of_command(command) {
            return Some(why);
        }
    }
    if VARIABLE.as_ref().is_none_or(|pattern| pattern.is_match(&read.code)) {
        return Some("`:name` puts a variable in as code; write `:'name'`, a literal".to_owned());
    }
    if puts_together(text, &read.code) {
        return Some(
            "a block runs a statement that it puts together; write it out, without `EXECUTE`"
                .to_owned(),
        );
    }
    // A pattern that does not compile finds everything: nothing is let through unread.
    let finds = |pattern: &Option<Regex>, text: &str| {
        pattern.as_ref().is_none_or(|pattern| pattern.is_match(text))
    };
    let code = if finds(&INDIRECT, &read.code) { text } else { read.code.as_str() };
    finds(&DESTRUCTIVE, code)
        .then(|| "the statement drops or empties something, or runs a program".to_owned())
}

/// A definition of code, and what may be a block of it, by the word behind `DO`.
static DEFINES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(function|procedure)\b").ok());
static DOES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)\bdo\s*([a-z]*)").ok());
static EXECUTES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)\bexecute\b").ok());

/// What runs a statement as it is written, or a function of a trigger.
static PLAINLY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let plainly =
        r"(?i)\bexecute\s+(?:(?:function|procedure)\b|'(?:[^'\\]|'')*'\s*(?:;|into\b|using\b))";
    Regex::new(plainly).ok()
});

/// What follows `DO` where it begins no block: in what is done on a conflict, and in a rule.
const NO_BLOCK: [&str; 4] = ["nothing", "update", "instead", "also"];

/// True if code of the server's runs statements that do not stand there as they are.
fn puts_together(text: &str, code: &str) -> bool {
    let (Some(defines), Some(does), Some(executes), Some(plainly)) =
        (&*DEFINES, &*DOES, &*EXECUTES, &*PLAINLY)
    else {
        return true;
    };
    let is_block = |word: regex::Captures<'_>| !NO_BLOCK.contains(&&*word[1].to_ascii_lowercase());
    let has_code = defines.is_match(code) || does.captures_iter(code).any(is_block);
    has_code && executes.find_iter(text).count() > plainly.find_iter(text).count()
}

fn of_command(command: &str) -> Option<String> {
    let end =
        command.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(command.len());
    let end = if command.starts_with('!') { 1 } else { end };
    let (name, rest) = command.split_at(end);
    let name = name.to_ascii_lowercase();
    let refuse = |what: &str| Some(format!("`\\{name}` {what}"));
    if rest.contains('`') {
        return refuse("runs what stands between its backticks");
    }
    if COMMANDS.contains(&name.as_str()) {
        return refuse("runs programs, reads other files or changes the server");
    }
    // A bar may stand in quotes, behind options, or in a variable.
    if WRITERS.contains(&name.as_str()) && rest.contains(['|', ':']) {
        return refuse("writes into a program, or may do so");
    }
    let is_program = |word: &str| word.eq_ignore_ascii_case("program");
    if name == "copy" && rest.split(|c: char| !c.is_alphanumeric()).any(is_program) {
        return refuse("runs a program");
    }
    let sets_pager = name == "pset" && rest.trim_start().to_ascii_lowercase().starts_with("pager");
    if sets_pager {
        return refuse("sets the pager");
    }
    None
}

/// What ends a line for psql.
const LINE_ENDS: [char; 2] = ['\n', '\r'];

/// True for a letter of a name, as psql reads bytes.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii()
}

/// A text taken apart.
#[derive(Default)]
struct Read {
    /// What stands outside of literals, quoted names and comments.
    code: String,
    /// Commands of psql, from behind the backslash to the end of their line.
    commands: Vec<String>,
}

impl Read {
    fn of(text: &str, all_escape: bool) -> Read {
        let mut read = Read::default();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let after = &rest[c.len_utf8()..];
            rest = match c {
                '\'' => {
                    let marked = read.code.ends_with(['e', 'E']) && !read.ends_in_word();
                    let escapes = all_escape || marked;
                    read.code.push(' ');
                    behind(after, '\'', escapes)
                }
                '"' => {
                    read.code.push_str(" \"\" ");
                    behind(after, '"', false)
                }
                '$' if !read.is_in_word() => match dollar_quoted(rest) {
                    Some((body, after)) => {
                        // It may be code of the server's, but nothing in it is psql's.
                        read.code.push_str(body);
                        read.code.push(' ');
                        after
                    }
                    None => {
                        read.code.push(c);
                        after
                    }
                },
                '-' if after.starts_with('-') => {
                    read.code.push(' ');
                    &after[after.find(LINE_ENDS).unwrap_or(after.len())..]
                }
                '/' if after.starts_with('*') => {
                    read.code.push(' ');
                    behind_comment(&after[1..])
                }
                '\\' => {
                    let end = after.find(LINE_ENDS).unwrap_or(after.len());
                    // Another command may stand in the same line.
                    for (at, _) in rest[..=end].match_indices('\\') {
                        read.commands.push(rest[at + 1..=end].trim_end().to_owned());
                    }
                    &after[end..]
                }
                _ => {
                    read.code.push(c);
                    after
                }
            };
        }
        read
    }

    /// True if the code ends in a word, in which a `$` may stand.
    fn is_in_word(&self) -> bool {
        self.code.ends_with(|c: char| is_letter(c) || c == '$')
    }

    /// True if the last letter of the code ends a longer word.
    fn ends_in_word(&self) -> bool {
        let before = self.code.chars().rev().nth(1);
        before.is_some_and(is_letter)
    }
}

/// A literal `$tag$…$tag$` that a text begins with: what is in it, and what stands behind it.
fn dollar_quoted(text: &str) -> Option<(&str, &str)> {
    let end = 1 + text[1..].find('$')?;
    let tag = &text[1..end];
    let is_tag = !tag.starts_with(|c: char| c.is_ascii_digit()) && tag.chars().all(is_letter);
    let (mark, body) = text.split_at(end + 1);
    is_tag.then(|| body.split_once(mark).unwrap_or((body, "")))
}

/// What stands behind a literal whose beginning was read.
fn behind(text: &str, quote: char, escapes: bool) -> &str {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if c == '\\' && escapes {
            chars.next();
        } else if c == quote {
            return &text[at + c.len_utf8()..];
        }
    }
    ""
}

/// What stands behind a comment whose beginning was read; they nest.
fn behind_comment(text: &str) -> &str {
    let mut depth = 1;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at + 1 < bytes.len() {
        match (bytes[at], bytes[at + 1]) {
            (b'*', b'/') => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return &text[at..];
                }
            }
            (b'/', b'*') => {
                depth += 1;
                at += 2;
            }
            _ => at += 1,
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_destroys_or_runs_programs_is_found_and_literals_are_no_code() {
        for (text, is_refused) in [
            ("select 1", false),
            ("select '\\!'", false),
            ("select 'drop table t'", false),
            ("select 'it''s; drop table t'", false),
            ("select \"drop\" from t", false),
            ("select 1 -- drop table t", false),
            ("select dropped, truncated from t", false),
            ("\\dt", false),
            ("\\copy t from 'f.csv' csv", false),
            ("\\o out.txt", false),
            ("\\o '|env>leak'\nselect 1;", true),
            ("\\o :x", true),
            ("select 1 \\g (expanded=on) |env", true),
            ("select $$'$$; \\! env", true),
            ("select $a$'$a$; \\o '|env'", true),
            ("select $$it's$$, a$b, 1", false),
            ("select $1 + $2", false),
            ("select $$ drop table t", true),
            ("set standard_conforming_strings=off; select '\\' ; '", true),
            ("select 1; DROP TABLE t", true),
            ("/* a /* b */ c */ drop table t", true),
            ("select E'\\'; drop table t --'", false),
            ("select '\\'; drop table t --'", true),
            ("TRUNCATE t", true),
            ("do $$ begin execute 'drop table t'; end $$", true),
            ("COPY t FROM PROGRAM 'id'", true),
            ("--x\r\\o |env", true),
            ("select 1;--\rdrop table t", true),
            ("select \u{20ac}e'\\' \\i evil.sql\n'", true),
            ("select \u{20ac}$$ \\! env $$", true),
            (":x table t", true),
            ("select :'x', :\"y\", a::int, b[1:2]", false),
            (
                "select set_config('standard'||'_conforming'||'_strings','off',false); select '\\' \\! env'",
                true,
            ),
            ("\\encoding SJIS", true),
            ("select 'drop table gx' \\gexec", true),
            ("\\! id", true),
            ("\\!id", true),
            ("\\o |id", true),
            ("\\o | id", true),
            ("\\dt \\! id", true),
            ("\\copy t from program 'id'", true),
            ("\\set x `id`", true),
            ("\\i /tmp/x.sql", true),
            ("select 1 \\g |id", true),
            ("alter system set archive_command = 'id'", true),
        ] {
            assert_eq!(refusal(text).is_some(), is_refused, "{text}");
        }
    }
    #[test]
    fn what_puts_statements_together_is_refused() {
        for (text, is_refused) in [
            ("do $$ begin execute 'dr'||'op table t'; end $$", true),
            ("do $$ begin execute format('%s table t', 'dro'||'p'); end $$", true),
            ("do $$ begin execute (select body from t); end $$", true),
            ("do $$ begin execute E'\\x64rop table t'; end $$", true),
            (
                "create function f() returns void language plpgsql as $$ begin execute x; end $$",
                true,
            ),
            ("do $$ begin execute 'analyze t'; execute 'select 1' into x; end $$", false),
            ("do $$ begin perform 1; end $$", false),
            ("insert into t values ('please execute it') on conflict do nothing", false),
            ("create trigger a before insert on t for each row execute function f()", false),
            ("prepare p as select 1; execute p", false),
            ("do 'begin execute x; end'", true),
        ] {
            assert_eq!(refusal(text).is_some(), is_refused, "{text}");
        }
    }
}
