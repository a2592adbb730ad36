//! A line of JSON for each shard: how long what took, and what was refused.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    path::Path,
    time::{Duration, Instant},
};

use forebay::{Error, Result, error::codes};
use serde_json::{Value, json};

use super::{chunk::Kept, make::Times, writing::Written};
use crate::input::{display, io_error};

/// The file of these lines, if one is asked for.
pub(super) struct Trace {
    file: Option<(File, String)>,
}

/// The longest first line that is looked at: it lists causes, of which there are few.
const LINE: u64 = 1 << 16;

/// A trace takes the place of an earlier one, as the first builder's does, and of nothing else.
pub(super) fn refuse_other(path: &Path, name: &str) -> Result<()> {
    let failed = |e| io_error(name, "read the trace", e);
    let mut first = Vec::new();
    match File::open(path) {
        Ok(file) if file.metadata().map_err(failed)?.is_file() => {
            BufReader::new(file.take(LINE)).read_until(b'\n', &mut first).map_err(failed)?;
        }
        // A terminal or a pipe takes what is written; of a folder, writing says what it is.
        Ok(_) => return Ok(()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(failed(e)),
    }
    let is_line = serde_json::from_slice::<Value>(&first).is_ok_and(|line| line["shard"].is_string());
    if first.is_empty() || is_line {
        return Ok(());
    }
    let message = "the trace would replace a file that is not a trace; give another name, or remove it first";
    Err(Error::new(&codes::ARGUMENT, message).file(name))
}

impl Trace {
    pub fn begin(path: Option<&Path>) -> Result<Trace> {
        let Some(path) = path else { return Ok(Trace { file: None }) };
        let name = display(path);
        refuse_other(path, &name)?;
        let file = File::create(path).map_err(|e| io_error(&name, "write the trace", e))?;
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
        // In one piece, so that a build that is killed leaves whole lines.
        file.write_all(format!("{line}\n").as_bytes()).map_err(|e| io_error(name, "write the trace", e))
    }
}
