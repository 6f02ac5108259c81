//! How files of some kinds begin.

use memchr::memmem;

use super::Media;

/// What begins so that no text does.
const OF_NO_TEXT: [(&[u8], Media); 15] = [
    (b"\x89PNG\r\n\x1a\n", Media::Image),
    (b"\xff\xd8\xff", Media::Image),
    (b"\x1a\x45\xdf\xa3", Media::Video),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Media::Document),
    (b"\x1f\x8b\x08", Media::Archive),
    (b"BZh91AY&SY", Media::Archive),
    (b"7z\xbc\xaf\x27\x1c", Media::Archive),
    (b"Rar!\x1a\x07", Media::Archive),
    (b"\xfd7zXZ", Media::Archive),
    (b"\x28\xb5\x2f\xfd", Media::Archive),
    (b"\x7fELF", Media::Program),
    (b"\xcf\xfa\xed\xfe", Media::Program),
    (b"\xff\xfe\0\0", Media::Utf32),
    (b"\xff\xfe", Media::Utf16),
    (b"\xfe\xff", Media::Utf16),
];

/// What a text may begin with as well.
const OF_ANY: [(&[u8], Media); 17] = [
    (b"GIF87a", Media::Image),
    (b"GIF89a", Media::Image),
    (b"BM", Media::Image),
    (b"II*\0", Media::Image),
    (b"MM\0*", Media::Image),
    (b"\0\0\x01\0", Media::Image),
    (b"ID3", Media::Audio),
    (b"OggS", Media::Audio),
    (b"fLaC", Media::Audio),
    (b"\xff\xfb", Media::Audio),
    (b"\xff\xfa", Media::Audio),
    (b"\xff\xf3", Media::Audio),
    (b"\xff\xf2", Media::Audio),
    (b"MZ", Media::Program),
    (b"\0\0\xfe\xff", Media::Utf32),
    (b"\0asm", Media::Program),
    (b"\xca\xfe\xba\xbe", Media::Program),
];

/// What the names in an archive that is a document begin with.
const IN_DOCUMENTS: [&[u8]; 5] =
    [b"[Content_Types].xml", b"word/", b"xl/", b"ppt/", b"mimetypeapplication/vnd.oasis"];

/// What stands in a PDF, near its beginning.
const PARTS_OF_PDF: [&[u8]; 4] = [b" obj", b"endobj", b"xref", b"%%EOF"];

/// What begins so that it can be no text, whether or not there is a NUL.
pub(super) fn of_no_text(start: &[u8]) -> Option<Media> {
    // Nearly every text begins with another character than these do.
    if !matches!(start.first()?, b'%' | b'7' | b'B' | b'P' | b'R' | 0x1a | 0x1f | b'(' | 0x7f..) {
        return None;
    }
    known(&OF_NO_TEXT, start).or_else(|| zip(start)).or_else(|| pdf(start))
}

/// What begins like a file of some kind, and is no text.
pub(super) fn of_any(start: &[u8]) -> Option<Media> {
    let is_tar = start.get(257..262) == Some(b"ustar");
    known(&OF_NO_TEXT, start)
        .or_else(|| zip(start))
        .or_else(|| pdf(start))
        .or_else(|| in_chunks(start))
        .or_else(|| known(&OF_ANY, start))
        .or_else(|| is_tar.then_some(Media::Archive))
        .or_else(|| is_unmarked_utf16(start).then_some(Media::Utf16))
}

/// True for UTF-16LE without its mark, as programs on Windows write it, where nearly all of it is ASCII.
fn is_unmarked_utf16(start: &[u8]) -> bool {
    let units = start.chunks_exact(2);
    let is_ascii =
        |unit: &&[u8]| unit[1] == 0 && matches!(unit[0], b'\t' | b'\n' | b'\r' | b' '..=b'~');
    let (all, ascii) = (units.len(), units.filter(is_ascii).count());
    all > 1 && ascii * 10 >= all * 9
}

fn known(signatures: &[(&[u8], Media)], start: &[u8]) -> Option<Media> {
    signatures.iter().find(|(begins, _)| start.starts_with(begins)).map(|(_, media)| *media)
}

fn zip(start: &[u8]) -> Option<Media> {
    if !start.starts_with(b"PK\x03\x04") {
        return None;
    }
    let is_document = IN_DOCUMENTS.iter().any(|name| memmem::find(start, name).is_some());
    Some(if is_document { Media::Document } else { Media::Archive })
}

/// A PDF. It may be all ASCII, and a text may begin as one does, but has none of its parts.
fn pdf(start: &[u8]) -> Option<Media> {
    let behind = [&b"%PDF-1."[..], b"%PDF-2."].iter().find_map(|head| start.strip_prefix(*head))?;
    let is_bare = behind.trim_ascii().len() <= 1;
    let has_part = || PARTS_OF_PDF.iter().any(|part| memmem::find(start, part).is_some());
    let is_text = || match std::str::from_utf8(start) {
        Ok(_) => true,
        // The last character may be cut.
        Err(error) => error.error_len().is_none(),
    };
    (is_bare || has_part() || !is_text()).then_some(Media::Document)
}

/// Formats that say what they are behind the length of a first part.
fn in_chunks(start: &[u8]) -> Option<Media> {
    let (riff, ftyp) = (start.starts_with(b"RIFF"), start.get(4..8) == Some(b"ftyp"));
    match start.get(8..12)? {
        b"WEBP" if riff => Some(Media::Image),
        b"WAVE" if riff => Some(Media::Audio),
        b"AVI " if riff => Some(Media::Video),
        b"heic" | b"heix" | b"mif1" | b"avif" if ftyp => Some(Media::Image),
        b"M4A " | b"M4B " if ftyp => Some(Media::Audio),
        _ if ftyp => Some(Media::Video),
        _ => None,
    }
}
