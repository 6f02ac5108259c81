//! Pagers and editors: `less`, `man`, `vim`, `ed`.

use super::super::effect::{Access, CodeFrom, Effect};
use super::super::model::{Model, Parsed, Report};
use super::super::value::Value;
use super::kinds::{WORDS, behind, ex, gnu, is_fed, list, model, reads, single, writes};

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
            ex("less -k keys x", &["unmodelled"]),
        ],
    ),
    model(
        &["man", "info", "gman"],
        &gnu(&[list(
            "-C --config-file=<, -d --debug, -D --default, --warnings[=], -f --whatis, -k --apropos, -K --global-apropos, -l --local-file, -w --where --path --location, -W --where-cat, -c --catman, -R --recode=, -L --locale=, -m --systems=, \
             -M --manpath=, -S -s --sections=, -e --extension=, -i --ignore-case, -I --match-case, --regex, --wildcard, --names-only, -a --all, -u --update, --no-subpages, -P --pager=!, -r --prompt=, -7 --ascii, -E --encoding=, \
             --no-hyphenation, --no-justification, -p --preprocessor=, -t --troff, -T --troff-device[=], -H --html[=]!, -X --gxditview[=], -Z --ditroff, -?, -V, -h, --usage, -o --output=>, --subnodes, --vi-keys, -n --node=",
        )]),
        |report, parsed| {
            if parsed.has("-l") {
                reads(report, parsed);
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
            ex("man -P 'sh -c id' ls", &["code:setting"]),
            ex("man --html=/tmp/x ls", &["code:file", "code:setting", "execute:temp"]),
        ],
    ),
    model(
        &["bat batcat ccat pygmentize highlight glow mdcat hexyl hl"],
        &gnu(&[list(
            "-A --show-all, -p --plain, -l --language=, -H --highlight-line=, --file-name=, -d --diff, --diff-context=, --tabs=, --wrap=, --terminal-width=, -n --number, --color=, --italic-text=, --decorations=, -f --force-colorization, --paging=, --pager=!, \
             -m --map-syntax=, --theme=, --list-themes, --style=, -r --line-range=, -L --list-languages, -u --unbuffered, -s --squeeze-blank, -P --no-pager, -h, -V, -O=, -g, -w=, -C, -c",
        )]),
        reads,
        &[
            ex("bat -p src/main.rs", &[]),
            ex("bat ~/.ssh/id_rsa", &["read:secret"]),
            ex("bat --pager cat x", &["code:setting"]),
        ],
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
            let code = [
                "--eval",
                "-eval",
                "--execute",
                "-execute",
                "-f",
                "--funcall",
                "-l",
                "--load",
                "--script",
                "-batch",
                "--batch",
                "-e",
                "-a",
                "--alternate-editor",
            ];
            if parsed
                .operands
                .iter()
                .any(|word| code.iter().any(|option| word.value.prefix().starts_with(option)))
            {
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
            if parsed.operands.iter().any(|word| {
                word.value.prefix().contains("extension") || word.value.prefix().contains("tunnel")
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
        ],
    ),
];

/// Whoever sits before an editor may run what they type.
fn types(report: &mut Report<'_>, is_script: bool) {
    if !is_script && !is_fed(report) {
        report.may(Effect::Code { from: CodeFrom::Stdin });
    }
}

fn less(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for operand in &parsed.operands {
        match operand.value.prefix().strip_prefix('+') {
            // A command of its own that is run first.
            Some(command)
                if command
                    .trim_start_matches('+')
                    .starts_with(['!', '|', 'v', 'e', 's', ':', '#', '&'])
                    || operand.value.as_known().is_none() =>
            {
                report.add(Effect::Code {
                    from: CodeFrom::Setting(format!("`+` of `{}`", report.name())),
                });
            }
            Some(_) => {}
            None => report.reads(operand),
        }
    }
}

#[expect(clippy::too_many_lines, reason = "one option after the other")]
fn vim(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let plain = |text: &str| {
        let text = text.trim_start_matches(':').trim();
        text.is_empty()
            || text.bytes().all(|byte| byte.is_ascii_digit())
            || text.starts_with('/') && !text.contains('|')
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
