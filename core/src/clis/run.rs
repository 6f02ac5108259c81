//! Prepares the run of a CLI, and checks everything once more before it starts.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::adapter::Adapter;
use super::binary::{self, Verified};
use super::reach;
use super::repository::{self, RepositoryView};
use super::rules;
use super::surroundings::{self, Ground, NoSurroundings, Surroundings};
use super::{Clis, Definition, Granted, Registered, Variables};
use crate::error::Code;
use crate::exec::sandbox::{Mounted, WORKSPACE};
use crate::exec::{Folder, Host};
use crate::shell::{Confinement, Reach};
use crate::tool::{Caller, ToolError};

/// Where a CLI runs.
pub(crate) struct Room {
    /// Folders of the caller's that it may write.
    pub writable: Vec<PathBuf>,
    /// The folder it starts in.
    pub cwd: PathBuf,
    /// The words of the call, without the program.
    pub words: Vec<String>,
    /// What the command was held to.
    pub held_to: Confinement,
    /// How a container sees the workspace, if it runs in one.
    pub mounted: Option<Mounted>,
}

/// The program of a CLI.
pub(crate) enum Program {
    /// One of this machine, and the private folder that it has.
    OnHost(Verified, Folder),
    /// That of an image by the CLI's name. Its container looks for it.
    OfImage,
}

/// A CLI that is ready to run.
pub(crate) struct Prepared {
    /// The program.
    pub program: Program,
    /// Its variables and files.
    pub surroundings: Surroundings,
    /// What it is held to.
    pub held_to: Confinement,
    /// How long it may take.
    pub timeout: Duration,
}

impl Clis {
    /// Refuses a call that is denied: of a CLI that was not granted, or with words that are denied.
    ///
    /// # Errors
    /// The refusal.
    pub(crate) async fn allowed(
        &self,
        caller: &Caller,
        cli: &Registered,
        words: &[String],
        input: Option<&str>,
    ) -> Result<Granted, ToolError> {
        let granted = self.granted(caller, cli).await?;
        let mut held_to = std::iter::once(&granted.definition).chain(&granted.above);
        match held_to.find_map(|one| rules::denial(one, words, input)) {
            None => Ok(granted),
            Some(denial) => {
                let text = format!(
                    "[credentialed CLI] This call of `{}` is denied: {}. It has not run, and no \
                     other spelling will. Do it another way, or tell the user what is to be done by \
                     hand.",
                    cli.name, denial.why
                );
                let refusal = ToolError::new(Code::CommandDenied, text);
                Err(refusal.by_rule(format!("cli.{}: {}", cli.name, denial.rule)))
            }
        }
    }

    /// Prepares a call that is allowed.
    ///
    /// # Errors
    /// What is missing or not as it was, for the model.
    pub(crate) async fn prepared(
        self: &Arc<Clis>,
        caller: &Caller,
        cli: &Registered,
        granted: Granted,
        room: Room,
        host: Arc<Host>,
    ) -> Result<Prepared, ToolError> {
        let name = cli.name.clone();
        let refuse = move |code: Code, why: String| {
            let text = format!(
                "[credentialed CLI] `{name}` has not run: {why}. You cannot mend that; tell the user."
            );
            ToolError::new(code, text).by_rule(format!("cli.{name}"))
        };
        let variables = self.opened(caller, &granted).await;
        let variables =
            variables.map_err(|error| refuse(error.code(), error.message().to_owned()))?;
        let unmade = |why: NoSurroundings| match why {
            NoSurroundings::Missing(names) => {
                refuse(Code::Unavailable, format!("{} is not set", names.join(", ")))
            }
            NoSurroundings::Other(why) => refuse(Code::Unavailable, why),
        };
        surroundings::complete(&granted.definition, &variables).map_err(&unmade)?;
        let clis = Arc::clone(self);
        let making = tokio::task::spawn_blocking(move || {
            let timeout = Duration::from_secs(granted.definition.timeout_seconds);
            check_repository(&granted.definition, &room)?;
            let (program, surroundings) = match &room.mounted {
                None => clis.on_host(&granted, &variables, &room, &host)?,
                Some(_) => {
                    let ground = Ground::Container;
                    let made = surroundings::make(&granted.definition, &variables, &ground)?;
                    (Program::OfImage, made)
                }
            };
            let definition = &granted.definition;
            let network = reach::reach(definition, &variables, room.mounted.is_some())?;
            let held_to = held_to(room, &surroundings, network);
            Ok(Prepared { program, surroundings, held_to, timeout })
        });
        let made = making.await.map_err(|error| refuse(Code::Internal, error.to_string()))?;
        made.map_err(unmade)
    }

    /// The program and the surroundings of a CLI that runs on this machine; blocking.
    fn on_host(
        &self,
        granted: &Granted,
        variables: &Variables,
        room: &Room,
        host: &Host,
    ) -> Result<(Program, Surroundings), NoSurroundings> {
        let Granted { name, definition, .. } = granted;
        let program =
            self.verified(name, definition, &room.writable).map_err(NoSurroundings::Other)?;
        let folder = host.private_folder().map_err(|why| NoSurroundings::Other(why.to_string()))?;
        surroundings::furnish(folder.path())?;
        let home = host.temp_mount_point(folder.path());
        let ground = Ground::Host { home, binary: &program.path };
        let made = surroundings::make(definition, variables, &ground)?;
        made.write_into(folder.path())?;
        Ok((Program::OnHost(program, folder), made))
    }

    /// The binary of a CLI, verified and opened, if it is the one that was registered; blocking.
    fn verified(
        &self,
        name: &str,
        definition: &Definition,
        writable: &[PathBuf],
    ) -> Result<Verified, String> {
        let mut folders = binary::temp_folders();
        folders.extend(writable.iter().cloned());
        let given = definition.binary_path.as_deref();
        let verified = binary::verify(name, given, &folders, self.digests())?;
        match &definition.binary {
            Some(pinned) if *pinned != verified.pinned => Err(format!(
                "its binary `{}` is not the one that was registered (`{}`); the owner looks at it, \
                 and registers it anew with `clis.put`",
                verified.pinned.path, pinned.path
            )),
            _ => Ok(verified),
        }
    }
}

/// Refuses a repository that would have git run programs with the credential; blocking.
fn check_repository(definition: &Definition, room: &Room) -> Result<(), NoSurroundings> {
    let Some(preset) = definition.preset() else { return Ok(()) };
    let view = RepositoryView::new(room.mounted.as_ref());
    let found = match preset.adapter {
        Adapter::Git => repository::harmful(&room.words, &room.cwd, preset.style(), &view),
        // `gh` runs git in its own folder.
        Adapter::Gh => repository::harmful(&[], &room.cwd, preset.style(), &view),
        Adapter::None | Adapter::Psql => None,
    };
    match found {
        None => Ok(()),
        Some(what) => {
            let text = format!("the repository has {what}, which would run with the credential");
            Err(NoSurroundings::Other(text))
        }
    }
}

/// What a CLI is held to: it writes in the folders that its caller writes and nowhere else, whatever was
/// predicted of its words; reads no secrets but its own files; and has a network, since that is its purpose.
fn held_to(room: Room, surroundings: &Surroundings, network: Reach) -> Confinement {
    let mut held = room.held_to;
    held.write = match room.mounted {
        None => room.writable.iter().map(|path| path.display().to_string()).collect(),
        Some(_) => BTreeSet::from([WORKSPACE.to_owned()]),
    };
    held.read =
        surroundings.reads.iter().map(|path| path.display().to_string()).collect::<BTreeSet<_>>();
    held.network = network;
    held.listens = false;
    held
}
