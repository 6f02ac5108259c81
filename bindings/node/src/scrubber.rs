//! Scrubbers of a host's own, as the native half offers them to `lib/scrubber.cjs`.

use std::borrow::Cow;

use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;
use toolkeep::scrub::{Scrubber, Stream};
use toolkeep::{Code, Error, ScrubOptions};

use crate::failure::failure;
use crate::json;

/// The masked text; nothing if the text was clean.
pub(crate) fn changed<T: ?Sized + ToOwned, N: From<T::Owned>>(masked: Cow<'_, T>) -> Option<N> {
    match masked {
        Cow::Borrowed(_) => None,
        Cow::Owned(masked) => Some(masked.into()),
    }
}

/// Masks secrets in text, with a profile and values of its own.
#[napi]
pub struct NativeScrubber {
    scrubber: Scrubber,
}

#[napi]
impl NativeScrubber {
    /// Takes its options as JSON text.
    #[napi(constructor, catch_unwind)]
    pub fn new(options: String) -> napi::Result<NativeScrubber> {
        let made = json::parse(&options)
            .and_then(|options| ScrubOptions::from_value(&options))
            .and_then(|options| options.build());
        Ok(NativeScrubber { scrubber: made.map_err(failure)? })
    }

    /// The masked text; null if there was nothing to mask.
    #[napi(catch_unwind)]
    pub fn scrub(&self, text: String) -> Option<String> {
        changed(self.scrubber.scrub(&text))
    }

    /// The masked bytes; null if there was nothing to mask.
    #[napi(catch_unwind)]
    pub fn scrub_bytes(&self, text: Uint8Array) -> Option<Uint8Array> {
        changed(self.scrubber.scrub_bytes(&text))
    }

    /// What is secret, as JSON text. Positions count UTF-16 code units, as JavaScript does.
    #[napi(catch_unwind)]
    pub fn findings(&self, text: String) -> napi::Result<String> {
        let (mut bytes, mut units) = (0, 0);
        let mut position = |at: usize| {
            units += text[bytes..at].encode_utf16().count();
            bytes = at;
            units
        };
        let mut found = self.scrubber.findings(&text);
        for finding in &mut found {
            finding.start = position(finding.start);
            finding.end = position(finding.end);
        }
        json::write(&found).map_err(failure)
    }

    /// Registers a value; the code of a warning, or null.
    #[napi(catch_unwind)]
    pub fn add(&self, value: String, kind: Option<String>) -> napi::Result<Option<&'static str>> {
        let added = self.scrubber.values().add(&value, kind.as_deref());
        let added =
            added.map_err(|error| failure(Error::new(Code::InvalidArgument, error.to_string())))?;
        Ok(added.warning.map(|warning| warning.code()))
    }

    /// Forgets a registered value; false if it is none.
    #[napi(catch_unwind)]
    pub fn remove(&self, value: String) -> bool {
        self.scrubber.values().remove(&value)
    }

    /// Begins a text that comes in pieces.
    #[napi(catch_unwind)]
    pub fn stream(&self) -> NativeScrubStream {
        NativeScrubStream { stream: Some(self.scrubber.stream()) }
    }
}

/// A text that is masked as it comes, in bytes.
#[napi]
pub struct NativeScrubStream {
    /// None once it was finished.
    stream: Option<Stream>,
}

#[napi]
impl NativeScrubStream {
    /// Takes the next piece and gives what is certain by now.
    #[napi(catch_unwind)]
    pub fn push(&mut self, piece: Uint8Array) -> napi::Result<Uint8Array> {
        let stream = self.stream.as_mut().ok_or_else(finished)?;
        Ok(stream.push(&piece).into())
    }

    /// Ends the text and gives the rest.
    #[napi(catch_unwind)]
    pub fn finish(&mut self) -> napi::Result<Uint8Array> {
        Ok(self.stream.take().ok_or_else(finished)?.finish().into())
    }
}

fn finished() -> napi::Error {
    let text = "this stream is finished; begin another with the scrubber";
    failure(Error::new(Code::Closed, text))
}
