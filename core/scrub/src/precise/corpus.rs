//! The profile on labelled texts, on made ones, on sources and on build logs: what it finds, and
//! what it leaves alone.

mod dice;
mod hard;
mod harmless;
mod labelled;
mod logs;
mod made;
mod score;
pub(super) mod sources;
