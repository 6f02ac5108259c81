//! The word lists of the crate, made from `data/words/*.toml` by the build script.
//!
//! Each list is a constant or, where a match is faster than a search, a function. The documentation
//! of each comes from the `about` of its list.

include!(concat!(env!("OUT_DIR"), "/words.rs"));
