//! What host and confining program say to each other. Both are made from this file.
//!
//! The host starts the program before it has anything to run, and has it settle where all will run. Then
//! it sends plan after plan, each with one message and the descriptors that the plan names by their places:
//! a file with the plan itself where it is too long for a message, then standard input, output and error,
//! then what steps name. A plan is a row of steps, each a tag and its fields: numbers of eight bytes, and
//! texts, which are their length in four bytes, their bytes, and a zero byte. All numbers are
//! little-endian.

/// A tag of a step.
pub type Tag = u8;

/// Go on in a child, in new namespaces: (flags of `clone`). The first step of a plan that wants some.
pub const FORK: Tag = 1;
/// Mount: (source, at, kind, flags, data). Empty texts stand for nothing.
pub const MOUNT: Tag = 2;
/// Take a copy of what is mounted at a path: (slot, path).
pub const OPEN_TREE: Tag = 3;
/// Mount the copy of a slot: (slot, at).
pub const MOVE_TREE: Tag = 4;
/// Change attributes of all that is mounted at a path and below: (at, set, clear).
pub const CHANGE_MOUNT: Tag = 5;
/// Go on in a child; the parent watches over it and all that it starts: (). Where it is the first step,
/// the parent is the program itself.
pub const SUPERVISE: Tag = 6;
/// Set a limit: (resource, soft, hard).
pub const LIMIT: Tag = 7;
/// Go to a folder: (path).
pub const DIRECTORY: Tag = 8;
/// Keep these capabilities only: (set).
pub const CAPABILITIES: Tag = 9;
/// Never gain privileges again: ().
pub const NO_NEW_PRIVILEGES: Tag = 10;
/// Hold to the Landlock rules of a place: (place).
pub const LANDLOCK: Tag = 11;
/// Filter system calls: (program).
pub const FILTER: Tag = 12;
/// Take the terminal at standard input: ().
pub const TERMINAL: Tag = 13;
/// Set the mask of new files' modes: (mask).
pub const UMASK: Tag = 14;
/// Keep these capabilities only within the reach of what is started later: (set).
pub const REACH: Tag = 15;
/// Become a program: (place of its file or [`BY_PATH`], path, number of words, words, number of
/// variables, variables).
pub const EXECUTE: Tag = 16;

/// Allow more by the Landlock rules of a place: (place, access, path). It is for what is mounted by the plan
/// itself, which nobody could name before.
pub const ALLOW: Tag = 17;
/// Make a terminal of those that are mounted by the plan, for standard input, output and error, and send
/// its other side to the host: (rows, columns).
pub const NEW_TERMINAL: Tag = 18;

/// Mount what stands at a path over itself, where no link leads there: (path, attributes to set).
pub const PIN: Tag = 19;

/// A message that says where all commands will run: files by which control groups are joined; then the
/// flags of `unshare`, and the texts for `uid_map` and `gid_map`, each with its length in one byte.
pub const SETTLE: u8 = 0;
/// A message that brings a plan in a file.
pub const PLAN: u8 = 1;
/// A message that asks for listeners in the network where all commands run: an address of four bytes,
/// and ports of two bytes each, all with the first byte first. They come with a report.
pub const LISTEN: u8 = 2;
/// A message that holds the program and all its commands to filters of system calls, each a file of
/// instructions, and its commands to capabilities at most: a set in eight bytes.
pub const HOLD_ALL: u8 = 3;
/// A message that is a plan, behind this byte. Nothing stands at the place of its file.
pub const PLAN_HERE: u8 = 4;
/// The size of a message at most.
pub const LONGEST_MESSAGE: usize = 16 << 10;

/// In place of a descriptor: the path says it.
pub const BY_PATH: u64 = u64::MAX;

/// How many mounts can be held in slots at once.
pub const SLOTS: usize = 256;

/// The size of what the program reports: kind, two numbers of four bytes and one of eight.
pub const REPORT: usize = 16;

/// A step failed: (its position in the plan, the number of the error).
pub const FAILED: u32 = 1;
/// The program runs.
pub const STARTED: u32 = 2;
/// It has ended: (its status as `wait` gives it).
pub const ENDED: u32 = 3;
/// Nothing of the plan runs any more; another may come.
pub const IDLE: u32 = 4;

/// Here are the listeners that were asked for: (how many).
pub const LISTENING: u32 = 5;

/// Here is the other side of the terminal that was made: ().
pub const NEW_TERMINAL_IS: u32 = 6;

/// The size of a signal that the host asks for: to whom, and which. It may come when the command that it is for
/// has ended, so that its first byte is that of no message.
pub const REQUEST: usize = 2;

/// The program's own group of processes.
pub const TO_GROUP: u8 = 6;
/// Everything that it has started.
pub const TO_ALL: u8 = 7;
