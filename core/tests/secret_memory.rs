//! Looks at each block of bytes as the heap takes it back: no key and no opened value is in it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolkeep::Runtime;
use toolkeep::ops::{PutCredential, PutCustomTool};
use toolkeep::secret::{ExposeSecret, Key, KeyRing, KeySource, Place, SecretString, Secrets};

const KEY: [u8; 32] = *b"\x8f\x1d\x2c\x3b\x4a\x59\x68\x77\x16\x25\x34\x43\x52\x61\x70\xf0\
                         \xe1\xd2\xc3\xb4\xa5\x96\x87\x78\x69\x5a\x4b\x3c\x2d\x1e\x0f\x11";
const HEX: &str = "8f1d2c3b4a59687716253443526170f0e1d2c3b4a5968778695a4b3c2d1e0f11";
const BASE64: &str = "jx0sO0pZaHcWJTRDUmFw8OHSw7Sllod4aVpLPC0eDxE=";
const VALUE: &str = "what is sealed, with 🔑 and more than a few words";

static LEFT_BEHIND: AtomicUsize = AtomicUsize::new(0);

struct Watching;

// SAFETY: every request goes to the system's allocator as it came. `realloc` is the default one,
// which goes through `alloc` and `dealloc`.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Zeroed, so that `dealloc` may read all of it.
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // Only bytes and text: other types have padding, which must not be read.
        if layout.align() == 1 {
            // SAFETY: the block is whole and was zeroed when it was made; what was written since
            // are bytes.
            let bytes = unsafe { std::slice::from_raw_parts(block, layout.size()) };
            let needles = [&KEY[..24], &HEX.as_bytes()[..24], &BASE64.as_bytes()[..24]];
            let found = |needle: &[u8]| bytes.windows(needle.len()).any(|part| part == needle);
            if needles.into_iter().any(found) || found(&VALUE.as_bytes()[..24]) {
                LEFT_BEHIND.fetch_add(1, Ordering::SeqCst);
            }
        }
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static HEAP: Watching = Watching;

fn left_behind() -> usize {
    LEFT_BEHIND.swap(0, Ordering::SeqCst)
}

#[tokio::test]
async fn no_key_and_no_value_stays_on_the_heap() {
    drop(HEX.to_owned());
    drop(KEY.to_vec());
    drop(VALUE.repeat(2));
    assert_eq!(left_behind(), 3, "the heap is not watched");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.key");
    std::fs::write(&path, "").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let secrets = Secrets { key: Some(KeySource::File("a.key".into())), older_keys: Vec::new() };
    for content in [&KEY[..], HEX.as_bytes(), BASE64.as_bytes()] {
        std::fs::write(&path, content).unwrap();
        let key = secrets.sealing_key(Some(folder.path())).unwrap().unwrap();
        let ring = KeyRing::new(key, [Key::from_text(HEX).unwrap()]);
        let place = Place { tenant: "default", table: "t", row: &["a"], field: "f" };
        let mut envelope = ring.seal(&place, VALUE.as_bytes()).unwrap();
        assert_eq!(ring.open(&place, &envelope).unwrap().expose_secret(), VALUE.as_bytes());
        assert_eq!(ring.open_text(&place, &envelope).unwrap().expose_secret(), VALUE);
        envelope[30] ^= 1;
        ring.open(&place, &envelope).unwrap_err();
    }
    for not_quite in [&HEX[..63], &BASE64[..43]] {
        std::fs::write(&path, not_quite).unwrap();
        secrets.sealing_key(Some(folder.path())).unwrap_err();
    }
    let builder = Runtime::builder().key(|| Ok(SecretString::from(HEX)));
    let rt = builder.build().await.unwrap();
    seal_by_operations(&rt).await;
    rt.close().await.unwrap();
    assert_eq!(left_behind(), 0);
}

#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
async fn seal_by_operations(rt: &Runtime) {
    // Escaped in JSON, too: what is sealed then is longer than what was given.
    let value = || SecretString::from([VALUE, "\n\u{1}"].concat());
    let env = || BTreeMap::from([("A".to_owned(), value()), ("B".to_owned(), value())]);
    let credentials = rt.ops().credentials();
    for (name, kind) in [("gh", "env"), ("api", "token")] {
        let is_env = kind == "env";
        let put = PutCredential {
            tenant: "default".into(),
            name: name.into(),
            agent: None,
            user: None,
            kind: kind.into(),
            env: is_env.then(env),
            value: (!is_env).then(value),
            host_scope: String::new(),
            settings: serde_json::Map::new(),
            if_version: None,
        };
        credentials.put(put).await.unwrap();
        let name = serde_json::from_value(serde_json::json!({ "name": name })).unwrap();
        credentials.check(name).await.unwrap();
    }
    let tool = serde_json::json!({ "name": "deploy", "description": "d", "command": "c" });
    let tool: PutCustomTool = serde_json::from_value(tool).unwrap();
    rt.ops().custom_tools().put(PutCustomTool { env: Some(env()), ..tool }).await.unwrap();
}
