//! The calls about the network in which all commands are.

use crate::system::{O_CLOEXEC, Outcome, close, made, n};

/// Brings up the loopback interface of a new network.
pub fn raise_loopback() -> Outcome<()> {
    const INTERNET: usize = 2;
    const DATAGRAM: usize = 2;
    const SIOCSIFFLAGS: usize = 0x8914;
    const UP_AND_RUNNING: u8 = 0x41;
    let mut request = [0_u8; 40];
    request[..2].copy_from_slice(b"lo");
    request[16] = UP_AND_RUNNING;
    let socket = made(n::SOCKET, &[INTERNET, DATAGRAM | O_CLOEXEC, 0])? as u32;
    let raised = made(n::IOCTL, &[socket as usize, SIOCSIFFLAGS, request.as_ptr() as usize]);
    close(socket);
    raised.map(drop)
}

/// Gives the loopback interface one more address.
pub fn add_address(address: [u8; 4]) -> Outcome<()> {
    const INTERNET: usize = 2;
    const DATAGRAM: usize = 2;
    const SIOCSIFADDR: usize = 0x8916;
    // The name is of this address, so that none takes the place of another.
    let mut request = [0_u8; 40];
    request[..3].copy_from_slice(b"lo:");
    for (at, byte) in address.iter().enumerate() {
        request[3 + 2 * at] = b'a' + (byte >> 4);
        request[4 + 2 * at] = b'a' + (byte & 15);
    }
    request[16..18].copy_from_slice(&(INTERNET as u16).to_ne_bytes());
    request[20..24].copy_from_slice(&address);
    let socket = made(n::SOCKET, &[INTERNET, DATAGRAM | O_CLOEXEC, 0])? as u32;
    let added = made(n::IOCTL, &[socket as usize, SIOCSIFADDR, request.as_ptr() as usize]);
    close(socket);
    added.map(drop)
}

/// Waits for connections at an address and a port, given as the network says them.
pub fn listen(address: [u8; 4], port: [u8; 2]) -> Outcome<u32> {
    const INTERNET: usize = 2;
    const STREAM: usize = 1;
    const BACKLOG: usize = 128;
    const SOL_SOCKET: usize = 1;
    const SO_REUSEADDR: usize = 2;
    let mut at = [0_u8; 16];
    at[..2].copy_from_slice(&(INTERNET as u16).to_ne_bytes());
    at[2..4].copy_from_slice(&port);
    at[4..8].copy_from_slice(&address);
    let yes = 1_u32;
    let socket = made(n::SOCKET, &[INTERNET, STREAM | O_CLOEXEC, 0])?;
    let reuse = [socket, SOL_SOCKET, SO_REUSEADDR, (&raw const yes) as usize, size_of_val(&yes)];
    let listening = made(n::SETSOCKOPT, &reuse)
        .and_then(|_| made(n::BIND, &[socket, at.as_ptr() as usize, at.len()]))
        .and_then(|_| made(n::LISTEN, &[socket, BACKLOG]));
    match listening {
        Ok(_) => Ok(socket as u32),
        Err(error) => {
            close(socket as u32);
            Err(error)
        }
    }
}
