//! Clients of clouds. Their commands are too many for a table, so a call is judged by its verb,
//! which is among its first words: `describe` and `list` read, `delete` and `terminate` destroy,
//! everything else changes.

use crate::effect::{Access, Certainty, CodeFrom, Effect, Payload};
use crate::model::tool::Action::{
    Call, Cloud, Destroys, Fetches, Here, If, Installs, Project, Secret, Unknown, Unless,
};
use crate::model::tool::{Action, Tool, tools};
use crate::model::{Parsed, Report};
use crate::models::perform::perform;
use crate::value::Value;

/// The tools of this file, each with its options, its commands and its examples.
pub(super) const TABLE: &[Tool] = tools! {
    Operands "aws gcloud gsutil bq az doctl heroku fly flyctl vercel netlify wrangler firebase railway render \
        supabase linode-cli hcloud ibmcloud oci scw ovhcloud cf eb cdk serverless sls amplify ecs-cli \
        awslocal aliyun tccli yc openstack nova neutron databricks snow snowsql confluent ccloud rclone \
        s3cmd s5cmd mc azcopy gsutil-rs stripe twilio ngrok-api contentful sanity shopify ask clasp appwrite \
        nhost turso neonctl pscale upstash algolia datadog-ci newrelic sentry-cli pagerduty circleci travis \
        buildkite-agent drone argocd argo flux istioctl linkerd cilium consul nomad boundary waypoint packer \
        vagrant-cloud rancher crossplane up"
        => Call(verbs), Action::Looks; [
        "aws s3 ls s3://x": "network",
        "aws --profile dev ec2 describe-instances --region eu-west-1": "network",
        "aws ec2 terminate-instances --instance-ids i-1": "cloud:destroys network",
        "aws s3 rb s3://x --force": "cloud:destroys network",
        "aws s3 cp /etc/shadow s3://x/": "cloud network network:send read:secret:recursive",
        "aws s3 sync . s3://x --delete": "cloud:destroys network network:send",
        "aws configure export-credentials": "network secret",
        "aws secretsmanager get-secret-value --secret-id x": "network secret",
        "aws sts get-caller-identity": "network",
        "gcloud compute instances list --format=json": "network",
        "gcloud projects delete x": "cloud:destroys network",
        "gcloud auth print-access-token": "network secret",
        "az vm list -o table": "network",
        "az group delete -n x": "cloud:destroys network",
        "heroku logs --tail -a x": "network",
        "heroku config -a x": "network secret",
        "vercel deploy --prod": "cloud network",
        "gsutil rm -r gs://x": "cloud:destroys network",
        "doctl frobnicate x": "network unmodelled",
        "aws --version": "",
    ]

    Single "terraform tofu terragrunt" "-chdir=/, -version, --version, -help, -h, -v, --terragrunt-non-interactive, --terragrunt-working-dir=/, --non-interactive" => ; {
        "fmt" "-check, -diff, -list[=], -write[=], -recursive, -no-color" => Unless("-check", &[Here]);
        "validate version show graph providers metadata get test output workspace-list" "-json, -no-color, -raw, -state=<, -type=, -plan=, -draw-cycles, -update, \
            -var=, -var-file=<, -filter=, -verbose, -test-directory=, -module-depth=" => Project; { "schema mirror lock functions" "-json, -platform=" => Project; "*" "-json, -raw, -no-color, -state=<" => Project; };
        "init" "-backend[=], -backend-config=, -upgrade[=], -reconfigure, -migrate-state, -input[=], -get[=], -no-color, -lock[=], -lock-timeout=, -plugin-dir=, -lockfile=, -from-module=, -force-copy, -json"
            => Project, Here, Fetches("registry.terraform.io");
        "plan refresh" "-out=>, -var=, -var-file=<, -target=, -destroy, -refresh[=], -refresh-only, -lock[=], -lock-timeout=, -input[=], -no-color, -parallelism=, \
            -compact-warnings, -detailed-exitcode, -replace=, -state=<, -json, -generate-config-out=>, -exclude=" => Project, Here, Fetches("");
        "apply import taint untaint force-unlock login logout run-all" "-auto-approve, -var=, -var-file=<, -target=, -destroy, -refresh[=], -lock[=], -lock-timeout=, -input[=], \
            -no-color, -parallelism=, -compact-warnings, -replace=, -state=<, -state-out=>, -json, -allow-missing, -force, -config=<, -backup=>, -exclude="
            => Project, Here, Fetches(""), Cloud("terraform"), If("-destroy", &[Destroys("terraform")]); { "destroy" => Destroys("terraform"); "*" "-auto-approve" => Cloud("terraform"), Fetches(""); };
        "destroy" "-auto-approve, -var=, -var-file=<, -target=, -refresh[=], -lock[=], -input[=], -no-color, -parallelism=, -force" => Project, Here, Fetches(""), Destroys("terraform");
        "state" => ; { "list show pull" "-state=<, -id=, -json" => Fetches(""), Project; "rm mv push replace-provider" "-state=<, -dry-run, -lock[=], -force, -auto-approve" => Destroys("terraform"), Fetches(""); };
        "workspace" => ; { "list show select" "-or-create" => Project, Here; "new" => Here, Cloud("terraform"); "delete" "-force" => Destroys("terraform"); };
        "console" "-var=, -var-file=<, -state=<, -plan" => Project, Secret("variables and state");
    } [
        "terraform plan -out=tf.plan -var-file=dev.tfvars": "code:project network write:workspace write:workspace:recursive",
        "terraform -chdir=infra validate": "code:project",
        "terraform apply -auto-approve": "cloud code:project network write:workspace:recursive",
        "terraform destroy -auto-approve": "cloud:destroys code:project network write:workspace:recursive",
        "terraform fmt -check -recursive": "",
        "terraform state rm x": "cloud:destroys network",
        "terraform console": "code:project secret",
        "terraform frobnicate": "unmodelled",
    ]
    Inherited "pulumi" "-C --cwd=/, -s --stack=, -y --yes, -m --message=, -e --emoji, --color=, --non-interactive, --logtostderr, -v --verbose=, -j --json, --diff, -r --refresh, \
        --skip-preview, -f --skip-resources, -t --target=, -p --parallel=, --show-secrets, --expect-no-changes, --plaintext, --secret, --path, --force, --logflow, -a --all, --shell, --help -h" => ; {
        "preview watch" => Project, Here, Fetches("");
        "up update refresh import" => Project, Here, Fetches(""), Cloud("pulumi");
        "destroy cancel" => Project, Fetches(""), Destroys("pulumi");
        "stack" => If("--show-secrets", &[Secret("secrets of the stack")]), Fetches(""); {
            "ls output history graph select init export tag" => If("--show-secrets", &[Secret("secrets of the stack")]), Fetches("");
            "rm rename" => Destroys("pulumi"), Fetches("");
        };
        "config" => If("--show-secrets", &[Secret("secrets of the stack")]); { "get" => Secret("secrets of the stack"); "set rm cp env refresh" => Here; };
        "new install plugin" => Project, Here, Fetches("pulumi.com"); { "ls" => ; "*" => Installs; };
        "login logout whoami about version org" => Fetches(""); { "*" => Fetches(""); };
        "state" => Destroys("pulumi"); { "*" => Destroys("pulumi"); };
        "logs" => Fetches("");
    } ["pulumi preview --diff": "code:project network write:workspace:recursive", "pulumi destroy -y": "cloud:destroys code:project network"]

    Gnu "ansible-playbook ansible ansible-pull ansible-console" "-i --inventory=, -l --limit=, -e --extra-vars=, -t --tags=, --skip-tags=, -C --check, -D --diff, -b --become, \
        --become-user=, --become-method=, -K --ask-become-pass, -k --ask-pass, -u --user=, -c --connection=, -f --forks=, -m --module-name=, -a --args=, -v --verbose, -vv, -vvv, -vvvv, \
        --syntax-check, --list-hosts, --list-tasks, --list-tags, --start-at-task=, --step, --vault-password-file --vault-pass-file=<, --vault-id=, -J --ask-vault-pass, --private-key --key-file=<, -T --timeout=, \
        --flush-cache, --force-handlers, -o --one-line, -t --tree=>, -M --module-path=<, --ssh-common-args=, --ssh-extra-args=, -B --background=, -P --poll=, --version, --playbook-dir=/, -U --url=, -d --directory=>"
        => Unless("--syntax-check --list-hosts --list-tasks --list-tags --version", &[Project, Fetches(""), Cloud("ansible"), Call(ansible)]), Action::Executes; [
        "ansible-playbook -i hosts site.yml --check": "cloud code:project network",
        "ansible-playbook site.yml --syntax-check": "",
        "ansible all -m ping": "cloud code:project network",
        "ansible localhost -m shell -a 'rm -rf /'": "cloud code:setting code:project network",
    ]
    Inherited "ansible-galaxy ansible-lint ansible-doc ansible-inventory ansible-config molecule" "-p --roles-path=>, -r --role-file --requirements-file=<, -f --force, -i --inventory=, --list, --host=, --graph, -l, -t --type=, \
        -y --yaml, --vars, --fix[=], -q, -v --verbose, -c=<, -x --exclude=, --offline, --profile=, --strict, -s --scenario-name=" => Project, Here; {
        "install" => Installs; "role collection" => ; { "install" => Installs; "list info search init" => Here; "remove" => Here; "publish" => Fetches("galaxy.ansible.com"); };
        "test converge verify lint create destroy init list dump view" => Project, Here;
        "*" => Project, Here;
    } ["ansible-lint site.yml": "code:project write:workspace:recursive", "ansible-galaxy install x": "code:project package:install write:workspace:recursive"]
    Gnu "ansible-vault" "--vault-password-file=<, --vault-id=, --output=>, --ask-vault-pass, -J, --encrypt-vault-id=, -n=, --name=, -p --prompt, --stdin-name=, -v"
        => Secret("a vault of ansible"); ["ansible-vault view x.yml": "secret"]
    Operands "vagrant" => Call(verbs), Project; ["vagrant status": "code:project network"]
    Operands "serverless-offline cfn-lint tflint tfsec checkov infracost terraform-docs terrascan driftctl kics \
        conftest opa regal hclfmt packer-fmt cdktf cdk8s atlantis steampipe" => Project, Here, Action::Touches; [
        "tflint --recursive": "code:project write:workspace:recursive",
        "conftest test x.yaml": "code:project write:workspace:recursive",
    ]
};

/// Words that show a secret.
const SECRETS: &[&str] = &[
    "export-credentials", "get-secret-value", "batch-get-secret-value", "get-session-token",
    "get-login-password", "get-login", "get-authorization-token", "assume-role",
    "assume-role-with-web-identity", "get-federation-token", "create-access-key", "get-parameter",
    "get-parameters", "get-parameters-by-path", "print-access-token", "print-identity-token",
    "print-refresh-token", "application-default", "access", "get-access-token", "get-credentials",
    "list-keys", "keys", "connection-string", "show-connection-string", "secrets", "secret",
    "keyvault", "token", "tokens", "auth:token", "config", "config:get", "credentials", "env",
    "get-value", "kubeconfig", "dump", "reveal", "obscure", "get-password-data",
    "generate-db-auth-token", "registry-credentials", "access-token", "print", "api-keys",
    "apikeys",
];

/// Beginnings of words that delete.
const DESTROYS: &[&str] = &[
    "delete", "destroy", "remove", "rm", "rb", "terminate", "purge", "deregister", "drop",
    "detach", "revoke", "disable", "release", "wipe", "unlink", "teardown", "cleanup", "rmdir",
    "rmdirs", "deletefile", "del", "undeploy", "uninstall", "unpublish", "reset", "down",
    "truncate", "empty", "apps:destroy", "pg:reset", "addons:destroy", "abort", "cancel", "prune",
    "batch-delete", "schedule-key-deletion", "unset", "removefromgroup",
];

/// Beginnings of words that read.
const READS: &[&str] = &[
    "list", "ls", "describe", "get", "show", "status", "info", "view", "logs", "log", "tail",
    "head", "search", "lookup", "wait", "version", "versions", "help", "whoami", "estimate",
    "preview", "validate", "plan", "diff", "lint", "lsd", "lsl", "lsf", "lsjson", "size", "du",
    "stat", "cat", "tree", "check", "about", "history", "inspect", "test", "simulate", "doctor",
    "projects", "apps", "releases", "ps", "balance", "synth", "fmt", "format", "query-plan",
    "domains:list", "completion", "regions", "explain", "monitor", "metrics", "count",
    "is-ancestor", "describe-instances", "global-status", "config-list", "filter-log-events",
    "list-objects", "members", "buckets", "hosts", "nodes", "catalog",
];

/// Beginnings of words that change.
const CHANGES: &[&str] = &[
    "create", "update", "put", "set", "add", "deploy", "start", "stop", "restart", "reboot", "run",
    "invoke", "apply", "attach", "associate", "modify", "enable", "tag", "untag", "upload", "cp",
    "copy", "mv", "move", "sync", "mb", "publish", "push", "scale", "import", "export", "login",
    "logout", "init", "link", "register", "authorize", "send", "submit", "execute", "start-build",
    "resize", "migrate", "restore", "backup", "promote", "rollback", "configure", "use", "switch",
    "ssh", "scp", "up", "dev", "open", "build", "package", "local", "emulators", "functions",
    "hosting", "exec", "query", "connect", "patch", "replace", "edit", "touch", "mkdir",
    "provision", "reload", "resume", "suspend", "halt", "activate", "secrets:set", "copyto",
    "moveto", "serve", "mount", "download", "upgrade", "transfer", "make", "bootstrap", "rotate",
    "issue", "commit", "merge", "trigger", "bisync",
];

/// Options before the verb that have a value.
const VALUED: &[&str] = &[
    "--profile", "--region", "--output", "-o", "--project", "--account", "--subscription", "-g",
    "--resource-group", "--endpoint-url", "--format", "--query", "--config", "--context", "-a",
    "--app", "--org", "-c", "--ca-bundle", "--cli-read-timeout", "--color", "--access-token", "-t",
    "--token", "--scope", "-S", "--cwd", "--configuration", "--impersonate-service-account",
    "--verbosity", "-n", "--namespace", "--server",
];

/// True for a word that begins with a verb of a list, or ends in one behind `:` or `.`.
fn begins(word: &str, list: &[&str]) -> bool {
    list.iter().any(|start| {
        word.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', ':']))
    }) || word.rsplit([':', '.']).next().is_some_and(|last| last != word && list.contains(&last))
}

/// What the verbs of a call say that it does.
fn verbs(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let mut words: Vec<&str> = Vec::new();
    let mut skips = false;
    let mut unknown = false;
    for word in &report.invocation.arguments {
        let Some(text) = word.value.as_known() else {
            unknown |= words.len() < 3 && !skips;
            skips = false;
            continue;
        };
        if std::mem::take(&mut skips) {
            continue;
        }
        if text.starts_with('-') {
            skips = VALUED.contains(&text);
            // Behind the verb, what an option takes is not known.
            if !words.is_empty() && !skips {
                break;
            }
        } else {
            words.push(text);
        }
    }
    let options = || report.invocation.arguments.iter().filter_map(|word| word.value.as_known());
    let informs = ["--version", "version", "help", "--help", "-h", "-v"];
    if words.is_empty() && options().all(|word| informs.contains(&word))
        || words.first() == Some(&"help")
    {
        return;
    }
    let purges = options()
        .any(|word| matches!(word, "--delete" | "--force-delete" | "--purge" | "--remove"));
    let any = |list: &[&str]| words.iter().any(|word| begins(word, list));
    let actions: &[Action] = if any(DESTROYS) || purges {
        &[Destroys("cloud"), Fetches("")]
    } else if words.iter().any(|word| SECRETS.contains(word)) && !any(&["list", "ls"]) {
        &[Secret("credentials of a cloud"), Fetches("")]
    } else if any(CHANGES) {
        &[Cloud("cloud"), Fetches("")]
    } else if any(READS) && !unknown {
        &[Fetches("")]
    } else {
        &[Fetches(""), Unknown("this command of it is not known")]
    };
    perform(report, parsed, actions, Certainty::Must);
    written(report, &words);
}

/// `aws s3 cp s3://x path` and the like write the path, and the other way round they send it.
fn written(report: &mut Report<'_>, words: &[&str]) {
    let copies = words.iter().position(|word| {
        matches!(*word, "cp" | "mv" | "sync" | "copy" | "move" | "get" | "copyto" | "download")
    });
    let (Some(at), Some(last)) = (copies, words.last()) else { return };
    if words.len() <= at + 2 {
        return;
    }
    if !last.contains(':') {
        let effect = report.file_effect(Access::Write, &Value::known(*last), true, false);
        report.add(effect);
    } else if let Some(file) = words[at + 1..].iter().find(|word| !word.contains(':')) {
        let host = Value::known(last.split(['/', ':']).next().unwrap_or_default());
        let sends = Payload::File(Value::known(*file));
        report.add(Effect::Network { host, port: None, fetches: false, sends });
    }
}

/// `-m shell -a text`
fn ansible(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let module = parsed.value("-m").map_or("command", |word| word.value.prefix());
    if parsed.value("-a").is_some()
        && ["shell", "command", "raw", "script"].iter().any(|name| module.ends_with(name))
    {
        report.add(Effect::Code {
            from: CodeFrom::Setting("a command on other machines".to_owned()),
        });
    }
}
