//! Checks the entries of `files.deny` that could be meant as a pattern or as a plain name, against what is
//! on the disk when a runtime is opened.

use std::path::Path;

use crate::limits::echo;
use crate::shell::denied;
use crate::workspace::Deny;

/// The entries as they are read from then on: one that is no valid glob, and is the name of something that
/// is there, is that name.
///
/// # Errors
/// What is wrong with an entry that names a real folder and goes on with wildcards, so that whoever wrote
/// it must say which of the two the brackets are.
pub(super) fn settled(entries: &[String], roots: &[&Path]) -> Result<Vec<String>, String> {
    entries.iter().map(|entry| settle(entry, roots)).collect()
}

fn settle(entry: &str, roots: &[&Path]) -> Result<String, String> {
    if !denied::is_glob(entry) {
        return Ok(entry.to_owned());
    }
    let is_there = |path: &str| match path.starts_with('/') {
        true => Path::new(path).symlink_metadata().is_ok(),
        false => roots.iter().any(|root| root.join(path).symlink_metadata().is_ok()),
    };
    if is_there(entry) {
        let is_valid = Deny::new(&[entry]).is_ok();
        return Ok(if is_valid { entry.to_owned() } else { denied::as_written(entry) });
    }
    let folders = entry.match_indices('/').map(|(at, _)| entry.split_at(at));
    for (folder, below) in folders {
        let is_odd = folder.rsplit('/').next().is_some_and(|name| name.contains(['[', '{']));
        let is_open = below.contains(['*', '?', '[', '{']);
        if is_odd && is_open && is_there(folder) {
            let escaped = format!("{}{below}", denied::as_written(folder));
            return Err(format!(
                "`{}` names the folder `{}`, which is there, and is a pattern for other names as well. \
                 Write `{}` for that folder, or close it whole: `{}`",
                echo(entry),
                echo(folder),
                echo(&escaped),
                echo(folder)
            ));
        }
    }
    Ok(entry.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_that_names_a_real_folder_and_goes_on_with_wildcards_is_complained_of() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("app/[id]")).unwrap();
        std::fs::create_dir_all(folder.path().join("{x}")).unwrap();
        std::fs::write(folder.path().join("k[1"), "").unwrap();
        let settled = |entry: &str| settled(&[entry.to_owned()], &[folder.path()]);
        for (entry, becomes) in [
            ("app/[id]", "app/[id]"),
            ("app/[id]/later.txt", "app/[id]/later.txt"),
            (r"app/\[id\]/*.pem", r"app/\[id\]/*.pem"),
            ("app/[ab]/*.pem", "app/[ab]/*.pem"),
            ("**/*.pem", "**/*.pem"),
            ("k[1", r"k\[1"),
        ] {
            assert_eq!(settled(entry), Ok(vec![becomes.to_owned()]), "{entry}");
        }
        for (entry, instead) in
            [("app/[id]/*.pem", r"`app/\[id\]/*.pem`"), ("{x}/**", r"`\{x\}/**`")]
        {
            let why = settled(entry).unwrap_err();
            assert!(why.contains(instead) && why.contains("which is there"), "{why}");
        }
    }
}
