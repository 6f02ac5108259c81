//! Compilers of C and their companions.

use std::borrow::Cow;

use crate::compilers::{Flag, flags};
use crate::effect::{Access, Certainty, CodeFrom, Effect};
use crate::invocation::Argument;
use crate::model::tool::Action::{
    Call, Executes, Here, If, Installs, Project, Reads, Runs, RunsBehindDashes, Touches, Writes,
};
use crate::model::tool::{Tool, opts, tools};
use crate::model::{Opt, Parsed, Report};
use crate::models::perform::perform;

use super::plain::plain;

/// Options that the commands of `gcc` share.
const COMPILER: &[Opt] = opts!(
    "-o=>, -c, -S, -E, -x=, -v, -###, -pipe, -static, -shared, -rdynamic, -pthread, -s, -r, -no-pie, -pie, -nostdlib, -nostdinc, \
     -nodefaultlibs, -nostartfiles, -undef, -P, -C, -CC, -H, -M, -MM, -MD, -MMD, -MP, -MG, -MF=>, -MT=, -MQ=, -MJ=>, -include=<, \
     -imacros=<, -isystem=<, -iquote=<, -idirafter=<, -isysroot=<, -arch=, -target=, -framework=, -T=<, -u=, -z=, -Xlinker=, \
     -Xpreprocessor=, -Xassembler=, -Xclang=, -Xarch_host=, -L=, -I=, -D=, -U=, -l=, -L[=], -I[=], -D[=], -U[=], -l[=], -O[=], -g[=], -f[=], -m[=], \
     -W[=], -w, -std=, -ansi, -pedantic[=], -Q[=], -d[=], -p, -pg, -B=, -B[=], --sysroot=, --target=, --version, -print-[=], \
     -dumpversion, -dumpmachine, -dumpspecs, --help[=], --param=, -save-temps[=], -time, -wrapper=!, -specs=<, -analyze, --analyze, \
     -stdlib=, -rtlib=, -fuse-ld=, -fplugin=, -static-libgcc, -static-libstdc++, -static-pie, -nostdinc++, -emit-llvm, -emit-ast, -mllvm=, \
     -dumpdir=>, -dumpbase=>, -dumpbase-ext=, -aux-info=>, -iframework=, -F=, -F[=], -undefined=, -traditional-cpp, -unwindlib=, -install_name=, -dynamiclib, -bundle, -compatibility_version=, -current_version=, -ffile-prefix-map[=], --coverage, -fsyntax-only, -Wl,[=], -Wa,[=], -Wp,[=]"
);

/// The tools of this file, each with its options, its commands and its examples.
pub(super) const TABLE: &[Tool] = tools! {
    Single "gcc g++ cc c++ clang clang++ gcc-11 gcc-12 gcc-13 gcc-14 g++-12 g++-13 g++-14 clang-15 clang-16 \
        clang-17 clang-18 clang-19 tcc icc icx icpx nvcc c89 c99 gfortran gnatmake emcc em++ \
        arm-none-eabi-gcc aarch64-linux-gnu-gcc x86_64-w64-mingw32-gcc musl-gcc cpp" [COMPILER] => Reads, Here, Call(compiles); [
        "gcc -Wall -Wextra -O2 -std=c11 -Iinclude -o out main.c -lm": "write:workspace write:workspace:recursive",
        "g++ -c -fPIC -g -DX=1 a.cc": "write:workspace:recursive",
        "clang -fsyntax-only a.c": "write:workspace:recursive",
        "cc -o /usr/bin/x x.c": "write:system write:workspace:recursive",
        "gcc -wrapper cat x.c": "code:setting write:workspace:recursive",
        "gcc -fplugin=/tmp/x.so x.c": "code:setting write:workspace:recursive",
        "gcc -B/tmp/x x.c": "code:setting write:workspace:recursive",
        "gcc @args": "unmodelled write:workspace:recursive",
        "gcc -Wl,-plugin,./x.so a.c": "code:setting write:workspace:recursive",
        "gcc -Xlinker -plugin -Xlinker ./x.so a.c": "code:setting write:workspace:recursive",
        "clang -fpass-plugin=./x.so a.c": "code:setting write:workspace:recursive",
        "clang -mllvm -load=./x.so a.c": "code:setting write:workspace:recursive",
        "gcc -Wl,-Map=/etc/x -Wl,-rpath,/opt/x a.c": "write:system write:workspace:recursive",
        "gcc -Wp,-MD,/etc/x a.c": "write:system write:workspace:recursive",
        "gcc -fdump-tree-original=/etc/x a.c": "write:system write:workspace:recursive",
        "clang -ftime-trace=/etc/x -fdebug-prefix-map=/a=/b a.c": "write:system write:workspace:recursive",
        "clang -S -emit-llvm a.c": "write:workspace:recursive",
    ]
    Operands "lli" => Executes, Here, Call(plain); ["lli a.ll": "write:workspace:recursive"]
    Single "ld ld.lld lld gold ld.gold mold gcc-ar llvm-objcopy as nasm yasm llc opt dsymutil" "-o=>, -s, -L[=], -l[=], -T=<, -shared, -static, -r, -f=, -O[=], -g, -F=, -S, -m=, -e=, -z=, \
        -rpath=, -soname=, --version, -v, --strip-all, --strip-debug, --strip-unneeded, -R=, -j=, -I=<, -p, --help, -arch=, -create, -info, -plugin=!, -load=!, -load-pass-plugin=!"
        => Reads, Here, Writes, Call(lists); [
        "ld -o out a.o": "write:workspace write:workspace:recursive",
        "opt -load ./x.so a.ll": "code:file code:setting execute:workspace write:workspace write:workspace:recursive",
        "nasm -l/etc/x a.asm": "write:system write:workspace write:workspace:recursive",
    ]
    Gnu "clang-format" "-i, --style=, --fallback-style=, --assume-filename=, --dry-run -n, --Werror, --verbose, --files=<, --lines=, --offset=, --length=, \
        --sort-includes, --dump-config, --version, -style=, -h --help, --ferror-limit=" => Reads, If("-i", &[Writes]); [
        "clang-format -i --style=file src/a.c": "write:workspace",
        "clang-format --dry-run --Werror a.c": "",
    ]
    Operands "clang-tidy clang-check cppcheck iwyu include-what-you-use cpplint oclint infer scan-view gcov lcov \
        genhtml gcovr llvm-cov llvm-profdata kcachegrind pkg-config pkgconf doxygen indent astyle uncrustify bison flex yacc lex re2c swig gperf ragel bindgen \
        cbindgen xxd-embed objdump-diff chrpath wasm-opt wasm2wat wat2wasm wasm-bindgen verilator iverilog yosys ghdl platformio pio arduino-cli west idf.py avrdude openocd" => Project, Here, Touches, Call(plain); [
        "clang-tidy -p build src/a.cc": "code:project write:workspace:recursive",
        "clang-tidy -load ./x.so a.cc": "code:project unmodelled write:workspace:recursive",
        "cppcheck --addon=./x.py src": "code:project unmodelled write:workspace:recursive",
        "cppcheck --enable=all src": "code:project write:workspace:recursive",
        "pkg-config --cflags --libs gtk+-3.0": "code:project write:workspace:recursive",
    ]
    Operands "conan vcpkg" => Project, Here, Touches, Call(libraries); [
        "conan build .": "code:project write:workspace:recursive",
        "vcpkg install jansson": "code:project package:install write:workspace:recursive",
    ]

    // A program that runs a compiler or a build runs whatever its words name.
    Posix "ccache sccache distcc icecc" "-s --show-stats, -z --zero-stats, -C --clear, -c --cleanup, -M --max-size=, -V --version, \
        -h --help, -p --show-config, -v, --start-server, --stop-server" => Here, Runs(0); [
        "ccache -s": "write:workspace:recursive",
        "ccache rm x": "delete:workspace write:workspace:recursive",
    ]
    Posix "emmake emcmake emconfigure compiledb" "-n, -f, -o=>, -p=<, -v --verbose" => Here, Runs(0); [
        "emmake rm x": "delete:workspace write:workspace:recursive",
    ]
    Posix "bear" "-o --output=>, -v --verbose, -a --append, -c --config=<, -f --force-wrapper, --version" => Here, RunsBehindDashes; [
        "bear --output x.json -- rm x": "delete:workspace write:workspace write:workspace:recursive",
    ]
    SinglePosix "scan-build" "-o=>, -v, -k, -V, --status-bugs, --keep-going, --use-cc=!, --use-c++=!, --use-analyzer=!, -analyze-headers, \
        -enable-checker=, -disable-checker=, -maxloop=, --html-title=, --exclude=, -plist, -sarif" => Here, Runs(0); [
        "scan-build -o out rm x": "delete:workspace write:workspace write:workspace:recursive",
    ]
    Posix "xcrun" "-sdk --sdk=, -f --find, -r --run, -n --no-cache, -v --verbose, --toolchain=, --show-sdk-path, --show-sdk-version" => Runs(0); [
        "xcrun --sdk macosx rm x": "delete:workspace",
    ]
};

/// `vcpkg install` fetches libraries and builds them.
fn libraries(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if parsed.operands.first().and_then(|word| word.value.as_known()) == Some("install") {
        perform(report, parsed, &[Installs], Certainty::Must);
    }
}

/// `nasm -lFILE` writes a listing.
fn lists(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if matches!(report.name(), "nasm" | "yasm") {
        for file in parsed.values("-l") {
            report.writes(file);
        }
    }
}

/// Options that make a compiler load or run something, or write a file that they name.
fn compiles(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for option in ["-B", "-specs", "-fplugin"] {
        if parsed.has(option) {
            report.add(Effect::Code { from: CodeFrom::Setting(format!("`{option}`")) });
        }
    }
    // What is not known of a word may be any path.
    let texts: Vec<Cow<'_, str>> = parsed.invocation.arguments.iter().map(text).collect();
    for flag in flags(texts.iter().map(|text| &**text)) {
        match flag {
            Flag::Loads(word) => {
                let from = CodeFrom::Setting(format!("`{word}`"));
                report.add(Effect::Code { from });
            }
            Flag::Writes(path) => report.path(Access::Write, path),
        }
    }
    if parsed.operands.iter().any(|word| word.value.prefix().starts_with('@')) {
        report.not_understood("its options stand in a file");
    }
}

/// The known text of a word. A word that is known in part ends in a slash, so that it counts as a
/// path.
fn text(word: &Argument) -> Cow<'_, str> {
    match word.value.as_known() {
        Some(text) => Cow::Borrowed(text),
        None => Cow::Owned(format!("{}/", word.value.prefix())),
    }
}
