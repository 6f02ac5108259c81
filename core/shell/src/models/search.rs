//! Programs that search: `grep`, `rg`, `ag`, `fd`, `find`.
//!
//! `find` has a language of its own, read word by word: some of its words delete, write or run.
//! What `-exec` runs is the evaluation's to follow.

use super::kinds::{WORDS, ex, gnu, list, model, nothing, unknown};
use crate::effect::Access;
use crate::grammar;
use crate::invocation::{Argument, Invocation};
use crate::model::{Grammar, Model, Parsed, Report};
use crate::value::{Origin, Value};

/// The programs of this file, each with its options, its effects and its examples.
pub(super) const TABLE: &[Model] = &[
    model(
        &["grep egrep fgrep ggrep rgrep zgrep zegrep zfgrep bzgrep xzgrep zstdgrep pcregrep \
             pcre2grep"],
        &GREP,
        grep,
        &[
            ex("grep -rn --include='*.rs' x src", &[]),
            ex("grep -rn 'rm -rf' .", &[]),
            ex("grep -f pats.txt /etc/shadow", &["read:secret"]),
            ex("grep -e root -r ~/.ssh", &["read:secret:recursive"]),
            ex("grep -c x --frob", &["unmodelled"]),
        ],
    ),
    model(
        &["rg", "ripgrep"],
        &RG,
        grep,
        &[
            ex("rg -n --hidden -g '!target' 'fn main' src", &[]),
            ex("rg --files | head", &[]),
            ex("rg --pre cat x", &["code:setting"]),
            ex("rg x ~/.aws", &["read:secret:recursive"]),
        ],
    ),
    model(
        &["ag"],
        &gnu(&[list(
            "--ackmate, -A --after[=], -B --before[=], --break, --nobreak, -c --count, --color, --nocolor, --color-line-number=, \
             --color-match=, --color-path=, --column, --filename, --nofilename, -H --heading, --noheading, -C --context[=], --group, --nogroup, \
             -g=, -l --files-with-matches, -L --files-without-matches, --print-all-files, --numbers, --nonumbers, \
             -o --only-matching, --passthrough, --silent, --stats, --vimgrep, -0 --null, -a --all-types, -D --debug, --depth=, -f --follow, \
             -F --fixed-strings, -G --file-search-regex=, --hidden, -i --ignore-case, --ignore=, --ignore-dir=, \
             -m --max-count=, --one-device, -p --path-to-ignore=<, -Q --literal, -s --case-sensitive, -S --smart-case, --search-binary, \
             -t --all-text, -u --unrestricted, -U --skip-vcs-ignores, -v --invert-match, -w --word-regexp, -W --width=, \
             -z --search-zip, --pager=!, --nopager, --list-file-types, --python, --js, --rust, --go, --ruby, --java, --cpp, --cc",
        )]),
        grep,
        &[
            ex("ag -l foo src", &[]),
            ex("ag --pager 'rm -rf /srv' x", &["code:setting", "delete:system:recursive:forced"]),
        ],
    ),
    model(
        &["ack", "ack-grep"],
        &gnu(&[list(
            "-A --after-context=, -B --before-context=, -C --context[=], -c --count, --color, --nocolor, -f, -g, -h --no-filename, \
             -H --with-filename, -i --ignore-case, -I --no-ignore-case, -S --smart-case, -l --files-with-matches, -L --files-without-matches, \
             -m --max-count=, -n --no-recurse, -r -R --recurse, -o, -Q --literal, -s, -t --type=, -v --invert-match, -w --word-regexp, -x, \
             --ignore-dir=, --ignore-file=, --group, --nogroup, --heading, --noheading, --break, --nobreak, --pager=!, --nopager, \
             --python, --js, --rust, --perl, --ruby, --java, --cpp, --cc, --passthru, -1, --column, --follow, --nofollow, --sort-files",
        )]),
        grep,
        &[ex("ack --python foo", &[])],
    ),
    model(
        &["find", "gfind", "bfs"],
        &WORDS,
        find,
        &[
            ex("find . -name '*.py' -not -path './x/*'", &[]),
            ex("find . \\( -name a -o -name b \\) -prune -o -type f -print0", &[]),
            ex("find . -name '*.pyc' -delete", &["delete:workspace:forced"]),
            ex("find . ! -name '*.pyc' -delete", &["delete:workspace:recursive:forced"]),
            ex("find /srv/data -delete", &["delete:system:recursive:forced"]),
            ex("find . {-delete,-print}", &["delete:workspace:recursive:forced"]),
            ex("find . -fprint /etc/x", &["write:system"]),
            ex("find . -frobnicate", &["unmodelled"]),
            ex("find . -exec cat -n {} +", &[]),
            ex("find ~/.ssh -type f", &["list:secret:recursive"]),
        ],
    ),
    model(
        &["fd", "fdfind"],
        &WORDS,
        fd,
        &[ex("fd -e rs -H main src", &[]), ex("fd -x cat", &[]), ex("fd -Hx rm", &["unmodelled"])],
    ),
    model(
        &["locate", "mlocate", "plocate", "mdfind"],
        &gnu(&[list(
            "-A --all, -b --basename, -c --count, -d --database=<, -e --existing, -i --ignore-case, -l -n --limit=, -r --regexp=, \
             --regex, -w --wholename, -0 --null, -S --statistics, -q --quiet, -P --nofollow, -L --follow, -name=, -onlyin=",
        )]),
        nothing,
        &[ex("locate -i foo", &[])],
    ),
    model(
        &["which", "whereis", "whatis", "apropos", "gwhich"],
        &gnu(&[list(
            "-a --all, -s, -b, -m, -u, -l, -f, -B=, -M=, -S=, -i --read-alias, --skip-alias, --skip-dot, --skip-tilde, --show-dot, \
             --show-tilde, --tty-only, -v, -V, -w --wildcard, -e --exact, -d --debug, -r --regex, -k",
        )]),
        nothing,
        &[ex("which -a python3", &[])],
    ),
    model(
        &["fzf", "sk", "peco"],
        &WORDS,
        unknown,
        &[ex("fzf --preview 'cat {}'", &["unmodelled"])],
    ),
];

/// The options of `grep`.
const GREP: Grammar = gnu(&[list(
    "-A --after-context=, -B --before-context=, -C --context=, -a --text, --binary-files=, -b --byte-offset, \
     -c --count, --color --colour[=], -d --directories=, -D --devices=, -e --regexp=, -E --extended-regexp, \
     --exclude=, --exclude-from=<, --exclude-dir=, --include-dir=, -f --file=<, -F --fixed-strings, --fixed-regexp, \
     -G --basic-regexp, -h --no-filename, -H --with-filename, -i -y --ignore-case, --no-ignore-case, -I, --include=, \
     -l --files-with-matches, -L --files-without-match, -m --max-count=, -n --line-number, --line-buffered, \
     -o --only-matching, -P --perl-regexp, -q --quiet --silent, -r --recursive, -R --dereference-recursive, \
     -s --no-messages, -S, -T --initial-tab, --label=, -u --unix-byte-offsets, -U --binary, -v --invert-match, \
     -w --word-regexp, -x --line-regexp, -z --null-data, -Z --null, -V, --null, -O, -p, -M --multiline, --om-separator=, -#[=]",
)]);

/// The options of `rg`.
const RG: Grammar = gnu(&[list(
    "-A --after-context=, -B --before-context=, -C --context=, --auto-hybrid-regex, --no-auto-hybrid-regex, \
     --binary, --no-binary, --block-buffered, --no-block-buffered, -b --byte-offset, -s --case-sensitive, \
     --color=, --colors=, --column, --no-column, --context-separator=, --no-context-separator, -c --count, --count-matches, \
     --crlf, --no-crlf, --debug, --dfa-size-limit=, -E --encoding=, --no-encoding, --engine=, --field-context-separator=, \
     --field-match-separator=, -f --file=<, --files, -l --files-with-matches, --files-without-match, -F --fixed-strings, \
     --no-fixed-strings, -L --follow, --no-follow, --generate=, -g --glob=, --glob-case-insensitive, --heading, --no-heading, \
     -h, --help, -. --hidden, --no-hidden, --hostname-bin=!, --hyperlink-format=, --iglob=, -i --ignore-case, --ignore-file=<, \
     --ignore-file-case-insensitive, --no-ignore-file-case-insensitive, --include-zero, -v --invert-match, --json, --no-json, --line-buffered, --no-line-buffered, \
     -n --line-number, -N --no-line-number, -x --line-regexp, -M --max-columns=, --max-columns-preview, -m --max-count=, \
     -d --max-depth --maxdepth=, --max-filesize=, --mmap, --no-mmap, -U --multiline, --multiline-dotall, --no-multiline, --no-config, --no-ignore, \
     --no-ignore-dot, --no-ignore-exclude, --no-ignore-files, --no-ignore-global, --no-ignore-messages, --no-ignore-parent, \
     --no-ignore-vcs, --no-messages, --no-require-git, --no-unicode, -0 --null, --null-data, --one-file-system, -o --only-matching, \
     --passthru --passthrough, --path-separator=, -P --pcre2, --no-pcre2, --pcre2-version, --pre=!, --pre-glob=, --no-pre, -p --pretty, -q --quiet, \
     --regex-size-limit=, -e --regexp=, -r --replace=, -z --search-zip, --no-search-zip, -S --smart-case, --sort=, --sortr=, --sort-files, --stats, --no-stats, \
     --stop-on-nonmatch, -a --text, --no-text, -j --threads=, --trace, --trim, --no-trim, -t --type=, --type-add=, --type-clear=, --type-list, \
     -T --type-not=, -u --unrestricted, -V, --vimgrep, -I --no-filename, -H --with-filename, -w --word-regexp, --ignore, --messages",
)]);

/// A pattern first, unless an option is one, and then files and folders.
fn grep(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let without = ["-e", "-f", "--files", "--type-list", "-g"];
    let is_rg = matches!(report.name(), "rg" | "ripgrep");
    let pattern_in_option =
        without.iter().any(|option| parsed.has(option) && (*option != "-g" || !is_rg));
    let skip = usize::from(!pattern_in_option);
    let always = matches!(report.name(), "rg" | "ripgrep" | "ag" | "ack" | "ack-grep" | "rgrep");
    let recursive = always || parsed.has("-r") || parsed.has("-R");
    // These run what a pattern names.
    let calls_out = |word: &Argument| word.value.prefix().contains("(?C");
    if report.name().starts_with("pcre")
        && parsed.operands.iter().take(skip).chain(parsed.values("-e")).any(calls_out)
    {
        report.not_understood("its pattern may run a program");
    }
    let mut any = false;
    for operand in parsed.operands.iter().skip(skip) {
        any = true;
        if operand.value.as_known() != Some("-") {
            report.tree(Access::Read, operand, recursive, false);
        }
    }
    if recursive && !any {
        let effect = report.file_effect(Access::Read, &Value::known("."), true, false);
        report.add(effect);
    }
}

/// Tests and actions of `find` that take a value each; those that take none.
const FIND_VALUE: &str = " -maxdepth -mindepth -name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type \
     -xtype -size -mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -user -group -uid -gid -perm -links -inum -samefile \
     -lname -ilname -fstype -used -printf -context -newerXY -D -flags -exclude -limit -depth-n ";
/// Words of `find` without a value.
const FIND_FLAG: &str = " -print -print0 -ls -prune -quit -true -false -empty -readable -writable -executable -nouser -nogroup \
     -depth -d -mount -xdev -x -follow -daystart -noleaf -warn -nowarn -ignore_readdir_race -noignore_readdir_race -and -or -not -a -o -H \
     -L -P -E -X -s -O1 -O2 -O3 -O0 -help --help -version --version -files0-from -nohidden -unique -color -nocolor ( ) ! , ";

/// The effects of `find`.
fn find(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let words = &parsed.operands;
    let is_expression =
        |word: &Argument| word.value.prefix().starts_with(['-', '(', ')', '!', ',']) && !word.many;
    let is_option = |word: &Argument| {
        matches!(word.value.as_known(), Some("-H" | "-L" | "-P" | "-E" | "-X" | "-x" | "-s" | "-d"))
            || word.value.as_known().is_some_and(|text| text.starts_with("-O"))
    };
    let first = words.iter().take_while(|word| is_option(word)).count();
    let count = words[first..].iter().take_while(|word| !is_expression(word)).count();
    let (folders, expression) = words[first..].split_at(count);
    let here = Argument::new(Value::known("."), report.invocation.span.clone());
    let folders = if folders.is_empty() { std::slice::from_ref(&here) } else { folders };
    for folder in folders {
        report.tree(Access::List, folder, true, false);
        if folder.value.prefix().is_empty() && folder.value.as_known().is_none() && folder.many {
            report.not_understood("a word whose text is not known may be an action");
        }
    }
    let deletes = actions(report, expression);
    if deletes {
        let whole = !expression.iter().any(|word| {
            let text = word.value.prefix();
            FIND_VALUE.contains(&format!(" {text} ")) || text == "-empty"
        });
        let one_by_one = one_by_one(expression);
        for folder in folders {
            let below = Argument { value: below(&folder.value), ..folder.clone() };
            report.tree(
                Access::Delete,
                if whole && !is_here(folder) { folder } else { &below },
                !one_by_one,
                true,
            );
        }
    }
}

/// True if only what a pattern finds is deleted: no tree goes with it.
fn one_by_one(expression: &[Argument]) -> bool {
    let texts: Vec<&str> =
        expression.iter().map(|word| word.value.as_known().unwrap_or("?")).collect();
    if texts.iter().any(|text| matches!(*text, "!" | "-not" | "-o" | "-or" | "," | "?")) {
        return false;
    }
    let before = texts.iter().position(|text| *text == "-delete").unwrap_or_default();
    texts[..before].contains(&"-empty")
        || texts[..before].windows(2).any(|pair| {
            matches!(pair[0], "-name" | "-iname") && pair[1].trim_matches(['*', '?']).len() > 1
        })
}

/// True for the working folder.
fn is_here(folder: &Argument) -> bool {
    matches!(folder.value.as_known(), Some("." | "./"))
}

/// What is found below a folder.
fn below(folder: &Value) -> Value {
    match folder {
        Value::Known(text) => {
            let text = format!("{}/", text.trim_end_matches('/'));
            Value::Prefix(text.clone(), Origin::Glob(format!("{text}*")))
        }
        other => other.clone(),
    }
}

/// Reads the expression; true if something in it deletes.
fn actions(report: &mut Report<'_>, expression: &[Argument]) -> bool {
    let mut deletes = false;
    let mut at = 0;
    while let Some(word) = expression.get(at) {
        at += 1;
        let Some(text) = word.value.as_known() else {
            report.not_understood("a word whose text is not known may be an action");
            continue;
        };
        match text {
            "-delete" => deletes = true,
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                // What it runs was looked into.
                let end =
                    expression[at..].iter().position(|word| word.value.as_known() == Some(";"));
                let plus = expression[at..].windows(2).position(|pair| {
                    pair[0].value.as_known() == Some("{}") && pair[1].value.as_known() == Some("+")
                });
                let length = end.into_iter().chain(plus.map(|place| place + 1)).min();
                at += length.map_or(expression.len() - at, |length| length + 1);
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                if let Some(file) = expression.get(at) {
                    report.file(Access::Write, file);
                }
                at += if text == "-fprintf" { 2 } else { 1 };
            }
            "-files0-from" => {
                if let Some(file) = expression.get(at) {
                    report.reads(file);
                }
                report.not_understood("the folders that it looks into stand in a file");
                at += 1;
            }
            _ if FIND_FLAG.contains(&format!(" {text} ")) => {}
            _ if FIND_VALUE.contains(&format!(" {text} ")) || text.starts_with("-newer") => at += 1,
            _ => report.not_understood(format!("its word `{text}` is not known")),
        }
    }
    deletes
}

/// The options of `fd`.
const FD: Grammar = gnu(&[list(
    "-H --hidden, -I --no-ignore, --no-ignore-vcs, --no-ignore-parent, -u --unrestricted, -s --case-sensitive, -i --ignore-case, \
     -g --glob, --regex, -F --fixed-strings, --and=, -a --absolute-path, -l --list-details, -L --follow, -p --full-path, \
     -0 --print0, -d --max-depth --maxdepth=, --min-depth=, --exact-depth=, -E --exclude=, --prune, -t --type=, -e --extension=, \
     -S --size=, --changed-within=, --changed-before=, -o --owner=, --format=, --batch-size=, -c --color=, -j --threads=, \
     --max-results=, -1, -q --quiet, --show-errors, --base-directory=, --path-separator=, --search-path=, --strip-cwd-prefix[=], \
     --one-file-system, --ignore-file=<, --hyperlink[=], -h, -V, --no-require-git, --no-follow, --no-hidden, --ignore",
)]);

/// What is behind `-x` was looked into.
fn fd(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let words = &parsed.operands;
    let runs = ["-x", "-X", "--exec", "--exec-batch"];
    let end = words
        .iter()
        .position(|word| word.value.as_known().is_some_and(|text| runs.contains(&text)))
        .unwrap_or(words.len());
    let inner = Invocation { arguments: words[..end].to_vec(), ..report.invocation.clone() };
    let parsed = grammar::parse(&inner, &FD);
    super::report_unknown_words(report, &parsed, &[]);
    for folder in parsed.operands.iter().skip(1) {
        report.tree(Access::List, folder, true, false);
    }
    for folder in parsed.values("--search-path").chain(parsed.values("--base-directory")) {
        report.tree(Access::List, folder, true, false);
    }
}
