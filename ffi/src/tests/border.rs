//! What the border does with panics, wrong handles and texts that are none.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use toolkeep::Code;

use crate::error::{
    toolkeep_error, toolkeep_error_code, toolkeep_error_free, toolkeep_error_message,
    toolkeep_error_name,
};
use crate::guard::{guard, guard_or};
use crate::runtime::{
    toolkeep_runtime, toolkeep_runtime_close, toolkeep_runtime_free, toolkeep_runtime_open,
};
use crate::string::{
    give, toolkeep_str, toolkeep_string, toolkeep_string_free, toolkeep_string_len,
};

/// Takes an error apart and frees it.
fn code_of(error: *mut toolkeep_error) -> (u32, String, String) {
    // SAFETY: the error is ours and is freed once.
    unsafe {
        let name = CStr::from_ptr(toolkeep_error_name(error)).to_str().unwrap().to_owned();
        let message = CStr::from_ptr(toolkeep_error_message(error)).to_str().unwrap().to_owned();
        let code = toolkeep_error_code(error);
        toolkeep_error_free(error);
        (code, name, message)
    }
}

fn open(config: &str) -> *mut toolkeep_runtime {
    let mut runtime = null_mut();
    // SAFETY: both arguments are good.
    let error = unsafe { toolkeep_runtime_open(toolkeep_str::lend(config), &mut runtime) };
    assert!(error.is_null(), "{:?}", code_of(error));
    runtime
}

#[test]
fn a_panic_becomes_an_error() {
    let (code, name, message) = code_of(guard(|| panic!("out of {}", "cheese")));
    assert_eq!((code, name.as_str()), (Code::Panic.number(), "panic"));
    assert!(message.contains("out of cheese"), "{message}");
    assert_eq!(guard_or(7, || panic!("again")), 7);
}

#[test]
fn a_panic_whose_payload_panics_is_stopped_too() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("boom");
        }
    }
    let (code, ..) = code_of(guard(|| std::panic::panic_any(Bomb)));
    assert_eq!(code, Code::Panic.number());
}

#[test]
fn a_message_with_a_nul_is_whole() {
    let error = toolkeep::Error::new(Code::NotFound, "a\0b");
    let (_, name, message) = code_of(crate::error::give(&error));
    assert_eq!((name.as_str(), message.as_str()), ("not_found", "a\u{fffd}b"));
}

#[test]
fn null_and_foreign_handles_are_distinguished_from_good_ones() {
    let string = give("text".into());
    // SAFETY: every pointer is NULL or one of our handles, and the string is freed once.
    unsafe {
        assert_eq!(code_of(toolkeep_runtime_close(null_mut())).1, "invalid_handle");
        assert_eq!(code_of(toolkeep_runtime_close(string.cast())).1, "invalid_handle");
        toolkeep_runtime_free(string.cast());
        toolkeep_error_free(string.cast());
        assert_eq!(toolkeep_string_len(string), 4);
        assert_eq!(toolkeep_string_len(null()), 0);
        assert_eq!(toolkeep_error_code(string.cast()), Code::InvalidHandle.number());
        toolkeep_string_free(string);
        toolkeep_string_free(null_mut::<toolkeep_string>());
    }
}

#[test]
fn closing_twice_is_fine_and_a_closed_runtime_says_so() {
    let runtime = open("{}");
    let mut out = null_mut();
    let text = toolkeep_str::lend;
    // SAFETY: the handle is good until it is freed at the end.
    unsafe {
        assert!(toolkeep_runtime_close(runtime).is_null());
        assert!(toolkeep_runtime_close(runtime).is_null());
        let error = crate::call::toolkeep_call(
            runtime,
            toolkeep_str::EMPTY,
            text("datetime"),
            text("{}"),
            &mut out,
        );
        assert_eq!(code_of(error).1, "closed");
        toolkeep_runtime_free(runtime);
    }
    assert!(out.is_null());
}

#[test]
fn a_text_that_is_none_is_refused_before_it_is_read() {
    let runtime = open("");
    let long = toolkeep_str { ptr: b"x".as_ptr(), len: usize::MAX };
    let nothing = toolkeep_str { ptr: null(), len: 3 };
    for (bad, name) in [(long, "invalid_argument"), (nothing, "invalid_argument")] {
        let mut out = null_mut();
        // SAFETY: the length is refused before anything is read.
        let error = unsafe { crate::scrub::toolkeep_scrub(bad, &mut out) };
        assert_eq!(code_of(error).1, name);
    }
    // SAFETY: the handle is good.
    unsafe { toolkeep_runtime_free(runtime) };
}
