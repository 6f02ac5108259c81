//! Stores of secrets, and programs that sign and decrypt.

use crate::effect::{Access, Certainty};
use crate::model::tool::Action::{self, At, Call, Destroys, Fetches, Here, If, Reads, Secret};
use crate::model::tool::{Tool, opts, tools};
use crate::model::{Opt, Parsed, Report};
use crate::models::perform::perform;

/// Options that the commands of `gpg` share.
const GPG: &[Opt] = opts!(
    "-s --sign, --clear-sign --clearsign, -b --detach-sign, -e --encrypt, -c --symmetric, -d --decrypt, --verify, -k --list-keys --list-public-keys, -K --list-secret-keys, --check-signatures --check-sigs, --list-signatures --list-sigs, --fingerprint, \
     --list-packets, --generate-key --gen-key, --full-generate-key --full-gen-key, --quick-generate-key --quick-gen-key, --edit-key=, --delete-keys --delete-key, --delete-secret-keys --delete-secret-key, --delete-secret-and-public-key, --export, --export-secret-keys, \
     --export-secret-subkeys, --export-ssh-key, --import --fast-import, --recv-keys --receive-keys, --send-keys, --search-keys, --refresh-keys, --locate-keys, --keyserver=, --keyserver-options=, -a --armor --armour, -o --output=>, -u --local-user=, -r --recipient=, -R --hidden-recipient=, \
     --default-key=, --batch, --yes, --no, --no-tty, -q --quiet, -v --verbose, --homedir=<, --keyring=<, --no-default-keyring, --passphrase=, --passphrase-file=<, --passphrase-fd=, --pinentry-mode=, --trust-model=, --always-trust, --status-fd=, --with-colons, --with-fingerprint, --with-keygrip, \
     --keyid-format=, --dearmor, --enarmor, --print-md=, --version, --help -h, --cipher-algo=, --digest-algo=, --compress-algo=, -z=, --textmode -t, --import-ownertrust, --export-ownertrust, --quick-add-key, --multifile, --show-keys, --no-auto-check-trustdb, --allow-secret-key-import, --photo-viewer=!, \
     --exec-path=<, --options=<, --load-extension=!, --agent-program=!, --dirmngr-program=!, --no-symkey-cache, --import-options=, --export-options=, --set-filename=, -n --dry-run, --auto-key-retrieve, --logger-fd="
);

/// The tools of this file, each with its options, its commands and its examples.
pub(super) const TABLE: &[Tool] = tools! {
    Gnu "gpg gpg2 gpgv gpgsm" [GPG] => Call(gpg); [
        "gpg --verify x.sig x": "",
        "gpg --list-keys --keyid-format long": "",
        "gpg --export-secret-keys -a me": "secret",
        "gpg -d secrets.gpg": "secret",
        "gpg --import key.asc": "write:secret:recursive",
        "gpg --recv-keys ABC": "network write:secret:recursive",
        "gpg --batch --yes -o x.gpg -c x": "write:workspace write:workspace:recursive",
        "gpg --photo-viewer 'cat x' --list-keys": "code:setting",
    ]
    Gnu "age rage" "-e --encrypt, -d --decrypt, -o --output=>, -a --armor, -p --passphrase, -r --recipient=, -R --recipients-file=<, -i --identity=<, -j=, --version" => Reads, If("-d", &[Secret("an encrypted file")]); ["age -d -i k.txt x.age": "secret", "age -r age1x -o x.age x": "write:workspace"]
    Gnu "age-keygen rage-keygen minisign signify cosign-key" "-o=>, -y, -G, -S, -V, -m=<, -s=<, -p=<, -x=<, -P=, -f, -W, -q, --version" => Reads, Here; ["age-keygen -o key.txt": "write:workspace write:workspace:recursive"]
    Inherited "sops" "-d --decrypt, -e --encrypt, -i --in-place, --input-type=, --output-type=, --output=>, --extract=, --config=<, -k --kms=, -p --pgp=, -a --age=, -r --rotate, -v --version, --verbose, --set=, -s --show-master-keys, --ignore-mac" => Reads, If("-d --extract", &[Secret("an encrypted file")]), If("-i -e", &[Here]); {
        "exec-env exec-file" => Secret("an encrypted file"), Action::Setting("a command with secrets in it");
        "decrypt edit publish keyservice" => Secret("an encrypted file");
        "encrypt rotate updatekeys groups set unset filestatus" => Reads, Here;
        "*" => Secret("an encrypted file");
    } ["sops -d secrets.enc.yaml": "secret", "sops encrypt -i x.yaml": "write:workspace:recursive"]
    Inherited "pass gopass passage" "-c --clip, -m --multiline, -e --echo, -f --force, -n --no-symbols, -r --recursive, -q, -o, --help -h" => Secret("a store of passwords"); {
        "ls list version help find search grep" => Secret("a store of passwords"); "rm remove delete" => Destroys("pass"); "*" => Secret("a store of passwords");
    } ["pass show x": "secret", "pass rm x": "cloud:destroys secret"]
    Operands "op kpcli doppler aws-vault infisical teller dcli ykman pinentry kinit klist gcloud-secret \
        cryptsetup-key summon berglas credstash" => Call(stores); [
        "op read op://x/y/z": "secret",
        "op --version": "",
    ]
    Operands "vault bao" => Call(vault); [
        "vault status": "network",
        "vault kv get secret/x": "network secret",
        "vault kv delete secret/x": "cloud:destroys network",
        "vault write auth/x y=z": "cloud network",
    ]
};

/// The effects of `gpg`.
fn gpg(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let has = |all: &[&str]| all.iter().any(|option| parsed.has(option));
    let keys = At(Access::Write, "~/.gnupg");
    if has(&["--version"]) {
        return;
    }
    if has(&["--export-secret-keys", "--export-secret-subkeys", "-d"]) {
        perform(report, parsed, &[Secret("a private key, or an encrypted file")], Certainty::Must);
    }
    if has(&["--recv-keys", "--send-keys", "--search-keys", "--refresh-keys", "--locate-keys"]) {
        perform(report, parsed, &[Fetches("")], Certainty::Must);
    }
    let changes = [
        "--import", "--recv-keys", "--refresh-keys", "--generate-key", "--full-generate-key",
        "--quick-generate-key", "--edit-key", "--delete-keys", "--delete-secret-keys",
        "--delete-secret-and-public-key", "--import-ownertrust", "--quick-add-key",
    ];
    if has(&changes) {
        perform(report, parsed, &[keys], Certainty::Must);
    }
    if has(&["-s", "--clear-sign", "-b", "-e", "-c", "--dearmor", "--enarmor"]) {
        perform(report, parsed, &[Reads, Here], Certainty::Must);
    } else if has(&["--verify", "--import", "--show-keys", "--list-packets"]) {
        perform(report, parsed, &[Reads], Certainty::Must);
    }
    if has(&["--homedir", "--options"]) {
        perform(report, parsed, &[Action::Setting("other settings")], Certainty::Must);
    }
}

/// The effects of a store of passwords.
fn stores(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let only =
        ["--version", "version", "--help", "help", "-v", "status", "whoami", "locked", "unlocked"];
    let first = parsed.operands.first().and_then(|word| word.value.as_known());
    if first.is_none_or(|word| !only.contains(&word)) {
        perform(report, parsed, &[Secret("a store of secrets")], Certainty::Must);
        let runs = parsed
            .operands
            .iter()
            .any(|word| matches!(word.value.as_known(), Some("run" | "exec" | "--")));
        if runs {
            perform(
                report,
                parsed,
                &[Action::Setting("a command with secrets in it")],
                Certainty::Must,
            );
        }
    }
}

/// The effects of `vault`.
fn vault(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let words: Vec<&str> = parsed
        .operands
        .iter()
        .filter_map(|word| word.value.as_known())
        .filter(|word| !word.starts_with('-'))
        .collect();
    let has = |all: &[&str]| words.iter().take(3).any(|word| all.contains(word));
    let actions: &[Action] = if words.is_empty() || has(&["version"]) {
        &[]
    } else if has(&[
        "delete", "destroy", "disable", "revoke", "unbind", "seal", "step-down", "purge",
    ]) {
        &[Destroys("vault"), Fetches("")]
    } else if has(&[
        "write", "put", "patch", "enable", "tune", "move", "init", "unseal", "rekey", "rotate",
        "undelete", "policy", "join", "register",
    ]) {
        &[Fetches(""), Action::Cloud("vault")]
    } else if has(&[
        "status", "list", "path-help", "capabilities", "lookup", "metadata", "audit", "plugin",
    ]) && !has(&["get", "read"])
    {
        &[Fetches("")]
    } else {
        &[Fetches(""), Secret("a store of secrets")]
    };
    perform(report, parsed, actions, Certainty::Must);
}
