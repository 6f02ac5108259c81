//! The table: a line for each kind, by field. Where two kinds of a prefix fit equally far, the
//! later line names what was found; so the general ones stand first.

use super::shape::{Part, Shape, hex, lit};

mod ai;
mod business;
mod chat;
mod ci;
mod cloud;
mod data;
mod identity;
mod monitoring;
mod packages;
mod payment;
mod places;
mod source_control;

/// All kinds, by field.
pub(super) static ALL: &[&[Shape]] = &[
    ai::AI,
    source_control::SOURCE_CONTROL,
    ci::CI,
    cloud::CLOUD,
    chat::CHAT,
    payment::PAYMENT,
    monitoring::MONITORING,
    data::DATA,
    packages::PACKAGES,
    identity::IDENTITY,
    business::BUSINESS,
    places::PLACES,
];

/// A UUID in lower case.
const UUID: &[Part] =
    &[hex(8), lit("-"), hex(4), lit("-"), hex(4), lit("-"), hex(4), lit("-"), hex(12)];
