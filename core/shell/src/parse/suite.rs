//! Scripts with the command words at every level of nesting, listed by hand.

use std::process::{Command as Process, Stdio};

use super::parse;
use crate::ir::Script;
use crate::tests::shown;

/// Scripts, and the first word of every command in them, sorted. A word with an expansion is shown
/// with a `?` in its place.
pub(in super::super) const SCRIPTS: &[(&str, &str)] = &[
    ("ls", "ls"),
    ("ls -la /tmp", "ls"),
    ("ls; pwd", "ls pwd"),
    ("ls && pwd || id", "id ls pwd"),
    ("ls | grep x | wc -l", "grep ls wc"),
    ("ls |& cat", "cat ls"),
    ("ls & pwd", "ls pwd"),
    ("ls\npwd\n", "ls pwd"),
    ("r\\m x", "rm"),
    ("r''m x", "rm"),
    ("'r'\"m\" x", "rm"),
    ("r\\\nm x", "rm"),
    ("$'\\x72\\x6d' x", "rm"),
    ("$'\\162m' x", "rm"),
    ("\"rm\" x", "rm"),
    ("\"a\\$\" x", "a$"),
    ("\"a\\$b\\$\" x", "a$b$"),
    ("\"\\$\" x", "$"),
    ("\"$x\\$\" y", "?$"),
    ("\"\\\"$\" y", "\"$"),
    ("\\rm x", "rm"),
    ("/bin/rm x", "/bin/rm"),
    ("$x y", "?"),
    ("a$x y", "a?"),
    ("${x:-ls} y", "?"),
    ("echo $(id)", "echo id"),
    ("echo `id`", "echo id"),
    ("echo \"$(id)\"", "echo id"),
    ("echo \"`id`\"", "echo id"),
    ("echo '$(id)'", "echo"),
    ("echo \\$(id)", "<invalid>"),
    ("echo \\`id", "echo"),
    ("echo $(echo $(id))", "echo echo id"),
    ("echo `echo \\`id\\``", "echo echo id"),
    ("echo `echo \\`echo \\\\\\`id\\\\\\`\\``", "echo echo echo id"),
    ("echo \"`echo \\\"$(id)\\\"`\"", "echo echo id"),
    ("echo ${x:-$(id)}", "echo id"),
    ("echo \"${x:-$(id)}\"", "echo id"),
    ("echo \"${x:-'$(id)'}\"", "echo id"),
    ("echo ${x:-'$(id)'}", "echo"),
    ("echo ${x:-`id`}", "echo id"),
    ("echo ${x#$(id)}", "echo id"),
    ("echo ${x%%$(id)*}", "echo id"),
    ("echo ${x/$(id)/$(pwd)}", "echo id pwd"),
    ("echo ${x//a/`pwd`}", "echo pwd"),
    ("echo ${x:$(id):1}", "echo id"),
    ("echo ${x[$(id)]}", "echo id"),
    ("echo ${!x:-$(id)}", "echo id"),
    ("echo ${x:=$(id)} ${y:?$(pwd)} ${z:+$(ls)}", "echo id ls pwd"),
    ("echo ${x:-${y:-${z:-$(id)}}}", "echo id"),
    ("echo $((1 + $(id)))", "echo id"),
    ("echo $((a[$(id)]))", "echo id"),
    ("echo $((ls);(pwd))", "echo ls pwd"),
    ("echo $( (ls);(pwd))", "echo ls pwd"),
    ("((ls);(pwd))", "ls pwd"),
    ("((x = $(id)))", "id"),
    ("echo $[1 + $(id)]", "echo id"),
    ("echo $(( '$(id)' ))", "echo id"),
    ("! ls", "ls"),
    ("! ! ls", "ls"),
    ("! ls | cat", "cat ls"),
    ("time ls | cat", "cat ls"),
    ("ls | time -p cat | wc", "ls time wc"),
    ("time -p ls", "ls"),
    ("! time ls", "ls"),
    ("(ls; pwd)", "ls pwd"),
    ("{ ls; pwd; }", "ls pwd"),
    ("( (ls) )", "ls"),
    ("d\\\neclare -a x=(a $(id))", "declare id"),
    ("i\\\nf ls; th\\\nen pwd; f\\\ni", "ls pwd"),
    ("copr\\\noc ls", "ls"),
    ("echo $(f\\\nor x in a; do ls; done)", "echo ls"),
    ("x=1\n(ls; pwd)\n( id )\n{ w; }", "id ls pwd w"),
    ("ls\n! (pwd)", "ls pwd"),
    ("if ls; then pwd; elif id; then w; else who; fi", "id ls pwd w who"),
    ("while ls; do pwd; done", "ls pwd"),
    ("until ls; do pwd; done", "ls pwd"),
    ("for x in a $(id); do ls; done", "id ls"),
    ("for x; do ls; done", "ls"),
    ("for ((i=0; i<$(id); i++)); do ls; done", "id ls"),
    ("select x in a $(id); do ls; done", "id ls"),
    ("case $(id) in a|$(pwd)) ls;; (*) w;; esac", "id ls pwd w"),
    ("case x in a) ls;& b) pwd;;& *) id; esac", "id ls pwd"),
    ("echo $(case x in a) ls;; esac)", "echo ls"),
    ("echo \"$(case x in a) ls;; esac)\"", "echo ls"),
    ("echo \"$({ case x in\na) ls\n;; esac\n})\"", "echo ls"),
    ("x=$(if w; then case x in a) ls;; esac; fi)", "ls w"),
    ("x=$(while w; do case x in (a) ls;; b) pwd; esac; done; id)", "id ls pwd w"),
    ("cat <(case x in\na) ls\n;; esac\n) y", "cat ls"),
    ("cat <(if w; then case x in\na) ls >(id);; esac; fi)", "cat id ls w"),
    ("echo $(cat <(case x in a) ls;; b) pwd; esac))", "cat echo ls pwd"),
    (": ${x:-$(w; ( case x in\na) ls\n;; esac\n)\n)}", ": ls w"),
    ("f() { ls; }", "ls"),
    ("f() ( ls )", "ls"),
    ("function f { ls; }", "ls"),
    ("function f() { ls; } >out", "ls"),
    ("f() if ls; then pwd; fi", "ls pwd"),
    ("f() { ls; }; f", "f ls"),
    ("f() { echo `id`; }\nf", "echo f id"),
    (":(){ :|:& };:", ": : :"),
    ("bomb() { bomb | bomb & }; bomb", "bomb bomb bomb"),
    ("coproc ls", "ls"),
    ("coproc X { ls; pwd; }", "ls pwd"),
    ("[[ -n $(id) && $x == a* ]] && ls", "id ls"),
    ("[[ $x =~ ^[[:space:]]*(a|b)$ ]]", ""),
    ("[[ -v a[$(id)] ]]", "id"),
    ("[ -n \"$(id)\" ]", "[ id"),
    ("x=1 ls", "ls"),
    ("x=$(id)", "id"),
    ("x=`id` y=\"$(pwd)\" ls", "id ls pwd"),
    ("x=(a $(id) [3]=`pwd`)", "id pwd"),
    ("x[$(id)]=1", "id"),
    ("x+=$(id)", "id"),
    ("export x=$(id)", "export id"),
    ("declare -a x=(a $(id))", "declare id"),
    ("local x=`id`", "id local"),
    ("readonly x", "readonly"),
    ("export -p", "export"),
    ("exit 3", "exit"),
    ("return $(id)", "id return"),
    ("break", "break"),
    ("cat <(ls) >(pwd)", "cat ls pwd"),
    ("cat < <(ls)", "cat ls"),
    ("tee >(sh) </dev/null", "sh tee"),
    ("ls > $(pwd)/x", "ls pwd"),
    ("> x", ""),
    ("> $(id)", "id"),
    ("> x ls", "ls"),
    ("ls 2>&1 >/dev/null", "ls"),
    ("ls &> x", "ls"),
    ("ls &>> x", "ls"),
    ("ls >& x", "ls"),
    ("ls 3<> x 4>&- 5<&3-", "ls"),
    ("exec {fd}< x", "exec"),
    ("{ ls; } > $(id)", "id ls"),
    ("cat <<E\n$(id)\nE", "cat id"),
    ("cat <<E\n`id`\nE\n", "cat id"),
    ("cat <<'E'\n$(id)\nE\n", "cat"),
    ("cat <<\\E\n$(id)\nE\n", "cat"),
    ("cat <<\"E\"\n$(id)\nE\n", "cat"),
    ("cat <<-E\n\t$(id)\n\tE\n", "cat id"),
    ("cat <<E\n\\$(id) '$(pwd)'\nE\n", "cat pwd"),
    ("cat <<E\n${x:-$(id)}\nE\n", "cat id"),
    ("cat <<A <<B\n$(id)\nA\n$(pwd)\nB\n", "cat id pwd"),
    ("cat <<'A' <<B\n$(id)\nA\n$(pwd)\nB\n", "cat pwd"),
    ("cat <<A <<'B'\n$(id)\nA\n$(pwd)\nB\n", "cat id"),
    ("cat <<E | sh\nrm x\nE\nls", "cat ls sh"),
    ("cat <<E && ls\nx\nE\npwd", "cat ls pwd"),
    ("{ cat <<E\n$(id)\nE\n}", "cat id"),
    ("echo $(cat <<E\n$(id)\nE\n)", "cat echo id"),
    ("f() { cat <<E\n$(id)\nE\n}; f", "cat f id"),
    ("if cat <<E; then ls; fi\n`id`\nE\n", "cat id ls"),
    ("cat <<< $(id)", "cat id"),
    ("cat <<< \"`id`\"", "cat id"),
    ("{ls,-la}", "?"),
    ("echo {a,$(id)}", "echo id"),
    ("echo {a,b}{1..3}", "echo"),
    ("echo !(x) +(y) ?(z)", "echo"),
    ("echo a#b # $(id)", "echo"),
    ("# ls\npwd", "pwd"),
    ("echo \"safe\" #\nrm -rf /", "echo rm"),
    ("echo $# $? $$ $! $- $@ $* $0 $1 ${10}", "echo"),
    ("echo $", "echo"),
    ("echo \"$\" \"a$\"", "echo"),
    ("echo a\"b c\"'d e'f", "echo"),
    ("ls ;\n\n\n pwd", "ls pwd"),
    ("ls &&\n pwd ||\n id", "id ls pwd"),
    ("ls |\n\n cat", "cat ls"),
    ("if true; then ls; fi | cat > x", "cat ls true"),
    ("while read x; do rm $x; done < <(find .)", "find read rm"),
    ("eval \"$(id)\"", "eval id"),
    ("a=b c=d", ""),
    ("${ ls; }", "? ls"),
    ("echo ${#x} ${x^^} ${x,} ${x@Q} ${!x*} ${x[@]:1:2}", "echo"),
    ("echo \"${x:-\"a b\"}\"", "echo"),
    ("echo \"a\\\nb\" 'c\\\nd'", "echo"),
    ("echo $'it\\'s' $\"hi $(id)\"", "echo id"),
    ("tar -cf - . | ssh host 'cd /x && tar xf -'", "ssh tar"),
    ("find . -name '*.c' -exec rm {} \\;", "find"),
    ("ls>x;pwd>>y&&id<z", "id ls pwd"),
    ("a=$(b=$(c))", "c"),
    ("echo \"$(echo \"$(echo \"$(id)\")\")\"", "echo echo echo id"),
    ("echo $(ls # comment )\n)", "echo ls"),
    ("if :; then\n# comment\nls\nfi", ": ls"),
    ("echo 'a\nb' ; ls", "echo ls"),
    ("\tls\t-l", "ls"),
    ("function a-b { ls; }; a-b", "a-b ls"),
    ("alias x='rm'; x y", "alias x"),
    ("x=~/a y=b:~/c ls ~ ~root", "ls"),
];

/// Texts that no shell accepts.
const INVALID: &[&str] = &[
    "if ls; then", "ls )", "(ls", "{ ls", "echo \"a", "echo 'a", "echo `a", "echo $(ls",
    "ls | | cat", "for x in a; ls; done", "case x in a ls;; esac", "&& ls", "ls ;; pwd",
    "while ls; done", "echo a (b)", "f() ls", "echo ${x", "[[ a", "done", "then ls",
];

#[test]
fn every_script_of_the_suite_has_the_commands_that_a_person_sees_in_it() {
    let mut wrong = Vec::new();
    for (script, expected) in SCRIPTS {
        let parsed = parse(script);
        let found = if parsed.problems.is_empty() {
            commands(&parsed.script)
        } else {
            vec!["<invalid>".into()]
        };
        if found.join(" ") != *expected {
            wrong.push(format!("{script:?}: {found:?}, not {expected:?}; {:?}", parsed.problems));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(SCRIPTS.len() >= 120);
}

#[test]
fn what_is_no_command_has_a_problem() {
    let accepted: Vec<_> = INVALID.iter().filter(|text| parse(text).problems.is_empty()).collect();
    assert!(accepted.is_empty(), "{accepted:?}");
}

/// Texts that Bash reads as more than our parser does, or as something else.
const MISREAD: &[&str] = &[
    "$a\\\nb x", "echo @(a|$(id))", "ls x[$(echo a b)]=1", "rm$\\\nIFS", "echo \"$\\\nx\"",
    "{a}-b${c}", ": ${x|&:-$(ls)}", "echo \"${c[@}\" ls", "nc x 444<<<4", "declare ]]a=b",
    "<<<]ls x", "b=()#",
    // Errors to Bash, though it says that they are none where it only looks at a text.
    "[[ -r == o* ]]", "ls; [[ -\\\nr == o* ]]",
];

#[test]
fn what_is_read_only_in_part_has_a_problem() {
    let accepted: Vec<_> = MISREAD.iter().filter(|text| parse(text).problems.is_empty()).collect();
    assert!(accepted.is_empty(), "{accepted:?}");
}

#[test]
fn bash_agrees_on_what_is_a_script() {
    let bash = |text: &str| {
        Process::new("bash")
            .args(["-O", "extglob", "-n", "-c", text])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
    };
    for (script, expected) in SCRIPTS {
        // Bash has `${ …; }` since 5.3.
        if let Ok(status) = bash(script)
            && !script.contains("${ ")
        {
            assert_eq!(status.success(), *expected != "<invalid>", "{script:?}");
        }
    }
    for script in INVALID {
        if let Ok(status) = bash(script) {
            assert!(!status.success(), "{script:?}");
        }
    }
}

/// The first word of every command, sorted.
fn commands(script: &Script) -> Vec<String> {
    let mut words: Vec<String> = shown::commands(script)
        .into_iter()
        .filter(|seen| seen.words > 0)
        .map(|seen| seen.first)
        .collect();
    words.sort();
    words
}
