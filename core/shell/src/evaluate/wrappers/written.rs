//! Files that the text wrote and that a program may load although no word names them: modules,
//! settings of tests, the scripts of a project.
//!
//! Code of a project is the owner's to trust. What the same text has just written is not, so it is
//! evaluated when a program runs that may load it.

use super::WrapperCall;
use crate::code::Language;
use crate::place;
use crate::value::Value;

/// Programs that load files of their language. A name that ends in `*` stands for all that begin so.
const LOADERS: &[(Language, &[&str])] = &[
    (
        Language::Python,
        &[
            "python*", "pypy*", "ipython*", "pytest", "py.test", "tox", "nox", "coverage",
            "poetry", "pdm", "uv", "uvx", "pip*", "hatch", "flask", "django-admin", "gunicorn",
            "uvicorn", "celery",
        ],
    ),
    (
        Language::JavaScript,
        &[
            "node", "nodejs", "bun", "bunx", "deno", "tsx", "ts-node", "npm", "npx", "yarn",
            "pnpm", "pnpx", "jest", "vitest", "mocha", "webpack", "vite", "rollup", "gulp",
            "grunt", "eslint", "next",
        ],
    ),
    (Language::Perl, &["perl", "perl5*", "prove"]),
    (Language::Ruby, &["ruby*", "rake", "rspec", "bundle", "irb"]),
    (Language::Php, &["php*", "composer"]),
    (Language::Lua, &["lua*", "busted"]),
];

/// The endings of their names.
const ENDINGS: &[(Language, &[&str])] = &[
    (Language::Python, &["py", "pyw"]),
    (Language::JavaScript, &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"]),
    (Language::Perl, &["pl", "pm", "t"]),
    (Language::Ruby, &["rb", "rake"]),
    (Language::Php, &["php", "phtml"]),
    (Language::Lua, &["lua"]),
];

/// Programs that run what stands in files of these names, or of these endings.
const RECIPES: &[(&[&str], &[&str])] = &[
    (&["make", "gmake", "bmake"], &["Makefile", "makefile", "GNUmakefile", ".mk", ".mak"]),
    (&["npm", "npx", "yarn", "pnpm", "bun"], &["package.json", ".npmrc"]),
    (&["rake", "bundle"], &["Rakefile", "Gemfile"]),
    (&["just"], &["justfile", "Justfile", ".justfile"]),
    (&["task"], &["Taskfile.yml", "Taskfile.yaml"]),
    (&["composer"], &["composer.json"]),
    (&["tox", "nox"], &["tox.ini"]),
];

/// What makes a folder a repository, and says what is run in it.
const REPOSITORY: &[&str] = &["HEAD", "commondir", "config", "config.worktree"];

/// True for a name, or for the beginning of one where the pattern ends in `*`.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => pattern == name,
    }
}

/// The language whose modules a program loads.
fn loaded_by(program: &str) -> Option<Language> {
    let loads = |(_, names): &&(Language, &[&str])| names.iter().any(|name| fits(name, program));
    LOADERS.iter().find(loads).map(|(language, _)| *language)
}

/// The files of recipes that a program runs.
fn recipes_of(program: &str) -> &'static [&'static str] {
    let runs = RECIPES.iter().find(|(names, _)| names.contains(&program));
    runs.map(|(_, files)| *files).unwrap_or_default()
}

/// True for a program that may load what no word of its names.
pub(super) fn may_load(program: &str) -> bool {
    loaded_by(program).is_some() || !recipes_of(program).is_empty()
}

impl WrapperCall<'_, '_> {
    /// Asks if `git` runs in a folder that the text has made a repository, or below one: the settings
    /// and hooks in there are not the owner's.
    pub(super) fn repository_written(&mut self, folder: &Value) {
        let folders = folder.possible();
        let workspace = &self.interpreter.env.workspace;
        let is_of = |path: &str| {
            let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
            let hooks = above.strip_suffix("/hooks");
            let (above, counts) = (hooks.unwrap_or(above), REPOSITORY.contains(&name));
            // The workspace is one already; a `config` or `hooks` in it are other things.
            let is_root = workspace.iter().any(|root| root == above);
            let makes = matches!(name, "HEAD" | "commondir");
            let counts = if is_root { makes && hooks.is_none() } else { counts || hooks.is_some() };
            let runs_there = match &folders {
                Some(all) => all.iter().any(|folder| place::is_within(folder, above)),
                None => hooks.is_none(),
            };
            counts && runs_there
        };
        if !self.interpreter.take_unread(is_of).is_empty() {
            self.dynamic("`git` runs in a repository that is written before".to_owned());
        }
    }

    /// Judges what the text wrote and this program may load.
    pub(super) fn loads_written(&mut self) {
        let (language, recipes) = (loaded_by(self.name), recipes_of(self.name));
        let file = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let is_recipe = |path: &str| {
            let name = file(path);
            recipes.iter().any(|one| *one == name || one.starts_with('.') && name.ends_with(one))
        };
        let is_code = |path: &str| {
            let name = file(path);
            let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
            ENDINGS.iter().any(|(of, endings)| Some(*of) == language && endings.contains(&ending))
        };
        let (conditional, ran) = (std::mem::replace(&mut self.conditional, true), self.ran);
        for (path, text) in self.interpreter.take_unread(|path| is_recipe(path) || is_code(path)) {
            match language {
                Some(language) if is_code(&path) && text.possible().is_some() => {
                    self.code(language, &text, &[]);
                }
                _ if is_recipe(&path) => {
                    let file = file(&path);
                    self.dynamic(format!("`{}` runs `{file}`, which is written before", self.name));
                }
                _ => {}
            }
        }
        (self.conditional, self.ran) = (conditional, ran);
    }
}
