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
const LOADS: &[&str] =
    &["-B", "-fplugin", "-specs", "--specs", "-wrapper", "--config", "-Xclang", "-fuse-ld=/", "@"];

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
];

/// What the names of such variables begin with, before that of a target.
const OF_TARGETS: &[&str] = &["CC_", "CXX_", "AR_", "CFLAGS_", "CXXFLAGS_"];

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
    let mut words = parts.filter(|word| !word.is_empty() && !matches!(*word, "-C" | "-Z"));
    words.all(|word| {
        let word = word.strip_prefix("-C").or(word.strip_prefix("-Z")).unwrap_or(word);
        match word.split_once('=') {
            Some(("linker" | "ar", program)) => is_compiler(program),
            Some(("codegen-backend" | "llvm-plugins", _)) => false,
            Some(("llvm-args", flags)) => !flags.contains("load"),
            Some(("link-arg" | "link-args", flags)) => are_harmless_flags(flags),
            _ => !word.contains(['$', '`', ';', '|', '&', '<', '>', '(']),
        }
    })
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
        for flags in
            ["-Dwarnings", "-C target-cpu=native", "-Clinker=clang", "-Clink-arg=-fuse-ld=mold"]
        {
            assert!(are_harmless_rust_flags(flags), "{flags}");
        }
        for flags in [
            "-Clinker=/tmp/x",
            "-C linker=rm",
            "-Clink-arg=-B/tmp",
            "-Zcodegen-backend=x",
            "-Cllvm-args=-load=/tmp/x.so",
        ] {
            assert!(!are_harmless_rust_flags(flags), "{flags}");
        }
    }
}
