//! Connections: each has a thread, their number is limited, and all end when the server stops.
//!
//! If all places are taken, whoever comes gets the place of somebody who waits: of a visitor that was refused first, then of
//! one that was never admitted, of the one that waits longest among those, and last of one that hardly takes its answer. So
//! half-sent requests and slow readers keep nobody out, and strangers who request again and again cut nobody off whose first
//! request is on its way.

use std::{
    collections::HashMap,
    io::{self, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// Connections at once; a browser opens six.
const MOST: usize = 128;
/// Connections at once from one address, so that one machine leaves room for others.
const MOST_OF_ONE: usize = 64;
/// So long a request that is in work when the server stops may take: a visitor who never has enough, or takes nothing
/// of an answer, must not keep it from ending.
const GRACE: Duration = Duration::from_secs(3);
/// What a visitor gets who finds every place taken by requests in work.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// A listener that hands each connection to a thread until it is told to stop.
#[derive(Debug)]
pub(super) struct Listening {
    listener: TcpListener,
    address: SocketAddr,
    open: Mutex<Open>,
    /// Somebody left.
    left: Condvar,
    started: Instant,
}

#[derive(Debug, Default)]
struct Open {
    stopped: bool,
    next: u64,
    connections: HashMap<u64, Connection>,
}

#[derive(Debug)]
struct Connection {
    stream: TcpStream,
    address: IpAddr,
    state: Arc<State>,
}

/// What a connection is doing, for whoever must choose which one has to go.
#[derive(Debug)]
pub(super) struct State {
    started: Instant,
    /// When it began to wait for a request, in milliseconds after `started`; `BUSY` while one is in work.
    waits_since: AtomicU64,
    /// A request of it was admitted.
    known: AtomicBool,
    /// It was refused, and only waits for the other side to have read that.
    refused: AtomicBool,
    /// It takes hardly anything of its answer.
    pub slow: AtomicBool,
}

const BUSY: u64 = u64::MAX;

impl State {
    fn new(started: Instant) -> State {
        let [known, refused, slow] = [(); 3].map(|()| AtomicBool::new(false));
        let state = State { started, waits_since: AtomicU64::new(BUSY), known, refused, slow };
        state.wait();
        state
    }
    /// The connection waits for a request from now on.
    pub fn wait(&self) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(BUSY - 1);
        self.waits_since.store(now, Relaxed);
    }
    /// A whole request has come.
    pub fn work(&self) {
        self.waits_since.store(BUSY, Relaxed);
    }
    /// A request was admitted.
    pub fn admit(&self) {
        self.known.store(true, Relaxed);
    }
    /// The answer was a refusal, and is sent.
    pub fn refuse(&self) {
        self.refused.store(true, Relaxed);
    }
    /// Who gives up their place first: whoever was refused, then who was never admitted, of these the one that waits
    /// longest; of those whose request is in work only who is slow.
    fn rank(&self) -> Option<(bool, bool, u64)> {
        let (refused, since) = (self.refused.load(Relaxed), self.waits_since.load(Relaxed));
        (refused || since != BUSY || self.slow.load(Relaxed)).then_some((!refused, self.is_known(), since))
    }
    /// Whether a request was ever admitted.
    pub fn is_known(&self) -> bool {
        self.known.load(Relaxed)
    }
}

impl Listening {
    pub fn bind(wanted: SocketAddr) -> io::Result<Listening> {
        let listener = TcpListener::bind(wanted)?;
        let address = listener.local_addr()?;
        let started = Instant::now();
        Ok(Listening { listener, address, open: Mutex::default(), left: Condvar::new(), started })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Has `talk` speak with everybody who comes, until [`stop`](Self::stop).
    pub fn run(&self, talk: impl Fn(&TcpStream, &State) + Sync) {
        let talk = &talk;
        std::thread::scope(|scope| {
            loop {
                let accepted = self.listener.accept();
                let mut open = self.open();
                if open.stopped {
                    let waited = self.left.wait_timeout_while(open, GRACE, |open| !open.connections.is_empty());
                    let (open, _) = waited.unwrap_or_else(PoisonError::into_inner);
                    shut(&open, Shutdown::Both);
                    return;
                }
                // Refused for want of memory or descriptors, mostly: there may be some soon.
                let copied = accepted.and_then(|(s, from)| s.try_clone().map(|copy| (s, copy, from.ip())));
                let Ok((stream, copy, address)) = copied else {
                    drop(open);
                    std::thread::sleep(Duration::from_millis(50));
                    continue;
                };
                if !open.make_room(address) {
                    drop(open);
                    refuse(stream);
                    continue;
                }
                let id = open.next;
                open.next += 1;
                let state = Arc::new(State::new(self.started));
                open.connections.insert(id, Connection { stream: copy, address, state: state.clone() });
                drop(open);
                let visit = Visit { listening: self, id };
                let work = move || {
                    let _visit = visit;
                    talk(&stream, &state);
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
    for connection in open.connections.values() {
        // Who has gone already needs no telling.
        let _ = connection.stream.shutdown(how);
    }
}

/// Says that every place is taken. Nothing is waited for: a new connection has room for so few bytes.
fn refuse(mut stream: TcpStream) {
    if stream.set_nonblocking(true).is_ok() {
        let _ = stream.write_all(FULL);
    }
}

impl Open {
    /// Whether there is a place for a visitor from `address`; if all are taken, somebody who waits gives up theirs.
    fn make_room(&mut self, address: IpAddr) -> bool {
        let of_address = self.connections.values().filter(|c| c.address == address).count();
        let crowded = of_address >= MOST_OF_ONE;
        if !crowded && self.connections.len() < MOST {
            return true;
        }
        let waiting = self.connections.iter().filter(|(_, c)| !crowded || c.address == address);
        let Some((_, id)) = waiting.filter_map(|(&id, c)| Some((c.state.rank()?, id))).min() else { return false };
        if let Some(gone) = self.connections.remove(&id) {
            // Its thread finds the end of the connection, and ends.
            let _ = gone.stream.shutdown(Shutdown::Both);
        }
        true
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
        self.listening.open().connections.remove(&self.id);
        self.listening.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_refused_gives_up_the_place_before_who_has_not_asked_yet() {
        let started = Instant::now();
        let [fresh, later, known, refused, slow, busy] = std::array::from_fn(|_| State::new(started));
        later.waits_since.store(BUSY - 1, Relaxed);
        known.admit();
        refused.work();
        refused.refuse();
        for state in [&slow, &busy] {
            state.admit();
            state.work();
        }
        slow.slow.store(true, Relaxed);
        assert!(refused.rank() < fresh.rank() && fresh.rank() < later.rank() && later.rank() < known.rank());
        assert!(known.rank() < slow.rank());
        assert!(refused.rank().is_some() && busy.rank().is_none());
    }
}
