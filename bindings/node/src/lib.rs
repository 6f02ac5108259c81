//! The native half of the Node package: small and plain. JSON crosses as text, errors cross as
//! `code`, a newline, and the message. What a user sees is made of it in `lib.cjs`.

#[cfg(feature = "bench")]
#[path = "../../../tests/bench/empty_core.rs"]
mod empty_core;
mod failure;
mod host;
mod json;
mod runtime;
mod scrubber;
mod stream;

use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;
use toolkeep::CheckOptions;
use toolkeep::secret::{self, ExposeSecret};

/// Masks the secrets in a text, without a runtime. Null if there are none.
#[napi(catch_unwind)]
pub fn scrub(text: String) -> Option<String> {
    scrubber::changed(toolkeep::scrub(&text))
}

/// As `scrub`, for bytes.
#[napi(catch_unwind)]
pub fn scrub_bytes(text: Uint8Array) -> Option<Uint8Array> {
    scrubber::changed(toolkeep::scrub_bytes(&text))
}

/// What a command does, and whether it may, as JSON text. Takes its options as JSON text.
#[napi(catch_unwind)]
pub fn check_command(command: String, options: String) -> napi::Result<String> {
    let options = json::parse(&options).and_then(|options| CheckOptions::from_value(&options));
    let check = toolkeep::check_command(&command, &options.map_err(failure::failure)?);
    json::write(&check).map_err(failure::failure)
}

/// A fresh random key for somebody to keep, as 64 hexadecimal digits.
#[napi(catch_unwind)]
pub fn generate_key() -> napi::Result<String> {
    let key = secret::generate_key().map_err(|error| failure::failure(error.into()))?;
    Ok(key.expose_secret().to_owned())
}

/// The version of the native half.
#[napi(catch_unwind)]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
