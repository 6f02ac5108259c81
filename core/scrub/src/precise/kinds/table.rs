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

/// The fields, and the kinds of each.
pub(super) static FIELDS: &[(&str, &[Shape])] = &[
    ("Language models and agents", ai::AI),
    ("Source control", source_control::SOURCE_CONTROL),
    ("Continuous integration and deployment", ci::CI),
    ("Clouds and hosting", cloud::CLOUD),
    ("Chat, calls and social networks", chat::CHAT),
    ("Payment, banking and shops", payment::PAYMENT),
    ("Monitoring and analytics", monitoring::MONITORING),
    ("Databases, storage and data", data::DATA),
    ("Package registries and developer tools", packages::PACKAGES),
    ("Identity, vaults and cryptography", identity::IDENTITY),
    ("Mail, customers and projects", business::BUSINESS),
    ("Maps, data and research", places::PLACES),
];

/// All kinds, in their order.
pub(super) fn all() -> impl Iterator<Item = &'static Shape> {
    FIELDS.iter().flat_map(|(_, shapes)| shapes.iter())
}

/// A UUID in lower case.
const UUID: &[Part] =
    &[hex(8), lit("-"), hex(4), lit("-"), hex(4), lit("-"), hex(4), lit("-"), hex(12)];
