//! Harmless texts made from templates: code in eight languages, dummy values and references in every
//! context, lock files, documents, messages, style sheets, tracebacks, test names.

use super::dice::{BASE62, BASE64, Dice, HEX, LOWER};
use super::score::{ALL, Tally, scrubber};

/// What stands where a secret would: `{N}` is the name in capitals.
const DUMMY_VALUES: &[&str] = &[
    "${N}",
    "${{N}}",
    "${{N}:-}",
    "${{N}:?must be set}",
    "${{ secrets.{N} }}",
    "{{ {N} }}",
    "{{ .Values.{N} }}",
    "@@{N}@@",
    "#{{N}}",
    "%{N}%",
    "!Ref {N}",
    "op://vault/item/{N}",
    "vault:secret/data/app#{N}",
    "ref+vault://kv/{N}",
    "file:///etc/secrets/{N}",
    "arn:aws:secretsmanager:us-east-1:123456789012:secret:{N}",
    "/run/secrets/{N}",
    "$(cat /run/secrets/{N})",
    "`pass show {N}`",
    "process.env.{N}",
    "os.environ[\"{N}\"]",
    "os.getenv(\"{N}\")",
    "ENV.fetch(\"{N}\")",
    "std::env::var(\"{N}\")",
    "env(\"{N}\")",
    "var.{N}",
    "secrets.{N}",
    "settings.{N}",
    "getpass.getpass()",
    "input(\"{N}: \")",
    "data.aws_secretsmanager_secret_version.{N}.secret_string",
    "xxxxxxxxxxxxxxxx",
    "********",
    "<your-{N}>",
    "<{N}>",
    "<redacted>",
    "your_{N}_here",
    "YOUR_{N}",
    "REPLACE_ME_{N}",
    "changeme",
    "CHANGE_ME",
    "...",
    "(empty)",
    "null",
    "None",
    "undefined",
    "***REMOVED***",
    "[REDACTED]",
    "__{N}__",
    "azurerm_key_vault_secret.{N}.value",
    "System.getenv(\"{N}\")",
    "$env:{N}",
    "Environment.GetEnvironmentVariable(\"{N}\")",
    "config('services.{N}')",
    "import.meta.env.{N}",
    "ENC[AES256_GCM,data:abc]",
    "ssm:/prod/{N}",
    "module.db.{N}",
    "viper.GetString(\"{N}\")",
];

const AROUND: &[&str] = &[
    "{K}={V}",
    "export {K}={V}",
    "{K}: {V}",
    "  {K}: \"{V}\"",
    "\"{K}\": \"{V}\",",
    "'{K}' => '{V}',",
    "{K} = {V}",
    "{K} := {V}",
    "--{K}={V}",
    "<{K}>{V}</{K}>",
    "{K} = \"{V}\"",
    "-e {K}={V}",
];

const NAMES: &[&str] = &[
    "password",
    "DB_PASSWORD",
    "dbPassword",
    "api_key",
    "apiKey",
    "API_KEY",
    "secret",
    "SECRET_KEY",
    "client_secret",
    "access_token",
    "token",
    "GITHUB_TOKEN",
    "PRIVATE_KEY",
    "credential",
    "authorization",
];

/// Lines of code and documents as they are written every day. `{W}` is a word, `{C}` a capital
/// one, `{D}` a number.
const LINES: &[&str] = &[
    // Rust
    "    pub password: Option<String>,",
    "    secret: &'static str,",
    "    let token = parser.next_token();",
    "    pub api_key: SecretString,",
    "    fn password(&self) -> &str {",
    "    token: TokenStream,",
    "    let secret = Secret::generate(&mut rng);",
    "    private_key: PrivateKey<{C}>,",
    "    let {W}_token = tokens.get({D})?;",
    "    match token { Token::{C} => {W}(token), _ => {} }",
    "    assert_eq!(token, Token::{C});",
    "    key: key.clone(), token: self.token.as_ref(),",
    "    Self { password, token: None, secret: {W}.secret() }",
    "    password: password.into(),",
    "    let auth_token = request.headers().get(\"Authorization\");",
    "    secret_key: [u8; {D}],",
    "    token: {C}Token,",
    "    const TOKEN: Token = Token({D});",
    "    session_key = derive_key(&{W}, {D});",
    // Python
    "    password: str = None",
    "    def set_password(self, password: str) -> None:",
    "    token = self.{W}_token or get_token(request)",
    "    secret_key=settings.SECRET_KEY,",
    "    api_key=api_key, api_secret=api_secret,",
    "    assert token == response.json()[\"access_token\"]",
    "    if password != confirm_password:",
    "    credentials = service_account.Credentials.from_file(path)",
    "    password = getpass.getpass(\"Password: \")",
    "    token = jwt.encode(payload, key, algorithm=\"HS256\")",
    "    password = forms.CharField(widget=forms.PasswordInput)",
    "    secret = base64.b64decode({W})",
    "    password = kwargs.pop(\"password\", None)",
    "    token = next(tokens)",
    // JavaScript and TypeScript
    "  password: string;",
    "  token?: string | null;",
    "  const token = await getToken(user.id);",
    "  const { apiKey, apiSecret } = useConfig();",
    "  private token: {C}Token;",
    "  apiKey: config.apiKey,",
    "  password: yup.string().required(\"Password is required\"),",
    "  token: action.payload.token,",
    "  if (token === null) return;",
    "  setPassword(event.target.value);",
    "  secret: this.secret,",
    "  headers: { Authorization: `Bearer ${token}` },",
    "  password: { type: String, required: true },",
    "  key={item.id} token={token}",
    "  <input type=\"password\" name=\"password\" id=\"password\" />",
    "  password: \"Password\",",
    "  token: T.Token,",
    "  passwordField = this.page.locator(\"#password\");",
    // Go
    "\ttoken := strings.TrimPrefix(header, \"Bearer \")",
    "\tPassword string `json:\"password\"`",
    "\tSecretKey: cfg.SecretKey,",
    "\tif token == \"\" {",
    "\tfunc (c *Client) SetToken(token string) error {",
    "\tsecret, err := client.GetSecret(ctx, name)",
    "\ttoken, ok := <-tokens",
    "\tAPIKey: os.Getenv(\"API_KEY\"),",
    // Java, C#, Kotlin, Swift
    "    private final String password;",
    "    this.password = password;",
    "    String token = request.getHeader(\"X-Token\");",
    "    public string ApiKey { get; set; }",
    "    val token = sessionManager.fetchAuthToken()",
    "    @Value(\"${spring.datasource.password}\")",
    "    var password: String = \"\"",
    "    let token: String?",
    "    builder.Configuration[\"ApiKey\"]",
    "    password.setText(\"\");",
    "    char[] password = console.readPassword();",
    // C, PHP, Ruby, SQL
    "    char *password = get_password(user);",
    "    $password = $_POST['password'];",
    "    $token = Str::random({D});",
    "    @token = params[:token]",
    "    has_secure_password",
    "    validates :password, presence: true",
    "    SELECT password_hash FROM users WHERE email = $1",
    "    password VARCHAR({D}) NOT NULL,",
    "    key = key_file ? read(key_file) : NULL;",
    "    token = strtok(NULL, \",\");",
    "    secret => secret,",
    "    attr_accessor :api_key, :token",
    "    unsigned char key[{D}];",
    "    static const char *const token = NULL;",
    // messages and documents
    "Password must be at least {D} characters",
    "error: invalid token: unexpected '{W}' at line {D}",
    "password: must be between 8 and 64 characters",
    "FATAL: password authentication failed for user \"{W}\"",
    "authorization: required",
    "Forgot your password? Reset it.",
    "token: expired {D} minutes ago",
    "    password: the password of the user",
    "  --password <PASSWORD>  the password to use",
    "  --token TOKEN          access token (default: none)",
    "  -p, --password string   password or personal access token",
    "* `password`: The password.",
    "| token | string | yes | The access token |",
    "secret: optional",
    "errors.password.short=Das Passwort ist zu kurz",
    "\"password\": \"Mot de passe\",",
    "\"token\": \"string\",",
    "\"password\": {\"type\": \"string\", \"minLength\": {D}},",
    "\"login.password\": \"Enter your password\",",
    "Authentication: none",
    "Keyboard shortcut: key=Ctrl+Shift+P",
    "KeyError: 'authorization'",
    "the secret: there is none",
    "Secret: a value that only the {W} knows",
    "A token: the smallest part of a {W}.",
    "WWW-Authenticate: Bearer realm=\"example\", error=\"invalid_token\"",
    "Set `API_KEY` to the key of your project.",
    // configuration
    "KEY_PREFIX = \"sessions/\"",
    "VIRTUAL_PORT={D}",
    "KEYCLOAK_REALM=production-realm",
    "sort_key = \"created_at\"",
    "primary_key: id",
    "key: {W}",
    "cache-key: {W}-{W}-v{D}",
    "CREDENTIAL_HELPER=osxkeychain",
    "tokenizer: standard",
    "secretName: {W}-tls",
    "max_tokens: {D}",
    "\"stop_token\": \"<|endoftext|>\",",
    "auth: none",
    "key_type: rsa",
    "token_url: https://login.example.org/oauth/token",
    "    secretKeyRef: {name: {W}, key: password}",
    "password_file: /run/secrets/{W}",
    "auth_method: scram-sha-256",
    "passwordless: true",
    "pass: {D}",
    "\"publicKey\": \"./keys/{W}.pub\",",
    "session_timeout = {D}",
    "token_expiry: {D}h",
    "partition_key = \"user_id\"",
    // style, tests, tools
    ".token.punctuation{color:#999}",
    "test auth::tests::test_token_refresh_{D} ... ok",
    "PASS src/{W}/password.test.ts ({D}.2 s)",
    "tests/{W}/test_{W}.py::test_wrong_secret[param{D}] PASSED",
    "npm warn config token This is {W}",
    "{% csrf_token %}",
    "docker login -u \"$USER\" --password-stdin",
    "ssh-keygen -t ed25519 -f deploy_key -N \"\"",
    "aws secretsmanager get-secret-value --secret-id prod/{W}",
    "document.cookie = \"token=; Path=/\"",
    "i18n.t(\"auth.password.forgot\")",
    "return { token, refreshToken, expiresIn }",
    "--password-file /etc/{W}.pw",
];

/// Texts with parts that look random. `{h40}` is that many hexadecimal digits, `{b43}` base64,
/// `{l7}` small letters, `{u}` a UUID, `{a20}` letters and digits.
const MIXED: &[&str] = &[
    "checksum = \"{h64}\"",
    "\"integrity\": \"sha512-{b86}==\",",
    "github.com/acme/{W} v1.2.3 h1:{b43}=",
    "    --hash=sha256:{h64} \\",
    "{h64}  dist/{W}-1.tar.gz",
    "{h40}  {W}.iso",
    "{h32}  {W}.bin",
    "{\"id\": \"{u}\", \"parentId\": \"{u}\"}",
    "request_id={u} status=200 path=/v1/{W}s/{u}",
    "trace_id={h32} span_id={h16} sampled=true",
    "FROM ghcr.io/acme/{W}@sha256:{h64}",
    "Digest: sha256:{h64}\nStatus: Downloaded newer image",
    "      - uses: actions/checkout@{h40} # v4",
    "commit {h40}\nAuthor: Dev <dev@example.org>",
    "ETag: W/\"{h32}\"",
    "etag: \"{h32}\"",
    "2048 SHA256:{b43} dev@host (RSA)",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} dev@host",
    "pod/{W}-{h9}-{l5} 1/1 Running 0 5d",
    "/nix/store/{n32}-{W}-1.2/bin/{W}",
    "arn:aws:iam::123456789012:role/{W}-role",
    "<img src=\"data:image/png;base64,iVBORw0KGgo{b100}\">",
    "0x{h40} -> 0x{h40}",
    "index {h7}..{h7} 100644",
    "cache-key: {W}-linux-{h64}",
    "\"resolved\": \"https://registry.example.org/{W}/-/{W}-1.0.0.tgz#{h40}\",",
    "static const uint32_t K[] = { 0x{h8}, 0x{h8} };",
    "script-src 'sha256-{b43}=' 'self'",
    "  nixHash = \"sha256-{b43}=\";",
    "X-Request-Id: {u}",
    "session id {u} closed",
    "build {h12} of {W}",
    "key {h16} imported",
    "gpg: key {h16}: public key imported",
    "image: {W}:sha-{h7}",
    "asset main.{h8}.chunk.js 12 KiB",
    "Merge {h7} into {h7}",
    "token_id: {D}",
    "public_key: \"{b43}=\"",
    "    Finished test in 0.2s (run {a12})",
    "version: 1.2.3-{h7}",
    "refs/heads/{W}-{h7}",
    "{h40} refs/tags/v1.2",
    "known_hosts: |1|{b27}=|{b27}= ssh-rsa",
    "fingerprint: SHA256:{b43}",
    "kid: \"{h16}\"",
    "nonce-{a16} in the policy",
    "blob sha {h40} size {D}",
    "\"mappings\": \"AAAA,{a60},SAAS;{a40}\"",
    "Last build: {D} ({h7})",
];

const WORDS: &[&str] = &[
    "order", "report", "invoice", "session", "stream", "worker", "policy", "tenant", "search",
    "cart",
];

fn line(dice: &mut Dice, template: &str) -> String {
    let mut text = template.to_owned();
    while let Some(at) = text.find("{W}") {
        let word: &&str = dice.pick(WORDS);
        text.replace_range(at..at + 3, word);
    }
    while let Some(at) = text.find("{C}") {
        let word: &&str = dice.pick(WORDS);
        text.replace_range(at..at + 3, &(word[..1].to_uppercase() + &word[1..]));
    }
    while let Some(at) = text.find("{D}") {
        text.replace_range(at..at + 3, &(2 + dice.below(4_000)).to_string());
    }
    while let Some(at) = text.find("{u}") {
        let part = |dice: &mut Dice, n| dice.text(HEX, n);
        let parts = [8, 4, 4, 4, 12].map(|n| part(dice, n));
        text.replace_range(at..at + 3, &parts.join("-"));
    }
    drawn(dice, text)
}

/// Fills `{h40}`, `{b43}`, `{l7}`, `{n32}`, `{a20}`.
fn drawn(dice: &mut Dice, mut text: String) -> String {
    let lower = format!("{LOWER}0123456789");
    for (mark, alphabet) in
        [("{h", HEX), ("{b", BASE64), ("{l", LOWER), ("{n", &lower), ("{a", BASE62)]
    {
        let mut from = 0;
        while let Some(at) = text[from..].find(mark).map(|at| at + from) {
            let end = at + text[at..].find('}').unwrap();
            from = at + 2;
            if let Ok(length) = text[at + 2..end].parse() {
                let drawn = dice.text(alphabet, length);
                text.replace_range(at..=end, &drawn);
            }
        }
    }
    text
}

fn holds(tally: &mut Tally, group: &str, text: &str, masked: &str) {
    tally.count(ALL, text == masked, String::new);
    tally.count(group, text == masked, || format!("{text:?} -> {masked:?}"));
}

#[test]
fn dummy_values_and_references_stay_in_every_context() {
    let scrubber = scrubber();
    let mut tally = Tally::default();
    for name in NAMES {
        for dummy_value in DUMMY_VALUES {
            for around in AROUND {
                let value = dummy_value.replace("{N}", &name.to_uppercase());
                let text = around.replace("{K}", name).replace("{V}", &value);
                holds(&mut tally, dummy_value, &text, &scrubber.scrub(&text));
            }
        }
    }
    tally.hold(&[(ALL, 9_990)]);
}

#[test]
fn code_documents_and_messages_stay_as_they_are() {
    let scrubber = scrubber();
    let mut dice = Dice::new(7);
    let mut tally = Tally::default();
    for template in LINES {
        for _ in 0..3 {
            let text = line(&mut dice, template);
            holds(&mut tally, "lines", &text, &scrubber.scrub(&text));
        }
    }
    for template in MIXED {
        for _ in 0..40 {
            let text = line(&mut dice, template);
            holds(&mut tally, "mixed", &text, &scrubber.scrub(&text));
        }
    }
    tally.hold(&[("lines", 10_000), ("mixed", 9_995)]);
}
