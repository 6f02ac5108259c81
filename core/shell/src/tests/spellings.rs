//! Commands as developers write them, and harm in spellings that no labelled row has.

use super::corpus::{strict, workspace};
use crate::{Decision, Env, check};

/// A command on each line, by ecosystem: tests, linters, builds, questions. None installs anything.
const ORDINARY: &str = include_str!("ordinary.txt");

/// A command on each line that is harm, or may be.
const HARMFUL: &str = include_str!("harmful.txt");

/// Texts, one a line, each of which removes a folder when Bash runs it.
const REMOVALS: &str = include_str!("removals.txt");

/// What is written and then run by the same text.
const WRITTEN: &[&str] = &[
    "printf '#!/bin/sh\\necho hi\\n' > run.sh && chmod +x run.sh && ./run.sh",
    "printf '#!/usr/bin/env python3\\nprint(1)\\n' > x; chmod +x x; ./x a b",
    "echo 'npm test' > ci.sh; chmod 755 ci.sh; ./ci.sh",
    "cat > x.py <<'E'\nimport json\nprint(json.dumps([1]))\nE\npython3 x.py",
    "cat > tests/test_add.py <<'E'\nfrom app import add\n\ndef test_add():\n    assert add(1, 2) == 3\nE\npytest -q",
    "cat > x.test.js <<'E'\nconst add = require('./add')\ntest('adds', () => expect(add(1, 2)).toBe(3))\nE\nnpx jest",
    "echo 'console.log(1)' > x.js; node x.js",
    "cd web; npm test",
    "cd build; make -j4",
    "if [ -f .env ]; then echo yes; fi",
];

/// A text on each line that is no harm, as people and their tools write it: it may be asked about.
const HARMLESS: &str = include_str!("harmless.txt");

/// The texts that one of the profiles judges so.
fn judged<'a>(texts: impl Iterator<Item = &'a str>, is: fn(Decision) -> bool) -> Vec<&'a str> {
    let profiles = [strict(), workspace()];
    let judges = |text: &&str| {
        profiles.iter().any(|settings| is(check(text, &Env::default(), settings).verdict))
    };
    texts.filter(judges).collect()
}

const NONE: [&str; 0] = [];

#[test]
fn what_is_no_harm_is_never_denied() {
    assert_eq!(judged(HARMLESS.lines(), |verdict| verdict == Decision::Deny), NONE);
}

#[test]
fn what_is_written_before_it_runs_is_looked_at() {
    let asked =
        |text: &&&str| check(text, &Env::default(), &workspace()).verdict != Decision::Allow;
    let asked: Vec<&&str> = WRITTEN.iter().filter(asked).collect();
    assert_eq!(asked, <[&&str; 0]>::default());
}

/// Harm that what stands around it might stop, or leave only a part of.
const PERHAPS: &[&str] = &[
    "timeout 5 cat <<'E' | bash\nsu root\nE",
    "timeout --signal=KILL 1m printf '%s\\n' 'doas reboot' | sh",
    "busybox timeout 5 echo -rf / | xargs rm",
    "timeout 5 printf '%s\\n' --size=0 /etc/passwd | xargs -n 99 truncate",
    "timeout 5 printf '/srv/data\\n' | xargs -I% rm -rf %",
    "timeout 5 echo \"import shutil;shutil.rmtree('/srv/data')\" | python3",
    "{ echo 'rm -rf /srv/data'; kill 0; } | sh",
    "bash <(timeout 5 echo rm -rf /srv/data)",
    "while read x; do echo 'rm -rf /srv/data'; done | sh",
    "`echo kill` ${none:=-KILL} 1234",
    "printf '%s ' ${none:=-s} 9 -1 | xargs kill",
    "printf '%s\\n' -R nobody / | xargs $(printf %s%s - n) 99 chown",
    "printf %s /dev/sda | xargs $(printf %s%s - I%) cp /dev/zero %",
];

#[test]
fn harm_that_may_be_stopped_midway_is_denied() {
    assert_eq!(judged(PERHAPS.iter().copied(), |verdict| verdict != Decision::Deny), NONE);
}

#[test]
fn no_removal_is_allowed() {
    assert_eq!(judged(REMOVALS.lines(), |verdict| verdict == Decision::Allow), NONE);
}

#[test]
fn ordinary_work_of_every_ecosystem_is_mostly_allowed() {
    let commands = || ORDINARY.lines().filter(|line| !line.starts_with("# "));
    for (settings, least) in [(strict(), 85), (workspace(), 95)] {
        let allows =
            |line: &&str| check(line, &Env::default(), &settings).verdict == Decision::Allow;
        let share = commands().filter(allows).count() * 100 / commands().count();
        assert!(share >= least, "{share} of a hundred");
    }
}

#[test]
fn harm_in_other_spellings_is_never_allowed() {
    assert_eq!(judged(HARMFUL.lines(), |verdict| verdict == Decision::Allow), NONE);
}
