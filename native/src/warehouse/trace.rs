//! A line of JSON for each shard: how long what took, and what was refused.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{self, BufRead as _, BufReader, Read as _, Seek as _, Write as _},
    path::Path,
    time::{Duration, Instant},
};

use forebay::{Error, Result, error::codes::ARGUMENT};
use serde_json::{Value, json};

use super::{make::Times, shards::Kept, writing::Written};
use crate::input::{display, io_error};

/// The most that a line has.
const LINE: u64 = 1 << 16;

/// Whether this file is one of these lines, or empty.
fn is_trace(file: &File) -> io::Result<bool> {
    let mut line = Vec::new();
    BufReader::new(file).take(LINE).read_until(b'\n', &mut line)?;
    let fields = ["shard", "wall_ms", "samples_per_s"];
    Ok(line.is_empty()
        || serde_json::from_slice::<Value>(&line)
            .is_ok_and(|value| fields.iter().all(|name| value.get(name).is_some())))
}

/// The file of these lines, if one is asked for.
pub(super) struct Trace {
    file: Option<(File, String)>,
}

impl Trace {
    pub fn begin(path: Option<&Path>) -> Result<Trace> {
        let Some(path) = path else { return Ok(Trace { file: None }) };
        let name = display(path);
        let failed = |e| io_error(&name, "write the trace", e);
        // That of an earlier build is replaced, since builds are repeated; nothing else that is there.
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_file() {
            if !is_trace(&file).map_err(failed)? {
                let message = "the trace would replace this file, which is not a trace; name another";
                return Err(Error::new(&ARGUMENT, message).file(name).with_options(&["trace"]));
            }
            file.set_len(0).and_then(|()| (&file).rewind()).map_err(failed)?;
        }
        Ok(Trace { file: Some((file, name)) })
    }

    /// The line of chunk `number`, whose pictures took these times, and which was begun then.
    pub fn line(&mut self, number: usize, times: &Times, begun: Instant, written: &Written) -> Result<()> {
        let Some((file, name)) = &mut self.file else { return Ok(()) };
        let mut refused = BTreeMap::<&str, u64>::new();
        let mut samples = 0_u64;
        for entry in &written.chunk.frames {
            match &entry.became {
                Kept::Stored { .. } => samples += 1,
                Kept::Empty { .. } => *refused.entry("empty").or_default() += 1,
                Kept::Refused { cause, .. } => *refused.entry(cause).or_default() += 1,
            }
        }
        let seconds = written.ended.saturating_duration_since(begun).as_secs_f64().max(1e-9);
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let line = json!({
            "shard": format!("{number:05}"),
            "samples": samples,
            "read_ms": ms(times.read),
            "decode_ms": ms(times.decode),
            "resize_ms": ms(times.resize),
            "write_ms": ms(written.write),
            "wall_ms": seconds * 1e3,
            "samples_per_s": samples as f64 / seconds,
            "mb_per_s": written.chunk.bytes as f64 / 1e6 / seconds,
            "refused": refused,
        });
        writeln!(file, "{line}").map_err(|e| io_error(name, "write the trace", e))
    }
}
