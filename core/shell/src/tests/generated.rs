//! Texts of the language of a shell, made up: all that the interpretation follows occurs in them.

use super::Dice;
use super::shapes::{behind_backslashes, between_quotes, in_ansi_quotes, quoted, split_by_quotes};

/// Programs that only tell that they ran.
pub(super) const PROGRAMS: &[&str] = &["ls", "rm", "git", "cat", "foo", "bar", "make", "curl"];

const NAMES: &[&str] = &["a", "b", "c", "x1", "opt"];
const PLAIN: &[&str] =
    &["-r", "-f", "--all", "one", "two.txt", "a.txt", "sub", "./b", "/etc/x", "k=v"];

/// A text with some commands.
pub(super) fn text(dice: &mut Dice) -> String {
    let mut writer = Writer { dice, functions: 0, looping: false };
    let mut all = Vec::new();
    for _ in 0..1 + writer.dice.roll(2) {
        let one = writer.list(2);
        all.push(one);
    }
    all.join("\n")
}

/// One plain command.
pub(super) fn command(dice: &mut Dice) -> String {
    Writer { dice, functions: 0, looping: false }.simple(0)
}

struct Writer<'d> {
    dice: &'d mut Dice,
    functions: usize,
    looping: bool,
}

impl Writer<'_> {
    fn chance(&mut self, of_hundred: usize) -> bool {
        self.dice.roll(100) < of_hundred
    }

    fn of(&mut self, all: &[&str]) -> String {
        (*self.dice.pick(all)).to_owned()
    }

    fn list(&mut self, depth: usize) -> String {
        let mut text = self.pipeline(depth);
        for _ in 0..self.dice.roll(2) {
            let joint = self.of(&[" && ", " || ", "; ", "\n", " & "]);
            text = format!("{text}{joint}{}", self.pipeline(depth));
        }
        text
    }

    fn pipeline(&mut self, depth: usize) -> String {
        let mut text = self.command(depth);
        if self.chance(20) {
            let pipe = self.of(&[" | ", " |& "]);
            text = format!("{text}{pipe}{}", self.command(depth));
        }
        if self.chance(8) { format!("! {text}") } else { text }
    }

    fn command(&mut self, depth: usize) -> String {
        let text =
            if depth == 0 || self.chance(55) { self.simple(depth) } else { self.compound(depth) };
        if self.chance(12) { format!("{text} {}", self.redirection(depth)) } else { text }
    }

    fn redirection(&mut self, depth: usize) -> String {
        let word = self.word(depth.min(1));
        match self.dice.roll(10) {
            6 => self.of(&["<missing", ">sub", ">&7", ">/dev/null", "<&-"]),
            0 => ">out".into(),
            1 => ">>out 2>&1".into(),
            2 => "2>/dev/null".into(),
            3 => "<a.txt".into(),
            4 => format!("<<< {word}"),
            5 => "&>log".into(),
            _ => "3>&1".into(),
        }
    }

    fn compound(&mut self, depth: usize) -> String {
        let inner = depth - 1;
        let body = self.list(inner);
        match self.dice.roll(18) {
            0 => format!("( {body} )"),
            1 => format!("{{ {body}\n}}"),
            2 => format!("if {}; then {body}\nfi", self.condition(inner)),
            3 => {
                let condition = self.condition(inner);
                format!("if {condition}\nthen {body}\nelse {}\nfi", self.list(inner))
            }
            4 | 5 => {
                let words: Vec<_> = (0..1 + self.dice.roll(3)).map(|_| self.word(1)).collect();
                let name = self.of(NAMES);
                let body = self.in_loop(inner);
                format!("for {name} in {}; do {body}\ndone", words.join(" "))
            }
            6 => {
                let body = self.in_loop(inner);
                format!("while {}; do {body}\nbreak; done", self.condition(inner))
            }
            7 => format!("until {}; do {body}\nbreak\ndone", self.condition(inner)),
            8 => {
                let (subject, pattern) =
                    (self.word(1), self.of(&["one", "*", "[a-o]*", "x|two.txt"]));
                format!("case {subject} in {pattern}) {body}\n;; *) {};; esac", self.simple(0))
            }
            9 | 10 => {
                self.functions += 1;
                let name = format!("f{}", self.functions);
                let (one, two) = (self.word(1), self.word(1));
                let ends = if self.chance(20) { "\nreturn 0" } else { "" };
                format!("{name}() {{ {body}{ends}\n}}\n{name} {one} {two}")
            }
            11 => format!("eval {}", quoted(&body)),
            12 => format!("{} -c {} x one", self.of(&["sh", "bash", "/bin/sh"]), quoted(&body)),
            13 => format!("bash <<'END{0}'\n{body}\nEND{0}\n", self.dice.roll(100_000)),
            14 => format!("echo {} | sh", quoted(&body)),
            15 => format!("trap {} EXIT", quoted(&body)),
            16 => format!("printf '%s\\n' {} > s.sh; . ./s.sh", quoted(&body)),
            _ => format!("for ((i = 0; i < 2; i++)); do {body}\ndone"),
        }
    }

    fn in_loop(&mut self, depth: usize) -> String {
        let outer = std::mem::replace(&mut self.looping, true);
        let body = self.list(depth);
        self.looping = outer;
        body
    }

    fn condition(&mut self, depth: usize) -> String {
        let word = self.word(depth.min(1));
        match self.dice.roll(6) {
            0 => "true".into(),
            1 => format!("[ {word} = one ]"),
            2 => format!("[[ {word} == o* ]]"),
            3 => "(( 1 + 1 > 1 ))".into(),
            4 => "test -f a.txt".into(),
            _ => self.simple(0),
        }
    }

    fn simple(&mut self, depth: usize) -> String {
        let words: Vec<_> = (0..self.dice.roll(4)).map(|_| self.word(depth.min(2))).collect();
        let words = words.join(" ");
        let program = self.program();
        let name = self.of(NAMES);
        match self.dice.roll(56) {
            0..=13 => format!("{program} {words}"),
            14 => format!("{name}={}", self.word(depth)),
            15 => format!("{name}={} {program} {words}", self.word(0)),
            16 => format!("{name}=({words})"),
            17 => format!("export {name}={}", self.word(0)),
            18 => format!("set -- {words}"),
            19 => "shift".into(),
            20 => format!("read -r {name} <<< {}", self.word(1)),
            21 => format!("printf -v {name} '%s' {}", self.word(1)),
            22 => format!("unset {name}"),
            23 => format!("{name}+={}", self.word(0)),
            24 => format!("env {program} {words}"),
            25 => format!("nice -n 3 {program} {words}"),
            26 => format!("timeout 9 {program} {words}"),
            27 => format!("command {program} {words}"),
            28 => format!("echo one two | xargs {program} {words}"),
            29 => format!("find . -name 'a*' -exec {program} {{}} \\;"),
            30 => format!("nohup env A=b {program} {words}"),
            31 => format!("cd {}", self.of(&["sub", ".", "..", "/tmp", "-"])),
            32 => format!("echo {words}"),
            33 => format!("declare {name}={}", self.word(0)),
            34 => format!("xargs -n1 {program} <<< {}", self.word(0)),
            35 if self.looping => self.of(&["break", "continue"]),
            36 => format!("{name}={program}; ${name} {words}"),
            37 => format!("{name}=({program} {words}); \"${{{name}[@]}}\""),
            38 if self.chance(20) => "\"$@\"".into(),
            38 => format!("set -- {program} {words}; \"$@\""),
            39..=54 => self.odd(),
            _ => format!("let {name}=1+2"),
        }
    }

    /// What the shell does on its own, and what keeps it from going on.
    fn odd(&mut self) -> String {
        let words: Vec<_> = (0..self.dice.roll(4)).map(|_| self.word(1)).collect();
        let words = words.join(" ");
        let program = self.program();
        let name = self.of(NAMES);
        match self.dice.roll(16) {
            0 => format!("local {name}"),
            1 => format!("declare -i {name}={}", self.word(0)),
            2 => format!("readonly {name}={}", self.word(0)),
            3 => format!("{name}+=({words})"),
            4 => format!("IFS={}", self.of(&["1", "o", "' '", "''", ",", "$' \\t\\n'"])),
            5 => format!("{name}[1]={}", self.word(0)),
            6 => format!(
                "trap {} {}",
                quoted(&format!("{program} ${name}")),
                self.of(&["EXIT", "DEBUG", "ERR", "RETURN", "USR1"])
            ),
            7 => format!("set {}", self.of(&["-e", "-u", "+B", "-k", "-f", "+f", "-a", "-eu"])),
            8 => format!(
                "{name}={} {}",
                self.word(0),
                self.of(&[":", "eval :", "f1", "f2 x", "export b", "declare c", "read a <<< x"])
            ),
            9 => format!("unset {}", self.of(&["-f f1", "-v a", "f1", "f2", "c[0]"])),
            10 => format!(
                "shopt -{} {}",
                self.of(&["s", "u"]),
                self.of(&["lastpipe", "nullglob", "failglob", "extglob", "dotglob"])
            ),
            11 => format!("f{}", 1 + self.dice.roll(3)),
            12 => format!("{}() {{ {program} {words}; }}", self.of(&["f1", "ls", "git", "foo"])),
            13 => format!("echo {} | read {name}", self.word(0)),
            14 => format!(": {words} {}", self.of(&["$((1/0))", "${!a}", "${b:0:-1}", "${c:?}"])),
            _ => format!("{name}={program}; {}\n${name} {words}", self.simple(0)),
        }
    }

    fn program(&mut self) -> String {
        let name = self.of(PROGRAMS);
        match self.dice.roll(12) {
            0 => split_by_quotes(&name, self.dice),
            1 => between_quotes(&name, self.dice),
            2 => behind_backslashes(&name, self.dice),
            3 => in_ansi_quotes(&name, self.dice),
            4 => format!("/bin/{name}"),
            5 => format!("$(echo {name})"),
            _ => name,
        }
    }

    fn word(&mut self, depth: usize) -> String {
        let plain = self.of(PLAIN);
        let name = self.of(NAMES);
        match self.dice.roll(35) {
            0..=7 => plain,
            8 => split_by_quotes(&plain, self.dice),
            9 => between_quotes(&plain, self.dice),
            10 => behind_backslashes(&plain, self.dice),
            11 => in_ansi_quotes(&plain, self.dice),
            12 => format!("${name}"),
            13 => format!("\"${name}\""),
            14 => format!("{plain}${{{name}}}"),
            15 => self.of(&["{one,two}", "x{a,b}y", "{1..3}", "{a,'b c'}", "{x,}y", "a{,.bak}"]),
            16 => self.of(&["*.txt", "s?b", "[ab].txt", "no*ne", "*"]),
            17 if depth > 0 => format!("$({})", self.simple(depth - 1)),
            18 if depth > 0 => format!("\"$({})\"", self.simple(0)),
            19 if depth > 0 => format!("`{} one`", self.of(PROGRAMS)),
            20 => format!("$(echo {plain})"),
            21 => format!(
                "${{{name}{}}}",
                self.of(&[
                    ":-one", "-two", ":+alt", ":=set", "#o", "##*o", "%e", "%%.*", "/o/0", "//o/0",
                    ":1", ":0:2", "^^", ",,", "^", "@Q",
                ])
            ),
            22 => format!("$((1 + {}))", self.dice.roll(9)),
            23 => {
                self.of(&["~", "~/x", "$HOME", "$PWD/y", "$0", "$1", "$#", "\"$*\"", "$?", "${#a}"])
            }
            24 => self.of(&["'a b'", "\"a  b\"", "''", "\"\"", "a\\ b"]),
            25 => "\"${c[@]}\"".into(),
            26 => format!("${{{name}[0]}}"),
            27 => format!("\"{plain}${{{name}}}z\""),
            28 => format!("${{!{name}}}"),
            29 => self.of(&["\"$@\"", "$@", "$*", "\"${@:1}\"", "${@:2}", "\"${@#o}\""]),
            30 => format!(
                "\"${{{name}[{}]{}}}\"",
                self.of(&["@", "*"]),
                self.of(&["", "", ":1", ":0:1", "/o/0", "#o", "-one", ":-one", "+one", "^^"])
            ),
            31 => format!("${{{name}[{}]}}", self.of(&["@", "*", "1", "2"])),
            32 => format!("$(({name} + 1))"),
            33 => format!("\"${{#{name}[@]}}\""),
            _ => plain,
        }
    }
}
