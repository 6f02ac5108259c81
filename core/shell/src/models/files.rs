//! Programs that create, copy, move and delete files.
//!
//! The judge depends on these effects more than on any others, so they are exact: which operand is
//! the target, whether a tree is meant, and whether anything asks before it deletes.

use super::kinds::{
    WORDS, behind, ex, gnu, last_name, list, model, nothing, unknown, within, writes,
};
use crate::effect::{Access, Certainty, Effect, Scope};
use crate::invocation::Argument;
use crate::model::{Model, Parsed, Report};
use crate::place;
use crate::value::{Origin, Value};

/// The programs of this file, each with its options, its effects and its examples.
pub(super) const TABLE: &[Model] = &[
    model(
        &["rm", "grm", "srm"],
        &gnu(&[list(
            "-f --force, -i, -I, --interactive[=], --one-file-system, --no-preserve-root, \
             --preserve-root[=], -r -R --recursive, -d --dir, -v --verbose, -P, -W, -x",
        )]),
        rm,
        &[
            ex("rm a.txt", &["delete:workspace"]),
            ex("rm -rf build", &["delete:workspace:recursive:forced"]),
            ex("rm --recurs --forc /srv/data", &["delete:system:recursive:forced"]),
            ex("rm -rf -- ~/.cache/x", &["delete:home:recursive:forced"]),
            ex("rm -z x", &["delete:workspace", "unmodelled"]),
        ],
    ),
    model(
        &["cp", "gcp", "copy"],
        &gnu(&[list(
            "-a --archive, --attributes-only, --backup[=], -b, --copy-contents, -d, -f --force, \
             -i --interactive, -H, -l --link, -L --dereference, -n --no-clobber, -P --no-dereference, -p, \
             --preserve[=], --no-preserve=, --parents, -r -R --recursive, --reflink[=], \
             --remove-destination, --sparse=, --strip-trailing-slashes, -s --symbolic-link, -S --suffix=, \
             -t --target-directory=, -T --no-target-directory, -u --update[=], -v --verbose, \
             -x --one-file-system, -Z, --context[=], --keep-directory-symlink, --debug, -c, -X",
        )]),
        cp,
        &[
            ex("cp -r src dst", &["write:workspace"]),
            ex("cp x /etc/cron.hourly/", &["write:startup"]),
            ex("cp ~/.ssh/id_rsa /tmp/k", &["read:secret", "write:temp"]),
            ex("cp -t ~ .bashrc", &["write:startup"]),
            ex("cp /dev/zero /dev/sda", &["write:device"]),
        ],
    ),
    model(
        &["mv", "gmv", "move"],
        &gnu(&[list(
            "--backup[=], -b, --debug, --exchange, -f --force, -i --interactive, -n --no-clobber, -h, \
             --no-copy, --strip-trailing-slashes, -S --suffix=, -t --target-directory=, \
             -T --no-target-directory, --update[=], -u, -v --verbose, -Z --context",
        )]),
        mv,
        &[
            ex("mv a.txt b.txt", &["move:workspace", "write:workspace"]),
            ex(
                "mv /srv/x /dev/null",
                &["delete:system:recursive", "move:system", "write:harmless_device"],
            ),
        ],
    ),
    model(
        &["ln", "gln", "link"],
        &gnu(&[list(
            "--backup[=], -b, -d -F --directory, -f --force, -h, -i --interactive, -L --logical, \
             -n --no-dereference, -P --physical, -r --relative, -s --symbolic, -S --suffix=, \
             -t --target-directory=, -T --no-target-directory, -v --verbose, -w",
        )]),
        ln,
        &[
            ex("ln -s ../lib/x x", &["link:system", "write:workspace"]),
            ex("ln -sf /dev/null /etc/passwd", &["link:harmless_device", "write:system"]),
        ],
    ),
    model(
        &["mkdir", "gmkdir", "md"],
        &gnu(&[list("-m --mode=, -p --parents, -v --verbose, -Z, --context[=]")]),
        writes,
        &[ex("mkdir -p build/out", &["write:workspace"])],
    ),
    model(
        &["touch", "gtouch"],
        &gnu(&[list(
            "-a, -A=, -c --no-create, -d --date=, -f, -h --no-dereference, -m, -r --reference=<, -t=, --time=",
        )]),
        writes,
        &[ex("touch a.txt", &["write:workspace"])],
    ),
    model(
        &["install", "ginstall"],
        &gnu(&[list(
            "--backup[=], -b, -c, -C --compare, -d --directory, -D, -g --group=, -m --mode=, -o --owner=, \
             -p --preserve-timestamps, -s --strip, --strip-program=!, -S --suffix=, \
             -t --target-directory=, -T --no-target-directory, -v --verbose, --preserve-context, \
             -Z, --context[=], --debug, -U",
        )]),
        install,
        &[
            ex("install -m 755 x build/x", &["write:workspace"]),
            ex("install -d out", &["write:workspace"]),
            ex("install -m4755 sh /usr/bin/x", &["privilege", "write:system"]),
        ],
    ),
    model(
        &["dd", "gdd", "dcfldd"],
        &WORDS,
        dd,
        &[
            ex("dd bs=1M if=/dev/zero of=/dev/sda", &["write:device"]),
            ex("dd if=a of=b count=1 conv=notrunc", &["write:workspace"]),
            ex("dd frob=1", &["unmodelled"]),
        ],
    ),
    model(
        &["truncate", "gtruncate"],
        &gnu(&[list("-c --no-create, -o --io-blocks, -r --reference=<, -s --size=")]),
        writes,
        &[ex("truncate --size=0 /etc/passwd", &["write:system"])],
    ),
    model(
        &["fallocate"],
        &gnu(&[list(
            "-c --collapse-range, -d --dig-holes, -i --insert-range, -l --length=, -n --keep-size, \
             -o --offset=, -p --punch-hole, -x --posix, -z --zero-range, -v --verbose, -h, -V",
        )]),
        writes,
        &[ex("fallocate -l 1G big.img", &["write:workspace"])],
    ),
    model(
        &["shred", "wipe", "gshred"],
        &gnu(&[list(
            "-f --force, -n --iterations=, --random-source=<, -s --size=, -u, --remove[=], -v --verbose, \
             -x --exact, -z --zero",
        )]),
        shred,
        &[
            ex("shred -u /srv/data/db", &["delete:system:forced", "write:system"]),
            ex("shred /dev/sda", &["delete:device:forced", "write:device"]),
        ],
    ),
    model(
        &["tee", "gtee"],
        &gnu(&[list("-a --append, -i --ignore-interrupts, -p, --output-error[=]")]),
        writes,
        &[
            ex(
                "make | tee build.log",
                &["write:workspace", "code:project", "write:workspace:recursive"],
            ),
            ex("tee /dev/sda < /dev/zero", &["write:device"]),
            ex("tee -a ~/.bashrc", &["write:startup"]),
        ],
    ),
    model(
        &["sponge"],
        &gnu(&[list("-a")]),
        writes,
        &[ex("sort x | sponge x", &["write:workspace"])],
    ),
    model(
        &["split", "gsplit"],
        &gnu(&[list(
            "-a --suffix-length=, --additional-suffix=, -b --bytes=, -C --line-bytes=, -d, \
             --numeric-suffixes[=], -x, --hex-suffixes[=], -e --elide-empty-files, --filter=!, -l --lines=, \
             -n --number=, -t --separator=, -u --unbuffered, --verbose, -p=, -#[=]",
        )]),
        split,
        &[
            ex("split -l 100 big.csv part_", &["write:workspace"]),
            ex("split big.csv", &["write:workspace"]),
            ex(
                "split --filter='rm -rf /srv' big",
                &["code:setting", "delete:system:recursive:forced", "write:workspace"],
            ),
        ],
    ),
    model(
        &["csplit", "gcsplit"],
        &gnu(&[list(
            "-b --suffix-format=, -f --prefix=, -k --keep-files, --suppress-matched, -n --digits=, \
             -s --quiet --silent, -z --elide-empty-files",
        )]),
        csplit,
        &[
            ex("csplit -f part log.txt /x/", &["write:workspace"]),
            ex("csplit -f '' -b .git/hooks/pre-commit%.0d f 1", &["write:version_control"]),
        ],
    ),
    model(
        &["mktemp", "gmktemp"],
        &gnu(&[list("-d --directory, -u --dry-run, -q --quiet, --suffix=, -p=, --tmpdir[=], -t")]),
        mktemp,
        &[
            ex("mktemp -d", &["write:temp"]),
            ex("mktemp /tmp/x.XXXX", &["write:temp"]),
            ex("mktemp ./x.XXXX", &["write:workspace"]),
            ex("mktemp -p out x.XXXX", &["write:workspace"]),
            ex("mktemp -p . ../../home/user/.bashrcXXXX", &["write:home"]),
        ],
    ),
    model(
        &["mkfifo", "gmkfifo"],
        &gnu(&[list("-m --mode=, -Z, --context[=]")]),
        writes,
        &[ex("mkfifo /tmp/p", &["write:temp"])],
    ),
    model(
        &["mknod", "gmknod"],
        &gnu(&[list("-m --mode=, -Z, --context[=]")]),
        mknod,
        &[
            ex("mknod /tmp/p p", &["write:temp"]),
            ex("mknod /tmp/d b 8 0", &["device", "write:temp"]),
        ],
    ),
    model(
        &["rmdir", "grmdir", "rd"],
        &gnu(&[list("-p --parents, -v --verbose, --ignore-fail-on-non-empty")]),
        rmdir,
        &[
            ex("rmdir -p a/b", &["delete:workspace"]),
            ex("rmdir /s /q data", &["delete:workspace:recursive:forced"]),
        ],
    ),
    model(&["rename", "prename"], &WORDS, unknown, &[ex("rename s/a/b/ x", &["unmodelled"])]),
    model(
        &["trash", "trash-put", "gio-trash"],
        &gnu(&[list(
            "-v --verbose, -F, -f --force, -i --interactive, -r --recursive, -d --directory",
        )]),
        |report, parsed| each(report, parsed, Access::Move),
        &[ex("trash build", &["move:workspace"])],
    ),
    model(
        &["sync", "fsync"],
        &gnu(&[list("-d --data, -f --file-system")]),
        nothing,
        &[ex("sync", &[])],
    ),
];

/// It does this to each operand.
fn each(report: &mut Report<'_>, parsed: &Parsed<'_>, access: Access) {
    for operand in &parsed.operands {
        report.file(access, operand);
    }
}

/// It deletes the files that its operands name.
pub(super) fn deletes(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    each(report, parsed, Access::Delete);
}

/// The effects of `rm`.
fn rm(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for operand in &parsed.operands {
        report.tree(Access::Delete, operand, parsed.has("-r"), parsed.has("-f"));
    }
}

/// The sources of a copy, and where they go, with `-t folder` and `a b folder` alike.
pub(super) fn sources_and_target<'p>(
    parsed: &'p Parsed<'_>,
) -> Option<(&'p [Argument], &'p Argument, bool)> {
    if let Some(folder) = parsed.value("-t") {
        return Some((&parsed.operands, folder, true));
    }
    let (target, sources) = parsed.operands.split_last()?;
    let many = sources.len() > 1 || sources.iter().any(|source| source.many);
    Some((sources, target, many && !parsed.has("-T")))
}

/// Writes what each source becomes: the target, or a file of its name within it.
pub(super) fn write_copies(
    report: &mut Report<'_>,
    sources: &[Argument],
    target: &Argument,
    is_folder: bool,
) {
    let surely = is_folder || is_surely_folder(report, target);
    if !surely || sources.is_empty() {
        report.file(Access::Write, target);
    }
    for source in sources {
        let Some(name) = last_name(source) else {
            report.file(Access::Write, target);
            continue;
        };
        let inner = within(target, name);
        if surely {
            report.file(Access::Write, &inner);
            continue;
        }
        // The target may be a folder; that counts where it makes a difference.
        let (Effect::File(whole), Effect::File(part)) = (
            report.file_effect(Access::Write, &target.value, false, false),
            report.file_effect(Access::Write, &inner.value, false, false),
        ) else {
            continue;
        };
        let is_folder =
            !matches!(whole.scope, Scope::Device | Scope::HarmlessDevice | Scope::Unknown);
        if part.scope != whole.scope && is_folder && part.scope != Scope::Secret {
            report.found.push((Effect::File(part), Certainty::May, target.span.clone()));
        }
    }
}

/// True for what is surely a folder: `x/`, `.`, the home folder.
fn is_surely_folder(report: &Report<'_>, target: &Argument) -> bool {
    let Some(text) = target.value.as_known() else { return false };
    if text.ends_with('/') || matches!(text.rsplit('/').next(), Some("." | "..")) {
        return true;
    }
    let path = place::resolve(&target.value, &report.invocation.cwd, report.env);
    let Some(path) = path.as_known() else { return false };
    let env = report.env;
    path == env.home || env.workspace.iter().chain(&env.temp).any(|root| root == path)
}

/// The effects of `cp`.
fn cp(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let Some((sources, target, is_folder)) = sources_and_target(parsed) else { return };
    let recursive = parsed.has("-r") || parsed.has("-a");
    for source in sources {
        let access = if parsed.has("-l") || parsed.has("-s") { Access::Link } else { Access::Read };
        report.tree(access, source, recursive, false);
    }
    write_copies(report, sources, target, is_folder);
}

/// The effects of `mv`.
fn mv(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let Some((sources, target, is_folder)) = sources_and_target(parsed) else { return };
    for source in sources {
        report.file(Access::Move, source);
        if target.value.as_known() == Some("/dev/null") {
            report.tree(Access::Delete, source, true, false);
        }
    }
    write_copies(report, sources, target, is_folder);
}

/// The effects of `ln`.
fn ln(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if let [only] = &parsed.operands[..]
        && !parsed.has("-t")
    {
        report.file(Access::Link, only);
        if let Some(name) = last_name(only) {
            report.path(Access::Write, name);
        }
        return;
    }
    let Some((sources, target, is_folder)) = sources_and_target(parsed) else { return };
    for source in sources {
        report.file(Access::Link, source);
    }
    write_copies(report, sources, target, is_folder);
}

/// The effects of `install`.
fn install(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if parsed.value("-m").is_some_and(super::modes::gives_rights) {
        report.add(Effect::Privilege { how: "install -m".to_owned() });
    }
    if parsed.has("-d") {
        return writes(report, parsed);
    }
    let Some((sources, target, is_folder)) = sources_and_target(parsed) else { return };
    for source in sources {
        report.file(Access::Read, source);
    }
    write_copies(report, sources, target, is_folder);
}

/// The effects of `dd`.
fn dd(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    /// Operands of `dd` that name no file.
    const OTHERS: &[&str] = &[
        "bs=", "cbs=", "conv=", "count=", "ibs=", "iflag=", "obs=", "oflag=", "seek=", "skip=",
        "status=", "oseek=", "iseek=", "speed=", "files=", "fillchar=",
    ];
    for operand in &parsed.operands {
        if let Some(file) = behind(operand, "if=") {
            report.file(Access::Read, &file);
        } else if let Some(file) = behind(operand, "of=") {
            report.file(Access::Write, &file);
        } else if !OTHERS.iter().any(|name| operand.value.prefix().starts_with(name)) {
            report.not_understood("an operand of it is not known");
        }
    }
}

/// The effects of `shred`.
fn shred(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for operand in &parsed.operands {
        report.file(Access::Write, operand);
        report.tree(Access::Delete, operand, false, true);
    }
}

/// The effects of `split`.
fn split(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if let Some(input) = parsed.operands.first() {
        report.reads(input);
    }
    match parsed.operands.get(1) {
        Some(prefix) => report.file(Access::Write, prefix),
        None => report.path(Access::Write, "xaa"),
    }
}

/// The effects of `csplit`.
fn csplit(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if let Some(input) = parsed.operands.first() {
        report.reads(input);
    }
    let prefix = parsed.value("-f").map_or(Value::known("xx"), |word| word.value.clone());
    let Some(format) = parsed.value("-b") else {
        let name = prefix.then(Value::known("00"));
        let effect = report.file_effect(Access::Write, &name, false, false);
        return report.add(effect);
    };
    // Where the number stands in the name, the end begins.
    let text = format.value.prefix();
    let (start, end) = text.split_once('%').unwrap_or((text, ""));
    if end.contains('/') || format.value.as_known().is_none() {
        report.not_understood("the names of its files lead elsewhere");
    }
    let name = prefix.then(Value::known(start)).then(Value::Unknown(Origin::Picked));
    let effect = report.file_effect(Access::Write, &name, false, false);
    report.at(effect, format.span.clone());
}

/// The effects of `mktemp`.
fn mktemp(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if parsed.has("-u") {
        return;
    }
    let template = parsed.operands.first();
    let folder = parsed.value("-p").or(parsed.value("--tmpdir"));
    let in_temp = parsed.has("-t") || parsed.has("--tmpdir") || template.is_none();
    match (folder, template) {
        (Some(folder), template) => {
            let folder = place::resolve(&folder.value, &report.cwd, report.env);
            let name = Value::known("tmp.XXXXXX");
            let name = template.map_or(&name, |template| &template.value);
            let path = place::resolve(name, &folder, report.env);
            let effect = report.file_effect(Access::Write, &path, false, false);
            report.add(effect);
        }
        (None, Some(template)) if !in_temp => report.file(Access::Write, template),
        _ => {
            let folder = report.env.temp.first().cloned().unwrap_or_else(|| "/tmp".to_owned());
            report.path(Access::Write, &format!("{folder}/tmp.XXXXXX"));
        }
    }
}

/// The effects of `mknod`.
fn mknod(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if let Some(path) = parsed.operands.first() {
        report.file(Access::Write, path);
    }
    if parsed.operands.get(1).is_some_and(|kind| kind.value.as_known() != Some("p")) {
        report.add(Effect::Device { what: "mknod".to_owned() });
    }
}

/// On Windows `/s` takes all that is below, and `/q` does not ask.
fn rmdir(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let is = |word: &Argument, switch: &str| {
        word.value.as_known().is_some_and(|text| text.eq_ignore_ascii_case(switch))
    };
    let recursive = parsed.operands.iter().any(|word| is(word, "/s"));
    let quiet = parsed.operands.iter().any(|word| is(word, "/q"));
    for operand in parsed.operands.iter().filter(|word| !is(word, "/s") && !is(word, "/q")) {
        report.tree(Access::Delete, operand, recursive, quiet);
    }
    if recursive && parsed.operands.iter().all(|word| is(word, "/s") || is(word, "/q")) {
        report.tree(Access::Delete, &parsed.operands[0], true, quiet);
    }
}
