//! Programs that look at files and folders: `ls`, `stat`, `du`, `file`, `tree`, `diff`, …
//!
//! They read or list their operands, or the working folder without any.

use super::kinds::{WORDS, ex, gnu, list, lists, model, nothing, posix, reads, unknown};
use crate::effect::{Access, CodeFrom, Effect};
use crate::invocation::Argument;
use crate::model::{Grammar, Model, Parsed, Report};
use crate::place;

/// The programs of this file, each with its options, its effects and its examples.
pub(super) const TABLE: &[Model] = &[
    model(
        &["ls", "gls", "dir", "vdir", "ll"],
        &LS,
        lists,
        &[
            ex("ls -la --color=auto src", &[]),
            ex("ls -lhtr", &[]),
            ex("ls ~/.ssh", &["list:secret"]),
            ex("ls --frobnicate", &["unmodelled"]),
        ],
    ),
    model(
        &["eza", "exa", "lsd"],
        &gnu(&[list(
            "-1 --oneline, -G --grid, -l --long, -x --across, -R --recurse, -T --tree, --icons[=], \
             --color --colour[=], --classify, -F, -a --all, -A --almost-all, -d --list-dirs, -L --level=, \
             -r --reverse, -s --sort=, --group-directories-first, -D --only-dirs, -f --only-files, \
             --git-ignore, -I --ignore-glob=, -b --binary, -B --bytes, -g --group, -h --header, -H --links, \
             -i --inode, -m --modified, -M --mounts, -n --numeric, -S --blocksize, -t --time=, -u --accessed, \
             -U --created, --time-style=, --no-permissions, --no-filesize, --no-user, --no-time, --git, -@ --extended, \
             --hyperlink, --total-size, --no-git, --absolute, -X --dereference, -Z --context, -v --version, -?",
        )]),
        lists,
        &[ex("eza -la --git --tree --level=2 src", &[])],
    ),
    model(
        &["stat", "gstat"],
        &gnu(&[list(
            "-L --dereference, -f --file-system, -c --format=, --printf=, -t --terse, --cached=, -x, -s, -n, \
             -q, -F, -l, -r",
        )]),
        lists,
        &[ex("stat -c %a /etc/passwd", &[])],
    ),
    model(
        &["du", "gdu"],
        &gnu(&[list(
            "-0 --null, -a --all, --apparent-size, -b --bytes, -B --block-size=, -c --total, \
             -D --dereference-args, -d --max-depth=, --files0-from=<, -H, -h --human-readable, --inodes, -k, \
             -L --dereference, -l --count-links, -m, -P --no-dereference, -S --separate-dirs, --si, -s --summarize, \
             -t --threshold=, --time[=], --time-style=, -X --exclude-from=<, --exclude=, -x --one-file-system, \
             -g, -A, -I=, -n, -r",
        )]),
        lists,
        &[ex("du -sh * | sort -h", &[]), ex("du -h --max-depth=1 .", &[])],
    ),
    model(
        &["df", "gdf"],
        &gnu(&[list(
            "-a --all, -B --block-size=, -h --human-readable, -H --si, -i --inodes, -k, -l --local, -m, --no-sync, \
             --output[=], -P --portability, --sync, --total, -t --type=, -T --print-type, -x --exclude-type=, -v, -g, \
             -b, -n, -Y",
        )]),
        nothing,
        &[ex("df -hT /", &[])],
    ),
    model(
        &["file"],
        &gnu(&[list(
            "-b --brief, -C --compile, -c --checking-printout, -d, -E, --extension, -F --separator=, \
             -f --files-from=<, -h --no-dereference, -I, -i --mime, --mime-type, --mime-encoding, \
             -k --keep-going, -L --dereference, -l --list, -m --magic-file=<, -N --no-pad, -n --no-buffer, \
             -P --parameter=, -p --preserve-date, -r --raw, -s --special-files, -S --no-sandbox, -v, -e --exclude=, \
             --exclude-quiet=, -z --uncompress, -Z --uncompress-noreport, -0 --print0",
        )]),
        |report, parsed| {
            reads(report, parsed);
            // It writes the magic that it compiles.
            if parsed.has("-C") {
                report.path(Access::Write, "magic.mgc");
            }
        },
        &[ex("file a.out", &[]), ex("file -f /etc/shadow", &["read:secret"])],
    ),
    model(
        &["tree"],
        &TREE,
        |report, parsed| {
            // With this option they are lists of names, which it shows.
            if parsed.has("--fromfile") {
                reads(report, parsed);
            }
            lists(report, parsed);
        },
        &[ex("tree -L 2 -I node_modules", &[]), ex("tree -o out.txt", &["write:workspace"])],
    ),
    model(
        &["realpath", "readlink", "grealpath", "greadlink"],
        &gnu(&[list(
            "-e --canonicalize-existing, -f --canonicalize, -m --canonicalize-missing, -L --logical, -P --physical, \
             -q --quiet --silent, --relative-to=, --relative-base=, -s --strip --no-symlinks, -z --zero, \
             -n --no-newline, -v --verbose",
        )]),
        lists,
        &[ex("readlink -f ./x", &[]), ex("realpath --relative-to=. src", &[])],
    ),
    model(
        &["basename", "gbasename"],
        &gnu(&[list("-a --multiple, -s --suffix=, -z --zero")]),
        nothing,
        &[ex("basename /a/b.c .c", &[])],
    ),
    model(&["dirname", "gdirname"], &gnu(&[list("-z --zero")]), nothing, &[ex("dirname a/b", &[])]),
    model(
        &["pathchk"],
        &gnu(&[list("-p, -P, --portability")]),
        nothing,
        &[ex("pathchk -p a", &[])],
    ),
    model(
        &["namei", "lsof"],
        &posix(&[list(
            "-x --mountpoints, -m --modes, -o --owners, -l --long, -n --nosymlinks, -v --vertical, -Z --context, \
             -i[=], -t, -P, -p=, -u=, -c=, -d=, -a, -F[=], -s[=], -r[=], -U, -N, -b, -w, -R, -T[=], -g[=], -e=, -L, -S[=], -h, -V, -C, -K[=], -M, -O, -X, -E, -f[=], +D=, +d=",
        )]),
        lists,
        &[ex("lsof -i :8080 -t", &[]), ex("lsof -nP -iTCP -sTCP:LISTEN", &[])],
    ),
    model(
        &["diff", "gdiff", "colordiff", "sdiff"],
        &DIFF,
        |report, parsed| {
            for operand in &parsed.operands {
                if operand.value.as_known() != Some("-") {
                    report.tree(Access::Read, operand, parsed.has("-r"), false);
                }
            }
        },
        &[
            ex("diff -ru a b", &[]),
            ex("diff -u --color=always <(sort a) b", &[]),
            ex("diff --from-file=/etc/shadow x", &["read:secret"]),
        ],
    ),
    model(
        &["diff3"],
        &gnu(&[list(
            "-A --show-all, -e --ed, -E --show-overlap, -3 --easy-only, -x --overlap-only, -X, -i, -m --merge, -a --text, \
             --strip-trailing-cr, -T --initial-tab, --diff-program=!, -L --label=",
        )]),
        reads,
        &[ex("diff3 -m a b c", &[])],
    ),
    model(
        &["cmp"],
        &gnu(&[list(
            "-b --print-bytes, -i --ignore-initial=, -l --verbose, -n --bytes=, -s --quiet --silent, -h, -z",
        )]),
        |report, parsed| {
            for operand in parsed.operands.iter().take(2) {
                report.reads(operand);
            }
        },
        &[ex("cmp -s a b", &[])],
    ),
    model(
        &["delta", "difft", "icdiff"],
        &gnu(&[list(
            "-s --side-by-side, -n --line-numbers, --color-only, --width=, --color=, --display=, --dark, --light, --paging=",
        )]),
        reads,
        &[ex("delta -s a b", &[])],
    ),
    model(
        &["diffstat", "lsdiff", "filterdiff"],
        &gnu(&[list(
            "-p=, -b, -c, -C, -D=, -k, -l, -m, -n=, -q, -r=, -s, -t, -u, -v, -w=, -f=, -h, -e=",
        )]),
        reads,
        &[ex("diffstat -p1 x.patch", &[])],
    ),
    model(
        &["patch", "gpatch"],
        &PATCH,
        patch,
        &[
            ex("patch -p1 < x.patch", &["write:workspace"]),
            ex("patch --dry-run -p1 -i x.patch", &[]),
            ex("patch /etc/passwd x.patch", &["write:system"]),
        ],
    ),
    model(
        &["ldd"],
        &gnu(&[list("-v --verbose, -u --unused, -r --function-relocs, -d --data-relocs")]),
        |report, parsed| {
            // It lets the loader that a program names run.
            for operand in &parsed.operands {
                report.file(Access::Execute, operand);
                report.add(Effect::Code { from: CodeFrom::File });
            }
        },
        &[ex("ldd ./app", &["code:file", "execute:workspace"])],
    ),
    model(
        &["objcopy", "patchelf", "install_name_tool", "codesign"],
        &WORDS,
        unknown,
        &[ex("objcopy a b", &["unmodelled"])],
    ),
    model(
        &["cloc"],
        &gnu(&[list(
            "--by-file, --by-file-by-lang, --by-percent=, --exclude-dir=, --exclude-lang=, --exclude-ext=, --include-lang=, \
             --include-ext=, --json, --csv, --md, --yaml, --xml, --quiet, -q, --hide-rate, --progress-rate=, --git, --diff, \
             --count-and-diff, --fullpath, --match-d=, --match-f=, --not-match-d=, --not-match-f=, --vcs=, --out=>, \
             --report-file=>, --ignored=>, --counted=>, --found=>, --list-file=<, --exclude-list-file=<, --processes=, \
             --timeout=, --max-file-size=, --skip-uniqueness, --follow-links, --docstring-as-code, --show-lang[=], \
             --show-ext[=], --3, --sum-reports, -h",
        )]),
        |report, parsed| {
            lists(report, parsed);
            // Any other word is a command.
            let own =
                |word: &Argument| matches!(word.value.as_known(), Some("git" | "svn" | "auto"));
            if !parsed.values("--vcs").all(own) {
                report.not_understood("it runs a command to find files");
            }
        },
        &[
            ex("cloc --exclude-dir=node_modules .", &[]),
            ex("cloc --vcs=git .", &[]),
            ex("cloc --vcs='id; git ls-files' .", &["unmodelled"]),
        ],
    ),
    model(
        &["tokei"],
        &gnu(&[list(
            "-c --columns=, -C --compact, -e --exclude=, -f --files, -h, --hidden, -i --input=<, -l --languages, \
             --no-ignore, --no-ignore-dot, --no-ignore-parent, --no-ignore-vcs, -n --num-format=, -o --output=, -r --rsort=, \
             -s --sort=, --streaming=, -t --type --types=, -v --verbose, -V",
        )]),
        lists,
        &[ex("tokei -o json src", &[])],
    ),
    model(
        &["scc", "sloccount"],
        &gnu(&[list(
            "-a --avg-wage=, --binary, --by-file, --ci, --cocomo-project-type=, --count-as=, --debug, --duplicates, \
             --exclude-dir=, -x --exclude-ext=, -n --exclude-file=, -f --format=, --gen, --generated-markers=, -h, \
             -i --include-ext=, --include-symlinks, -l --languages, --large-byte-count=, --large-line-count=, --min, \
             -z --min-gen, --min-gen-line-length=, --no-cocomo, -c --no-complexity, -d --no-duplicates, --no-gen, \
             --no-gitignore, --no-ignore, --no-large, --no-min, --no-min-gen, --no-size, -M --not-match=, -o --output=>, \
             --size-unit=, -s --sort=, -t --trace, -v --verbose, -w --wide",
        )]),
        lists,
        &[ex("scc --format json src", &[]), ex("scc -o ~/.bashrc", &["write:startup"])],
    ),
    model(
        &["ncdu", "dust", "duf", "dua", "dfc"],
        &gnu(&[list(
            "-x, -r, -n=, -d=, -b, -c, -f, -s, -h, -a --all, -R, -X=, -p, -H, -o=>, --color=, --only=, --hide=",
        )]),
        lists,
        &[ex("dust -d 2", &[])],
    ),
];

/// The options of `ls`.
const LS: Grammar = gnu(&[list(
    "-a --all, -A --almost-all, --author, -b --escape, --block-size=, -B --ignore-backups, -c, -C, --color[=], \
     -d --directory, -D --dired, -f, -F --classify[=], --file-type, --format=, --full-time, -g, \
     --group-directories-first, -G --no-group, -h --human-readable, --si, -H --dereference-command-line, \
     --dereference-command-line-symlink-to-dir, --hide=, --hyperlink[=], --indicator-style=, -i --inode, -I --ignore=, \
     -k --kibibytes, -l, -L --dereference, -m, -n --numeric-uid-gid, -N --literal, -o, -p, -q --hide-control-chars, \
     --show-control-chars, -Q --quote-name, --quoting-style=, -r --reverse, -R --recursive, -s --size, -S, --sort=, \
     --time=, --time-style=, -t, -T[=], --tabsize=, -u, -U, -v, -w=, --width=, -x, -X, -Z --context, --zero, -1, -@, -e, -O, -%, -,",
)]);

/// The options of `tree`.
const TREE: Grammar = gnu(&[list(
    "-a, -d, -f, -i, -l, -x, -L=, -P=, -I=, --gitignore, --gitfile=<, --ignore-case, --matchdirs, --metafirst, \
     --prune, --info, --infofile=<, --noreport, --charset=, --filelimit=, --si, -q, -N, -Q, -p, -u, -g, -s, -h, -D, \
     --timefmt=, -F, --inodes, --device, -v, -t, -c, -U, -r, --dirsfirst, --filesfirst, --sort[=], -S, -A, -n, -C, -X, -J, \
     -H=, -T=, --nolinks, --hintro=<, --houtro=<, -o=>, -R, --fromfile, --fflinks, --du, --noreport",
)]);

/// The options of `diff`.
const DIFF: Grammar = gnu(&[list(
    "-a --text, -b --ignore-space-change, -B --ignore-blank-lines, --binary, -c, -C --context[=], --changed-group-format=, \
     --color[=], --palette=, -d --minimal, -D --ifdef=, -e --ed, -E --ignore-tab-expansion, -F --show-function-line=, \
     --from-file=<, --to-file=<, --GTYPE-group-format=, --horizon-lines=, -i --ignore-case, -I --ignore-matching-lines=, \
     --ignore-file-name-case, -l --paginate, --label=, -L=, --left-column, --line-format=, --new-group-format=, \
     --new-line-format=, -N --new-file, --no-dereference, --no-ignore-file-name-case, --normal, -n --rcs, \
     --old-group-format=, --old-line-format=, -p --show-c-function, -q --brief, -r --recursive, \
     -s --report-identical-files, -S --starting-file=, --speed-large-files, --strip-trailing-cr, --suppress-common-lines, \
     --suppress-blank-empty, --tabsize=, -t --expand-tabs, -T --initial-tab, -u, -U --unified[=], \
     --unchanged-group-format=, --unchanged-line-format=, --unidirectional-new-file, -v, -w --ignore-all-space, \
     -W --width=, -x --exclude=, -X --exclude-from=<, -y --side-by-side, -Z --ignore-trailing-space, -#[=]",
)]);

/// The options of `patch`.
const PATCH: Grammar = gnu(&[list(
    "-b --backup, --backup-if-mismatch, --no-backup-if-mismatch, -B --prefix=>, -c --context, -d --directory=, -D --ifdef=, \
     --dry-run, -e --ed, -E --remove-empty-files, -f --force, -F --fuzz=, -i --input=<, -l --ignore-whitespace, \
     --merge[=], -n --normal, -N --forward, -o --output=>, -p --strip=, --posix, --quoting-style=, -r --reject-file=>, \
     --reject-format=, -R --reverse, -s --quiet --silent, -t --batch, -T --set-time, -u --unified, -v, --verbose, \
     -V --version-control=, -x --debug=, -Y --basename-prefix=>, -z --suffix=, -Z --set-utc, --binary, --read-only=, \
     --follow-symlinks, -C --check",
)]);

/// Names stand in the patch; those outside of the folder are refused by the program itself.
fn patch(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    // All names count from the folder it goes to.
    if let Some(folder) = parsed.value("-d") {
        report.cwd = place::resolve(&folder.value, &report.cwd, report.env);
    }
    if let Some(patch) = parsed.operands.get(1) {
        report.reads(patch);
    }
    if parsed.has("--dry-run") || parsed.has("-C") {
        return;
    }
    if parsed.has("-e") {
        report.not_understood("a script for `ed` may run commands");
    }
    match parsed.operands.first() {
        Some(file) => report.file(Access::Write, file),
        None if !parsed.has("-o") => report.path(Access::Write, "patched"),
        None => {}
    }
}
