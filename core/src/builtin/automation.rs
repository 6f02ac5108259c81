//! Group `automation`.

pub(super) mod datetime;
