//! Values in code, in queries and in commands.

use super::{assert_masks, password, token};

#[test]
fn a_value_in_a_literal_of_python_javascript_ruby_or_php_is_masked() {
    let rows = [
        "{'password': '§', 'user': 'x'}",
        "const cfg = { password: '§', port: 5432 };",
        "'password' => '§',",
        ":password => \"§\",",
        "password: '§', host: 'x'",
        "\"password\" -> \"§\"",
        "config[\"password\"] = \"§\"",
        "os.environ['DB_PASSWORD'] = '§'",
        "$config['db']['password'] = '§';",
    ];
    assert_masks(&rows, &password());
}

#[test]
fn a_literal_in_code_is_masked() {
    let rows = [
        "let password = \"§\";",
        "const API_KEY: &str = \"§\";",
        "let api_key: String = String::from(\"§\");",
        "password := \"§\"",
        "var password string = \"§\"",
        "private static final String PASSWORD = \"§\";",
        "char password[] = \"§\";",
        "password = r\"§\"",
        "let key = r#\"x\"#; let secret = r#\"§\"#;",
        "password = \"\"\"§\"\"\"",
        "password = `§`;",
        "client = Client(password='§', timeout=30)",
        "Client(user=\"x\",password=\"§\")",
        "builder.password(\"§\")",
        "ds.setPassword(\"§\");",
        "props.put(\"password\", \"§\");",
        "define('DB_PASSWORD', '§');",
        "os.Setenv(\"DB_PASSWORD\", \"§\")",
        "req.header(\"X-Api-Key\", \"§\")",
        "if password == \"§\" {",
        "password: str = \"§\"",
        "api_key = SecretStr(\"§\")",
        "[]byte(secret), token: []byte(\"§\")",
        "db_password <- \"§\"",
        "db_password <<- '§'",
        "password<-\"§\"",
        "{password,<<\"§\">>}",
        "my $password = q{§};",
        "local cfg = { host = 1, password = [[§]] }",
        "std::string dbPassword{\"§\"};",
        "{default_pass, <<\"§\">>},",
        "Const DB_PWD As String = \"§\"",
        "    [password] => §\n)",
        "  [\"password\"]=>\n  string(14) \"§\"\n",
        "$config->set('db.pass', \"§\");",
        "pw = os.getenv(\"SMTP_PASSWORD\", \"§\")",
    ];
    assert_masks(&rows, &password());
}

#[test]
fn a_value_in_a_test_or_handed_to_a_page_is_masked() {
    let rows = [
        "expect(config.dbPassword).toBe(\"§\")",
        "await page.fill('#password', '§');",
        "driver.find_element(By.ID, \"password\").send_keys(\"§\")",
        "cy.get('input[name=password]').type('§')",
        "INSERT INTO settings (name, value) VALUES ('smtp_password', '§');",
    ];
    assert_masks(&rows, &password());
}

#[test]
fn a_value_among_the_arguments_of_a_call_is_masked() {
    let secret = ["pelican", "-quartz", "-92"].concat();
    let rows = [
        "$db = new mysqli(\"localhost\", \"wp\", \"§\", \"wordpress\");",
        "mysql_connect('db1', 'root', '§') or die('no');",
        "r = requests.get(url, auth=(\"svc-report\", \"§\"))",
        "auth := smtp.PlainAuth(\"\", \"me@example.org\", \"§\", \"smtp.example.org\")",
        "req.SetBasicAuth(\"ops\", \"§\")",
        "new NetworkCredential(\"svc\", \"§\", \"ACME\");",
    ];
    assert_masks(&rows, &secret);
}

#[test]
fn a_value_in_sql_or_powershell_is_masked() {
    let rows = [
        "CREATE USER me IDENTIFIED BY '§';",
        "create user me identified by '§'",
        "ALTER USER scott IDENTIFIED BY § ACCOUNT UNLOCK;",
        "create user hr identified by \"§\" default tablespace users;",
        "ALTER ROLE me WITH PASSWORD '§';",
        "ALTER USER me ENCRYPTED PASSWORD '§' VALID UNTIL 'infinity';",
        "SET PASSWORD = PASSWORD('§');",
        "ConvertTo-SecureString \"§\" -AsPlainText -Force",
        "ConvertTo-SecureString -String '§' -AsPlainText",
    ];
    assert_masks(&rows, &password());
}

#[test]
fn a_value_behind_a_flag_is_masked() {
    let rows = [
        "tool --password § --verbose",
        "--password=§",
        "tool --password '§' -v",
        "tool -password §",
        "[\"tool\", \"--password\", \"§\"]",
        "mysql -u root -p§ shop",
        "mysqldump --user root --password=§ shop",
        "sshpass -p § ssh me@host",
        "sshpass -p '§' ssh me@host",
        "curl -u me:§ https://example.org",
        "curl --user 'me:§' https://example.org",
        "redis-cli -h cache -a § ping",
        "mongosh --host db -u me -p § shop",
        "docker login -u me -p § registry.example.org",
        "ldapsearch -D cn=me -w § -b dc=x",
        "machine example.org login me password §",
        "machine example.org\n  login me\n  password §\n",
        "requirepass §",
        "javax.net.ssl.keyStorePassword=§",
        "SSHPASS=§ sshpass -e rsync -a ./ ops@bk:/srv/",
        "mount -t cifs //nas/b /mnt -o username=b,password=§,vers=3.0",
        "wmic /node:srv02 /user:admin /password:§ os get caption",
        "reg add \"HKLM\\Winlogon\" /v DefaultPassword /t REG_SZ /d § /f",
        "declare -A creds=([user]=ops [password]=§)",
        "  user admin insecure-password §\n",
        "d-i passwd/root-password password §\n",
        "    Key Content            : §\n",
        "db: {host: 10.1.1.4, user: app, password: §, port: 5432}",
        "CLAVE_ACCESO=§",
        "senha_banco = \"§\"",
    ];
    assert_masks(&rows, &password());
}

#[test]
fn what_is_read_far_behind_a_short_value_is_masked() {
    let rows = [
        "user, key=abc, \"§\"",
        "user, session = \"abc\", \"§\"",
        "echo § | tool --key-stdin: ok\n",
        "echo § | tool --key-stdin=ok\n",
    ];
    assert_masks(&rows, &token());
}

#[test]
fn a_value_behind_an_anchor_is_masked() {
    let rows = [
        "password: &db §\n",
        "password: &db.primary §\n",
        "password: &db/primary §\n",
        "password: &ключ §\n",
        "password: !!str §\n",
    ];
    assert_masks(&rows, &password());
}
