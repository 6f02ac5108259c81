//! The sealed environment of an owner's program: opened for one call, masked in its texts, and given to
//! the program alone. With a [`Permit`](super::Permit) it is all that an owner gives a program of his.

use std::collections::BTreeMap;

use secrecy::ExposeSecret as _;

use super::environment::Variables;
use crate::secret::{KeyRing, Place};
use crate::tool::CallContext;

/// Opens an environment that was sealed for its place, and has its values masked in the texts of a
/// call from now on.
///
/// # Errors
/// Why it cannot be opened, for the log of the host.
pub(crate) fn opened(
    keys: Option<&KeyRing>,
    place: &Place<'_>,
    envelope: &[u8],
    cx: &CallContext,
) -> Result<Variables, String> {
    let keys = keys.ok_or("there is no key; set `secrets.key`")?;
    let text = keys.open_text(place, envelope).map_err(|error| error.to_string())?;
    let variables: BTreeMap<String, String> =
        serde_json::from_str(text.expose_secret()).map_err(|_| "it is no environment")?;
    for value in variables.values() {
        // A value that is too short to be masked occurs in ordinary text anyway.
        let _ = cx.register_secret(value, None);
    }
    Ok(variables)
}
