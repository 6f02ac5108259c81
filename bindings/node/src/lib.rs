//! The native half of the Node package: small and plain. JSON crosses as text, errors cross as
//! `code`, a newline, and the message. What a user sees is made of it in `lib.cjs`.

#[cfg(feature = "bench")]
#[path = "../../../tests/bench/empty_core.rs"]
mod empty_core;
mod failure;
mod host;
mod json;
mod runtime;
mod stream;

use std::sync::LazyLock;

use napi_derive::napi;
use toolkeep::scrub::Scrubber;

/// Masks the secrets in a text, without a runtime.
#[napi(catch_unwind)]
pub fn scrub(text: String) -> String {
    static SCRUBBER: LazyLock<Scrubber> = LazyLock::new(Scrubber::seed);
    SCRUBBER.scrub(&text).into_owned()
}

/// The version of the native half.
#[napi(catch_unwind)]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
