//! Options whose values are places, programs or lists of more words.

use crate::Env;
use crate::decision::Decision;
use crate::judge::check;
use crate::settings::Settings;

fn decided(text: &str, profile: &str) -> Decision {
    let settings: Settings =
        serde_json::from_str(&format!(r#"{{"profile": "{profile}"}}"#)).unwrap();
    check(text, &Env::default(), &settings).verdict
}

const NOT_ALLOWED: &[&str] = &[
    "git config core.hooksPath /tmp/x --get",
    "git config alias.st '!id' --get",
    "git config core.fsmonitor ./x.sh --list",
    "git -c gc.recentObjectsHook='id' prune -n",
    "git config gc.recentObjectsHook id",
    "git config lfs.customtransfer.x.path ./evil",
    "git config lfs.extension.x.clean ./evil",
    "git config branch.main.remote 'ext::id'",
    "git config branch.x.mergeoptions '-s evil'",
    "git config core.hooksPath less",
    "git --config-env=core.pager=cat log",
    "mkdir -p b/objects b/refs; echo 'ref: refs/heads/main' > b/HEAD; printf '[core]\\n\\tfsmonitor = /workspace/evil\\n' > b/config; git -C b status",
    "git init --bare b; echo x >> b/config; cd b && git status",
    "git -C /tmp/evil status",
    "cd /tmp/evil && git status",
    "git bisect view gitevil",
    "git bisect visualize push origin main",
    "git merge -s evil x",
    "git rebase -s evil main",
    "git cherry-pick --strategy=evil x",
    "nm --plugin=./evil.so a.o",
    "ar rcs x.a a.o --plugin=./evil.so",
    "ranlib --plugin ./evil.so lib.a",
    "strip --plugin=./evil.so a",
    "objdump --plugin=./evil.so -d a.o",
    "nm @f",
    "size @/etc/shadow",
    "c++filt @f",
    "zip x.zip f -TTsh",
    "zip x.zip f -T '-TTsh -c id'",
    "zip x.zip f -lf .git/hooks/pre-commit",
    "cloc --vcs='id; git ls-files' .",
    "tmux display-message -p '#(rm -rf /home/user)'",
    "tmux ls -F '#(id)'",
    "tmux ls \\; run-shell id",
    "tar xf a.tar -C /home/user -C .",
    "tar xf a.tar -C . --one-top-level=/home/user/.config",
    "tar xf b.tar -C .git",
    "tar cf - -C /home/user .bash_history -C /workspace x",
    "unzip a.zip -d .git",
    "git checkout-index -a -f --prefix=/home/user/.config/",
    "git checkout-index -a -f --prefix=.git/hooks/",
    "git worktree move a /home/user/.config/x",
    "sed -i'/home/user/.config/*' s/x/y/ a",
    "sed -i'.git/hooks/*' s/x/y/ pre-commit",
    "perl -i'/home/user/.config/*' -pe 's/x/y/' a",
    "csplit -f '' -b '.git/hooks/pre-commit%.0d' f 1",
    "csplit -b '/home/user/.config/x%d' -f '' f 1",
    "mktemp -p . ../../home/user/.bashrcXXXX",
    "mktemp -p /home/user/.config",
    "git diff /dev/null ~/.ssh/id_rsa",
    "git diff /dev/null .env",
    "echo ~/.ssh/id_rsa | git hash-object -w --stdin-paths | git cat-file --batch",
    "rsync a b --copy-dest=/home/user/.ssh",
    "rsync a b --link-dest=../../home/user/.ssh",
    "rsync -a -f'. /home/user/.ssh/id_rsa' a b",
    "scc -o ~/.bashrc",
    "coredumpctl dump -o /home/user/.bashrc 123",
    "script -qc ls /home/user/.bashrc",
    "script -qc ls .git/hooks/pre-commit",
    "echo '$AWS_SECRET_ACCESS_KEY' | envsubst '$AWS_SECRET_ACCESS_KEY'",
    "awk 'BEGIN{ARGV[1]=\"/home/user/.ssh/id_rsa\";ARGC=2}{print}'",
    "awk 'BEGIN{ARGV[ARGC++]=\"/home/user/.ssh/id_rsa\"}{print}'",
    "awk 'BEGIN{sub(/x/,\"/etc/shadow\",ARGV[1])}{print}' x",
    "gawk -l ./evil 'BEGIN{}'",
    "gawk -Dcmds 'BEGIN{}'",
    "mawk -Wexec=/tmp/x",
    "patch -d /home/user .bashrc x.patch",
    "find -files0-from list -delete",
    "busctl --address=unixexec:path=/tmp/x list",
];

const ALLOWED: &[&str] = &[
    "git config --get core.hooksPath",
    "git config get user.name",
    "git config --list --show-origin",
    "git config user.name x",
    "git config gc.auto 0",
    "git config branch.main.remote origin",
    "git config branch.main.merge refs/heads/main",
    "git config lfs.locksverify true",
    "git config core.pager 'less -S'",
    "git merge -s ours x",
    "git merge --no-ff feature",
    "git rebase main",
    "git bisect view --stat",
    "git bisect good",
    "git diff main..HEAD -- src/a.rs",
    "git diff HEAD~1 a.rs b.rs",
    "git -C sub status",
    "cd sub && git log --oneline -5",
    "cd \"$(git rev-parse --show-toplevel)\" && git status",
    "mkdir -p src && echo x > config && git add config && git status",
    "echo x > src/hooks/useX.ts && git add -A",
    "git checkout-index -a --prefix=out/",
    "git hash-object a.rs",
    "nm -gC lib.so",
    "size a.out",
    "objdump -d a.out",
    "readelf -h a.out",
    "ar rcs libx.a x.o y.o",
    "c++filt _Z1fv",
    "zip -r out.zip src -x .env '*.pyc'",
    "zip -qr9 out.zip src",
    "cloc --vcs=git .",
    "scc --format json src",
    "tokei src",
    "tmux ls",
    "tmux display-message -p '#S'",
    "tar xzf a.tgz -C out",
    "tar xf a.tar --strip-components=1 -C out",
    "tar czf out.tgz -C build .",
    "tar czf out.tgz --transform 's,^,x/,' src",
    "sed -i.bak s/x/y/ a.txt",
    "sed -i s/x/y/ src/a.rs",
    "perl -i.bak -pe 's/x/y/' a.txt",
    "csplit -f part log.txt /x/",
    "csplit -b '%02d.txt' log.txt /x/",
    "mktemp -d",
    "mktemp -p out x.XXXX",
    "rsync -a --exclude=target src/ out/",
    "rsync -a -f'- *.o' src/ out/",
    "script -qc ls /dev/null",
    "envsubst '$HOST' < a.tmpl > a.txt",
    "awk '{print $1}' a.txt",
    "awk 'BEGIN{for(i=1;i<ARGC;i++) print ARGV[i]}' a b",
    "awk 'FNR==NR{a[$1];next} $1 in a' x y",
    "FOO=1; declare -p FOO",
    "patch -p1 < x.patch",
    "coredumpctl list",
];

#[test]
fn where_options_lead_is_judged() {
    let mut wrong: Vec<&str> = Vec::new();
    for text in NOT_ALLOWED {
        if ["strict", "workspace"].iter().any(|one| decided(text, one) == Decision::Allow) {
            wrong.push(text);
        }
    }
    assert!(wrong.is_empty(), "allowed:\n{}", wrong.join("\n"));
}

#[test]
fn ordinary_options_run_unasked() {
    let wrong: Vec<&str> = ALLOWED
        .iter()
        .copied()
        .filter(|text| decided(text, "workspace") != Decision::Allow)
        .collect();
    assert!(wrong.is_empty(), "not allowed:\n{}", wrong.join("\n"));
}
