//! Scrubbers of a host's own: profiles, registered values, findings, streams.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use toolkeep::scrub::{Scrubber, Stream};
use toolkeep::{Code, Error, ScrubOptions};

use crate::error::toolkeep_error;
use crate::guard::{guard, guard_or};
use crate::handle::{self, Opaque, Out};
use crate::input;
use crate::string::{self, toolkeep_str, toolkeep_string};

/// Masks secrets in text. Any number of threads may use one at once.
pub struct toolkeep_scrubber {
    _opaque: [u8; 0],
}

impl Opaque for toolkeep_scrubber {
    type Inside = Scrubber;
    const KIND: u64 = u64::from_le_bytes(*b"tk.scrub");
    const NAME: &'static str = "toolkeep_scrubber";
}

/// Masks a text that arrives piece by piece. Only one thread at a time may use it.
pub struct toolkeep_scrub_stream {
    _opaque: [u8; 0],
}

impl Opaque for toolkeep_scrub_stream {
    /// None once it was finished.
    type Inside = Mutex<Option<Stream>>;
    const KIND: u64 = u64::from_le_bytes(*b"tk.scrst");
    const NAME: &'static str = "toolkeep_scrub_stream";
}

/// Makes a scrubber. `options_json` is an object; empty means the defaults. `profile`: `precise`
/// (the default), `seed` or `paranoid`. `values`: a list of texts that are always masked, in many
/// encodings, each a string or an object with `value` and `kind`. `key`: the key of the tags, 64
/// hexadecimal digits; by default a new random one.
///
/// On success `*out` is a handle that the host owns: release it with toolkeep_scrubber_free().
/// Returns NULL, or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_scrubber_new(
    options_json: toolkeep_str,
    out: *mut *mut toolkeep_scrubber,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a place to write to.
        let out = unsafe { Out::new(out) }?;
        // SAFETY: the host lends the text for the length of this call.
        let options = unsafe { input::json(options_json, "options_json") }?;
        out.put(handle::give(ScrubOptions::from_value(&options)?.build()?));
        Ok(())
    })
}

/// Masks the secrets in a text. Bytes that are not UTF-8 pass unchanged.
///
/// On success `*out` is the masked text, owned by the host: release it with toolkeep_string_free().
/// It is NULL if there was nothing to mask: then use the text itself, which was not copied. Returns
/// NULL, or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_scrubber_scrub(
    scrubber: *const toolkeep_scrubber,
    text: toolkeep_str,
    out: *mut *mut toolkeep_string,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let scrubber = unsafe { handle::look(scrubber) }?;
        // SAFETY: the host gives NULL or a place to write to.
        let out = unsafe { Out::new(out) }?;
        // SAFETY: the host lends the text for the length of this call.
        let text = unsafe { text.bytes("text") }?;
        out.put(match scrubber.scrub_bytes(text) {
            Cow::Borrowed(_) => std::ptr::null_mut(),
            Cow::Owned(masked) => string::give_bytes(masked),
        });
        Ok(())
    })
}

/// The secrets found in a text, as a JSON array of objects with `kind`, `start` and `end` (in
/// bytes), `confidence` (`low`, `medium`, `high`), `verified` (a checksum in it is right),
/// `encoding` (the form of a registered value, else null) and `tag` (null if the placeholder has
/// none). It never contains a secret itself.
///
/// On success `*out` is owned by the host: release it with toolkeep_string_free(). Returns NULL,
/// or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_scrubber_findings(
    scrubber: *const toolkeep_scrubber,
    text: toolkeep_str,
    out: *mut *mut toolkeep_string,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let scrubber = unsafe { handle::look(scrubber) }?;
        // SAFETY: the host gives NULL or a place to write to.
        let out = unsafe { Out::new(out) }?;
        // SAFETY: the host lends the text for the length of this call.
        let text = unsafe { text.text("text") }?;
        // A finding is a few plain fields, which are always JSON.
        let found = serde_json::to_string(&scrubber.findings(text)).unwrap_or_default();
        string::put(out, found);
        Ok(())
    })
}

/// Registers a value: from now on it is always masked, in many encodings. `kind` is its kind in
/// placeholders (lower-case letters, digits and hyphens, at most 40); empty means `secret`.
///
/// `warning` may be NULL. Otherwise `*warning` is NULL if the value is masked in all encodings, or
/// a code, such as `value_too_short`, that the host owns: release it with toolkeep_string_free().
/// Returns NULL, or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_scrubber_add(
    scrubber: *const toolkeep_scrubber,
    value: toolkeep_str,
    kind: toolkeep_str,
    warning: *mut *mut toolkeep_string,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let scrubber = unsafe { handle::look(scrubber) }?;
        // SAFETY: the host gives NULL or a place to write to.
        let out = (!warning.is_null()).then(|| unsafe { Out::new(warning) }).transpose()?;
        // SAFETY: the host lends both texts for the length of this call.
        let value = unsafe { value.text("value") }?;
        // SAFETY: as above.
        let kind = Some(unsafe { kind.text("kind") }?).filter(|kind| !kind.is_empty());
        let added = scrubber
            .values()
            .add(value, kind)
            .map_err(|error| Error::new(Code::InvalidArgument, error.to_string()))?;
        if let Some(out) = out {
            let code = added.warning.map(|warning| string::give(warning.code().to_owned()));
            out.put(code.unwrap_or(std::ptr::null_mut()));
        }
        Ok(())
    })
}

/// Forgets a registered value. Returns NULL, or an error that the host owns: `TOOLKEEP_NOT_FOUND`
/// if it is not registered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_scrubber_remove(
    scrubber: *const toolkeep_scrubber,
    value: toolkeep_str,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let scrubber = unsafe { handle::look(scrubber) }?;
        // SAFETY: the host lends the text for the length of this call.
        let value = unsafe { value.text("value") }?;
        if scrubber.values().remove(value) {
            return Ok(());
        }
        Err(Error::new(Code::NotFound, "this value is not registered with the scrubber"))
    })
}

/// Releases a scrubber. NULL is fine. Its streams stay valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_scrubber_free(scrubber: *mut toolkeep_scrubber) {
    // SAFETY: the host gives NULL or a handle that it has not freed.
    guard_or((), || drop(unsafe { handle::take(scrubber) }));
}

/// Begins to mask a text that arrives in pieces. The output pieces together are the same text as
/// toolkeep_scrubber_scrub() of the whole, wherever it is cut. At most 8 KiB are held back.
///
/// On success `*out` is a handle that the host owns: release it with
/// toolkeep_scrub_stream_free(). Returns NULL, or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_scrubber_stream(
    scrubber: *const toolkeep_scrubber,
    out: *mut *mut toolkeep_scrub_stream,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let scrubber = unsafe { handle::look(scrubber) }?;
        // SAFETY: the host gives NULL or a place to write to.
        let out = unsafe { Out::new(out) }?;
        out.put(handle::give(Mutex::new(Some(scrubber.stream()))));
        Ok(())
    })
}

/// Takes the next piece of a text, and returns the part that is certain by now, which may be empty.
/// A piece may end anywhere, even in the middle of a character.
///
/// On success `*out` is owned by the host: release it with toolkeep_string_free(). Returns NULL,
/// or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_scrub_stream_push(
    stream: *const toolkeep_scrub_stream,
    piece: toolkeep_str,
    out: *mut *mut toolkeep_string,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let stream = unsafe { handle::look(stream) }?;
        // SAFETY: the host gives NULL or a place to write to.
        let out = unsafe { Out::new(out) }?;
        // SAFETY: the host lends the piece for the length of this call.
        let piece = unsafe { piece.bytes("piece") }?;
        let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
        let masked = stream.as_mut().ok_or_else(finished)?.push(piece);
        out.put(string::give_bytes(masked));
        Ok(())
    })
}

/// Ends a text, and returns the rest of it. The stream accepts no more pieces.
///
/// On success `*out` is owned by the host: release it with toolkeep_string_free(). Returns NULL,
/// or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_scrub_stream_finish(
    stream: *const toolkeep_scrub_stream,
    out: *mut *mut toolkeep_string,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let stream = unsafe { handle::look(stream) }?;
        // SAFETY: the host gives NULL or a place to write to.
        let out = unsafe { Out::new(out) }?;
        let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = stream.take().ok_or_else(finished)?.finish();
        out.put(string::give_bytes(rest));
        Ok(())
    })
}

/// Releases a stream, finished or not. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_scrub_stream_free(stream: *mut toolkeep_scrub_stream) {
    // SAFETY: the host gives NULL or a handle that it has not freed.
    guard_or((), || drop(unsafe { handle::take(stream) }));
}

fn finished() -> Error {
    Error::new(Code::Closed, "this stream is finished; begin another with the scrubber")
}
