//! Files that hold no text, told by their names and by what they begin with.

use std::fmt;

/// How much of a file is looked at to tell whether it is text.
pub(super) const SNIFFED_BYTES: usize = 8 << 10;

/// What a file that is not text seems to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Media {
    /// A picture.
    Image,
    /// A sound.
    Audio,
    /// A film.
    Video,
    /// A document of an office program, or a PDF.
    Document,
    /// An archive.
    Archive,
    /// A program or library.
    Program,
    /// Bytes of some other kind.
    Binary,
}

impl Media {
    /// The tool that can make sense of it, if there is one.
    pub fn tool(self) -> Option<&'static str> {
        match self {
            Media::Image => Some("read_image"),
            Media::Audio => Some("read_audio"),
            Media::Video => Some("read_video"),
            Media::Document => Some("read_document"),
            Media::Archive | Media::Program | Media::Binary => None,
        }
    }

    /// What the extension of a path says, whatever its case. `None` if it may be text.
    pub fn of_name(path: &str) -> Option<Media> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (_, extension) = name.rsplit_once('.')?;
        Some(match extension.to_ascii_lowercase().as_str() {
            "jpg" | "jpeg" | "png" | "gif" | "webp" | "bmp" | "ico" | "tiff" | "tif" => {
                Media::Image
            }
            "mp3" | "wav" | "ogg" | "flac" | "aac" | "m4a" => Media::Audio,
            "mp4" | "avi" | "mov" | "mkv" | "webm" => Media::Video,
            "pdf" | "docx" | "xlsx" | "pptx" => Media::Document,
            "zip" | "tar" | "gz" | "bz2" | "7z" | "rar" => Media::Archive,
            "exe" | "dll" | "so" | "dylib" => Media::Program,
            _ => return None,
        })
    }

    /// What the first bytes of a file say: a NUL among the first 8 KiB means that it is no text.
    pub fn of_content(start: &[u8]) -> Option<Media> {
        let sniffed = &start[..start.len().min(SNIFFED_BYTES)];
        memchr::memchr(0, sniffed).map(|_| Media::Binary)
    }
}

impl fmt::Display for Media {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Media::Image => "an image",
            Media::Audio => "an audio file",
            Media::Video => "a video",
            Media::Document => "a document",
            Media::Archive => "an archive",
            Media::Program => "a program or library",
            Media::Binary => "a binary file",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_names_the_tool_in_any_case() {
        let tool = |name| Media::of_name(name).and_then(Media::tool);
        assert_eq!(tool("a/b.PNG"), Some("read_image"));
        assert_eq!(tool("b.Pdf"), Some("read_document"));
        assert_eq!(tool("b.ogg"), Some("read_audio"));
        assert_eq!(tool("b.webm"), Some("read_video"));
        assert_eq!(Media::of_name("x.tar.gz"), Some(Media::Archive));
    }

    #[test]
    fn a_name_without_a_telling_extension_may_be_text() {
        for name in ["png", "a.png/notes", "main.rs", "x.", "archive.zip.txt"] {
            assert_eq!(Media::of_name(name), None, "{name}");
        }
    }

    #[test]
    fn a_nul_counts_only_near_the_start() {
        let mut bytes = vec![b'a'; SNIFFED_BYTES + 1];
        bytes[SNIFFED_BYTES] = 0;
        assert_eq!(Media::of_content(&bytes), None);
        bytes[SNIFFED_BYTES - 1] = 0;
        assert_eq!(Media::of_content(&bytes), Some(Media::Binary));
    }
}
