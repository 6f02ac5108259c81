use std::process::Command;

use super::{canonical, parse};

fn printed(text: &str) -> Option<String> {
    let parsed = parse::parse(text);
    assert!(parsed.problems.is_empty(), "{text}: {:?}", parsed.problems);
    canonical(text, &parsed.script)
}

#[test]
fn known_words_stand_between_single_quotes() {
    for (text, wanted) in [
        ("ls -l  \"a b\" it\\'s", "'set' '-f'\n'ls' '-l' 'a b' 'it'\\''s'\n"),
        ("r''m $'\\x2drf' x", "'set' '-f'\n'rm' '-rf' 'x'\n"),
        ("A=1 B=\"$C\" cmd $D ${E:-x y}", "'set' '-f'\nA='1' B=\"${C}\" 'cmd' ${D} ${E:-x y}\n"),
        ("cat < a > b 2>&1 | wc", "'set' '-f'\n'cat' < 'a' > 'b' 2>&1 | 'wc'\n"),
        ("a && b || c; d &", "'set' '-f'\n'a' && 'b' || 'c'; 'd' &\n"),
        ("a; b\nc & d", "'set' '-f'\n'a'; 'b'\n'c' & 'd'\n"),
        ("{ a; b\nc; }; d", "'set' '-f'\n{\n'a'; 'b'\n'c'\n}; 'd'\n"),
        ("cat <<E; b\nx\nE\nc", "'set' '-f'\n'cat' <<END; 'b'\nx\nEND\n'c'\n"),
        ("ls *.rs", "'ls' *'.rs'\n"),
        ("cd ~/x # why", "'set' '-f'\n'cd' ~/'x'\n"),
        ("export A=b", "'set' '-f'\nexport A='b'\n"),
        ("cat <<E\n$x \\$y\nE", "'set' '-f'\n'cat' <<END\n${x} \\$y\nEND\n"),
        ("until a; do b; done", "'set' '-f'\nwhile\n! {\n'a'\n}\ndo\n'b'\ndone\n"),
    ] {
        assert_eq!(printed(text).as_deref(), Some(wanted), "{text}");
    }
}

#[test]
fn what_is_not_kept_is_not_printed() {
    for text in [
        "case x in a) b;;& c) d;; esac", "[[ ( a || b ) && c ]]",
        "for ((i=0;i<3;i++)); do a; done", "select x in a b; do c; done", "coproc a",
    ] {
        assert_eq!(printed(text), None, "{text}");
    }
}

#[test]
fn bash_does_the_same_with_what_is_printed() {
    let output = |text: &str| {
        let run = Command::new("bash").args(["--noprofile", "--norc", "-c", text]).output();
        let run = run.expect("bash runs");
        (run.status.code(), String::from_utf8_lossy(&run.stdout).into_owned())
    };
    for text in [
        "echo a 'b  c' \"d $HOME\" e\\ f $'g\\th'",
        "x='a b'; for i in $x \"$x\" {1..3} {p,q}r; do printf '<%s>' $i \"$i\"; done",
        "case abc in x|a*) echo yes;; *) echo no;; esac",
        "if false; then echo 1; elif true; then echo 2; else echo 3; fi",
        "f() { local y=\"$1 z\"; echo \"$y\" \"$#\" \"$@\"; return 3; }; f 'p q' r; echo $?",
        "i=0; while [ $i -lt 3 ]; do echo $((i * 2)); i=$((i+1)); done",
        "i=0; until (( i >= 3 )); do echo $i; (( i++ )); done",
        "cat <<A; cat <<'B'\n$HOME `echo x` \\$y \"q\" \\\\\nA\n$HOME 'z'\nB",
        "echo $(echo \"a $(echo b)\") | { read x; echo \"got $x\"; }",
        "x=abcdef; echo ${x#a} ${x%%e*} ${x/c/Z} ${x:1:3} ${#x} ${x^^} ${y:-d e} \"${y:-'q'}\"",
        "! true; echo $?; true && ! false || echo never; echo done",
        "a=(1 '2 3' 4); echo ${#a[@]} \"${a[1]}\"; for x in \"${a[@]}\"; do echo $x; done",
        "export A='b c'; readonly R=1; declare -i n=3; echo $A $R $n",
        "echo err >&2 2>/dev/null; { echo in; echo out >&2; } 2>&1 | sort",
        "read -r a b <<< 'x y z'; echo \"$b\"; [[ $a == x* ]] && echo match; [[ -n $a ]] && echo full",
        "(cd / && pwd); time true 2>/dev/null; echo ~ ~/x | wc -l",
        "echo \"${x:+$y}\" ${x:=p q} \"$x\"; set -- a 'b c'; echo \"$*\" $2",
    ] {
        let script = printed(text).unwrap_or_else(|| panic!("{text} is not printed"));
        assert_eq!(output(text), output(&script), "{text}\n{script}");
    }
}
