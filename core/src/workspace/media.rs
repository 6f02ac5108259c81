//! Files that hold no text, recognised by their first bytes and by their names.

mod signature;

use std::fmt;

/// How much of a file is read to decide whether it is text.
pub(super) const SNIFFED_BYTES: usize = 8 << 10;

/// What a text in UTF-8 may begin with to say that it is.
pub(super) const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

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
    /// Text in UTF-16.
    Utf16,
    /// Text in UTF-32.
    Utf32,
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
            Media::Archive | Media::Program | Media::Utf16 | Media::Utf32 | Media::Binary => None,
        }
    }

    /// True for text that is not in UTF-8.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Media::Utf16 | Media::Utf32)
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

    /// What the first 8 KiB of a file say: how files of some kinds begin, and a NUL, which stands in
    /// no text. `None` if it is text.
    ///
    /// ```
    /// use toolkeep::workspace::Media;
    ///
    /// assert_eq!(Media::of_content(b"\x89PNG\r\n\x1a\n..."), Some(Media::Image));
    /// assert_eq!(Media::of_content(b"a\0b"), Some(Media::Binary));
    /// assert_eq!(Media::of_content(b"PNG is a format of pictures"), None);
    /// ```
    pub fn of_content(start: &[u8]) -> Option<Media> {
        let sniffed = &start[..start.len().min(SNIFFED_BYTES)];
        match memchr::memchr(0, sniffed) {
            Some(_) => Some(signature::of_any(sniffed).unwrap_or(Media::Binary)),
            None => signature::of_no_text(sniffed),
        }
    }

    /// What a file holds: as [`Media::of_content`], and where that knows no more than that it is no
    /// text, what the path's extension says. A text is a text whatever its name.
    pub fn of_file(path: &str, start: &[u8]) -> Option<Media> {
        let media = Media::of_content(start)?;
        let named = || Media::of_name(path);
        Some(match media {
            Media::Binary => named().unwrap_or(media),
            // Documents of office programs are archives, and films may begin as sounds do.
            Media::Archive => named().filter(|named| *named == Media::Document).unwrap_or(media),
            Media::Audio | Media::Video => {
                let is_either = |named: &Media| matches!(named, Media::Audio | Media::Video);
                named().filter(is_either).unwrap_or(media)
            }
            _ => media,
        })
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
            Media::Utf16 => "text in UTF-16",
            Media::Utf32 => "text in UTF-32",
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
    fn a_name_without_a_known_extension_may_be_text() {
        for name in ["png", "a.png/notes", "main.rs", "x.", "archive.zip.txt"] {
            assert_eq!(Media::of_name(name), None, "{name}");
        }
    }

    #[test]
    fn what_begins_like_a_file_of_some_kind_is_one_whatever_its_name() {
        let cases: [(&[u8], Media); 28] = [
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Media::Image),
            (b"\xff\xd8\xff\xe0\0\x10JFIF", Media::Image),
            (b"GIF89a\x01\0\x01\0", Media::Image),
            (b"RIFF\x24\0\0\0WEBPVP8 ", Media::Image),
            (b"BM\x46\0\0\0\0\0", Media::Image),
            (b"II*\0\x08\0", Media::Image),
            (b"\0\0\0\x18ftypheic", Media::Image),
            (b"ID3\x04\0\0", Media::Audio),
            (b"\xff\xfb\x90\0", Media::Audio),
            (b"RIFF\x24\0\0\0WAVEfmt ", Media::Audio),
            (b"OggS\0\x02", Media::Audio),
            (b"fLaC\0\0\0\x22", Media::Audio),
            (b"\0\0\0\x18ftypM4A ", Media::Audio),
            (b"\0\0\0\x18ftypisom", Media::Video),
            (b"RIFF\x24\0\0\0AVI LIST", Media::Video),
            (b"\x1a\x45\xdf\xa3\x01", Media::Video),
            (b"%PDF-1.7\n1 0 obj\n<< >>", Media::Document),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Media::Document),
            (b"PK\x03\x04\x14\0\0\0[Content_Types].xml", Media::Document),
            (b"PK\x03\x04\x14\0\0\0notes.txt", Media::Archive),
            (b"\x1f\x8b\x08\x08", Media::Archive),
            (b"\x7fELF\x02\x01\x01\0", Media::Program),
            (b"MZ\x90\0\x03", Media::Program),
            (b"\0asm\x01\0\0\0", Media::Program),
            (b"\xff\xfeh\0i\0", Media::Utf16),
            (b"\xfe\xff\x4e\x2d", Media::Utf16),
            (b"\xff\xfe\0\0h\0\0\0", Media::Utf32),
            (b"\0\0\xfe\xff\0\0\0h", Media::Utf32),
        ];
        for (start, media) in cases {
            assert_eq!(Media::of_content(start), Some(media), "{start:?}");
            assert_eq!(Media::of_file("notes.txt", start), Some(media), "{start:?}");
        }
        let mut tar = vec![0; 600];
        tar[257..262].copy_from_slice(b"ustar");
        assert_eq!(Media::of_content(&tar), Some(Media::Archive));
    }

    #[test]
    fn a_text_is_none_of_these_whatever_it_begins_with_and_is_called() {
        for text in [
            "",
            "BM is short",
            "MZ",
            "GIF89a",
            "RIFF",
            "OggS",
            "ID3 tags",
            "PK",
            "Rar!",
            "BZh9",
            "%PDF is a format",
            "%PDF-1.7 is how one begins",
            "%PDF-1.4\nnotes on that\n",
            "fLaC",
            "%!PS",
            "ustar",
            "II*",
        ] {
            assert_eq!(Media::of_content(text.as_bytes()), None, "{text}");
            assert_eq!(Media::of_file("x.png", text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn text_in_utf16_needs_no_mark() {
        assert_eq!(Media::of_content(b"h\0i\0\n\0"), Some(Media::Utf16));
        for other in [&b"a\0"[..], b"a\0\x01\0\x02\0", b"\0\0\0\0"] {
            assert_eq!(Media::of_content(other), Some(Media::Binary), "{other:?}");
        }
    }

    #[test]
    fn a_pdf_is_one_by_its_parts_or_by_bytes_of_no_text() {
        let cases: [&[u8]; 4] =
            [b"%PDF-1.7\n", b"%PDF-2.0", b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", b"%PDF-1.4\nx\n%%EOF"];
        for start in cases {
            assert_eq!(Media::of_content(start), Some(Media::Document), "{start:?}");
        }
    }

    #[test]
    fn the_name_gives_the_kind_if_the_content_is_only_known_not_to_be_text() {
        let of = |path| Media::of_file(path, b"a\0b").unwrap();
        assert_eq!(
            (of("a.png"), of("a.so"), of("a")),
            (Media::Image, Media::Program, Media::Binary)
        );
        let word = b"PK\x03\x04\x14\0\0\0mimetype";
        assert_eq!(Media::of_file("a.docx", word), Some(Media::Document));
        assert_eq!(Media::of_file("a.png", word), Some(Media::Archive));
        assert_eq!(Media::of_file("a.m4a", b"\0\0\0\x18ftypisom"), Some(Media::Audio));
        assert_eq!(Media::of_file("a.mp3", b"\x89PNG\r\n\x1a\n"), Some(Media::Image));
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
