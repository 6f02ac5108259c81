//! Forges and version control other than `git`.

use crate::effect::{Access, Certainty, CodeFrom, Effect};
use crate::model::tool::Action::{
    self, At, Call, Cloud, Destroys, Fetches, Here, If, Installs, Listens, Loss, Project, Reads,
    Remote, Runs, Secret, Sends, Setting, Unknown, Unless, WithOperands,
};
use crate::model::tool::{Tool, opts, tools};
use crate::model::{Opt, Parsed, Report};
use crate::models::perform::perform;

use super::git;

/// Options that the commands of `gh` share.
const GH: &[Opt] = opts!(
    "-R --repo=, --json=, -q --jq=, -t --template --title --tag=, -L --limit=, -s --state=, -a --assignee=, -A --author=, -l --label=, -S --search=, -w --web, --hostname=, -B --base=, -H --head=, -b --body=, \
     -F --body-file=<, -d --draft --delete-branch, --fill, --force, -f, --raw-field=, --fill-first, --fill-verbose, -r --reviewer --ref --reason=, -m --milestone --message=, -p --project=, --comments, -c --comment=, \
     --squash, --rebase, --merge, --auto, --admin, --match-head-commit=, --subject=, -y --yes, --log, --log-failed, -j --job=, --exit-status, -v --verbose, --attempt=, --watch, --include, -i --interval=, --required, --fail-fast, \
     --patch, --name-only, --color=, -n --name --notes=, --notes-file=<, --generate-notes, --prerelease, --latest[=], --target=, --verify-tag, --discussion-category=, --clobber, -D --dir=>, --pattern=, -O --output=>, --archive=, \
     --public, --private, --internal, --source=, --remote=, --push, --clone, --description=, --homepage=, --gitignore=, --license=, --add-readme, --fork, --org=, --default-branch=, --visibility=, --no-archived, --archived, --topic=, \
     --add-label=, --remove-label=, --add-assignee=, --remove-assignee=, --add-reviewer=, --remove-reviewer=, --approve, --request-changes, --branch=, -u --user --upstream-remote-name=, -e --env --event=, -o --org, --app=, --workflow=, --created=, --status=, --commit=, \
     --detach, --recurse-submodules, --failed, --no-maintainer, --edit-last, --undo, --disable-auto, --allow-update-branch, --cleanup-tag, --lines=, --order=, --sort=, --raw, --filename=, --no-prompt, --field=, --all, --skip-ssh-key, -x --exclude-drafts, --version, -h --help, --no-cache, --show-token, --with-token, --scopes=, --git-protocol=, --insecure-storage, --web, --parse, --key=, --body=, --value=, --include-all-branches"
);

/// The tools of this file, each with its options, its commands and its examples.
pub(super) const TABLE: &[Tool] = tools! {
    Inherited "gh glab hub tea" [GH] => ; {
        "auth" => Secret("the token of the forge"); {
            "status" "--show-token, -t" => If("--show-token -t", &[Secret("the token of the forge")]);
            "token login logout refresh setup-git switch git-credential" => Secret("the token of the forge");
        };
        @Inherited "api" "-X --method=, -f --raw-field=, -F --field=, -H --header=, --input=<, --paginate, --slurp, --cache=, -p --preview=, --silent, -i --include, -q --jq=, -t --template=, --hostname=, --verbose" => Call(api);
        "pr mr issue" => ; {
            "list ls view show status diff checks note-list" [GH] => Fetches("the forge");
            "checkout co" [GH] => Fetches("the forge"), Here;
            "create new comment note edit update close reopen merge review approve ready lock unlock pin unpin transfer develop revoke subscribe rebase update-branch" [GH] => Fetches("the forge"), Cloud("the forge");
            "delete" [GH] => Fetches("the forge"), Destroys("the forge");
        };
        "repo project" => ; {
            "list ls view show search contributors field-list item-list" [GH] => Fetches("the forge");
            @InheritedPosix "clone" "-u --upstream-remote-name=, -p --preserve-namespace" => Fetches("the forge"), Call(cloned);
            "create fork edit rename sync archive unarchive set-default deploy-key item-add item-edit link publish mirror transfer members field-create" [GH] => Fetches("the forge"), Cloud("the forge");
            "delete item-delete field-delete" [GH] => Fetches("the forge"), Destroys("the forge");
        };
        "run workflow ci pipeline release gist label ruleset cache milestone variable schedule snippet deploy-key" => Fetches("the forge"); {
            "list ls view show status watch get check lint trace verify verify-asset" [GH] => Fetches("the forge");
            "download" [GH] => Fetches("the forge"), Here;
            "create upload" [GH] => Reads, Sends("the forge"), Cloud("the forge");
            "edit set run rerun retry enable trigger play clone rename add update" [GH] => Reads, Fetches("the forge"), Cloud("the forge");
            "delete cancel disable delete-asset remove" [GH] => Fetches("the forge"), Destroys("the forge");
        };
        "search browse status org" [GH] => Fetches("the forge"); { "repos issues prs code commits list" [GH] => Fetches("the forge"); "*" [GH] => Fetches("the forge"); };
        "secret ssh-key gpg-key token" [GH] => Fetches("the forge"); { "list ls" [GH] => Fetches("the forge"); "set add create" [GH] => Reads, Fetches("the forge"), Cloud("the forge"); "delete remove revoke" [GH] => Fetches("the forge"), Destroys("the forge"); };
        "extension" => ; { "list search browse" => ; "install upgrade" "--pin=, --all" => Installs; "remove" => Action::Removes; @Operands "*" => Project; };
        "alias" => ; { "list" => ; "set import delete" "--shell -s, --clobber, --all" => Setting("an alias"); };
        "config" => ; { "get list" "-h --host=" => ; "set edit clear-cache" "-h --host=" => At(Access::Write, "~/.config/gh"); };
        "codespace copilot attestation preview agent-task" => Fetches("the forge"); { "list ls view logs" [GH] => Fetches("the forge"); "*" [GH] => Fetches("the forge"), Cloud("the forge"); };
        "completion version help" => ;
    } [
        "gh pr list --state open --json number,title": "network",
        "gh pr create --title x --body 'a | b'": "cloud network",
        "gh pr view 12 --comments": "network",
        "gh pr checks": "network",
        "gh run view 1 --log-failed": "network",
        "gh repo delete o/r --yes": "cloud:destroys network",
        "gh repo clone o/r": "network write:workspace:recursive",
        "gh gist create a.txt": "cloud network:send",
        "gh auth token": "secret",
        "gh auth status": "",
        "gh api repos/o/r/pulls --jq '.[].title'": "network",
        "gh api -X DELETE repos/o/r": "cloud:destroys network",
        "gh api repos/o/r/issues -f title=x": "cloud network",
        "gh alias set x '!id'": "code:setting",
        "gh extension install o/x": "package:install",
        "gh frobnicate": "unmodelled",
    ]

    Inherited "hg chg" "-R --repository --cwd=/, -y --noninteractive, -q --quiet, -v --verbose, --color=, --config=, --debug, --debugger, --traceback, --time, --profile, --version, -h --help, --hidden, --pager=, -r --rev=, -l --limit=, -p --patch, --git, -T --template=, \
        -I --include=, -X --exclude=, -m --message=, -u --user=, -d --date=, -b --branch --branches=, -k --keyword=, -G --graph, --stat, -S --subrepos, -n --dry-run, -f --force, -C --clean --no-backup, -A --addremove, --amend, -a --all --text, -c --change --check=, -B --bookmark=, -e --ssh=!, --remotecmd=!, --insecure, \
        --noupdate -U, -t --tags --tool=, -i --interactive, --close-branch, -s --source --similarity=, --dest=, --abort, --continue, -w, -o --output=>" => If("--config", &[Setting("`--config`")]); {
        "status st log history diff cat annotate blame id identify summary sum branches heads tip parents paths tags bookmarks files manifest locate grep root showconfig config verify version help outgoing out incoming in resolve export phase" => ; { "*" => ; };
        "add addremove commit ci update up checkout co merge branch tag bookmark rename mv copy cp graft rebase shelve unshelve import init bisect backout histedit amend forget remove rm archive bundle unbundle recover" => Here, If("-C", &[Loss]);
        "revert strip purge rollback" => Here, Loss;
        "clone pull" => Fetches(""), Here;
        "push" => Remote(false, false), If("-f", &[Remote(true, false)]);
        "serve" => Listens;
    } ["hg status": "", "hg commit -m x": "write:workspace:recursive", "hg push -f": "version_control_remote version_control_remote:forced", "hg update -C": "version_control_loss write:workspace:recursive", "hg --config alias.x=!id x": "code:setting unmodelled"]
    Inherited "svn" "-q --quiet, -v --verbose, -r --revision=, -l --limit=, -m --message=, -F --file=<, --username=, --password=, --no-auth-cache, --non-interactive, --trust-server-cert, --config-dir=<, --config-option=, --diff-cmd=!, --diff3-cmd=!, --editor-cmd=!, -x --extensions=, --summarize, --depth=, --set-depth=, \
        --force, -R --recursive, -N --non-recursive, -u --show-updates, --xml, --stop-on-copy, -g, --diff, --accept=, --parents, --keep-local, --ignore-externals, -c --change=, --no-ignore, --remove-unversioned, --remove-ignored, --git, --force-log, --show-item=, --version, -h --help" => If("--config-dir --config-option", &[Setting("a setting of it")]); {
        "status stat st diff di log info list ls cat blame praise annotate propget pget proplist help" => Fetches("");
        "add update up checkout co switch sw merge resolve resolved mkdir copy cp move mv rename propset propdel changelist upgrade patch relocate export" => Fetches(""), Here;
        "delete del remove rm" => Here, WithOperands(&[Unless("--keep-local", &[Loss])]);
        "revert cleanup" => Here, Loss;
        "commit ci import lock unlock" => Remote(false, false);
    } ["svn status": "network", "svn commit -m x": "version_control_remote", "svn revert -R .": "version_control_loss write:workspace:recursive", "svn diff --diff-cmd cat": "code:setting network"]
    Inherited "jj" "-R --repository=/, -r --revision --revisions=, -m --message=, -n --limit=, -p --patch, -s --summary --source=, --stat, --git, --types, --name-only, --color-words, --tool=!, --no-graph -G, -T --template=, --ignore-working-copy, --ignore-immutable, --at-operation --at-op=, --config=, --config-file=<, --color=, --quiet, --no-pager, \
        -d --destination=, -b --branch --bookmark=, --from=, --to --into=, -A --insert-after=, -B --insert-before --allow-backwards=, -i --interactive, -a --all --all-remotes, --remote=, --deleted, --tracked, --allow-new, --change -c=, -k --keep-emptied, --dry-run, --colocate, --git-repo=, -u, --use-destination-message, --stdin, --no-edit, --edit -e, --reversed, --context=, -h --help, -V --version, --debug" => If("--config --config-file", &[Setting("a setting of it")]); {
        "log l show diff st status obslog evolog interdiff root version help workspace-list files cat annotate" => ;
        "op operation" => ; { "log show diff" => ; "restore undo revert" => Here, Loss; "abandon" => Loss; };
        "file config bookmark branch b tag workspace sparse" => ; { "list l show get annotate path root" => ; "set create move track untrack add delete forget rename edit update-stale chmod unset reset" => Here; };
        "new commit ci describe desc edit next prev squash split rebase duplicate parallelize resolve unsquash move absorb fix backout revert sign unsign diffedit simplify-parents init" => Here;
        "abandon restore undo redo" => Here, Loss;
        "git" => ; { "fetch" => Fetches(""), Here; "clone" => Fetches(""), Here; "push" => Remote(false, false), If("--deleted", &[Remote(false, true)]); "init import export remote colocation" => Here; { "list" => ; "*" => Here; }; };
        "util" => ; { @InheritedPosix "exec" => Runs(0); "gc" "--expire=" => Loss; "*" => ; };
    } ["jj log -n 5": "", "jj commit -m x": "write:workspace:recursive", "jj git push": "version_control_remote", "jj abandon": "version_control_loss write:workspace:recursive"]
    Operands "bzr brz cvs p4 fossil darcs pijul repo gerrit git-review arc spr gt git-town lazygit tig gitui \
        git-cliff pre-commit-ci" => Unknown("what this program does is not known in full"); ["p4 sync": "unmodelled"]
    Inherited "act" "-j --job=, -W --workflows=<, -e --eventpath=<, -P --platform=, -n --dryrun, -l --list, -s --secret=, --secret-file=<, --env-file=<, --env=, --container-architecture=, -v --verbose, -r --reuse, --privileged, --bind -b, --input=, --matrix=, --rm, --pull, -q, --container-options=, --artifact-server-path=>"
        => Unless("-l -n", &[Project, Here, Fetches("the registry")]), If("--privileged --container-options", &[Action::Escapes("a container with all rights")]); ["act -l": "", "act -j test": "code:project network write:workspace:recursive"]
    Operands "shellcheck hadolint actionlint shfmt dprint editorconfig-checker ec lychee markdown-link-check \
        detect-secrets gitleaks trufflehog semgrep sonar-scanner snyk codeql zizmor typos ls-lint \
        ast-grep comby tree-sitter gitlint commitizen-lint dotenv-linter checkmake gixy spectral redocly \
        vacuum csvkit onefetch"
        => Action::Touches, Here, Project; [
        "shellcheck -x scripts/a.sh": "code:project write:workspace:recursive",
        "hadolint Dockerfile": "code:project write:workspace:recursive",
        "shfmt -w /etc/shadow": "code:project execute:secret:recursive read:secret:recursive write:secret:recursive write:workspace:recursive",
    ]
};

/// `gh api`: a method, or fields that are sent.
fn api(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let method = parsed.value("-X").map(|word| word.value.prefix().to_ascii_uppercase());
    let sends = ["-f", "-F", "--input"].iter().any(|option| parsed.has(option));
    for word in parsed.values("-F") {
        if let Some((_, file)) = word.value.prefix().split_once("=@") {
            report.path(Access::Read, file);
        }
    }
    let graph = parsed.operands.first().is_some_and(|word| word.value.prefix() == "graphql");
    let mutates =
        parsed.options.iter().filter_map(|(_, value)| value.as_ref()).any(|value| {
            value.value.prefix().contains("mutation") || value.value.as_known().is_none()
        });
    let actions: &[Action] = match method.as_deref() {
        Some("DELETE") => &[Fetches("the forge"), Destroys("the forge")],
        None if graph && !mutates => &[Fetches("the forge")],
        Some("GET" | "HEAD") => &[Fetches("the forge")],
        None if !sends => &[Fetches("the forge")],
        _ => &[Fetches("the forge"), Cloud("the forge")],
    };
    perform(report, parsed, actions, Certainty::Must);
}

/// `gh repo clone name folder`
fn cloned(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let named = parsed.operands.get(1).filter(|folder| !folder.value.prefix().starts_with('-'));
    match parsed.operands.first() {
        Some(from) => git::fills(report, from, named),
        None => perform(report, parsed, &[Here], Certainty::Must),
    }
    if parsed.operands.iter().skip(1).any(|word| word.value.prefix().starts_with("-")) {
        let from = CodeFrom::Setting("options of `git clone`".to_owned());
        report.add(Effect::Code { from });
    }
}
