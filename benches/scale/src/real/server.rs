//! A server of one file: each answer begins after a fixed time, and all together have a fixed rate.

use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use forebay::{Result, error::codes::IO};

/// Bytes that are sent at once.
const PIECE: usize = 64 << 10;

/// A server on loopback.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    file: Vec<u8>,
    bytes_per_second: u64,
    latency_ms: AtomicU64,
    requests: AtomicU64,
    bytes: AtomicU64,
    under_way: AtomicU64,
    /// When the bytes that were promised will have been sent.
    free: Mutex<Instant>,
}

impl Server {
    /// Serves a file under every path, this many bytes of it a second.
    pub fn start(file: Vec<u8>, bytes_per_second: u64) -> Result<Server> {
        let failed = |e| forebay::Error::caused(&IO, "cannot listen on loopback", e);
        let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let state = Arc::new(State {
            file,
            bytes_per_second,
            latency_ms: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            under_way: AtomicU64::new(0),
            free: Mutex::new(Instant::now()),
        });
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = shared.clone();
                thread::spawn(move || drop(talk(stream, &state)));
            }
        });
        Ok(Server { address, state })
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How long an answer takes from now on.
    pub fn latency(&self, milliseconds: u64) {
        self.state.latency_ms.store(milliseconds, SeqCst);
    }

    /// Requests and bytes since this was last asked.
    pub fn count(&self) -> (u64, u64) {
        (self.state.requests.swap(0, SeqCst), self.state.bytes.swap(0, SeqCst))
    }

    /// Waits until nothing was asked for a while.
    pub fn settle(&self) {
        let mut quiet = 0;
        while quiet < 10 {
            let before = self.state.requests.load(SeqCst);
            thread::sleep(Duration::from_millis(20));
            let is_quiet = self.state.under_way.load(SeqCst) == 0 && self.state.requests.load(SeqCst) == before;
            quiet = if is_quiet { quiet + 1 } else { 0 };
        }
    }
}

fn talk(stream: TcpStream, state: &State) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let mut range = None;
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let asked = Instant::now();
        loop {
            line.clear();
            reader.read_line(&mut line)?;
            let Some((name, value)) = line.trim().split_once(':') else { break };
            if name.eq_ignore_ascii_case("range") {
                let ends = value.trim().strip_prefix("bytes=").and_then(|value| value.split_once('-'));
                range = ends.and_then(|(start, end)| Some((start.parse().ok()?, end.parse::<usize>().ok()? + 1)));
            }
        }
        state.under_way.fetch_add(1, SeqCst);
        state.requests.fetch_add(1, SeqCst);
        let sent = send(&stream, state, asked, range.unwrap_or((0, state.file.len())));
        state.under_way.fetch_sub(1, SeqCst);
        sent?;
    }
}

fn send(mut stream: &TcpStream, state: &State, asked: Instant, range: (usize, usize)) -> std::io::Result<()> {
    let (start, end) = (range.0, range.1.min(state.file.len()));
    let Some(body) = state.file.get(start..end) else {
        return stream.write_all(b"HTTP/1.1 416 X\r\ncontent-length: 0\r\n\r\n");
    };
    let until = asked + Duration::from_millis(state.latency_ms.load(SeqCst));
    thread::sleep(until.saturating_duration_since(Instant::now()));
    let head = format!(
        "HTTP/1.1 206 X\r\netag: \"one\"\r\naccept-ranges: bytes\r\ncontent-range: bytes {start}-{}/{}\r\n\
         content-length: {}\r\n\r\n",
        end.saturating_sub(1),
        state.file.len(),
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    for piece in body.chunks(PIECE) {
        // Each piece has its turn on the line, and is there when its last byte has been sent.
        let there = {
            let mut free = state.free.lock().unwrap_or_else(PoisonError::into_inner);
            let takes = Duration::from_secs_f64(piece.len() as f64 / state.bytes_per_second as f64);
            *free = (*free).max(Instant::now()) + takes;
            *free
        };
        thread::sleep(there.saturating_duration_since(Instant::now()));
        stream.write_all(piece)?;
        state.bytes.fetch_add(piece.len() as u64, SeqCst);
    }
    Ok(())
}
