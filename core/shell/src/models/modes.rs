//! Programs that change the owner and the mode of files.

use super::kinds::{changes_metadata, ex, gnu, list, lists, model, nothing, reads};
use crate::effect::{Access, Effect};
use crate::invocation::Argument;
use crate::model::{Model, Parsed, Report};

/// The programs of this file, each with its options, its effects and its examples.
pub(super) const TABLE: &[Model] = &[
    model(
        &["chmod", "gchmod"],
        &gnu(&[list(
            "-c --changes, -f --silent --quiet, -v --verbose, --no-preserve-root, --preserve-root, \
             --reference=<, -R --recursive, -h --no-dereference, -H, -L, -P, --dereference, \
             -r, -w, -x, -X, -s, -t, -u, -g, -o, -a",
        )]),
        chmod,
        &[
            ex("chmod +x run.sh", &["meta:workspace"]),
            ex("chmod -x run.sh", &["meta:workspace"]),
            ex("chmod 777 -R /", &["meta:workspace_root:recursive"]),
            ex("chmod u+s /bin/bash", &["meta:system", "privilege"]),
            ex("chmod 4755 x", &["meta:workspace", "privilege"]),
        ],
    ),
    model(
        &["chown", "chgrp", "gchown", "gchgrp"],
        &gnu(&[list(
            "-c --changes, -f --silent --quiet, -v --verbose, --dereference, -h --no-dereference, --from=, \
             --no-preserve-root, --preserve-root, --reference=<, -R --recursive, -H, -L, -P, -n, -x",
        )]),
        chown,
        &[
            ex("chown -R me:me build", &["meta:workspace:recursive"]),
            ex("chown --reference=a /etc/passwd", &["meta:system"]),
        ],
    ),
    model(
        &["chattr", "chflags"],
        &gnu(&[list(
            "-R, -V, -f, -v=, -p=, -h, -i, -a, -e, -A, -c, -C, -d, -D, -j, -m, -P, -s, -S, -t, -T, -u, -x, -F",
        )]),
        after_first,
        &[
            ex("chattr +i /etc/passwd", &["meta:system"]),
            ex("chattr -R -i x", &["meta:workspace:recursive"]),
        ],
    ),
    model(
        &["lsattr"],
        &gnu(&[list("-R, -V, -a, -d, -v, -p, -l")]),
        lists,
        &[ex("lsattr -d .", &[])],
    ),
    model(
        &["setfacl"],
        &gnu(&[list(
            "-b --remove-all, -k --remove-default, -n --no-mask, --mask, -d --default, -R --recursive, \
             -L --logical, -P --physical, --test, -m --modify=, -x --remove=, --set=, -M --modify-file=<, \
             -X --remove-file=<, --set-file=<, --restore=<, -v",
        )]),
        setfacl,
        &[ex("setfacl -R -m u:x:rwx .", &["meta:workspace_root:recursive"])],
    ),
    model(
        &["getfacl"],
        &gnu(&[list(
            "-a --access, -d --default, -c --omit-header, -e --all-effective, -E --no-effective, \
             -s --skip-base, -R --recursive, -L --logical, -P --physical, -t --tabular, -p --absolute-names, \
             -n --numeric",
        )]),
        lists,
        &[ex("getfacl -R src", &[])],
    ),
    model(
        &["setcap"],
        &gnu(&[list("-q, -v, -n=, -r, -f, -h, -")]),
        setcap,
        &[ex("setcap cap_net_raw+ep x", &["meta:workspace", "privilege"])],
    ),
    model(&["getcap"], &gnu(&[list("-r, -v, -n, -h")]), lists, &[ex("getcap -r /usr/bin", &[])]),
    model(
        &["setfattr", "xattr"],
        &gnu(&[list(
            "-n --name=, -v --value[=], -x --remove=, -h --no-dereference, --restore=<, -w, -d, -p, -c, -r, -l, -s",
        )]),
        changes_metadata,
        &[ex("xattr -c App.app", &["meta:workspace"])],
    ),
    model(
        &["getfattr"],
        &gnu(&[list(
            "-n --name=, -d --dump, -e --encoding=, -h --no-dereference, -m --match=, --absolute-names, \
             --only-values, -R --recursive, -L --logical, -P --physical",
        )]),
        reads,
        &[ex("getfattr -d a.txt", &[])],
    ),
    model(
        &["chcon", "restorecon"],
        &gnu(&[list(
            "-R --recursive, -h --no-dereference, --dereference, -v --verbose, -u --user=, -r --role=, \
             -t --type=, -l --range=, --reference=<, -F, -n, -i, -H, -L, -P",
        )]),
        changes_metadata,
        &[ex("restorecon -Rv src", &["meta:workspace"])],
    ),
    model(&["umask"], &gnu(&[list("-S, -p")]), nothing, &[ex("umask 022", &[])]),
];

/// True for a mode with which others run a file with its owner's or group's rights.
pub(super) fn gives_rights(mode: &Argument) -> bool {
    let Some(text) = mode.value.as_known() else { return false };
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return u32::from_str_radix(text, 8).is_ok_and(|mode| mode & 0o6000 != 0);
    }
    text.split(',').any(|part| part.find(['+', '=']).is_some_and(|at| part[at..].contains('s')))
}

/// The effects of `chmod`.
fn chmod(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    // `-x` takes a right away, and is the mode.
    let letters = ["-r", "-w", "-x", "-X", "-s", "-t", "-u", "-g", "-o", "-a"];
    let has_mode = parsed.has("--reference") || letters.iter().any(|letter| parsed.has(letter));
    let mut files = &parsed.operands[..];
    if !has_mode && let Some((mode, rest)) = parsed.operands.split_first() {
        files = rest;
        if gives_rights(mode) {
            report.at(Effect::Privilege { how: "chmod".to_owned() }, mode.span.clone());
        }
    }
    for file in files {
        report.tree(Access::Meta, file, parsed.has("-R"), false);
    }
}

/// The effects of `chown`.
fn chown(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let skip = usize::from(!parsed.has("--reference"));
    for file in parsed.operands.iter().skip(skip) {
        report.tree(Access::Meta, file, parsed.has("-R"), false);
    }
}

/// Reports a change of mode of every operand but the first, which is the mode.
fn after_first(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let flags =
        parsed.options.iter().filter(|(id, _)| !["-R", "-V", "-f", "-v", "-p", "-h"].contains(id));
    let skip = usize::from(flags.count() == 0);
    for file in parsed.operands.iter().skip(skip) {
        report.tree(Access::Meta, file, parsed.has("-R"), false);
    }
}

/// The effects of `setfacl`.
fn setfacl(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for file in &parsed.operands {
        report.tree(Access::Meta, file, parsed.has("-R"), false);
    }
}

/// The effects of `setcap`.
fn setcap(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    report.add(Effect::Privilege { how: "setcap".to_owned() });
    let skip = usize::from(!parsed.has("-r"));
    for file in parsed.operands.iter().skip(skip) {
        report.file(Access::Meta, file);
    }
}
