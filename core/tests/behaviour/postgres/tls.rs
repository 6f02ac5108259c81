//! TLS with certificates of our own.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tempfile::TempDir;
use toolkeep::store::Kind;
use toolkeep_test_postgres::Server;

use super::{failure, open};

struct Secured {
    server: Server,
    folder: TempDir,
}

/// A server whose certificate is for `localhost` alone, and two authorities: the one that signed
/// it, and one that it does not know.
fn secured() -> Secured {
    let authority = |name: &str| {
        let mut params = CertificateParams::new(vec![]).unwrap();
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
    };
    let (ours, other) = (authority("ours"), authority("other"));
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["localhost".into()]).unwrap();
    let certificate = params.signed_by(&key, &ours).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ours.pem"), ours.pem()).unwrap();
    std::fs::write(folder.path().join("other.pem"), other.pem()).unwrap();
    let mut server = Server::start(&[("fsync", "off")]);
    server.put_file("server.crt", certificate.pem().as_bytes());
    server.put_file("server.key", key.serialize_pem().as_bytes());
    server.restart(&[("ssl", "on")]);
    Secured { server, folder }
}

#[tokio::test]
async fn each_sslmode_checks_what_it_says() {
    let Secured { server, folder } = secured();
    let name = server.new_database_name();
    let url = |host: &str, rest: &str| {
        let folder = folder.path().display().to_string();
        format!("{}?{}", server.url(&name), rest.replace("DIR", &folder)).replace("127.0.0.1", host)
    };
    for (host, good) in [
        ("localhost", "sslmode=verify-full&sslrootcert=DIR/ours.pem"),
        ("127.0.0.1", "sslmode=verify-ca&sslrootcert=DIR/ours.pem"),
        ("127.0.0.1", "sslmode=require&sslrootcert=DIR/ours.pem"),
        ("127.0.0.1", "sslmode=require&channel_binding=require"),
        ("127.0.0.1", "sslmode=prefer"),
        ("127.0.0.1", "application_name=x"),
    ] {
        let store = open(&url(host, good), 5_000).await.unwrap_or_else(|e| panic!("{good}: {e}"));
        let encrypted = server.sql(
            &name,
            "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
             WHERE datname = current_database() AND pid <> pg_backend_pid()",
        );
        assert_eq!(encrypted, "t", "{good}");
        store.close().await.unwrap();
    }
    for (host, bad) in [
        ("127.0.0.1", "sslmode=verify-full&sslrootcert=DIR/ours.pem"),
        ("localhost", "sslmode=verify-full&sslrootcert=DIR/other.pem"),
        ("localhost", "sslmode=verify-ca&sslrootcert=DIR/other.pem"),
        ("localhost", "sslmode=require&sslrootcert=DIR/other.pem"),
        ("localhost", "sslmode=verify-full"),
        ("localhost", "sslmode=verify-full&sslrootcert=system"),
        ("localhost", "sslmode=verify-full&sslrootcert=DIR/missing.pem"),
        ("localhost", "sslmode=verify-full&sslrootcert=DIR"),
    ] {
        let error = failure(&url(host, bad)).await;
        assert_eq!(error.kind(), Kind::Path, "{bad}: {error}");
        assert!(error.to_string().contains("sslrootcert"), "{bad}: {error}");
    }
    let plain = open(&url("localhost", "sslmode=disable"), 5_000).await.unwrap();
    plain.close().await.unwrap();
}

#[tokio::test]
async fn a_server_without_tls_is_refused_if_tls_is_asked_for() {
    let url = Server::shared().new_database();
    let error = failure(&format!("{url}?sslmode=require")).await;
    assert_eq!(error.kind(), Kind::Path);
    assert!(error.to_string().contains("does not support TLS"), "{error}");
}
