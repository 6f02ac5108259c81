//! Compilers, linkers and their kin: what a build may be told to run without running anything else.
//!
//! A build takes its compiler and flags from variables and arguments (`CC=clang`, `RUSTFLAGS=…`).
//! Most values only choose; some run a program (`-fuse-ld=./x`), load a plugin or write a file
//! anywhere. These functions tell the two apart. Flags of `go` stand in `golang`.

pub mod golang;

/// Names without a version and a target.
const NAMES: &[&str] = &[
    "gcc", "g++", "cc", "c++", "c89", "c99", "clang", "clang++", "clang-cl", "tcc", "icc", "icpc",
    "icx", "icpx", "ifx", "nvcc", "hipcc", "emcc", "em++", "emar", "zig", "gfortran", "flang",
    "cpp", "ld", "lld", "ld.lld", "ld.bfd", "ld.gold", "gold", "mold", "wild", "rust-lld",
    "lld-link", "link", "ar", "llvm-ar", "gcc-ar", "as", "nasm", "nm", "llvm-nm", "gcc-nm",
    "ranlib", "llvm-ranlib", "gcc-ranlib", "strip", "llvm-strip", "objcopy", "llvm-objcopy",
    "ccache", "sccache", "distcc", "icecc", "rustc", "rustdoc", "clippy-driver", "cargo-clippy",
    "musl-gcc", "make", "gmake", "ninja",
];

/// What the name of one for another target ends with: `aarch64-linux-gnu-gcc`.
const ENDS: &[&str] = &[
    "-gcc", "-g++", "-cc", "-c++", "-clang", "-clang++", "-gfortran", "-cpp", "-ld", "-ar", "-as",
    "-nm", "-ranlib", "-strip", "-objcopy",
];

/// Options by which one of them runs or loads something else.
const LOADS: &[&str] = &[
    "-B", "-fplugin", "-plugin", "--plugin", "-specs", "--specs", "-wrapper", "--config",
    "-Xclang", "-Xlinker", "-fuse-ld=/", "@",
];

/// Linkers by what `-fuse-ld=` calls them.
const LINKERS: &[&str] = &["bfd", "gold", "ld", "lld", "mold", "wild"];

/// Options by which one of them writes a file that they name.
const OUTPUTS: &[&str] = &["-o", "-MF", "-MJ", "-dump", "-aux-info"];

/// Options behind which stands a word for the linker, the assembler, the preprocessor or the compiler
/// proper.
const PASSES: &[&str] =
    &["-Xlinker", "-Xassembler", "-Xpreprocessor", "-Xclang", "-Xarch_host", "-mllvm"];

/// Options with a value that is no file which is written, without their dashes: those of linkers,
/// assemblers and preprocessors, and those behind `-f`.
const NOT_WRITTEN: &[&str] = &[
    "rpath", "rpath-link", "soname", "h", "T", "L", "l", "I", "D", "U", "z", "e", "u", "R",
    "version-script", "dynamic-list", "dynamic-linker", "retain-symbols-file",
    "exported_symbols_list", "install_name", "force_load", "framework", "sectcreate", "sysroot",
    "syslibroot", "defsym", "section-start", "start-group", "end-group", "whole-archive",
    "no-whole-archive", "Bstatic", "Bdynamic", "as-needed", "no-as-needed", "include", "imacros",
    "isystem", "profile-use", "profile-instr-use", "profile-sample-use", "auto-profile",
    "module-file", "module-map-file", "sanitize", "no-sanitize", "sanitize-recover",
    "sanitize-ignorelist", "sanitize-blacklist", "debug-compilation-dir",
    "coverage-compilation-dir", "file-compilation-dir", "random-seed", "visibility", "use-ld",
    "embed-offload-object",
];

/// Options of `rustc -C` and `-Z` that neither run nor load anything, whatever they are set to.
const CODEGEN: &[&str] = &[
    "code-model", "codegen-units", "control-flow-guard", "debug-assertions", "debuginfo",
    "default-linker-libraries", "embed-bitcode", "extra-filename", "force-frame-pointers",
    "force-unwind-tables", "inline-threshold", "instrument-coverage", "link-dead-code",
    "link-self-contained", "linker-flavor", "lto", "macro-backtrace", "metadata", "mir-opt-level",
    "next-solver", "no-prepopulate-passes", "no-redzone", "no-vectorize-loops", "no-vectorize-slp",
    "opt-level", "overflow-checks", "panic", "polonius", "prefer-dynamic", "print-type-sizes",
    "randomize-layout", "relocation-model", "relro-level", "remark", "rpath", "sanitizer",
    "save-temps", "share-generics", "soft-float", "split-debuginfo", "strip",
    "symbol-mangling-version", "target-cpu", "target-feature", "threads", "time-passes",
    "tune-cpu", "unstable-options",
];

/// What other options of `rustc` and `rustdoc` begin with that neither run nor load anything.
const OF_RUSTC: &[&str] = &[
    "-A", "-W", "-D", "-F", "-l", "-L", "--allow", "--warn", "--deny", "--forbid", "--force-warn",
    "--cap-lints", "--cfg", "--check-cfg", "--edition", "--remap-path-prefix", "--error-format",
    "--color", "--diagnostic-width", "--document-", "--show-coverage",
];

/// Folders in which the system keeps them.
const FOLDERS: &[&str] = &["/usr/bin/", "/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"];

/// Variables that name the compilers of a build, and their flags.
const BUILDS: &[&str] = &[
    "CC", "CXX", "CPP", "LD", "AR", "AS", "NM", "RANLIB", "STRIP", "OBJCOPY", "FC", "HOSTCC",
    "RUSTC", "RUSTDOC", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_BUILD_RUSTC",
    "CARGO_BUILD_RUSTC_WRAPPER", "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER", "CFLAGS", "CXXFLAGS",
    "CPPFLAGS", "LDFLAGS", "FFLAGS", "RUSTFLAGS", "RUSTDOCFLAGS", "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_RUSTFLAGS", "CARGO_BUILD_RUSTDOCFLAGS", "CARGO_ENCODED_RUSTDOCFLAGS", "GOFLAGS",
    "MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "CARGO_BUILD_TARGET", "CROSS_CONFIG",
];

/// What the names of such variables begin with, before that of a target or of something else.
const OF_TARGETS: &[&str] = &[
    "CC_", "CXX_", "AR_", "CFLAGS_", "CXXFLAGS_", "CROSS_CONTAINER_", "CROSS_CUSTOM_",
    "CROSS_TARGET_",
];

/// True for a variable that names the compilers of a build, or their flags.
#[must_use]
pub fn of_builds(name: &str) -> bool {
    let is_setting = name.starts_with("CARGO_TARGET_") || name.starts_with("CMAKE_");
    let ends = ["_LINKER", "_RUNNER", "_RUSTFLAGS", "_RUSTDOCFLAGS", "_LAUNCHER"];
    BUILDS.contains(&name)
        || OF_TARGETS.iter().any(|start| name.starts_with(start))
        || is_setting && ends.iter().any(|end| name.ends_with(end))
}

/// True for the name of one, or its path in a folder of the system.
#[must_use]
pub fn is_compiler(program: &str) -> bool {
    let name = FOLDERS.iter().find_map(|folder| program.strip_prefix(folder)).unwrap_or(program);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let name = match name.rsplit_once('-') {
        Some((name, version))
            if !version.is_empty()
                && version.chars().all(|char| char.is_ascii_digit() || char == '.') =>
        {
            name
        }
        _ => name,
    };
    let is_plain = name.chars().all(|char| char.is_ascii_alphanumeric() || "+-._".contains(char));
    is_plain && (NAMES.contains(&name) || ENDS.iter().any(|end| name.ends_with(end)))
}

/// True for options of one that load nothing, and write nothing where they say.
#[must_use]
pub fn are_harmless_flags(text: &str) -> bool {
    let is_harmless = |word: &str| {
        !word.contains(['$', '`', ';', '|', '&', '<', '>', '(', '\n'])
            && !LOADS.iter().chain(OUTPUTS).any(|start| word.starts_with(start))
    };
    let stays = |flags: &Flag<'_>| match flags {
        Flag::Loads(_) => false,
        Flag::Writes(path) => !path.starts_with(['/', '~']) && !path.contains(".."),
    };
    text.split_whitespace().all(is_harmless) && flags(text.split_whitespace()).iter().all(stays)
}

/// What an option of a compiler does besides compiling.
#[derive(Debug, PartialEq, Eq)]
pub enum Flag<'w> {
    /// It loads or runs something.
    Loads(&'w str),
    /// It writes this file, or files in this folder.
    Writes(&'w str),
}

/// What words do that a compiler passes on (`-Wl,-Map=x`, `-Xlinker x`), and those with `-f`.
#[must_use]
pub fn flags<'w>(words: impl Iterator<Item = &'w str>) -> Vec<Flag<'w>> {
    let mut flags = Vec::new();
    let (mut before, mut is_passed) = (None, false);
    for word in words {
        let parts = ["-Wl,", "-Wa,", "-Wp,"].iter().find_map(|start| word.strip_prefix(start));
        if std::mem::take(&mut is_passed) {
            passed(word, &mut before, &mut flags);
        } else if PASSES.contains(&word) {
            is_passed = true;
        } else if let Some(parts) = parts {
            for part in parts.split(',') {
                passed(part, &mut before, &mut flags);
            }
        } else if let Some(option) = word.strip_prefix("-f") {
            let linker = option.strip_prefix("use-ld=");
            let is_other = linker.is_some_and(|name| !LINKERS.contains(&name));
            if option.contains("plugin") || is_other {
                flags.push(Flag::Loads(word));
            } else {
                flags.extend(written(option));
            }
        }
    }
    flags
}

/// One word that is passed on. `before`: the option before it, which may have it as its value.
fn passed<'w>(part: &'w str, before: &mut Option<&'w str>, flags: &mut Vec<Flag<'w>>) {
    let name = part.trim_start_matches('-');
    if part.starts_with('-') {
        let loads = part.contains("plugin") || name.starts_with("load") || name == "lto_library";
        let attached = part.strip_prefix("-o").filter(|rest| rest.contains('/'));
        *before = (!loads && !part.contains('=')).then_some(name);
        match attached {
            _ if loads => flags.push(Flag::Loads(part)),
            Some(path) => flags.push(Flag::Writes(path)),
            None => flags.extend(written(name)),
        }
    } else if part.starts_with('@') {
        flags.push(Flag::Loads(part));
    } else if before.take().is_some_and(|name| !NOT_WRITTEN.contains(&name)) && is_path(part) {
        flags.push(Flag::Writes(part));
    }
}

/// The file that `name=value` writes: what is not known to be none is one, if it looks so.
fn written(option: &str) -> Option<Flag<'_>> {
    let (name, value) = option.split_once('=')?;
    let value = value.rsplit('=').next().unwrap_or(value);
    let is_other = NOT_WRITTEN.contains(&name) || name.ends_with("prefix-map");
    (!is_other && is_path(value)).then_some(Flag::Writes(value))
}

/// True for a word that may name a file.
fn is_path(word: &str) -> bool {
    word.contains(['/', '.', '~'])
}

/// True if a value of a variable names a usual compiler or harmless flags, and does nothing else.
#[must_use]
pub fn is_usual(name: &str, text: &str) -> bool {
    match name {
        "GOFLAGS" => text.split_whitespace().all(golang::is_harmless),
        "MAKEFLAGS" | "MFLAGS" | "GNUMAKEFLAGS" => text.split_whitespace().all(is_of_make),
        _ if name.ends_with("RUSTFLAGS") || name.ends_with("RUSTDOCFLAGS") => {
            are_harmless_rust_flags(text)
        }
        _ if name.contains("FLAGS") => are_harmless_flags(text),
        // A file of that name names its linker.
        "CARGO_BUILD_TARGET" => !text.contains('/') && !text.ends_with(".json"),
        _ if name.starts_with("CROSS_") => matches!(text, "docker" | "podman"),
        _ if name.ends_with("_RUNNER") => {
            let emulators = ["qemu-", "wine", "node", "wasmtime", "valgrind", "cross"];
            !text.contains(['/', ';', '|', '&', '$', '`', '<', '>'])
                && emulators.iter().any(|start| text.starts_with(start))
        }
        _ => is_compiler_command(text),
    }
}

/// True for an option of `make` that names neither code nor a file.
fn is_of_make(word: &str) -> bool {
    /// Options of `make` that only choose how it works.
    const WORDS: &[&str] = &[
        "--jobs", "--keep-going", "--silent", "--quiet", "--no-print-directory",
        "--print-directory", "--output-sync", "--load-average", "--no-builtin-rules",
        "--no-builtin-variables", "--warn-undefined-variables",
    ];
    let letters = word.strip_prefix('-').unwrap_or(word);
    let is_short =
        letters.chars().all(|char| char.is_ascii_digit() || "jkswrRlOnB.".contains(char));
    let name = word.split('=').next().unwrap_or_default();
    is_short || word.starts_with("--") && WORDS.contains(&name)
}

/// True for a command that is one of them: `ccache gcc -m32`, `zig cc`.
#[must_use]
pub fn is_compiler_command(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.next().is_none_or(is_compiler)
        && words.all(|word| is_compiler(word) || word.starts_with('-') && are_harmless_flags(word))
}

/// True for flags of `rustc` that name no program, or one that is a linker.
#[must_use]
pub fn are_harmless_rust_flags(text: &str) -> bool {
    let parts = text.split(|char: char| char.is_whitespace() || "'\"[],\u{1f}".contains(char));
    let mut is_codegen = false;
    parts.filter(|word| !word.is_empty()).all(|word| {
        let was_codegen = std::mem::take(&mut is_codegen);
        let attached = ["-C", "-Z", "--codegen="].iter().find_map(|start| word.strip_prefix(start));
        match attached {
            Some("") => {
                is_codegen = true;
                true
            }
            Some(option) => is_harmless_codegen(option),
            None if was_codegen => is_harmless_codegen(word),
            None if word.starts_with('-') => {
                matches!(word, "-g" | "-O" | "-v" | "--verbose")
                    || OF_RUSTC.iter().any(|start| word.starts_with(start)) && is_plain(word)
            }
            None => is_plain(word) && !word.starts_with('@'),
        }
    })
}

/// True for an option behind `-C` or `-Z` that neither runs nor loads anything, but for a linker.
#[must_use]
pub fn is_harmless_codegen(option: &str) -> bool {
    match option.split_once('=') {
        Some(("linker" | "ar", program)) => is_compiler(program),
        Some(("link-arg" | "link-args", flags)) => are_harmless_flags(flags),
        Some(("llvm-args", flags)) => {
            let mut flags = flags.split_whitespace().map(|flag| flag.trim_start_matches('-'));
            is_plain(option) && !flags.any(|flag| flag.starts_with("load"))
        }
        _ => sets_codegen(option) && is_plain(option),
    }
}

/// True if what is set is one of those that neither run nor load anything, whatever to.
#[must_use]
pub fn sets_codegen(option: &str) -> bool {
    CODEGEN.contains(&option.split('=').next().unwrap_or_default())
}

/// True for a word that no shell would expand.
fn is_plain(word: &str) -> bool {
    !word.contains(['$', '`', ';', '|', '&', '<', '>', '\\'])
}

#[cfg(test)]
mod tests;
