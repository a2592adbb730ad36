//! A journal: what it is of, and the changes, line by line.

use super::{Blob, Change, Identity, change::hexadecimal, codes};
use crate::{
    codec::checksum::crc32,
    error::{Error, Result},
    limits::Limits,
    sample::record,
};

/// The version that is written and read.
const VERSION: u64 = 1;
/// The longest line.
const MOST_LINE: usize = 16 << 20;
/// The most changes.
const MOST_CHANGES: usize = 10_000_000;
/// The most samples that a journal can be of: numbers of JSON are exact up to here.
const MOST_SAMPLES: u64 = 1 << 53;
/// What a line ends with, but for the eight digits: `,"crc":"` and `"}`.
const BEFORE: &str = ",\"crc\":\"";
const BEHIND: &str = "\"}";

/// A journal of changes to a file that stays as it is.
#[derive(Clone, Debug)]
pub struct Journal {
    of: Identity,
    changes: Vec<Change>,
    /// Changes that stand, by their numbers.
    standing: Vec<usize>,
    /// Changes that were undone, the last of them at the end.
    undone: Vec<usize>,
    /// The changes that added a sample.
    adds: Vec<usize>,
    /// Bytes of the file that are read: behind them is a line that was cut off.
    whole: u64,
    torn: u64,
    /// As many as whoever opens it will read.
    most: u64,
}

impl Journal {
    /// One without changes.
    pub fn new(of: Identity) -> Journal {
        let mut journal = Journal {
            of,
            changes: Vec::new(),
            standing: Vec::new(),
            undone: Vec::new(),
            adds: Vec::new(),
            whole: 0,
            torn: 0,
            most: Limits::default().metadata_bytes,
        };
        journal.whole = journal.first_line().len() as u64;
        journal
    }

    /// The same where its reader has these limits: no change is taken that would make it too large to be opened again.
    #[doc(hidden)]
    #[must_use]
    pub fn within(mut self, limits: &Limits) -> Journal {
        self.most = limits.metadata_bytes;
        self
    }

    /// Reads one. A last line without its end is what a crash left: it is left out, and [`torn`](Self::torn) says so.
    /// Anything else that is wrong is refused with its line.
    pub fn parse(text: &[u8], limits: &Limits) -> Result<Journal> {
        limits.metadata(text.len() as u64).map_err(|e| e.section("journal"))?;
        let mut journal: Option<Journal> = None;
        let (mut rest, mut number) = (text, 0);
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, behind) = (&rest[..end], &rest[end + 1..]);
            number += 1;
            let placed = |e: Error| e.section("journal").line(number, 0);
            let fields = fields_of(line).map_err(placed)?;
            match &mut journal {
                None => journal = Some(Journal::begin(fields).map_err(placed)?),
                Some(journal) => journal.read(fields, number - 1).map_err(placed)?,
            }
            rest = behind;
        }
        let Some(mut journal) = journal else {
            let message = "the file has no whole first line of a journal of edits";
            return Err(Error::new(&codes::LINE, message).section("journal").line(1, 0));
        };
        (journal.whole, journal.torn) = ((text.len() - rest.len()) as u64, rest.len() as u64);
        Ok(journal.within(limits))
    }

    fn begin(mut fields: Vec<Raw>) -> Result<Journal> {
        let mut take = |key: &str| {
            let at = fields.iter().position(|(name, _)| name == key)?;
            Some(fields.remove(at).1)
        };
        let wrong = |message: &str| Error::new(&codes::LINE, message.to_owned());
        let version = take("forebay_edits").ok_or_else(|| wrong("the first line does not say forebay_edits"))?;
        if version.get() != VERSION.to_string() {
            let message = format!("the journal is of version {}, Forebay reads {VERSION}", version.get());
            return Err(Error::new(&codes::VERSION, message));
        }
        let of = take("of").ok_or_else(|| wrong("the first line does not name the journal's dataset"))?;
        let of: Identity = serde_json::from_str(of.get()).map_err(|e| wrong(&format!("the journal's dataset: {e}")))?;
        if of.samples > MOST_SAMPLES {
            return Err(wrong(&format!("the journal is of {} samples, and no file has that many", of.samples)));
        }
        match fields.first() {
            Some((key, _)) => Err(wrong(&format!("the member {key:?} of the first line is not known"))),
            None => Ok(Journal::new(of)),
        }
    }

    fn read(&mut self, mut fields: Vec<Raw>, wanted: u64) -> Result<()> {
        let at = fields.iter().position(|(name, _)| name == "n");
        let n = at.map(|at| fields.remove(at).1);
        match n {
            Some(n) if n.get() == wanted.to_string() => {}
            n => {
                let found = n.map_or("none".to_owned(), |n| n.get().to_owned());
                return Err(Error::new(
                    &codes::ORDER,
                    format!("the line has the number {found}, it should be {wanted}"),
                ));
            }
        }
        self.take(Change::from_fields(fields)?)
    }

    /// What the journal is of.
    pub fn of(&self) -> &Identity {
        &self.of
    }
    /// Every change, undone or not.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }
    /// The changes that stand, in order.
    pub fn standing(&self) -> impl DoubleEndedIterator<Item = &Change> {
        self.standing.iter().filter_map(|&k| self.changes.get(k))
    }
    /// Whether a change stands.
    pub fn is_dirty(&self) -> bool {
        !self.standing.is_empty()
    }
    /// Whether there is something to undo.
    pub fn can_undo(&self) -> bool {
        self.is_dirty()
    }
    /// Whether there is something to redo.
    pub fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }
    /// Samples that were added so far, whether or not that stands: the next has the number behind them.
    pub fn added(&self) -> u64 {
        self.adds.len() as u64
    }
    /// Bytes of the file that count: the next line goes there.
    pub fn whole(&self) -> u64 {
        self.whole
    }
    /// Bytes of a last line that was cut off, which does not count.
    pub fn torn(&self) -> u64 {
        self.torn
    }

    /// The first line.
    pub fn first_line(&self) -> String {
        let of = serde_json::to_string(&self.of).unwrap_or_default();
        sealed(format!("{{\"forebay_edits\":{VERSION},\"of\":{of}"))
    }

    /// All of it as text.
    pub fn text(&self) -> String {
        let lines = self.changes.iter().enumerate().map(|(k, change)| line(k, change));
        std::iter::once(self.first_line()).chain(lines).collect()
    }

    /// Takes a change in; what is to be written behind [`whole`](Self::whole), where it then stands.
    pub fn push(&mut self, change: Change) -> Result<String> {
        let text = line(self.changes.len(), &change);
        if text.len() > MOST_LINE {
            return Err(too_long(text.len()));
        }
        let whole = self.whole.saturating_add(text.len() as u64);
        if whole > self.most {
            let message = format!(
                "the journal would have {whole} bytes, and one of more than {} is not opened again: save what was \
                 changed, and begin a journal of the new file",
                self.most
            );
            return Err(Error::new(&codes::LIMIT, message));
        }
        self.take(change)?;
        self.whole = whole;
        Ok(text)
    }

    fn take(&mut self, change: Change) -> Result<()> {
        let k = self.changes.len();
        if k >= MOST_CHANGES {
            return Err(Error::new(&codes::LIMIT, format!("a journal has at most {MOST_CHANGES} changes")));
        }
        let before = match change {
            Change::Move { before, .. } => before,
            _ => None,
        };
        let there = self.of.samples.saturating_add(self.added());
        if let Some(sample) = change.sample().into_iter().chain(before).find(|sample| *sample >= there) {
            let message = format!("there are {there} samples, so none has the number {sample}");
            return Err(Error::new(&codes::LINE, message).sample(sample));
        }
        let nothing = |what: &str| Error::new(&codes::LINE, format!("there is nothing to {what}"));
        match change {
            Change::Undo => self.undone.push(self.standing.pop().ok_or_else(|| nothing("undo"))?),
            Change::Redo => self.standing.push(self.undone.pop().ok_or_else(|| nothing("redo"))?),
            _ => {
                if let Change::Add { .. } = change {
                    self.adds.push(k);
                }
                self.undone.clear();
                self.standing.push(k);
            }
        }
        self.changes.push(change);
        Ok(())
    }

    /// The members of every line, as text, and whether its change was not undone.
    pub fn shown(&self) -> impl Iterator<Item = (String, bool)> {
        let changes = self.changes.iter().enumerate();
        let turns = |change: &Change| matches!(change, Change::Undo | Change::Redo);
        changes.map(move |(k, change)| (format!("\"n\":{},{}", k + 1, change.text()), self.stands(k) || turns(change)))
    }

    /// Where each added sample that stands was added: its number, and its change.
    pub(super) fn additions(&self) -> impl Iterator<Item = (u64, &Change, bool)> {
        let adds = self.adds.iter().filter_map(|&k| Some((k, self.changes.get(k)?)));
        adds.zip(self.of.samples..).map(|((k, change), number)| (number, change, self.stands(k)))
    }

    /// Where the bytes of every added sample lie that stands or may be redone, with the sample's number.
    pub fn blobs(&self) -> impl Iterator<Item = (u64, Blob)> {
        self.additions().filter_map(|(number, change, _)| match change {
            Change::Add { blob, .. } => Some((number, *blob)),
            _ => None,
        })
    }

    /// The changes that stand, with their numbers.
    pub(super) fn standing_numbers(&self) -> impl Iterator<Item = (usize, &Change)> {
        self.standing.iter().filter_map(|&k| Some((k, self.changes.get(k)?)))
    }

    /// The addition of the sample that was added as number `k` of all that were.
    pub(super) fn addition(&self, k: u64) -> Option<&Change> {
        let at = self.adds.get(usize::try_from(k).ok()?)?;
        self.changes.get(*at)
    }

    /// Whether a change of this number stands; those that do are in order.
    fn stands(&self, k: usize) -> bool {
        self.standing.binary_search(&k).is_ok()
    }
}

type Raw = (String, Box<serde_json::value::RawValue>);

fn line(k: usize, change: &Change) -> String {
    sealed(format!("{{\"n\":{},{}", k + 1, change.text()))
}

fn sealed(mut line: String) -> String {
    let crc = crc32(line.as_bytes());
    line.push_str(&format!("{BEFORE}{crc:08x}{BEHIND}\n"));
    line
}

fn too_long(bytes: usize) -> Error {
    Error::new(&codes::LIMIT, format!("a line of {bytes} bytes; a line of a journal has at most {MOST_LINE}"))
}

/// The members of a line whose checksum is right, without the checksum.
fn fields_of(line: &[u8]) -> Result<Vec<Raw>> {
    if line.len() > MOST_LINE {
        return Err(too_long(line.len()));
    }
    let tail = BEFORE.len() + 8 + BEHIND.len();
    let sum = line.len().checked_sub(tail).and_then(|at| {
        let (said, behind) = line.split_at(at);
        let digits = behind.strip_prefix(BEFORE.as_bytes())?.strip_suffix(BEHIND.as_bytes())?;
        Some((said, hexadecimal(std::str::from_utf8(digits).ok()?)?))
    });
    let Some((said, announced)) = sum else {
        let message = match line.ends_with(b"\r") {
            true => "the line ends with a carriage return: something changed the ends of lines, change them back",
            false => "the line does not end with its checksum",
        };
        return Err(Error::new(&codes::LINE, message));
    };
    let found = crc32(said);
    if found != announced {
        let message = format!("CRC-32 is {found:08x}, the line says {announced:08x}");
        return Err(Error::new(&codes::CHECKSUM, message));
    }
    let whole = std::str::from_utf8(said).ok().map(|said| format!("{said}}}"));
    whole
        .and_then(|whole| record::fields_of(&whole))
        .ok_or_else(|| Error::new(&codes::LINE, "the line is not an object of JSON"))
}
