//! What a shell evaluates though it is a value, and what it does with names of its own.

use super::removes;

/// Texts each of which removes `/srv/data` when Bash runs it. All of them are followed.
const FOLLOWED: &[&str] = &[
    // A value in parentheses is code where it becomes an array.
    "declare -a a='($(rm -rf /srv/data))'",
    "declare -a 'a=($(rm -rf /srv/data))'",
    "declare -a 'a+=($(rm -rf /srv/data))'",
    "declare -a 'a[0]=($(rm -rf /srv/data))'",
    "a=(1); declare a='($(rm -rf /srv/data))'",
    "declare -a a; declare a='($(rm -rf /srv/data))'",
    "declare -A a; declare a='([$(rm -rf /srv/data)]=1)'",
    "declare 'DIRSTACK=($(rm -rf /srv/data))'",
    "x='($(rm -rf /srv/data))'; export -a a=$x",
    "x='a=($(rm -rf /srv/data))'; declare -a \"$x\"",
    "readonly -a a='($(rm -rf /srv/data))'",
    "x='([$(rm -rf /srv/data)]=1)'; declare -A a=$x",
    "x='($(rm -rf /srv/data))'; f() { local -a a=$x; }; f",
    "f() { local -a a; local a='($(rm -rf /srv/data))'; }; f",
    "a=(1); f() { declare -g a='($(rm -rf /srv/data))'; }; f",
    "k='x[$(rm -rf /srv/data)]'; declare -a a='([k]=1)'",
    "if ls; then x='(1)'; else x='($(rm -rf /srv/data))'; fi; declare -a a=\"$x\"",
    // What is declared is one of several.
    "x=rm; if ls; then y=a; else y=b; fi; f() { local x=$y; }; f; $x -rf /srv/data",
    // The operand of all arguments at once.
    "echo ${@:?$(rm -rf /srv/data)}",
    "echo ${@?$(rm -rf /srv/data)}",
    "echo ${*:?`rm -rf /srv/data`}",
    "f() { echo ${@:?$(rm -rf /srv/data)}; }; f",
    "a=(); echo ${a[@]:=$(rm -rf /srv/data)}",
    "a=(); ${a-rm} -rf /srv/data",
    "a=(x); ${a[5]-rm} -rf /srv/data",
    // Numbers are evaluated.
    "HISTCMD='a[$(rm -rf /srv/data)]'",
    "BASHPID='a[$(rm -rf /srv/data)]'",
    "SRANDOM='a[$(rm -rf /srv/data)]'",
    "read HISTCMD <<< 'a[$(rm -rf /srv/data)]'",
    "for HISTCMD in 'a[$(rm -rf /srv/data)]'; do :; done",
    "declare HISTCMD='a[$(rm -rf /srv/data)]'",
    "export HISTCMD='a[$(rm -rf /srv/data)]'",
    "mapfile HISTCMD <<< 'a[$(rm -rf /srv/data)]'",
    "mapfile SECONDS <<< 'a[$(rm -rf /srv/data)]'",
    "RANDOM+='a[$(rm -rf /srv/data)]'",
    "export RANDOM+='a[$(rm -rf /srv/data)]'",
    "BASHPID[0]='a[$(rm -rf /srv/data)]'",
    "select OPTIND in 'a[$(rm -rf /srv/data)]'; do break; done <<< 1",
    "declare -ai x=(1); x[0]='a[$(rm -rf /srv/data)]'",
    "declare -Ai x; x[k]='a[$(rm -rf /srv/data)]'",
    "declare -Ai x; declare x[k]='a[$(rm -rf /srv/data)]'",
    "declare -i x; if ls; then y=1; else y='a[$(rm -rf /srv/data)]'; fi; x=$y",
    "declare -i x; read 'x[0]' <<< 'a[$(rm -rf /srv/data)]'",
    "declare -i OPTARG; getopts a: o -a 'b[$(rm -rf /srv/data)]'",
    // An index is, too, and what it names.
    "k='a[$(rm -rf /srv/data)]'; test -v y[k]",
    "k='a[$(rm -rf /srv/data)]'; : {y[k]}>&1",
    "f() { [ ! -v $1 ]; }; f 'a[$(rm${IFS}-rf${IFS}/srv/data)]'",
    "declare -A x; k='$(rm${IFS}-rf${IFS}/srv/data)'; test -v x[$k]",
    "k='a[$(rm -rf /srv/data)]'; let z=y[k]",
    "k='a[$(rm -rf /srv/data)]'; unset y[k]",
    "k='a[$(rm -rf /srv/data)]'; read y[k] <<< 1",
    "x='a[$(rm -rf /srv/data)]'; : ${!x:-1}",
    "x='$(rm -rf /srv/data)'; a=([x[$x]]=1)",
    // Only a shell that one logs in to ends.
    "logout; rm -rf /srv/data",
    "logout || rm -rf /srv/data",
    // What Bash lets nobody set ends the line alone.
    "UID=1; exit\nrm -rf /srv/data",
    "EUID=1; exit\nrm -rf /srv/data",
    "PPID=1; exec ls\nrm -rf /srv/data",
    "BASH_VERSINFO=1; exit\nrm -rf /srv/data",
    "BASHOPTS=1; exit\nrm -rf /srv/data",
    "SHELLOPTS=1; exit\nrm -rf /srv/data",
    "f() { UID=1; exit; }; f\nrm -rf /srv/data",
];

/// Texts of which it is told that they cannot be followed, or what they change.
const REPORTED: &[&str] = &[
    // What is declared is split by some shells.
    "y='rm -rf /srv/data'; export x=$y; $x",
    "y='rm -rf /srv/data'; declare x=$y; $x",
    "y='rm -rf /srv/data'; f() { local x=$y; $x; }; f",
    "declare -a a=\"$X\"",
    "if ls; then o=-a; else o=-A; fi; declare $o a='($(rm -rf /srv/data))'",
    "enable -n exit; exit; rm -rf /srv/data",
    "x='rm -rf /srv/data'; enable -n read; read x <<< ls; $x",
    "enable -n true; true || rm -rf /srv/data",
    "hash -p/tmp/x/evil ls; ls",
    "hash -lp /tmp/x/evil ls; ls",
    "hash -rp /tmp/x/evil ls; ls",
    "hash $X /tmp/x/evil ls; ls",
    "x='rm -rf /srv/data'; UID=1; x=ls\n$x",
    "for UID in 1; do exit; done; rm -rf /srv/data",
    "unset PATH; x=PATH; : ${!x:=/tmp/evilbin}; ls",
    "x=LD_PRELOAD; : ${!x:=/tmp/evil.so}; ls",
    "x=y; : ${!x:='rm -rf /srv/data'}; $y",
    ": ${!X:=rm}; $y -rf /srv/data",
];

/// Texts like these in which there is nothing to tell.
const ORDINARY: &[&str] = &[
    "declare -a files=(a b); for f in \"${files[@]}\"; do echo \"$f\"; done",
    "declare -A m; m[a]=1; m[b]=2; for k in \"${!m[@]}\"; do echo \"$k ${m[$k]}\"; done",
    "UID=1 ls",
    "export UID; ls; echo \"$UID\"",
    "for v in FOO BAR; do echo \"${!v:-unset}\"; done",
    "f() { local name=$1; echo \"${!name:-}\"; }; f HOME",
    "for c in git node; do hash \"$c\" 2>/dev/null || echo \"missing $c\"; done",
    "declare -i n=0; n+=1; n=n+1; echo $n",
    "SECONDS=0; ls; echo \"$SECONDS\"",
    "[ -f src/[a-m]*.rs ] && ls",
    "set -- a; echo \"${@:?no arguments}\"",
    "while getopts ab: o; do case $o in a) echo a;; b) echo \"$OPTARG\";; esac; done",
    "typeset -i i; for ((i=0;i<3;i++)); do echo $i; done",
];

#[test]
fn a_value_that_is_evaluated_is_followed() {
    let missed: Vec<_> = FOLLOWED.iter().filter(|text| !removes(text).0).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_changes_names_of_the_shell_is_reported() {
    let missed: Vec<_> = REPORTED.iter().filter(|text| removes(text) == (false, false)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_is_no_code_is_not_reported() {
    let reported: Vec<_> = ORDINARY.iter().filter(|text| removes(text) != (false, false)).collect();
    assert!(reported.is_empty(), "{reported:#?}");
}
