//! Managers of versions and environments, and agents of other makers.

use crate::effect::{Access, Certainty};
use crate::invocation::program_name;
use crate::model::tool::Action::{
    self, At, Call, Fetches, Here, Installs, Looks, Project, Removes, Runs, RunsBehindDashes,
    Sends, Unknown,
};
use crate::model::tool::{Tool, tools};
use crate::model::{Parsed, Report};
use crate::models;
use crate::models::perform::perform;
use crate::names::is_wrapper;

/// The tools of this file, each with its options, its commands and its examples.
pub(super) const TABLE: &[Tool] = tools! {
    Operands "fnm volta n nvm nvs pyenv rbenv nodenv goenv jenv tfenv sdk gvm rvm phpenv plenv swiftenv chruby \
        ghcup-tui juliaup kiex" => Looks, Call(versions); [
        "nvm use 20": "",
        "nvm install --lts": "package:install",
        "pyenv versions": "",
        "pyenv install 3.12": "package:install",
        "sdk list java": "",
        "rbenv exec ruby x.rb": "unmodelled",
    ]
    Inherited "asdf mise rtx vfox aqua proto pixi" "-y --yes, -q --quiet, -v --verbose, -C --cd=/, -E --env=, -j --jobs=, -h --help, --version, -f --force, -g --global, -p --path=, -e --environment=, --pin, --json -J, -l, --installed, --current, --missing, --manifest-path=<" => ; {
        @InheritedPosix "exec x" "-c --command=!" => Here, Call(tool_words), RunsBehindDashes;
        @InheritedPosix "run r tasks task watch" "-n --dry-run, -o --output=, -t --tool=, -w --watch=" => Project, Here, Call(pixi);
        "list ls current where which info doctor env outdated latest version registry search ls-remote list-all help completion settings cfg config alias plugins plugin shell hook-env activate bin-paths trust tree" "--all -a, --urls, --refs, --shell=, --no-header" => Here; { "ls list get list-all ls-remote" => ; "add install update" => Installs; "remove uninstall" => Removes; "*" => Here; };
        "install i upgrade up update use u add self-update sync lock reshim init" => Installs, Here;
        "uninstall remove rm prune" => Removes;
        "local global set unset" => Here;
    } [
        "pixi run rm -r x": "code:project unmodelled write:workspace:recursive",
        "pixi run pytest": "code:project write:workspace:recursive",
        "mise run test": "code:project write:workspace:recursive",
        "mise exec node@20 -- npm test": "code:project write:workspace:recursive",
        "asdf install nodejs 20.0.0": "package:install write:workspace:recursive",
        "asdf current": "write:workspace:recursive",
    ]
    Posix "direnv" => ; {
        @Posix "exec" => Project, Runs(1);
        "allow permit grant reload edit" => Project, At(Access::Write, "~/.local/share/direnv");
        "status version deny block revoke help stdlib hook export prune fetchurl dotenv" "--json" => ; { "*" => ; };
    } ["direnv status": "", "direnv allow": "code:project write:home:recursive"]
    Inherited "devbox devcontainer devenv flox" "-q --quiet, -c --config=<, --workspace-folder=/, -e --env=, --pure, --help -h" => ; {
        @InheritedPosix "run shell up build exec test processes open read-configuration" => Project, Here, Fetches("");
        "add install update init global services generate" => Installs, Here; { "*" => Installs, Here; };
        "rm remove" => Removes, Here;
        "list info search version cache" => ; { "*" => ; };
    } ["devbox run test": "code:project network write:workspace:recursive"]

    // Agents: what they do is decided elsewhere, by a model.
    Operands "claude codex gemini aider opencode goose amp crush cline qwen copilot cursor-agent droid auggie plandex gptme sgpt tgpt llm chatgpt aichat fabric mods open-interpreter interpreter forge cody tabby continue swe-agent openhands devin windsurf-agent kiro q-cli"
        => Call(agent), Looks; [
        "claude -p 'fix the tests'": "network unmodelled",
        "claude --version": "",
        "aider --yes src/a.py": "network unmodelled",
        "llm 'what is this' < a.txt": "network unmodelled",
    ]
    Inherited "ollama" "--verbose, --nowordwrap, --format=, --keepalive=, --insecure, --hidethinking, --think[=], -v --version, -f --file=<, -q --quantize=, -h --help" => ; {
        "list ls ps show" "--modelfile, --license, --system, --template, --parameters" => ;
        "pull" => Fetches("ollama.com");
        "push" => Sends("ollama.com");
        "run" => Fetches("localhost");
        "create cp" => At(Access::Write, "~/.ollama");
        "rm" => Removes;
        "serve" => Action::Listens;
        "stop" => ;
    } ["ollama list": "", "ollama run llama3 'hi'": "network"]
    Operands "lms llama-cli llama-server llamafile whisper vllm litellm huggingface-cli-lfs comfy invokeai" => Unknown("what this program does is not known in full"); ["vllm serve x": "unmodelled"]
};

/// `pixi run rm`: what is no task is a program.
fn pixi(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    /// Tools that the managers run by their names.
    const TOOLS: &[&str] = &["pytest", "ruff", "mypy", "black", "cargo", "pre-commit"];
    let program = parsed.operands.first().map_or("", |word| program_name(word.value.prefix()));
    let is_program = program.contains(' ')
        || (models::is_known(program) || is_wrapper(program))
            && !models::is_everyday(program)
            && !TOOLS.contains(&program);
    if report.name() == "pixi" && is_program {
        report.not_understood("it runs another program");
    }
}

/// `nvm install 20`
fn versions(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let word = parsed
        .operands
        .iter()
        .filter_map(|word| word.value.as_known())
        .find(|word| !word.starts_with("--"));
    let actions: &[Action] = match word {
        Some(
            "install" | "i" | "add" | "link" | "pin" | "fetch" | "update" | "upgrade"
            | "selfupdate" | "get" | "implode" | "lts" | "latest",
        ) => &[Installs],
        Some("uninstall" | "rm" | "remove" | "flush" | "prune" | "purge") => &[Removes],
        Some(
            "use" | "ls" | "list" | "ls-remote" | "list-remote" | "current" | "which" | "env"
            | "default" | "alias" | "unalias" | "version" | "versions" | "deactivate" | "local"
            | "global" | "auto" | "-v" | "shell" | "root" | "prefix" | "whence" | "rehash" | "init"
            | "commands" | "help" | "c" | "version-name" | "home" | "offline" | "status" | "li"
            | "ls-versions" | "completions",
        )
        | None => &[],
        Some(_) => &[Unknown("this command of it is not known")],
    };
    perform(report, parsed, actions, Certainty::Must);
}

/// `mise exec node@20 -- command`: the words before `--` are tools.
fn tool_words(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let dashes = report.invocation.arguments.iter().any(|word| word.value.as_known() == Some("--"));
    let has_version = parsed.operands.first().is_some_and(|word| word.value.prefix().contains('@'));
    if has_version && !dashes {
        report.not_understood("which of its words are the command is not known");
    }
}

/// The effects of `other agents`.
fn agent(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let informs =
        ["--version", "-v", "-V", "--help", "-h", "version", "help", "doctor", "status", "models"];
    let words: Vec<&str> =
        parsed.operands.iter().filter_map(|word| word.value.as_known()).collect();
    if words.len() == 1 && informs.contains(&words[0]) && parsed.operands.len() == 1 {
        return;
    }
    let actions = &[Fetches(""), Unknown("an agent runs what a model tells it")];
    perform(report, parsed, actions, Certainty::Must);
}
