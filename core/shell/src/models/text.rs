//! Programs that read text and print it changed: `head`, `sort`, `uniq`, `tr`, …
//!
//! Their effects are reads, except for the few that write a file by an option or an operand (`sort
//! -o`, `uniq in out`).

use super::kinds::{
    BARE, ex, gnu, list, model, nothing, reads, reads_first_writes_second, reads_rest, single,
};
use crate::model::{Grammar, Model, Parsed, Report};

/// The programs of this file, each with its options, its effects and its examples.
pub(super) const TABLE: &[Model] = &[
    model(
        &["head", "ghead"],
        &gnu(&[list(
            "-c --bytes=, -n --lines=, -q --quiet --silent, -v --verbose, -z --zero-terminated, -#[=]",
        )]),
        reads,
        &[
            ex("head -20 a.txt", &[]),
            ex("head -n5 --bytes 3 ~/.ssh/id_rsa", &["read:secret"]),
            ex("head --frobnicate", &["unmodelled"]),
        ],
    ),
    model(
        &["tail", "gtail"],
        &gnu(&[list(
            "-c --bytes=, -f --follow[=], -F, -n --lines=, --max-unchanged-stats=, --pid=, \
             -q --quiet --silent, --retry, -s --sleep-interval=, -v --verbose, -z --zero-terminated, \
             -r, -b=, -#[=]",
        )]),
        reads,
        &[ex("tail -f log/x.log", &[]), ex("tail -n +2 /etc/shadow", &["read:secret"])],
    ),
    model(
        &["cut", "gcut"],
        &gnu(&[list(
            "-b --bytes=, -c --characters=, -d --delimiter=, -f --fields=, -n, --complement, \
             -s --only-delimited, --output-delimiter=, -z --zero-terminated, -w",
        )]),
        reads,
        &[ex("cut -d: -f1 /etc/passwd", &[]), ex("cut -c1-3 .env", &["read:secret"])],
    ),
    model(
        &["sort", "gsort"],
        &SORT,
        |report, parsed| {
            reads(report, parsed);
            if let Some(list) = parsed.value("--files0-from") {
                report.reads_listed(Some(list));
            }
        },
        &[
            ex("sort -t, -k2,2n data.csv | sort -rh", &[]),
            ex("sort -uo out.txt a.txt b.txt", &["write:workspace"]),
            ex("sort --compress-prog=cat big", &["code:setting"]),
            ex("sort --files0-from=/etc/shadow", &["read:secret"]),
        ],
    ),
    model(
        &["uniq", "guniq"],
        &gnu(&[list(
            "-c --count, -d --repeated, -D --all-repeated[=], -f --skip-fields=, --group[=], \
             -i --ignore-case, -s --skip-chars=, -u --unique, -z --zero-terminated, -w --check-chars=",
        )]),
        reads_first_writes_second,
        &[ex("sort a | uniq -c", &[]), ex("uniq a.txt b.txt", &["write:workspace"])],
    ),
    model(
        &["tr", "gtr"],
        &gnu(&[list(
            "-c -C --complement, -d --delete, -s --squeeze-repeats, -t --truncate-set1, -u",
        )]),
        nothing,
        &[ex("tr -d '\\n' < x", &[]), ex("echo a | tr a-z A-Z", &[])],
    ),
    model(
        &["wc", "gwc"],
        &gnu(&[list(
            "-c --bytes, -m --chars, -l --lines, --files0-from=<, -L --max-line-length, -w --words, \
             --total=, --debug, --libxo[=]",
        )]),
        reads,
        &[ex("wc -l src/*.rs", &[]), ex("wc -c ~/.netrc", &["read:secret"])],
    ),
    model(
        &["md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum md5 shasum \
             gsha256sum gmd5sum b3sum xxhsum xxh64sum xxh128sum crc32 rhash"],
        &gnu(&[list(
            "-b --binary, -c --check, --tag, -t --text, -z --zero, --ignore-missing, --quiet, --status, \
             --strict, -w --warn, -a --algorithm=, -l --length=, --untagged, --base64, --raw, --debug, \
             -r, -s --sysv, -q, -p, -U, -0, --num-threads=, --no-names, --no-mmap, -n",
        )]),
        reads,
        &[ex("sha256sum -c SUMS", &[]), ex("md5sum ~/.ssh/id_ed25519", &["read:secret"])],
    ),
    model(
        &["paste", "gpaste"],
        &gnu(&[list("-d --delimiters=, -s --serial, -z --zero-terminated")]),
        reads,
        &[ex("paste -sd, a.txt b.txt", &[])],
    ),
    model(
        &["join", "gjoin"],
        &gnu(&[list(
            "-a=, -e=, -i --ignore-case, -j=, -o=, -t=, -v=, -1=, -2=, --check-order, --nocheck-order, \
             --header, -z --zero-terminated",
        )]),
        reads,
        &[ex("join -t, -1 2 -2 1 a.csv b.csv", &[])],
    ),
    model(
        &["comm", "gcomm"],
        &gnu(&[list(
            "-1, -2, -3, -i, --check-order, --nocheck-order, --output-delimiter=, --total, \
             -z --zero-terminated",
        )]),
        reads,
        &[ex("comm -12 a.txt b.txt", &[])],
    ),
    model(
        &["nl", "gnl"],
        &gnu(&[list(
            "-b --body-numbering=, -d --section-delimiter=, -f --footer-numbering=, \
             -h --header-numbering=, -i --line-increment=, -l --join-blank-lines=, -n --number-format=, \
             -p --no-renumber, -s --number-separator=, -v --starting-line-number=, -w --number-width=",
        )]),
        reads,
        &[ex("nl -ba src/main.rs", &[])],
    ),
    model(
        &["fold", "gfold"],
        &gnu(&[list("-b --bytes, -c --characters, -s --spaces, -w --width=, -#[=]")]),
        reads,
        &[ex("fold -sw 80 README.md", &[])],
    ),
    model(
        &["fmt", "gfmt"],
        &gnu(&[list(
            "-c --crown-margin, -p --prefix=, -s --split-only, -t --tagged-paragraph, \
             -u --uniform-spacing, -w --width=, -g --goal=, -#[=]",
        )]),
        reads,
        &[ex("fmt -w72 notes.txt", &[])],
    ),
    model(
        &["expand", "unexpand", "gexpand"],
        &gnu(&[list("-i --initial, -t --tabs=, -a --all, --first-only")]),
        reads,
        &[ex("expand -t 4 Makefile", &[])],
    ),
    model(
        &["numfmt", "gnumfmt"],
        &gnu(&[list(
            "--debug, -d --delimiter=, --field=, --format=, --from=, --from-unit=, --grouping, \
             --header[=], --invalid=, --padding=, --round=, --suffix=, --to=, --to-unit=, \
             -z --zero-terminated",
        )]),
        nothing,
        &[ex("numfmt --to=iec 123456", &[])],
    ),
    model(
        &["pr"],
        &gnu(&[list(
            "-a --across, -c --show-control-chars, -d --double-space, -D --date-format=, \
             -e --expand-tabs[=], -F -f --form-feed, -h --header=, -i --output-tabs[=], -J --join-lines, \
             -l --length=, -m --merge, -n --number-lines[=], -N --first-line-number=, -o --indent=, \
             -r --no-file-warnings, -s --separator[=], -S --sep-string[=], -t --omit-header, \
             -T --omit-pagination, -v --show-nonprinting, -w --width=, -W --page-width=, --columns=, \
             --pages=, -#[=]",
        )]),
        reads,
        &[ex("pr -m -t a.txt b.txt", &[])],
    ),
    model(
        &["rev tsort asa colrm ul vis unvis"],
        &gnu(&[list("-h, -V, -0 --zero, -t=, -i")]),
        reads,
        &[ex("rev a.txt", &[]), ex("rev /etc/shadow", &["read:secret"])],
    ),
    model(
        &["col", "colcrt"],
        &gnu(&[list(
            "-b --no-backspaces, -f --fine, -h --tabs, -l --lines=, -p --pass, -x --spaces",
        )]),
        reads,
        &[ex("cat x | col -b", &[])],
    ),
    model(
        &["column"],
        &gnu(&[list(
            "-t --table, -s --separator=, -o --output-separator=, -N --table-columns=, -c --output-width=, \
             -x --fillrows, -n, -e --table-noheadings, -d, -J --json, -H --table-hide=, -R --table-right=, \
             -W --table-wrap=, -E --table-noextreme=, -L --keep-empty-lines, -T --table-truncate=, \
             -O --table-order=, -r --tree=, -i --tree-id=, -p --tree-parent=, -m --table-maxout, \
             -C --table-column=, -l --table-columns-limit=, -S --use-spaces=, -h, -V, --table-name=",
        )]),
        reads,
        &[ex("column -t -s, data.csv", &[])],
    ),
    model(
        &["od", "god"],
        &gnu(&[list(
            "-A --address-radix=, --endian=, -j --skip-bytes=, -N --read-bytes=, -S --strings[=], \
             -t --format=, -v --output-duplicates, -w --width[=], --traditional, -a, -b, -c, -d, -f, -h, -i, \
             -l, -o, -s, -x, -e, -B, -D, -F, -H, -I, -L, -O, -X",
        )]),
        reads,
        &[ex("od -An -tx1 -N16 /dev/urandom", &[]), ex("od -c .env", &["read:secret"])],
    ),
    model(
        &["hexdump", "hd"],
        &gnu(&[list(
            "-b --one-byte-octal, -c --one-byte-char, -C --canonical, -d --two-bytes-decimal, \
             -o --two-bytes-octal, -x --two-bytes-hex, -X --one-byte-hex, -e --format=, -f --format-file=<, \
             -L --color[=], -n --length=, -s --skip=, -v --no-squeezing, -h, -V",
        )]),
        reads,
        &[ex("hexdump -C a.bin | head", &[]), ex("hexdump -C -n 16 id_rsa", &["read:secret"])],
    ),
    model(
        &["xxd"],
        &single(&[list(
            "-a -autoskip, -b -bits, -c -cols=, -C -capitalize, -e, -E -EBCDIC, -g -groupsize=, -h, -i -include, \
             -l -len=, -n -name=, -o=, -p -ps -plain -postscript, -r -revert, -R=, -s -seek=, -u, -v -version, \
             -d, -c[=], -l[=], -s[=], -g[=]",
        )]),
        reads_first_writes_second,
        &[
            ex("xxd -p -l 16 a.bin", &[]),
            ex("xxd -c16 a.bin", &[]),
            ex("xxd -r -p a.hex out.bin", &["write:workspace"]),
        ],
    ),
    model(
        &["strings"],
        &gnu(&[list(
            "-a --all, -d --data, -f --print-file-name, -n --bytes=, -t --radix=, -o, -T --target=, \
             -e --encoding=, -s --output-separator=, -w --include-all-whitespace, -U --unicode=, -v -V, -h, \
             -#[=]",
        )]),
        reads,
        &[ex("strings -n 8 a.out", &[]), ex("strings /proc/1/environ", &["read:secret"])],
    ),
    model(
        &["base64", "base32", "gbase64"],
        &gnu(&[list(
            "-d -D --decode, -i --ignore-garbage, -w --wrap=, -b --break=, -o --output=>, --input=<, -h",
        )]),
        reads,
        &[ex("base64 -w0 file.txt", &[]), ex("base64 ~/.ssh/id_rsa", &["read:secret"])],
    ),
    model(
        &["basenc"],
        &gnu(&[list(
            "--base64, --base64url, --base32, --base32hex, --base16, --base2msbf, --base2lsbf, --z85, \
             --base58, -d --decode, -i --ignore-garbage, -w --wrap=",
        )]),
        reads,
        &[ex("basenc --base16 -d a.txt", &[])],
    ),
    model(
        &["uuencode", "uudecode"],
        &gnu(&[list("-m --base64, -e --encode-file-name, -o --output-file=>, -c, -i, -p, -r, -s")]),
        uuencode,
        &[
            ex("uuencode a.bin a.bin", &[]),
            ex("uudecode -o out.bin a.uu", &["write:workspace"]),
            ex("uudecode a.uu", &["write:unknown"]),
        ],
    ),
    model(
        &["shuf", "gshuf"],
        &gnu(&[list(
            "-e --echo, -i --input-range=, -n --head-count=, -o --output=>, --random-source=<, -r --repeat, \
             -z --zero-terminated",
        )]),
        shuf,
        &[ex("shuf -n 5 words.txt", &[]), ex("shuf -e -o out.txt a b", &["write:workspace"])],
    ),
    model(
        &["factor", "primes", "gfactor"],
        &gnu(&[list("-h --exponents")]),
        nothing,
        &[ex("factor 42", &[])],
    ),
    model(
        &["iconv"],
        &gnu(&[list(
            "-f --from-code=, -t --to-code=, -o --output=>, -c, -l --list, -s --silent, --verbose, \
             --unicode-subst=, --byte-subst=, --widechar-subst=",
        )]),
        reads,
        &[ex("iconv -f latin1 -t utf-8 -o out.txt in.txt", &["write:workspace"])],
    ),
    model(
        &["look"],
        &gnu(&[list(
            "-a --alternative, -d --alphanum, -f --ignore-case, -t --terminate=, -b, -h, -V",
        )]),
        reads_rest,
        &[ex("look fortun", &[])],
    ),
    model(
        &["unlink"],
        &BARE,
        super::files::deletes,
        &[ex("unlink a.txt", &["delete:workspace"]), ex("unlink /etc/passwd", &["delete:system"])],
    ),
];

/// The options of `sort`.
const SORT: Grammar = gnu(&[list(
    "-b --ignore-leading-blanks, -d --dictionary-order, -f --ignore-case, -g --general-numeric-sort, \
     -i --ignore-nonprinting, -M --month-sort, -h --human-numeric-sort, -n --numeric-sort, \
     -R --random-sort, --random-source=<, -r --reverse, --sort=, -V --version-sort, --batch-size=, \
     -c --check[=], -C, --compress-program=!, --debug, --files0-from=<, -k --key=, -m --merge, \
     -o --output=>, -s --stable, -S --buffer-size=, -t --field-separator=, -T --temporary-directory=>, \
     --parallel=, -u --unique, -z --zero-terminated, --mmap, --radixsort, --mergesort, --qsort",
)]);

/// The effects of `uuencode` and `uudecode`.
fn uuencode(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if report.name() == "uuencode" {
        // The last operand is only a name that is printed.
        if parsed.operands.len() > 1 {
            report.reads(&parsed.operands[0]);
        }
        return;
    }
    reads(report, parsed);
    if !parsed.has("-o") && !parsed.has("-p") {
        report.writes_unknown();
    }
}

/// The effects of `shuf`.
fn shuf(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if !parsed.has("-e") {
        reads(report, parsed);
    }
}
