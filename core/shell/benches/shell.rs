//! A verdict about a command, against the parser alone, and against a list of regular expressions
//! that is tried one after the other, as the seeds' list is.
//!
//! `make bench` runs it and prints its tables: microseconds a command over the labelled commands,
//! each the least of some turns, and the worst of large texts that are made to be slow.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, and may fail")]

use std::hint::black_box;
use std::time::Instant;

use regex::Regex;
use toolkeep_shell::{Env, Settings, analyse, check, judge, precheck};

const TURNS: usize = 25;

/// One expression for each kind of danger that the labelled commands have, as such lists are written.
const EXPRESSIONS: &[&str] = &[
    r"\brm\s+(-[a-zA-Z]*\s+)*-[a-zA-Z]*[rf]",
    r"\brm\s+.*--(recursive|force)",
    r"\bmkfs(\.\w+)?\b",
    r"\bdd\s+.*\b(if|of)=",
    r">\s*/dev/(sd|nvme|hd|vd)",
    r"\b(shutdown|reboot|poweroff|halt)\b",
    r":\(\)\s*\{.*\}\s*;",
    r"\b(curl|wget)\b.*\|\s*(ba|z|da)?sh\b",
    r"\b(ba)?sh\s+<\(",
    r"\beval\b",
    r"\bbase64\s+(-d|--decode)\b.*\|",
    r"\bnc\b.*\s-[a-z]*e",
    r"/dev/(tcp|udp)/",
    r"\bmkfifo\b",
    r"\bsocat\b",
    r"\bsudo\b",
    r"\bsu\b(\s|$)",
    r"\bdoas\b",
    r"\bpkexec\b",
    r"\bchmod\s+.*[0-7]{3,4}\s+/",
    r"\bchmod\s+.*\+s",
    r"\bchown\b.*\s/",
    r"\bmount\b",
    r"\bumount\b",
    r"\bnsenter\b",
    r"\bunshare\b",
    r"\bchroot\b",
    r"\bdocker\b.*(--privileged|docker\.sock)",
    r"\bcrontab\b",
    r"/etc/cron",
    r"authorized_keys",
    r"\.bash(rc|_profile)",
    r"\bsystemctl\b.*\b(enable|start|stop)\b",
    r"\bLD_(PRELOAD|LIBRARY_PATH)=",
    r"\bDYLD_\w+=",
    r"\bBASH_ENV=",
    r"\bGIT_\w+=",
    r"\bPYTHON\w+=",
    r"\bkill(all)?\s+-(9|KILL)",
    r"\bpkill\b",
    r"\b(env|printenv|set|export\s+-p)\s*($|[|;>])",
    r"/proc/(self|\d+)/environ",
    r"\bxmrig\b|\bminerd\b|stratum\+tcp",
    r"\bnmap\b|\bmasscan\b",
    r"\bssh\b\s+\S+@",
    r"\bscp\b|\bsftp\b",
    r"\brsync\b.*:",
    r"\bnslookup\b|\bdig\b|\bhost\b",
    r"\b(apt|apt-get|yum|dnf|apk|brew)\s+(install|add|remove)",
    r"\b(pip3?|npm|yarn|gem)\s+(install|add)",
    r"\bgo\s+install\b|\bcargo\s+install\b",
    r"\bcurl\b.*(-d|--data|-F|-T|--upload-file)\b",
    r"\bwget\b.*--post",
    r"\bpython3?\s+-c\b.*(os\.system|subprocess|socket)",
    r"\bperl\s+-e\b",
    r"\bruby\s+-e\b",
    r"\bnode\s+-e\b.*child_process",
    r"\bphp\s+-r\b",
    r"\bawk\b.*system\(",
    r"\bfind\b.*-(exec|delete)\b",
    r"\bxargs\b.*\b(rm|sh|bash)\b",
    r"\bsed\b.*/e\b",
    r"\btar\b.*--checkpoint",
    r"\bgit\b.*(--upload-pack|ext::|core\.\w+=)",
    r"\bman\b.*-P",
    r"\bsort\b.*--compress-program",
    r"\bhistory\s+-[cw]",
    r"\biptables\b|\bufw\b",
    r"\b(user|group)(add|del|mod)\b",
    r"\bpasswd\b",
    r"\bvisudo\b|/etc/sudoers",
    r"\bsysctl\b.*-w",
    r"\b(ins|rm|mod)mod\b|\bmodprobe\b",
    r"\btruncate\b|\bshred\b",
    r"169\.254\.169\.254",
    r"localhost:|127\.0\.0\.1",
    r"\$\(.*(curl|wget)",
    r"\bat\s+now\b|\bbatch\b",
];

/// A name, and what is done with a command.
type Way<'a> = (&'a str, &'a dyn Fn(&str));

fn main() {
    let rows = include_str!("../testdata/shell.jsonl").lines();
    let texts: Vec<String> = rows
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|row| row["cmd"].as_str().unwrap().to_owned())
        .collect();
    let expressions: Vec<Regex> =
        EXPRESSIONS.iter().map(|text| Regex::new(text).unwrap()).collect();
    let (env, settings) = (Env::default(), Settings::default());
    let verdict = |text: &str| judge(&analyse(text, &env), &env, &settings);
    let ways: [Way<'_>; 4] = [
        ("the parser alone", &|text| {
            black_box(shuck_parser::parser::Parser::new(text).parse());
        }),
        ("regular expressions, one after the other", &|text| {
            black_box(expressions.iter().find(|expression| expression.is_match(text)));
        }),
        ("toolkeep, analysed and judged", &|text| {
            black_box(verdict(text));
        }),
        ("toolkeep, with what is shown", &|text| {
            black_box(check(text, &env, &settings));
        }),
    ];
    let measured = ways.map(|(name, way)| (name, times(&texts, way)));
    let parser = at(&measured[0].1, 50);
    println!(
        "| a shell command, {} labelled | µs, median | µs, p99 | µs, worst | of the parser |",
        texts.len()
    );
    println!("|---|---:|---:|---:|---:|");
    for (name, times) in &measured {
        let [median, most, worst] = [50, 99, 100].map(|share| at(times, share));
        println!("| {name} | {median:.1} | {most:.1} | {worst:.1} | {:.1}× |", median / parser);
    }
    println!();
    println!("| 32 KiB that are made to be slow | ms, the parser alone | ms, toolkeep |");
    println!("|---|---:|---:|");
    for (name, text) in large() {
        let ours = time(3, || verdict(&text)) / 1e3;
        if precheck::check(&text).iter().any(precheck::Finding::is_fatal) {
            // The parser may overflow the stack with what is refused.
            println!("| {name}, refused | – | {ours:.1} |");
        } else {
            let alone = time(3, || shuck_parser::parser::Parser::new(&text).parse()) / 1e3;
            println!("| {name} | {alone:.1} | {ours:.1} |");
        }
    }
}

/// The microseconds of each text, sorted.
fn times(texts: &[String], way: &dyn Fn(&str)) -> Vec<f64> {
    let mut all: Vec<f64> = texts.iter().map(|text| time(TURNS, || way(text))).collect();
    all.sort_by(f64::total_cmp);
    all
}

fn at(sorted: &[f64], share: usize) -> f64 {
    sorted[(sorted.len() - 1) * share / 100]
}

/// The least microseconds of some turns.
fn time<T>(turns: usize, run: impl Fn() -> T) -> f64 {
    let turn = || {
        let start = Instant::now();
        black_box(run());
        start.elapsed().as_secs_f64() * 1e6
    };
    (0..turns).map(|_| turn()).fold(f64::MAX, f64::min)
}

/// Texts of 32 KiB that repeat one thing.
fn large() -> Vec<(String, String)> {
    const REPEATED: &[&str] = &[
        "ls; ", "ls && ", "ls | ", "a=1 ", "x ", "echo $x ", "echo ${x} ", "echo \"$x\" ",
        "{a,b} ", "{a,b}", "$(ls) ", "`ls` ", "<(ls) ", "'a' ", "\"a\" ", "\\a", "\\\n", "$'a' ",
        "* ", "[a] ", "[[ a ]] && ", "((1)); ", "$((1)) ", "$x[", "${x[1]} ", "a[1]=2 ", "> a ",
        "2>&1 ", "<<< a ", "cat <<E\nE\n", "if a; then b; fi\n", "for a in b; do c; done\n",
        "case a in b) c;; esac\n", "f() { a; }\n", "! ", "& ", "# a\n", "\n", "~ ", "a=(b c) ",
        "${a:-b} ", "${a/b/c} ", "${a", "$(", "(", "{ ", "((", "$((", "\"", "'", "<(", "[", "a(",
        "time ", "x=${x}$x;", "é ", "<<E ", "case ",
    ];
    let fill = |text: &str| text.repeat(32 * 1024 / text.len());
    let named = |text: &&str| (format!("`{}`…", text.escape_debug()), fill(text));
    REPEATED.iter().map(named).collect()
}
