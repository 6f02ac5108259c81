//! Programs that pack and unpack: `tar`, `zip`, `gzip`, `7z`, `cpio`.
//!
//! Packing reads the operands and writes the archive. Unpacking writes files whose names stand in
//! the archive, so it writes into the folder where it works, or anywhere where an option says so
//! (`tar -P`). Some options run a program (`--to-command`, `--checkpoint-action`).

use super::kinds::{WORDS, behind, ex, gnu, list, model, reads, unknown, within, writes};
use crate::effect::{Access, CodeFrom, Effect, Payload, Scope};
use crate::grammar;
use crate::invocation::{Argument, Invocation};
use crate::model::{Grammar, Model, Parsed, Report};
use crate::place;
use crate::value::Value;

/// The programs of this file, each with its options, its effects and its examples.
pub(super) const TABLE: &[Model] = &[
    model(
        &["tar", "gtar", "bsdtar", "tardy"],
        &TAR,
        tar,
        &[
            ex("tar czf x.tgz dir", &["write:workspace"]),
            ex("tar -xzf nc.tar.gz -v", &["write:workspace"]),
            ex("tar xf a.tar -C /etc", &["write:system"]),
            ex("tar -tf a.tar", &[]),
            ex("tar -I 'sh -c id' -cf x.tar y", &["code:setting", "write:workspace"]),
            ex(
                "tar cf a.tar x --checkpoint=1 --checkpoint-action=exec=id",
                &["code:setting", "write:workspace"],
            ),
            ex("tar xf a.tar --to-comm=id", &["code:setting", "write:workspace"]),
            ex(
                "tar --remove-files -cf /dev/null /srv/data",
                &["delete:system:recursive", "write:harmless_device"],
            ),
            ex("find src -name '*.rs' | tar czf x.tgz -T -", &["write:workspace"]),
            ex("tar czf - ~/.ssh", &["read:secret:recursive"]),
            ex("tar cf host.example:/x.tar dir", &["network:send"]),
            ex("tar --frob", &["unmodelled"]),
            ex("tar xf a.tar -C /home/user -C .", &["write:home"]),
            ex("tar xf a.tar -C . --one-top-level=/home/user/.config", &["write:home"]),
            ex("tar xf a.tar -C .git", &["write:version_control:recursive", "write:workspace"]),
            ex("tar cf - -C ~ .bash_history -C /workspace x", &["read:secret:recursive"]),
            ex("tar xzf a.tgz -C out --strip-components=1", &["write:workspace"]),
            ex("tar xf a.tar --transform=s,x,.git/hooks/y,", &["unmodelled", "write:workspace"]),
        ],
    ),
    model(
        &["zip"],
        &WORDS,
        super::zip::zip,
        &[
            ex("zip -r out.zip src", &["write:workspace"]),
            ex("zip -qr9 out.zip src -x '*.pyc' node_modules/*", &["write:workspace"]),
            ex("zip -qrm out.zip x", &["delete:workspace:recursive", "write:workspace"]),
            ex("zip -r /tmp/x.zip ~/.ssh", &["read:secret:recursive", "write:temp"]),
            ex("zip a.zip b -T --unzip-command=id", &["unmodelled", "write:workspace"]),
            ex("zip a.zip b -TTsh", &["unmodelled", "write:workspace"]),
            ex("zip a.zip b -lf .git/hooks/x", &["write:version_control", "write:workspace"]),
        ],
    ),
    model(
        &["unzip", "funzip"],
        &gnu(&[list(
            "-l, -t, -v, -Z, -z, -p, -c, -q, -o, -n, -j, -a, -aa, -u, -f, -C, -L, -X, -V, -K, -M, -B, -D, -DD, -U, -UU, -W, -1, -h, \
             -d=, -x=, -P=, -O=, -I=, -:, -^, -s",
        )]),
        unzip,
        &[
            ex("unzip -l a.zip", &[]),
            ex("unzip -qo a.zip -d out", &["write:workspace"]),
            ex("unzip a.zip -d /etc", &["write:system"]),
        ],
    ),
    model(
        &["zipinfo zcat gzcat bzcat xzcat zstdcat lz4cat lzcat zless zmore bzless xzless zcmp \
             zdiff"],
        &gnu(&[list(
            "-1, -2, -s, -m, -l, -v, -h, -t, -T, -z, -f --force, -q --quiet, -k --keep, -c --stdout, -d",
        )]),
        reads,
        &[ex("zcat a.log.gz | head", &[]), ex("zcat /etc/shadow", &["read:secret"])],
    ),
    model(
        &["gzip gunzip pigz unpigz bzip2 bunzip2 pbzip2 lbzip2 lzip lzma unlzma compress \
             uncompress ggzip"],
        &gnu(&[list(
            "-a --ascii, -c --stdout --to-stdout, -d --decompress --uncompress, -f --force, -h, -k --keep, -l --list, -L --license, \
             -n --no-name, -N --name, -q --quiet, -r --recursive, --rsyncable, -R, -S --suffix=, --synchronous, -t --test, -v --verbose, -V, \
             -1 --fast, -2, -3, -4, -5, -6, -7, -8, -9 --best, -z --compress, -s --small, -p --processes=, -b --blocksize=, -11, -i --independent, \
             --repetitive-best, --repetitive-fast, -T --no-time, -m",
        )]),
        compress,
        &[
            ex("gzip -9 a.log", &["move:workspace", "write:workspace"]),
            ex("gzip -c a.log > a.gz", &["write:workspace"]),
            ex("gunzip -k a.gz", &["write:workspace"]),
            ex("make | gzip", &["code:project", "write:workspace:recursive"]),
            ex("gzip -c ~/.ssh/id_rsa", &["read:secret"]),
        ],
    ),
    model(
        &["xz unxz lz4 unlz4 brotli lzop"],
        &gnu(&[list(
            "-z --compress, -d --decompress --uncompress, -t --test, -l --list, -k --keep, -f --force, -c --stdout --to-stdout, --single-stream, \
             --no-sparse, -S --suffix=, --files[=], --files0[=], -F --format=, -C --check=, --ignore-check, -0, -1, -2, -3, -4, -5, -6, -7, -8, -9 --best, \
             -e --extreme, -T --threads=, --block-size=, --block-list=, --flush-timeout=, --memlimit-compress=, -M --memlimit=, --no-adjust, \
             -q --quiet, -Q --no-warn, -v --verbose, --robot, -h, -H --long-help, -V, -m, -r, --rm, -B=, --fast[=], -j --rm2, -o --output=>, -w --lgwin=, --quality=",
        )]),
        compress,
        &[
            ex("xz -dk a.xz", &["write:workspace"]),
            ex("xz -T0 a.tar", &["move:workspace", "write:workspace"]),
        ],
    ),
    model(
        &["zstd", "unzstd", "zstdmt", "pzstd"],
        &gnu(&[list(
            "-d --decompress --uncompress, -z --compress, -c --stdout, -f --force, -k --keep, --rm, -o=>, -q --quiet, -v --verbose, -l --list, -t --test, \
             -r, -T[=], --threads=, -D=<, -1, -2, -3, -4, -5, -6, -7, -8, -9, -0, --fast[=], --ultra, --long[=], --adapt[=], --rsyncable, --no-check, --check, \
             --progress, --no-progress, --train, --maxdict=, --dictID=, -B=, -b=, -e=, -i=, --format=, -M=, --memory=, --output-dir-flat=>, --output-dir-mirror=>, \
             --exclude-compressed, --filelist=<, --size-hint=, --stream-size=, --patch-from=<, --sparse, --no-sparse, --single-thread, --auto-threads=, -h, -H, -V, -#[=]",
        )]),
        |report, parsed| {
            let output = parsed.has("-o")
                || parsed.has("--output-dir-flat")
                || parsed.has("-c")
                || parsed.has("-t")
                || parsed.has("-l");
            if parsed.has("--filelist") {
                report.not_understood("the names of its files stand in a list");
            }
            each_becomes(report, parsed, !output, parsed.has("--rm"));
        },
        &[
            ex("zstd -19 a.tar -o a.tar.zst", &["write:workspace"]),
            ex("zstd -d --rm a.zst", &["move:workspace", "write:workspace"]),
        ],
    ),
    model(
        &["7z", "7za", "7zr", "7zz", "p7zip"],
        &WORDS,
        seven_zip,
        &[
            ex("7z x a.7z -oout", &["write:workspace"]),
            ex("7z l a.7z", &[]),
            ex("7z a -p x.7z src", &["write:workspace"]),
            ex("7z a -sdel x.7z src", &["unmodelled", "write:workspace"]),
        ],
    ),
    model(
        &["cpio", "gcpio"],
        &gnu(&[list(
            "-o --create, -i --extract, -p --pass-through, -t --list, -d --make-directories, -v --verbose, -u --unconditional, -m --preserve-modification-time, \
             -0 --null, -a --reset-access-time, -A --append, -B, -c, -C --io-size=, -D --directory=>, -E --pattern-file=<, -F --file=, -O=>, -I=<, -H --format=, -l --link, \
             -L --dereference, -n --numeric-uid-gid, -r --rename, -R --owner=, --quiet, --rsh-command=!, -s --swap-bytes, -S, -V --dot, --no-absolute-filenames, --sparse, \
             --absolute-filenames, --to-stdout, --only-verify-crc, -f --nonmatching, -M --message=, --force-local, --block-size=, -b",
        )]),
        cpio,
        &[
            ex("cpio -idmv < a.cpio", &["write:unknown"]),
            ex("find . | cpio -o > a.cpio", &["write:workspace"]),
            ex(
                "cpio -i --rsh-command=/tmp/x -F host.example:/a",
                &["code:setting", "execute:temp", "network:send", "write:unknown", "code:file"],
            ),
        ],
    ),
    model(
        &["unrar rar unar lsar cabextract unace arj"],
        &WORDS,
        unknown,
        &[ex("unrar x a.rar", &["unmodelled"])],
    ),
];

/// The options of `tar`.
const TAR: Grammar = gnu(&[list(
    "-A --catenate --concatenate, -c --create, -d --diff --compare, --delete, -r --append, -t --list, --test-label, -u --update, -x --extract --get, \
     --check-device, -g --listed-incremental=>, -G --incremental, --hole-detection=, --ignore-failed-read, --level=, -n --seek, --no-check-device, \
     --no-seek, --occurrence[=], --sparse-version=, -S --sparse, --sort=, --add-file=<, -C --directory=, --exclude=, --exclude-backups, \
     --exclude-caches, --exclude-caches-all, --exclude-caches-under, --exclude-ignore=, --exclude-ignore-recursive=, --exclude-tag=, \
     --exclude-tag-all=, --exclude-tag-under=, --exclude-vcs, --exclude-vcs-ignores, --no-null, --no-recursion, --no-unquote, \
     --no-verbatim-files-from, --null, --recursion, -T --files-from=<, --unquote, --verbatim-files-from, -X --exclude-from=<, --anchored, \
     --ignore-case, --no-anchored, --no-ignore-case, --no-wildcards, --no-wildcards-match-slash, --wildcards, --wildcards-match-slash, \
     -k --keep-old-files, --keep-directory-symlink, --keep-newer-files, --no-overwrite-dir, --one-top-level[=], --overwrite, --overwrite-dir, \
     --recursive-unlink, --remove-files, --skip-old-files, -U --unlink-first, -W --verify, --ignore-command-error, --no-ignore-command-error, \
     -O --to-stdout, --to-command=!, --atime-preserve[=], --clamp-mtime, --delay-directory-restore, --group=, --group-map=<, --mode=, --mtime=, -m --touch, \
     --no-delay-directory-restore, --no-same-owner, --no-same-permissions, --numeric-owner, --owner=, --owner-map=<, \
     -p --preserve-permissions --same-permissions, --same-owner, -s --preserve-order --same-order, --set-mtime-command=!, --sort-by=, --acls, --no-acls, --no-selinux, --no-xattrs, \
     --selinux, --xattrs, --xattrs-exclude=, --xattrs-include=, -f --file=, --force-local, -F --info-script --new-volume-script=!, -L --tape-length=, \
     -M --multi-volume, --rmt-command=!, --rsh-command=!, --volno-file=>, -b --blocking-factor=, -B --read-full-records, -i --ignore-zeros, --record-size=, \
     -H --format=, --old-archive --portability, --pax-option=, --posix, -V --label=, -a --auto-compress, -I --use-compress-program=!, -j --bzip2, -J --xz, --lzip, \
     --lzma, --lzop, --no-auto-compress, -z --gzip --gunzip --ungzip, -Z --compress --uncompress, --zstd, --backup[=], --hard-dereference, \
     -h --dereference, -K --starting-file=, --newer-mtime=, -N --newer --after-date=, --one-file-system, -P --absolute-names, --suffix=, \
     --strip-components --strip=, --transform --xform=, --checkpoint[=], --checkpoint-action=, --full-time, --index-file=>, -l --check-links, \
     --no-quote-chars=, --quote-chars=, --quoting-style=, -R --block-number, --show-defaults, --show-omitted-dirs, --show-snapshot-field-ranges, \
     --show-transformed-names --show-stored-names, --totals[=], --utc, -v --verbose, --warning=, -w --interactive --confirmation, -o, -y, -?, --usage, \
     --disable-copyfile, --no-mac-metadata, --no-fflags, --uid=, --gid=, --uname=, --gname=, --options=, --include=",
)]);

/// The letters of an old first word, with the values that follow for some of them: `xzf a.tar`.
fn modern(words: &[Argument]) -> Option<Vec<Argument>> {
    let (first, rest) = words.split_first()?;
    let letters = first.value.as_known()?;
    let is_old = !letters.starts_with('-')
        && letters.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'0');
    if !is_old {
        return None;
    }
    let mut rest = rest.iter();
    let mut all = Vec::new();
    for letter in letters.chars() {
        let word = |text: String| Argument { value: Value::Known(text), ..first.clone() };
        all.push(word(format!("-{letter}")));
        if "bCfFgHIKLNTVX".contains(letter) {
            all.extend(rest.next().cloned());
        }
    }
    all.extend(rest.cloned());
    Some(all)
}

/// The effects of `tar`.
fn tar(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if let Some(arguments) = modern(&parsed.invocation.arguments) {
        let inner = Invocation { arguments, ..report.invocation.clone() };
        let parsed = grammar::parse(&inner, &TAR);
        super::report_unknown_words(report, &parsed, &[]);
        super::report_named_options(report, &parsed);
        packed(report, &parsed);
    } else {
        packed(report, parsed);
    }
}

/// Reports what options of `tar` run.
fn packed(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for action in parsed.values("--checkpoint-action") {
        let text = action.value.prefix();
        let harmless = ["dot", "echo", "bell", "ttyout", "totals", "wait", "sleep"];
        if !harmless.iter().any(|name| text.starts_with(name)) {
            let setting = "`--checkpoint-action` of `tar`".to_owned();
            report.at(Effect::Code { from: CodeFrom::Setting(setting) }, action.span.clone());
        }
    }
    let writes = ["-c", "-r", "-u", "-A", "--delete"].iter().any(|mode| parsed.has(mode));
    let extracts = parsed.has("-x");
    for archive in parsed.values("-f") {
        archive_file(report, archive, writes);
    }
    if writes {
        if let Some(list) = parsed.value("-T") {
            report.reads_listed(Some(list));
        }
        packs(report, parsed);
    }
    if extracts && !parsed.has("-O") {
        unpacks(report, parsed);
    }
    let any = writes
        || extracts
        || ["-t", "-d", "--test-label", "--show-defaults"].iter().any(|mode| parsed.has(mode));
    if !any && parsed.unknown.is_empty() && !parsed.operands.is_empty() {
        report.not_understood("what it does with the archive is not known");
    }
}

/// The folders that `-C` leads to, one from the other.
fn folders(report: &Report<'_>, parsed: &Parsed<'_>) -> Vec<Value> {
    let mut at = report.cwd.clone();
    let step = |folder: &Argument| {
        at = place::resolve(&folder.value, &at, report.env);
        at.clone()
    };
    parsed.values("-C").map(step).collect()
}

/// The most files of an archive that are reported one by one.
const MOST_PACKED: usize = 512;

/// Each file is looked for in each folder: which one counts is said by the order of words.
fn packs(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let mut all = folders(report, parsed);
    let first = |word: Option<&Argument>| word.map(|word| word.span.start);
    if all.is_empty() || first(parsed.operands.first()) <= first(parsed.values("-C").next()) {
        all.push(report.cwd.clone());
    }
    if all.len() > 1 && all.len() * parsed.operands.len() > MOST_PACKED {
        return report.not_understood("it packs files of too many folders");
    }
    for operand in &parsed.operands {
        let listed = behind(operand, "@").filter(|_| report.name() == "bsdtar");
        let operand = listed.as_ref().unwrap_or(operand);
        for folder in &all {
            let value = match &operand.value {
                Value::Unknown(_) => operand.value.clone(),
                known => place::resolve(known, folder, report.env),
            };
            let path = Argument { value, ..operand.clone() };
            report.tree(Access::Read, &path, true, false);
            if parsed.has("--remove-files") {
                report.tree(Access::Delete, &path, true, false);
            }
        }
    }
}

/// What is unpacked goes to the last folder, or with names to any of them.
fn unpacks(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let mut all = folders(report, parsed);
    if parsed.operands.is_empty() || all.is_empty() {
        let last = all.pop().unwrap_or_else(|| report.cwd.clone());
        all = vec![last];
    }
    let top = parsed.value("--one-top-level");
    let anywhere = parsed.has("-P");
    for folder in all {
        let folder =
            top.map_or(folder.clone(), |top| place::resolve(&top.value, &folder, report.env));
        let span = report.invocation.span.clone();
        extracted(report, Some(&Argument::new(folder, span)), anywhere);
    }
    // A dot may begin the name of what is run or believed.
    let renames =
        |word: &Argument| word.value.as_known().is_none_or(|text| text.contains(['.', '&', '\\']));
    if parsed.values("--transform").any(renames) {
        report.not_understood("the names of what it unpacks are changed");
    }
    if ["-g", "-G", "--recursive-unlink"].iter().any(|option| parsed.has(option)) {
        report.not_understood("it may delete what is not in the archive");
    }
}

/// An archive is read or written, here or on another machine.
fn archive_file(report: &mut Report<'_>, archive: &Argument, writes: bool) {
    let remote = super::address::remote_of_copy(&archive.value);
    if let Some(host) = remote.filter(|_| report.name() != "bsdtar") {
        let sends = if writes { Payload::Stdin } else { Payload::Text };
        report.add(Effect::Network { host, port: None, fetches: !writes, sends });
    } else if writes {
        report.writes(archive);
    } else {
        report.reads(archive);
    }
}

/// Files are made in a folder, with names that stand in an archive.
pub(super) fn extracted(report: &mut Report<'_>, folder: Option<&Argument>, anywhere: bool) {
    if anywhere {
        return report.writes_unknown();
    }
    let Some(folder) = folder else { return report.path(Access::Write, "extracted") };
    report.file(Access::Write, &within(folder, "extracted"));
    // What counts may lie below, such as hooks in the folder of a repository.
    let effect = report.file_effect(Access::Write, &folder.value, true, false);
    if matches!(&effect, Effect::File(file) if file.scope == Scope::VersionControl) {
        report.at(effect, folder.span.clone());
    }
}

/// The effects of `unzip`.
fn unzip(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if let Some(archive) = parsed.operands.first() {
        report.reads(archive);
    }
    let shows = ["-l", "-t", "-v", "-Z", "-z", "-p", "-c"].iter().any(|option| parsed.has(option));
    if !shows && report.name() == "unzip" {
        extracted(report, parsed.value("-d"), parsed.has("-:"));
    }
}

/// Each file is replaced by one with another ending.
fn compress(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let shows = ["-c", "-l", "-t"].iter().any(|option| parsed.has(option)) || parsed.has("-o");
    let keeps = parsed.has("-k") || matches!(report.name(), "lz4" | "unlz4" | "brotli" | "lzop");
    if parsed.has("--files") || parsed.has("--files0") {
        report.not_understood("the names of its files stand in a list");
    }
    each_becomes(report, parsed, !shows, (!keeps && !shows) || parsed.has("--rm"));
}

/// Reports that each operand becomes another file beside it, as `gzip` does it.
fn each_becomes(report: &mut Report<'_>, parsed: &Parsed<'_>, writes: bool, deletes: bool) {
    for operand in &parsed.operands {
        if operand.value.as_known() == Some("-") {
            continue;
        }
        report.tree(Access::Read, operand, parsed.has("-r"), false);
        if writes {
            report.file(Access::Write, operand);
        }
        if deletes {
            // Its content is in the new one.
            report.tree(Access::Move, operand, parsed.has("-r"), false);
        }
    }
}

/// The effects of `7z`.
fn seven_zip(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let mut operands = Vec::new();
    let mut folder = None;
    for word in &parsed.operands {
        let text = word.value.prefix();
        if let Some(out) = behind(word, "-o") {
            folder = Some(out);
        } else if text.starts_with("-i") || text.starts_with('@') || text.starts_with("-x@") {
            report.not_understood("it takes names from elsewhere");
        } else if !text.starts_with('-') {
            operands.push(word);
        } else if ![
            "-y", "-bd", "-bb", "-p", "-r", "-m", "-t", "-x", "-ao", "-aoa", "-aos", "-mx", "-mmt",
            "-slt", "-ssc", "-snl",
        ]
        .iter()
        .any(|known| text == *known || (text.starts_with(known) && known.len() == 2))
        {
            report.not_understood(format!("its option `{text}` is not known"));
        }
    }
    let Some((command, rest)) = operands.split_first() else { return };
    let Some((archive, files)) = rest.split_first() else { return };
    match command.value.as_known() {
        Some("x" | "e") => {
            report.reads(archive);
            extracted(report, folder.as_ref(), false);
        }
        Some("l" | "t" | "i" | "h" | "b") => report.reads(archive),
        Some("a" | "u" | "d" | "rn") => {
            report.writes(archive);
            for file in files {
                report.tree(Access::Read, file, true, false);
            }
        }
        _ => report.not_understood("its command is not known"),
    }
}

/// The effects of `cpio`.
fn cpio(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if let Some(archive) = parsed.value("-F") {
        archive_file(report, archive, parsed.has("-o"));
    }
    if parsed.has("-t") || parsed.has("--only-verify-crc") {
        return;
    }
    if parsed.has("-i") && !parsed.has("--to-stdout") {
        report.writes_unknown();
    }
    if parsed.has("-p") {
        writes(report, parsed);
    }
    if parsed.has("-o") || parsed.has("-p") {
        report.reads_listed(None);
    }
}
