//! The rules, tool by tool.

use super::Also::{Compiles, Dashes, Everywhere, Expands, Fed, Remote};
use super::{NONE, Rule};

/// The rules. The first one that has the name of a tool counts.
pub(super) const RULES: &[Rule] = &[
    Rule { names: "cppcheck", doubts: "--clang", ..NONE },
    Rule {
        names: "clang-tidy clang-check iwyu include-what-you-use oclint",
        doubts: "-fplugin* -fpass-plugin* --extra-arg -extra-arg --extra-arg-before -extra-arg-before --check-library",
        also: &[Compiles],
        ..NONE
    },
    Rule { names: "lcov genhtml", doubts: "--gcov-tool --select-script --rc", ..NONE },
    Rule { names: "infer", commands: "analyze report explore reportdiff help", ..NONE },
    Rule { names: "iverilog", doubts: "-B -M -m", ..NONE },
    Rule { names: "yosys", doubts: "-p -c -m -s -r", also: &[Fed], ..NONE },
    Rule { names: "openocd avrdude", doubts: "-c -t", ..NONE },
    Rule {
        names: "platformio pio",
        commands: "run test check device project:init project:config project:metadata boards ci debug pkg:list pkg:outdated pkg:search system:info",
        installs: "pkg:install pkg:update lib:install lib:update",
        ..NONE
    },
    Rule {
        names: "arduino-cli",
        commands: "compile board sketch version lib:list lib:search lib:examples core:list core:search config:dump monitor",
        installs: "lib:install lib:upgrade core:install core:upgrade",
        ..NONE
    },
    Rule {
        names: "west",
        commands: "build flash debug list status diff topdir boards twister config help",
        installs: "update init",
        ..NONE
    },
    Rule { names: "protoc", doubts: "--plugin", ..NONE },
    Rule { names: "buf", doubts: "push registry:* beta alpha plugin:push", ..NONE },
    Rule { names: "sqlc", doubts: "push", ..NONE },
    Rule {
        names: "dlv",
        doubts: "exec attach core connect dap --init --build-flags --backend",
        ..NONE
    },
    Rule { names: "gotestsum ginkgo", doubts: "-toolexec", also: &[Compiles], ..NONE },
    Rule {
        names: "air",
        doubts: "-build.bin --build.bin -build.full_bin --build.full_bin",
        ..NONE
    },
    Rule { names: "ko", commands: "version help deps", ..NONE },
    Rule { names: "gore", also: &[Fed], ..NONE },
    Rule { names: "go", doubts: "-extld -toolexec", ..NONE },
    Rule {
        names: "meson",
        doubts: "--gdb-path --wrapper devenv subprojects:* wrap:* --vsenv dist",
        ..NONE
    },
    Rule { names: "scons", doubts: "--site-dir", also: &[Expands], ..NONE },
    Rule {
        names: "qmake task go-task mage xcodebuild",
        doubts: "-allowProvisioningUpdates -exportArchive -t:",
        also: &[Expands],
        ..NONE
    },
    Rule { names: "ant", doubts: "-lib -logger -listener -inputhandler -main", ..NONE },
    Rule {
        names: "sbt",
        doubts: "eval set apply publish publishSigned ! -J* -java-home --java-home -D* --sbt-jar -sbt-jar",
        also: &[Everywhere],
        ..NONE
    },
    Rule { names: "mill", doubts: "--import repl -e --repl", ..NONE },
    Rule {
        names: "lein",
        doubts: "update-in new deploy release repl upgrade install change",
        ..NONE
    },
    Rule { names: "boot", doubts: "-d -e -c call repl push", ..NONE },
    Rule {
        names: "kotlinc scalac groovyc detekt ktlint",
        doubts: "-e -expression -Xplugin* -J* -Xcompiler-plugin* --plugins -R",
        ..NONE
    },
    Rule {
        names: "scala-cli",
        doubts: "-e --dep --dependency --jvm --java-home --scala-cli-launcher repl shebang publish install uninstall setup-ide --power",
        ..NONE
    },
    Rule { names: "bloop", commands: "compile test run clean projects about", ..NONE },
    Rule {
        names: "coursier cs",
        commands: "resolve complete-dep complete about list search version",
        installs: "install update setup java java-home bootstrap channel fetch",
        ..NONE
    },
    Rule {
        names: "swift",
        commands: "build test run package:describe package:resolve package:dump-package package:clean package:show-dependencies package:reset package:update package:init format help",
        doubts: "-e -Xcc -Xlinker -Xcxx -Xllvm -Xfrontend -plugin-path repl",
        also: &[Fed, Compiles],
        ..NONE
    },
    Rule {
        names: "swiftc",
        doubts: "-Xcc -Xlinker -Xclang-linker -Xllvm -Xfrontend -tools-directory -ld-path -use-ld -plugin-path",
        also: &[Compiles],
        ..NONE
    },
    Rule {
        names: "pod",
        commands: "outdated list search env lib:lint spec:lint deintegrate ipc cache",
        installs: "install update",
        ..NONE
    },
    Rule {
        names: "carthage",
        commands: "build outdated validate version archive help",
        installs: "update bootstrap checkout",
        ..NONE
    },
    Rule {
        names: "tuist",
        commands: "generate build test clean graph version scaffold dump edit",
        installs: "install",
        ..NONE
    },
    Rule {
        names: "fastlane",
        doubts: "run action new_plugin add_plugin install_plugins update_fastlane update_plugins deliver pilot supply produce match cert sigh pem init",
        ..NONE
    },
    Rule {
        names: "flutter",
        commands: "test build run analyze format doctor devices clean gen-l10n drive create assemble attach logs emulators symbolize screenshot pub:get pub:deps pub:outdated pub:upgrade pub:run",
        installs: "pub:add install upgrade",
        ..NONE
    },
    Rule {
        names: "dart",
        commands: "test run analyze format fix compile doc create info pub:get pub:deps pub:outdated pub:upgrade pub:run",
        installs: "pub:add",
        ..NONE
    },
    Rule {
        names: "fvm",
        commands: "list releases doctor flutter:test flutter:build flutter:analyze flutter:run dart:test dart:run dart:format dart:analyze",
        installs: "install use",
        ..NONE
    },
    Rule {
        names: "melos",
        commands: "bootstrap bs run list clean test analyze format version",
        ..NONE
    },
    Rule {
        names: "zig",
        commands: "build test run fmt cc c++ build-exe build-lib build-obj ast-check env version init translate-c targets zen help libc ar",
        installs: "fetch",
        doubts: "--build-runner --zig-lib-dir",
        also: &[Compiles],
        ..NONE
    },
    Rule {
        names: "nim",
        doubts: "--cc --passC --passL --clib --clibdir e secret",
        also: &[Fed],
        ..NONE
    },
    Rule {
        names: "nimble",
        installs: "install develop",
        doubts: "publish uninstall upgrade --passNim",
        ..NONE
    },
    Rule {
        names: "haxelib",
        commands: "list path search info version config libpath check-cli help",
        installs: "install update upgrade git set dev newrepo",
        ..NONE
    },
    Rule { names: "haxe", doubts: "--macro --run -x", ..NONE },
    Rule {
        names: "shards",
        commands: "build check list version init lock prune outdated run",
        installs: "install update",
        ..NONE
    },
    Rule {
        names: "crystal",
        commands: "build run spec tool docs env init clear_cache version",
        doubts: "--link-flags",
        ..NONE
    },
    Rule {
        names: "dub",
        commands: "build test run lint clean describe list convert generate init",
        installs: "fetch add upgrade",
        doubts: "run:* --compiler --dflags",
        ..NONE
    },
    Rule {
        names: "dmd ldc2 gdc",
        doubts: "-Xcc -linker --linker -gcc --gcc -L* -plugin --plugin -B*",
        also: &[Compiles],
        ..NONE
    },
    Rule {
        names: "v vlang",
        installs: "install",
        doubts: "-e -cc -cflags -ldflags update upgrade self repl",
        ..NONE
    },
    Rule { names: "odin", doubts: "-extra-linker-flags -extra-assembler-flags -linker", ..NONE },
    Rule {
        names: "gleam",
        installs: "add update",
        doubts: "publish hex docs:publish docs:remove shell",
        ..NONE
    },
    Rule {
        names: "earthly",
        doubts: "--push --allow-privileged -P --secret --ssh prune account org registry project --config",
        also: &[Remote],
        ..NONE
    },
    Rule {
        names: "dagger",
        doubts: "-m --mod -c run shell core query install update login publish uninstall",
        ..NONE
    },
    Rule { names: "rake", doubts: "-e -E -p", ..NONE },
    Rule {
        names: "rails",
        destroys: "db:drop db:drop:all db:reset db:purge db:truncate_all db:migrate:reset db:schema:load db:seed:replant",
        doubts: "runner r dbconsole db console c credentials:edit credentials:show secrets:edit secrets:show new plugin app:template app:update encrypted:edit encrypted:show -m --template",
        ..NONE
    },
    Rule { names: "erb haml slim", doubts: "-r --require", also: &[Fed], ..NONE },
    Rule { names: "foreman overmind hivemind", doubts: "run export connect", ..NONE },
    Rule { names: "rackup unicorn", doubts: "-e -b", ..NONE },
    Rule { names: "spring", commands: "status stop server binstub rspec testunit help", ..NONE },
    Rule { names: "kamal", commands: "version details docs help", ..NONE },
    Rule { names: "mina", doubts: "deploy setup ssh rollback run", ..NONE },
    Rule { names: "thor", doubts: "install update uninstall", ..NONE },
    Rule {
        names: "infection",
        doubts: "--initial-tests-php-options --test-framework-options",
        ..NONE
    },
    Rule {
        names: "artisan",
        destroys: "migrate:fresh migrate:reset db:wipe",
        doubts: "tinker db key:generate down env:decrypt migrate:rollback migrate:refresh queue:flush",
        ..NONE
    },
    Rule {
        names: "drush",
        destroys: "sql:drop sql-drop",
        doubts: "php:eval ev php-eval php:script scr php:cli sql:cli sqlc sql:query sqlq ssh site:install si core:execute user:login uli",
        ..NONE
    },
    Rule {
        names: "wp",
        destroys: "db:drop db:reset db:clean site:empty",
        doubts: "eval eval-file shell db:query db:cli db:import package core:* plugin:* theme:* --require --ssh --http search-replace user:*",
        ..NONE
    },
    Rule {
        names: "symfony",
        doubts: "run php new deploy local:run local:new server:prod cloud:*",
        ..NONE
    },
    Rule { names: "laravel", doubts: "new", ..NONE },
    Rule {
        names: "mix",
        installs: "archive.install escript.install local.hex local.rebar",
        destroys: "ecto.drop ecto.reset",
        doubts: "-e eval cmd local hex.publish hex.user hex.organization hex.config ecto.rollback phx.new archive.uninstall",
        also: &[Everywhere],
        ..NONE
    },
    Rule {
        names: "elixir iex elixirc",
        doubts: "-e --erl --remsh --rpc-eval --dot-iex -pr",
        also: &[Fed],
        ..NONE
    },
    Rule { names: "prove", doubts: "-e", ..NONE },
    Rule { names: "dzil minil milla", doubts: "release upload authordeps run", ..NONE },
    Rule { names: "carton", installs: "install update", doubts: "exec bundle", ..NONE },
    Rule {
        names: "Rscript R",
        installs: "CMD:INSTALL CMD:REMOVE",
        doubts: "-e -g --gui -d --debugger",
        also: &[Fed],
        ..NONE
    },
    Rule {
        names: "ghc ghci runghc",
        doubts: "-e -F -pgm* -fplugin* --frontend -opt* -ghci-script -package-env -interactive-print",
        also: &[Fed],
        ..NONE
    },
    Rule { names: "ghcid", doubts: "-c -T -r -W --test --run --setup", ..NONE },
    Rule { names: "ocaml", doubts: "-e -init", also: &[Fed], ..NONE },
    Rule {
        names: "ocamlc ocamlopt ocamlfind",
        doubts: "-pp -ppx -cc -ccopt -plugin -pr install remove",
        ..NONE
    },
    Rule {
        names: "dune",
        doubts: "install uninstall utop top pkg:* ocaml:*",
        runs: "exec",
        ..NONE
    },
    Rule {
        names: "esy",
        commands: "build b test status ls-builds ls-libs ls-modules help",
        ..NONE
    },
    Rule { names: "busted", doubts: "-e --lua --helper", ..NONE },
    Rule {
        names: "hugo gohugo",
        installs: "mod:get",
        doubts: "deploy new:* --printUnusedTemplates",
        ..NONE
    },
    Rule { names: "d2", doubts: "--browser", ..NONE },
    Rule { names: "vale", doubts: "sync", ..NONE },
    Rule { names: "rebar3 rebar", doubts: "shell hex:* new:*", ..NONE },
    Rule { names: "pyright basedpyright", doubts: "--pythonpath -p:", ..NONE },
    Rule { names: "pyre", doubts: "--binary --sandcastle", ..NONE },
    Rule { names: "sphinx-autobuild", doubts: "--pre-build --post-build", ..NONE },
    Rule { names: "mkdocs", doubts: "gh-deploy new", ..NONE },
    Rule { names: "cookiecutter copier cruft", commands: "check diff", ..NONE },
    Rule { names: "tox", doubts: "-x --override exec quickstart q", ..NONE },
    Rule { names: "coverage", runs: "-m", ..NONE },
    Rule { names: "scalene memray", doubts: "-c", runs: "-m", also: &[Dashes], ..NONE },
    Rule { names: "py-spy", also: &[Dashes], ..NONE },
    Rule { names: "maturin", doubts: "publish upload", ..NONE },
    Rule {
        names: "django-admin django manage.py",
        destroys: "flush reset_db",
        doubts: "shell shell_plus dbshell runscript createsuperuser changepassword --template -c",
        ..NONE
    },
    Rule { names: "flask", doubts: "shell", also: &[Fed, Expands], ..NONE },
    Rule {
        names: "gunicorn uvicorn hypercorn daphne celery",
        doubts: "shell purge",
        also: &[Expands],
        ..NONE
    },
    Rule { names: "alembic", doubts: "downgrade", ..NONE },
    Rule { names: "dbt", doubts: "run-operation deps", ..NONE },
    Rule {
        names: "airflow",
        destroys: "db:reset db:clean",
        doubts: "connections users variables tasks:run dags:delete dags:trigger",
        ..NONE
    },
    Rule {
        names: "jupyter jupyter-nbconvert papermill",
        doubts: "labextension kernelspec kernel console qtconsole troubleshoot server:extension",
        fine: "--execute",
        ..NONE
    },
    Rule { names: "ipython", doubts: "-c --ext -m", also: &[Fed], ..NONE },
    Rule {
        names: "nbqa",
        commands: "black isort flake8 ruff mypy pylint pyupgrade autopep8 yapf autoflake pydocstyle doctest",
        ..NONE
    },
    Rule { names: "pip-sync", installs: "*", ..NONE },
    Rule { names: "scrapy", doubts: "shell fetch view edit", ..NONE },
    Rule { names: "mlflow", doubts: "run", ..NONE },
    Rule {
        names: "dvc",
        doubts: "push run stage:add get import get-url import-url remote config gc destroy exp:push",
        ..NONE
    },
    Rule { names: "torchrun accelerate", doubts: "--no-python --no_python --run-path", ..NONE },
    Rule {
        names: "huggingface-cli hf",
        doubts: "upload upload-large-folder repo jobs login lfs-enable-largefiles auth:login delete-cache",
        ..NONE
    },
    Rule { names: "wandb", doubts: "sync login launch sweep agent artifact:put docker", ..NONE },
    Rule { names: "fab invoke", doubts: "-H --hosts", ..NONE },
    Rule { names: "nx", doubts: "release add connect import migrate exec", ..NONE },
    Rule { names: "ng", installs: "add update", doubts: "deploy", ..NONE },
    Rule { names: "turbo", doubts: "login link", ..NONE },
    Rule { names: "nuxi nuxt astro", doubts: "module add init upgrade", ..NONE },
    Rule { names: "sb storybook", doubts: "init upgrade add migrate automigrate", ..NONE },
    Rule { names: "ncu npm-check-updates", doubts: "--doctorTest --doctorInstall", ..NONE },
    Rule {
        names: "prisma",
        destroys: "migrate:reset",
        doubts: "db:execute db:push db:drop --force-reset --accept-data-loss platform",
        ..NONE
    },
    Rule { names: "drizzle-kit", doubts: "push drop", ..NONE },
    Rule {
        names: "typeorm",
        destroys: "schema:drop",
        doubts: "query schema:sync migration:revert",
        ..NONE
    },
    Rule {
        names: "sequelize sequelize-cli",
        destroys: "db:drop",
        doubts: "db:migrate:undo:all db:seed:undo:all",
        ..NONE
    },
    Rule { names: "knex", doubts: "migrate:rollback migrate:down", ..NONE },
    Rule {
        names: "pm2",
        commands: "list ls l ps status logs monit describe show info jlist prettylist ping start restart reload stop delete del flush reset report",
        doubts: "-c --cron --cron-restart",
        runs: "start restart reload",
        ..NONE
    },
    Rule { names: "node-gyp", doubts: "--python", ..NONE },
    Rule { names: "ava", doubts: "--node-arguments", ..NONE },
    Rule { names: "wasm-pack", doubts: "publish login", ..NONE },
    Rule { names: "elm spago", installs: "install", doubts: "publish bump repl", ..NONE },
    Rule { names: "lerna", doubts: "exec import", ..NONE },
];
