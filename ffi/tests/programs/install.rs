//! What is installed can be found and used by the two ways in which C projects look for libraries.

use std::path::Path;
use std::process::Command;

use crate::program::{root, run, target_and_profile};

fn install(prefix: &Path) {
    let (target, profile) = target_and_profile();
    run(Command::new(root().join("ffi/install.sh"))
        .arg(prefix)
        .arg(profile)
        .env("CARGO_TARGET_DIR", target));
}

/// Compiles the C quickstart with what `pkg-config` says, and runs it.
fn through_pkg_config(prefix: &Path) {
    let mut asked = Command::new("pkg-config");
    asked.args(["--cflags", "--libs", "toolkeep"]);
    let flags = run(asked.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")));
    let program = prefix.join("quickstart");
    run(Command::new("gcc")
        .arg(root().join("examples/c/quickstart.c"))
        .args(flags.split_whitespace())
        .arg("-o")
        .arg(&program));
    let printed = run(Command::new(&program).env("LD_LIBRARY_PATH", prefix.join("lib")));
    assert!(printed.contains("[REDACTED:"), "{printed}");
}

const LISTS: &str = r#"
cmake_minimum_required(VERSION 3.13)
project(quickstart C CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(toolkeep REQUIRED)
add_executable(shared ${EXAMPLES}/cpp/quickstart.cpp)
target_link_libraries(shared toolkeep::toolkeep)
add_executable(static ${EXAMPLES}/c/quickstart.c)
target_link_libraries(static toolkeep::static)
"#;

/// Builds the quickstarts with CMake, one on each library, and runs them.
fn through_cmake(prefix: &Path) {
    let project = prefix.join("project");
    let build = prefix.join("build");
    std::fs::create_dir(&project).unwrap();
    std::fs::write(project.join("CMakeLists.txt"), LISTS).unwrap();
    run(Command::new("cmake")
        .arg("-S")
        .arg(&project)
        .arg("-B")
        .arg(&build)
        .arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()))
        .arg(format!("-DEXAMPLES={}", root().join("examples").display())));
    run(Command::new("cmake").arg("--build").arg(&build));
    for name in ["shared", "static"] {
        let printed = run(&mut Command::new(build.join(name)));
        assert!(printed.contains("[REDACTED:"), "{name}: {printed}");
    }
}

/// The library gives away its own names and no other, lest it clash with the host's libraries.
fn only_own_names(prefix: &Path) {
    let mut listing = Command::new("nm");
    listing.args(["--dynamic", "--defined-only", "--format=posix"]);
    let names = run(listing.arg(prefix.join("lib/libtoolkeep.so")));
    let foreign: Vec<&str> = names.lines().filter(|name| !name.starts_with("toolkeep_")).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    assert!(names.lines().count() > 30, "{names}");
}

#[test]
fn an_installed_library_is_found_by_pkg_config_and_cmake() {
    let prefix = tempfile::tempdir().unwrap();
    install(prefix.path());
    only_own_names(prefix.path());
    through_pkg_config(prefix.path());
    through_cmake(prefix.path());
}
