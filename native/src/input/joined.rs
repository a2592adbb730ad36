//! Several files as one, each after the other.

use std::ops::Range;

use bytes::Bytes;
use forebay::{Error, Result};

use super::{Advice, Input, Source};

/// Files that are read as one.
#[derive(Debug)]
struct Joined {
    /// Where each begins, and it; none is empty.
    parts: Vec<(u64, Input)>,
    len: u64,
}

impl Input {
    /// Files as one, each after the other. What is wrong with one is said with its name as that of a member.
    pub fn joined(name: impl Into<String>, files: impl IntoIterator<Item = Input>) -> Input {
        let (mut parts, mut len) = (Vec::new(), 0u64);
        for file in files.into_iter().filter(|file| !file.is_empty()) {
            let start = len;
            len = len.saturating_add(file.len());
            parts.push((start, file));
        }
        Input::over(name, Joined { parts, len })
    }
}

impl Joined {
    /// The parts of a range, each with its file.
    fn cut(&self, range: Range<u64>) -> impl Iterator<Item = (&Input, Range<u64>)> {
        let first = self.parts.partition_point(|(start, file)| start + file.len() <= range.start);
        let end = range.end;
        self.parts.iter().skip(first).take_while(move |(start, _)| *start < end).map(move |(start, file)| {
            let inside = range.start.max(*start)..range.end.min(start + file.len());
            (file, inside.start - start..inside.end - start)
        })
    }
}

/// Names the file that an error is about.
fn of(file: &Input) -> impl Fn(Error) -> Error {
    let name = file.name().rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    move |e| e.member(name.clone())
}

impl Source for Joined {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()> {
        let mut rest = out;
        for (file, range) in self.cut(at..at.saturating_add(rest.len() as u64)) {
            let (part, behind) = rest.split_at_mut(((range.end - range.start) as usize).min(rest.len()));
            file.source.read_at(range.start, part).map_err(of(file))?;
            rest = behind;
        }
        match rest.is_empty() {
            true => Ok(()),
            false => {
                Err(Error::new(&forebay::error::codes::MISSING_BYTES, "bytes after the last file").offset(self.len))
            }
        }
    }

    fn is_local(&self) -> bool {
        self.parts.iter().all(|(_, file)| file.source.is_local())
    }

    /// Only what lies in one file.
    fn at_hand(&self, range: Range<u64>) -> Option<Bytes> {
        if range.is_empty() {
            let in_memory = |(_, file): &(u64, Input)| file.source.at_hand(0..0).is_some();
            return self.parts.iter().all(in_memory).then(Bytes::new);
        }
        let (file, inside) = self.cut(range.clone()).next()?;
        (inside.end - inside.start == range.end - range.start).then(|| file.source.at_hand(inside)).flatten()
    }

    fn advise(&self, range: Range<u64>, advice: Advice) {
        self.cut(range).for_each(|(file, inside)| file.source.advise(inside, advice));
    }

    fn unchanged(&self) -> Result<()> {
        self.parts.iter().try_for_each(|(_, file)| file.source.unchanged().map_err(of(file)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_several_files_is_read_as_one() {
        let files = ["abc", "", "d", "efgh"].map(|text| Input::memory("x", text));
        let joined = Input::joined("all", files);
        assert_eq!(joined.len(), 8);
        for start in 0..=8 {
            for end in start..=8 {
                let found = joined.slice(start..end).unwrap();
                assert_eq!(found, "abcdefgh"[start as usize..end as usize]);
            }
        }
        assert!(joined.slice(5..9).is_err());
    }
}
