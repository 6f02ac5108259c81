use std::path::PathBuf;

use secrecy::ExposeSecret;
use serde_json::json;

use super::*;
use crate::runtime::Config;
use crate::secret::generate_key;

const HEX: &str = "8f1d2c3b4a59687716253443526170f0e1d2c3b4a5968778695a4b3c2d1e0f11";

fn write(folder: &Path, name: &str, content: &[u8], mode: u32) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    #[cfg(not(unix))]
    let _ = mode;
    path
}

fn refusal(source: &KeySource, folder: Option<&Path>) -> String {
    let error = source.key(folder).unwrap_err();
    assert_eq!(error.code(), crate::Code::InvalidConfig);
    error.to_string()
}

#[test]
fn a_file_may_hold_a_key_in_each_form() {
    let folder = tempfile::tempdir().unwrap();
    let key = Key::from_text(HEX).unwrap();
    let base64 = data_encoding::BASE64.encode(key.bytes());
    let contents: [&[u8]; 5] = [
        HEX.as_bytes(),
        &[HEX.as_bytes(), b"\n"].concat(),
        &[base64.as_bytes(), b"\r\n"].concat(),
        base64.as_bytes(),
        key.bytes(),
    ];
    for content in contents {
        write(folder.path(), "a.key", content, 0o400);
        let read = KeySource::File("a.key".into()).key(Some(folder.path())).unwrap();
        assert_eq!(read.id(), key.id());
        std::fs::remove_file(folder.path().join("a.key")).unwrap();
    }
    let absolute = write(folder.path(), "b.key", HEX.as_bytes(), 0o600);
    let source = KeySource::File(absolute.to_string_lossy().into_owned());
    assert_eq!(source.key(Some(Path::new("/elsewhere"))).unwrap().id(), key.id());
    assert_eq!(source.key(None).unwrap().id(), key.id());
}

#[cfg(unix)]
#[test]
fn a_file_that_others_can_read_is_refused_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    for mode in [0o644, 0o640, 0o604, 0o660, 0o602, 0o601] {
        write(folder.path(), "open.key", HEX.as_bytes(), mode);
        let text = refusal(&KeySource::File("open.key".into()), Some(folder.path()));
        assert!(text.contains("chmod 600") && text.contains(&format!("{mode:04o}")), "{text}");
        assert!(text.contains("open.key") && !text.contains(HEX), "{text}");
    }
}

#[test]
fn a_file_that_is_no_key_file_is_refused_and_named() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "typed", b"sw0rdf1sh", 0o600);
    write(folder.path(), "empty", b"", 0o600);
    write(folder.path(), "large", &b"sw0rdf1sh".repeat(100_000), 0o600);
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    for (name, why) in [
        ("typed", "these 9 characters"),
        ("empty", "these 0 characters"),
        ("large", "longer"),
        ("folder", "not a regular file"),
        ("none", "cannot be read"),
    ] {
        let text = refusal(&KeySource::File(name.into()), Some(folder.path()));
        assert!(text.contains(&format!("{name} ")) && text.contains(why), "{text}");
        assert!(!text.contains("sw0rdf1sh"), "{text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_refused_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    let mode = rustix::fs::Mode::RUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let text = refusal(&KeySource::File("pipe".into()), Some(folder.path()));
    assert!(text.contains("not a regular file"), "{text}");
}

/// Runs once more as a process whose environment holds what is to be read.
#[test]
fn a_variable_may_hold_a_key_in_each_text_form() {
    const NAME: &str = "secret::source::tests::a_variable_may_hold_a_key_in_each_text_form";
    if std::env::var_os("TOOLKEEP_TEST_HEX").is_some() {
        for name in ["TOOLKEEP_TEST_HEX", "TOOLKEEP_TEST_BASE64", "TOOLKEEP_TEST_LINE"] {
            let key = KeySource::Env(name.into()).key(None).unwrap();
            assert_eq!(key.id(), Key::from_text(HEX).unwrap().id());
        }
        for name in ["TOOLKEEP_TEST_EMPTY", "TOOLKEEP_TEST_TYPED"] {
            let text = refusal(&KeySource::Env(name.into()), None);
            assert!(text.contains(name) && text.contains("64 hexadecimal digits"), "{text}");
            assert!(!text.contains("what I always use"), "{text}");
        }
        return;
    }
    let base64 = data_encoding::BASE64.encode(Key::from_text(HEX).unwrap().bytes());
    let done = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME])
        .env("TOOLKEEP_TEST_HEX", HEX)
        .env("TOOLKEEP_TEST_BASE64", base64)
        .env("TOOLKEEP_TEST_LINE", format!("{HEX}\n"))
        .env("TOOLKEEP_TEST_EMPTY", "")
        .env("TOOLKEEP_TEST_TYPED", "Tr0ub4dor&3 is what I always use")
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && output.contains("1 passed"), "{output}");
}

#[test]
fn a_variable_that_is_not_set_is_named() {
    let text = refusal(&KeySource::Env("TOOLKEEP_NO_SUCH_KEY".into()), None);
    assert_eq!(text, "the environment variable `TOOLKEEP_NO_SUCH_KEY` is not set");
}

#[test]
fn a_key_in_the_configuration_is_refused_wherever_it_stands_and_never_repeated() {
    let slip = &HEX[..63];
    let base64 = data_encoding::BASE64.encode(Key::from_text(HEX).unwrap().bytes());
    for key in [HEX, slip, &base64, generate_key().unwrap().expose_secret()] {
        let places = [
            json!({ "key": key }),
            json!({ "key": [key] }),
            json!({ "key": { "env": key } }),
            json!({ "key": { "file": key } }),
            json!({ "key": { key: "x" } }),
            json!({ "key": { "env": [key] } }),
            json!({ "key": { "env": "A", "file": key } }),
            json!({ "older_keys": [key] }),
            json!({ "older_keys": key }),
            json!({ "older_keys": [{ "env": "A" }, { "env": key }] }),
        ];
        for secrets in places {
            let error = Config::from_value(json!({ "secrets": secrets })).unwrap_err();
            let shown = format!("{error} {error:?}");
            assert!(shown.contains("`secrets."), "{shown}");
            assert!(!shown.contains(key), "{shown}");
        }
        for source in [KeySource::Env(key.into()), KeySource::File(key.into())] {
            assert!(!refusal(&source, None).contains(key));
        }
    }
    let error = Config::from_value(json!({ "secrets": { "key": HEX } })).unwrap_err();
    assert!(error.message().contains("{ env = \"TOOLKEEP_KEY\" }"), "{error}");
    assert!(error.message().contains("never stands in the configuration"), "{error}");
}

#[test]
fn a_source_of_another_kind_is_named() {
    let complaint = |secrets| {
        let error = Config::from_value(json!({ "secrets": secrets })).unwrap_err();
        error.message().to_owned()
    };
    let text = complaint(json!({ "key": { "vault": "x" } }));
    assert!(text.contains("`secrets.key`") && text.contains("`vault`"), "{text}");
    let text = complaint(json!({ "kee": { "env": "X" } }));
    assert!(text.contains("`secrets.kee`") && text.contains("did you mean `key`?"), "{text}");
    for name in ["", "1A", "A B", "A=B", "Ä"] {
        assert!(complaint(json!({ "key": { "env": name } })).contains("`env` is not the name"));
    }
    assert!(complaint(json!({ "key": { "file": "" } })).contains("`file` is not the path"));
    assert!(complaint(json!({ "key": {} })).contains("say where the key is kept"));
}

#[test]
fn sources_are_written_as_they_are_read() {
    let value = json!({ "key": { "env": "A_KEY" }, "older_keys": [{ "file": "old/a.key" }] });
    let secrets = Config::from_value(json!({ "secrets": value })).unwrap().secrets;
    assert_eq!(secrets.key, Some(KeySource::Env("A_KEY".into())));
    assert_eq!(secrets.older_keys, [KeySource::File("old/a.key".into())]);
    assert_eq!(serde_json::to_value(&secrets).unwrap(), value);
}
