//! `serve` and the loader on a disk that fails and on files that change under them. A visitor gets a status or an ended
//! connection and never wrong bytes, whoever runs the server hears of which file and where, and the next visitor is served.
//! A loader gives errors with file and place, and the batches that do not need those bytes.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use forebay::Error;
use forebay_cli::serve::{Options, Server};
use forebay_native::loader::{Image, Loader};
use serde_json::{Value, json};

use crate::{common::Folder, reading::place::Files};

/// More than the server holds back before it promises them, so that only the connection can say that they are not to be had.
const LARGE: usize = 20 << 20;
const TOKEN: &str = "a-token-of-mine";

/// The part of this test that runs in a process of its own, with something between it and its files: it serves what it is
/// told to, and prints the address and everything that it hears.
#[test]
fn server() {
    let Some(path) = std::env::var_os("SERVED") else { return };
    let mut options = Options::default();
    options.token = Some(TOKEN.into());
    let server = Arc::new(Server::bind(path.as_ref(), &options).unwrap());
    println!("{}", json!({ "address": server.address().to_string() }));
    server.run_saying(|e| {
        let place = e.place();
        println!(
            "{}",
            json!({ "code": e.code().id(), "file": place.file, "offset": place.offset, "said": e.message() })
        );
    });
}

/// The same of a loader: what it gives and what it says, for two epochs.
#[test]
fn loader() {
    let Some(path) = std::env::var_os("LOADED") else { return };
    let tell = |e: Error| {
        let place = e.place();
        println!("{}", json!({ "code": e.code().id(), "file": place.file, "offset": place.offset }));
    };
    let opened = Loader::open(path).map(|builder| builder.batch(10).workers(2).image(Image::new(4, 4)).labels("cls"));
    let mut made = 0;
    match opened.and_then(|builder| builder.build()) {
        // An archive is read whole for that.
        Err(e) => tell(e),
        Ok(mut loader) => {
            for epoch in 0..2 {
                for batch in loader.epoch(epoch).unwrap() {
                    batch.map_or_else(tell, |batch| made += batch.len());
                }
            }
        }
    }
    println!("{}", json!({ "made": made }));
}

/// This very program as another process, with something between it and one file; `None` if nothing can be.
fn again(test: &str, folder: &Folder, file: &str, fault: &str) -> Option<Command> {
    // As the command would be run, but for the program.
    let faulty = Files::get().faulty(folder, file, fault)?;
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("reading::serving::{test}"), "--nocapture"]).current_dir(folder.path());
    command.envs(faulty.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    Some(command)
}

/// What a line of its output says. What the harness prints is not JSON, and may stand in front of it.
fn heard(line: &str) -> Option<Value> {
    line.find('{').and_then(|at| serde_json::from_str(&line[at..]).ok())
}

/// A server in a process of its own.
struct Serving {
    child: Child,
    said: BufReader<std::process::ChildStdout>,
    address: String,
}

impl Serving {
    /// `None` if nothing can be put in between.
    fn over(folder: &Folder, file: &str, fault: &str) -> Option<Serving> {
        let mut command = again("server", folder, file, fault)?;
        command.env("SERVED", folder.path());
        let mut child = command.spawn().unwrap();
        let said = BufReader::new(child.stdout.take().unwrap());
        let mut serving = Serving { child, said, address: String::new() };
        serving.address = serving.hears()["address"].as_str().unwrap().to_owned();
        Some(serving)
    }

    /// The next thing that it prints.
    fn hears(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.said.read_line(&mut line).unwrap() > 0, "the server ended");
            if let Some(said) = heard(&line) {
                return said;
            }
        }
    }

    /// Status, promised length and body of an answer; the body as far as it came.
    fn get(&self, name: &str, range: Option<(u64, u64)>) -> (u16, usize, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let port = self.address.rsplit(':').next().unwrap();
        let range = range.map(|(from, to)| format!("Range: bytes={from}-{to}\r\n")).unwrap_or_default();
        let ask = format!(
            "GET /data/{name} HTTP/1.1\r\nHost: x\r\nCookie: forebay-{port}={TOKEN}\r\n{range}Connection: close\r\n\r\n"
        );
        stream.write_all(ask.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // A connection that is broken off is an end like another.
        let _ = stream.read_to_end(&mut answer);
        let head = answer.windows(4).position(|w| w == b"\r\n\r\n").expect("a head") + 4;
        let body = answer.split_off(head);
        let head = String::from_utf8(answer).unwrap();
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap().parse().unwrap();
        (head[9..12].parse().unwrap(), length, body)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Bytes of which each piece is another.
fn bytes(len: usize) -> Vec<u8> {
    (0..len as u64 / 8).flat_map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()).collect()
}

fn folder() -> (Folder, Vec<u8>) {
    let folder = Folder::new();
    let large = bytes(LARGE);
    fs::write(folder.at("large.tbl"), &large).unwrap();
    fs::write(folder.at("small.tbl"), &large[..1000]).unwrap();
    (folder, large)
}

fn names(heard: &Value, code: &str, file: &str) -> bool {
    heard["code"] == code && heard["file"].as_str().is_some_and(|name| name.ends_with(file))
}

#[test]
fn bytes_that_cannot_be_read_are_a_status_or_an_end_and_the_server_says_where() {
    let (folder, large) = folder();
    let from = 10 << 20;
    let Some(mut serving) = Serving::over(&folder, "large.tbl", &format!("eio {from} {}", from + 4096)) else { return };
    // A part that is held back until it is whole.
    let (status, _, body) = serving.get("large.tbl", Some((from as u64 + 100, from as u64 + 199)));
    let said = String::from_utf8_lossy(&body).into_owned();
    assert!(status == 500 && said.contains(&format!("at byte {}", from + 100)), "{status}: {said}");
    assert!(!said.contains(&folder.path().display().to_string()), "a visitor knows the file by another name: {said}");
    let heard = serving.hears();
    assert!(names(&heard, "io", "large.tbl") && heard["offset"] == from + 100, "{heard}");
    // The whole file, which was promised when it turned out.
    let (status, length, body) = serving.get("large.tbl", None);
    assert!(status == 200 && length == LARGE && body.len() <= from && body == large[..body.len()], "{}", body.len());
    let heard = serving.hears();
    assert!(names(&heard, "io", "large.tbl") && heard["offset"] == from, "{heard}");
    // The others are served as before: other parts, other files.
    assert_eq!(serving.get("large.tbl", Some((0, 99))), (206, 100, large[..100].to_vec()));
    assert_eq!(serving.get("small.tbl", None), (200, 1000, large[..1000].to_vec()));
}

#[test]
fn interrupted_and_short_reads_change_nothing_of_what_is_served() {
    let (folder, large) = folder();
    for fault in ["eintr", "short"] {
        let Some(serving) = Serving::over(&folder, "large.tbl", fault) else { return };
        assert!(serving.get("large.tbl", None) == (200, LARGE, large.clone()), "{fault}");
        assert!(serving.get("large.tbl", Some((77, 5_000_000))).2 == large[77..=5_000_000], "{fault}");
    }
}

#[test]
fn a_file_that_is_cut_or_written_while_it_is_sent_is_never_half_of_each() {
    for fault in ["cut", "write", "grow"] {
        let (folder, large) = folder();
        let at = 12 << 20;
        let Some(mut serving) = Serving::over(&folder, "large.tbl", &format!("{fault} {at}")) else { return };
        let (status, _, body) = serving.get("large.tbl", Some((at as u64 - 50, at as u64 + 49)));
        assert_eq!(status, 500, "{fault}: {}", String::from_utf8_lossy(&body));
        let heard = serving.hears();
        assert!(names(&heard, "source.changed", "large.tbl"), "{fault}: {heard}");
        assert!(fault != "cut" || heard["offset"] == at, "{heard}");
        assert_eq!(serving.get("small.tbl", None), (200, 1000, large[..1000].to_vec()));
    }
    // The same in the middle of an answer that is on its way.
    let (folder, large) = folder();
    let at = 12 << 20;
    let Some(mut serving) = Serving::over(&folder, "large.tbl", &format!("cut {at}")) else { return };
    let (status, length, body) = serving.get("large.tbl", None);
    assert!((status, length) == (200, LARGE) && body.len() <= at && body == large[..body.len()], "{}", body.len());
    let heard = serving.hears();
    assert!(names(&heard, "source.changed", "large.tbl") && heard["offset"] == at, "{heard}");
}

#[test]
fn a_loader_says_which_bytes_it_did_not_get_and_goes_on_where_it_can() {
    for file in ["a.tbl", "a.tar"] {
        let len = fs::metadata(Files::get().at(file)).unwrap().len();
        for (fault, code) in
            [("eio", "io"), ("cut", "source.changed"), ("write", "source.changed"), ("eintr", ""), ("short", "")]
        {
            // Behind what opening reads of a TBL.
            let at = len * 7 / 10;
            let folder = Files::get().copy(file);
            let fault = format!("{fault} {at} {}", at + 2000);
            let Some(mut command) = again("loader", &folder, file, &fault) else { return };
            let output = command.env("LOADED", folder.at(file)).output().unwrap();
            assert!(output.status.success(), "{fault} {file}: {output:?}");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let said: Vec<Value> = text.lines().filter_map(heard).collect();
            let (last, errors) = said.split_last().unwrap();
            for e in errors {
                assert!(
                    e["code"] == code && names(e, code, file) && (e["offset"].is_u64() || code == "source.changed"),
                    "{fault} {file}: {e}"
                );
            }
            assert_eq!(errors.is_empty(), code.is_empty(), "{fault} {file}: {text}");
            assert!(!code.is_empty() || last["made"] == 600, "{fault} {file}: {last}");
            let some = file == "a.tbl" && code == "io";
            assert!(!some || last["made"].as_u64() > Some(100), "{fault} {file}: {last}");
        }
    }
}
