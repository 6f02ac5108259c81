//! `aws`, the CLI of Amazon Web Services.

use super::{Denied, NONE, Preset};

const ACCESS: &str = "users, roles and organizations (`iam`, `organizations`, `sso`)";
const TOKENS: &str = "tokens and other credentials, shown or made";
const CONFIGURE: &str = "the configuration (`configure`)";
const INSTANCES: &str = "terminating instances";
const KEYS: &str = "deleting and switching off keys and trails";
const ELSEWHERE: &str = "other endpoints and unverified connections";
const VERBOSE: &str = "debugging output, which shows the credential";
const SHELLS: &str = "shells on other machines";

pub(super) const PRESET: Preset = Preset {
    name: "aws",
    description: "Amazon Web Services",
    required: &["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
    optional: &["AWS_DEFAULT_REGION", "AWS_REGION", "AWS_SESSION_TOKEN"],
    sets: &[
        ("AWS_PAGER", ""),
        ("AWS_CLI_AUTO_PROMPT", "off"),
        ("AWS_EC2_METADATA_DISABLED", "true"),
    ],
    timeout_seconds: 60,
    tips: "Give `--output json`, and `--query` to keep the output short.",
    values: &[
        "--region",
        "--output",
        "--profile",
        "--query",
        "--endpoint-url",
        "--cli-read-timeout",
        "--cli-connect-timeout",
        "--color",
        "--ca-bundle",
        "--cli-binary-format",
        "--cli-input-json",
        "--cli-input-yaml",
    ],
    abbreviates: true,
    denied: &[
        Denied::all(
            &["iam|organizations|sso|sso-admin|sso-oidc|identitystore|login|logout"],
            ACCESS,
        ),
        Denied::all(&["configure"], CONFIGURE),
        Denied::all(&["sts", "assume-.*|get-session-token|get-federation-token"], TOKENS),
        Denied::all(&["ecr|ecr-public", "get-login.*|get-authorization-token"], TOKENS),
        Denied::all(&["codeartifact", "get-authorization-token|login"], TOKENS),
        Denied::all(&["eks", "get-token"], TOKENS),
        Denied::all(&["codecommit", "credential-helper"], TOKENS),
        Denied::all(&["s3", "presign"], TOKENS),
        Denied::all(
            &[
                "rds|dsql|redshift|redshift-serverless",
                "generate-db-.*|get-cluster-credentials.*|get-credentials",
            ],
            TOKENS,
        ),
        Denied::all(&["cognito-identity", "get-credentials.*|get-open-id-token.*"], TOKENS),
        Denied::all(&["secretsmanager", "get-secret-value|batch-get-secret-value"], TOKENS),
        Denied::all(&["ssm", "get-parameter.*"], TOKENS).with(&[
            "--with-decryption",
            "--cli-input-json",
            "--cli-input-yaml",
        ]),
        Denied::all(&["ec2", "get-password-data|create-key-pair"], TOKENS),
        Denied::all(
            &["lightsail", "download-default-key-pair|get-instance-access-details"],
            TOKENS,
        ),
        Denied::all(&["ec2", "terminate-.*"], INSTANCES),
        Denied::all(
            &[
                "kms",
                "decrypt|re-encrypt|schedule-key-deletion|disable-key|generate-data-key.*|delete-.*",
            ],
            KEYS,
        ),
        Denied::all(&["cloudtrail", "stop-logging|delete-trail"], KEYS),
        Denied::all(&["ssm", "start-session|resume-session|send-command"], SHELLS),
        Denied::all(&["ecs", "execute-command"], SHELLS),
        Denied::all(&["ec2-instance-connect", ".*"], SHELLS),
        Denied::all(&[], ELSEWHERE).with(&["--endpoint-url", "--no-verify-ssl", "--ca-bundle"]),
        Denied::all(&[], VERBOSE).with(&["--debug"]),
    ],
    ..NONE
};
