//! Compilers, and flags for them, that are told from others.

use super::*;

#[test]
fn compilers_are_distinguished_from_other_programs() {
    for command in ["", "gcc", "clang-18", "ccache g++ -m32", "zig cc", "/usr/bin/cc"] {
        assert!(is_compiler_command(command), "{command}");
    }
    for command in ["rm -rf /home", "/tmp/gcc", "./cc", "sh -c gcc", "gcc -B/tmp", "gcc; id"] {
        assert!(!is_compiler_command(command), "{command}");
    }
}

#[test]
fn flags_that_write_or_load_are_distinguished_from_others() {
    for flags in [
        "-O2 -Wall -Wl,-rpath,/opt/x/lib -Wl,--gc-sections",
        "-Wl,-z,relro,-z,now -Wl,--start-group,/usr/lib/libc.a -Wl,-Map=out.map",
        "-fdebug-prefix-map=/build=. -fsanitize=address -fprofile-generate",
        "-Wp,-D_FORTIFY_SOURCE=2",
    ] {
        assert!(are_harmless_flags(flags), "{flags}");
    }
    for flags in [
        "-Wl,-plugin,./x.so", "-fpass-plugin=./x.so", "-Wl,-Map=/home/user/.bashrc",
        "-Wl,-Map,/home/user/.bashrc", "-Wp,-MD,/home/user/x", "-Wa,-aln=/home/user/x",
        "-fdump-tree-original=/home/user/x", "-fprofile-generate=../../x", "-O2 -o /home/user/x",
    ] {
        assert!(!are_harmless_flags(flags), "{flags}");
    }
}

#[test]
fn flags_that_name_a_program_are_distinguished_from_others() {
    for flags in [
        "-Dwarnings", "-D warnings -A clippy::all", "-C target-cpu=native",
        "-Ctarget-feature=+aes,+avx2", "-Clinker=clang", "-Clink-arg=-fuse-ld=mold",
        "--cfg tokio_unstable", "-g -Copt-level=3 -Clto", "-Cllvm-args=-enable-load-pre",
        r#"["-C", "link-arg=-s"]"#,
    ] {
        assert!(are_harmless_rust_flags(flags), "{flags}");
    }
    for flags in [
        "-Clinker=/tmp/x", "-C linker=rm", "-Clink-arg=-B/tmp", "-Zcodegen-backend=x",
        "-Cllvm-args=-load=/tmp/x.so", "--codegen=linker=/tmp/x", "--codegen linker=/tmp/x",
        "-gClinker=/tmp/x", "@/tmp/x", "-Clinker-plugin-lto=/tmp/x.so", "-Zpre-link-args=-B/tmp",
        "-Zllvm-plugins=/tmp/x.so", "-Clink-arg=-Xlinker -Clink-arg=-plugin",
        r"-Clinker\u003d/tmp/x",
    ] {
        assert!(!are_harmless_rust_flags(flags), "{flags}");
    }
}
