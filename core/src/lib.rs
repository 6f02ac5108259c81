//! Toolkeep: the governed tool layer for LLM agents.

pub mod clock;
pub mod error;
pub mod event;
pub mod id;
pub mod kind;
pub mod limits;

pub use error::{Code, Error};
