//! Ruby, PHP, Elixir, Haskell, Perl, R, Lua: package managers and tools of projects.

use crate::invocation::program_name;
use crate::model::tool::Action::{
    Call, Cloud, Fetches, Here, If, Installs, Package, Project, Removes, Runs, Secret, Sends,
    Touches, WithOperands,
};
use crate::model::tool::{Tool, opts, tools};
use crate::model::{Opt, Parsed, Report};
use crate::models;
use crate::names::is_wrapper;

use super::plain::plain;

/// Options that the commands of `bundle` share.
const BUNDLE: &[Opt] = opts!(
    "--jobs -j=, --without=, --with=, --path=, --local, --quiet -q, --deployment, --frozen, --retry=, --gemfile=<, --no-color, --verbose -V, \
     --clean, --no-cache, --no-prune, --redownload --force, --standalone[=], --system, --full-index, --binstubs[=], --conservative, --all, \
     --patch, --minor, --major, --strict, --source=, --group -g=, --bundler[=], --ruby, --prefer-local, --version -v, --help -h, --update=, --lockfile=, \
     --add-platform=, --remove-platform=, --parseable, --paths, --name-only, --only-explicit, --filter-major, --filter-minor, --filter-patch"
);

/// Options that the commands of `composer` share.
const COMPOSER: &[Opt] = opts!(
    "-q --quiet, -v --verbose, -vv, -vvv, -n --no-interaction, --no-plugins, --no-scripts, -d --working-dir=/, --no-cache, --ansi, --no-ansi, --profile, \
     -V --version, --help -h, --dev, --no-dev, --prefer-dist, --prefer-source, --prefer-install=, --dry-run, --no-progress, --no-install, --no-update, \
     --no-audit, -o --optimize-autoloader, -a --classmap-authoritative, --apcu-autoloader, --ignore-platform-reqs, --ignore-platform-req=, \
     -w --with-dependencies, -W --with-all-dependencies, --prefer-stable, --prefer-lowest, --sort-packages, --fixed, --with=, -m --minimal-changes, --lock, \
     -i --installed, -l --latest, -D --direct, -f --format=, -t --tree, -s --self, -o --outdated, -N --name-only, -P --path, --all, --strict, -g --global, \
     --no-autoloader, --optimize, --stability=, --repository=, --locked, --abandoned=, --list, --timeout="
);

/// The tools of this file, each with its options, its commands and its examples.
pub(super) const TABLE: &[Tool] = tools! {
    Inherited "bundle bundler" [BUNDLE] => ; {
        @InheritedPosix "exec e" "--keep-file-descriptors, --gemfile=<" => Here, Runs(0);
        "install i update package cache lock" => Installs, Here;
        "add" "--version=, --git=, --branch=, --skip-install, --require=, --optimistic" => Installs, Here;
        "remove clean" "--dry-run" => Removes, Here;
        "list show info check outdated platform env licenses viz doctor version help plugin" => ; { "*" => ; };
        "init binstubs gem pristine config" => Here; { "list get" => ; "set unset" "--local, --global" => Here; "*" => Here; };
        "console open" => Project;
        "audit" => Fetches("rubygems.org");
    } [
        "bundle exec rspec spec/a_spec.rb -fd": "code:project write:workspace:recursive",
        "bundle exec rake test": "code:project write:workspace:recursive",
        "bundle install --jobs 4": "package:install write:workspace:recursive",
        "bundle config set --local path vendor": "write:workspace:recursive",
        "bundle outdated": "",
    ]
    Inherited "gem" "-v --version=, --help -h, -V --verbose, -q --quiet, --no-document, -N, --user-install, -l --local, -r --remote, -i --install-dir=>, -f --force, \
        -a --all, -d --details, --pre --prerelease, -n --bindir=>, -x --executables, -I, --conservative, -s --source=, -e --exact, --silent, --norc, --config-file=<, -o --output=>" => ; {
        "install i update fetch" => Installs;
        "uninstall cleanup" => Removes;
        "list search info specification which environment env contents outdated dependency help query check server stale" => ; { "*" => ; };
        "build unpack" => Project, Here;
        "push yank owner" "--host=, -k --key=, --otp=" => Sends("rubygems.org"), Cloud("the registry");
        "signin signout" => Secret("the token of the registry");
        "exec" => Package;
        "sources" "--list, --add=, --remove=" => Here;
    } ["gem install rails -v 7.1": "package:install", "gem list": "", "gem build x.gemspec": "code:project write:workspace:recursive"]
    Operands "rake rspec rails rubocop standardrb sorbet srb steep brakeman reek fasterer haml erb slim jekyll \
        middleman cucumber guard foreman overmind hivemind puma unicorn thin rackup sidekiq spring yard rdoc \
        ruby-lsp solargraph erblint erb_lint bundle-audit kamal mina thor rbs parallel_rspec phpunit pest \
        paratest phpstan psalm phpcs phpcbf php-cs-fixer pint phpmd rector infection phpbench behat codecept \
        deptrac parallel-lint artisan drush wp symfony laravel box phan churn rebar3 rebar erlc dialyzer \
        credo gleam-format ghc ghci ghcid hlint ormolu fourmolu stylish-haskell hpack happy hoogle hie \
        haskell-language-server ocaml ocamlc ocamlopt ocamlfind dune ocamlformat esy prove perlcritic \
        perltidy dzil milla minil carton perldoc pod2man Rscript R lua-format luacheck luacov busted stylua \
        selene terragrunt-fmt hugo zola gohugo typst texcount chktex vale proselint write-good graphviz d2"
        => Project, Here, Touches, Call(plain); [
        "rake -e x": "code:project unmodelled write:workspace:recursive",
        "rails runner x": "code:project unmodelled write:workspace:recursive",
        "rails db:drop": "code:project database:destroys write:workspace:recursive",
        "prove -e ./x t": "code:project unmodelled write:workspace:recursive",
        "prove --exec 'rm x' t": "code:project unmodelled write:workspace:recursive",
        "Rscript -e x": "code:project unmodelled write:workspace:recursive",
        "echo x | Rscript -": "code:project code:stdin write:workspace:recursive",
        "Rscript x.R a": "code:project write:workspace:recursive",
        "ghc -e x": "code:project unmodelled write:workspace:recursive",
        "dune exec rm x": "code:project unmodelled write:workspace:recursive",
        "dune exec ./main.exe": "code:project write:workspace:recursive",
        "rspec spec/models --format doc": "code:project write:workspace:recursive",
        "rubocop -a": "code:project write:workspace:recursive",
        "rails db:migrate": "code:project write:workspace:recursive",
        "phpunit --filter testX": "code:project write:workspace:recursive",
        "hugo --minify": "code:project write:workspace:recursive",
    ]
    Inherited "composer" [COMPOSER] => ; {
        "install i update u upgrade reinstall" => Installs, Here;
        "require r" => Installs, Here;
        "remove rm uninstall" => Removes, Here;
        "global" => Installs; { "*" => Installs; };
        @InheritedPosix "exec" => Here, Runs(0);
        @InheritedPosix "run-script run test" => Project, Here;
        "show info outdated status validate diagnose why depends why-not prohibits licenses suggests check-platform-reqs search browse fund about help list" => ; { "*" => ; };
        "dump-autoload dumpautoload init archive bump clear-cache clearcache" => Project, Here;
        "create-project" "--keep-vcs, --no-secure-http" => Package, Here;
        "config" "--unset, --editor -e, --auth -a, --absolute, --json, --merge, --source" => WithOperands(&[Here]), If("--auth", &[Secret("credentials of the registry")]);
        "audit" => Fetches("packagist.org");
        "self-update selfupdate" => Installs;
        @InheritedPosix "*" => Project, Here;
    } [
        "composer require x": "package:install write:workspace:recursive",
        "composer install --no-dev": "package:install write:workspace:recursive",
        "composer test -- --filter x": "code:project write:workspace:recursive",
        "composer validate --strict": "",
    ]
    Operands "mix iex elixir elixirc" => Project, Here, Touches, Call(plain); [
        "mix run -e x": "code:project unmodelled write:workspace:recursive",
        "mix eval x": "code:project unmodelled write:workspace:recursive",
        "mix do deps.get, compile": "code:project write:workspace:recursive",
        "elixir -e x": "code:project unmodelled write:workspace:recursive",
        "mix test test/a_test.exs:12": "code:project write:workspace:recursive",
    ]
    Inherited "stack cabal opam" "--resolver=, --stack-yaml=<, -v --verbose, --fast, --test, --bench, --file-watch, --ghc-options=, --no-run-tests, --pedantic, --ta=, --flag=, \
        --jobs -j=, --enable-tests, --enable-benchmarks, -O[=], --project-file=<, --builddir=>, -w=!, --with-compiler=!, -y --yes, --switch=, --deps-only, --with-test, \
        --help -h, --version, --system-ghc, --no-install-ghc, --nix, --silent, --coverage, --test-show-details=, --test-options=, --only-dependencies, --overwrite-policy=, --lib" => ; {
        @InheritedPosix "exec runghc runhaskell ghc" => Project, Here, Call(execs);
        "build test bench haddock run ghc ghci repl check sdist v2-build v2-test new-build new-test lint clean purge" => Project, Here; { "*" => Project, Here; };
        "install update upgrade setup fetch get init switch pin reinstall" => Installs, Here; { "*" => Installs, Here; };
        "remove uninstall" => Removes;
        "list show info path ls outdated gen-bounds freeze config env var search" "--shell=, --set-switch" => ; { "*" => ; };
        "new" => Here;
        "upload" => Sends("hackage.haskell.org"), Cloud("the registry");
    } [
        "stack exec rm -- -r x": "code:project unmodelled write:workspace:recursive",
        "stack exec app -- --port 1": "code:project write:workspace:recursive",
        "stack test --fast": "code:project write:workspace:recursive", "cabal build all": "code:project write:workspace:recursive", "opam install x": "package:install write:workspace:recursive"]
    Inherited "cpan cpanm cpm luarocks nimble-install raco spack ghcup elan" "-n --notest, -l --local-lib=, -L=, --installdeps, -f --force, -v --verbose, -q --quiet, --local, --tree=, --server=, -T, -i, --auto"
        => WithOperands(&[Installs]); { "list search show info path which" => ; "install build make test" => Installs; "*" => Installs; } ["cpanm Moo": "package:install", "luarocks list": ""]
};

/// `stack exec rm`: a program of the system does not belong to the project.
fn execs(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let mut words = parsed.operands.iter().map(|word| word.value.prefix());
    let has_code = words.clone().any(|word| word.starts_with("-e"));
    let program = words.find(|word| !word.starts_with('-')).map(program_name).unwrap_or_default();
    let is_file = program.ends_with("hs");
    let is_known = models::is_known(program) || is_wrapper(program) || program.is_empty();
    if has_code || is_known && !is_file {
        report.not_understood("it runs another program, or code in an option");
    }
}
