//! The confining program, kept in memory, and the supervisor: the program as it runs and takes plans.

use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use rustix::fs::{MemfdFlags, SealFlags};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
};

use super::filter::{self, Sockets};
use super::plan::Plan;
use super::wire;

/// The program as it was compiled for this machine. Empty where there is none for it.
const PROGRAM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/confine"));

/// The name that it has in a list of processes.
const NAME: &str = "toolkeep-confine";

/// The confining program as a file in memory.
#[derive(Debug)]
pub(crate) struct Program {
    file: OwnedFd,
}

/// The running program: the process, and the socket by which it reports. It carries out one plan
/// after another, and ends when the socket is closed.
#[derive(Debug)]
pub(crate) struct Supervisor {
    process: Child,
    socket: OwnedFd,
}

impl Program {
    /// Loads it.
    ///
    /// # Errors
    /// Where it does not exist for the machine, or the kernel gives no file in memory.
    pub(crate) fn load() -> io::Result<Program> {
        if PROGRAM.is_empty() {
            let what = "this system has no confinement that toolkeep knows";
            return Err(io::Error::new(io::ErrorKind::Unsupported, what));
        }
        Ok(Program { file: sealed(NAME, PROGRAM, MemfdFlags::EXEC)? })
    }

    /// Starts the program, and has it enter the control groups and the namespaces that its commands share.
    ///
    /// # Errors
    /// Where the system starts no process. Where it cannot settle there, its first plan fails.
    pub(crate) fn start(&self, groups: &[Arc<OwnedFd>], shared: Shared) -> io::Result<Supervisor> {
        let (ours, theirs) = rustix::net::socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )?;
        let groups: Vec<_> = groups.iter().map(|group| group.as_fd()).collect();
        send(&ours, &shared.message(), &groups)?;
        if let Some(sockets) = shared.calls {
            let programs = filter::programs(sockets).map_err(io::Error::other)?;
            let sealed = |program: &Vec<u8>| sealed("filter", program, MemfdFlags::empty());
            let files = programs.iter().map(sealed).collect::<io::Result<Vec<_>>>()?;
            let files: Vec<_> = files.iter().map(AsFd::as_fd).collect();
            let mut message = vec![wire::HOLD_ALL];
            message.extend(kept_capabilities().to_le_bytes());
            send(&ours, &message, &files)?;
        }
        let mut command = Command::new(format!("/proc/self/fd/{}", self.file.as_raw_fd()));
        command.arg0(NAME).env_clear().stdin(Stdio::from(theirs));
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        Ok(Supervisor { process, socket: ours })
    }
}

/// What all commands of one supervisor share, one after another: namespaces, and the system calls they may make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shared {
    /// Users: without privileges it takes one to have any other.
    pub(crate) users: bool,
    /// A network that leads nowhere.
    pub(crate) network: bool,
    /// Which sockets the system call filters allow that the supervisor itself is under, and so all its
    /// commands. None if the supervisor makes namespaces, which the filters deny.
    pub(crate) calls: Option<Sockets>,
}

/// What the host itself may do as root to files of others. A command of a privileged host keeps that,
/// within its walls: the folders that it works in need not be root's.
const CAPABILITIES_OF_FILES: u64 = 1 | 1 << 1 | 1 << 3;

/// What a command may keep of the capabilities of its host.
pub(super) fn kept_capabilities() -> u64 {
    if rustix::process::geteuid().is_root() { CAPABILITIES_OF_FILES } else { 0 }
}

const NEW_USERS: u64 = 0x1000_0000;
const NEW_NETWORK: u64 = 0x4000_0000;

impl Shared {
    fn message(self) -> Vec<u8> {
        let mut flags = 0;
        let (mut user, mut group) = (String::new(), String::new());
        if self.users {
            flags |= NEW_USERS;
            // Every user and group keeps its number.
            let own = |id: u32| format!("{id} {id} 1\n");
            user = own(rustix::process::geteuid().as_raw());
            group = own(rustix::process::getegid().as_raw());
        }
        if self.network {
            flags |= NEW_NETWORK;
        }
        let mut message = vec![wire::SETTLE];
        message.extend(flags.to_le_bytes());
        for text in [user, group] {
            // At most two numbers of ten digits.
            message.push(u8::try_from(text.len()).unwrap_or(0));
            message.extend(text.bytes());
        }
        message
    }
}

impl Supervisor {
    pub(crate) fn socket(&self) -> &OwnedFd {
        &self.socket
    }

    /// Ends it, and whatever still runs of its plan.
    pub(crate) fn end(mut self) {
        drop(self.socket);
        let _ = self.process.wait();
    }

    /// Listeners at an address of the network that its commands have, one for each port.
    ///
    /// # Errors
    /// Where it has ended, or its network has no such place.
    pub(crate) fn listen(&self, address: Ipv4Addr, ports: &[u16]) -> io::Result<Vec<OwnedFd>> {
        let mut all = Vec::with_capacity(ports.len());
        for some in ports.chunks(MOST_LISTENERS) {
            let mut message = vec![wire::LISTEN];
            message.extend(address.octets());
            message.extend(some.iter().flat_map(|port| port.to_be_bytes()));
            send(&self.socket, &message, &[])?;
            all.extend(self.listeners()?);
        }
        Ok(all)
    }

    fn listeners(&self) -> io::Result<Vec<OwnedFd>> {
        let mut report = [0; wire::REPORT];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_LISTENERS))];
        let mut extra = RecvAncillaryBuffer::new(&mut space);
        let into = &mut [IoSliceMut::new(&mut report)];
        rustix::net::recvmsg(&self.socket, into, &mut extra, RecvFlags::CMSG_CLOEXEC)?;
        if report[..4] != wire::LISTENING.to_le_bytes() {
            let error = i32::from_le_bytes([report[8], report[9], report[10], report[11]]);
            return Err(io::Error::from_raw_os_error(error));
        }
        let files = extra.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(files) => Some(files.collect::<Vec<_>>()),
            _ => None,
        });
        Ok(files.flatten().collect())
    }

    /// Gives it its plan. Standard input, output and error are the command's.
    ///
    /// # Errors
    /// Where it has ended, or the system gives no file in memory.
    pub(crate) fn give(&self, plan: &Plan, standard: [BorrowedFd<'_>; 3]) -> io::Result<()> {
        let mut files: Vec<_> = standard.into_iter().chain(plan.files()).collect();
        if plan.bytes().len() < wire::LONGEST_MESSAGE {
            let message = [&[wire::PLAN_HERE], plan.bytes()].concat();
            return send(&self.socket, &message, &files);
        }
        let written = sealed("plan", plan.bytes(), MemfdFlags::empty())?;
        files.insert(0, written.as_fd());
        send(&self.socket, &[wire::PLAN], &files)
    }
}

/// A file in memory that nobody can change any more.
fn sealed(name: &str, bytes: &[u8], flags: MemfdFlags) -> io::Result<OwnedFd> {
    let flags = flags | MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let file = match rustix::fs::memfd_create(name, flags) {
        // A kernel before 6.3 does not know of the flag, and lets all of them be executed.
        Err(rustix::io::Errno::INVAL) => {
            rustix::fs::memfd_create(name, flags.difference(MemfdFlags::EXEC))?
        }
        other => other?,
    };
    let mut file = File::from(file);
    file.write_all(bytes)?;
    let seals = SealFlags::SEAL | SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE;
    rustix::fs::fcntl_add_seals(&file, seals)?;
    Ok(OwnedFd::from(file))
}

/// The most listeners that come with one report.
const MOST_LISTENERS: usize = 16;

/// The most files that go along with a plan, one less than the program has places for.
const MOST_FILES: usize = 15;

fn send(socket: &OwnedFd, message: &[u8], files: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FILES))];
    let mut extra = SendAncillaryBuffer::new(&mut space);
    if files.len() > MOST_FILES
        || !files.is_empty() && !extra.push(SendAncillaryMessage::ScmRights(files))
    {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many files for one plan"));
    }
    rustix::net::sendmsg(socket, &[IoSlice::new(message)], &mut extra, SendFlags::NOSIGNAL)?;
    Ok(())
}
