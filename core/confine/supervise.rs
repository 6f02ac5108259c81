//! The process that stays: it starts the command, tells the host how it ends, passes signals on, and
//! leaves nothing of it behind. It ends everything as soon as the host is gone.

use crate::network;
use crate::system::{self, EINVAL, Outcome};
use crate::wire;
use crate::{HOST, report};

const KILL: u32 = 9;
const STOP: u32 = 19;
/// It would end a process that tells something to a host that is gone.
pub const PIPE: usize = 13;
const CHILD: u64 = 1 << (17 - 1);

/// Ends this process when its parent ends, however that happens.
pub fn die_with_parent() {
    const SET_PARENT_DEATH_SIGNAL: usize = 1;
    let _ = system::control(SET_PARENT_DEATH_SIGNAL, KILL as usize, 0);
}

/// Goes to the namespaces that all commands have in common: flags, and the texts for `uid_map` and
/// `gid_map`, each of so many bytes as the byte before it says.
pub fn settle(told: &[u8]) -> Outcome<()> {
    const NEW_NETWORK: u64 = 0x4000_0000;
    let (flags, maps) = told.split_first_chunk().ok_or(EINVAL)?;
    let flags = u64::from_le_bytes(*flags);
    if flags == 0 {
        return Ok(());
    }
    system::unshare(flags)?;
    let (users, rest) = short(maps)?;
    let (groups, _) = short(rest)?;
    if !users.is_empty() {
        write_to(c"/proc/self/setgroups", b"deny")?;
        write_to(c"/proc/self/uid_map", users)?;
        write_to(c"/proc/self/gid_map", groups)?;
    }
    if flags & NEW_NETWORK != 0 {
        network::raise_loopback()?;
    }
    Ok(())
}

/// Gives the host listeners of the network that all commands have in common, and keeps none: an
/// address, and the ports.
pub fn listen(told: &[u8]) -> Outcome<()> {
    const LOOPBACK: u8 = 127;
    let (address, ports) = told.split_first_chunk().ok_or(EINVAL)?;
    if address[0] != LOOPBACK {
        network::add_address(*address)?;
    }
    let mut listeners = [0; system::MOST_FILES];
    let mut count = 0;
    let mut outcome = Ok(());
    for (port, listener) in ports.as_chunks().0.iter().zip(&mut listeners) {
        match network::listen(*address, *port) {
            Ok(file) => *listener = file,
            Err(error) => {
                outcome = Err(error);
                break;
            }
        }
        count += 1;
    }
    let listeners = &listeners[..count];
    if outcome.is_ok() {
        outcome = system::send(HOST, &report(wire::LISTENING, count as u32, 0), listeners);
    }
    listeners.iter().for_each(|file| system::close(*file));
    outcome
}

/// The bytes of a short text, and what comes after it.
fn short(bytes: &[u8]) -> Outcome<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first().ok_or(EINVAL)?;
    rest.split_at_checked(usize::from(*length)).ok_or(EINVAL)
}

fn write_to(path: &core::ffi::CStr, text: &[u8]) -> Outcome<()> {
    let file = system::open(path.as_ptr().cast(), system::WRITE_ONLY)?;
    let written = system::write(file, text);
    system::close(file);
    written
}

/// Gets ready to watch. Where it is told of children that end.
pub fn prepare() -> Outcome<u32> {
    const SET_CHILD_SUBREAPER: usize = 36;
    system::control(SET_CHILD_SUBREAPER, 1, 0)?;
    // Alone in its session: signals of the host's terminal are not for it.
    let _ = system::new_session();
    system::block_signals(CHILD);
    system::signals(CHILD)
}

/// What the child does first: a session and a group of its own, and signals as at the start. It ends with
/// `watcher`, and does not begin where that has ended already.
pub fn become_payload(watcher: u32, ignored: u64) -> Outcome<()> {
    die_with_parent();
    if system::parent() != watcher {
        return Err(system::ESRCH);
    }
    system::new_session()?;
    system::reset_signals(ignored);
    system::block_signals(0);
    Ok(())
}

/// Watches over the command until it ends, and over all that it has left behind. It does not come back
/// where the host is gone.
pub fn watch(command: u32, failures: u32, signals: u32) {
    let mut failure = [0; wire::REPORT];
    // It ends without a word as soon as the command runs.
    let told = system::read(failures, &mut failure).unwrap_or(0);
    system::close(failures);
    let first = if told == wire::REPORT { failure } else { report(wire::STARTED, 0, 0) };
    let _ = system::write(HOST, &first);
    let mut ended = None;
    // A shell ends at once: what it has started has its time to end in good order all the same.
    let mut is_in_grace = false;
    while ended.is_none() || is_in_grace && has_children() {
        let (asked, _) = system::readable(HOST, signals).unwrap_or((true, true));
        if asked {
            match obey(command) {
                Ok(Some(to_all)) => is_in_grace = to_all != KILL,
                Ok(None) => {}
                Err(_) => break,
            }
        }
        let mut drained = [0; 128 * 4];
        let _ = system::read(signals, &mut drained);
        while let Ok(Some((process, status))) = system::wait(-1, false) {
            if process == command {
                ended = Some(status);
            }
        }
    }
    end_all(command);
    match ended {
        Some(status) => {
            let _ = system::write(HOST, &report(wire::ENDED, status, 0));
        }
        None => system::exit(0),
    }
}

/// Does what the host asks for: to send a signal, which is given back if it was for all.
fn obey(command: u32) -> Outcome<Option<u32>> {
    let mut request = [0; wire::REQUEST];
    if system::read(HOST, &mut request)? != wire::REQUEST {
        // The host is gone.
        return Err(system::ESRCH);
    }
    let [to, signal] = request;
    let signal = u32::from(signal);
    let _ = system::kill(-(command as i32), signal);
    if to != wire::TO_ALL {
        return Ok(None);
    }
    signal_all(signal);
    Ok(Some(signal))
}

/// True if this process is the first of a namespace of processes: then the kernel ends all others
/// with it, and tells it of them all.
fn is_first() -> bool {
    system::process() == 1
}

fn signal_all(signal: u32) {
    if is_first() {
        let _ = system::kill(-1, signal);
    } else {
        each_descendant(system::process(), signal, 0);
    }
}

/// Whether anything is left that this process would be told of, once all that has ended is forgotten.
fn has_children() -> bool {
    loop {
        match system::wait(-1, false) {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// Ends everything that the command has started, in whatever group or session it is.
fn end_all(command: u32) {
    let _ = system::kill(-(command as i32), KILL);
    if is_first() {
        let _ = system::kill(-1, KILL);
        while let Ok(Some(_)) = system::wait(-1, true) {}
        return;
    }
    // Nothing is left of most commands, and to look for it takes a while.
    while has_children() {
        // Stopped first, so that none starts another while the others end.
        each_descendant(system::process(), STOP, 0);
        each_descendant(system::process(), KILL, 0);
        // The children of who ends become this process's own.
        match system::wait(-1, true) {
            Ok(Some(_)) => {}
            _ => return,
        }
    }
}

/// How deep a tree of processes is followed.
const DEEPEST: usize = 64;

fn each_descendant(of: u32, signal: u32, depth: usize) {
    if depth >= DEEPEST {
        return;
    }
    let mut path = Path::new();
    path.add(b"/proc/").number(of).add(b"/task/").number(of).add(b"/children");
    let Ok(file) = system::open(path.text(), 0) else { return };
    let (mut buffer, mut pid) = ([0; 512], 0_u32);
    while let Ok(count @ 1..) = system::read(file, &mut buffer) {
        for byte in buffer.iter().take(count) {
            if byte.is_ascii_digit() {
                pid = pid.wrapping_mul(10).wrapping_add(u32::from(byte - b'0'));
            } else if pid != 0 {
                // The one that stands higher first: what is stopped starts no others.
                let _ = system::kill(pid as i32, signal);
                each_descendant(pid, signal, depth + 1);
                pid = 0;
            }
        }
    }
    system::close(file);
}

/// A short path that is put together.
struct Path {
    bytes: [u8; 64],
    length: usize,
}

impl Path {
    fn new() -> Path {
        Path { bytes: [0; 64], length: 0 }
    }

    fn add(&mut self, text: &[u8]) -> &mut Path {
        for byte in text {
            // The last byte stays zero.
            if self.length < self.bytes.len() - 1 {
                self.bytes[self.length] = *byte;
                self.length += 1;
            }
        }
        self
    }

    fn number(&mut self, number: u32) -> &mut Path {
        let (mut digits, mut rest, mut from) = ([0; 10], number, 10);
        loop {
            from -= 1;
            digits[from] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.add(&digits[from..])
    }

    fn text(&self) -> *const u8 {
        self.bytes.as_ptr()
    }
}
