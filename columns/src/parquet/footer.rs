//! What is found in a Parquet footer before Parquet's crate reads it: how deep the schema nests, for that recurses
//! without a bound, and a stack that overflows cannot be caught; and which columns are encrypted, for it would take
//! their bytes for damage.

use std::collections::BTreeSet;

use forebay::{Error, Limits, Result};

use crate::{
    codes,
    ranges::Ranges,
    thrift::{Compact, LIST, STRUCT},
};

/// The last bytes, which say where the footer begins.
const TAIL: u64 = 8;

/// Returns where a file's footer lies, from its last bytes.
pub(super) fn place(input: &impl Ranges) -> Result<std::ops::Range<u64>> {
    let damaged = |why: &str| Error::new(&codes::ARROW, why).section("footer");
    let Some(end) = input.len().checked_sub(TAIL) else { return Err(damaged("the file is too short")) };
    let tail = input.slice(end..input.len())?;
    let Some((length, magic)) = tail.split_first_chunk::<4>() else { return Err(damaged("the file is too short")) };
    if magic == b"PARE" {
        let message = "the file is encrypted, which is not read; write it without encryption";
        return Err(Error::new(&codes::ROUTE, message).section("footer"));
    }
    if magic != b"PAR1" {
        return Err(damaged("the file does not end as a Parquet file does; it may be cut"));
    }
    let length = u64::from(u32::from_le_bytes(*length));
    let Some(start) = end.checked_sub(length) else {
        return Err(damaged(&format!("the footer declares {length} bytes; the file has {}", input.len())));
    };
    Ok(start..end)
}

/// Refuses a file whose schema nests deeper than the limits allow, or whose end is not that of a Parquet file. Gives
/// the numbers of the stored columns that are encrypted.
pub(super) fn check(input: &impl Ranges, limits: &Limits) -> Result<Vec<usize>> {
    let footer = place(input)?;
    let damaged = |why: &str| Error::new(&codes::ARROW, why).section("footer");
    let footer = input.lend(footer)?;
    let deepest = depth(&footer, limits.nesting).ok_or_else(|| damaged("the schema cannot be read"))?;
    limits.depth(deepest)?;
    Ok(encrypted(&footer).unwrap_or_default())
}

/// The numbers of encrypted columns: most files say early that there are none.
fn encrypted(footer: &[u8]) -> Option<Vec<usize>> {
    let (mut c, mut last) = (Compact(footer), 0);
    let (mut groups, mut algorithm) = (None, false);
    while let Some((number, kind)) = c.field(&mut last)? {
        match (number, kind) {
            (4, LIST) => groups = Some(Compact(c.0)),
            (8, STRUCT) => algorithm = true,
            _ => {}
        }
        c.skip(kind)?;
    }
    let mut c = groups.filter(|_| algorithm)?;
    let mut found = BTreeSet::new();
    let (groups, _) = c.list()?;
    for _ in 0..groups {
        let mut last = 0;
        while let Some((number, kind)) = c.field(&mut last)? {
            if (number, kind) != (1, LIST) {
                c.skip(kind)?;
                continue;
            }
            let (columns, _) = c.list()?;
            for column in 0..usize::try_from(columns).ok()? {
                let mut last = 0;
                while let Some((number, kind)) = c.field(&mut last)? {
                    // How it is encrypted, and its description, which may be encrypted too.
                    if matches!(number, 8 | 9) {
                        found.insert(column);
                    }
                    c.skip(kind)?;
                }
            }
        }
    }
    Some(found.into_iter().collect())
}

/// How deep the schema nests, as far as `most` and one more.
fn depth(footer: &[u8], most: u32) -> Option<u32> {
    let mut c = Compact(footer);
    let mut last = 0;
    loop {
        match c.field(&mut last)?? {
            (2, LIST) => break,
            (_, kind) => c.skip(kind)?,
        }
    }
    let (elements, kind) = c.list()?;
    // How many children each group on the way still lacks.
    let mut open: Vec<u64> = Vec::new();
    let mut deepest = 0;
    for _ in 0..elements {
        let children = children(&mut c, kind)?;
        if let Some(lacking) = open.last_mut() {
            *lacking = lacking.checked_sub(1)?;
        }
        if children > 0 {
            open.push(children);
        }
        deepest = deepest.max(open.len() as u32);
        if deepest > most {
            break;
        }
        while open.last() == Some(&0) {
            open.pop();
        }
    }
    Some(deepest)
}

/// How many children an element of the schema has.
fn children(c: &mut Compact<'_>, kind: u8) -> Option<u64> {
    if kind != STRUCT {
        return None;
    }
    let (mut last, mut children) = (0, 0);
    while let Some((number, kind)) = c.field(&mut last)? {
        match (number, kind) {
            (5, 5) => children = u64::try_from(c.zigzag()?).ok()?,
            _ => c.skip(kind)?,
        }
    }
    Some(children)
}

#[cfg(test)]
mod tests {
    use forebay::step::Pieces;

    use super::*;
    use crate::ranges::Fetched;

    fn check(file: &[u8], limits: &Limits) -> Result<()> {
        let mut pieces = Pieces::default();
        pieces.push(0, file.to_vec().into());
        super::check(&Fetched::new(file.len() as u64, &pieces), limits).map(|_| ())
    }

    /// A file whose schema is a chain of this many groups.
    fn chain(groups: usize) -> Vec<u8> {
        let mut footer = vec![0x15, 2, 0x19, 0xfc];
        let n = groups + 1;
        footer.extend([n as u8 | 0x80, (n >> 7) as u8 | 0x80, (n >> 14) as u8]);
        (0..groups).for_each(|_| footer.extend([0x35, 0, 0x18, 1, b'g', 0x15, 2, 0]));
        footer.extend([0x15, 2, 0x25, 0, 0x18, 1, b'x', 0, 0x16, 0, 0x19, 0x0c, 0]);
        let mut file = b"PAR1".to_vec();
        file.extend(&footer);
        file.extend((footer.len() as u32).to_le_bytes());
        file.extend(b"PAR1");
        file
    }

    #[test]
    fn a_schema_that_nests_without_end_is_refused() {
        let limits = Limits::host();
        assert!(check(&chain(100), &limits).is_ok());
        assert_eq!(check(&chain(129), &limits).unwrap_err().code().id(), "limit.nesting");
        assert_eq!(check(&chain(300_000), &limits).unwrap_err().code().id(), "limit.nesting");
    }

    #[test]
    fn no_cut_of_the_footer_panics() {
        let file = chain(3);
        for n in 0..file.len() {
            assert!(check(&file[..n], &Limits::host()).is_err());
            assert!(depth(&file[4..n.max(4)], 128).is_none_or(|d| d == 3));
        }
    }
}
