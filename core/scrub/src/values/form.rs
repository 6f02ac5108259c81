//! Forms: how encoders write a value.
//!
//! Each form is one exact text. It is made from the value when it is needed, so only the value
//! itself is kept, and wiped. Where encoders differ, there is a form for each habit: which
//! characters `encodeURIComponent`, Python's `quote`, `encodeURI` and URL libraries leave alone
//! (RFC 3986, section 2; the WHATWG URL standard), whether JSON escapes `/` or `<` (RFC 8259), how
//! shells and XML write quotes.

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD};
use zeroize::Zeroizing;

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(super) enum Form {
    /// The value as it is.
    Raw,
    /// Base64 with no, one or two bytes before the value in the encoded text. Only the characters
    /// that the value alone determines; [`Form::edges`] describes the characters next to them.
    Base64,
    /// [`Form::Base64`] with one byte before the value in its group of three.
    Base64After1,
    /// [`Form::Base64`] with two bytes before the value in its group of three.
    Base64After2,
    /// Base64 with `-` and `_` in place of `+` and `/` (RFC 4648, section 5).
    Base64Url,
    /// [`Form::Base64Url`] with one byte before the value in its group of three.
    Base64UrlAfter1,
    /// [`Form::Base64Url`] with two bytes before the value in its group of three.
    Base64UrlAfter2,
    /// Hexadecimal digits without separators: `7061`.
    Hex,
    /// Hexadecimal digits with a colon between bytes: `70:61`.
    HexColons,
    /// Hexadecimal digits with a blank between bytes: `70 61`.
    HexBlanks,
    /// One escape per byte: `\x70\x61`.
    HexEscapes,
    /// One octal escape per byte: `\160\141`.
    OctalEscapes,
    /// One escape per UTF-16 unit: `\u0070\u0061`.
    UnicodeEscapes,
    /// Percent-encoding of every byte: `%70%61`.
    PercentAll,
    /// What `encodeURIComponent` writes.
    PercentComponent,
    /// What Python's `quote` writes: `/` stays.
    PercentPath,
    /// What `encodeURI` writes: the delimiters of an address stay.
    PercentUri,
    /// What URL libraries write before the `@` of an address.
    PercentUserinfo,
    /// What an HTML form sends: a blank is `+`.
    PercentPlus,
    /// The content of a JSON string, with as few escapes as possible.
    Json,
    /// JSON with `\/` for a slash, as PHP writes it.
    JsonSlashes,
    /// JSON in ASCII only, as Python writes it.
    JsonAscii,
    /// JSON that is safe in HTML, as Go writes it: `\u003c` for `<`.
    JsonHtml,
    /// JSON in a JSON string.
    JsonTwice,
    /// XML with named references for all five special characters.
    XmlNamed,
    /// XML text: quotes stay.
    XmlText,
    /// XML with numbers for the quotes, as Go writes it: `&#34;`.
    XmlNumbered,
    /// HTML as Python's `escape` writes it: `&#x27;` for an apostrophe.
    XmlHtml,
    /// One decimal reference per character: `&#112;&#97;`.
    XmlDecimal,
    /// One hexadecimal reference per character: `&#x70;&#x61;`.
    XmlHex,
    /// A single-quoted shell string; an apostrophe is `'\''`.
    ShellSingle,
    /// A single-quoted shell string; an apostrophe is `'"'"'`, as Python writes it.
    ShellSingleQuoted,
    /// A double-quoted shell string.
    ShellDouble,
    /// A shell word without quotes: a backslash before each special character.
    ShellBackslash,
    /// A single-quoted PowerShell string; an apostrophe is `''`.
    PowerShell,
    /// A C string literal.
    C,
    /// The characters in reverse order.
    Reversed,
    /// UTF-16, the low byte first.
    Utf16Le,
    /// UTF-16, the high byte first.
    Utf16Be,
    /// Base64 of [`Form::Utf16Le`], as `powershell -EncodedCommand` takes it.
    Utf16Base64,
    /// [`Form::Utf16Base64`] with one byte before the value in its group of three.
    Utf16Base64After1,
    /// [`Form::Utf16Base64`] with two bytes before the value in its group of three.
    Utf16Base64After2,
}

use Form::{
    Base64, Base64After1, Base64After2, Base64Url, Base64UrlAfter1, Base64UrlAfter2, C, Hex,
    HexBlanks, HexColons, HexEscapes, Json, JsonAscii, JsonHtml, JsonSlashes, JsonTwice,
    OctalEscapes, PercentAll, PercentComponent, PercentPath, PercentPlus, PercentUri,
    PercentUserinfo, PowerShell, Raw, Reversed, ShellBackslash, ShellDouble, ShellSingle,
    ShellSingleQuoted, UnicodeEscapes, Utf16Base64, Utf16Base64After1, Utf16Base64After2, Utf16Be,
    Utf16Le, XmlDecimal, XmlHex, XmlHtml, XmlNamed, XmlNumbered, XmlText,
};

/// All forms. Of two with the same text, the first counts.
pub(super) const FORMS: &[Form] = &[
    Raw,
    Base64,
    Base64After1,
    Base64After2,
    Base64Url,
    Base64UrlAfter1,
    Base64UrlAfter2,
    Hex,
    HexColons,
    HexBlanks,
    HexEscapes,
    OctalEscapes,
    UnicodeEscapes,
    PercentAll,
    PercentComponent,
    PercentPath,
    PercentUri,
    PercentUserinfo,
    PercentPlus,
    Json,
    JsonSlashes,
    JsonAscii,
    JsonHtml,
    JsonTwice,
    XmlNamed,
    XmlText,
    XmlNumbered,
    XmlHtml,
    XmlDecimal,
    XmlHex,
    ShellSingle,
    ShellSingleQuoted,
    ShellDouble,
    ShellBackslash,
    PowerShell,
    C,
    Reversed,
    Utf16Le,
    Utf16Be,
    Utf16Base64,
    Utf16Base64After1,
    Utf16Base64After2,
];

/// The bits of a value in the base64 characters that it shares with its neighbours: how many bits,
/// and which. A count of 0 says that no character is shared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Edges {
    /// The low bits of the character before.
    pub before: (u8, u8),
    /// The high bits of the character behind.
    pub behind: (u8, u8),
}

impl Form {
    /// The encoding as findings name it; `None` for the value as it is.
    pub(super) fn name(self) -> Option<&'static str> {
        Some(match self {
            Raw => return None,
            Base64 | Base64After1 | Base64After2 => "base64",
            Base64Url | Base64UrlAfter1 | Base64UrlAfter2 => "base64url",
            Hex | HexColons | HexBlanks => "hex",
            HexEscapes | OctalEscapes | C => "c",
            UnicodeEscapes => "unicode",
            PercentAll | PercentComponent | PercentPath | PercentUri => "percent",
            PercentUserinfo => "userinfo",
            PercentPlus => "form",
            Json | JsonSlashes | JsonAscii | JsonHtml => "json",
            JsonTwice => "json-twice",
            XmlNamed | XmlText | XmlNumbered | XmlHtml | XmlDecimal | XmlHex => "xml",
            ShellSingle | ShellSingleQuoted | ShellDouble | ShellBackslash => "shell",
            PowerShell => "powershell",
            Reversed => "reversed",
            Utf16Le => "utf-16le",
            Utf16Be => "utf-16be",
            Utf16Base64 | Utf16Base64After1 | Utf16Base64After2 => "utf-16le-base64",
        })
    }

    /// True if case does not matter: hexadecimal digits are written in both.
    pub(super) fn any_case(self) -> bool {
        matches!(
            self,
            Hex | HexColons
                | HexBlanks
                | HexEscapes
                | UnicodeEscapes
                | PercentAll
                | PercentComponent
                | PercentPath
                | PercentUri
                | PercentUserinfo
                | PercentPlus
                | XmlHex
                | JsonAscii
                | JsonHtml
        )
    }

    /// True if the form is commonly wrapped into lines.
    pub(super) fn wraps(self) -> bool {
        matches!(self, Raw | Hex | HexColons | HexBlanks) || self.is_base64()
    }

    /// True for the nine forms of base64.
    pub(super) fn is_base64(self) -> bool {
        self.shift().is_some()
    }

    /// True for the value's own bytes, which may be part of a longer word or number.
    pub(super) fn is_plain(self) -> bool {
        matches!(self, Raw | Reversed)
    }

    /// For base64, how many bytes stand before the value in its group of three.
    fn shift(self) -> Option<usize> {
        match self {
            Base64 | Base64Url | Utf16Base64 => Some(0),
            Base64After1 | Base64UrlAfter1 | Utf16Base64After1 => Some(1),
            Base64After2 | Base64UrlAfter2 | Utf16Base64After2 => Some(2),
            _ => None,
        }
    }

    /// The value in this form.
    pub(super) fn of(self, value: &str) -> Zeroizing<Vec<u8>> {
        let mut out = Zeroizing::new(Vec::with_capacity(value.len() * 6));
        if let Some(shift) = self.shift() {
            *out = base64(self, value, shift);
            return out;
        }
        match self {
            Raw => out.extend_from_slice(value.as_bytes()),
            Reversed => value.chars().rev().for_each(|c| push(&mut out, c)),
            Utf16Le => out.extend(value.encode_utf16().flat_map(u16::to_le_bytes)),
            Utf16Be => out.extend(value.encode_utf16().flat_map(u16::to_be_bytes)),
            JsonTwice => {
                let once = Json.of(value);
                let once = std::str::from_utf8(&once).unwrap_or_default();
                once.chars().for_each(|c| escape_json(&mut out, c, matches!(c, '"' | '\\')));
            }
            HexColons | HexBlanks => {
                spaced_hex(value, if self == HexColons { b':' } else { b' ' }, &mut out);
            }
            _ => value.chars().for_each(|c| self.character(c, &mut out)),
        }
        out
    }

    /// The bits of the value in the characters next to this form.
    pub(super) fn edges(self, value: &str) -> Edges {
        let Some(shift) = self.shift() else { return Edges::default() };
        let bytes = self.bytes(value);
        let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else {
            return Edges::default();
        };
        let before = [0, 4, 2][shift];
        let behind = (shift + bytes.len()) * 8 % 6;
        Edges {
            before: (before, first >> (8 - before).min(7) & ((1 << before) - 1)),
            behind: (behind as u8, last & ((1 << behind) - 1)),
        }
    }

    /// The bytes that are encoded in base64.
    fn bytes(self, value: &str) -> Zeroizing<Vec<u8>> {
        match self {
            Utf16Base64 | Utf16Base64After1 | Utf16Base64After2 => Utf16Le.of(value),
            _ => Raw.of(value),
        }
    }

    /// Appends a character in this form.
    fn character(self, c: char, out: &mut Vec<u8>) {
        match self {
            Hex => bytes_of(c, out, write_hex),
            HexEscapes => bytes_of(c, out, |b, out| prefixed_hex(b"\\x", b, out)),
            OctalEscapes => bytes_of(c, out, |b, out| {
                out.extend([b'\\', b'0' + (b >> 6), b'0' + (b >> 3 & 7), b'0' + (b & 7)]);
            }),
            UnicodeEscapes => escape_units(c, out),
            PercentAll | PercentComponent | PercentPath | PercentUri | PercentUserinfo
            | PercentPlus => self.percent(c, out),
            Json | JsonSlashes | JsonAscii | JsonHtml | C => self.json(c, out),
            XmlNamed | XmlText | XmlNumbered | XmlHtml | XmlDecimal | XmlHex => self.xml(c, out),
            _ => self.shell(c, out),
        }
    }

    /// Appends a character in percent-encoding. `kept` names the signs that stay, besides letters
    /// and digits.
    fn percent(self, c: char, out: &mut Vec<u8>) {
        let kept = match self {
            PercentAll => "",
            PercentPath => "-_.~/",
            PercentUri => "-_.~!*'();/?:@&=+$,#",
            PercentUserinfo => "-_.~!$&'()*+,;=",
            PercentPlus => "-_.*",
            _ => "-_.~!*'()",
        };
        match c {
            ' ' if self == PercentPlus => out.push(b'+'),
            _ if self != PercentAll && (c.is_ascii_alphanumeric() || kept.contains(c)) => {
                push(out, c);
            }
            _ => bytes_of(c, out, |b, out| prefixed_hex(b"%", b, out)),
        }
    }

    /// Appends a character as in a string of JSON, or of C.
    fn json(self, c: char, out: &mut Vec<u8>) {
        match c {
            '/' if self == JsonSlashes => out.extend(b"\\/"),
            '\'' if self == C => out.extend(b"\\'"),
            '<' | '>' | '&' if self == JsonHtml => escape_units(c, out),
            _ if self == JsonAscii && !c.is_ascii() => escape_units(c, out),
            _ => escape_json(out, c, matches!(c, '"' | '\\')),
        }
    }

    /// Appends a character as in XML or HTML.
    fn xml(self, c: char, out: &mut Vec<u8>) {
        let named: &str = match (c, self) {
            (_, XmlDecimal) => return out.extend(format!("&#{};", u32::from(c)).bytes()),
            (_, XmlHex) => return out.extend(format!("&#x{:x};", u32::from(c)).bytes()),
            ('&', _) => "&amp;",
            ('<', _) => "&lt;",
            ('>', _) => "&gt;",
            ('"', XmlNumbered) => "&#34;",
            ('"', XmlNamed | XmlHtml) => "&quot;",
            ('\'', XmlNumbered) => "&#39;",
            ('\'', XmlNamed) => "&apos;",
            ('\'', XmlHtml) => "&#x27;",
            _ => return push(out, c),
        };
        out.extend(named.bytes());
    }

    /// Appends a character as in a word or string of a shell.
    fn shell(self, c: char, out: &mut Vec<u8>) {
        let safe = c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c) || !c.is_ascii();
        match (self, c) {
            (ShellSingle, '\'') => out.extend(b"'\\''"),
            (ShellSingleQuoted, '\'') => out.extend(b"'\"'\"'"),
            (PowerShell, '\'') => out.extend(b"''"),
            (ShellDouble, '$' | '`' | '"' | '\\') => {
                out.push(b'\\');
                push(out, c);
            }
            (ShellBackslash, _) if !safe => {
                out.push(b'\\');
                push(out, c);
            }
            _ => push(out, c),
        }
    }
}

/// Appends a character as UTF-8.
fn push(out: &mut Vec<u8>, c: char) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Writes each UTF-8 byte of a character.
fn bytes_of(c: char, out: &mut Vec<u8>, write: impl Fn(u8, &mut Vec<u8>)) {
    c.encode_utf8(&mut [0; 4]).bytes().for_each(|b| write(b, out));
}

/// Appends the two hexadecimal digits of a byte, in lower case.
fn write_hex(b: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.extend([DIGITS[usize::from(b >> 4)], DIGITS[usize::from(b & 15)]]);
}

/// Appends a prefix and the hexadecimal digits of a byte.
fn prefixed_hex(prefix: &[u8], b: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(prefix);
    write_hex(b, out);
}

/// Appends the bytes of the value in hexadecimal, with a separator between them.
fn spaced_hex(value: &str, space: u8, out: &mut Vec<u8>) {
    for (n, b) in value.bytes().enumerate() {
        if n > 0 {
            out.push(space);
        }
        write_hex(b, out);
    }
}

/// Appends a character as `\u` escapes, one per UTF-16 unit.
fn escape_units(c: char, out: &mut Vec<u8>) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        let [high, low] = unit.to_be_bytes();
        prefixed_hex(b"\\u", high, out);
        write_hex(low, out);
    }
}

/// Appends a character as in a JSON string (RFC 8259, section 7); with a backslash if `quoted`.
fn escape_json(out: &mut Vec<u8>, c: char, quoted: bool) {
    match c {
        '\n' => out.extend(b"\\n"),
        '\r' => out.extend(b"\\r"),
        '\t' => out.extend(b"\\t"),
        '\u{8}' => out.extend(b"\\b"),
        '\u{c}' => out.extend(b"\\f"),
        _ if quoted => {
            out.push(b'\\');
            push(out, c);
        }
        _ if c < ' ' => escape_units(c, out),
        _ => push(out, c),
    }
}

/// The base64 characters that the value alone determines. `shift` bytes of zeros stand for what comes
/// before it in the group of three; the characters that hold bits of them are cut off.
fn base64(form: Form, value: &str, shift: usize) -> Vec<u8> {
    let url = matches!(form, Base64Url | Base64UrlAfter1 | Base64UrlAfter2);
    let alphabet = if url { &BASE64URL_NOPAD } else { &BASE64_NOPAD };
    let mut bytes = Zeroizing::new(vec![0; shift]);
    bytes.extend_from_slice(&form.bytes(value));
    let text = Zeroizing::new(alphabet.encode(&bytes).into_bytes());
    // Of the characters, those that hold bits of the value only.
    let first = (shift * 8).div_ceil(6);
    let behind = bytes.len() * 8 / 6;
    text[first..behind].to_vec()
}
