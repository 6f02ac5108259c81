use std::path::Path;

use serde_json::json;

use super::*;
use crate::secret::{self, Place, generate_key};

const PLACE: Place<'_> =
    Place { tenant: "default", table: "credentials", row: &["gh"], field: "env" };

fn key_file(folder: &Path, name: &str) -> KeySource {
    let path = folder.join(name);
    std::fs::write(&path, generate_key().unwrap().expose_secret()).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    KeySource::File(path.to_string_lossy().into_owned())
}

async fn refusal(builder: RuntimeBuilder) -> String {
    let error = builder.build().await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidConfig);
    error.message().to_owned()
}

#[tokio::test]
async fn without_a_key_the_one_gate_to_the_keys_says_how_to_set_one() {
    let rt = Runtime::builder().build().await.unwrap();
    let error = Error::from(rt.keys().unwrap_err());
    assert_eq!(error.code(), Code::NoKey);
    assert!(error.message().contains("`secrets.key`"), "{error}");
    assert!(error.message().contains("openssl rand -hex 32"), "{error}");
}

#[tokio::test]
async fn a_key_file_is_found_beside_the_configuration() {
    let folder = tempfile::tempdir().unwrap();
    key_file(folder.path(), "toolkeep.key");
    let path = folder.path().join("agent.toml");
    std::fs::write(&path, "store = \"memory:\"\n[secrets]\nkey = { file = \"toolkeep.key\" }\n")
        .unwrap();
    let rt = Runtime::open(&path).await.unwrap();
    let envelope = rt.keys().unwrap().seal(&PLACE, b"value").unwrap();
    assert_eq!(rt.keys().unwrap().open(&PLACE, &envelope).unwrap().expose_secret(), b"value");
    let shown = format!("{rt:?}");
    assert!(shown.contains(&rt.keys().unwrap().fingerprint().to_string()), "{shown}");
}

#[tokio::test]
async fn a_host_gives_keys_and_older_ones_still_open() {
    let old = generate_key().unwrap();
    let sealed = old.clone();
    let before = Runtime::builder().key(move || Ok(sealed)).build().await.unwrap();
    let envelope = before.keys().unwrap().seal(&PLACE, b"value").unwrap();

    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    config.secrets.key = Some(key_file(folder.path(), "new.key"));
    let after = Runtime::builder().config(config.clone()).build().await.unwrap();
    let error = after.keys().unwrap().open(&PLACE, &envelope).unwrap_err();
    assert!(matches!(error, secret::Error::UnknownKey { .. }), "{error}");

    let after = Runtime::builder().config(config).older_key(move || Ok(old)).build().await.unwrap();
    assert_eq!(after.keys().unwrap().open(&PLACE, &envelope).unwrap().expose_secret(), b"value");
    assert_ne!(after.keys().unwrap().fingerprint(), before.keys().unwrap().fingerprint());
}

#[tokio::test]
async fn keys_that_cannot_be_had_fail_the_build_and_name_the_setting() {
    let config = |secrets| Config::from_value(json!({ "secrets": secrets })).unwrap();
    let missing = config(json!({ "key": { "env": "TOOLKEEP_NO_SUCH_KEY" } }));
    let text = refusal(Runtime::builder().config(missing)).await;
    assert!(text.contains("`secrets.key`: the environment variable `TOOLKEEP_NO_SUCH_KEY`"));

    let folder = tempfile::tempdir().unwrap();
    let mut older = Config::default();
    older.secrets.older_keys = vec![key_file(folder.path(), "old.key")];
    let text = refusal(Runtime::builder().config(older.clone())).await;
    assert!(text.contains("`secrets.older_keys`") && text.contains("set `secrets.key`"), "{text}");
    older.secrets.older_keys.push(KeySource::File("/no/such/file".into()));
    let text = refusal(Runtime::builder().config(older).key(generate_key_for_host)).await;
    assert!(text.contains("`secrets.older_keys[1]`: the file /no/such/file"), "{text}");

    let mut both = Config::default();
    both.secrets.key = Some(key_file(folder.path(), "new.key"));
    let text = refusal(Runtime::builder().config(both).key(generate_key_for_host)).await;
    assert!(text.contains("`secrets.key`: the host gives a key, too"), "{text}");
}

#[tokio::test]
async fn a_key_file_in_the_workspace_is_refused_however_it_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("work");
    std::fs::create_dir(&workspace).unwrap();
    let inside = key_file(&workspace, "toolkeep.key");
    let text = |path: &str| folder.path().join(path).to_string_lossy().into_owned();
    let mut sources = vec![inside, KeySource::File(text("work/../work/toolkeep.key"))];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("work/toolkeep.key", folder.path().join("link")).unwrap();
        sources.push(KeySource::File(text("link")));
    }
    for source in sources {
        let mut config = Config::default();
        config.secrets.key = Some(source);
        let refused = refusal(Runtime::builder().config(config).workspace(&workspace)).await;
        assert!(refused.contains("in the workspace"), "{refused}");
    }
    let mut config = Config::default();
    config.secrets.key = Some(key_file(folder.path(), "work.key"));
    assert!(Runtime::builder().config(config).workspace(&workspace).build().await.is_ok());
}

#[tokio::test]
async fn what_a_host_gives_instead_of_a_key_is_not_repeated() {
    let text = refusal(Runtime::builder().key(|| Ok("sw0rdf1sh".into()))).await;
    assert!(text.contains("64 hexadecimal digits") && !text.contains("sw0rdf1sh"), "{text}");
    let locked = || Err(Error::new(Code::Unavailable, "the keychain is locked"));
    let text = refusal(Runtime::builder().key(locked)).await;
    assert!(text.contains("`secrets.key`") && text.contains("the keychain is locked"), "{text}");
}

fn generate_key_for_host() -> Result<SecretString, Error> {
    Ok(generate_key()?)
}
