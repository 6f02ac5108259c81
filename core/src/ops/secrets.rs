//! `secrets.*`

use schemars::JsonSchema;
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::{default_tenant, operations};
use crate::error::Error;
use crate::id::check_key;
use crate::runtime::{RotationStatus, Runtime};

operations! {
    /// Values that are masked in every text, because the host knows that they are secret; and the key
    /// that stored ones are sealed under.
    secrets as SecretsOps {
        /// Registers a value: from now on it is masked in all texts, in many encodings. A value
        /// that was registered twice must be forgotten twice. It is not stored: register it again
        /// after a restart.
        register(RegisterSecret) -> RegisteredSecret = register;
        /// Forgets a registered value.
        forget(ForgetSecret) -> ForgottenSecret = forget;
        /// Masks a text as the results of the tenant's calls are masked.
        mask(MaskText) -> MaskedText = mask;
        /// Reseals stored values of all tenants under `secrets.key` if they are sealed under one of
        /// `secrets.older_keys`. It runs in the background unless `wait` is true. Both keys open
        /// values meanwhile. It may be stopped at any moment and started again: it continues with
        /// the remaining values. A value that somebody changes meanwhile keeps that change.
        ///
        /// Fails with `no_key` if the configuration has no `secrets.key`.
        rotate(RotateSecrets) -> RotationStatus = rotate;
        /// Returns the progress of this process's rotation, or how its last one ended.
        rotation(GetRotation) -> RotationStatus = rotation;
        /// Ends the rotation that runs in this process. Values that it has resealed stay so.
        stop_rotation(StopRotation) -> RotationStatus = stop_rotation;
    }
}

/// The arguments of `secrets.register`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterSecret {
    /// The tenant in whose texts it is masked.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// True: in all texts of the runtime, for every tenant.
    #[serde(default)]
    pub everywhere: bool,
    /// The value, at most 16,384 bytes. White space around it does not count.
    #[serde(deserialize_with = "secret_text")]
    #[schemars(with = "String")]
    pub value: SecretString,
    /// Its kind in placeholders: 1 to 40 of `a-z`, `0-9` and `-`. Default: `secret`.
    #[serde(default)]
    pub kind: Option<String>,
}

/// What `secrets.register` did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegisteredSecret {
    /// Set if the value is not masked, or not in every encoding: `value_too_short`, `value_short`
    /// or `value_common`.
    pub warning: Option<String>,
    /// The warning as a sentence.
    pub message: Option<String>,
}

/// The arguments of `secrets.forget`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgetSecret {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// True: it was registered for all texts of the runtime.
    #[serde(default)]
    pub everywhere: bool,
    /// The value.
    #[serde(deserialize_with = "secret_text")]
    #[schemars(with = "String")]
    pub value: SecretString,
}

/// What `secrets.forget` did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ForgottenSecret {
    /// False if it was not registered there.
    pub forgotten: bool,
}

/// The arguments of `secrets.mask`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaskText {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The text.
    #[serde(deserialize_with = "secret_text")]
    #[schemars(with = "String")]
    pub text: SecretString,
}

/// What `secrets.mask` made of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MaskedText {
    /// The text with every secret in it replaced.
    pub text: String,
}

/// The arguments of `secrets.rotate`.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RotateSecrets {
    /// True: the answer comes when it has ended. Default: it runs in the background.
    #[serde(default)]
    pub wait: bool,
}

/// The arguments of `secrets.rotation`.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetRotation {}

/// The arguments of `secrets.stop_rotation`.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopRotation {}

/// The error for anything but a text does not repeat it.
fn secret_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SecretString, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(text) => Ok(text.into()),
        _ => Err(D::Error::custom("a string is expected here")),
    }
}

fn place(tenant: &str, everywhere: bool) -> Option<&str> {
    (!everywhere).then_some(tenant)
}

async fn register(runtime: &Runtime, args: RegisterSecret) -> Result<RegisteredSecret, Error> {
    let RegisterSecret { tenant, everywhere, value, kind } = args;
    let place = place(&tenant, everywhere);
    let added = runtime.register_secret(place, value.expose_secret(), kind.as_deref())?;
    Ok(RegisteredSecret {
        warning: added.warning.map(|warning| warning.code().to_owned()),
        message: added.warning.map(|warning| warning.to_string()),
    })
}

async fn forget(runtime: &Runtime, args: ForgetSecret) -> Result<ForgottenSecret, Error> {
    let ForgetSecret { tenant, everywhere, value } = args;
    check_key("tenant", &tenant)?;
    let place = place(&tenant, everywhere);
    Ok(ForgottenSecret { forgotten: runtime.forget_secret(place, value.expose_secret()) })
}

async fn mask(runtime: &Runtime, args: MaskText) -> Result<MaskedText, Error> {
    check_key("tenant", &args.tenant)?;
    let masked = runtime.scrub_for(&args.tenant, args.text.expose_secret());
    Ok(MaskedText { text: masked.into_owned() })
}

async fn rotate(runtime: &Runtime, args: RotateSecrets) -> Result<RotationStatus, Error> {
    runtime.rotate(args.wait).await
}

async fn rotation(runtime: &Runtime, _: GetRotation) -> Result<RotationStatus, Error> {
    Ok(runtime.rotation().status())
}

async fn stop_rotation(runtime: &Runtime, _: StopRotation) -> Result<RotationStatus, Error> {
    Ok(runtime.rotation().stop())
}
