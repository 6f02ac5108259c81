//! Compilers, linkers and their kin by name: what a build may be told to run without running anything
//! else; and the variables that tell it.

/// Names without a version and a target.
const NAMES: &[&str] = &[
    "gcc",
    "g++",
    "cc",
    "c++",
    "c89",
    "c99",
    "clang",
    "clang++",
    "clang-cl",
    "tcc",
    "icc",
    "icpc",
    "icx",
    "icpx",
    "ifx",
    "nvcc",
    "hipcc",
    "emcc",
    "em++",
    "emar",
    "zig",
    "gfortran",
    "flang",
    "cpp",
    "ld",
    "lld",
    "ld.lld",
    "ld.bfd",
    "ld.gold",
    "gold",
    "mold",
    "wild",
    "rust-lld",
    "lld-link",
    "link",
    "ar",
    "llvm-ar",
    "gcc-ar",
    "as",
    "nasm",
    "nm",
    "llvm-nm",
    "gcc-nm",
    "ranlib",
    "llvm-ranlib",
    "gcc-ranlib",
    "strip",
    "llvm-strip",
    "objcopy",
    "llvm-objcopy",
    "ccache",
    "sccache",
    "distcc",
    "icecc",
    "rustc",
    "rustdoc",
    "clippy-driver",
    "cargo-clippy",
    "musl-gcc",
    "make",
    "gmake",
    "ninja",
];

/// What the name of one for another target ends with: `aarch64-linux-gnu-gcc`.
const ENDS: &[&str] = &[
    "-gcc",
    "-g++",
    "-cc",
    "-c++",
    "-clang",
    "-clang++",
    "-gfortran",
    "-cpp",
    "-ld",
    "-ar",
    "-as",
    "-nm",
    "-ranlib",
    "-strip",
    "-objcopy",
];

/// Options by which one of them runs or loads something else.
const LOADS: &[&str] = &[
    "-B",
    "-fplugin",
    "-plugin",
    "--plugin",
    "-specs",
    "--specs",
    "-wrapper",
    "--config",
    "-Xclang",
    "-Xlinker",
    "-fuse-ld=/",
    "@",
];

/// Options of `rustc -C` and `-Z` that neither run nor load anything, whatever they are set to.
const CODEGEN: &[&str] = &[
    "code-model",
    "codegen-units",
    "control-flow-guard",
    "debug-assertions",
    "debuginfo",
    "default-linker-libraries",
    "embed-bitcode",
    "extra-filename",
    "force-frame-pointers",
    "force-unwind-tables",
    "inline-threshold",
    "instrument-coverage",
    "link-dead-code",
    "link-self-contained",
    "linker-flavor",
    "lto",
    "macro-backtrace",
    "metadata",
    "mir-opt-level",
    "next-solver",
    "no-prepopulate-passes",
    "no-redzone",
    "no-vectorize-loops",
    "no-vectorize-slp",
    "opt-level",
    "overflow-checks",
    "panic",
    "polonius",
    "prefer-dynamic",
    "print-type-sizes",
    "randomize-layout",
    "relocation-model",
    "relro-level",
    "remark",
    "rpath",
    "sanitizer",
    "save-temps",
    "share-generics",
    "soft-float",
    "split-debuginfo",
    "strip",
    "symbol-mangling-version",
    "target-cpu",
    "target-feature",
    "threads",
    "time-passes",
    "tune-cpu",
    "unstable-options",
];

/// What other options of `rustc` and `rustdoc` begin with that neither run nor load anything.
const OF_RUSTC: &[&str] = &[
    "-A",
    "-W",
    "-D",
    "-F",
    "-l",
    "-L",
    "--allow",
    "--warn",
    "--deny",
    "--forbid",
    "--force-warn",
    "--cap-lints",
    "--cfg",
    "--check-cfg",
    "--edition",
    "--remap-path-prefix",
    "--error-format",
    "--color",
    "--diagnostic-width",
    "--document-",
    "--show-coverage",
];

/// Folders in which the system keeps them.
const FOLDERS: &[&str] = &["/usr/bin/", "/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"];

/// Variables by which a build is told its compilers, and what they are told.
const BUILDS: &[&str] = &[
    "CC",
    "CXX",
    "CPP",
    "LD",
    "AR",
    "AS",
    "NM",
    "RANLIB",
    "STRIP",
    "OBJCOPY",
    "FC",
    "HOSTCC",
    "RUSTC",
    "RUSTDOC",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_RUSTC",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CFLAGS",
    "CXXFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "FFLAGS",
    "RUSTFLAGS",
    "RUSTDOCFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_RUSTFLAGS",
    "GOFLAGS",
    "MAKEFLAGS",
    "MFLAGS",
    "CARGO_BUILD_TARGET",
    "CROSS_CONFIG",
];

/// What the names of such variables begin with, before that of a target or of something else.
const OF_TARGETS: &[&str] = &[
    "CC_",
    "CXX_",
    "AR_",
    "CFLAGS_",
    "CXXFLAGS_",
    "CROSS_CONTAINER_",
    "CROSS_CUSTOM_",
    "CROSS_TARGET_",
];

/// True for a variable by which a build is told its compilers, and what they are told.
#[must_use]
pub fn of_builds(name: &str) -> bool {
    let is_setting = name.starts_with("CARGO_TARGET_") || name.starts_with("CMAKE_");
    let ends = ["_LINKER", "_RUNNER", "_RUSTFLAGS", "_LAUNCHER"];
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

/// True for options of one that load nothing.
#[must_use]
pub fn are_harmless_flags(text: &str) -> bool {
    let is_harmless = |word: &str| {
        !word.contains(['$', '`', ';', '|', '&', '<', '>', '(', '\n'])
            && !LOADS.iter().any(|load| word.starts_with(load))
            && !word.contains(",-plugin")
            && !word.contains(",--plugin")
    };
    text.split_whitespace().all(is_harmless)
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

fn is_plain(word: &str) -> bool {
    !word.contains(['$', '`', ';', '|', '&', '<', '>', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_are_told_from_other_programs() {
        for command in ["", "gcc", "clang-18", "ccache g++ -m32", "zig cc", "/usr/bin/cc"] {
            assert!(is_compiler_command(command), "{command}");
        }
        for command in ["rm -rf /home", "/tmp/gcc", "./cc", "sh -c gcc", "gcc -B/tmp", "gcc; id"] {
            assert!(!is_compiler_command(command), "{command}");
        }
    }

    #[test]
    fn flags_that_name_a_program_are_told_from_others() {
        for flags in [
            "-Dwarnings",
            "-D warnings -A clippy::all",
            "-C target-cpu=native",
            "-Ctarget-feature=+aes,+avx2",
            "-Clinker=clang",
            "-Clink-arg=-fuse-ld=mold",
            "--cfg tokio_unstable",
            "-g -Copt-level=3 -Clto",
            "-Cllvm-args=-enable-load-pre",
            r#"["-C", "link-arg=-s"]"#,
        ] {
            assert!(are_harmless_rust_flags(flags), "{flags}");
        }
        for flags in [
            "-Clinker=/tmp/x",
            "-C linker=rm",
            "-Clink-arg=-B/tmp",
            "-Zcodegen-backend=x",
            "-Cllvm-args=-load=/tmp/x.so",
            "--codegen=linker=/tmp/x",
            "--codegen linker=/tmp/x",
            "-gClinker=/tmp/x",
            "@/tmp/x",
            "-Clinker-plugin-lto=/tmp/x.so",
            "-Zpre-link-args=-B/tmp",
            "-Zllvm-plugins=/tmp/x.so",
            "-Clink-arg=-Xlinker -Clink-arg=-plugin",
            r"-Clinker\u003d/tmp/x",
        ] {
            assert!(!are_harmless_rust_flags(flags), "{flags}");
        }
    }
}
