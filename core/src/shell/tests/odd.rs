//! Texts that are hard to read: of which it is easily taken for the one what Bash takes for the other.
//!
//! In each stands a program, `evil`, in a place where it may be thought to be none: behind a quote or a
//! brace that opens nothing, at the end of a here-document that has another end, in a comment.

use super::super::parse::suite::SCRIPTS;
use super::Dice;

/// The program that must not run untold.
pub(super) const PROGRAM: &str = "evil";

/// How long a text may be, in bytes.
const LONGEST: usize = 400;

/// One such text.
pub(super) fn text(dice: &mut Dice) -> String {
    loop {
        let text = match dice.roll(4) {
            0 => parameter(dice),
            1 => document(dice),
            2 => nested(dice),
            _ => changed(dice),
        };
        if text.len() <= LONGEST && !may_be_bomb(&text) {
            return text;
        }
    }
}

/// True where a function may run itself beside itself.
fn may_be_bomb(text: &str) -> bool {
    text.contains(['&', '|']) && (text.contains("()") || text.contains("function"))
}

fn of(dice: &mut Dice, all: &[&'static str]) -> &'static str {
    dice.pick::<&'static str>(all)
}

fn chance(dice: &mut Dice, of_hundred: usize) -> bool {
    dice.roll(100) < of_hundred
}

/// `count` of these, one behind the other.
fn several(dice: &mut Dice, all: &[&'static str], count: usize) -> String {
    (0..count).map(|_| of(dice, all)).collect()
}

fn with_program(text: String) -> String {
    if text.contains(PROGRAM) { text } else { text + "\n" + PROGRAM }
}

/// `${…}` with a word that may end elsewhere.
fn parameter(dice: &mut Dice) -> String {
    const ENDS: &[&str] = &["}", "}", "}", "}\"", "}'", "", "\"}", "'}"];
    const LAST: &[&str] = &["\nevil", "\n'evil'", "\n\"evil\"", " ;evil;"];
    let count = 1 + dice.roll(3);
    let mut text = format!("{}${{{}{}", of(dice, BEFORE), of(dice, NAMES), of(dice, OPERATORS));
    text += &several(dice, OPERANDS, count);
    text += of(dice, ENDS);
    let count = dice.roll(5).saturating_sub(2);
    text += &several(dice, OPERANDS, count);
    text += of(dice, AFTER);
    if chance(dice, 30) {
        text += of(dice, LAST);
    }
    with_program(text)
}

/// A here-document that may end elsewhere.
fn document(dice: &mut Dice) -> String {
    const OPERATORS: &[&str] = &["<<", "<<", "<<-", "<< ", "<<- ", "<<-\t"];
    const ENDS: &[&str] = &["", "", "", " ", ")", "`", "\\"];
    const RUNS: &[&str] = &["evil", "evil #'", "evil #\"", "evil;", "evil\nE"];
    const CLOSES: &[&str] =
        &["}", ")", "`", ")\"", "'", "\"", "E", "X", "Y", "fi", "done", ";; esac", "ls", ")}"];
    let count = 1 + dice.roll(4).saturating_sub(1);
    let mark = several(dice, MARKS, count);
    let ends = unquoted(&mark);
    let mut text =
        format!("{}{}{mark}{}\n", of(dice, READERS), of(dice, OPERATORS), of(dice, ENDINGS));
    for _ in 0..1 + dice.roll(3) {
        for _ in 0..dice.roll(3) {
            text += &format!("{}{}\n", of(dice, &["", "", "\t"]), of(dice, LINES));
        }
        let end = dice.pick(&ends).clone();
        text += &format!("{}{end}{}\n", of(dice, &["", "", "", "\t", " "]), of(dice, ENDS));
        if chance(dice, 70) {
            text += &format!("{}\n", of(dice, RUNS));
        }
        if chance(dice, 30) {
            text += &format!("{}\n", of(dice, CLOSES));
        }
    }
    with_program(text)
}

/// What a mark may be without its quotes.
fn unquoted(mark: &str) -> Vec<String> {
    let without = |chars: &[char]| mark.replace(chars, "");
    vec![
        mark.to_owned(),
        without(&['\'']),
        without(&['"']),
        without(&['\\']),
        without(&['\'', '"']),
        without(&['\'', '"', '\\']),
        without(&['$']),
        without(&['$', '\'', '"']),
        mark.replace("\\\\", "\\"),
    ]
}

/// Commands around commands.
fn nested(dice: &mut Dice) -> String {
    const CLOSES: &[&str] = &["'", "\"", ")", "`", "}", " fi", " esac", "\n", "done"];
    let mut text = within(dice, 3);
    let hidden = of(dice, HIDDEN);
    if chance(dice, 50) {
        let at = border(dice, &text);
        text.insert_str(at, hidden);
    } else {
        text += hidden;
    }
    if chance(dice, 30) {
        text += of(dice, CLOSES);
    }
    text
}

fn within(dice: &mut Dice, depth: usize) -> String {
    if depth == 0 || chance(dice, 25) {
        return of(dice, ATOMS).to_owned();
    }
    if chance(dice, 65) {
        let (open, close) = dice.pick(AROUND);
        let before = match dice.roll(10) {
            0..=3 => "",
            _ => of(dice, &["echo ", "ls ", "x=", "cat ", "echo a"]),
        };
        return format!("{before}{open}{}{close}", within(dice, depth - 1));
    }
    let joint = of(dice, &[";", "\n", " ", "|", "&&", "\n\n", " ; "]);
    format!("{}{joint}{}", within(dice, depth - 1), within(dice, depth - 1))
}

/// A script with a few things put in, left out or moved.
fn changed(dice: &mut Dice) -> String {
    const LAST: &[&str] = &[
        "\nevil",
        "'\nevil '",
        "\" evil \"",
        "\nevil\nE",
        "# evil",
        "\n# evil\n",
        " 'evil' ",
        " ;evil;",
        "\"'evil'\"",
    ];
    let mut text = match dice.roll(5) {
        0 => {
            let count = 2 + dice.roll(10);
            several(dice, TOKENS, count)
        }
        1 => {
            let joint = of(dice, &["\n", ";", " ", "|", "&&"]);
            format!("{}{joint}{}", script(dice), script(dice))
        }
        _ => script(dice),
    };
    for _ in 0..1 + dice.roll(5) {
        let at = border(dice, &text);
        match dice.roll(20) {
            0..=2 => _ = text[at..].chars().next().map(|_| text.remove(at)),
            3 | 4 => {
                let other = border(dice, &text);
                let part = text[at.min(other)..at.max(other)].to_owned();
                let to = border(dice, &text);
                text.insert_str(to, &part);
            }
            5 | 6 => {
                let other = script(dice);
                text.insert_str(at, &other);
            }
            _ => text.insert_str(at, of(dice, TOKENS)),
        }
    }
    if chance(dice, 30) {
        text += of(dice, LAST);
    }
    with_program(text)
}

/// A script of those that are told by hand, with programs that are there.
fn script(dice: &mut Dice) -> String {
    let words = |text: &str, program: &str| {
        let is_program = |word: &str| matches!(word, "id" | "pwd" | "w" | "who");
        let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
        let mut out = String::new();
        let mut word = String::new();
        for char in text.chars().chain(['\0']) {
            if is_part(char) {
                word.push(char);
                continue;
            }
            out += if is_program(&word) { program } else { &word };
            word.clear();
            out.push(char);
        }
        out.pop();
        out
    };
    let program = of(dice, &[PROGRAM, "ls", "ls"]);
    words(dice.pick(SCRIPTS).0, program)
}

/// A place between two characters.
fn border(dice: &mut Dice, text: &str) -> usize {
    let mut at = dice.roll(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// What a parameter is named by.
const NAMES: &[&str] = &[
    "x", "x[0]", "x[@]", "@", "1", "#", "!x", "#x", "x[$y]", "x[\"a\"]", "x['a']", "x[a]", "x[(]",
    "x[{]", "x[#]", "x[`ls`]",
];

/// What is done to it.
const OPERATORS: &[&str] = &[
    ":-", "-", ":=", "=", ":?", "+", ":+", "#", "##", "%", "%%", "/", "//", "/#", "/%", ":", ":1:",
    "^", "^^", ",", ",,", "@", "@Q", "[", "", "!",
];

/// Parts of the word behind it.
const OPERANDS: &[&str] = &[
    "a",
    "'",
    "\"",
    "\\'",
    "\\\"",
    "'a'",
    "\"a\"",
    "'\"'",
    "\"'\"",
    "\\}",
    "\\{",
    "$(",
    "$(ls)",
    "`",
    "`ls`",
    "${y}",
    "${y:-",
    "$'",
    "$'a'",
    "$'\\''",
    "$\"a\"",
    "#",
    " #",
    "\n",
    "\n#",
    " ",
    "(",
    ")",
    "$((1))",
    "$((",
    "))",
    "<",
    "<(ls)",
    "<<E",
    "<(",
    "[",
    "]",
    "[)]",
    "[}]",
    "['}']",
    "@(a|b)",
    "@(",
    "|",
    "&",
    ";",
    "/",
    "\\\n",
    "\\",
    "*",
    "$",
    "$}",
    "'}'",
    "\"}\"",
    "\"$(echo '}')\"",
    "$(echo })",
    "`echo }`",
    "$(echo \"}\")",
    "$(case a in a) ls;; esac)",
    "$(#)\nls)",
    "!",
    "evil",
    ";evil;",
    " evil ",
    "$(evil)",
    "`evil`",
];

/// What stands before a parameter.
const BEFORE: &[&str] = &[
    "echo ",
    "echo \"",
    "x=",
    "x=\"",
    "cat <<E\n",
    "cat <<< ",
    "cat <<< \"",
    "[[ ",
    "[[ \"",
    "((",
    "$((",
    "echo $(",
    "case ",
    "a=(",
    "a[",
    "ls >",
    "declare x=",
    "for i in ",
    "echo '",
    "echo \"a'b ",
    "echo `",
    "f() { echo ",
    "echo a",
    "echo $(( ",
    "a[1]=",
    "echo {a,",
    "[[ a =~ ",
    "[[ a == ",
];

/// What stands behind one.
const AFTER: &[&str] = &[
    "",
    " ;evil;",
    "\"",
    "'",
    ")",
    "\" ;evil;\"",
    "' ;evil;'",
    "\nE\nevil",
    "\nevil",
    "}",
    "\"}\"",
    "'}'",
    "))",
    "]",
    " ]]",
    "`",
    " ]] ;evil",
    " ]]; evil }",
    "; do ls; done",
    " in a) ls;; esac",
    "\" evil",
    "\n evil #",
    " }",
    " evil }",
    " evil ' }",
    " evil \" }",
    "; evil }",
    "|evil",
    "|evil }",
    "; evil '}'",
    "; evil \"}\"",
    " ; evil \"}'",
    "\n\"evil\"",
    "\n'evil'",
];

/// Parts of the mark of a here-document.
const MARKS: &[&str] = &[
    "E", "F", "'E'", "\"E\"", "\\E", "'", "\"", "\\", "$", "$x", "${x}", "`", "$(x)", "$'E'",
    "$\"E\"", "{a,b}", "~", "*", "#", "!", "=", "-", "}", "{", "]", "[", "'E F'", "'\t'", "\\ ",
    "\\'", "\\\"", "\\\\", "'\\'", "\"\\\"\"", "\"\\\\\"", "'a\\b'", "\"a\\b\"", "''", "\"\"",
    "$'\\x45'", "$'\\''", "$((1))", "<(x)", "E\\$", "%", "^", "é", ".", "/", ":", "@(a)", "0", "1",
];

/// Lines of one.
const LINES: &[&str] = &[
    "a", "a\\", "\\", "E", "F", "'", "\"", "`", "$(", "${", "a'b", "\tE", "E ", "#", "$'", " E",
    "", "EF", "E\\", "\\E", "$x", "a\\\\", "$((", "$[",
];

/// What stands before one.
const READERS: &[&str] = &[
    "cat ",
    "",
    "cat <<X ",
    "{ cat ",
    "f() { cat; } ",
    "echo $(cat ",
    "echo \"$(cat ",
    "echo `cat ",
    "(cat ",
    "if cat ",
    "x=$(cat ",
    "cat <(cat ",
    "case a in a) cat ",
    "case $(cat ",
    "${x:-$(cat ",
    "while cat ",
    "! cat ",
    "time cat ",
    "cat 3",
    "cat <<<x ",
    " [[ -n $(cat ",
    "echo ${x#`cat ",
    "a=(1 $(cat ",
    "cat >f ",
];

/// What stands behind its mark.
const ENDINGS: &[&str] = &[
    "",
    "; ls",
    " | cat",
    " # c",
    " #'",
    " && ls",
    " <<Y",
    " &",
    "; }",
    "; f",
    ")",
    "`",
    ")\"",
    "; then ls; fi",
    "; :",
    "|\\",
    " \\",
    " 'a",
    " \"a",
    "\n}",
    "\n)",
    "\n`",
    "; esac",
    ";; esac",
    ") in a) ;; esac",
    "}",
    ")}",
    "; do ls; done",
    ")]]",
    ") ]]",
    "`}",
    "))",
];

/// What stands around a text.
const AROUND: &[(&str, &str)] = &[
    ("$(", ")"),
    ("\"$(", ")\""),
    ("`", "`"),
    ("\"`", "`\""),
    ("<(", ")"),
    ("(", ")"),
    ("{ ", "; }"),
    ("{ ", "\n}"),
    ("if ls; then ", "; fi"),
    ("case a in a) ", ";; esac"),
    ("case a in (a) ", ";; esac"),
    ("case a in\na) ", "\nesac"),
    ("f() { ", "; }"),
    ("f() (", ")"),
    ("function f { ", "; }"),
    ("for i in 1; do ", "; done"),
    ("[[ -n $(", ") ]]"),
    ("((x[$(", ")]))"),
    ("${x:-$(", ")}"),
    ("\"${x:-$(", ")}\""),
    ("${x:-`", "`}"),
    ("eval \"", "\""),
    ("eval '", "'"),
    ("bash -c \"", "\""),
    ("bash -c '", "'"),
    ("while ls; do ", "; break; done"),
    ("! ", ""),
    ("time ", ""),
    ("x=$(", ")"),
    ("x=\"$(", ")\""),
    ("select i in a; do ", "; done"),
    ("$(case a in a) ", ";; esac)"),
    ("\"$(case a in a) ", ";; esac)\""),
    ("<(case a in a) ", ";; esac)"),
    ("$((", ") )"),
    ("$( (", "))"),
    ("trap \"", "\" EXIT"),
    ("cat <<< $(", ")"),
    ("ls >$(", ")"),
    ("declare x=$(", ")"),
    ("[[ a == @($(", "))* ]]"),
    ("[[ a =~ ($(", ")) ]]"),
    ("x[$(", ")]=1"),
    ("$[$(", ")]"),
];

/// Texts that are hard to read.
const ATOMS: &[&str] = &[
    "ls",
    "echo a",
    "ls # x",
    "# x\nls",
    "ls #'\n",
    "ls #\"\n",
    "ls #)\n",
    "ls #`\n",
    "ls #}\n",
    "ls #\\\n",
    "echo '#'",
    "echo a#b",
    "echo \\#",
    "echo \"#\"",
    "echo $#",
    "echo ${#x}",
    "echo ${x#y}",
    "echo ${x##'#'}",
    "echo '",
    "echo \"",
    "echo \\'",
    "echo \\\"",
    "echo $'\\''",
    "echo $'a'",
    "echo $\"a\"",
    "echo ')'",
    "echo \")\"",
    "echo \\)",
    "echo '`'",
    "echo '}'",
    "echo \"}\"",
    "echo \\}",
    "echo \"'\"",
    "echo '\"'",
    "echo ${x:-'}'}",
    "echo \"${x:-'}\"",
    "echo ${x:-\\}}",
    "echo \"${x:-\"a\"}\"",
    "echo \"${x#'a'}\"",
    "echo \"a $(ls) 'b\"",
    "echo $((1))",
    "echo $[1]",
    "echo $((1<2))",
    "echo (",
    "echo )",
    "echo !",
    "echo ;",
    "ls &",
    "ls |",
    "ls &&",
    "ls\\\n",
    "ls;\\\n",
    "echo case",
    "echo esac",
    "echo in",
    "echo a) b",
    "case x in x) ls;; esac",
    "case x in (x) ls;; esac",
    "case x in x) ls;; esac #'",
    "case x in #'\nx) ls;; esac",
    "case x in x) ;; *) ls; esac",
    "echo done",
    "[[ a == b ]]",
    "[[ a =~ b|c ]]",
    "[[ a =~ (b) ]]",
    "[[ a =~ \"(\" ]]",
    "[[ a =~ [#'] ]]",
    "[[ a =~ b' ]]",
    "[[ a == # ]]",
    "[[ a < b ]]",
    "[[ (a) ]]",
    "((1))",
    "((1)) #'",
    "echo {a,b}",
    "echo {a,'}'}",
    "echo @(a)",
    "echo a{",
    "echo }",
    "echo ~",
    "echo *",
    "echo [a",
    "echo [']",
    "echo a]",
    "echo \t#'\n",
    "echo\t#'\n",
    "echo;#'\n",
    "echo&#'\n",
    "echo|#'\nls",
    "(#'\nls)",
    "(ls)#'\n",
    "`#'\n`",
    "$(#'\n)",
    "{ #'\nls; }",
    "{#'",
    "ls>#'\n",
    "ls>f#'",
    "ls>f #'\n",
    "ls <<<#'",
    "ls 2>&1#'",
    "ls>&2 #'\n",
    "x=#'",
    "x= #'\n",
    "x=a#'",
    "x=(#'\n)",
    "x=( #'\n)",
    "x=(a #'\n)",
    "[[ a #'\n]]",
    "for i in #'\n1; do ls; done",
    "for i #'\nin 1; do ls; done",
    "f() #'\n{ ls; }",
    "if #'\nls; then ls; fi",
    "ls;;",
    "esac",
    "fi",
    "then",
    "ls \\",
    "ls \\\\",
    "echo \"\\\\\"",
    "echo '\\'",
    "echo \"\\`\"",
    "echo \\`",
    "echo $(",
    "echo ${",
    "echo \"$(ls",
    "function #'\nf { ls; }",
    "! #'\nls",
    "time #'\nls",
    "coproc #'\nls",
    "\n",
    "",
    "echo a\n#'\n",
    "echo a\\\n#'\n",
    "echo a \\\n#'\n",
    "echo ;#'\n",
    "\\\n#'\n",
];

/// The program that is not to run untold, where it may be thought to be none.
const HIDDEN: &[&str] = &[
    "\nevil",
    "\nevil #'",
    ";evil;",
    "\n'evil'",
    "'\nevil\n'",
    "\"\nevil\n\"",
    " #'\nevil\n'",
    "' ;evil;'",
    "\" ;evil;\"",
    "`evil`",
    "$(evil)",
    ")evil",
    "}\nevil",
    "`\nevil\n`",
    ")\nevil\n(",
    "\nevil #)",
    "\nevil #\"",
    "\nevil\n#`\n",
    "'evil'",
    "\"evil\"",
];

/// What is put into a text anywhere.
const TOKENS: &[&str] = &[
    ";",
    "|",
    "||",
    "&&",
    "(",
    ")",
    "<",
    ">",
    "<<",
    "<(",
    "$(",
    "${",
    "}",
    "{",
    "{ ",
    "; }",
    "\"",
    "'",
    "`",
    "\\",
    "\n",
    "#",
    " # ",
    "!",
    " ! ",
    "$",
    "$'",
    "$\"",
    "=",
    "*",
    "?",
    "[",
    "]",
    "[[ ",
    " ]]",
    "((",
    "))",
    "$((",
    "$[",
    "~",
    ",",
    " if ",
    "; then ",
    "; fi",
    " do ",
    "; done",
    " case x in ",
    ";;",
    " esac",
    "<<E\n",
    "\nE\n",
    "\nE",
    "<<'E'\n",
    "<<-E\n",
    "\t",
    "<<<",
    "2>&1",
    "&>",
    ">|",
    "|&",
    "a=",
    "a=(",
    "-",
    " ",
    "x",
    "\\\n",
    "'\"'",
    "\"'\"",
    "\\'",
    "\\\"",
    "\\\\",
    "${x:-",
    "${x#",
    "${x/",
    "${#",
    "a[",
    "+=",
    "]=",
    "@(",
    "E",
    "\nevil\n",
    "evil",
    " evil ",
    "$(evil)",
    "`evil`",
    ";evil;",
    "\nevil #\n",
    "'evil'",
    ">~/.bashrc",
    ">.git/hooks/x",
    "{fd}>",
    "eval ",
    "<&-",
    "time ",
    "in ",
    "function f ",
    "()",
    "f() {",
    " a)",
    "|b)",
    ";&",
    ";;&",
    "=~ ",
    "==",
    "<<\\E\n",
    "<<\"E\"\n",
    "\n\n",
    "  \\\n ",
    "echo ",
    "ls",
    "cat ",
    "declare ",
    "export ",
    "x=",
    "$x",
    "${x}",
    "$@",
    "\"$x\"",
    "&",
];
