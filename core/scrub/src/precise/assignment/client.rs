//! Passwords in the flags of well-known clients: `mysql -pV`, `curl -u user:V`.
//!
//! Sources: the manual pages of the clients.

use super::super::super::view::View;
use super::super::judge::Form;
use super::value::{Value, bare, blanks, quoted};

/// How far before a flag its client may stand, in bytes.
const BEFORE: usize = 256;

/// Among how many words of a line the client must be.
const WORDS: usize = 12;

/// How a client takes the password.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Right behind the letter: `-pV`.
    Glued,
    /// As the next word: `-p V`.
    Apart,
    /// Either way.
    Both,
    /// Behind a user and this byte: `-u user:V`.
    Behind(u8),
}

struct Client {
    names: &'static [&'static [u8]],
    flag: &'static [u8],
    way: Way,
    /// A word that must stand between the client and the flag.
    with: &'static [u8],
}

const fn client(
    names: &'static [&'static [u8]],
    flag: &'static [u8],
    way: Way,
    with: &'static [u8],
) -> Client {
    Client { names, flag, way, with }
}

const CLIENTS: &[Client] = &[
    client(
        &[b"mysql", b"mysqldump", b"mysqladmin", b"mysqlimport", b"mysqlsh", b"mysqlcheck"],
        b"-p",
        Way::Glued,
        b"",
    ),
    client(&[b"mariadb", b"mariadb-dump", b"mariadb-admin", b"mycli"], b"-p", Way::Glued, b""),
    client(&[b"7z", b"7za", b"7zz", b"rar", b"unrar"], b"-p", Way::Glued, b""),
    client(&[b"security"], b"-w", Way::Apart, b"add-generic-password"),
    client(&[b"security"], b"-w", Way::Apart, b"add-internet-password"),
    client(&[b"sshpass"], b"-p", Way::Both, b""),
    client(
        &[b"mongo", b"mongosh", b"mongodump", b"mongorestore", b"mongoimport", b"mongoexport"],
        b"-p",
        Way::Both,
        b"",
    ),
    client(&[b"cqlsh", b"cypher-shell", b"rabbitmqadmin", b"rdesktop"], b"-p", Way::Apart, b""),
    client(
        &[b"docker", b"podman", b"oc", b"helm", b"az", b"skopeo", b"buildah", b"crane", b"oras"],
        b"-p",
        Way::Both,
        b"login",
    ),
    client(&[b"redis-cli", b"keydb-cli", b"valkey-cli"], b"-a", Way::Apart, b""),
    client(
        &[b"ldapsearch", b"ldapadd", b"ldapmodify", b"ldapdelete", b"ldapwhoami", b"ldappasswd"],
        b"-w",
        Way::Both,
        b"",
    ),
    client(&[b"sqlcmd", b"bcp", b"unzip", b"zip", b"ipmitool"], b"-P", Way::Both, b""),
    client(&[b"mosquitto_pub", b"mosquitto_sub"], b"-P", Way::Apart, b""),
    client(&[b"curl", b"curl.exe"], b"-u", Way::Behind(b':'), b""),
    client(&[b"curl", b"curl.exe"], b"--user", Way::Behind(b':'), b""),
    client(&[b"curl", b"curl.exe"], b"--proxy-user", Way::Behind(b':'), b""),
    client(&[b"curl", b"curl.exe"], b"-U", Way::Behind(b':'), b""),
    client(&[b"http", b"https", b"xh"], b"-a", Way::Behind(b':'), b""),
    client(&[b"http", b"https", b"xh"], b"--auth", Way::Behind(b':'), b""),
    client(&[b"smbclient", b"rpcclient", b"smbmap"], b"-U", Way::Behind(b'%'), b""),
    client(
        &[b"snmpwalk", b"snmpget", b"snmpset", b"snmpbulkwalk", b"snmptrap"],
        b"-A",
        Way::Apart,
        b"",
    ),
    client(&[b"lftp"], b"-u", Way::Behind(b','), b""),
    client(&[b"plink", b"pscp", b"psftp", b"plink.exe", b"pscp.exe"], b"-pw", Way::Apart, b""),
    client(
        &[
            b"psexec",
            b"psexec.exe",
            b"PsExec.exe",
            b"psexec64.exe",
            b"PsExec64.exe",
            b"evil-winrm",
            b"crackmapexec",
            b"nxc",
            b"netexec",
            b"hydra",
            b"sqsh",
            b"zkCli.sh",
        ],
        b"-p",
        Way::Apart,
        b"",
    ),
];

/// The password behind the flag that starts with the sight or one blank behind it.
pub(super) fn argument(view: &View<'_>) -> Option<Value> {
    let text = view.text;
    let at = view.at + blanks(text, view.at).min(1);
    let of_flag = |client: &&Client| text[at..].starts_with(client.flag);
    let end = at + CLIENTS.iter().find(of_flag)?.flag.len();
    let apart = blanks(text, end);
    let start = end + apart;
    let ends = matches!(text.get(start), None | Some(b'-' | b'\n' | b'\r'));
    let may = |client: &&Client| of_flag(client) && (!ends || matches!(client.way, Way::Behind(_)));
    let words = CLIENTS.iter().any(|client| may(&client)).then(|| words_before(text, view.at))?;
    let client = CLIENTS.iter().filter(may).find(|client| {
        let names = words.iter().filter(|word| word.first().is_some_and(u8::is_ascii_alphanumeric));
        names.into_iter().any(|word| client.names.contains(word))
            && (client.with.is_empty() || words.contains(&client.with))
    })?;
    match client.way {
        Way::Glued => (apart == 0 && !ends).then(|| word(view, end)).flatten(),
        Way::Apart => (apart > 0 && !ends).then(|| word(view, start)).flatten(),
        Way::Both => (!ends).then(|| word(view, start)).flatten(),
        Way::Behind(mark) => {
            if apart == 0 && client.flag.len() > 2 && text.get(end) != Some(&b'=') {
                return None;
            }
            let start = start + usize::from(text.get(start) == Some(&b'='));
            let mut value = word(view, start)?;
            let user = text[value.span.clone()].iter().position(|&b| b == mark)?;
            value.span.start += user + 1;
            // The password alone between quotes: `-u user:'V'`.
            if value.span.is_empty() { quoted_word(view, value.span.end) } else { Some(value) }
        }
    }
}

/// The first words of the command before `at`.
fn words_before(text: &[u8], at: usize) -> [&[u8]; WORDS] {
    let before = &text[at.saturating_sub(BEFORE)..at];
    let line = memchr::memrchr3(b'\n', b'|', b';', before).map_or(0, |at| at + 1);
    let mut words = before[line..].split(|&b| b == b' ').filter(|word| !word.is_empty());
    std::array::from_fn(|_| words.next().map(own_name).unwrap_or_default())
}

fn quoted_word(view: &View<'_>, at: usize) -> Option<Value> {
    Some(Value { form: Form::Query, ..quoted(view, at, Form::Flag)? })
}

/// The word at `at`. There is no doubt that it is a password, whatever follows it.
pub(super) fn word(view: &View<'_>, at: usize) -> Option<Value> {
    let value = quoted(view, at, Form::Flag).or_else(|| bare(view, at, Form::Flag))?;
    Some(Value { form: Form::Query, ..value })
}

/// The name of a command without its path and quotes.
fn own_name(word: &[u8]) -> &[u8] {
    let start = word.iter().rposition(|b| b"/\\\"'`(".contains(b)).map_or(0, |at| at + 1);
    &word[start..]
}
