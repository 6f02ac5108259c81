//! Programs that look at what compilers make: `nm`, `objdump`, `readelf`, `ar`, `ranlib`, `strip`.
//!
//! They load what `--plugin` names, which is in none of these tables, and take a word behind `@` for a
//! file with more words.

use super::kinds::{WORDS, behind, ex, gnu, list, model, reads, writes};
use crate::model::{Model, Parsed, Report};

/// The programs of this file, each with its options, its effects and its examples.
pub(super) const TABLE: &[Model] = &[
    model(
        &["nm", "gnm", "llvm-nm"],
        &gnu(&[list(
            "-a --debug-syms, -A -o --print-file-name, -B, -C --demangle[=], --no-demangle, --recurse-limit, \
             --no-recurse-limit, -D --dynamic, --defined-only, -e, -f --format=, -g --extern-only, --ifunc-chars=, \
             -h, -j --just-symbols, -l --line-numbers, -n -v --numeric-sort, -p --no-sort, -P --portability, \
             -r --reverse-sort, -s --print-armap, -S --print-size, --quiet, --size-sort, --special-syms, --synthetic, \
             -t --radix=, --target=, -u --undefined-only, -U --unicode=, -V, -W --no-weak, --without-symbol-versions, \
             --with-symbol-versions, -m, -x",
        )]),
        looks,
        &[
            ex("nm -D lib.so", &[]),
            ex("nm -gC --defined-only a.o", &[]),
            ex("nm --plugin=./evil.so a.o", &["unmodelled"]),
            ex("nm @f", &["unmodelled"]),
        ],
    ),
    model(
        &["size", "gsize"],
        &gnu(&[list(
            "-A, -B, -G, --format=, -d, -o, -x, --radix=, --common, -t --totals, --target=, -V, -h, -f, -m, -l",
        )]),
        looks,
        &[ex("size -A a.out", &[]), ex("size @/etc/shadow", &["read:secret", "unmodelled"])],
    ),
    model(
        &["readelf", "greadelf", "llvm-readelf"],
        &gnu(&[list(
            "-a --all, -h --file-header, -l --program-headers --segments, -S --section-headers --sections, -g --section-groups, \
             -t --section-details, -e --headers, -s --syms --symbols, --dyn-syms, --lto-syms, --sym-base=, -C --demangle[=], \
             --no-demangle, -U --unicode=, -X --extra-sym-info, -n --notes, -r --relocs, -u --unwind, -d --dynamic, \
             -V --version-info, -A --arch-specific, -c --archive-index, -D --use-dynamic, -L --lint --enable-checks, \
             -x --hex-dump=, -p --string-dump=, -R --relocated-dump=, -z --decompress, -w --debug-dump[=], --dwarf-depth=, \
             --dwarf-start=, --ctf[=], -I --histogram, -v, -W --wide, -T --silent-truncation, -H, --got-contents",
        )]),
        looks,
        &[ex("readelf -Wd a.out", &[]), ex("readelf --debug-dump=info a.out", &[])],
    ),
    model(
        &["objdump", "gobjdump", "llvm-objdump"],
        &gnu(&[list(
            "-a --archive-headers, -f --file-headers, -p --private-headers, -P --private=, -h --section-headers --headers, \
             -x --all-headers, -d --disassemble[=], -D --disassemble-all, -S --source, --source-comment[=], \
             -s --full-contents, -Z --decompress, -g --debugging, -e --debugging-tags, -G --stabs, -W --dwarf[=], -L, \
             --process-links, --ctf[=], --sframe[=], -t --syms, -T --dynamic-syms, -r --reloc, -R --dynamic-reloc, -v, -i --info, \
             -H, -b --target=, -m --architecture=, -j --section=, -M --disassembler-options=, -EB, -EL, --endian=, \
             --file-start-context, -I --include=, -l --line-numbers, -F --file-offsets, -C --demangle[=], \
             --recurse-limit, --no-recurse-limit, -w --wide, -U --unicode=, -z --disassemble-zeroes, --start-address=, \
             --stop-address=, --no-addresses, --prefix-addresses, --show-raw-insn, --no-show-raw-insn, --insn-width=, \
             --adjust-vma=, --show-all-symbols, --special-syms, --inlines, --prefix=, --prefix-strip=, --dwarf-depth=, \
             --dwarf-start=, --dwarf-check, --visualize-jumps[=], --disassembler-color=, --macho, --no-leading-addr",
        )]),
        looks,
        &[ex("objdump -d a.out", &[]), ex("objdump -dS --no-show-raw-insn a.o", &[])],
    ),
    model(
        &["addr2line", "gaddr2line", "llvm-symbolizer"],
        &gnu(&[list(
            "-a --addresses, -b --target=, -e --exe=<, -i --inlines, -j --section=, -p --pretty-print, -s --basenames, \
             -f --functions, -C --demangle[=], -R --recurse-limit, -r --no-recurse-limit, -h, -v",
        )]),
        more,
        &[ex("addr2line -e a.out -fip 0x1234", &[])],
    ),
    model(
        &["c++filt", "gc++filt", "llvm-cxxfilt", "rustfilt"],
        &gnu(&[list(
            "-_ --strip-underscore, -n --no-strip-underscore, -p --no-params, -t --types, -i --no-verbose, \
             -r --no-recurse-limit, -R --recurse-limit, -s --format=, -h, -v",
        )]),
        more,
        &[ex("c++filt _Z1fv", &[]), ex("c++filt @f", &["unmodelled"])],
    ),
    model(
        &["otool", "dwarfdump", "llvm-dwarfdump"],
        &gnu(&[list(
            "-a, -b, -c, -C, -D, -d, -e, -f, -F, -g, -G, -h, -I, -i, -l, -L, -m, -M, -o, -p=, -P, -q, -r, -R, -s==, -S, -t, -T, -v, -V, -x, -X, \
             --arch=, --all, --debug-info[=], --debug-line[=], --statistics, --verify, --uuid, --name=",
        )]),
        looks,
        &[ex("otool -L a.out", &[])],
    ),
    model(
        &["strip", "gstrip", "llvm-strip"],
        &gnu(&[list(
            "-s --strip-all, -g -S -d --strip-debug, --strip-unneeded, --strip-dwo, --only-keep-debug, -K --keep-symbol=, \
             -N --strip-symbol=, -o=>, -p --preserve-dates, -v --verbose, -x --discard-all, -X --discard-locals, \
             -R --remove-section=, -w --wildcard, -D, -U, -u, -r, -T, --keep-file-symbols, -I --input-target=, \
             -O --output-target=, -F --target=, -V",
        )]),
        |report, parsed| {
            looks(report, parsed);
            if !parsed.has("-o") {
                writes(report, parsed);
            }
        },
        &[
            ex("strip -s app", &["write:workspace"]),
            ex("strip --plugin=./e.so app", &["unmodelled", "write:workspace"]),
        ],
    ),
    model(
        &["ranlib", "granlib", "llvm-ranlib"],
        &gnu(&[list("-D, -U, -t, -h, -H, -v, -V")]),
        |report, parsed| {
            more(report, parsed);
            writes(report, parsed);
        },
        &[
            ex("ranlib libx.a", &["write:workspace"]),
            ex("ranlib --plugin ./evil.so lib.a", &["unmodelled", "write:workspace"]),
        ],
    ),
    model(
        &["ar", "gar"],
        &WORDS,
        ar,
        &[
            ex("ar rcs libx.a x.o", &["write:workspace"]),
            ex("ar -t libx.a", &[]),
            ex("ar x libx.a", &["write:unknown"]),
            ex("ar rcs x.a a.o --plugin=./evil.so", &["unmodelled", "write:workspace"]),
        ],
    ),
];

/// It reads its operands, and more words behind `@`.
fn looks(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    reads(report, parsed);
    more(report, parsed);
}

/// A word behind `@` is a file with more words.
fn more(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for word in &parsed.invocation.arguments {
        if let Some(file) = behind(word, "@") {
            report.reads(&file);
            report.not_understood("more words for it stand in a file");
        }
    }
}

/// The effects of `ar`.
fn ar(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    more(report, parsed);
    let is_option = |text: &str| text.starts_with("--");
    let mut words = parsed.operands.iter().filter(|word| !is_option(word.value.prefix()));
    let mut options = parsed.operands.iter().filter_map(|word| word.value.as_known());
    if options.any(|text| is_option(text) && !["--version", "--help", "--thin"].contains(&text)) {
        report.not_understood("an option of it is not known");
    }
    let Some(keys) = words.next() else { return };
    let Some(archive) = words.next() else { return };
    let keys = keys.value.as_known().unwrap_or("?").trim_start_matches('-');
    if keys.is_empty() || !keys.chars().all(|key| "dmpqrstxcDfNoOPSTuUvV".contains(key)) {
        report.not_understood("its command is not known");
    }
    if keys.starts_with(['t', 'p']) {
        return report.reads(archive);
    }
    if keys.contains('x') {
        report.reads(archive);
        return report.writes_unknown();
    }
    report.writes(archive);
    words.for_each(|file| report.reads(file));
}
