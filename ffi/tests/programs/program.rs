//! Compiles a program and runs it.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;

/// The root of the repository.
pub fn root() -> PathBuf {
    // Cargo runs the tests of a package in its folder.
    env::current_dir().unwrap().parent().unwrap().to_owned()
}

/// The folder of the build that this test belongs to: `target/debug`.
fn build_folder() -> PathBuf {
    let program = env::current_exe().unwrap();
    program.ancestors().nth(2).unwrap().to_owned()
}

/// The folder above it, and the profile that it is named after.
pub fn target_and_profile() -> (PathBuf, String) {
    let folder = build_folder();
    let name = folder.file_name().unwrap().to_str().unwrap();
    let profile = if name == "debug" { "dev" } else { name };
    (folder.parent().unwrap().to_owned(), profile.to_owned())
}

/// Where `libtoolkeep.so` lies. Cargo builds it for nobody but itself, so it is asked to.
pub fn library_folder() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let (target, profile) = target_and_profile();
        run(Command::new(env!("CARGO"))
            .args(["build", "--locked", "--package", "toolkeep-ffi", "--profile", &profile])
            .arg("--target-dir")
            .arg(target)
            .current_dir(root()));
        build_folder()
    });
    built.clone()
}

/// Runs a command to its end and gives what it printed.
pub fn run(command: &mut Command) -> String {
    let output = output(command);
    let text = text(&output);
    assert!(output.status.success(), "{command:?}: {}\n{text}", output.status);
    text
}

/// Runs a command to its end, however that is.
pub fn output(command: &mut Command) -> Output {
    match command.output() {
        Ok(output) => output,
        Err(error) => panic!("{command:?}: {error}; install gcc, g++, valgrind, pkg-config, cmake"),
    }
}

/// Everything that a command printed.
pub fn text(output: &Output) -> String {
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    text
}

/// A program of ours in a folder of its own.
pub struct Program {
    folder: TempDir,
}

impl Program {
    /// Compiles a source of the repository with every warning an error. The language is told by
    /// the source's name.
    pub fn compile(source: &str, flags: &[&str]) -> Program {
        let folder = tempfile::tempdir().unwrap();
        let (compiler, standard) =
            if source.ends_with(".c") { ("gcc", "-std=c99") } else { ("g++", "-std=c++17") };
        let library = library_folder();
        run(Command::new(compiler)
            .args([standard, "-pedantic", "-Wall", "-Wextra", "-Werror", "-g", "-pthread"])
            .args(flags)
            .arg(root().join(source))
            .arg("-I")
            .arg(root().join("include"))
            .arg("-L")
            .arg(&library)
            .arg(format!("-Wl,-rpath,{}", library.display()))
            .arg("-ltoolkeep")
            .arg("-o")
            .arg(folder.path().join("program")));
        std::fs::create_dir(folder.path().join("data")).unwrap();
        Program { folder }
    }

    /// An empty folder that the program may use.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The program as a command. One that hangs is ended after two minutes.
    pub fn command(&self) -> Command {
        let mut command = Command::new("timeout");
        command.arg("120").arg(self.folder.path().join("program"));
        command
    }

    /// The program as a command under a memory checker.
    pub fn under_valgrind(&self) -> Command {
        let mut command = Command::new("timeout");
        command
            .args(["480", "valgrind"])
            .args(["--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect"])
            .args(["--show-leak-kinds=definite,indirect", "--error-exitcode=1"])
            .arg(self.folder.path().join("program"));
        command
    }
}
