//! The standard files of a command: pipes, or a terminal of its own.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;

/// How much is read at once, and what a pipe holds.
pub(super) const PIECE: usize = 256 * 1024;

/// What a command reads from and writes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Console {
    /// Pipes. Standard input ends with what is given at the start.
    #[default]
    Once,
    /// Pipes. More input may come until somebody ends it.
    Open,
    /// A terminal of so many rows and columns, for all three.
    Terminal { rows: u16, columns: u16 },
}

/// The two sides of the standard files.
pub(super) struct Files {
    /// The command's: input, output, error.
    pub(super) ends: [OwnedFd; 3],
    /// Ours. A terminal has one for both outputs.
    pub(super) outputs: [Option<OwnedFd>; 2],
    pub(super) input: Option<Input>,
}

impl Console {
    pub(super) fn open(self, input: Vec<u8>) -> io::Result<Files> {
        if let Console::Terminal { rows, columns } = self {
            return terminal(rows, columns, input);
        }
        let (output, output_end) = pipe()?;
        let (error, error_end) = pipe()?;
        let (input_end, input) = if self == Console::Once && input.is_empty() {
            (OwnedFd::from(std::fs::File::open("/dev/null")?), None)
        } else {
            let (reader, writer) = pipe()?;
            let is_all = self == Console::Once;
            let open = Some(reader.try_clone()?);
            (reader, Some(Input { _open: open, ..Input::new(writer, input, is_all, false)? }))
        };
        let ends = [input_end, output_end, error_end];
        Ok(Files { ends, outputs: [Some(output), Some(error)], input })
    }
}

fn terminal(rows: u16, columns: u16, input: Vec<u8>) -> io::Result<Files> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let ours = rustix::pty::openpt(flags)?;
    rustix::pty::grantpt(&ours)?;
    rustix::pty::unlockpt(&ours)?;
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    rustix::termios::tcsetwinsize(&ours, size)?;
    let theirs = rustix::pty::ioctl_tiocgptpeer(&ours, flags)?;
    let ends = [theirs.try_clone()?, theirs.try_clone()?, theirs];
    let (outputs, input) = of_terminal(ours, input)?;
    Ok(Files { ends, outputs, input })
}

/// What is read from and written to at our side of a terminal.
pub(super) fn of_terminal(ours: OwnedFd, input: Vec<u8>) -> io::Result<Ours> {
    let input = Input::new(ours.try_clone()?, input, false, true)?;
    Ok(([Some(ours), None], Some(input)))
}

/// Our side of the standard files: both outputs, and the input.
pub(super) type Ours = ([Option<OwnedFd>; 2], Option<Input>);

/// Standard files that lead nowhere, for a command that is given others later.
pub(super) fn nowhere() -> io::Result<Files> {
    let null = || std::fs::File::open("/dev/null").map(OwnedFd::from);
    Ok(Files { ends: [null()?, null()?, null()?], outputs: [None, None], input: None })
}

/// What is still to be read by a command, and where it is written to.
pub(super) struct Input {
    file: OwnedFd,
    rest: Vec<u8>,
    is_all: bool,
    is_terminal: bool,
    /// The other end of a pipe, so that it always has one: to write to a pipe that nobody reads sends a
    /// signal to this process, of which a host that is not of Rust dies.
    _open: Option<OwnedFd>,
}

/// What a terminal takes for the end of input, at the start of a line.
pub(super) const END_OF_INPUT: u8 = 4;

impl Input {
    fn new(file: OwnedFd, rest: Vec<u8>, is_all: bool, is_terminal: bool) -> io::Result<Input> {
        let flags = rustix::fs::fcntl_getfl(&file)?;
        rustix::fs::fcntl_setfl(&file, flags | OFlags::NONBLOCK)?;
        Ok(Input { file, rest, is_all, is_terminal, _open: None })
    }

    pub(super) fn add(&mut self, bytes: Vec<u8>, is_all: bool) {
        self.rest.extend(bytes);
        if is_all && self.is_terminal {
            self.rest.push(END_OF_INPUT);
        }
        self.is_all |= is_all && !self.is_terminal;
    }

    /// Where something can be written to, if anything is to be.
    pub(super) fn waits(&self) -> Option<BorrowedFd<'_>> {
        (!self.rest.is_empty()).then(|| self.file.as_fd())
    }

    /// True if nothing more will be written.
    pub(super) fn is_over(&self) -> bool {
        self.is_all && self.rest.is_empty()
    }

    /// Writes what fits, and answers how much that was.
    pub(super) fn write(&mut self) -> usize {
        match rustix::io::write(&self.file, &self.rest) {
            Ok(count) => self.rest.drain(..count).count(),
            Err(Errno::INTR | Errno::AGAIN) => 0,
            // Nobody reads it any more.
            Err(_) => {
                self.is_all = true;
                self.rest.drain(..).count()
            }
        }
    }
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let ends = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    // A larger pipe is fewer wake-ups. Where the user may have no more of them, it stays small.
    let _ = rustix::pipe::fcntl_setpipe_size(&ends.0, PIECE);
    Ok(ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_that_nobody_reads_any_more_is_full_and_not_broken() {
        let Files { ends, input, .. } = Console::Once.open(vec![b'x'; 4 * PIECE]).unwrap();
        let mut input = input.unwrap();
        drop(ends);
        let written: usize = std::iter::repeat_with(|| input.write()).take_while(|n| *n > 0).sum();
        assert!(written <= PIECE && !input.rest.is_empty() && !input.is_over(), "{written}");
    }
}
