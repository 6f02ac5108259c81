use super::super::test_marks::{leaves, masks, scrub};

#[test]
fn the_password_alone_is_masked_and_the_rest_of_the_link_stays() {
    for scheme in [
        "postgres",
        "postgresql+asyncpg",
        "mysql+pymysql",
        "mongodb",
        "mongodb+srv",
        "rediss",
        "amqps",
        "mssql",
        "http",
        "https",
        "snowflake",
        "imap",
        "rtsp",
        "ftp",
        "sftp",
        "smtp",
        "ldaps",
        "nats",
        "clickhouse",
        "jdbc:postgresql",
        "socks5",
        "ssh",
    ] {
        masks(&format!("{scheme}://app:«Xq7-Wd.e2~K!»@db.internal.example.org:5432/orders?ssl=1"));
    }
    masks("redis://:«YO5iS_-pM»@10.2.3.4:6379/0");
    masks("DATABASE_URL=mysql://app:«A0oigHj7d»@10.2.3.4/orders");
    masks("{\"dsn\": \"amqp://app:«yVt!jdgGzN»@10.2.3.4/vh\"}");
    masks("{\"dsn\":\"https:\\/\\/app:«yVt!jdgGzN»@10.2.3.4\\/vh\"}");
    masks("  url: 'redis://default:«aZhoCcQoGc»@cache'");
    masks("Error: cannot reach rtsp://reader:«CWH5ESl!nm»@10.2.3.4:554/live: timeout");
    masks("see (https://bot:«Wd7e2Kx9»@git.example.org/a.git), then go");
    masks("mongodb://u:«Wd7e2Kx9»@h1:27017,h2:27017/db?authSource=admin&mail=a@b.com");
    masks("cloudinary://123456789012345:«aB3dE6gH9jK2mN5pQ8sT1vW4yZ»@name");
    masks("-> postgres://app:«Winter6430$KV9»@db:5432/x");
}

#[test]
fn a_password_may_hold_what_an_address_may_not() {
    masks("postgres://app:«pa/ss9Wd»@db.example.org:5432/orders");
    masks("postgres://app:«pa#ss?9Wd»@db.example.org:5432/orders");
    masks("postgres://app:«p@ss9Wd»@db.example.org/orders");
    masks("postgres://app:«p@ss/9Wd»@db.example.org:5432/orders");
    masks("postgres://app:«a:b:9Wd»@db.example.org/orders");
    masks("postgres://app:«p%40ss%2F9Wd»@db.example.org/orders");
    masks("postgres://app:«pässwört9»@db.example.org/orders");
    masks("postgres://app%40corp:«x9KfWd2q»@db.example.org/orders");
}

#[test]
fn a_token_in_the_place_of_the_user_is_masked() {
    masks("https://«aB3dE6gH9jK2mN5pQ8sT1vW4yZ»@git.example.org/a.git");
    masks("https://«aB3dE6gH9jK2mN5pQ8sT1vW4yZ»:x-oauth-basic@github.com/a.git");
    masks("https://«aB3dE6gH9jK2mN5pQ8sT1vW4yZ»:@api.example.org/v1");
    masks("https://oauth2:«aB3dE6gH9jK2mN5pQ8sT»@gitlab.example.org/a.git");
    masks("trojan://«my-vpn-pw»@vpn.example.org:443");
    let public = "0123456789abcdef".repeat(2);
    leaves(&format!("https://{public}@o1234.ingest.sentry.io/42"));
    masks(&format!("https://{public}:«{}»@sentry.io/42", "fedcba9876543210".repeat(2)));
}

#[test]
fn the_password_of_oracles_easy_connect_is_masked() {
    masks("app/«Xd06c!luwT7»@//db.internal.example.org:1521/acme");
    masks("DATABASE_URL=app/«Xd06c!luwT7»@//10.2.3.4:1521/acme");
    masks("jdbc:oracle:thin:app/«Xd06c!luwT7»@//10.2.3.4:1521/acme");
    leaves("import x from '@scope/name@//cdn'");
}

#[test]
fn links_without_a_password_stay() {
    for link in [
        "https://example.org/a?b=c#d",
        "postgres://localhost:27017/metric",
        "ssh://git@github.com/acme/app.git",
        "https://user@bitbucket.org/acme/app.git",
        "http://localhost:3000/@vite/client",
        "https://medium.com/@somebody/a-story-1f2e3d4c5b6a",
        "https://unpkg.com/react@18.2.0/umd/react.js",
        "https://host:8080/path@1.2.3:4",
        "mongodb://host:27017/db?user=foo@bar.com",
        "http://[::1]:8080/@fs/x",
        "file:///etc/passwd",
        "mailto://a@b.c",
        "https://example.org, or mail to a:b@example.org",
        "http://h1,http://h2/@x",
    ] {
        leaves(link);
    }
}

#[test]
fn dummy_passwords_stay() {
    for link in [
        "https://<user>:<password>@github.com/acme/app.git",
        "postgres://${USER}:${PASS}@${HOST}:5432/db",
        "postgres://$USER:$PASS@$HOST/db",
        "postgres://{user}:{password}@{host}/db",
        "f\"mysql://{user}:{quote(password)}@{host}\"",
        "postgres://%s:%s@%s/%s",
        "postgres://%(user)s:%(password)s@db/x",
        "postgres://user:password@localhost/db",
        "postgres://postgres:postgres@localhost:5432/postgres",
        "http://user:pass@example.com/",
        "redis://:****@cache:6379",
        "redis://:xxxxx@cache:6379",
        "https://user:YOUR_PASSWORD@host",
        "amqp://guest:guest@rabbit:5672",
        "http://a:b@c:29/d",
        "redis://:[REDACTED:password:0a1b]@cache",
        "redis://:[REDACTED]@cache",
        "https://user:...@host/",
        "https://abc:123@example.com/",
        "://[&lt;user&gt;[:&lt;password&gt;]@]&lt;host&gt;",
    ] {
        leaves(link);
    }
}

#[test]
fn a_webhook_keeps_its_host_and_loses_its_token() {
    masks("https://hooks.slack.com/«services/T0AB12CD3/B0EF45GH6/aB3dE6gH9jK2mN5pQ8sT1vW4»");
    masks("curl https://hooks.slack.com/«workflows/T0AB12CD3/A0EF45GH6/123/aB3dE6gH9jK2mN5p» now.");
    masks("https://discord.com/api/webhooks/«123456789012345678/aB3dE6gH9jK2mN5pQ8sT1vW4yZ_-0»");
    masks(
        "\"https://acme.webhook.office.com/webhookb2/«0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f@0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f/IncomingWebhook/0123456789abcdef/9a8b»\"",
    );
    masks("https://api.telegram.org/bot«8974026259:AAgqHE3S0LwOtt999VqefNbo0fHzLr6Xs3h»/getMe");
    masks("https://hooks.zapier.com/hooks/catch/1234567/«ab12c3d»/");
    masks("https://maker.ifttt.com/trigger/x/with/key/«dE6gH9jK2mN5pQ8sT1vW4»");
    masks("https://chat.example.org/hooks/«xk9fwd2qxk9fwd2qxk9fwd2qxk»");
    masks(&format!("https://mainnet.infura.io/v3/«{}»", "0a1b2c3d".repeat(4)));
    let drawn = "https://hooks.slack.com/services/T00000000/B00000000/";
    leaves(&format!("{drawn}{}", "X".repeat(24)));
    leaves("https://hooks.slack.com/services/<your-token>");
    leaves("https://discord.com/api/webhooks/{webhook.id}/{webhook.token}");
    leaves("https://api.telegram.org/bot<token>/getMe");
    leaves("https://discord.com/developers/docs/resources/webhook");
    leaves("https://github.com/acme/app/settings/hooks/new");
}

#[test]
fn the_signature_of_a_signed_link_is_masked() {
    let hex = "0a1b2c3d".repeat(8);
    masks(&format!("https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=«{hex}»&x=1"));
    masks(&format!("https://storage.googleapis.com/b/o?X-Goog-Signature=«{hex}{hex}»"));
    masks(
        "https://a.blob.core.windows.net/c?sr=b&sp=r&sig=«thUp03ACZeZIKhuNurQcup7i1JqbV3kbDa9Wme9%2FGG%3D»&x=1",
    );
    masks(
        "https://d1.cloudfront.net/f?Expires=1&Signature=«aB3dE6gH9jK2mN5pQ8sT1vW4yZ~aB3d-__»&Key-Pair-Id=K",
    );
    masks(
        "{\"url\":\"https://a.blob.core.windows.net/c?sr=b\\u0026sig=«thUp03ACZeZIKhuNurQcup7i1Jq%3D»\"}",
    );
    masks(&format!("AWS4-HMAC-SHA256 SignedHeaders=host, Signature=«{hex}»"));
    masks("https://app.example.org/cb?code=«4aX7fTqLr8Zw2KpV9mNb5cYd»&state=x");
    leaves("https://example.org/cb?code=E_SOMETHING_HAS_FAILED&x=1");
    leaves("signature=compute_signature_of_request");
    leaves("fn(sig=default_signal_handler)");
    leaves("X-Amz-Signature=<signature>&X-Amz-Signature=${sig}");
}

#[test]
fn both_secrets_of_one_link_are_masked() {
    let masked = scrub("https://u:x9KfWd2q@a.example.org/c?sig=thUp03ACZeZIKhuNurQcup7i1Jq%3D");
    assert_eq!(masked.matches("[REDACTED:").count(), 2, "{masked}");
    assert!(masked.starts_with("https://u:[REDACTED:"), "{masked}");
    assert!(masked.contains("@a.example.org/c?sig=[REDACTED:"), "{masked}");
}
