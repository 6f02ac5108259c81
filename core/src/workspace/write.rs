//! Writing a whole file, or to its end.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;

use cap_std::fs::{MetadataExt as _, OpenOptions, OpenOptionsExt};
use rustix::fs::OFlags;

use super::encoding::is_utf8;
use super::folder_lock::FolderLock;
use super::lock::while_locked;
use super::media::SNIFFED_BYTES;
use super::open::{check_type, flags};
use super::read::check_text;
use super::replace::{remove, replace};
use super::resolve::Place;
use super::wait::Wait;
use super::{Error, RelativePath, Workspace};

/// The most bytes that are written at once or edited (64 MiB).
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// What is read at once to recognise the encoding of a file.
const BLOCK_BYTES: usize = 64 << 10;
const _: () = assert!(BLOCK_BYTES >= SNIFFED_BYTES);

/// What becomes of the content that is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteMode {
    /// It is replaced in one step.
    #[default]
    Replace,
    /// It stays, and the new content follows it.
    Append,
}

/// What a write did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// The bytes written, without those that were there.
    pub bytes: u64,
    /// True if there was no such file before.
    pub created: bool,
}

impl Workspace {
    /// Writes `content` to a file and makes its missing folders (0755 less umask). A new file gets
    /// 0644 less umask; an existing one keeps its mode and, where the system lets us, its owner.
    ///
    /// Replacing is atomic: a temporary file in the same folder is synced to the disk and renamed,
    /// so a reader, or a crash, finds the old content or the new. It gives the name a new file:
    /// other hard links of the old one keep the old content. Appending does so, too, where the file has
    /// other names: one of them may be of what must not be written. Else it writes to the file itself; if
    /// the disk fills up, what was written of it is taken back. A link is followed and stays a link.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] above [`MAX_FILE_BYTES`]; [`Error::IsFolder`], [`Error::NotRegular`];
    /// [`Error::Binary`] and [`Error::OtherEncoding`] where it is appended to; [`Error::Permission`], also for a read-only file; and the refusals.
    pub fn write(
        &self,
        path: &RelativePath,
        content: &[u8],
        mode: WriteMode,
    ) -> Result<Written, Error> {
        let bytes = content.len() as u64;
        self.check_writable_size(path, content.len())?;
        if mode == WriteMode::Append {
            return self.append_as(path, content, |_| Ok(()));
        }
        let wait = Wait::begin();
        let place = self.place(path, true)?;
        let replace = || {
            let mut locks = None;
            let created = replace(path, &place, content, || {
                let own = FolderLock::take(path, &place.dir, wait)?;
                locks = Some((own, place.admit(path, bytes, wait)?));
                Ok(())
            });
            drop(locks);
            created
        };
        let created = while_locked(path, &place, wait, replace)??;
        Ok(Written { bytes, created })
    }

    /// Appends to a file. `last` is asked at the last moment, with the path without links, and may
    /// call it off.
    pub(crate) fn append_as<E: From<Error>>(
        &self,
        path: &RelativePath,
        content: &[u8],
        last: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<Written, E> {
        let bytes = content.len() as u64;
        let wait = Wait::begin();
        let mut made = Vec::new();
        let place = match self.place(path, false) {
            Err(Error::NotFound { .. }) => {
                made = self.missing_folders(&self.target(path)?);
                self.place(path, true)?
            }
            place => place?,
        };
        let append = || -> Result<bool, E> {
            let lock = FolderLock::take(path, &place.dir, wait)?;
            let there = place.dir.symlink_metadata(&place.name).map_or(0, |there| there.len());
            let shared = place.admit(path, there.saturating_add(bytes), wait)?;
            last(&place.target)?;
            let created = match has_other_names(&place) {
                true => append_apart(path, &place, content)?,
                false => append(path, &place, content)?,
            };
            drop((lock, shared));
            Ok(created)
        };
        let created = while_locked(path, &place, wait, append).map_err(E::from).flatten();
        if created.is_err() {
            // A refused write leaves no folders behind.
            self.remove_empty(&made);
        }
        Ok(Written { bytes, created: created? })
    }

    /// An error if so many bytes are too many to write at once.
    pub(crate) fn check_writable_size(
        &self,
        path: &RelativePath,
        bytes: usize,
    ) -> Result<(), Error> {
        check_size(path, bytes as u64, "write it in several parts with append")
    }
}

/// An error if that many bytes are too many.
pub(super) fn check_size(
    path: &RelativePath,
    bytes: u64,
    remedy: &'static str,
) -> Result<(), Error> {
    if bytes > MAX_FILE_BYTES {
        let path = path.to_string();
        return Err(Error::TooLarge { path, bytes, max: MAX_FILE_BYTES, remedy });
    }
    Ok(())
}

fn append(path: &RelativePath, place: &Place, content: &[u8]) -> Result<bool, Error> {
    let failed = |error| Error::from_io(path, "append to", error);
    let mut options = OpenOptions::new();
    options.append(true).custom_flags(flags(OFlags::NOFOLLOW)).mode(0o644);
    let created = match place.dir.symlink_metadata(&place.name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        found => {
            check_type(path, found.map_err(failed)?.file_type())?;
            false
        }
    };
    if !created {
        check_encoding(path, place, content)?;
    }
    options.create(created);
    let file = place.dir.open_with(&place.name, &options).map_err(failed)?;
    let mut file = place.regular(path, file, "append to")?;
    let there = file.metadata().map_err(failed)?.len();
    let mut rest = content;
    let written = write_rest(&mut file, &mut rest).and_then(|()| file.sync_all());
    if let Err(error) = written {
        take_back(path, place, &file, (there, (content.len() - rest.len()) as u64), created);
        return Err(failed(error));
    }
    Ok(created)
}

fn has_other_names(place: &Place) -> bool {
    let data = place.dir.symlink_metadata(&place.name);
    data.is_ok_and(|data| data.is_file() && data.nlink() > 1)
}

/// Appends to a file that has other names: this name gets a file of its own.
fn append_apart(path: &RelativePath, place: &Place, content: &[u8]) -> Result<bool, Error> {
    check_encoding(path, place, content)?;
    let mut whole = Vec::new();
    let read = place.open_file(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut whole);
    read.map_err(|error| Error::from_io(path, "append to", error))?;
    whole.extend_from_slice(content);
    check_size(path, whole.len() as u64, "give the file one name only, by a copy")?;
    replace(path, place, &whole, || Ok(()))
}

/// Writes what is left of a text, and counts it off.
fn write_rest(file: &mut File, rest: &mut &[u8]) -> io::Result<()> {
    while !rest.is_empty() {
        match file.write(rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => *rest = &rest[count..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Takes a half of a text off the end of a file again, unless somebody else has written behind it.
fn take_back(
    path: &RelativePath,
    place: &Place,
    file: &File,
    (there, written): (u64, u64),
    created: bool,
) {
    let is_last = file.metadata().is_ok_and(|now| now.len() == there + written);
    // If this fails, too, the error says that the disk is at fault.
    let _ = match is_last {
        true if created => remove(path, place).is_ok(),
        true => file.set_len(there).is_ok(),
        false => false,
    };
}

/// Refuses a file that is no text in UTF-8: what is appended would be no part of it. ASCII is in nearly
/// every other encoding, too.
fn check_encoding(path: &RelativePath, place: &Place, content: &[u8]) -> Result<(), Error> {
    // What cannot be read may still be written.
    let Ok(file) = place.open_file(path) else { return Ok(()) };
    let mut reader = BufReader::with_capacity(BLOCK_BYTES, file);
    let failed = |error| Error::from_io(path, "append to", error);
    check_text(path, reader.fill_buf().map_err(failed)?)?;
    match content.is_ascii() || is_utf8(reader).map_err(failed)? {
        true => Ok(()),
        false => Err(Error::OtherEncoding { path: path.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;
    use crate::error::Code;

    struct Fixture {
        root: tempfile::TempDir,
        workspace: Workspace,
    }

    fn fixture() -> Fixture {
        let root = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(root.path()).unwrap();
        Fixture { root, workspace }
    }

    impl Fixture {
        fn write(&self, path: &str, content: &str, mode: WriteMode) -> Result<Written, Error> {
            self.workspace.write(&self.workspace.relative(path)?, content.as_bytes(), mode)
        }

        fn content(&self, path: &str) -> String {
            fs::read_to_string(self.root.path().join(path)).unwrap()
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(self.root.path()).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        }
    }

    #[test]
    fn a_write_makes_folders_and_reports_whether_it_made_the_file() {
        let fixture = fixture();
        let first = fixture.write("a/b/c.txt", "one", WriteMode::Replace).unwrap();
        let second = fixture.write("a/b/c.txt", "four", WriteMode::Replace).unwrap();
        assert_eq!(first, Written { bytes: 3, created: true });
        assert_eq!(second, Written { bytes: 4, created: false });
        assert_eq!(fixture.content("a/b/c.txt"), "four");
        let mode = fs::metadata(fixture.root.path().join("a/b")).unwrap().mode();
        assert_eq!(mode & 0o777 & !0o755, 0);
    }

    #[test]
    fn an_append_to_one_of_several_names_leaves_the_others_alone() {
        let fixture = fixture();
        let root = fixture.root.path();
        fs::write(root.join("one"), "first\n").unwrap();
        fs::hard_link(root.join("one"), root.join("two")).unwrap();
        assert!(!fixture.write("two", "second\n", WriteMode::Append).unwrap().created);
        assert_eq!(
            (&*fixture.content("one"), &*fixture.content("two")),
            ("first\n", "first\nsecond\n")
        );
        fixture.write("two", "third\n", WriteMode::Append).unwrap();
        assert_eq!(fixture.content("two"), "first\nsecond\nthird\n");
        assert_eq!(fixture.names(), ["one", "two"]);
    }

    #[test]
    fn an_append_creates_the_file_and_then_adds_to_it() {
        let fixture = fixture();
        assert!(fixture.write("log", "one\n", WriteMode::Append).unwrap().created);
        assert!(!fixture.write("log", "two\n", WriteMode::Append).unwrap().created);
        assert_eq!(fixture.content("log"), "one\ntwo\n");
    }

    #[test]
    fn the_mode_of_a_file_is_kept_and_a_new_one_is_not_executable() {
        let fixture = fixture();
        let path = fixture.root.path().join("run.sh");
        fs::write(&path, "old").unwrap();
        for mode in [0o755, 0o600, 0o664] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            fixture.write("run.sh", "new", WriteMode::Replace).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, mode);
        }
        fixture.write("new", "", WriteMode::Replace).unwrap();
        let mode = fs::metadata(fixture.root.path().join("new")).unwrap().mode();
        assert_eq!(mode & 0o777 & !0o644, 0);
    }

    #[test]
    fn a_write_through_a_link_changes_its_target_and_keeps_the_link() {
        let fixture = fixture();
        let root = fixture.root.path();
        fs::create_dir(root.join("real")).unwrap();
        fs::write(root.join("real/file"), "old").unwrap();
        symlink("real/file", root.join("relative")).unwrap();
        symlink(root.join("real/file"), root.join("absolute")).unwrap();
        symlink("real/new", root.join("dangling")).unwrap();
        for (link, target) in
            [("relative", "real/file"), ("absolute", "real/file"), ("dangling", "real/new")]
        {
            for mode in [WriteMode::Replace, WriteMode::Append] {
                fixture.write(link, link, mode).unwrap();
            }
            assert_eq!(fixture.content(target), link.repeat(2));
            assert!(fs::symlink_metadata(root.join(link)).unwrap().is_symlink());
        }
    }

    #[test]
    fn a_folder_is_never_written() {
        let fixture = fixture();
        fs::create_dir(fixture.root.path().join("dir")).unwrap();
        for path in ["dir", "dir/", "new/", ".", "dir/."] {
            for mode in [WriteMode::Replace, WriteMode::Append] {
                let error = fixture.write(path, "x", mode).unwrap_err();
                assert!(matches!(error, Error::IsFolder { .. }), "{path}: {error}");
            }
        }
        assert_eq!(fixture.names(), ["dir"]);
    }

    #[test]
    fn a_file_is_no_folder() {
        let fixture = fixture();
        fixture.write("file", "x", WriteMode::Replace).unwrap();
        let error = fixture.write("file/below", "x", WriteMode::Replace).unwrap_err();
        assert!(matches!(error, Error::NotAFolder { .. }), "{error}");
    }

    #[test]
    fn too_much_content_is_refused_before_anything_is_touched() {
        let fixture = fixture();
        let content = vec![b'x'; MAX_FILE_BYTES as usize + 1];
        let path = fixture.workspace.relative("new/big").unwrap();
        let error = fixture.workspace.write(&path, &content, WriteMode::Replace).unwrap_err();
        assert_eq!(error.code(), Code::ToolFailed);
        assert!(fixture.names().is_empty());
    }

    #[test]
    fn a_write_that_is_called_off_leaves_the_old_content_and_no_other_file() {
        let fixture = fixture();
        fixture.write("file", "old", WriteMode::Replace).unwrap();
        let path = fixture.workspace.relative("file").unwrap();
        let place = fixture.workspace.place(&path, false).unwrap();
        let changed = || Err(Error::Changed { path: "file".into() });
        assert!(replace(&path, &place, b"new", changed).is_err());
        assert_eq!(fixture.content("file"), "old");
        assert_eq!(fixture.names(), ["file"]);
    }

    #[test]
    fn replacing_gives_the_name_a_new_file_and_leaves_other_hard_links_alone() {
        let fixture = fixture();
        let root = fixture.root.path();
        fs::write(root.join("one"), "old").unwrap();
        fs::hard_link(root.join("one"), root.join("two")).unwrap();
        fixture.write("one", "new", WriteMode::Replace).unwrap();
        assert_eq!((fixture.content("one"), fixture.content("two")), ("new".into(), "old".into()));
    }
}
