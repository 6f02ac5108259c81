//! What is found in scripts.

mod descriptors;
mod evaluated;
mod words;

use crate::analyse::{Analysis, analyse};
use crate::effect::Effect;
use crate::env::Env;
use crate::invocation::Argument;
use crate::value::Value;

fn analysis(text: &str) -> Analysis {
    analyse(text, &Env::default())
}

/// True if a text runs `rm` recursively and without asking on `/srv/data`, or says that it cannot be
/// told what it runs.
fn removes(text: &str) -> (bool, bool) {
    let analysis = analysis(text);
    let removes = analysis.invocations.iter().any(|invocation| {
        let is = |argument: &Argument, text: &str| argument.value.as_known() == Some(text);
        let program = invocation.program.value.as_known().unwrap_or_default();
        program.rsplit('/').next() == Some("rm")
            && invocation.arguments.iter().any(|argument| is(argument, "-rf"))
            && invocation.arguments.iter().any(|argument| is(argument, "/srv/data"))
    });
    let unknown = !analysis.problems.is_empty()
        || analysis.found.iter().any(|found| {
            let effect = &found.effect;
            matches!(effect, Effect::Dynamic { .. } | Effect::Code { .. })
                || matches!(effect, Effect::EnvironmentInjection { .. })
        });
    (removes, unknown)
}

/// Spellings of `rm -rf /srv/data` that are followed exactly.
const FOLLOWED: &[&str] = &[
    "rm -rf /srv/data",
    "r''m -r\"\"f '/srv/data'",
    "\\r\\m -\\r\\f /s\\rv/da\\ta",
    "$'\\x72\\x6d' $'-\\162f' $'/srv/data'",
    "r\\\nm -r\\\nf /srv/\\\ndata",
    "{rm,-rf,/srv/data}",
    "/bin/rm -rf /srv/data",
    "x=rm; $x -rf /srv/data",
    "x=r y=m; $x$y -rf /srv/data",
    "a='rm -rf /srv/data'; $a",
    "a='rm -rf'; b=/srv; $a $b/data",
    "IFS=,; c=rm,-rf,/srv/data; $c",
    "rm${IFS}-rf${IFS}/srv/data",
    "a=(rm -rf /srv/data); \"${a[@]}\"",
    "a=(rm -rf /srv/data); ${a[*]}",
    "declare -a a=(rm -rf /srv/data); ${a[0]} ${a[1]} ${a[2]}",
    "a[0]=rm; a[1]=-rf; a+=(/srv/data); \"${a[@]}\"",
    "set -- rm -rf /srv/data; \"$@\"",
    "set -- /srv/data; rm -rf \"$1\"",
    "x=mr; ${x:1:1}${x:0:1} -rf /srv/data",
    "x=rmx; ${x%x} -rf /srv/data",
    "x=xrm; ${x#x} -rf /srv/data",
    "x=RM; ${x,,} -rf /srv/data",
    "x=lm; ${x/l/r} -rf /srv/data",
    "y=rm; x=y; ${!x} -rf /srv/data",
    "x=; ${x:-rm} -rf /srv/data",
    "${x:-rm} -rf /srv/data",
    ": ${x:=rm}; $x -rf /srv/data",
    "r${x}m -rf /srv/data",
    "rm $x -rf /srv/data",
    "r$@m -rf /srv/data",
    "$X rm -rf /srv/data",
    "printf -v x rm; $x -rf /srv/data",
    "read x <<< rm; $x -rf /srv/data",
    "read a b c <<< 'rm -rf /srv/data'; $a $b $c",
    "read -r -a a <<< 'rm -rf /srv/data'; \"${a[@]}\"",
    "while read -r line; do $line; done <<< 'rm -rf /srv/data'",
    "mapfile -t a <<< 'rm -rf /srv/data'; ${a[0]}",
    "for x in rm; do $x -rf /srv/data; done",
    "for x in a b /srv/data; do rm -rf $x; done",
    "for x; do :; done; for y in rm\\ -rf; do $y /srv/data; done",
    "if true; then rm -rf /srv/data; fi",
    "if false; then :; else rm -rf /srv/data; fi",
    "while :; do rm -rf /srv/data; break; done",
    "until rm -rf /srv/data; do :; done",
    "case x in y) ;; *) rm -rf /srv/data;; esac",
    "case $x in a) y=rm;; *) y=rm;; esac; $y -rf /srv/data",
    "f() { rm -rf /srv/data; }; f",
    "f() { rm \"$@\"; }; f -rf /srv/data",
    "f() { $1 -rf $2; }; f rm /srv/data",
    "function f { local x=rm; $x -rf /srv/data; }; f",
    "(rm -rf /srv/data)",
    "{ rm -rf /srv/data; }",
    "rm -rf /srv/data &",
    "true && rm -rf /srv/data",
    "false || rm -rf /srv/data",
    "! rm -rf /srv/data",
    "! ! rm -rf /srv/data",
    "time rm -rf /srv/data",
    "ls | rm -rf /srv/data",
    "coproc rm -rf /srv/data",
    "echo $(rm -rf /srv/data)",
    "echo `rm -rf /srv/data`",
    "echo `echo \\`rm -rf /srv/data\\``",
    "echo \"${x:-$(rm -rf /srv/data)}\"",
    "echo $((1 + $(rm -rf /srv/data)))",
    "echo $((rm -rf /srv/data); (ls))",
    "cat <(rm -rf /srv/data)",
    "ls > >(rm -rf /srv/data)",
    "> $(rm -rf /srv/data)",
    "[[ -n $(rm -rf /srv/data) ]]",
    "x='a[$(rm -rf /srv/data)]'; echo $((x))",
    "x='$(rm -rf /srv/data)'; echo ${x@P}",
    "PS4='$(rm -rf /srv/data)'; set -x; ls",
    "cat <<E\n$(rm -rf /srv/data)\nE",
    "cat <<'A' <<B\nx\nA\n$(rm -rf /srv/data)\nB",
    "eval rm -rf /srv/data",
    "eval 'r''m -rf /srv/data'",
    "eval eval eval rm -rf /srv/data",
    "trap 'rm -rf /srv/data' EXIT",
    "trap 'rm -rf \"$x\"' EXIT; x=/srv/data",
    "trap 'rm -rf $x' 0; x=/srv/data; exit",
    "trap 'rm -rf /srv/data' INT TERM",
    "x=$(trap 'rm -rf \"$x\"' EXIT; x=/srv/data); echo $x",
    "sh -c 'trap \"rm -rf /srv/data\" EXIT'",
    "exec rm -rf /srv/data",
    "command rm -rf /srv/data",
    "builtin command rm -rf /srv/data",
    "alias x='rm -rf'; x /srv/data",
    "alias x='set -- rm -rf\n$@'; x /srv/data",
    "alias x='y /srv/data' y='rm -rf'; x",
    "f() { f() { f() { rm -rf /srv/data; }; f; }; f; }; f",
    "hash -p /bin/rm x; x -rf /srv/data",
    ". /dev/stdin <<< 'rm -rf /srv/data'",
    "source <(echo rm -rf /srv/data)",
    "$(echo rm) -rf /srv/data",
    "`echo rm` -rf /srv/data",
    "$(printf '\\x72m') -rf /srv/data",
    "$(echo -e '\\x72m') -rf /srv/data",
    "$(echo mr | rev) -rf /srv/data",
    "$(echo EZ | tr EZ rm) -rf /srv/data",
    "$(which rm) -rf /srv/data",
    "$(command -v rm) -rf /srv/data",
    "$(basename /bin/rm) -rf /srv/data",
    "$(if true; then echo rm; fi) -rf /srv/data",
    "$(cat <<< rm) -rf /srv/data",
    "sh -c 'rm -rf /srv/data'",
    "bash -lc \"rm -rf /srv/data\"",
    "sh -c '$0 -rf $1' rm /srv/data",
    "sh -c '\"$@\"' x rm -rf /srv/data",
    "bash -c 'bash -c \"rm -rf /srv/data\"'",
    "bash +x -c 'rm -rf /srv/data'",
    "bash -o pipefail -c 'rm -rf /srv/data'",
    "$0 -c 'rm -rf /srv/data'",
    "$SHELL -c 'rm -rf /srv/data'",
    "echo rm -rf /srv/data | sh",
    "printf 'rm -rf %s' /srv/data | bash -s",
    "sh <<< 'rm -rf /srv/data'",
    "sh <<E\nrm -rf /srv/data\nE",
    "sh <<'E'\nrm -rf /srv/data\nE",
    "bash <(echo rm -rf /srv/data)",
    "echo cm0gLXJmIC9zcnYvZGF0YQ== | base64 -d | sh",
    "echo cm0gLXJmIC9zcnYvZGF0YQo | base64 --decode | bash",
    "base64 -d <<< cm0gLXJmIC9zcnYvZGF0YQ== | sh",
    "echo 726d202d7266202f7372762f64617461 | xxd -r -p | sh",
    "echo 'atad/vrs/ fr- mr' | rev | sh",
    "echo 'sn -sg /tsw/ebub' | tr a-z b-za | tr a-z z-a | cat - >/dev/null; rm -rf /srv/data",
    "echo 'Xm -rf /srv/data' | sed 's/X/r/' | sh",
    "eval \"$(echo cm0gLXJmIC9zcnYvZGF0YQ== | base64 -d)\"",
    "env echo rm -rf /srv/data | env sh",
    "echo 'rm -rf /srv/data' > /tmp/x; sh /tmp/x",
    "echo 'rm -rf /srv/data' > /tmp/x; . /tmp/x",
    "cat > x.sh <<E\nrm -rf /srv/data\nE\nchmod +x x.sh; ./x.sh",
    "echo 'rm -rf $1' > /tmp/x; bash /tmp/x /srv/data",
    "echo rm -rf /srv/data >> x; echo ls >> x; sh < x",
    "sudo rm -rf /srv/data",
    "sudo -u root -- rm -rf /srv/data",
    "sudo A=b rm -rf /srv/data",
    "doas rm -rf /srv/data",
    "su -c 'rm -rf /srv/data'",
    "su - root -c 'rm -rf /srv/data'",
    "env rm -rf /srv/data",
    "env -i A=b rm -rf /srv/data",
    "env -S 'rm -rf /srv/data'",
    "env -S'rm -rf' /srv/data",
    "env --split-string='rm -rf' /srv/data",
    "nohup rm -rf /srv/data &",
    "nice -n 19 rm -rf /srv/data",
    "nice -19 rm -rf /srv/data",
    "timeout 5 rm -rf /srv/data",
    "timeout --signal=KILL -k 1 5s rm -rf /srv/data",
    "setsid -f rm -rf /srv/data",
    "stdbuf -oL rm -rf /srv/data",
    "ionice -c 3 rm -rf /srv/data",
    "taskset 1 rm -rf /srv/data",
    "chrt -b 0 rm -rf /srv/data",
    "flock /tmp/l rm -rf /srv/data",
    "flock /tmp/l -c 'rm -rf /srv/data'",
    "strace -f -o /dev/null rm -rf /srv/data",
    "unshare -r rm -rf /srv/data",
    "nsenter -t 1 -m rm -rf /srv/data",
    "chroot / rm -rf /srv/data",
    "systemd-run --user rm -rf /srv/data",
    "/lib64/ld-linux-x86-64.so.2 /bin/rm -rf /srv/data",
    "/proc/self/root/bin/rm -rf /srv/data",
    "/bin/r? -rf /srv/data",
    "/b*/rm -rf /srv/data",
    "/???/r[m] -rf /srv/data",
    "busybox rm -rf /srv/data",
    "busybox sh -c 'rm -rf /srv/data'",
    "script -qc 'rm -rf /srv/data' /dev/null",
    "watch -n 1 rm -rf /srv/data",
    "watch -x rm -rf /srv/data",
    "xargs rm -rf <<< /srv/data",
    "echo /srv/data | xargs rm -rf",
    "echo /srv/data | xargs -I{} rm -rf {}",
    "echo rm -rf /srv/data | xargs env",
    "printf '/srv/data\\0' | xargs -0 rm -rf",
    "echo 'rm -rf /srv/data' | xargs -I% sh -c %",
    "find . -maxdepth 0 -exec rm -rf /srv/data ';'",
    "find . -exec sh -c 'rm -rf /srv/data' {} +",
    "parallel rm -rf ::: /srv/data",
    "echo 'rm -rf /srv/data' | at now",
    "at now <<< 'rm -rf /srv/data'",
    "ssh localhost rm -rf /srv/data",
    "ssh -p 22 user@host 'cd / && rm -rf /srv/data'",
    "ssh -o ProxyCommand='rm -rf /srv/data' host",
    "docker run --rm -v /:/host alpine rm -rf /srv/data",
    "kubectl exec -it pod -- rm -rf /srv/data",
    "git -c alias.x='!rm -rf /srv/data' x",
    "git -c core.pager='rm -rf /srv/data' log",
    "git rebase -x 'rm -rf /srv/data' HEAD~2",
    "git submodule foreach 'rm -rf /srv/data'",
    "git bisect run rm -rf /srv/data",
    "tmux new-session -d 'rm -rf /srv/data'",
    "screen -dm rm -rf /srv/data",
    "echo safe #\nrm -rf /srv/data",
    "ls;rm -rf /srv/data",
    "ls&rm -rf /srv/data",
    "exit() { :; }; exit; rm -rf /srv/data",
    "return; rm -rf /srv/data",
    "cd /nowhere || rm -rf /srv/data",
    "cd /srv || exit; rm -rf /srv/data",
    "readonly x=rm; export x=ls; $x -rf /srv/data",
    "readonly x=rm; read x <<< ls; $x -rf /srv/data",
    "readonly x=rm; for x in ls; do $x -rf /srv/data; done",
    "declare -r x=rm\nx=ls\n$x -rf /srv/data",
    "f() { local x=rm; local x; $x -rf /srv/data; }; f",
    "x=rm; x+=(-rf /srv/data); \"${x[@]}\"",
    "echo -n rm -rf /srv/data | sh",
    // What fails ends its line, and the next one runs.
    "{ x=rm; : $((1/0)); x=ls; }\n$x -rf /srv/data",
    "{ x=rm; : ${!y}; x=ls; }\n$x -rf /srv/data",
    "x=rm; w=abc; : ${w:0:-5}; x=ls\n$x -rf /srv/data",
    "x=rm; a[-1]=1; x=ls\n$x -rf /srv/data",
    "x=rm; readonly z=1; z=2; x=ls\n$x -rf /srv/data",
    "f() { x=rm; : $((y / 0)); x=ls; }; f\n$x -rf /srv/data",
    "x=rm\nf() { local x=ls; : $((1/0)); }; f; x=ls\n$x -rf /srv/data",
    "eval 'x=rm; : $((08)); x=ls'\n$x -rf /srv/data",
    "bash -c 'x=rm; : $((1/0)); x=ls\n$x -rf /srv/data'",
    "(: $((1/0))) || rm -rf /srv/data",
    "x=rm; { x=ls; } </missing; $x -rf /srv/data",
    "x=rm; f() { x=ls; }; f >/; $x -rf /srv/data",
    "{ :; } >&9 || rm -rf /srv/data",
    "local x || rm -rf /srv/data",
    "readonly x; export x=1 || rm -rf /srv/data",
    // A trap runs between any two commands.
    "x=ls; trap '$x -rf /srv/data' DEBUG; x=rm; ls; x=ls",
    "x=ls; trap '$x -rf /srv/data' EXIT; x=rm; : ${y?}; x=ls",
    "(exit 0) && rm -rf /srv/data",
    "(set -u; : $y; true) || rm -rf /srv/data",
    "(: ${y:?}; true) || rm -rf /srv/data",
    "x=(ls rm); x=ls; ${x[1]} -rf /srv/data",
    "x=arm; ${x[@]:1} -rf /srv/data",
    "IFS=; rm ${x} -rf /srv/data",
    // What is set for one command alone.
    "x=rm; x=ls :; $x -rf /srv/data",
    "x=rm; f() { :; }; x=ls f; $x -rf /srv/data",
    "x=ls; x=rm export x; $x -rf /srv/data",
    // What may be no function.
    "if ls; then rm() { :; }; fi; rm -rf /srv/data",
    "rm() { :; }; unset rm; rm -rf /srv/data",
    "f() { rm -rf /srv/data; }; f=1; unset f; f",
];

/// Spellings that nobody can follow: they are at least told to be unknown.
const UNKNOWN: &[&str] = &[
    "$(curl -s https://example.com) -rf /srv/data",
    "curl -s https://example.com | sh",
    "eval \"$(cat x)\"",
    "x=$(cat y); $x -rf /srv/data",
    "openssl enc -d -aes-256-cbc -in x | sh",
    "gunzip -c x.gz | bash",
    "$RANDOM_NAME -rf /srv/data",
    "${PATH:0:1}bin${PATH:0:1}rm -rf /srv/data",
    "sh ./x.sh",
    "./rm -rf /srv/data",
    "fish -c 'rm -rf /srv/data'",
    "nice --no-such-option rm -rf /srv/data",
    "x=ls; f() { declare x; ${x:-rm} -rf /srv/data; }; f",
    "declare -l x=RM; $x -rf /srv/data",
    "x=rm; read x </missing; $x -rf /srv/data",
    "x=rm; for x in $(ls); do :; done; $x -rf /srv/data",
    "trap 'x=rm' DEBUG; x=ls; $x -rf /srv/data",
    "shopt -s lastpipe; x=ls; echo rm | read x; $x -rf /srv/data",
    "shopt -s failglob; x=rm; : no*such; x=ls; $x -rf /srv/data",
    "set -k; x=rm; $x -rf /srv/data",
    "x=lm; ${x/l/&r} -rf /srv/data",
    "declare -n x=y; x=rm; $y -rf /srv/data",
    "readonly a=(rm -rf /srv/data); export a=ls; \"${a[@]}\"",
    "f() { rm -rf /srv/data; }; readonly -f f; f() { ls; }; f",
    "if ls; then unset x; else x=ls; fi; \"${x[@]}\" rm -rf /srv/data",
    "x=rm; read \"$y\"; unset \"$y\"; $x -rf /srv/data",
    "echo 'unbalanced",
    "echo $(if true)",
];

#[test]
fn a_removal_is_found_in_every_spelling() {
    let missed: Vec<_> = FOLLOWED.iter().filter(|text| !removes(text).0).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_cannot_be_followed_is_reported() {
    let missed: Vec<_> = UNKNOWN.iter().filter(|text| !removes(text).1).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Texts, one a line, each of which removes `/srv/data` when Bash runs it, however it was kept from
/// what was set last.
const REMOVALS: &str = include_str!("../tests/removals.txt");

#[test]
fn a_removal_behind_what_the_shell_does_on_its_own_is_found_or_reported() {
    let is_missed = |text: &&str| removes(text) == (false, false);
    let missed: Vec<_> = REMOVALS.lines().filter(is_missed).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn words_that_only_look_like_a_removal_are_none() {
    for text in [
        "echo rm -rf /srv/data", "echo 'rm -rf /srv/data' > notes.txt",
        "git commit -m 'rm -rf /srv/data'", "grep -r 'rm -rf /srv/data' .",
        "cat <<'E'\nrm -rf /srv/data\nE", "# rm -rf /srv/data",
        "printf '%s\\n' 'rm -rf /srv/data'", "x='rm -rf /srv/data'; echo \"$x\"",
        "man rm; type rm; command -v rm", "f() { rm -rf /srv/data; }",
        "alias x='rm -rf /srv/data'", "echo 'rm -rf /srv/data' | cat | wc -c", "rm -rf /srv/other",
    ] {
        let (removes, unknown) = removes(text);
        assert!(!removes, "{text}");
        assert!(!unknown, "{text}");
    }
}

/// Rewritings of a command, each of which means the same.
const REWRITINGS: &[fn(&str) -> String] = &[
    |text| format!("( {text} )"),
    |text| format!("{{ {text}\n}}"),
    |text| format!("eval {}", quoted(text)),
    |text| format!("sh -c {}", quoted(text)),
    |text| format!("bash -c {} x y", quoted(text)),
    |text| format!("sudo sh -c {}", quoted(text)),
    |text| format!("env -i A=b sh -c {}", quoted(text)),
    |text| format!("timeout 9 bash -ec {}", quoted(text)),
    |text| format!("sh <<< {}", quoted(text)),
    |text| format!("sh <<'END_OF_IT'\n{text}\nEND_OF_IT"),
    |text| format!("printf %s {} | sh", quoted(text)),
    |text| format!("printf %s {} | base64 -d | sh", data_encoding::BASE64.encode(text.as_bytes())),
    |text| {
        format!(
            "eval \"$(printf %s {} | xxd -r -p)\"",
            data_encoding::HEXLOWER.encode(text.as_bytes())
        )
    },
    |text| format!("f() {{\n{text}\n}}; f"),
    |text| format!("x={}; eval \"$x\"", quoted(text)),
    |text| format!("if true; then\n{text}\nfi"),
    |text| format!("for i in 1; do\n{text}\ndone"),
    |text| format!("while :; do\n{text}\nbreak; done"),
    |text| format!("case a in *)\n{text}\n;; esac"),
    |text| format!("true && {{ {text}\n}}"),
    |text| format!("false || {{ {text}\n}}"),
    |text| format!("echo \"$({text}\n)\""),
    |text| format!("cat <({text}\n)"),
    |text| format!("{{ {text}\n}} > /dev/null 2>&1"),
    |text| format!("trap {} EXIT", quoted(text)),
    |text| format!("echo {} > /tmp/x; bash /tmp/x", quoted(text)),
    |text| format!("find . -exec sh -c {} ';'", quoted(text)),
    |text| format!("ls # {}\n{text}", "x"),
    |text| format!("cd /tmp; {text}"),
    |text| format!("{text} &"),
];

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[test]
fn rewriting_a_removal_up_to_three_times_never_hides_it() {
    let mut hidden = Vec::new();
    for base in ["rm -rf /srv/data", "x=rm; $x -rf /srv/data", "echo /srv/data | xargs rm -rf"] {
        for (at, first) in REWRITINGS.iter().enumerate() {
            let once = first(base);
            if removes(&once) == (false, false) {
                hidden.push(once.clone());
            }
            for (next, second) in REWRITINGS.iter().enumerate() {
                let twice = second(&once);
                // Of the third ones, two for each pair, so that all of them come up.
                for third in [at * 7 + next, at + next * 11].map(|third| third % REWRITINGS.len()) {
                    let thrice = REWRITINGS[third](&twice);
                    if removes(&thrice) == (false, false) {
                        hidden.push(thrice);
                    }
                }
                if removes(&twice) == (false, false) {
                    hidden.push(twice);
                }
            }
        }
    }
    assert!(
        hidden.is_empty(),
        "{} hidden, such as {:#?}",
        hidden.len(),
        &hidden[..hidden.len().min(5)]
    );
}

#[test]
fn fork_bombs_are_found_and_recursion_alone_is_none() {
    let bombs = |text: &str| analysis(text).found.iter().any(|found| found.effect == Effect::Bomb);
    for text in [
        ":(){ :|:& };:", ":(){ :|:& }\n:", "bomb() { bomb | bomb & }; bomb", "f() { f & f & }; f",
        "function f { (f & f); }; f", "f() { if true; then f | f & fi; }; f", "f(){ f& };f",
    ] {
        assert!(bombs(text), "{text}");
    }
    for text in [
        "f() { [ $1 -gt 0 ] && f $(($1 - 1)); }; f 3",
        "walk() { for x in *; do [ -d $x ] && walk $x; done; }; walk",
        "f() { g | cat; }; g() { ls; }; f",
    ] {
        assert!(!bombs(text), "{text}");
    }
}

#[test]
fn the_working_folder_is_followed() {
    for (text, cwds) in [
        ("cd /srv && ls", &["/srv"][..]),
        ("cd /srv; ls", &["/srv", "/workspace"]),
        ("cd /srv || exit 1; ls", &["/srv"]),
        ("cd src/../lib && ls", &["/workspace/lib"]),
        ("(cd /srv && true); ls", &["/workspace"]),
        ("cd && ls", &["/home/user"]),
        ("cd ~/x && cd - && ls", &["/workspace"]),
        ("pushd /srv && popd && ls", &["/workspace"]),
        ("env -C /srv ls", &["/srv"]),
        ("cd /srv && sh -c ls", &["/srv"]),
    ] {
        let analysis = analysis(text);
        let last = &analysis.invocations.iter().rfind(|it| it.program.value == Value::known("ls"));
        let cwd = last.and_then(|invocation| invocation.cwd.possible()).unwrap_or_default();
        assert_eq!(cwd, cwds, "{text}");
    }
}

#[test]
fn limits_are_reported_and_never_hide_what_came_before() {
    let many = "ls x;".repeat(1_500);
    let analysis = analysis(&format!("rm -rf /srv/data; {many}"));
    assert!(!analysis.problems.is_empty());
    assert_eq!(analysis.invocations[0].program.value, Value::known("rm"));
    for text in [
        (0..300).map(|at| format!("ls {at}; ")).collect::<String>(),
        "f() { g; }; g() { h; }; h() { i; }; i() { f; }; f".repeat(2),
        "x=1; while true; do x=$x$x; done".to_owned(),
        "{".repeat(60) + &",a}".repeat(60),
        "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}".to_owned(),
    ] {
        let _ = analyse(&text, &Env::default());
    }
}

#[test]
fn the_deepest_texts_fit_a_small_stack() {
    // A test runs in a thread of 2 MiB, like the workers of an event loop.
    for (open, inside, close) in [
        ("$((", "1", "))"),
        ("$(", "ls", ")"),
        ("( ", "ls", " )"),
        ("{ ", "ls", "; }"),
        ("if ls; then ", "ls", "; fi"),
        ("while ls; do ", "ls", "; done"),
        ("for x in a b; do ", "ls", "; done"),
        ("case x in *) ", "ls", ";; esac"),
        ("f() { ", "ls", "; }"),
        ("\"$(", "ls", ")\""),
        ("${x:-", "ls", "}"),
        ("echo ${x/", "ls", "}"),
        ("{a,", "b", "}"),
        ("@(", "a", ")"),
        ("cat <(", "ls", ")"),
        ("! ", "ls", ""),
        ("time ", "ls", ""),
        ("coproc ", "ls", ""),
        ("time ls | ", "ls", ""),
        ("ls && ", "ls", ""),
        ("ls | ", "ls", ""),
        ("eval ", "ls", ""),
        ("sudo ", "ls", ""),
        ("sh -c ", "ls", ""),
        ("((a=", "1", "))"),
        ("[[ ( ", "a", " ) ]]"),
        ("a[", "1", "]=2"),
        ("`", "ls", "`"),
        ("cat <<E\n$(", "ls", ")\nE\n"),
    ] {
        for depth in [8, 12, 24, 31, 63, 99, 900] {
            let text = open.repeat(depth) + inside + &close.repeat(depth);
            let _ = analysis(&text);
            let _ = analysis(&open.repeat(depth));
        }
    }
    // Quotes within quotes grow fourfold.
    let nested = (0..5).fold("ls".to_owned(), |text, _| format!("sh -c {}", quoted(&text)));
    assert!(analysis(&nested).problems.is_empty());
    let wrapped = format!("{}ls", "sudo ".repeat(9));
    assert!(!analysis(&wrapped).problems.is_empty());
}

#[test]
fn the_names_of_wrappers_are_those_of_their_tables() {
    let mut names: Vec<&str> = super::wrappers::names().collect();
    names.sort_unstable();
    assert_eq!(names, crate::names::WRAPPERS);
}
