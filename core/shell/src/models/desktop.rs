//! Programs of desktops: clipboards, stores of secrets, macOS, and the commands of Windows.

use super::kinds::{WORDS, ex, gnu, list, model, nothing, reads, unknown};
use crate::effect::{Access, CodeFrom, Effect, Payload, Persistence, SystemChange};
use crate::invocation::Argument;
use crate::model::{Model, Parsed, Report};

/// The programs of this file, each with its options, its effects and its examples.
pub(super) const TABLE: &[Model] = &[
    model(
        &["osascript", "automator", "shortcuts"],
        &WORDS,
        |report, _| report.add(Effect::Code { from: CodeFrom::Inline("applescript".to_owned()) }),
        &[ex("osascript -e 'do shell script \"id\"'", &["code:inline:applescript"])],
    ),
    model(
        &["pbcopy xclip xsel wl-copy clip clip.exe"],
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
        &["security secret-tool kwallet-query keyring bw lpass rbw keepassxc-cli chamber \
             gpg-connect-agent"],
        &WORDS,
        secrets,
        &[ex("security find-generic-password -w -s x", &["secret"])],
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
                report.add(Effect::Persistence(Persistence::Service))
            }
            Some("reboot") => report.add(Effect::System(SystemChange::Power)),
            Some(_) => report.add(Effect::System(SystemChange::Service)),
        },
        &[ex("launchctl load x.plist", &["persistence:service"]), ex("launchctl list", &[])],
    ),
    model(
        &["open xdg-open gio gnome-open kde-open cygstart explorer explorer.exe wslview \
             x-www-browser firefox google-chrome chromium chrome safari sensible-browser"],
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
        &["defaults plutil PlistBuddy scutil mdutil mdls"],
        &WORDS,
        |report, parsed| {
            let shows = [
                "read", "read-type", "domains", "find", "export", "-p", "-lint", "--get", "--dns",
                "--proxy", "-extract",
            ];
            let is_list = report.name() == "mdls";
            if !is_list
                && !parsed.operands.first().is_some_and(|word| {
                    word.value.as_known().is_some_and(|text| shows.contains(&text))
                })
            {
                report.add(Effect::System(SystemChange::Other));
            }
        },
        &[
            ex("defaults read com.apple.dock", &[]),
            ex("defaults write com.apple.dock x 1", &["system:other"]),
        ],
    ),
    model(&["notify-send beep"], &WORDS, nothing, &[ex("notify-send done", &[])]),
    model(
        &["screencapture scrot grim gnome-screenshot flameshot maim asciinema ttyrec vhs"],
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
        &["reg reg.exe wmic powershell powershell.exe cmd cmd.exe certutil certutil.exe \
             bitsadmin mshta rundll32 regsvr32 cscript wscript installutil icacls takeown attrib"],
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
];

/// The effects of a keeper of secrets: everything but asking for its status or version shows one.
fn secrets(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let words: Vec<&str> = parsed.operands.iter().map(|word| word.value.prefix()).collect();
    let informs =
        |word: &&str| matches!(*word, "--version" | "version" | "--help" | "help" | "status");
    let harmless = words.iter().all(informs);
    if !harmless {
        report.add(Effect::Secret { kind: "of a keeper of secrets".to_owned(), path: None });
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
