//! One row for each way to assign a secret, and for what looks like one and is none.
//!
//! In a row `§` stands for the secret: it is put in, and the scrubbed text must have a placeholder
//! there and be the same everywhere else.

mod account_command;
mod apart;
mod code;
mod json;
mod stays;

use super::super::super::{Profile, Scrubber, TagKey};

fn scrubber() -> Scrubber {
    Scrubber::new(Profile::Precise, TagKey::new([7; 32]))
}

/// Secrets are put together here, as those who scan sources trip over whole ones.
fn password() -> String {
    ["Win", "ter", "28", "37*R", "hZ"].concat()
}

fn token() -> String {
    ["03KHbWj0w7", "wI1TwS2wke", "SeZ9apvnLt", "0xFKxwJf"].concat()
}

/// The text with `§` in place of each placeholder.
fn with_marks(text: &str) -> String {
    let mut parts = text.split("[REDACTED:");
    let mut with_marks = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        with_marks.push('§');
        with_marks.push_str(part.split_once(']').expect("the end of a placeholder").1);
    }
    with_marks
}

fn assert_masks(rows: &[&str], secret: &str) {
    let scrubber = scrubber();
    let mut wrong = Vec::new();
    for row in rows {
        let text = row.replace('§', secret);
        let masked = scrubber.scrub(&text);
        if &with_marks(&masked) != row {
            wrong.push((row, with_marks(&masked)));
        }
        assert_eq!(scrubber.scrub(&masked), masked, "scrubbed twice: {text:?}");
    }
    assert!(wrong.is_empty(), "wanted and got: {wrong:#?}");
}

fn assert_leaves(rows: &[&str]) {
    let scrubber = scrubber();
    for row in rows {
        assert_eq!(&scrubber.scrub(row), row);
    }
}

#[test]
fn a_mark_before_a_secret_opens_nothing() {
    let secret = ["q7Rz", "Vn2x", "Kp9w", "Lt4m", "Hd8s", "Yb3c"].concat();
    for marker in ["[REDACTED:x:Y]", "<redacted>", "${X}", "[REDACTED:", "[REDACTED]"] {
        for text in [format!("password={marker}{secret}]"), format!("token: \"{marker}{secret}\"")]
        {
            let shown = crate::Scrubber::new(crate::Profile::Precise, crate::TagKey::new([7; 32]));
            let shown = shown.scrub(&text).into_owned();
            assert!(!shown.contains(&secret), "{shown}");
        }
    }
}

#[test]
fn a_value_alone_on_the_line_below_its_name_is_its_value() {
    let secret = ["hunter2", "hunter2"].concat();
    let scrubber = crate::Scrubber::new(crate::Profile::Precise, crate::TagKey::new([7; 32]));
    for text in [
        format!("password:\n  {secret}"),
        format!("a:\n  password:\n    {secret}\nb: 1"),
        format!("password:\n{secret}"),
    ] {
        assert!(!scrubber.scrub(&text).contains(&secret), "{text}");
    }
    for text in [
        "password:\nsettings\n",
        "password:\n  type: string1\n",
        "password:\n  the one of 2024 is old\n",
    ] {
        assert_eq!(scrubber.scrub(text), text);
    }
}

#[test]
fn a_value_in_yaml_is_masked() {
    let rows = [
        "password: §",
        "db:\n  password: §\n  port: 5432\n",
        "  password: \"§\"",
        "  password: '§' # rotate",
        "- password: §",
        "secret: |\n  §\nother: 1",
        "secret: |-\n    §\n",
        "client_secret: >-\r\n  §\r\nother: 1",
        "- name: DB_PASSWORD\n  value: §\n",
        "- name: DB_PASSWORD\n  value: \"§\"",
        "- name: \"DB_PASSWORD\"\n  value: '§'",
    ];
    assert_masks(&rows, &password());
}

#[test]
fn a_value_whose_name_is_a_value_itself_is_masked() {
    let rows = [
        r#"{"env":[{"name":"DB_PASSWORD","value":"§"}]}"#,
        r#"{"name": "DB_PASSWORD", "type": "string", "value": "§"}"#,
        "{\n  \"Name\": \"db-password\",\n  \"Value\": \"§\"\n}",
        r#"{"value":"§","name":"DB_PASSWORD"}"#,
        r#"{\"key\":\"apiKey\",\"value\":\"§\"}"#,
        r#"<add key="DbPassword" value="§" />"#,
        r#"<property name="password" value="§"/>"#,
        r#"<input name="password" type="password" value="§">"#,
        r#"<meta name="csrf-token" content="§">"#,
        "<name>javax.jdo.option.ConnectionPassword</name>\n  <value>§</value>",
        "<key>password</key>\n<string>§</string>",
        "variable \"db_password\" {\n  type = string\n  default = \"§\"\n}",
    ];
    assert_masks(&rows, &token());
}

#[test]
fn a_value_in_toml_or_ini_or_an_env_file_is_masked() {
    let rows = [
        "password = \"§\"",
        "password = §",
        "[db]\npassword=§\nport=1",
        "DB_PASSWORD=§",
        "DB_PASSWORD='§'",
        "export DB_PASSWORD=\"§\"",
        "export PGPASSWORD=§ && psql",
        "ENV DB_PASSWORD §",
        "ENV DB_PASSWORD=§ PORT=1",
        "ARG API_TOKEN=§",
        "set DB_PASSWORD=§\r\n",
        "$env:DB_PASSWORD = \"§\"",
        "set -x DB_PASSWORD §",
        "setenv DB_PASSWORD §",
        "+    passwd=§\n-    passwd=",
        "# DB_PASSWORD=§",
        "PrivateKey = §\nAddress = 10.0.0.2/24",
        "//registry.example.org/:_authToken=§",
        "url=${DB_PASSWORD:-§}",
        "spring.datasource.password=§",
    ];
    assert_masks(&rows, &password());
}

#[test]
fn a_value_in_a_header_or_a_cookie_is_masked() {
    let rows = [
        "X-Api-Key: §",
        "curl -H 'X-Api-Key: §' https://example.org",
        "DEBUG http: sending header x-api-key: § to upstream",
        "Authorization: token §",
        "\"Authorization\": \"token §\"",
        "Cookie: theme=dark; session=§; lang=de",
        "set-cookie: session_token=§; HttpOnly; Secure",
        "Set-Cookie: connect.id=§; HttpOnly",
        "Cookie: theme=dark; cf_clearance=§; lang=de; session=§",
        "proxy_set_header X-Api-Key \"§\";",
    ];
    assert_masks(&rows, &token());
}

#[test]
fn a_value_in_markup_is_masked() {
    let rows = [
        "<password>§</password>",
        "<db:password type=\"plain\">§</db:password>",
        "<password><![CDATA[§]]></password>",
        "<password>\n    §\n  </password>",
        "<user name=\"x\" password=\"§\"/>",
        "&lt;password&gt;§&lt;/password&gt;",
        "{&quot;password&quot;:&quot;§&quot;}",
    ];
    assert_masks(&rows, &password());
}

#[test]
fn a_value_in_a_query_or_a_list_is_masked() {
    let rows = [
        "GET /v1/items?client_secret=§&page=2 HTTP/1.1",
        "grant_type=x&client_secret=§&user=me",
        "password=§&user=me",
        "data=%7B%22password%22%3A%22§%22%7D",
        "next=%2Flogin%3Ftoken%3D§%26page%3D2",
        "Server=db;Database=x;User Id=me;Password=§;Encrypt=true",
        "Server=db;User Id=me;Pwd=§",
        "jdbc:sqlserver://db:1433;user=me;password=§;",
        "could not connect to Server=db;Password=§: timeout",
        "host=db user=me password=§ dbname=x",
        "password=§,user=me,host=db",
        "AccountName=x;AccountKey=§;EndpointSuffix=y",
        "me/§@//db.example.org:1521/orders",
        "DATABASE_URL=me/§@//10.2.3.4:1521/prod",
        "sqlplus me/§@orders",
        "jdbc:oracle:thin:me/§@db:1521:orders",
    ];
    assert_masks(&rows, &token());
}

#[test]
fn a_random_value_in_a_sentence_is_masked() {
    let rows = [
        "My key is §, please keep it safe.",
        "The password is §.",
        "the token for staging was §!",
        "password: `§`",
        "| API_KEY | § |",
        "**Password:** `§`",
        "- **API key**: §",
    ];
    assert_masks(&rows, &token());
}

#[test]
fn names_in_other_languages_are_classified() {
    let rows = [
        "contraseña: §",
        "mot_de_passe=§",
        "DB_PASSWORT=§",
        "senha = \"§\"",
        "пароль: §",
        "hasło: §",
        "lösenord: §",
        "jelszó: §",
        "şifre: §",
        "heslo: §",
        "salasana: §",
        "adgangskode: §",
        "parola: §",
        "密码：§",
        "\"密码\": \"§\"",
    ];
    assert_masks(&rows, &password());
}

#[test]
fn a_secret_with_marks_of_its_own_is_masked_whole() {
    for secret in [
        "Summer8685&PLT",
        "95*#Ae8Dg2kS#IOGGB",
        "+fqVXA!nUT0K",
        "-8iTWMPP8hkqwa-Im6",
        "d+ILt5n#3T4%e",
    ] {
        assert_masks(
            &[
                "export password=§",
                "password: \"§\"",
                "<password>§</password>",
                "tool --password § --verbose",
                "{\"password\":\"§\"}",
                "DB_PASSWORD=§\nDB_PORT=1",
            ],
            secret,
        );
    }
}

#[test]
fn what_stands_beside_a_placeholder_is_no_way_around() {
    let scrubber = scrubber();
    let text = format!("password=[REDACTED]{}", password());
    assert_eq!(with_marks(&scrubber.scrub(&text)), "password=[REDACTED]§");
    let text = format!("{{\"password\":\"{}[REDACTED]\"}}", password());
    assert_eq!(with_marks(&scrubber.scrub(&text)), "{\"password\":\"§[REDACTED]\"}");
}

#[test]
fn a_value_that_goes_on_behind_the_view_is_masked_to_its_end() {
    let scrubber = scrubber();
    let long = token().repeat(200);
    let masked =
        scrubber.scrub_bytes(format!("{{\"password\":\"{long}\"}}").as_bytes()).into_owned();
    let masked = String::from_utf8(masked).expect("text");
    assert!(masked.len() < 5_000, "{} bytes are left", masked.len());
}

#[test]
fn bytes_that_are_no_text_pass() {
    let scrubber = scrubber();
    let mut text = b"\xff\xfepassword=".to_vec();
    text.extend_from_slice(password().as_bytes());
    text.extend_from_slice(b"\n\xc3\x28 \x80key\xff");
    let masked = scrubber.scrub_bytes(&text).into_owned();
    assert!(masked.starts_with(b"\xff\xfepassword=[REDACTED"));
    assert!(masked.ends_with(b"\n\xc3\x28 \x80key\xff"));
}

#[test]
fn a_token_before_an_assignment_is_no_type() {
    assert_masks(&["api_key: § to x = \"y\"", "auth_token: § or b = \"y\";"], &token());
}

#[test]
fn what_follows_a_quoted_secret_is_read_alike_whether_masked_or_not() {
    let secret = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ0".repeat(14);
    let rows = |line: &str| line.replace('¶', &secret);
    let (masked, scrubber) = (rows("' Bearer ¶' const sudo_pass = '§'"), scrubber());
    let once = scrubber.scrub(&masked.replace('§', &password())).into_owned();
    assert_eq!(with_marks(&once), "' Bearer §' const sudo_pass = '§'");
    assert_eq!(scrubber.scrub(&once), once);
    let once = scrubber.scrub("api_key=process.env.API_KEY=[REDACTED:token:abcd2345]");
    assert_eq!(once, "api_key=process.env.API_KEY=[REDACTED:token:abcd2345]");
}
