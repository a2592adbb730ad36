//! HTTP/1.1 over one connection: requests one after the other, until either side ends it.
//!
//! Ending the connection is the only way to say that a body which was promised cannot be sent to its end, so this
//! is done here rather than by a server library, none of which without a runtime of its own releases the socket.

use std::{
    io::{self, ErrorKind, Read, Write},
    net::{Shutdown, TcpStream},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::{Duration, Instant, SystemTime},
};

use forebay::Error;

use super::{
    answer::{Answer, RequestParts, Responder},
    listen::State,
};

/// The most bytes of a request's line and headers.
const MOST_HEAD: usize = 16 << 10;
/// The most headers; a browser sends about twenty.
const MOST_HEADERS: usize = 64;
/// A visitor who was admitted and now asks for nothing, or takes no bytes, for so long is let go: each holds a thread.
const PATIENCE: Duration = Duration::from_secs(60);
/// So long a request may take to come whole, and so long a visitor may take for the first one.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);
/// The least that a visitor must take of an answer while this waits for it: this many bytes in each `SLOW`.
const LEAST: u64 = 64 << 10;
const SLOW: Duration = Duration::from_secs(20);
/// One call that sends lasts no longer, so that the rate is looked at.
const SEND_AT_MOST: Duration = Duration::from_secs(5);
/// Bytes that are read of a file and sent at once.
const PIECE: usize = 128 << 10;

/// Answers a visitor until one of both has enough. An error means that the connection broke or had to be broken; if a
/// file was to blame it is one of ours. `say` hears of files that an answer could still name.
pub(super) fn talk(stream: &TcpStream, state: &State, responder: &Responder, say: &dyn Fn(Error)) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(SEND_AT_MOST))?;
    let mut received = Vec::new();
    loop {
        state.wait();
        let idle = if state.is_known() { PATIENCE } else { HEAD_PATIENCE };
        let next = next(stream, &mut received, idle)?;
        state.work();
        let request = match next {
            Next::End => return Ok(()),
            Next::Head(request) => request,
            Next::Refused(status, why) => {
                send(stream, state, responder.refuse(status, why), false, true)?;
                state.refuse();
                return linger(stream);
            }
        };
        let (mut answer, admitted) = respond(responder, &request);
        if admitted {
            state.admit();
        }
        if let Some(fault) = answer.fault.take() {
            say(*fault);
        }
        let close = request.is_last() || !admitted;
        send(stream, state, answer, request.method == "HEAD", close)?;
        if close {
            if !admitted {
                state.refuse();
            }
            return linger(stream);
        }
    }
}

/// The answer to a request, and whether who asked may come in. Who may not keeps no connection either.
fn respond(responder: &Responder, request: &Request) -> (Answer, bool) {
    let answer = responder.answer(&RequestParts {
        method: &request.method,
        target: &request.target,
        host: request.header("Host"),
        range: request.header("Range"),
        if_range: request.header("If-Range"),
        if_none_match: request.header("If-None-Match"),
        cookie: request.header("Cookie"),
    });
    let admitted = !matches!(answer.status, 401 | 403);
    (answer, admitted)
}

/// All that a visitor gets who sends these pieces and then hangs up: as [`talk`], without a connection and its clock.
pub(super) fn exchange<'a>(responder: &Responder, pieces: impl IntoIterator<Item = &'a [u8]>) -> io::Result<Vec<u8>> {
    let (mut received, mut sent) = (Vec::new(), Vec::new());
    for piece in pieces {
        received.extend_from_slice(piece);
        while let Some(next) = parse(&mut received) {
            let (mut answer, head_only, close) = match next {
                Next::Head(request) => {
                    let (answer, admitted) = respond(responder, &request);
                    (answer, request.method == "HEAD", request.is_last() || !admitted)
                }
                Next::Refused(status, why) => (responder.refuse(status, why), false, true),
                Next::End => return Ok(sent),
            };
            sent.extend_from_slice(head(&answer, close).as_bytes());
            if !head_only {
                answer.body.read_to_end(&mut sent)?;
            }
            if close {
                return Ok(sent);
            }
        }
    }
    Ok(sent)
}

/// The line and the headers of a request.
struct Request {
    method: String,
    target: String,
    version: u8,
    headers: Vec<(String, String)>,
}

impl Request {
    fn header<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.all(name).next()
    }

    /// The values of a header that came more than once.
    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Whether nothing can follow on this connection: the visitor says so, or a body follows that nobody reads.
    fn is_last(&self) -> bool {
        let closes = |value: &str| value.split(',').any(|word| word.trim().eq_ignore_ascii_case("close"));
        let body = self.all("Content-Length").any(|length| length != "0") || self.header("Transfer-Encoding").is_some();
        self.version == 0 || body || self.all("Connection").any(closes)
    }
}

enum Next {
    Head(Request),
    /// What came is not a request that can be answered, and where the next one begins is unknown.
    Refused(u16, &'static str),
    End,
}

/// Waits for a request, and no longer than `idle` for its first byte. What came behind its head stays in `received`.
fn next(mut stream: &TcpStream, received: &mut Vec<u8>, idle: Duration) -> io::Result<Next> {
    let mut until = Instant::now() + if received.is_empty() { idle } else { HEAD_PATIENCE };
    let mut piece = [0; 4096];
    loop {
        if let Some(next) = parse(received) {
            return Ok(next);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(Next::End);
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut piece) {
            Ok(0) => return Ok(Next::End),
            Ok(n) => {
                if received.is_empty() {
                    until = Instant::now() + HEAD_PATIENCE;
                }
                received.extend_from_slice(piece.get(..n).unwrap_or_default());
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => return Ok(Next::End),
            Err(e) => return Err(e),
        }
    }
}

/// The request at the front of what was received, which is taken out; `None` if it is not whole yet.
fn parse(received: &mut Vec<u8>) -> Option<Next> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    Some(match parsed.parse(received) {
        Ok(httparse::Status::Complete(len)) => {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
            let request = Request {
                method: parsed.method.unwrap_or_default().to_owned(),
                target: parsed.path.unwrap_or_default().to_owned(),
                version: parsed.version.unwrap_or_default(),
                headers: parsed.headers.iter().map(|h| (h.name.to_owned(), text(h.value))).collect(),
            };
            let lines = received.drain(..len).collect::<Vec<_>>();
            // A proxy and this server could disagree about bare line feeds, which hides a request from one of them.
            if lines.iter().enumerate().any(|(at, b)| *b == b'\n' && lines.get(at.wrapping_sub(1)) != Some(&b'\r')) {
                return Some(Next::Refused(400, "the lines of a request end in CR LF"));
            }
            // Two of them are a way to be taken for somebody else by one of two servers in a row.
            match (request.all("Host").count(), request.version) {
                (0, 0) | (1, _) => Next::Head(request),
                _ => Next::Refused(400, "a request names its host once"),
            }
        }
        Ok(httparse::Status::Partial) if received.len() < MOST_HEAD => return None,
        Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
            Next::Refused(431, "the request's headers are too large")
        }
        Err(_) => Next::Refused(400, "this is not an HTTP/1.1 request"),
    })
}

/// Sends bytes, but not to a visitor who takes them too slowly.
struct Pace<'a> {
    /// How long a stretch is.
    stretch: Duration,
    /// Says that the visitor is slow before the answer is given up: others may have the place.
    slow: &'a AtomicBool,
    /// Of the current stretch of waiting: how long it has been, and what was taken in it.
    waited: Duration,
    taken: u64,
}

impl Pace<'_> {
    fn new(stretch: Duration, slow: &AtomicBool) -> Pace<'_> {
        slow.store(false, Relaxed);
        Pace { stretch, slow, waited: Duration::ZERO, taken: 0 }
    }

    fn write_all(&mut self, mut stream: &TcpStream, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let began = Instant::now();
            match stream.write(bytes) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(n) => {
                    self.taken += n as u64;
                    bytes = bytes.get(n..).unwrap_or_default();
                }
                Err(e) if matches!(e.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(e) => return Err(e),
            }
            self.waited += began.elapsed();
            // A quarter of a stretch without a byte: the socket's buffer, which took the first ones, is full.
            self.slow.store(began.elapsed() >= self.stretch / 4, Relaxed);
            if self.waited >= self.stretch {
                if self.taken < LEAST {
                    return Err(ErrorKind::TimedOut.into());
                }
                *self = Pace::new(self.stretch, self.slow);
            }
        }
        Ok(())
    }
}

/// Sends an answer whole. An error if that cannot be done: the visitor has gone, or the file has.
fn send(stream: &TcpStream, state: &State, mut answer: Answer, head_only: bool, close: bool) -> io::Result<()> {
    Pace::new(SLOW, &state.slow).write_all(stream, head(&answer, close).as_bytes())?;
    if head_only {
        return Ok(());
    }
    let mut piece = vec![0; usize::try_from(answer.len).unwrap_or(PIECE).min(PIECE)];
    let mut left = answer.len;
    let mut pace = Pace::new(SLOW, &state.slow);
    while left > 0 {
        let most = usize::try_from(left).unwrap_or(PIECE).min(piece.len());
        let piece = piece.get_mut(..most).unwrap_or_default();
        match answer.body.read(piece) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(n) => {
                pace.write_all(stream, piece.get(..n).unwrap_or_default())?;
                left = left.saturating_sub(n as u64);
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// The line and the headers of an answer.
fn head(answer: &Answer, close: bool) -> String {
    let mut head = format!("HTTP/1.1 {} {}\r\n", answer.status, reason(answer.status));
    let mut header = |name: &str, value: &str| {
        // What would end the line early is not a value of a header.
        if value.bytes().all(|b| matches!(b, b' '..=b'~')) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    };
    header("Date", &httpdate::fmt_http_date(SystemTime::now()));
    // What was not changed has the length that it had.
    if answer.status != 304 {
        header("Content-Length", &answer.len.to_string());
    }
    answer.headers.iter().for_each(|(name, value)| header(name, value));
    if close {
        header("Connection", "close");
    }
    head.push_str("\r\n");
    head
}

/// Ends the connection in a way that lets the last answer arrive: closing while bytes wait unread would take it
/// back.
fn linger(mut stream: &TcpStream) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(Duration::from_secs(1)))?;
    let mut unread = [0; 4096];
    for _ in 0..64 {
        if stream.read(&mut unread)? == 0 {
            break;
        }
    }
    Ok(())
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        206 => "Partial Content",
        303 => "See Other",
        304 => "Not Modified",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        416 => "Range Not Satisfiable",
        431 => "Request Header Fields Too Large",
        _ => "Internal Server Error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends 64 MiB to a visitor who pauses for so long after each `taken` bytes.
    fn sent_to(pause: Duration, taken: usize) -> io::Result<()> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        let visitor = TcpStream::connect(listener.local_addr()?)?;
        let (stream, _) = listener.accept()?;
        stream.set_write_timeout(Some(Duration::from_millis(50)))?;
        let over = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let reader = std::thread::spawn({
            let over = over.clone();
            move || {
                let mut bytes = vec![0; taken];
                while !over.load(Relaxed) && (&visitor).read(&mut bytes).is_ok_and(|n| n > 0) {
                    std::thread::sleep(pause);
                }
            }
        });
        let slow = AtomicBool::new(false);
        let mut pace = Pace::new(Duration::from_millis(400), &slow);
        let outcome = (0..64).try_for_each(|_| pace.write_all(&stream, &vec![0; 1 << 20]));
        over.store(true, Relaxed);
        drop(stream);
        reader.join().unwrap();
        outcome
    }

    #[test]
    fn who_takes_too_little_loses_the_answer_and_who_takes_enough_does_not() {
        let e = sent_to(Duration::from_millis(20), 64).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::TimedOut);
        sent_to(Duration::from_millis(1), 1 << 20).unwrap();
    }
}
