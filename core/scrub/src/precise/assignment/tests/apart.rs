//! Values that stand apart from the name: on a line of their own, later or earlier in a sentence,
//! in the output of a command, in a form or on a page.

use super::{assert_leaves, assert_masks, password, token};

#[test]
fn a_value_alone_below_the_line_that_names_it_is_masked() {
    assert_masks(
        &[
            "Password:\n§\nsu: Authentication failure",
            "## Root password\n\n§\n\n## Network\n",
            "Please use the following password to proceed:\n\n§\n\nIt is also in a file.",
            "Here are the credentials for the box, don't share them:\n\n§\n",
            "Content-Disposition: form-data; name=\"password\"\n\n§\n--x--",
            "Content-Disposition: form-data; name=\"password\"\r\n\r\n§\r\n--x--",
            "-[ RECORD 1 ]--\nid       | 4\npassword | §\n",
        ],
        &password(),
    );
    let above = ["# ", &["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat()].concat();
    let below = format!("{above} and the password\n\n{}\n", token());
    let scrubber = super::scrubber();
    let masked = scrubber.scrub(&below);
    assert_eq!(scrubber.scrub(&masked), masked, "less is seen with a secret before the name");
    let between = format!("The password and {} are these:\n\n{}\n", &above[2..], password());
    assert!(!scrubber.scrub(&between).contains(&above[2..]), "what stands between is looked at");
    assert_masks(&["The API key for this tenant is:\n\n§\n", "secret key:\n§\n"], &token());
}

#[test]
fn the_output_of_a_command_that_prints_a_secret_is_masked() {
    assert_masks(
        &[
            "$ cat /run/secrets/db_password\n§\n",
            "root@ci:~# cat ~/.config/acme/token\n§\n",
            "$ echo $DB_PASSWORD\n§\n$ ",
            "$ kubectl get secret pg -o jsonpath='{.data.x}' | base64 -d\n§\n",
            "$ pass show acme/prod/mysql\n§\nuser: root\n",
            "$ aws secretsmanager get-secret-value --secret-id prod/db --output text\n§\n",
            "$ terraform output -raw db_password\n§\n",
            "$ gcloud secrets versions access latest --secret=stripe-api-key\n§\n",
            "127.0.0.1:6379> AUTH §\nOK",
        ],
        &token(),
    );
}

#[test]
fn a_password_that_a_sentence_states_is_masked() {
    let secret = ["arse", "nal19", "75x"].concat();
    assert_masks(
        &[
            "Hey, the new db password is § - please update the box.",
            "La nuova password del server è §\n",
            "The password for the printer is §.",
        ],
        &secret,
    );
}

#[test]
fn a_value_beside_its_label_on_a_page_is_masked() {
    assert_masks(
        &[
            "<label>Admin password</label><span>§</span>",
            "<dt>Kennwort</dt>\n<dd>§</dd>",
            "<Password><Value>§</Value><PlainText>true</PlainText></Password>",
            "<keyMaterial>§</keyMaterial>",
        ],
        &password(),
    );
}

#[test]
fn lines_and_sentences_that_show_no_value_stay() {
    assert_leaves(&[
        "Password:\nForgot it?\n",
        "password:\nsettings\n",
        "Reset your password:\n\nhttps://example.org/reset\n",
        "The token hash:\n\n4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce\n",
        "$ cat password.txt\nNo such file\n",
        "$ cat db_password | sha256sum\n",
        "$ git log token\n6a7d16cdaeaaad73f0d13b9663493d1eadee4383\n",
        "the password for user admin2024 was reset by bob1999",
        "use your e-mail as the password",
        "password is base64-encoded, use sha256sum-9 now",
        "<td>Password</td><td>required</td>",
        "Fix forgotten password - AUTH-1024",
        "the password moved to db-prod-01",
        "Each node is identified by worker-0001",
        "> AUTH CRAM-MD5\n",
        "> pass the token\naB3dE6gH9jK2mN5pQr8sT1uV\n",
        "docker secret create db_password ./f\nz8k1m5n2q9w4x7c3v6b0l1p5t\n",
        "Content-Disposition: form-data; name=\"password\"\n",
        "Failed password for invalid user admin2024 from 10.0.0.1 port 22 ssh2",
    ]);
}
