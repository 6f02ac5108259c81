//! Python: installers, environments, tests and checkers. The interpreter itself stands elsewhere.

use crate::effect::Access;
use crate::model::tool::Action::{
    Alone, At, Call, Cloud, Executes, Fetches, Here, If, Installs, Package, Project, Reads,
    Removes, Runs, Secret, Sends, Setting, Touches, Unless, WithOperands, Writes,
};
use crate::model::tool::{Tool, opts, tools};
use crate::model::{Opt, Parsed, Report};
use crate::models::perform::beyond;
use crate::value::Value;

use super::plain::plain;

/// Options that the commands of `pip` share.
const PIP: &[Opt] = opts!(
    "-r --requirement --requirements=<, -c --constraint --constraints=<, -e --editable=, --no-deps, --pre, --platform=, \
     --python-version=, --implementation=, --abi=, -t --target=>, --user, --root=>, --prefix=>, --src=>, -U --upgrade, \
     --upgrade-strategy=, --force-reinstall, -I --ignore-installed, --ignore-requires-python, --no-build-isolation, \
     --use-pep517, --no-use-pep517, -C --config-settings --config-setting=, --global-option=, --compile, --no-compile, \
     --no-warn-script-location, --no-warn-conflicts, --no-binary=, --only-binary=, --prefer-binary, --require-hashes, \
     --progress-bar=, --root-user-action=, --report=>, --no-clean, -i --index-url=, --extra-index-url=, --no-index, \
     -f --find-links=, --dry-run, --break-system-packages, -q --quiet, -v --verbose, --isolated, --require-virtualenv, \
     --python=, --log=>, --no-input, --keyring-provider=, --proxy=, --retries=, --timeout=, --exists-action=, \
     --trusted-host=, --cert=<, --client-cert=<, --cache-dir=>, --no-cache-dir, --disable-pip-version-check, --no-color, \
     --no-python-version-warning, --use-feature=, --use-deprecated=, --debug, -V --version, --help -h, -y --yes"
);

/// Options that the commands of `pytest` share.
const PYTEST: &[Opt] = opts!(
    "-k=, -m=, --markers, -x --exitfirst, --fixtures --funcargs, --fixtures-per-test, --pdb, --pdbcls=, --trace, \
     --capture=, -s, --runxfail, --lf --last-failed, --ff --failed-first, --nf --new-first, --cache-show[=], \
     --cache-clear, --lfnf --last-failed-no-failures=, --sw --stepwise, --sw-skip --stepwise-skip, --durations=, \
     --durations-min=, -v --verbose, -vv, --no-header, --no-summary, --no-fold-skipped, -q --quiet, --verbosity=, -r=, \
     --disable-warnings --disable-pytest-warnings, -l --showlocals, --no-showlocals, --tb=, --xfail-tb, --show-capture=, \
     --full-trace, --color=, --code-highlight=, --pastebin=, --junitxml --junit-xml=>, --junit-prefix=, -W --pythonwarnings=, \
     --maxfail=, --strict-config, --strict-markers, --strict, -c --config-file=<, --continue-on-collection-errors, \
     --rootdir=, --collect-only --co, --pyargs, --ignore=, --ignore-glob=, --deselect=, --confcutdir=, --noconftest, \
     --keep-duplicates, --collect-in-virtualenv, --import-mode=, --doctest-modules, --doctest-report=, --doctest-glob=, \
     --doctest-ignore-import-errors, --doctest-continue-on-failure, --basetemp=>, -V --version, --help -h, -p=, --trace-config, \
     --debug[=]>, -o --override-ini=, --assert=, --setup-only, --setup-show, --setup-plan, --log-level=, --log-format=, \
     --log-date-format=, --log-cli-level=, --log-cli-format=, --log-file=>, --log-file-level=, --log-auto-indent=, \
     --log-disable=, -n --numprocesses=, --dist=, --maxprocesses=, --max-worker-restart=, --forked, --cov[=], --cov-report=, \
     --cov-config=<, --no-cov, --no-cov-on-fail, --cov-fail-under=, --cov-append, --cov-branch, --cov-context=, --timeout=, \
     --timeout-method=, --reruns=, --reruns-delay=, --only-rerun=, --count=, --randomly-seed=, --randomly-dont-reorganize, \
     --asyncio-mode=, --benchmark-only, --benchmark-skip, --benchmark-disable, --benchmark-json=>, --benchmark-autosave, \
     --benchmark-save=, --benchmark-compare[=], --snapshot-update, --update-snapshots, --ds=, --create-db, --reuse-db, \
     --no-migrations --nomigrations, --html=>, --self-contained-html, --headed, --browser=, --slowmo=, --nbval, --nbval-lax, \
     --mypy, --ruff, --black, --flake8, --hypothesis-show-statistics, --hypothesis-seed=, --hypothesis-profile=, --record-mode=, \
     --splits=, --group=, --runslow, --slow, --integration, --e2e, --gpu, --network, --live, --inline-snapshot=, --testmon, --picked[=]"
);

/// Options that the commands of `uv` share.
const UV: &[Opt] = opts!(
    "-q --quiet, -v --verbose, --color=, --native-tls, --offline, --allow-insecure-host=, --no-progress, --directory=/, \
     --project=, --config-file=<, --no-config, -n --no-cache, --cache-dir=>, --python-preference=, --no-python-downloads, \
     --managed-python, --no-managed-python, -V --version, --help -h, -p --python=, --index=, --default-index=, -i --index-url=, \
     --extra-index-url=, -f --find-links=, --no-index, --index-strategy=, --keyring-provider=, -U --upgrade, \
     -P --upgrade-package=, --resolution=, --prerelease=, --exclude-newer=, --no-sources, --reinstall, --reinstall-package=, \
     --link-mode=, --compile-bytecode, -C --config-setting=, --no-build-isolation, --no-build, --no-binary, --refresh, \
     --extra=, --all-extras, --no-extra=, --group=, --no-group=, --only-group=, --all-groups, --no-default-groups, --dev, \
     --no-dev, --only-dev, --no-editable, --inexact, --exact, --active, --no-sync, --locked, --frozen, --all-packages, \
     --package=, --no-project, --isolated, --env-file=<, --no-env-file, -s --script, -m --module, --with=, --with-editable=, \
     --with-requirements=<, --dry-run, --output-format=, --preview"
);

/// The tools of this file, each with its options, its commands and its examples.
pub(super) const TABLE: &[Tool] = tools! {
    Inherited "pip pip3 pip2 pipx" [PIP] => ; {
        "install upgrade upgrade-all reinstall reinstall-all inject" "--include-deps, --include-apps, --force, --suffix=, --pip-args=, --global, --fetch-missing-python, --system-site-packages"
            => Unless("--dry-run", &[Installs]);
        "uninstall uninject uninstall-all" => Removes;
        "download wheel lock" "-d --dest=>, -w --wheel-dir=>, -o --output=>" => Fetches("pypi.org"), Here;
        @InheritedPosix "run" "--spec=, --no-cache, --pypackages, --with=" => Package, Runs(0);
        "list freeze show check inspect help debug completion environment ensurepath interpreter" "-o --outdated, -u --uptodate, \
            -e --editable, -l --local, --format=, --not-required, --exclude=, --exclude-editable, -f --files, --all, \
            --path=, --include-editable, --short, --json, --bash, --zsh, --fish, --include-injected, --skip-maintenance" => ;
        "index search" => Fetches("pypi.org"); { "versions" => Fetches("pypi.org"); };
        "hash" "-a --algorithm=" => Reads;
        "cache" => ; { "dir info list" "--format=" => ; "remove purge" => At(Access::Write, "~/.cache/pip"); };
        "config" "--editor=!, --global, --user, --site" => ; {
            "list get debug" "--global, --user, --site" => ;
            "set unset edit" "--global, --user, --site, --editor=!" => Setting("a setting of the installer"), At(Access::Write, "~/.config/pip");
        };
    } [
        "pip -q install x": "package:install",
        "pip install -r requirements.txt": "package:install",
        "pip install -e '.[dev]'": "package:install",
        "pip list --outdated --format=json": "",
        "pip freeze": "",
        "pip show x": "",
        "pip download x -d /etc/y": "network write:system write:workspace:recursive",
        "pip uninstall -y x": "package:remove",
        "pip --frobnicate list": "unmodelled",
        "pipx run black .": "code:package write:workspace:recursive write:workspace_root",
    ]

    Inherited "uv" [UV] => ; {
        @InheritedPosix "run" => Here, If("--with --with-editable --with-requirements", &[Package]), Runs(0);
        "sync lock" "--check, --script=<" => Unless("--check", &[Installs, Here]);
        "add" "--optional=, --editable, --raw-sources, -r --requirements=<, --rev=, --tag=, --branch=, --bounds=, --script=<" => Installs, Here;
        "remove" "--optional=, --script=<" => Removes, Here;
        "tree version export cache-dir" "-d --depth=, --prune=, --invert, --no-dedupe, --outdated, --format=, -o --output-file=>, --no-hashes, \
            --no-header, --universal, --short, --bump=" => Here;
        "init" "--lib, --app, --name=, --no-readme, --bare, --build-backend=, --vcs=, --no-workspace, --package, --no-package" => Here;
        "venv" "--seed, --prompt=, --system-site-packages, --clear, --allow-existing, --relocatable" => Alone(&[Here]), WithOperands(&[Writes]);
        "build" "--wheel, --sdist, -o --out-dir=>, --all" => Project, Here;
        "publish" "--token=, --username=, --password=, --publish-url=, --check-url=, --trusted-publishing=" => Sends("pypi.org"), Cloud("the registry");
        "pip" [PIP] => ; {
            "install sync" [PIP] "--system, --extra=" => Installs;
            "uninstall" [PIP] "--system" => Removes;
            "compile" [PIP] "-o --output-file=>, --universal, --generate-hashes, --no-strip-extras, --extra=, --no-header, --no-annotate" => Fetches("pypi.org"), Here;
            "list freeze show tree check" [PIP] "--outdated, --format=, --strict, -d --depth=, --invert, --exclude-editable" => ;
        };
        "python" => ; { "list find dir pin" "--only-installed, --all-versions, --show-version" => ; "install upgrade" "--default, -r" => Installs; "uninstall" => Removes; };
        "tool" => ; {
            @InheritedPosix "run" "--from=" => Package, Runs(0);
            "install upgrade update-shell" "--from=, --force, --all" => Installs;
            "uninstall" => Removes;
            "list dir" "--show-paths, --bin" => ;
        };
        "cache" => ; { "dir" => ; "clean prune" "--ci" => At(Access::Write, "~/.cache/uv"); };
        "format" "--check, --diff" => Here;
        "self" => ; { "update" => Installs; "version" "--short" => ; };
        "help version" => ;
        "auth" => Secret("credentials of the registry"); { "*" => Secret("credentials of the registry"); };
    } [
        "uv run pytest -x tests/a.py": "code:project write:workspace:recursive",
        "uv run --group dev ruff check --fix .": "write:workspace:recursive",
        "uv sync --all-extras --dev": "package:install write:workspace:recursive",
        "uv add httpx": "package:install write:workspace:recursive",
        "uv pip install -e .": "package:install",
        "uv venv": "write:workspace:recursive",
        "uv tree": "write:workspace:recursive",
    ]
    InheritedPosix "uvx" [UV] "--from=" => Package, Runs(0); ["uvx ruff check": "code:package"]

    Inherited "poetry pdm hatch pipenv rye hatchling flit" "-q --quiet, -v --verbose, -n --no-interaction, --no-ansi, --ansi, -C --directory=/, \
        -P --project=/, -V --version, --help -h, --no-plugins, --no-cache, -p=, -c --config=<, -I, --without=, --with=, --only=, \
        -G --group=, -D --dev, --no-dev, --extras -E=, --all-extras, --all-groups, --no-root, --sync, --dry-run, --no-directory, \
        --only-root, --compile, --editable, -e --env=, --lock, --source=, --allow-prereleases, --python=, -d, --prod --production, \
        --no-lock, --no-sync, --no-self, --no-editable, --no-isolation, --frozen-lockfile --frozen, --deploy, --ignore-pipfile, \
        --system, --skip-lock, --three, --keep-outdated, --pre, --clear, --site-packages, --categories=, -r=<, --requirements=<, \
        --tree -t, --latest -l, --outdated -o, --all -a, --format -f=, --output=>, --without-hashes, --no-update, --regenerate, --check, \
        --force, --short -s, -u --username=, --repository -r=, --build, --skip-existing, --list, --full-path, --include=, --exclude=, -t=, --clean, \
        --no-update-lockfile, --pyproject, --no-hashes" => ; {
        @InheritedPosix "run" => Here, Runs(0);
        @InheritedPosix "shell fmt test" "-c --cover, --parallel, --randomize, --retries=, --all, --check" => Project, Here;
        "install sync update lock self upgrade" => Installs, Here; { "update add show lock install remove plugin plugins" => Installs, Here; };
        "add" => Installs, Here;
        "remove uninstall rm clean prune" => Removes, Here;
        "show list search check env info about config graph venv which outdated status dep verify requirements scripts new init version \
            fix completion freeze import export tools" "--unset, --local, --migrate, --path -p=, --no-env, --name=, --lib, --src, --strict, --where, \
            --venv, --py, --envs, --json, --edit, --global" => WithOperands(&[Here]); {
            "info list use activate remove show find create prune run hash" "--path, --full-path, --all, --no-sync" => Here;
            "*" "--unset, --local, --where" => Here;
        };
        "build" "-t --target=, --hooks-only, --no-hooks, --ext, --wheel, --sdist, --dest=>" => Project, Here;
        "publish" "--build, --skip-existing" => Sends("pypi.org"), Cloud("the registry");
        "cache" => ; { "list clear info dir remove" => At(Access::Write, "~/.cache/pypoetry"); };
        "toolchain python" => Installs; { "*" => Installs; };
    } [
        "poetry run pytest -q": "code:project write:workspace:recursive",
        "poetry install --no-root": "package:install write:workspace:recursive",
        "pdm add x": "package:install write:workspace:recursive",
        "pdm run pytest": "code:project write:workspace:recursive",
        "pipenv run flask routes": "code:project write:workspace:recursive",
        "hatch test": "code:project write:workspace:recursive",
        "poetry show --tree": "",
        "poetry version patch": "write:workspace:recursive",
        "poetry env info": "write:workspace:recursive",
    ]

    Inherited "conda mamba micromamba" "-n --name=, -p --prefix=, -y --yes, -c --channel=, --override-channels, -q --quiet, -v --verbose, \
        --json, -d --dry-run, -f --file=<, --force, --no-deps, --only-deps, --offline, --strict-channel-priority, -V --version, \
        --help -h, --update-all --all, --freeze-installed, --no-capture-output --live-stream, -s, --no-default-packages, --revision=" => ; {
        @InheritedPosix "run" "--cwd=/" => Runs(0);
        "install update upgrade create" "--clone=, --download-only" => Installs;
        "remove uninstall" => Removes;
        "list search info config env repoquery" "--show-sources, --show, --get=, --set=, --add=, --remove=, --append=, --system, --env, -e --envs, \
            -r --revisions, --export, --explicit, --from-history" => If("--set --add --remove --append", &[At(Access::Write, "~/.condarc")]); {
            "list export" "--from-history, --no-builds" => ;
            "create update" "--prune" => Installs;
            "remove" => Removes;
            "*" => ;
        };
        "clean" "--all -a, --tarballs -t, --packages -p" => At(Access::Write, "~/.conda");
        "init" => At(Access::Write, "~/.bashrc");
        "activate deactivate" => ;
    } [
        "conda install -y numpy": "package:install",
        "conda env list": "",
        "conda run -n x pytest": "code:project write:workspace:recursive",
        "conda init bash": "write:startup:recursive",
    ]

    Gnu "pytest py.test" [PYTEST] => Project, Here, Executes, Call(settings), If("--pastebin", &[Sends("bpa.st")]); [
        "pytest -o cache_dir=/etc/x": "code:project execute:system:recursive write:system:recursive write:workspace:recursive",
        "pytest -o addopts='-p x'": "code:project unmodelled write:workspace:recursive",
        "pytest --debug=/etc/x": "code:project write:system write:workspace:recursive",
        "pytest --cov-report=html:/etc/x": "code:project execute:system:recursive write:system:recursive write:workspace:recursive",
        "pytest --pastebin=all": "code:project network:send write:workspace:recursive",
        "pytest -xvs tests/a.py::test_b -k foo": "code:project write:workspace:recursive",
        "pytest tests/shutdown/": "code:project write:workspace:recursive",
        "pytest -n auto --cov=src --cov-report=term-missing -m 'not slow'": "code:project write:workspace:recursive",
        "pytest --junitxml=/etc/x": "code:project write:system write:workspace:recursive",
        "pytest --frobnicate": "code:project unmodelled write:workspace:recursive",
    ]

    Gnu "mypy dmypy stubgen" "--strict, --install-types, --non-interactive, --ignore-missing-imports, -p --package=, -m --module=, -c --command=, \
        --config-file=<, --exclude=, --python-version=, --platform=, --show-error-codes, --pretty, --no-error-summary, --warn-unused-ignores, \
        --disallow-untyped-defs, --follow-imports=, --namespace-packages, --explicit-package-bases, --cache-dir=>, --no-incremental, \
        --junit-xml=>, --html-report=>, --txt-report=>, --check-untyped-defs, --disable-error-code=, --enable-error-code=, --show-traceback, \
        --python-executable=!, --no-implicit-optional, --warn-return-any, --warn-unreachable, --show-column-numbers, --hide-error-context, \
        -v --verbose, -V --version, --help -h, -o --output=, --no-color-output, --scripts-are-modules, --no-site-packages, --sqlite-cache"
        => Project, Here, Reads, If("--install-types", &[Installs]); [
        "mypy --strict src": "code:project write:workspace:recursive",
    ]

    Inherited "ruff" "--config=, --isolated, -v --verbose, -q --quiet, -s --silent, --color=, -V --version, --help -h" => ; {
        "check linter rule" "--fix, --no-fix, --unsafe-fixes, --no-unsafe-fixes, --show-fixes, --diff, -w --watch, --fix-only, --ignore-noqa, \
            --output-format=, -o --output-file=>, --target-version=, --preview, --statistics, --add-noqa, --show-files, --show-settings, \
            --select=, --ignore=, --extend-select=, --extend-ignore=, --per-file-ignores=, --fixable=, --unfixable=, --exclude=, \
            --extend-exclude=, --respect-gitignore, --force-exclude, -n --no-cache, --cache-dir=>, --stdin-filename=, -e --exit-zero, \
            --exit-non-zero-on-fix, --line-length=, --all" => Reads, If("--fix --fix-only --unsafe-fixes --add-noqa", &[Here]);
        "format" "--check, --diff, --line-length=, --target-version=, --preview, --exclude=, --force-exclude, -n --no-cache, --cache-dir=>, \
            --stdin-filename=, --range=, --respect-gitignore" => Reads, Unless("--check --diff", &[Here, WithOperands(&[Writes])]);
        "config version clean server analyze help" "--output-format=" => ; { "graph" => ; "*" => ; };
    } [
        "ruff check .": "",
        "ruff check --fix src": "write:workspace:recursive",
        "ruff format --check .": "",
        "ruff format /etc/x": "write:system write:workspace:recursive",
    ]
    Gnu "black isort autopep8 yapf autoflake docformatter pyupgrade add-trailing-comma blue darker usort" "--check, --diff, -q --quiet, -v --verbose, -l --line-length=, \
        -t --target-version=, --config --settings-path --settings-file=<, --exclude=, --extend-exclude=, --force-exclude=, --include=, -S, \
        --skip-string-normalization, --preview, --fast, --safe, --color, --no-color, -c=, --code=, --check-only, --profile=, --sl, --tc, \
        -i --in-place, -r --recursive, -a --aggressive, -p --parallel, --remove-all-unused-imports, --remove-unused-variables, --py38-plus, \
        --py39-plus, --py310-plus, --py311-plus, --py3-plus, --skip=, --sg --skip-glob=, --src=, --filter-files, --stdin-filename=, --version, \
        --style=, --max-line-length=, -j --jobs --workers=, -W=, --ignore=, --select=, --float-to-top, --add-import=, --black, --atomic, -d"
        => Reads, Unless("--check --check-only --diff -d", &[Here, Writes]); [
        "black --check src tests": "",
        "isort --profile black src/a.py": "write:workspace write:workspace:recursive",
    ]

    Operands "flake8 pylint pycodestyle pydocstyle pyflakes bandit vulture radon xenon pyright basedpyright pytype pyre ty prospector codespell \
        interrogate deptry tryceratops refurb pyroma check-manifest check-wheel-contents import-linter lint-imports djlint curlylint \
        sphinx-build sphinx-apidoc sphinx-autobuild sphinx-quickstart mkdocs pdoc pydoc3 pydoc cookiecutter copier cruft tox nox \
        nosetests nose2 stestr behave robot coverage green trial py-spy scalene memray pyinstaller nuitka cython cythonize f2py \
        maturin build pyproject-build setuptools-scm bump2version bumpversion bump-my-version towncrier django-admin django manage.py flask uvicorn gunicorn hypercorn daphne \
        celery streamlit gradio alembic dbt airflow prefect dagster jupyter jupyter-lab jupyter-notebook jupyter-nbconvert ipython nbqa papermill \
        pip-audit safety pip-compile pip-sync pipdeptree pipreqs pip-licenses cz commitizen pybabel babel-py \
        scrapy kedro mlflow dvc accelerate torchrun huggingface-cli hf wandb tensorboard pgcli-lint sqlfluff sqlformat invoke fab doit pyclean"
        => Project, Here, Touches, Call(plain); [
        "pylint --init-hook='x' a.py": "code:project unmodelled write:workspace:recursive",
        "tox -x testenv.commands=x": "code:project unmodelled write:workspace:recursive",
        "coverage run -m pip install x": "code:project unmodelled write:workspace:recursive",
        "gunicorn \"os:system('id')\"": "code:project unmodelled write:workspace:recursive",
        "manage.py flush": "code:project database:destroys write:workspace:recursive",
        "flake8 --max-line-length 100 src": "code:project write:workspace:recursive",
        "coverage run -m pytest": "code:project write:workspace:recursive",
        "sphinx-build -b html docs docs/_build": "code:project write:workspace:recursive",
        "tox -e py312 -- -k x": "code:project write:workspace:recursive",
        "jupyter nbconvert --to html a.ipynb": "code:project write:workspace:recursive",
    ]

    Inherited "twine" "-r --repository=, --repository-url=, -u --username=, -p --password=, --skip-existing, --cert=<, --non-interactive, --verbose, \
        --strict, --config-file=<, --disable-progress-bar, --sign -s, --version" => ; {
        "check" => Reads;
        "upload register" => Reads, Sends("pypi.org"), Cloud("the registry");
    } ["twine check dist/x.whl": "", "twine upload dist/x.whl": "cloud network:send"]

    Gnu "virtualenv pyvenv" "-p --python=, --system-site-packages, --clear, -q --quiet, -v --verbose, --copies, --symlinks, --no-pip, --no-setuptools, \
        --prompt=, --upgrade-embed-wheels, --download, --no-download, --version" => Writes; ["virtualenv -p python3 venv": "write:workspace"]

    Single "wheel auditwheel delocate-wheel" "--plat=, -w=>, --dest-dir=>, -d=>, -v" => Reads, Here; { "unpack pack tags convert show repair" "-d=>, -w=>, --plat=" => Reads, Here; }
    ["wheel unpack x.whl": "write:workspace:recursive"]
};

/// Settings of `pytest` that name places, and reports that are written there.
fn settings(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for word in parsed.values("-o") {
        let (name, value) = word.value.prefix().split_once('=').unwrap_or_default();
        if matches!(name.trim(), "addopts" | "required_plugins") {
            report.not_understood("a setting holds options");
        }
        beyond(report, word, &Value::known(value.trim()), true);
    }
    for word in parsed.values("--cov-report") {
        if let Some((_, path)) = word.value.prefix().split_once(':') {
            beyond(report, word, &Value::known(path), true);
        }
    }
}
