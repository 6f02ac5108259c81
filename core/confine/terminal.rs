//! The calls about terminals.

use crate::system::{O_CLOEXEC, Outcome, made, n, open};

/// A new terminal of so many rows and columns: this side, and that of whoever reads and writes there.
pub fn new_terminal(rows: u64, columns: u64) -> Outcome<(u32, u32)> {
    const READ_WRITE: usize = 2;
    const NOT_OWN: usize = 0o400;
    const TIOCSPTLCK: usize = 0x4004_5431;
    const TIOCSWINSZ: usize = 0x5414;
    const TIOCGPTPEER: usize = 0x5441;
    let ours = open(c"/dev/pts/ptmx".as_ptr().cast(), READ_WRITE | NOT_OWN)?;
    let unlocked = 0_u32;
    made(n::IOCTL, &[ours as usize, TIOCSPTLCK, (&raw const unlocked) as usize])?;
    let size = [rows as u16, columns as u16, 0, 0];
    made(n::IOCTL, &[ours as usize, TIOCSWINSZ, size.as_ptr() as usize])?;
    let theirs = made(n::IOCTL, &[ours as usize, TIOCGPTPEER, READ_WRITE | NOT_OWN | O_CLOEXEC])?;
    Ok((ours, theirs as u32))
}

/// Makes the terminal at standard input the session's own.
pub fn take_terminal() -> Outcome<()> {
    const TIOCSCTTY: usize = 0x540E;
    made(n::IOCTL, &[0, TIOCSCTTY, 0]).map(drop)
}
