//! Texts that the parser crate reads otherwise than a shell does: in each of them a shell runs something
//! that the crate takes for a part of a word, of a text, or of nothing.

use super::corpus::{strict, workspace};
use crate::{Decision, Env, check};

/// What is not known and so never allowed stands in each where a shell runs it: `evil`, or the program
/// that a changed `PATH` or `LD_PRELOAD` leads to.
const HIDING: &[&str] = &[
    // Braces between those of a parameter.
    "echo ${x#{} ; evil }",
    "echo \"${x#{}\" ; evil \"}\"",
    "x=${y#{};evil }",
    "(( ${x#{} )); evil }",
    "[[ ${x#{} ]]; evil } ]]",
    "echo ${x%%{*}; PATH=/tmp/attack/t/evilbin; ls; echo }",
    "echo ${x:-{b,c}>~/.bashrc }",
    "x=${1/$'\\''&};evil",
    "a[1]=${x[@]/#<(ls)$'\\''}\n'evil'",
    "echo {a,${1,$'\\''/}|evil }",
    "cat <<< ${x[0]-$$(} }\nevil",
    "((${x[$y]^^\\}))\nevil",
    "((${@=${y}${y:-}))\nevil",
    // A substitution that the crate takes for an empty one.
    "echo $({fd}>(a[$(evil)]))",
    // Single quotes where they quote nothing.
    "echo $((1 + ${x:-'$(evil)'}))",
    "echo $[1 + ${x:-'`evil`'}]",
    "((${x:-${y:-'$(evil)'}}))",
    "for ((i=${x-'$(evil)'};i<1;i++)); do ls; done",
    "echo \"${x:-${y:-'$(evil)'}}\"",
    "cat <<E\n${x:-${y:-'$(evil)'}}\nE\n",
    "a[${x:-'$(evil)'}]=1",
    "echo ${a[${x:-'$(evil)'}]}",
    "echo ${y:${x:-'$(evil)'}}",
    "s=abc; a=([${s/a/'$(evil)'}]=1)",
    "a=([\"\\$(evil)\"]=1)",
    "a=([\\$(evil)]=1)",
    "echo $(( '$(\"evil\" x)' ))",
    // Redirections that close, with a word right behind them.
    "<&-evil",
    ">&-\"evil\"",
    "2>&-\\evil",
    "ls > $(<&-evil)/x[",
    "3<&-\\\nevil",
    // Names of files that are expanded twice.
    "ls >&'$(evil)'",
    "x='$(evil)'; ls >&$x",
    "x='$(evil)'; ls >&a$x",
    // What runs within a parameter or a pattern, and what hides behind one.
    "echo ${x:?<(evil)}",
    "x=${1:-<(evil)}",
    "x=${x:-`echo;#'\n`} #'\nevil\n'}",
    "[[ a == @($([[ a =~ \"(\" ]]))* ]]\nevil",
    "[[ a =~ ($(echo $((1)) [[ a == # ]] cat declare x=$(ls &))) ]]\nevil #' esac",
    "c do a <<<{fd> $(ls\"'\")\nevil",
    "((evil);(ls))",
    "((evil);(ls))2>&1",
    // What is opened behind a backslash, which is nothing.
    "ls {\\$[x;evil",
    "ls {\\$[x;evil]",
    "ls {a,\\$[x\nevil",
    // What the crate leaves out.
    "cat <<E&[&evil\nx\nE\n",
    "echo {a,${#:\"$`evil`}; evil \" }",
    "x=${1@\\}; evil }",
    "x=${1@\\}$'\\'']}<(ls)$(ls); evil }\n'evil'",
    // An index where a command begins.
    "ls[ a;evil ]s",
    // Ends of documents.
    "cat <<E\\\nF\na\nEF\nevil",
    "cat <<'E'\\\nF\na\nEF\nevil",
    "cat <<'E'\\\n\na\nE\nevil",
    "cat <<E \\\n F\nx\nE\nevil",
    "cat <<'E' \\\n\nx\nE\nevil",
    "cat <<\\\n-E\na\n\tE\nevil",
    "cat <<\"a\\b\"\nx\na\\b\nevil",
    "cat <<'a\\b'\nx\na\\b\nevil",
    "cat <<'\\'\nx\n\\\nevil",
    "cat <<\"a\\\"b\"\nx\na\"b\nevil",
    "cat <<'E'\\F\nx\nEF\nevil",
    "cat <<\"a\\\nb\"\nx\nab\nevil",
    "cat <<$'\\x45'\nx\nE\nevil",
    "cat <<$'\\\\'\nx\n\\\nevil",
    "cat <<{E\nx\n{E\nevil",
    "cat <<-'\tE'\nx\n\tE\nevil",
    "cat <<-\\\tE\nx\n\tE\nevil",
    "cat <<EF\nE\\\nF\nevil",
    "cat <<E\nx\nE\\\n\nevil",
    "cat <<A <<'B'\nx\\\nA\n$(evil)\nB\n",
    "cat <<A; cat <<'B'\nx\\\nA\n$(evil)\nB\n",
    "echo $(cat <<'E'\nx\nE)\nevil\nE\n)",
    "x=$(cat <<'E'\nx\nE)\nevil\nE\n)",
    "echo \"$(cat <<'E'\nx\nE)\"\nevil\nE\n)\"",
    "echo $(cat <<E\nx\nE ls)\nevil\nE\n)",
    "cat <<'A' [<<B\nx\nA\ny\nB\nevil",
    "cat <<A [<<B\nx\nA\ny\nB\nevil",
    // Comments and their like.
    "x=(#'\n)\nevil",
    "x=(#\"\n)\nevil",
    "x=(#`\n)\nevil",
    "declare x=(#'\n)\nevil",
    "x[1 # ]=1 evil",
    "x[$y # ]=1 PATH=/tmp/attack/t/evilbin ls",
    "(( $(echo \"$(echo;#'\n)\") ))\nevil",
    "((x[$(echo \"${x:-$(echo;#'\n)}\")]))\nevil",
    // Braces behind an index or in a test.
    "a[1<<2]=3{\nevil",
    "x[1|2]=b{\nevil",
    "x[1 ]={ \nevil",
    "[[ a =~ {b ]]\nevil",
    "[[ a =~ (a|{b) ]]\nevil",
    "[[ a == {b ]]; evil }",
    "[[ ! a =~ ({b) ]] && evil; echo }",
    // Arrays that are not closed.
    "a=(b;c\nevil",
    "a=(b;c\nPATH=/tmp/attack/t/evilbin\nls",
    "declare a=(b;c\nevil",
    "a+=(b;c\nevil",
    "a[0]=(b;c\nevil",
    "a=(b|'\nevil #'",
    "echo a | declare x=( | cat\nevil",
    "alias xa=(;\nevil",
    "alias xa=(='rm';x y\nevil",
    "echo xa=(;\nevil",
    "alias xa=\\\n(;\nevil",
    "x=(a $(id) [3]=`pwd`)echo `echo \\`ls\\``|[ -n \"$(ls)\" ]\"'evil'\"",
    // Calculations.
    "((x = $['E'))\nevil",
    "((${x+$'}'\\}))\nevil",
    // Signs.
    "! ! PATH=/tmp/attack/t/evilbin; ls",
    "! ! A=/b evil",
    "time -\\\np evil",
    "time ! ! PATH=/tmp/attack/t/evilbin; ls",
    "! ! LD_PRELOAD=/tmp/x.so ls",
    "true||time\nevil",
    "true||!\nevil",
    "false && time # x\nevil",
    "true||time #'\nPATH=/tmp/attack/t/evilbin; ls",
    // Lines that go on where they do not.
    "# a\\\nPATH=/tmp/evil:$PATH; ls",
    "cat <<'f'\ni\\\nf\nevil\nf",
];

/// A path that names are hung to, which may be none.
const BEGUN: &[&str] = &[
    "cat ~/.ssh/id_rsa$(ls nosuch)",
    "cat ~/.ssh/${z:+$(ls)}id_rsa",
    "cat ~/.s${z:+$(ls)}sh/id_rsa",
    "cd ~/.ssh$(ls nosuch) && cat id_rsa",
    "cat /etc/shadow$(ls nosuch)",
    "echo >~/.bashrc$(ls nosuch)",
    "x=$(ls nosuch); echo >~/.bashrc$x",
    "touch ~/.bashrc${z:+$(ls)}",
    "tee ~/.bashrc$(find . -name nosuch) <<< x",
    "cd ~/$(ls nosuch) && echo > .bashrc",
    "echo >.git/hooks/x$(ls nosuch)",
    "echo >.g${z:+$(ls)}it/hooks/x",
    "rm ~/.bashrc$(ls nosuch)",
    "rm .git/hooks/x$(ls nosuch)",
];

/// Ways to what runs in a repository.
const HOOKS: &[&str] = &[
    "mv .git g; echo > g/hooks/x; mv g .git",
    "mkdir -p n/hooks; echo > n/hooks/x; cp -r n/. .git/",
    "for x in .git/*/; do echo > ${x}x; done",
    "for x in .*; do echo > $x/hooks/x; done",
    "for x in .g*; do echo > $x/hooks/x; done",
];

#[test]
fn harm_in_what_is_not_understood_as_a_whole_is_denied() {
    let text = ": ${x:-$( exec 3>&1; { case x in\nx) wg-quick up wg0\n;; esac\n}\n)}";
    assert_eq!(check(text, &Env::default(), &strict()).verdict, Decision::Deny);
}

#[test]
fn nothing_that_hides_in_a_misread_text_is_allowed() {
    for settings in [strict(), workspace()] {
        let is_allowed =
            |text: &&&str| check(text, &Env::default(), &settings).verdict == Decision::Allow;
        let allowed: Vec<_> = HIDING.iter().chain(BEGUN).chain(HOOKS).filter(is_allowed).collect();
        assert!(allowed.is_empty(), "{allowed:#?}");
    }
}
