//! What words become, and how many.

use super::analysis;
use crate::analyse::analyse;
use crate::env::{Env, Shell};
use crate::invocation::Invocation;
use crate::value::Value;

/// Scripts that write what words become. All of it is known.
const EXPANSIONS: &[&str] = &[
    r"printf '<%s>' a 'b c' d\ e $'f\tg' h''i",
    r#"x='a  b'; printf '<%s>' $x "$x" x${x}y "x${x}y""#,
    r#"x=' a b '; printf '<%s>' $x c$x"d"$x"#,
    r#"IFS=:; x='a:b::c:'; printf '<%s>' $x "$x""#,
    r#"IFS=': '; x=' a : b:c '; printf '<%s>' $x"#,
    r#"IFS=; x='a b'; printf '<%s>' $x"#,
    r#"x=; printf '<%s>' a $x b "$x" c"#,
    r#"set -- a 'b c' ''; printf '<%s>' "$@"; printf '<%s>' $@; printf '<%s>' "$*"; printf '<%s>' $*"#,
    r#"set -- a 'b c'; printf '<%s>' "x$@y"; echo $# "$2""#,
    r#"set -- a b c d; shift 2; echo "$1$#"; printf '<%s>' "${@:2}" "${@:1:1}""#,
    r#"IFS=,; set -- a b; printf '<%s>' "$*" $*"#,
    r#"a=(x 'y z'); printf '<%s>' "${a[@]}" ${a[@]} "${a[*]}" "${a[1]}" ${#a[@]} "$a""#,
    r#"a=(x y); a+=(z); a[1]=Y; printf '<%s>' "${a[@]}" "${a[@]:1:2}""#,
    r#"printf '<%s>' {a,b}{1..3} x{1..10..4}y {c..a} {01..3} {a,} '{a,b}' {a\,b} {a} {} a{b,c"#,
    r#"printf '<%s>' a{b,{c,d},"e f"}g {$HOME,x} "{a,b}" {a,b}\,c"#,
    r#"x=/a/b/c.tar.gz; printf '<%s>' ${x#*/} ${x##*/} ${x%.*} ${x%%.*} ${x#z} ${x%/*}"#,
    r#"x=banana; printf '<%s>' ${x/a/o} ${x//a/o} ${x/#b/B} ${x/%a/A} ${x//an} ${x/n*/X} ${x//[an]/-}"#,
    r#"x=banana; printf '<%s>' ${x:2} ${x:1:3} ${x: -2} ${x:0:-1} ${#x} ${x^} ${x^^} "${x:2:0}""#,
    r#"x=BaN; printf '<%s>' ${x,} ${x,,} ${x@U} ${x@L}"#,
    r#"x=; y=v; printf '<%s>' "${x:-d e}" ${x:-d e} "${x-d}" "${y:-d}" "${y:+alt}" "${x:+alt}" "${x+set}"; z=; echo ${z:=new} $z"#,
    r#"x=; printf '<%s>' "${x:-'a'}" ${x:-'a b'} "${x:-"a b"}" ${x:-"a b" c} "${x:-a\}b}""#,
    r#"y=v; x=y; printf '<%s>' ${!x}"#,
    r#"echo $((1 + 2 * 3)) $(( (4 - 2) * 5 )) $((7 / 2)) $((0x10)) "$((3 % 2))""#,
    r#"x=3; echo $((x * 2)) $(($x + 1))"#,
    r#"echo "a\$b\`c\"d\\e\f" 'a\b' a\bc"#,
    "echo a\\\nb \"c\\\nd\" 'e\\\nf'",
    r#"echo $(echo a; echo b) "$(echo a; echo b)" `echo c` "`echo "d e"`""#,
    r#"echo `echo \`echo x\`` `echo \\\\a` "`echo \$HOME`""#,
    r#"echo "$(printf 'a\n\n\n')"x"#,
    "cat <<E\na $((1+1)) $(echo b) \\$c `echo d` \"e\" 'f' \\\\g \\h\nE",
    "cat <<'E'\na $b `c` \\d\nE",
    "cat <<-E\n\ta\n\t\tb\n\tE\n",
    "x=v; y=; cat <<E\n${x} ${y:-d e} \"${x}\"\\\nz\nE",
    r#"cat <<< "a  b"; x='c  d'; cat <<< $x"#,
    r"echo -e 'a\tb\x41\101\n'c; echo -n d; echo -en 'e\c'; echo f",
    r"printf '%s|%5s|%-5s|%05d|%x|%c|%%\n' a b c 42 255 xyz",
    r"printf '%b' 'a\tb\0101\x42'; printf '\103\x44\n'",
    r"printf '%s,' a b c; printf '%s-%s;' 1 2 3; printf 'x\n'",
    r"printf -v x '%s-%s' a b; echo $x",
    r#"read a b <<< 'x  y z'; echo "<$a><$b>""#,
    r#"IFS=: read -r a b c <<< 'x:y z:w:v'; echo "<$a><$b><$c>""#,
    r#"while read -r a; do echo "<$a>"; done <<< $'1 2\n3'"#,
    r#"read -ra a <<< 'x y z'; echo ${#a[@]} ${a[1]}"#,
    r#"mapfile -t a <<< $'x y\nz'; echo "<${a[0]}><${a[1]}>""#,
    r#"for x in a 'b c' {1..3}; do echo "<$x>"; done"#,
    r#"f() { echo "<$1><$2>" $#; }; f a 'b c'; f"#,
    r#"f() { x=2; return; x=3; }; x=1; f; echo $x; (x=4); echo $x"#,
    r#"x=1; { x=2; }; echo $x; x=3 true; echo $x"#,
    r#"for x in a b c; do [ x = y ]; if true; then continue; fi; echo no; done; echo $x"#,
    r#"for x in a b c; do break; done; echo $x"#,
    r#"true && echo a; false || echo b; ! false && echo c; true || echo d; false && echo e; echo f"#,
    r#"if false; then echo a; elif true; then echo b; else echo c; fi"#,
    r#"echo abc | rev; echo abc | tr a-c x-z; echo abc | tr -d b; echo YWJj | base64 -d; echo a b | cat"#,
    r#"echo 616263 | xxd -r -p; printf 'a\nb\n' | tac; echo abc | sed 's/b/X/'; echo aXbX | sed s/X/_/g"#,
    r#"basename /a/b.c .c; basename a/; dirname /a/b/c; dirname a; dirname /a"#,
    r#"echo abcdef | cut -c 2-4; printf 'a\nb\n' | head -n 1; seq 1 3"#,
    r#"echo a > /dev/null; { echo b; echo c; } 3>&1; (echo d)"#,
    r#"bash -c 'echo "$0:$1:$#"' x y z; A=5 sh -c 'echo $A'; env B=6 sh -c 'echo $B'"#,
    r#"echo 'echo hi $1' | bash -s there"#,
    r#"eval 'x=1;' 'echo $x'; eval "echo \$x""#,
    r#"x='a*b'; echo "$x"; set -f; echo $x; echo [a]"#,
    r#"case abc in a*) echo y;; esac | cat"#,
    r#"x=a; x+=b; x+="c d"; echo "$x""#,
    r#"unset x; echo "<${x-unset}>"; x=; echo "<${x-unset}>""#,
    r#"f() { local x=1 y; y=2; z=3; echo $x$y; }; x=o; y=p; f; echo $x$y$z"#,
    r#"f() { local x=$1; g; echo $x; }; g() { x=2; }; x=0; f 1; echo $x"#,
    r#"local_() { local x=in; echo $x; }; x=out; local_; "#,
    r#"a='echo hi'; $a there"#,
    r#"echo ~/x ~ "~" a~ x=~/y"#,
    r#"echo y=b:~/c y+=~ b:~ /x=~ y==~:~ "a\$" "~/x\$" "b$""#,
    r#"echo ~: ~:/x x~: ~/{a,b} {~/a,b} x={~,a}"#,
    r#"declare -i n=1+2; n+=4; unset n; n=1+2; echo $n"#,
    r#"declare -i n=1+2; echo $n; n=n*2; echo $n; declare +i n; n=1+2; echo $n"#,
    r#"x=out; f() { declare x; echo "<${x-unset}>"; local x=in; local x; echo $x; }; f; echo $x"#,
    r#"IFS=1; echo $((5 + 6)) x; echo "$((5 + 6))" x"#,
    r#"x=() y=(a b) z=(""); printf '<%s>' "${x[@]-one}" "${x[@]:-one}" "${y[@]+one}" "${y[*]-one}""#,
    r#"x=() y=(a b) z=(""); printf '<%s>' "${y[@]-one}" "${y[@]:-one}" "${z[@]+one}" "${z[@]:-one}""#,
    r#"x=(); printf '<%s>' a "${x[@]+one}" "${@+one}" "${@-one}" b"#,
    r#"x=a; x+=(b c); echo "${x[@]}"; x[0]=d; echo "${x[*]}""#,
];

/// Scripts whose last command has a word that may be none.
const PERHAPS_NONE: &[&str] = &[
    "show_it \"${x[@]}\"",
    "export x; show_it \"${x[@]}\"",
    "if ls; then unset x; else x=y; fi; show_it \"${x[@]}\"",
    "if ls; then x=y; fi; show_it \"${x[@]}\"",
    "while ls; do unset x; done; show_it \"${x[@]}\"",
    "x=$RANDOM; show_it ${x:1}",
    "x=$RANDOM; show_it ${x%1}",
    "IFS=1; show_it $((RANDOM))",
    "declare -i x=$RANDOM; IFS=1; show_it $x",
];

#[test]
fn a_word_that_may_be_none_is_taken_to_be_many() {
    for script in PERHAPS_NONE {
        let analysis = analysis(script);
        let last = analysis.invocations.last().unwrap();
        assert_eq!(last.program.value, Value::known("show_it"), "{script}");
        assert!(last.arguments[0].many, "{script}: {:?}", last.arguments);
    }
}

#[test]
fn what_echo_writes_is_known_as_far_as_its_words_are() {
    let written = |script: &str| {
        let analysis = analysis(&format!("show_it \"$({script})\""));
        let show = |it: &&Invocation| it.program.value == Value::known("show_it");
        analysis.invocations.iter().find(show).unwrap().arguments[0].value.clone()
    };
    assert_eq!(written("echo a \"${x[@]}\"").prefix(), "a");
    assert_eq!(written("echo a \"$x\" \"${y[@]}\"").prefix(), "a ");
    assert_eq!(written("x=$(ls) || x=-n; echo -$x").prefix(), "");
    assert_eq!(written("if ls; then x=-n; else x=a; fi; echo $x b").possible(), None);
}

#[test]
fn words_become_what_bash_makes_of_them() {
    let mut wrong = Vec::new();
    for script in EXPANSIONS {
        let Ok(output) = std::process::Command::new("bash")
            .args(["--norc", "--noprofile", "-c", script])
            .env_clear()
            .envs([("HOME", "/home/user"), ("PATH", "/usr/bin:/bin")])
            .current_dir("/")
            .output()
        else {
            return;
        };
        let text = String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned();
        let env = Env { shell: Shell::Bash, ..Env::default() };
        let analysis = analyse(&format!("show_it \"$({script}\n)\""), &env);
        let show = |it: &&Invocation| it.program.value == Value::known("show_it");
        let found = analysis.invocations.iter().find(show).map(|it| it.arguments[0].value.clone());
        if found != Some(Value::Known(text.clone())) {
            wrong.push(format!(
                "{script}\n  bash {text:?}\n  ours {found:?} {:?}",
                analysis.problems
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), EXPANSIONS.len(), wrong.join("\n"));
}
