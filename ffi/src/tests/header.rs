//! The header that is checked in is the one that this crate makes.

use toolkeep::Code;

#[test]
fn the_header_is_the_one_that_this_crate_makes() {
    // Where cargo runs the tests of a package.
    let crate_dir = std::env::current_dir().unwrap();
    let config = cbindgen::Config::from_file(crate_dir.join("cbindgen.toml")).unwrap();
    let bindings =
        cbindgen::Builder::new().with_crate(&crate_dir).with_config(config).generate().unwrap();
    let mut made = Vec::new();
    bindings.write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let path = crate_dir.join("../include/toolkeep.h");
    if std::env::var_os("TOOLKEEP_UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == made, "include/toolkeep.h is out of date: run this with TOOLKEEP_UPDATE=1");
}

#[test]
fn the_header_has_every_code_of_the_core_with_its_number_and_no_other() {
    let header = include_str!("../../../include/toolkeep.h");
    let known: Vec<(String, u32)> = Code::ALL
        .iter()
        .map(|code| (format!("TOOLKEEP_{}", code.name().to_uppercase()), code.number()))
        .collect();
    let declared: Vec<(String, u32)> = header
        .lines()
        .filter_map(|line| line.strip_prefix("#define TOOLKEEP_")?.split_once(' '))
        .filter_map(|(name, number)| Some((format!("TOOLKEEP_{name}"), number.parse().ok()?)))
        .filter(|(name, _)| name != "TOOLKEEP_OK" && name != "TOOLKEEP_ABI_VERSION")
        .collect();
    assert_eq!(declared, known);
}
