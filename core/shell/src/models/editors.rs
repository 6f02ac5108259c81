//! Pagers and editors: `less`, `man`, `vim`, `ed`.
//!
//! An editor runs commands by its options (`vim -c '!x'`) and by what it reads. A plain call of one
//! edits its operands.

use super::kinds::{WORDS, behind, ex, gnu, is_fed, list, model, reads, single, writes};
use crate::effect::{Access, CodeFrom, Effect, Payload};
use crate::invocation::Argument;
use crate::model::{Model, Parsed, Report};
use crate::value::Value;

/// The programs of this file, each with its options, its effects and its examples.
pub(super) const TABLE: &[Model] = &[
    model(
        &["less", "more", "most", "pg"],
        &gnu(&[list(
            "-a, -A, -b=, -B, -c, -C, -d, -D=, -e --quit-at-eof, -E --QUIT-AT-EOF, -f --force, -F --quit-if-one-screen, -g, -G, -h=, -i --ignore-case, -I --IGNORE-CASE, -j --jump-target=, -J, -K, -l, -m, -M, -n, -N --LINE-NUMBERS, \
             -p=, -q --quiet, -Q, -r --raw-control-chars, -R --RAW-CONTROL-CHARS, -s --squeeze-blank-lines, -S --chop-long-lines, -u, -U, -w, -W, -x=, -X --no-init, -y=, -z=, -~, --mouse, --use-color, --follow-name, --incsearch, --wordwrap, \
             -o=>, -O=>, --tabs=, -V, -?, -#[=]",
        )]),
        less,
        &[
            ex("less -R log.txt", &[]),
            ex("less '+!id' x", &["code:setting"]),
            ex("less +G x", &[]),
            ex("less +/error x", &[]),
            ex("less '+G!id' x", &["code:setting"]),
            ex("less -k keys x", &["unmodelled"]),
        ],
    ),
    model(
        &["man", "info", "gman"],
        &gnu(&[list(
            "-C --config-file=, -d --debug, -D --default, --warnings[=], -f --whatis, -k --apropos, -K --global-apropos, -l --local-file, -w --where --path --location, -W --where-cat, -c --catman, -R --recode=, -L --locale=, -m --systems=, \
             -M --manpath=, -S -s --sections=, -e --extension=, -i --ignore-case, -I --match-case, --regex, --wildcard, --names-only, -a --all, -u --update, --no-subpages, -P --pager=!, -r --prompt=, -7 --ascii, -E --encoding=, \
             --no-hyphenation, --no-justification, -p --preprocessor=, -t --troff, -T --troff-device[=], -H --html[=]!, -X --gxditview[=], -Z --ditroff, -?, -V, -h, --usage, -o --output=>, --subnodes, --vi-keys, -n --node=",
        )]),
        |report, parsed| {
            if parsed.has("-l") {
                reads(report, parsed);
            }
            if parsed.has("-C") {
                report.not_understood("its settings name programs that it runs");
            }
            if parsed.has("-H") && parsed.value("-H").is_none() {
                report.may(Effect::Code {
                    from: CodeFrom::Setting("the browser of `man --html`".to_owned()),
                });
            }
        },
        &[
            ex("man mkfs", &[]),
            ex("man -k printf", &[]),
            ex("man -C ./evil.conf ls", &["unmodelled"]),
            ex("man -P 'sh -c id' ls", &["code:setting"]),
            ex("man --html=/tmp/x ls", &["code:file", "code:setting", "execute:temp"]),
        ],
    ),
    model(
        &["bat", "batcat"],
        &gnu(&[list(
            "-A --show-all, -p --plain, -l --language=, -H --highlight-line=, --file-name=, -d --diff, --diff-context=, --tabs=, --wrap=, --terminal-width=, -n --number, --color=, --italic-text=, --decorations=, -f --force-colorization, --paging=, --pager=!, \
             -m --map-syntax=, --theme=, --list-themes, --style=, -r --line-range=, -L --list-languages, -u --unbuffered, -s --squeeze-blank, -P --no-pager, -h, -V",
        )]),
        reads,
        &[
            ex("bat -p src/main.rs", &[]),
            ex("bat ~/.ssh/id_rsa", &["read:secret"]),
            ex("bat --pager cat x", &["code:setting"]),
        ],
    ),
    model(
        &["ccat pygmentize highlight"],
        &gnu(&[list(
            "-l=, -f=, -O --out-format=, -P=, -g, -N=, -L, -H, -V, -o --output=>, -S --syntax=, -i --input=<, -n --line-numbers, -I --include-style, --stdout, -C --color=, -v, -h",
        )]),
        reads,
        &[
            ex("pygmentize -l rust -f html -o a.html a.rs", &["write:workspace"]),
            ex("pygmentize -x -l ./evil.py a", &["unmodelled"]),
        ],
    ),
    model(
        &["glow", "mdcat"],
        &gnu(&[list(
            "-s --style=<, -w --width=, -l --local, -a --all, -n --line-numbers, -t --tui, --columns=, --no-colour, --ansi, --fail, --detect-terminal, -h, -v, -V",
        )]),
        |report, parsed| {
            for word in &parsed.operands {
                if word.value.prefix().contains("://") || word.value.prefix().contains(".com/") {
                    report.connects_somewhere(true, Payload::None);
                } else {
                    report.reads(word);
                }
            }
        },
        &[ex("glow README.md", &[]), ex("glow https://example.com/a.md", &["network"])],
    ),
    model(
        &["hexyl", "hl"],
        &gnu(&[list(
            "-n --length=, -c --bytes=, -s --skip=, --block-size=, -v --no-squeezing, --color=, --border=, -p --plain, --no-characters, -C --characters, -P --no-position, --no-pager, --panels=, -g --group-size=, \
             --endianness=, -b --base=, -l --level=, -h, -V",
        )]),
        reads,
        &[ex("hexyl -n 64 a.bin", &[])],
    ),
    model(
        &["vim vi nvim view gvim rvim vimdiff ex rview vim.basic vim.tiny elvis nvi vimx neovim"],
        &single(&[list(
            "-b, -d, -e, -E, -f, -g, -h, -l, -m, -M, -n, -N, -C, -o, -O, -p, -r, -R, -s, -es, -Es, -t=, -v, -V[=], -w=>, -W=>, -x, -X, -y, -Z, --clean, --noplugin, --version, --help, --not-a-term, --nofork, --ttyfail, -i=<, -L, \
             -c=, -S=, -u=, -U=, --cmd=, --remote=, --headless, --embed, -q[=], -T=, -A, -F, -H, -D, --startuptime=>, -n, -o[=], -O[=], --literal, -nes, -nR, -nd",
        )]),
        vim,
        &[
            ex("vim a.txt", &["code:stdin", "write:workspace"]),
            ex("vim -R a.txt", &["code:stdin"]),
            ex("vim -c ':!id' -c q", &["code:inline:vim", "code:setting"]),
            ex("vim -es '+!id' +q", &["code:inline:vim", "code:setting"]),
            ex("vi /etc/passwd", &["code:stdin", "write:system"]),
            ex("vim -R -V9/home/user/.bashrc f", &["code:stdin", "write:startup"]),
            ex("vim -es '+/x/!id' f", &["code:inline:vim", "code:setting", "write:workspace"]),
            ex("vim -s keys a.txt", &["code:inline:vim", "write:workspace"]),
            ex("vim -u evil.vim", &["code:file", "code:stdin", "execute:workspace"]),
        ],
    ),
    model(
        &["nano pico micro joe jed mcedit kak hx helix rnano tilde dte jstar jmacs rjoe mg zile"],
        &WORDS,
        |report, parsed| {
            for word in &parsed.operands {
                let text = word.value.prefix();
                if text.starts_with('-') {
                    report.not_understood(format!("its option `{text}` is not known"));
                } else if !text.starts_with('+') {
                    report.file(Access::Write, word);
                }
            }
        },
        &[
            ex("nano +12 a.txt", &["write:workspace"]),
            ex("nano -s /bin/sh", &["unmodelled", "write:system"]),
        ],
    ),
    model(
        &["emacs", "emacsclient", "xemacs", "emacs-nox"],
        &WORDS,
        |report, parsed| {
            // Its options may be shortened, and most of the others run code.
            let harmless = [
                "-nw", "--no-window-system", "-q", "--no-init-file", "-Q", "--quick",
                "--no-splash", "--no-site-file", "--version", "--help", "-n", "--no-wait", "-c",
                "--create-frame", "-t", "--tty", "--quiet",
            ];
            if parsed.operands.iter().any(|word| {
                let text = word.value.prefix();
                text.starts_with('-') && !harmless.contains(&text)
            }) {
                report.add(Effect::Code { from: CodeFrom::Inline("lisp".to_owned()) });
            }
            for word in parsed
                .operands
                .iter()
                .filter(|word| !word.value.prefix().starts_with(['-', '(', '+']))
            {
                report.file(Access::Write, word);
            }
        },
        &[
            ex("emacs -nw a.txt", &["write:workspace"]),
            ex("emacs --batch --eval '(shell-command \"id\")'", &["code:inline:lisp"]),
            ex("emacs --eva='(shell-command \"id\")' -q", &["code:inline:lisp"]),
            ex("emacs -x evil.el", &["code:inline:lisp", "write:workspace"]),
        ],
    ),
    model(
        &["ed", "red", "sam"],
        &gnu(&[list(
            "-E, -G, -l, -p --prompt=, -r --restricted, -s --quiet --silent, -v --verbose, -h, -V, -i",
        )]),
        |report, parsed| {
            writes(report, parsed);
            if is_fed(report) {
                report.add(Effect::Code { from: CodeFrom::Inline("ed".to_owned()) });
            }
            types(report, false);
        },
        &[
            ex("ed -s a.txt < cmds", &["code:inline:ed", "write:workspace"]),
            ex("ed a.txt", &["code:stdin", "write:workspace"]),
        ],
    ),
    model(
        &["code cursor subl atom gedit kate zed mate codium windsurf idea pycharm webstorm xed \
             mousepad notepad"],
        &WORDS,
        |report, parsed| {
            let harmless = [
                "-n", "--new-window", "-r", "--reuse-window", "-w", "--wait", "-d", "--diff", "-g",
                "--goto", "-a", "--add", "-m", "--merge", "-v", "--version", "-h", "--help", "-s",
                "--status",
            ];
            if parsed.operands.iter().any(|word| {
                let text = word.value.prefix();
                text.starts_with('-') && !harmless.contains(&text) || text == "tunnel"
            }) {
                report.not_understood("it may load code");
            }
            for word in parsed.operands.iter().filter(|word| !word.value.prefix().starts_with('-'))
            {
                report.file(Access::Write, word);
            }
        },
        &[
            ex("code .", &["write:workspace_root"]),
            ex("code --install-extension x", &["unmodelled", "write:workspace"]),
            ex("subl --command 'exec {}'", &["unmodelled", "write:workspace"]),
        ],
    ),
];

/// Whoever sits before an editor may run what they type.
fn types(report: &mut Report<'_>, is_script: bool) {
    if !is_script && !is_fed(report) {
        report.may(Effect::Code { from: CodeFrom::Stdin });
    }
}

/// The effects of `less`.
fn less(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for operand in &parsed.operands {
        let Some(keys) = operand.value.prefix().strip_prefix('+') else {
            report.reads(operand);
            continue;
        };
        // Keys that are typed first, one command behind the other.
        let keys = keys.trim_start_matches('+');
        let is_known = operand.value.as_known().is_some();
        if is_known && moves(keys) {
            continue;
        }
        let runs = keys.starts_with(['v', 'e', 's', ':', '#', '&']) || keys.contains(['!', '|']);
        if runs || !is_known {
            let setting = format!("`+` of `{}`", report.name());
            report.add(Effect::Code { from: CodeFrom::Setting(setting) });
        } else {
            report.not_understood("the keys that are typed into it are not known");
        }
    }
    if parsed.values("-p").any(|text| text.value.prefix().contains(char::is_control)) {
        report.not_understood("the keys that are typed into it are not known");
    }
}

/// True for keys that go to a place: a line, the end, a pattern.
fn moves(keys: &str) -> bool {
    let end = keys.trim_start_matches(|char: char| char.is_ascii_digit());
    let is_pattern = |text: &str| !text.contains(char::is_control);
    matches!(end, "" | "G" | "g" | "F" | "p" | "%")
        || keys.strip_prefix(['/', '?']).is_some_and(is_pattern)
}

/// The effects of `vim`.
#[expect(clippy::too_many_lines, reason = "one option after the other")]
fn vim(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let plain = |text: &str| {
        let text = text.trim_start_matches(':').trim();
        text.is_empty()
            || text.bytes().all(|byte| byte.is_ascii_digit())
            // Behind a pattern and in the next line stands another command.
            || text.strip_prefix('/').is_some_and(|rest| {
                !rest.contains(['|', '/']) && !rest.contains(char::is_control)
            })
            || [
                "q",
                "q!",
                "qa",
                "qa!",
                "wq",
                "wqa",
                "x",
                "w",
                "set nu",
                "set number",
                "syntax on",
                "norm G",
                "normal G",
                "$",
            ]
            .contains(&text)
    };
    let commands = ["-c", "--cmd"]
        .iter()
        .flat_map(|option| parsed.values(option))
        .map(|value| value.value.clone());
    let first = parsed.operands.iter().filter_map(|word| behind(word, "+")).map(|word| word.value);
    let commands: Vec<Value> = commands.chain(first).collect();
    let is_code = commands.iter().any(|command| !command.as_known().is_some_and(plain));
    let is_shell = commands
        .iter()
        .any(|command| command.prefix().contains('!') && !command.as_known().is_some_and(plain));
    if is_shell {
        let setting = format!("a command of `{}`", report.name());
        report.add(Effect::Code { from: CodeFrom::Setting(setting) });
    }
    // A file of keys that are typed, or a script of the other kind.
    let is_silent = ["-e", "-E"].iter().any(|option| parsed.has(option)) || report.name() == "ex";
    let is_typed = parsed.has("-s") && !is_silent
        || parsed.has("-l") && matches!(report.name(), "nvim" | "neovim");
    let is_code = is_code || is_typed;
    for file in parsed.values("-V").cloned().collect::<Vec<_>>() {
        let text = file.value.prefix().trim_start_matches(|char: char| char.is_ascii_digit());
        if file.value.as_known().is_none() {
            report.not_understood("the file that it writes its messages to is not known");
        } else if !text.is_empty() {
            report.writes(&Argument { value: Value::known(text), ..file.clone() });
        }
    }
    if is_code
        || (is_fed(report)
            && (parsed.has("-es") || parsed.has("-e") || parsed.has("-s") || report.name() == "ex"))
    {
        report.add(Effect::Code { from: CodeFrom::Inline("vim".to_owned()) });
    }
    types(report, parsed.has("-es") || parsed.has("-Es") || parsed.has("--headless") || is_code);
    for script in ["-S", "-u", "-U", "-s"]
        .iter()
        .flat_map(|option| parsed.values(option))
        .cloned()
        .collect::<Vec<_>>()
    {
        if !matches!(script.value.as_known(), Some("NONE" | "NORC" | "DEFAULTS")) {
            report.file(Access::Execute, &script);
            report.add(Effect::Code { from: CodeFrom::File });
        }
    }
    let reads_only = ["-R", "-M"].iter().any(|option| parsed.has(option))
        || matches!(report.name(), "view" | "rview");
    for file in parsed.operands.iter().filter(|word| !word.value.prefix().starts_with('+')) {
        if !reads_only && file.value.as_known() != Some("-") {
            report.file(Access::Write, file);
        }
        report.reads(file);
    }
}
