//! Compiles the program that confines commands (`confine/`), so that the library can carry it.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Machines that the program knows the system calls of.
const MACHINES: [&str; 2] = ["x86_64", "aarch64"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=confine");
    println!("cargo::rerun-if-changed=src/exec/confine/wire.rs");
    let program = PathBuf::from(env::var("OUT_DIR")?).join("confine");
    let is_known = env::var("CARGO_CFG_TARGET_OS")? == "linux"
        && MACHINES.contains(&env::var("CARGO_CFG_TARGET_ARCH")?.as_str());
    if is_known {
        compile(&program)
    } else {
        // Elsewhere there is nothing to confine with, which the runtime reports.
        Ok(fs::write(&program, b"")?)
    }
}

/// Compiles it for the machine that the library is for. It is one static file without a C library, so
/// it runs wherever the kernel does.
fn compile(program: &Path) -> Result<(), Box<dyn Error>> {
    let mut rustc = Command::new(env::var("RUSTC")?);
    rustc.args(["--edition=2024", "--crate-type=bin", "--crate-name=confine"]);
    rustc.arg("--target").arg(env::var("TARGET")?);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    rustc.args(["-Cpanic=abort", "-Copt-level=s", "-Crelocation-model=static", "-Cstrip=symbols"]);
    for argument in ["-nostartfiles", "-nostdlib", "-static", "-Wl,--build-id=none"] {
        rustc.arg(format!("-Clink-arg={argument}"));
    }
    rustc.arg("-o").arg(program).arg("confine/main.rs");
    let status = rustc.status()?;
    if !status.success() {
        return Err(format!("the confining program does not compile: {status}").into());
    }
    Ok(())
}
