//! The program that confines a command before it runs: it makes namespaces and mounts, sets limits,
//! gives up privileges, holds itself to Landlock rules and a filter of system calls, and then becomes
//! the command. A second process of it stays, watches over all that the command starts, and ends it.
//!
//! It travels inside the library and is started from a file in memory. So it needs nothing of the
//! machine: no C library, no file, no path. The build script of the crate compiles it.
#![no_std]
#![no_main]
#![no_builtins]

mod memory;
mod mounts;
mod network;
mod plan;
mod start;
mod supervise;
mod system;
mod terminal;
#[path = "../src/exec/confine/wire.rs"]
#[allow(dead_code, reason = "the host uses the other half")]
mod wire;

use plan::Plan;
use system::{Errno, MOST_FILES, Outcome, Text};

#[cfg(target_arch = "x86_64")]
core::arch::global_asm!(
    ".globl _start",
    "_start: xor ebp, ebp",
    "and rsp, -16",
    "call {}",
    "ud2",
    sym main
);

#[cfg(target_arch = "aarch64")]
core::arch::global_asm!(".globl _start", "_start: mov x29, 0", "bl {}", "brk 1", sym main);

/// The socket to the host: standard input, as the host starts the program.
pub const HOST: u32 = 0;

/// How many words, and how many variables, a command may have.
const MOST_WORDS: usize = 65_536;

/// The option of `prctl` that lets no program gain privileges.
const NO_NEW_PRIVILEGES: usize = 38;

/// Room for the lists of words and variables, which the kernel wants in a row.
struct Lists {
    words: [Text; MOST_WORDS],
    variables: [Text; MOST_WORDS],
}

static mut LISTS: Lists =
    Lists { words: [core::ptr::null(); MOST_WORDS], variables: [core::ptr::null(); MOST_WORDS] };

/// Where the host's messages come. What is read of one lasts until the next.
static mut MESSAGE: [u8; wire::LONGEST_MESSAGE] = [0; wire::LONGEST_MESSAGE];

/// What a process knows while it goes through the plan.
struct Steps {
    plan: Plan,
    files: [u32; MOST_FILES],
    trees: [u32; wire::SLOTS],
    /// The position of the step that is done now.
    step: u32,
    /// Where it is reported if it fails.
    reports: u32,
    /// Signals that this process ignores (a bit for each).
    ignored: u64,
    /// The process that watches over the command.
    watcher: u32,
}

extern "C" fn main() -> ! {
    // What the host has left open is none of the command's business.
    let _ = system::close_from(3);
    system::ignore_signal(supervise::PIPE);
    let ignored = system::ignored_signals();
    let mut signals = None;
    loop {
        if let Err(error) = serve(ignored, &mut signals) {
            failed(HOST, 0, error);
        }
    }
}

/// Does the next thing that the host asks for: to settle where all its commands will run, or to go
/// through a plan. The process itself stays as it is, for the next one. `ignored` are the signals that a
/// command is not to ignore in its turn; `signals` tells of its children once it has watched over one
/// itself.
fn serve(ignored: u64, signals: &mut Option<u32>) -> Outcome<()> {
    let mut files = [u32::MAX; MOST_FILES];
    let message = &raw mut MESSAGE;
    // SAFETY: this is the only place that names it. Nothing that was read of an earlier message is left
    // by now: what goes through a plan has ended, or has a copy of its own.
    let message = unsafe { &mut *message };
    let (received, count) = system::receive(HOST, message, &mut files)?;
    let message: &'static [u8] = &message[..received];
    // The host has no more use for it.
    let Some((kind, rest)) = message.split_first() else { system::exit(0) };
    if *kind == wire::SETTLE {
        for file in files.iter().take(count) {
            system::write(*file, b"0")?;
            system::close(*file);
        }
        return supervise::settle(rest);
    }
    if *kind == wire::TO_GROUP || *kind == wire::TO_ALL {
        // It was for a command that has ended by now.
        return Ok(());
    }
    if *kind == wire::LISTEN {
        return supervise::listen(rest);
    }
    if *kind == wire::HOLD_ALL {
        return hold_all(rest, &files[..count]);
    }
    let is_here = *kind == wire::PLAN_HERE;
    if is_here {
        files.rotate_right(1);
    }
    if files[..4].iter().skip(usize::from(is_here)).any(|file| *file == u32::MAX) {
        return Err(system::EINVAL);
    }
    let bytes = if is_here { rest } else { system::mapped(files[0])? };
    let mut plan = Plan::new(bytes);
    let first = plan.tag()?;
    let trees = [u32::MAX; wire::SLOTS];
    let mut steps = Steps { plan, files, trees, step: 0, reports: HOST, ignored, watcher: 0 };
    if first == wire::SUPERVISE {
        steps.watched_here(signals)?;
    } else if first == wire::FORK {
        let Some(child) = system::fork(steps.plan.number()?)? else {
            supervise::die_with_parent();
            steps.go()
        };
        steps.close_files();
        while let Ok(None) = system::wait(child as i32, true) {}
    } else {
        return Err(system::EINVAL);
    }
    if !is_here {
        system::unmap(bytes);
    }
    system::write(HOST, &report(wire::IDLE, 0, 0))
}

/// Holds this process and all that it will start to filters of system calls, and what it will start to
/// these capabilities at most. It is done once, not for each command: the kernel takes longer to check
/// and translate a filter than many a command runs.
fn hold_all(told: &[u8], files: &[u32]) -> Outcome<()> {
    let (kept, _) = told.split_first_chunk().ok_or(system::EINVAL)?;
    keep_within_reach(u64::from_le_bytes(*kept));
    system::control(NO_NEW_PRIVILEGES, 1, 0)?;
    for file in files {
        let program = system::mapped(*file)?;
        system::close(*file);
        system::filter_calls(program)?;
        system::unmap(program);
    }
    Ok(())
}

/// Tells what went wrong, and ends.
fn failed(reports: u32, step: u32, error: Errno) -> ! {
    const CANNOT_START: u32 = 126;
    let _ = system::write(reports, &report(wire::FAILED, step, u64::from(error.0)));
    system::exit(CANNOT_START)
}

pub fn report(kind: u32, first: u32, second: u64) -> [u8; wire::REPORT] {
    let mut report = [0; wire::REPORT];
    report[..4].copy_from_slice(&kind.to_le_bytes());
    report[4..8].copy_from_slice(&first.to_le_bytes());
    report[8..].copy_from_slice(&second.to_le_bytes());
    report
}

impl Steps {
    /// Goes through the steps behind the one that is done now.
    fn go(mut self) -> ! {
        loop {
            self.step += 1;
            if let Err(error) = self.next() {
                failed(self.reports, self.step, error);
            }
        }
    }

    fn file(&mut self) -> Outcome<u32> {
        let place = self.plan.number()? as usize;
        self.files.get(place).copied().filter(|file| *file != u32::MAX).ok_or(system::EINVAL)
    }

    fn slot(&mut self) -> Outcome<&mut u32> {
        let slot = self.plan.number()? as usize;
        self.trees.get_mut(slot).ok_or(system::EINVAL)
    }

    fn next(&mut self) -> Outcome<()> {
        let tag = self.plan.tag()?;
        match tag {
            wire::SUPERVISE => self.go_on_supervised(),
            wire::EXECUTE => self.execute(),
            wire::NEW_TERMINAL => self.new_terminal(),
            wire::MOUNT | wire::OPEN_TREE | wire::MOVE_TREE | wire::PIN => self.mount(tag),
            wire::CHANGE_MOUNT => self.mount(tag),
            _ => self.give_up(tag),
        }
    }

    /// The steps that change what is mounted where.
    fn mount(&mut self, tag: wire::Tag) -> Outcome<()> {
        match tag {
            wire::MOUNT => {
                let (source, at, kind) = (self.plan.text()?, self.plan.text()?, self.plan.text()?);
                let (flags, data) = (self.plan.number()?, self.plan.text()?);
                mounts::mount(source, at, kind, flags, data)
            }
            wire::OPEN_TREE => {
                let slot = self.plan.number()? as usize;
                let tree = mounts::open_tree(self.plan.text()?)?;
                *self.trees.get_mut(slot).ok_or(system::EINVAL)? = tree;
                Ok(())
            }
            wire::MOVE_TREE => {
                let tree = *self.slot()?;
                mounts::move_mount(tree, self.plan.text()?)?;
                system::close(tree);
                Ok(())
            }
            wire::PIN => {
                let (at, set) = (self.plan.text()?, self.plan.number()?);
                mounts::pin(at, set)
            }
            _ => {
                let (at, set, clear) =
                    (self.plan.text()?, self.plan.number()?, self.plan.number()?);
                mounts::change_mount(at, set, clear)
            }
        }
    }

    /// The steps by which a process gives up what it could do.
    fn give_up(&mut self, tag: wire::Tag) -> Outcome<()> {
        match tag {
            wire::LIMIT => {
                let (resource, soft) = (self.plan.number()?, self.plan.number()?);
                system::limit(resource, soft, self.plan.number()?)
            }
            wire::DIRECTORY => system::change_folder(self.plan.text()?),
            wire::REACH => {
                keep_within_reach(self.plan.number()?);
                Ok(())
            }
            wire::CAPABILITIES => system::keep_capabilities(self.plan.number()?),
            wire::NO_NEW_PRIVILEGES => system::control(NO_NEW_PRIVILEGES, 1, 0),
            wire::ALLOW => {
                let (rules, access) = (self.file()?, self.plan.number()?);
                system::allow_by_landlock(rules, access, self.plan.text()?)
            }
            wire::LANDLOCK => system::restrict_by_landlock(self.file()?),
            wire::FILTER => system::filter_calls(self.plan.bytes()?),
            wire::TERMINAL => terminal::take_terminal(),
            wire::UMASK => {
                system::set_umask(self.plan.number()?);
                Ok(())
            }
            _ => Err(system::EINVAL),
        }
    }

    /// Goes on in a child, while this process stays to watch over it, and ends with it.
    fn go_on_supervised(&mut self) -> Outcome<()> {
        let signals = supervise::prepare()?;
        let (child, reader) = self.start_payload()?;
        supervise::watch(child, reader, signals);
        system::exit(0)
    }

    /// Goes through the rest in a child, and watches over it until nothing of it is left.
    fn watched_here(mut self, signals: &mut Option<u32>) -> Outcome<()> {
        let signals = match *signals {
            Some(signals) => signals,
            None => *signals.insert(supervise::prepare()?),
        };
        let (child, reader) = self.start_payload()?;
        supervise::watch(child, reader, signals);
        Ok(())
    }

    /// The child that is to become the command and goes through the rest, and where it tells what fails.
    fn start_payload(&mut self) -> Outcome<(u32, u32)> {
        let (reader, writer) = system::pipe()?;
        let reports = core::mem::replace(&mut self.reports, writer);
        self.watcher = system::process();
        // SAFETY: the entry takes steps, and copies them before anything else. What else it writes are
        // its stack and the lists, which only a child uses.
        let child = unsafe { start::start(become_payload, (&raw mut *self).cast()) };
        self.reports = reports;
        system::close(writer);
        self.close_files();
        child.map(|child| (child, reader))
    }

    /// Puts a new terminal in the place of the standard files, and sends its other side to the host.
    fn new_terminal(&mut self) -> Outcome<()> {
        let (rows, columns) = (self.plan.number()?, self.plan.number()?);
        let (ours, theirs) = terminal::new_terminal(rows, columns)?;
        system::send(HOST, &report(wire::NEW_TERMINAL_IS, 0, 0), &[ours])?;
        system::close(ours);
        for place in 1..4 {
            system::replace(self.files[place], theirs)?;
        }
        system::close(theirs);
        Ok(())
    }

    fn standard_files(&self) -> Outcome<()> {
        let mut all = [(1, 0), (2, 1), (3, 2)].into_iter();
        all.try_for_each(|(place, standard)| system::duplicate(self.files[place], standard))
    }

    fn close_files(&self) {
        for file in self.files {
            if file != u32::MAX {
                system::close(file);
            }
        }
    }

    fn execute(&mut self) -> Outcome<()> {
        let lists = &raw mut LISTS;
        // SAFETY: this is the only place that names the lists, and only a child comes here, of which
        // there is one at a time.
        let lists = unsafe { &mut *lists };
        let place = self.plan.number()?;
        let file = match place {
            wire::BY_PATH => None,
            place => Some(*self.files.get(place as usize).ok_or(system::EINVAL)?),
        };
        let path = self.plan.text()?;
        let words = self.plan.list(&mut lists.words)?;
        let variables = self.plan.list(&mut lists.variables)?;
        Err(system::execute(file, path, words, variables))
    }
}

/// Where the child starts that is to become the command.
///
/// # Safety
/// `steps` must be those of the process that waits for the child.
unsafe extern "C" fn become_payload(steps: *mut ()) -> ! {
    // SAFETY: as above. They own nothing that would be freed twice.
    let steps = unsafe { steps.cast::<Steps>().read() };
    let ready = supervise::become_payload(steps.watcher, steps.ignored)
        .and_then(|()| steps.standard_files());
    if let Err(error) = ready {
        failed(steps.reports, steps.step, error);
    }
    steps.go()
}

/// Lets no program that is started later get any other capabilities than these.
fn keep_within_reach(kept: u64) {
    const DROP_FROM_BOUNDING_SET: usize = 24;
    for capability in 0..64 {
        let is_kept = kept >> capability & 1 == 1;
        // Beyond the last one that the kernel knows it answers EINVAL. Who may not drop any has none to
        // give on, or gives them up with the others.
        if !is_kept && system::control(DROP_FROM_BOUNDING_SET, capability, 0) == Err(system::EINVAL)
        {
            break;
        }
    }
}

/// The compiled `core` asks for it by name. Nothing unwinds here.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    system::exit(125)
}
