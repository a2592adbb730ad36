//! Connections: each has a thread, there are only so many, and all end when the server stops.

use std::{
    collections::HashMap,
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Connections at once; a browser opens six. Further ones wait.
const MOST: usize = 128;
/// So long a request that is in work when the server stops may take: a visitor who never has enough, or takes nothing
/// of an answer, must not keep it from ending.
const GRACE: Duration = Duration::from_secs(3);

/// A listener that hands each connection to a thread until it is told to stop.
#[derive(Debug)]
pub(super) struct Listening {
    listener: TcpListener,
    address: SocketAddr,
    open: Mutex<Open>,
    /// Somebody left.
    left: Condvar,
}

#[derive(Debug, Default)]
struct Open {
    stopped: bool,
    next: u64,
    streams: HashMap<u64, TcpStream>,
}

impl Listening {
    pub fn bind(wanted: SocketAddr) -> io::Result<Listening> {
        let listener = TcpListener::bind(wanted)?;
        let address = listener.local_addr()?;
        Ok(Listening { listener, address, open: Mutex::default(), left: Condvar::new() })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Has `talk` speak with everybody who comes, until [`stop`](Self::stop).
    pub fn run(&self, talk: impl Fn(&TcpStream) + Sync) {
        let talk = &talk;
        std::thread::scope(|scope| {
            loop {
                let accepted = self.listener.accept();
                let mut open = self.open();
                while open.streams.len() >= MOST && !open.stopped {
                    open = self.left.wait(open).unwrap_or_else(PoisonError::into_inner);
                }
                if open.stopped {
                    let waited = self.left.wait_timeout_while(open, GRACE, |open| !open.streams.is_empty());
                    let (open, _) = waited.unwrap_or_else(PoisonError::into_inner);
                    shut(&open, Shutdown::Both);
                    return;
                }
                // Refused for want of memory or descriptors, mostly: there may be some soon.
                let Ok((stream, copy)) = accepted.and_then(|(s, _)| s.try_clone().map(|copy| (s, copy))) else {
                    drop(open);
                    std::thread::sleep(Duration::from_millis(50));
                    continue;
                };
                let id = open.next;
                open.next += 1;
                open.streams.insert(id, copy);
                drop(open);
                let visit = Visit { listening: self, id };
                let work = move || {
                    let _visit = visit;
                    talk(&stream);
                };
                // Without a thread the visitor is let go: dropping the work ends the visit.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
        });
    }

    /// Ends [`run`](Self::run) once the requests in work are answered, or have taken too long.
    pub fn stop(&self) {
        let mut open = self.open();
        open.stopped = true;
        // Nobody asks for more; answers may still be sent.
        shut(&open, Shutdown::Read);
        drop(open);
        self.left.notify_all();
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        // A visitor of our own wakes the listener, which then finds that it is over.
        let _ = TcpStream::connect_timeout(&SocketAddr::new(ip, self.address.port()), Duration::from_secs(1));
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        // What a thread that panicked left behind is whole: each change is one step.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn shut(open: &Open, how: Shutdown) {
    for stream in open.streams.values() {
        // Who has gone already needs no telling.
        let _ = stream.shutdown(how);
    }
}

/// One connection's place in the list, given up when its thread ends, in whichever way.
struct Visit<'a> {
    listening: &'a Listening,
    id: u64,
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        // The copy would keep the connection.
        self.listening.open().streams.remove(&self.id);
        self.listening.left.notify_one();
    }
}
