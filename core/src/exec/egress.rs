//! Lets a command reach some hosts and no others.
//!
//! The command gets a network namespace that leads nowhere. In it, the names of the allowed hosts resolve
//! to addresses of its loopback, and this process listens there: each connection is passed on to the host
//! of that name and port. So it works for every program that speaks TCP, without any setting, and TLS
//! stays between the command and the host.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::io;
use std::net::{
    IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs as _,
    UdpSocket,
};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags};

use super::confine::program::Supervisor;
use crate::policy::permit::{Host, is_localhost};

/// The ports at which services are found, whatever a command says of them: SSH, HTTP and HTTPS with
/// their usual second ones, Git, MySQL, PostgreSQL, Redis, MongoDB. Source: IANA's registry.
const USUAL: [u16; 10] = [22, 80, 443, 3306, 5432, 6379, 8080, 8443, 9418, 27017];

/// The most connections of one command at once.
const MOST_CONNECTIONS: usize = 256;

/// Which part of the files that this process may open the connections of all commands have at most.
const PART_OF_FILES: u64 = 4;

/// How long is tried to reach one address of a host.
const PATIENCE: Duration = Duration::from_secs(10);

/// The hosts that a command may reach, and where it finds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ways {
    ways: Vec<Way>,
    ports: Vec<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Way {
    host: String,
    /// Where it is, seen from the command.
    at: Ipv4Addr,
}

impl Ways {
    /// # Errors
    /// The host that no way can be made to.
    pub(crate) fn to(hosts: &BTreeSet<String>, ports: &BTreeSet<u16>) -> Result<Ways, String> {
        let mut ways = Vec::new();
        for (number, host) in (1..).zip(hosts) {
            let host = Host::normal(host);
            let at = match Host::of(&host) {
                Some(Host::Address(address)) => address,
                Some(Host::Localhost) => Ipv4Addr::LOCALHOST,
                Some(Host::Name) => {
                    let [high, low] = u16::to_be_bytes(number);
                    Ipv4Addr::new(127, 64, high, low)
                }
                None => return Err(host),
            };
            ways.push(Way { host, at });
        }
        let mut ports: Vec<u16> = USUAL.into_iter().chain(ports.iter().copied()).collect();
        ports.sort_unstable();
        ports.dedup();
        Ok(Ways { ways, ports })
    }

    /// The hosts, as they were given.
    pub(crate) fn hosts(&self) -> impl Iterator<Item = &str> {
        self.ways.iter().map(|way| way.host.as_str())
    }

    /// The file in which a command looks names up.
    pub(crate) fn names(&self) -> String {
        let mut text = "127.0.0.1 localhost\n::1 localhost\n".to_owned();
        for Way { host, at } in &self.ways {
            if host.parse::<IpAddr>().is_err() && !is_localhost(host) {
                let _ = writeln!(text, "{at} {host}");
            }
        }
        text
    }

    /// Opens the ways from the network of a supervisor.
    ///
    /// # Errors
    /// Where it has no such addresses, or the system gives no thread.
    pub(crate) fn open(&self, supervisor: &Supervisor, room: &Arc<Room>) -> io::Result<Egress> {
        let mut doors = Vec::new();
        for way in &self.ways {
            for (listener, port) in
                supervisor.listen(way.at, &self.ports)?.into_iter().zip(&self.ports)
            {
                let listener = TcpListener::from(listener);
                listener.set_nonblocking(true)?;
                doors.push(Door { listener, host: way.host.clone(), port: *port });
            }
        }
        Egress::serve(doors, room.clone())
    }
}

struct Door {
    listener: TcpListener,
    host: String,
    port: u16,
}

/// How many connections the commands of a runtime have, and may have.
#[derive(Debug)]
pub(crate) struct Room {
    taken: AtomicUsize,
    most: usize,
}

impl Room {
    /// As many as leave this process files for all else.
    pub(crate) fn of_process() -> Room {
        let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        let most = files.unwrap_or(u64::MAX) / PART_OF_FILES / FILES_OF_ONE;
        Room { taken: AtomicUsize::new(0), most: usize::try_from(most).unwrap_or(usize::MAX) }
    }

    /// How many one command may have, so that there is room for others.
    fn share(&self) -> usize {
        MOST_CONNECTIONS.min(self.most.div_ceil(2))
    }

    /// Takes a place for one, if there is any.
    fn take(self: &Arc<Room>) -> Option<Taken> {
        let next = |taken: usize| (taken < self.most).then_some(taken + 1);
        let taken = self.taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, next);
        taken.is_ok().then(|| Taken(self.clone()))
    }
}

/// The files of a connection: to the command, and to the host.
const FILES_OF_ONE: u64 = 2;

/// The place of a connection.
struct Taken(Arc<Room>);

impl Drop for Taken {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The ways of one command while it runs. They close when this is dropped.
pub(crate) struct Egress {
    stop: Arc<OwnedFd>,
    open: Arc<Open>,
    thread: Option<JoinHandle<()>>,
}

/// The connections that are open, so that they can be closed.
#[derive(Default)]
struct Open {
    next: AtomicU64,
    count: AtomicUsize,
    streams: Mutex<HashMap<u64, Arc<TcpStream>>>,
    closed: Mutex<bool>,
}

impl Egress {
    fn serve(doors: Vec<Door>, room: Arc<Room>) -> io::Result<Egress> {
        let stop = Arc::new(rustix::event::eventfd(0, EventfdFlags::CLOEXEC)?);
        let open = Arc::new(Open::default());
        let (stopped, connections) = (stop.clone(), open.clone());
        let thread = std::thread::Builder::new()
            .name("toolkeep-egress".into())
            .spawn(move || wait_at(&doors, &stopped, &connections, &room))?;
        Ok(Egress { stop, open, thread: Some(thread) })
    }
}

impl Drop for Egress {
    fn drop(&mut self) {
        let _ = rustix::io::write(&*self.stop, &1_u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        self.open.close();
    }
}

/// Takes connections until it is stopped.
fn wait_at(doors: &[Door], stop: &OwnedFd, open: &Arc<Open>, room: &Arc<Room>) {
    loop {
        let files = doors.iter().map(|door| door.listener.as_fd()).chain([stop.as_fd()]);
        let mut polled: Vec<PollFd<'_>> =
            files.map(|file| PollFd::from_borrowed_fd(file, PollFlags::IN)).collect();
        match rustix::event::poll(&mut polled, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
        if polled.last().is_some_and(|stop| !stop.revents().is_empty()) {
            return;
        }
        for (door, _) in doors.iter().zip(&polled).filter(|(_, at)| !at.revents().is_empty()) {
            if let Ok((stream, _)) = door.listener.accept()
                && let Some(counted) = Counted::one(open, room.share())
                && let Some(taken) = room.take()
            {
                let (host, port) = (door.host.clone(), door.port);
                // Without a thread the connection is closed, as by a host that has no room.
                let _ =
                    std::thread::Builder::new().name("toolkeep-egress".into()).spawn(move || {
                        // The command sees a connection that was closed; there is nothing else to report.
                        let _ = pass_on(stream, &host, port, &counted.0);
                        drop((counted, taken));
                    });
            }
        }
    }
}

/// A connection of a command, counted while it is there.
struct Counted(Arc<Open>);

impl Counted {
    /// One more, if there are fewer than so many.
    fn one(open: &Arc<Open>, most: usize) -> Option<Counted> {
        if open.count.load(Ordering::Acquire) >= most {
            return None;
        }
        open.count.fetch_add(1, Ordering::AcqRel);
        Some(Counted(open.clone()))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Passes on what both sides say until both have ended.
fn pass_on(inner: TcpStream, host: &str, port: u16, open: &Open) -> io::Result<()> {
    inner.set_nonblocking(false)?;
    let (inner, outer) = (Arc::new(inner), Arc::new(connect(host, port)?));
    let _ = (inner.set_nodelay(true), outer.set_nodelay(true));
    let held = (open.hold(&inner), open.hold(&outer));
    let pass = |mut from: &TcpStream, mut to: &TcpStream| {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    };
    std::thread::scope(|scope| {
        let there = std::thread::Builder::new().spawn_scoped(scope, || pass(&inner, &outer));
        match there {
            Ok(_) => pass(&outer, &inner),
            Err(_) => drop(inner.shutdown(Shutdown::Both)),
        }
    });
    open.release(held.0);
    open.release(held.1);
    Ok(())
}

fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in (host, port).to_socket_addrs()? {
        if !may_be(host, &address) {
            last = io::Error::new(io::ErrorKind::PermissionDenied, "it leads to this machine");
            continue;
        }
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// True unless a name that is no name of this machine leads to it, or to the service that gives machines of a cloud
/// their secrets: then whoever answers for the name wants in.
fn may_be(host: &str, address: &SocketAddr) -> bool {
    if is_localhost(host) || host.parse::<IpAddr>().is_ok() {
        return true;
    }
    match address.ip().to_canonical() {
        IpAddr::V4(ip) => {
            !ip.is_loopback()
                && !ip.is_link_local()
                && ip.octets()[0] != 0
                && !ip.is_multicast()
                && !METADATA.contains(&ip)
                && !leads_here(address)
        }
        IpAddr::V6(ip) => {
            let is_link_local = ip.segments()[0] & 0xffc0 == 0xfe80;
            let is_metadata = ip.segments()[..6] == [0xfd00, 0x0ec2, 0, 0, 0, 0];
            !ip.is_loopback()
                && !is_link_local
                && !is_metadata
                && !ip.is_unspecified()
                && !ip.is_multicast()
                && !leads_here(address)
        }
    }
}

/// The services that give machines of a cloud their secrets and are not at a link-local address: Alibaba's, and
/// Azure's.
const METADATA: [Ipv4Addr; 2] =
    [Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(168, 63, 129, 16)];

/// True for an address of this machine. Nothing is sent.
fn leads_here(address: &SocketAddr) -> bool {
    let any: IpAddr = match address {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    // A machine sends packets to an address of its own from that same address.
    let from = UdpSocket::bind((any, 0)).and_then(|socket| {
        socket.connect(address)?;
        socket.local_addr()
    });
    from.is_ok_and(|from| from.ip() == address.ip())
}

impl Open {
    /// Remembers a connection. One of a command that has ended is closed at once.
    fn hold(&self, stream: &Arc<TcpStream>) -> u64 {
        let number = self.next.fetch_add(1, Ordering::AcqRel);
        let closed = lock(&self.closed);
        if *closed {
            let _ = stream.shutdown(Shutdown::Both);
        }
        lock(&self.streams).insert(number, stream.clone());
        number
    }

    fn release(&self, number: u64) {
        lock(&self.streams).remove(&number);
    }

    fn close(&self) {
        *lock(&self.closed) = true;
        for stream in lock(&self.streams).drain().map(|(_, stream)| stream) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ways(hosts: &[&str], ports: &[u16]) -> Result<Ways, String> {
        let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        Ways::to(&hosts, &ports.iter().copied().collect())
    }

    #[test]
    fn an_address_of_this_machine_is_known_as_one() {
        let address = |ip: IpAddr| SocketAddr::from((ip, 80));
        assert!(leads_here(&address(Ipv4Addr::LOCALHOST.into())));
        let elsewhere = address(Ipv4Addr::new(192, 0, 2, 1).into());
        assert!(!leads_here(&elsewhere));
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        if socket.connect(elsewhere).is_ok() {
            let own = address(socket.local_addr().unwrap().ip());
            assert!(leads_here(&own) && !may_be("a.example", &own), "{own}");
        }
        for metadata in ["100.100.100.200", "168.63.129.16", "169.254.169.254", "0.1.2.3"] {
            let address = address(metadata.parse().unwrap());
            assert!(!may_be("a.example", &address), "{address}");
        }
    }

    #[test]
    fn there_is_room_for_so_many_connections_and_no_more() {
        let room = Arc::new(Room { taken: AtomicUsize::new(0), most: 2 });
        let (one, two) = (room.take(), room.take());
        assert!(one.is_some() && two.is_some() && room.take().is_none());
        drop(one);
        assert!(room.take().is_some());
        let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        let of_all = Room::of_process().most;
        assert!(files.is_none_or(|files| of_all as u64 * FILES_OF_ONE <= files / PART_OF_FILES));
    }

    #[test]
    fn each_host_has_an_address_of_its_own() {
        let ways = ways(&["a.example", "B.Example.", "10.1.2.3", "localhost"], &[8000]).unwrap();
        assert_eq!(
            ways.hosts().collect::<Vec<_>>(),
            ["10.1.2.3", "b.example", "a.example", "localhost"]
        );
        let names = ways.names();
        assert!(
            names.contains("127.64.0.3 a.example\n") && names.contains("127.64.0.2 b.example\n")
        );
        assert!(!names.contains("10.1.2.3"));
        assert!(ways.ports.contains(&8000) && ways.ports.contains(&443));
    }

    #[test]
    fn what_is_no_name_and_no_address_is_reported() {
        for host in ["::1", "a b", "a\n127.0.0.1 b", "", "a..b"] {
            assert_eq!(ways(&[host], &[]), Err(host.to_owned()));
        }
    }

    #[test]
    fn a_name_of_another_does_not_lead_to_this_machine() {
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        for address in [
            "127.0.0.1:80",
            "169.254.169.254:80",
            "0.0.0.0:80",
            "[::1]:80",
            "[fe80::1]:80",
            "[::ffff:127.0.0.1]:80",
            "[fd00:ec2::254]:80",
        ] {
            assert!(!may_be("a.example", &at(address)), "{address}");
        }
        assert!(
            may_be("a.example", &at("10.0.0.1:80")) && may_be("a.example", &at("[2001:db8::1]:80"))
        );
        assert!(
            may_be("localhost", &at("127.0.0.1:80")) && may_be("127.0.0.1", &at("127.0.0.1:80"))
        );
    }
}
