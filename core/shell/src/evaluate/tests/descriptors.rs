//! What is written by one way and read by another.

use super::removes;

/// Texts each of which removes `/srv/data` when Bash runs it. All of them are followed.
const FOLLOWED: &[&str] = &[
    "{ echo 'rm -rf /srv/data'; echo ls; } > f; bash f",
    "exec >f; echo rm -rf /srv/data; bash f",
    "exec 3>f; echo rm -rf /srv/data >&3; echo ls >&3; bash f",
    "exec 3>f; echo rm -rf /srv/data >/dev/fd/3; bash f",
    "echo rm -rf /srv/data > /dev/fd/1 | sh",
    "echo rm -rf /srv/data >> /dev/fd/1 | sh",
    "echo rm -rf /srv/data &> /dev/fd/1 | sh",
    "echo rm -rf /srv/data > /dev/stdout | sh",
    "echo rm -rf /srv/data > /dev/../dev/fd/1 | sh",
    "cd /dev/fd && echo rm -rf /srv/data > 1 | sh",
    "cd /dev/fd; echo rm -rf /srv/data > 1 | sh",
    "cd /dev/fd; echo rm -rf /srv/data | tee 2 2>&1 >/dev/null | sh",
    "{ echo rm -rf /srv/data; } 2>&1 | sh",
    "echo rm -rf /srv/data > f; cd nowhere 2>> f; sh f",
    "echo rm -rf /srv/data > /proc/self/fd/1 | sh",
    "{ echo rm -rf /srv/data >/dev/fd/2; } 2>&1 | bash",
    "{ echo rm -rf /srv/data >/dev/stderr; } |& bash",
    "{ echo rm -rf /srv/data >&2; } |& bash",
    "{ echo rm -rf /srv/data >&2; } 2>f |& bash",
    "echo rm -rf /srv/data | tee /dev/fd/2 2>&1 >/dev/null | sh",
    "echo rm -rf /srv/data | tee /dev/stderr 2>&1 >/dev/null | sh",
    "{ if [ -f x ]; then exec >/dev/null; fi; echo rm -rf /srv/data; } | sh",
    "{ exec >/missing/f; echo rm -rf /srv/data; } | sh",
    "echo rm -rf /srv/data 1<>f; bash f",
    "echo rm -rf /srv/data > f; exec 3<f; bash < /dev/fd/3",
    "mkdir d; echo rm -rf /srv/data > d/f; cd d; bash f",
    "mkdir d; echo rm -rf /srv/data > d/f; cd d; ./f",
    "mkdir d; echo rm -rf /srv/data > d/f; cd d; . ./f",
    "mkdir d; echo \"import os; os.system('rm -rf /srv/data')\" > d/f; cd d; python3 f",
    "mkdir d; echo rm -rf /srv/data > d/f; mv d e; bash e/f",
    "mkdir d e; echo rm -rf /srv/data > d/f; mv d e; bash e/d/f",
    "mkdir d; echo rm -rf /srv/data > d/f; cp -r d e; bash e/f",
];

/// Texts of which it is told that they cannot be followed.
const REPORTED: &[&str] = &[
    "x=$(echo rm -rf /srv/data >/dev/fd/1); $x",
    "echo rm -rf /srv/data > f; exec 3<f; bash /dev/fd/3",
    "echo rm -rf /srv/data > f; exec 3<f; . /dev/fd/3",
    "grep x $'a\nrm -rf /srv/data\n' 2>&1 >/dev/null | sh",
    // Messages of the shell.
    "cd $'a\nrm -rf /srv/data #' 2>&1 | sh",
    "cd $'a\nrm -rf /srv/data #' |& sh",
    "cd $'a\nrm -rf /srv/data #' 2>/dev/stdout | sh",
    "cd $'a\nrm -rf /srv/data #' 3>&1 2>&3 | sh",
    "x=$(cd $'a\nrm -rf /srv/data #' 2>&1); eval \"$x\"",
    "test 1 -eq $'1\nrm -rf /srv/data #' 2>&1 | sh",
    "[ 1 -eq $'1\nrm -rf /srv/data #' ] 2>&1 | sh",
    "printf %d $'1\nrm -rf /srv/data #' 2>&1 | sh",
    ". $'./a\nrm -rf /srv/data #' 2>&1 | sh",
    "let $'a b\nrm -rf /srv/data #' 2>&1 | sh",
    "{ < $'a\nrm -rf /srv/data #'; } |& sh",
    "{ exec 2>&1; cd $'a\nrm -rf /srv/data #'; } | sh",
    "{ ((1 + $'\nrm -rf /srv/data #')); } 2>&1 | sh",
    "( cd $'a\nrm -rf /srv/data #' ) 2>&1 | sh",
    "f() { cd $'a\nrm -rf /srv/data #'; }; f 2>&1 | sh",
    "echo() { cd $'a\nrm -rf /srv/data #'; }; echo 2>&1 | sh",
    "echo ls 2>&1 > $'a/a\nrm -rf /srv/data #' | sh",
    "echo ls > f; { cd $'a\nrm -rf /srv/data #'; } 2>> f; sh f",
    "{ echo ls; cd $'a\nrm -rf /srv/data #'; } > f 2>&1; sh f",
    "echo ls > f; cat $'a\nrm -rf /srv/data #' 2>> f; sh f",
    "sh <(cd $'a\nrm -rf /srv/data #' 2>&1)",
    // Links to descriptors.
    "ln -s /dev/fd/1 o; echo rm -rf /srv/data > o | sh",
    "ln -s /dev/stdout o; echo rm -rf /srv/data > o | sh",
    "ln -s ../dev/fd/1 o; echo rm -rf /srv/data > o | sh",
    "ln -s ../../dev/fd s/o; echo rm -rf /srv/data > s/o/1 | sh",
    "ln -s /proc/self p; echo rm -rf /srv/data > p/fd/1 | sh",
    "ln -s / r; echo rm -rf /srv/data > r/dev/fd/1 | sh",
    "ln -s /dev d; echo rm -rf /srv/data > d/fd/1 | sh",
    "cp -a /dev/stdout o; echo rm -rf /srv/data > o | sh",
    "cd /dev; cp -a stdout /workspace/o; cd /workspace; echo rm -rf /srv/data > o | sh",
];

/// Texts like these in which there is nothing to tell.
const ORDINARY: &[&str] = &[
    "echo msg > /dev/stderr", "echo msg > /dev/fd/2", "echo msg | tee /dev/stderr | grep x",
    "exec > log; ls; echo done", "ls |& grep x", "ls nowhere 2>&1 >/dev/null | grep x",
    "mkdir d; cd d; ls", "x=$(cd d 2>&1); echo \"$x\"", "test -f a 2>&1 | grep x",
    "{ cd d; ls; } > log 2>&1; cat log", "echo ls 2>&1 | sh", "echo ls > f 2>&1; sh f",
    "printf '%s\n' ls 2>&1 | sh", "ln -s ../shared/a.txt b.txt", "ln -s proc/x y",
    "cp -r src/dev/fd x", "mv x proc",
];

#[test]
fn what_is_written_by_another_way_is_followed() {
    let missed: Vec<_> = FOLLOWED.iter().filter(|text| !removes(text).0).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_is_read_by_a_way_that_is_not_followed_is_reported() {
    let missed: Vec<_> = REPORTED.iter().filter(|text| removes(text) == (false, false)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_is_only_shown_is_not_reported() {
    let reported: Vec<_> = ORDINARY.iter().filter(|text| removes(text) != (false, false)).collect();
    assert!(reported.is_empty(), "{reported:#?}");
}
