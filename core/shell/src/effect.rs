//! Effects: what a command does to the world outside of itself.
//!
//! Effects are the language between the two halves of the crate. Below, models of programs and the
//! evaluation of the shell report [`Effect`]s. Above, the judge decides over effects alone, so that
//! no spelling of a command changes its verdict. Each effect comes as a [`Found`]: with the
//! invocation that causes it, its place in the text, and whether it certainly happens.
//!
//! # Labels
//!
//! Rules, examples and shown checks name an effect by its label, [`Effect::label`]:
//! `delete:workspace:recursive`, `network:send`, `code:network`, `environment_poison`. Labels are
//! part of the configuration and of the shown check, so they never change, even where a Rust name
//! here does.
//!
//! The list is closed. A new kind of effect does not compile until every judge has said what it
//! thinks of it.

use crate::ir::Span;
use crate::value::Value;

/// Something that an invocation does.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// It does something with a file or folder.
    File(FileEffect),
    /// It writes to a disk itself, mounts, partitions, or makes a file system.
    Device {
        /// What is done, for a reader: `mkfs`.
        what: String,
    },
    /// It sends to, or fetches from, another machine.
    Network {
        /// The host, as far as it is known.
        host: Value,
        /// The port, if it is written.
        port: Option<u16>,
        /// True if something is fetched.
        fetches: bool,
        /// What is sent.
        sends: Payload,
    },
    /// It waits for others to connect.
    Listen {
        /// The port, if it is written.
        port: Option<u16>,
    },
    /// It runs code that is not this command's text.
    Code {
        /// Where the code comes from.
        from: CodeFrom,
    },
    /// It runs something that is not known, because a word is not known.
    Dynamic {
        /// Which word is not known, for a reader.
        why: String,
    },
    /// It becomes another user, or gives itself more rights.
    Privilege {
        /// By which program.
        how: String,
    },
    /// It changes users or groups.
    Users,
    /// It changes how the machine runs.
    System(SystemChange),
    /// It ends processes.
    Kill {
        /// True if it ends more than it names one by one.
        all: bool,
        /// The process, or the name of it.
        what: Value,
    },
    /// It makes something run later or at each start.
    Persistence(Persistence),
    /// It sets a variable that changes what later programs run.
    EnvironmentInjection {
        /// The variable.
        name: String,
        /// What it is set to.
        value: Value,
    },
    /// It reads a secret.
    Secret {
        /// What kind of secret, for a reader.
        kind: String,
        /// Where it stands, if it is a file.
        path: Option<Value>,
    },
    /// It shows the environment.
    EnvironmentDump,
    /// What is here is sent away: a source and a network that hang together.
    Leak(Leak),
    /// It takes traces away.
    History,
    /// It reaches out of a container, or into the kernel's own files.
    ContainerEscape {
        /// By what, for a reader.
        how: String,
    },
    /// It uses up the machine: a fork bomb.
    Bomb,
    /// It changes something at a cloud provider.
    Cloud {
        /// Whose cloud.
        provider: String,
        /// True if something is deleted.
        destroys: bool,
    },
    /// It drops or empties a database.
    Database {
        /// True if data are deleted.
        destroys: bool,
    },
    /// It loses work in a repository: `reset --hard`, `clean -f`.
    VersionControlLoss,
    /// It changes a repository on another machine.
    VersionControlRemote {
        /// True if it overwrites what is there.
        forced: bool,
        /// True if it deletes a branch or a tag there.
        deletes: bool,
    },
    /// It installs or removes packages.
    Package {
        /// By which program.
        manager: String,
        /// What is installed or removed.
        source: Value,
        /// True if it installs; false if it removes.
        installs: bool,
    },
    /// It looks around in the network.
    Recon,
    /// It mines.
    Mining,
    /// A shell is joined to a connection.
    RemoteShell,
    /// The program is not known, or an option of it is not.
    Unmodelled {
        /// The program.
        program: String,
        /// What is not known of it, for a reader.
        why: String,
    },
}

/// What is sent away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Leak {
    /// A file, or what a program says of this machine.
    Local,
    /// The environment.
    Environment,
    /// A secret.
    Secret,
}

/// What is done with a file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileEffect {
    /// What.
    pub access: Access,
    /// The path, absolute and without `.` and `..` where it is known.
    pub path: Value,
    /// Where that is.
    pub scope: Scope,
    /// True if all that is below is meant as well.
    pub recursive: bool,
    /// True if nothing is asked and nothing can stop it: `-f`.
    pub forced: bool,
}

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// Its content is read.
    Read,
    /// Its name or its metadata is read: `ls`, `stat`.
    List,
    /// Its content is changed, or it is made.
    Write,
    /// It is deleted.
    Delete,
    /// Its mode, owner, times or attributes are changed.
    Meta,
    /// It is moved away.
    Move,
    /// A link to it is made.
    Link,
    /// It is run.
    Execute,
}

/// Where a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// In the workspace.
    Workspace,
    /// The workspace itself, or a folder above it.
    WorkspaceRoot,
    /// In the workspace, what version control runs or believes: `.git/hooks`, `.git/config`.
    VersionControl,
    /// What agents, editors, shells and package managers obey or run when they start: `AGENTS.md`,
    /// `.claude`, `.vscode`, `.npmrc`.
    AgentConfig,
    /// A folder for temporary files.
    Temp,
    /// A folder that the owner lets agents read.
    ReadRoot,
    /// In the home folder.
    Home,
    /// What starts with a log-in or a shell: `.bashrc`, `.profile`, autostart.
    Startup,
    /// Keys, tokens, passwords: `~/.ssh`, `~/.aws`, `.env`, `/etc/shadow`.
    Secret,
    /// Of the system: `/etc`, `/usr`, `/var`, `/`.
    System,
    /// A device that is no disk: `/dev/null`, a terminal.
    HarmlessDevice,
    /// Another device.
    Device,
    /// `/proc` and `/sys`.
    Kernel,
    /// What the owner denies.
    Denied,
    /// It is not known.
    Unknown,
}

/// What a program sends away.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// Nothing but the request.
    None,
    /// A text of the command.
    Text,
    /// A file.
    File(Value),
    /// What it reads on standard input.
    Stdin,
}

/// Where code comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeFrom {
    /// A file, whose path is an effect of its own.
    File,
    /// The text of the command, in this language: `python -c`.
    Inline(String),
    /// Standard input.
    Stdin,
    /// The network, straight away.
    Network,
    /// Something that was decoded.
    Decoded,
    /// A file that was fetched or written by the same command.
    Fetched,
    /// A script of a package or a build file: `npm test`, `make`.
    Project(String),
    /// A package that is fetched to be run: `npx`, `uvx`.
    Package(String),
    /// A setting or a variable names it: a hook, a pager, an alias.
    Setting(String),
}

/// How a machine is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SystemChange {
    /// Off, on again, asleep.
    Power,
    /// Services are started, stopped, enabled.
    Service,
    /// Modules, parameters of the kernel.
    Kernel,
    /// Who may connect.
    Firewall,
    /// The clock.
    Clock,
    /// Something else.
    Other,
}

/// What runs later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Persistence {
    /// `crontab`, `at`, timers.
    Schedule,
    /// A service.
    Service,
    /// A file that a shell or a session reads when it starts.
    Startup,
    /// A hook of version control.
    Hook,
    /// Who may log in.
    LogIn,
    /// A program that stands before another in the path.
    Path,
}

/// How sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Certainty {
    /// It may be, because something is not known.
    Unknown,
    /// It depends on something: a branch, a file.
    May,
    /// It happens if the command runs.
    Must,
}

/// An effect with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// What.
    pub effect: Effect,
    /// How sure.
    pub certainty: Certainty,
    /// The number of the invocation that has it; none: the shell itself, by a redirection or builtin.
    pub by: Option<usize>,
    /// The program, for a reader: `rm`.
    pub program: String,
    /// The words that cause it.
    pub span: Span,
}

impl Effect {
    /// A short name, for reports and rules: `write:workspace`, `delete:system:recursive:forced`,
    /// `network:send`, `code:inline:python`.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Effect::File(file) => file.label(),
            Effect::Device { .. } => "device".into(),
            Effect::Network { sends: Payload::None, .. } => "network".into(),
            Effect::Network { .. } => "network:send".into(),
            Effect::Listen { .. } => "listen".into(),
            Effect::Code { from } => format!("code:{}", from.label()),
            Effect::Dynamic { .. } => "dynamic".into(),
            Effect::Privilege { .. } => "privilege".into(),
            Effect::Users => "users".into(),
            Effect::System(change) => format!("system:{}", change.label()),
            Effect::Kill { all: true, .. } => "kill:all".into(),
            Effect::Kill { .. } => "kill".into(),
            Effect::Persistence(kind) => format!("persistence:{}", kind.label()),
            Effect::EnvironmentInjection { .. } => "environment_poison".into(),
            Effect::Secret { .. } => "secret".into(),
            Effect::EnvironmentDump => "environment_dump".into(),
            Effect::Leak(leak) => format!("leak:{}", leak.label()),
            Effect::History => "history".into(),
            Effect::ContainerEscape { .. } => "container_escape".into(),
            Effect::Bomb => "bomb".into(),
            Effect::Cloud { destroys, .. } => named("cloud", &[("destroys", *destroys)]),
            Effect::Database { destroys } => named("database", &[("destroys", *destroys)]),
            Effect::VersionControlLoss => "version_control_loss".into(),
            Effect::VersionControlRemote { forced, deletes } => {
                named("version_control_remote", &[("forced", *forced), ("deletes", *deletes)])
            }
            Effect::Package { installs: true, .. } => "package:install".into(),
            Effect::Package { .. } => "package:remove".into(),
            Effect::Recon => "recon".into(),
            Effect::Mining => "mining".into(),
            Effect::RemoteShell => "remote_shell".into(),
            Effect::Unmodelled { .. } => "unmodelled".into(),
        }
    }
}

/// A name with those of its marks that hold.
fn named(name: &str, marks: &[(&str, bool)]) -> String {
    let mut label = name.to_owned();
    for (mark, _) in marks.iter().filter(|(_, holds)| *holds) {
        label.push(':');
        label.push_str(mark);
    }
    label
}

impl FileEffect {
    /// The label: access and scope, with what makes it worse.
    fn label(&self) -> String {
        let name = format!("{}:{}", self.access.label(), self.scope.label());
        named(&name, &[("recursive", self.recursive), ("forced", self.forced)])
    }
}

impl Leak {
    /// The part of the label that names what leaks.
    fn label(self) -> &'static str {
        match self {
            Leak::Local => "local",
            Leak::Environment => "environment",
            Leak::Secret => "secret",
        }
    }
}

impl Access {
    /// The part of the label that names where the code comes from.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::List => "list",
            Access::Write => "write",
            Access::Delete => "delete",
            Access::Meta => "meta",
            Access::Move => "move",
            Access::Link => "link",
            Access::Execute => "execute",
        }
    }
}

impl Scope {
    /// The part of the label that names the change.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Scope::Workspace => "workspace",
            Scope::WorkspaceRoot => "workspace_root",
            Scope::VersionControl => "version_control",
            Scope::AgentConfig => "agent_config",
            Scope::Temp => "temp",
            Scope::ReadRoot => "read_root",
            Scope::Home => "home",
            Scope::Startup => "startup",
            Scope::Secret => "secret",
            Scope::System => "system",
            Scope::HarmlessDevice => "harmless_device",
            Scope::Device => "device",
            Scope::Kernel => "kernel",
            Scope::Denied => "denied",
            Scope::Unknown => "unknown",
        }
    }
}

impl CodeFrom {
    /// The part of the label that names the way.
    fn label(&self) -> String {
        match self {
            CodeFrom::File => "file".into(),
            CodeFrom::Inline(language) => format!("inline:{language}"),
            CodeFrom::Stdin => "stdin".into(),
            CodeFrom::Network => "network".into(),
            CodeFrom::Decoded => "decoded".into(),
            CodeFrom::Fetched => "fetched".into(),
            CodeFrom::Project(_) => "project".into(),
            CodeFrom::Package(_) => "package".into(),
            CodeFrom::Setting(_) => "setting".into(),
        }
    }
}

impl SystemChange {
    fn label(self) -> &'static str {
        match self {
            SystemChange::Power => "power",
            SystemChange::Service => "service",
            SystemChange::Kernel => "kernel",
            SystemChange::Firewall => "firewall",
            SystemChange::Clock => "clock",
            SystemChange::Other => "other",
        }
    }
}

impl Persistence {
    fn label(self) -> &'static str {
        match self {
            Persistence::Schedule => "schedule",
            Persistence::Service => "service",
            Persistence::Startup => "startup",
            Persistence::Hook => "hook",
            Persistence::LogIn => "log_in",
            Persistence::Path => "path",
        }
    }
}
