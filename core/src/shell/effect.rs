//! What a command does to the world: a closed list, so that every judge covers all of it.

use super::ir::Span;
use super::value::Value;

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
    /// It runs something that cannot be told, because of a word that is not known.
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
    EnvironmentPoison {
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
    /// What tells agents what to do: their configuration and instructions.
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
    /// It cannot be told.
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
