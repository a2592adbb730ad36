//! From the head down the tree.

use std::{collections::HashSet, ops::Range};

use bytes::Bytes;

use super::{
    datum,
    file::{Entry, Lmdb},
    page::{HEADER, META, Meta, Page, Tree, Value, read},
};
use crate::{
    doors::codes,
    error::{self, Error, Result},
    limits::Limits,
    step::{Pieces, Step, Stepper},
};

/// Memory of an entry, without its key.
const ENTRY: u64 = 48;
/// Levels of a tree; more have no keys.
const DEEPEST: usize = 64;
/// Databases inside.
const MOST_DATABASES: usize = 10_000;
/// Pages that are asked for at once.
const AT_ONCE: usize = 1024;
/// Values that tell what all of them are.
const LOOKS: usize = 4;

/// Opens a database.
#[derive(Debug)]
pub struct Opener {
    file_len: u64,
    limits: Limits,
    pieces: Pieces,
    meta: Option<Meta>,
    /// Trees that are still to be walked, each with the name of its database.
    trees: Vec<(Vec<u8>, Tree)>,
    tree: Option<Walk>,
    seen: HashSet<u64>,
    databases: usize,
    entries: Vec<Entry>,
    keys: Vec<u8>,
}

/// A tree that is being walked, level by level, so that each level is asked for at once and the keys stay in order.
#[derive(Debug)]
struct Walk {
    name: Vec<u8>,
    tree: Tree,
    depth: usize,
    /// The pages of this level.
    level: Vec<u64>,
    /// How many of them were read.
    done: usize,
    /// Those of the next.
    next: Vec<u64>,
    found: u64,
}

impl Opener {
    /// For a file of this many bytes.
    pub fn new(file_len: u64, limits: &Limits) -> Opener {
        Opener {
            file_len,
            limits: limits.clone(),
            pieces: Pieces::default(),
            meta: None,
            trees: Vec::new(),
            tree: None,
            seen: HashSet::new(),
            databases: 0,
            entries: Vec::new(),
            keys: Vec::new(),
        }
    }

    /// The newer of the two heads, or the bytes that are lacking.
    fn meta(&mut self) -> Result<Step<Meta>> {
        let wanted = 0..(META as u64).min(self.file_len);
        let Some(bytes) = self.pieces.get(wanted.clone()) else { return Ok(Step::Need(self.pieces.lacking(wanted))) };
        let first = Meta::read(&bytes);
        // Of a first head that is damaged the size of pages is not known; most have this one.
        let size = first.as_ref().map_or(4096, |meta| u64::from(meta.page_size));
        let wanted = size..(size + META as u64).min(self.file_len);
        if wanted.start >= wanted.end {
            return first.map(Step::Done);
        }
        let Some(bytes) = self.pieces.get(wanted.clone()) else { return Ok(Step::Need(self.pieces.lacking(wanted))) };
        match (first, Meta::read(&bytes)) {
            (Ok(a), Ok(b)) if a.page_size == b.page_size && b.transaction > a.transaction => Ok(Step::Done(b)),
            (Ok(meta), _) => Ok(Step::Done(meta)),
            (Err(e), Ok(meta)) if e.code() == &codes::LMDB_META && u64::from(meta.page_size) == size => {
                Ok(Step::Done(meta))
            }
            (Err(e), _) => Err(e.offset(16)),
        }
    }

    fn page(&self, meta: &Meta, number: u64) -> Result<Range<u64>> {
        let size = u64::from(meta.page_size);
        let start = number.checked_mul(size).filter(|_| number <= meta.last_page);
        let range = start.and_then(|start| Some(start..start.checked_add(size)?));
        range.filter(|range| range.end <= self.file_len).ok_or_else(|| {
            let message = format!("page {number} lies after the end of the file");
            Error::new(&codes::LMDB_PAGE, message).offset(self.file_len)
        })
    }

    /// Takes in a page of the tree.
    fn look(&mut self, walk: &mut Walk, number: u64, start: u64, bytes: &[u8]) -> Result<()> {
        let entries = match read(bytes, number).map_err(|e| e.offset(start))? {
            Page::Branch(pages) => {
                walk.next.extend(pages);
                return self.limits.index((walk.next.len() + walk.level.len()) as u64 * 8).map(drop);
            }
            Page::Leaf(entries) => entries,
        };
        if !walk.next.is_empty() {
            let message = format!("page {number}: the tree has leaves and branches on one level");
            return Err(Error::new(&codes::LMDB_PAGE, message).offset(start));
        }
        for (key, value) in entries {
            walk.found += 1;
            let (at, len) = match value {
                Value::Here { at, len } => (start + at as u64, len as u64),
                Value::Pages { page, len } => {
                    let size = self.meta.map_or(0, |meta| u64::from(meta.page_size));
                    let at = page.checked_mul(size).and_then(|at| at.checked_add(HEADER as u64));
                    let end = at.and_then(|at| at.checked_add(len as u64)).filter(|&end| end <= self.file_len);
                    let at = at.filter(|_| end.is_some()).ok_or_else(|| {
                        let message = format!("page {number}: a value lies after the end of the file");
                        Error::new(&codes::LMDB_PAGE, message).offset(start)
                    })?;
                    (at, len as u64)
                }
                Value::Database(tree) => {
                    self.databases += 1;
                    if self.databases > MOST_DATABASES {
                        let message = format!("more than {MOST_DATABASES} databases are in one");
                        return Err(Error::new(&codes::LMDB_UNSUPPORTED, message));
                    }
                    self.trees.push(([&walk.name[..], key, b"/"].concat(), tree));
                    continue;
                }
            };
            self.keys.extend_from_slice(&walk.name);
            self.keys.extend_from_slice(key);
            self.entries.push(Entry { at, len, key_end: self.keys.len() as u64 });
        }
        self.limits.index(self.entries.len() as u64 * ENTRY + self.keys.len() as u64).map(drop)
    }

    /// Goes on with a tree; the bytes that are lacking, if some are.
    fn walk(&mut self, meta: &Meta, walk: &mut Walk) -> Result<Option<Vec<Range<u64>>>> {
        loop {
            while walk.done < walk.level.len() {
                let until = walk.level.len().min(walk.done + AT_ONCE);
                let numbers = walk.level.get(walk.done..until).unwrap_or_default().to_vec();
                let ranges: Vec<_> = numbers.iter().map(|&n| self.page(meta, n)).collect::<Result<_>>()?;
                let lacking: Vec<_> = ranges.iter().flat_map(|range| self.pieces.lacking(range.clone())).collect();
                if !lacking.is_empty() {
                    return Ok(Some(lacking));
                }
                for (number, range) in numbers.into_iter().zip(ranges) {
                    if !self.seen.insert(number) {
                        let message = format!("page {number} is in the tree twice");
                        return Err(Error::new(&codes::LMDB_PAGE, message).offset(range.start));
                    }
                    let bytes = self.pieces.expect(range.clone())?;
                    self.look(walk, number, range.start, &bytes)?;
                }
                walk.done = until;
                self.pieces = Pieces::default();
            }
            if walk.next.is_empty() {
                return Ok(None);
            }
            (walk.level, walk.done, walk.depth) = (std::mem::take(&mut walk.next), 0, walk.depth + 1);
            if walk.depth > DEEPEST {
                return Err(Error::new(&codes::LMDB_PAGE, format!("the tree has more than {DEEPEST} levels")));
            }
        }
    }

    /// The first values, which decide what all of them are.
    fn first(&self) -> impl Iterator<Item = Range<u64>> {
        let first = self.entries.iter().take(LOOKS).map(|entry| entry.at..entry.at + entry.len);
        first.filter(|range| self.limits.item(range.end - range.start).is_ok())
    }
}

impl Stepper for Opener {
    type Output = Lmdb;

    fn step(&mut self) -> Result<Step<Lmdb>> {
        if self.file_len == 0 {
            return Err(Error::new(&error::codes::EMPTY, "the file has no bytes").offset(0));
        }
        let meta = match self.meta {
            Some(meta) => meta,
            None => match self.meta()? {
                Step::Need(ranges) => return Ok(Step::Need(ranges)),
                Step::Done(meta) => {
                    self.trees.push((Vec::new(), meta.tree));
                    *self.meta.insert(meta)
                }
            },
        };
        loop {
            if let Some(mut walk) = self.tree.take() {
                if let Some(lacking) = self.walk(&meta, &mut walk)? {
                    self.tree = Some(walk);
                    return Ok(Step::Need(lacking));
                }
                if walk.found != walk.tree.entries {
                    let message = format!("{} entries are announced, and {} are there", walk.tree.entries, walk.found);
                    return Err(Error::new(&codes::LMDB_PAGE, message));
                }
            }
            // Databases in the order of their names: the last that was found is the first to be taken.
            if self.trees.is_empty() {
                break;
            }
            let (name, tree) = self.trees.remove(0);
            let level = tree.root.into_iter().collect();
            self.tree = Some(Walk { name, tree, depth: 0, level, done: 0, next: Vec::new(), found: 0 });
        }
        let lacking: Vec<_> = self.first().flat_map(|range| self.pieces.lacking(range)).collect();
        if !lacking.is_empty() {
            return Ok(Step::Need(lacking));
        }
        let values: Vec<_> = self.first().filter_map(|range| self.pieces.get(range)).collect();
        let datum = !values.is_empty() && values.iter().all(|value| datum::is(value));
        let (entries, keys) = (std::mem::take(&mut self.entries), std::mem::take(&mut self.keys));
        Lmdb::new(entries, keys, datum, self.databases, &self.limits).map(Step::Done)
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}
