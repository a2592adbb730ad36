//! How deep a Parquet schema nests, found before Parquet's crate builds it: that recurses without a bound, and a
//! stack that overflows cannot be caught.

use forebay::{Error, Limits, Result};

use super::{
    codes,
    thrift::{Compact, LIST, STRUCT},
};

/// Refuses a file whose schema nests deeper than the limits allow, or whose end is not that of a Parquet file.
pub(super) fn check(file: &[u8], limits: &Limits) -> Result<()> {
    let damaged = |why: &str| Error::new(&codes::ARROW, why).section("footer");
    let Some((rest, magic)) = file.split_last_chunk::<4>() else { return Err(damaged("the file is too short")) };
    // The footer of an encrypted file is not readable, and Parquet's crate says so.
    if magic == b"PARE" {
        return Ok(());
    }
    let Some((rest, length)) = rest.split_last_chunk::<4>().filter(|_| magic == b"PAR1") else {
        return Err(damaged("the file does not end as a Parquet file does; it may be cut"));
    };
    let length = u32::from_le_bytes(*length) as usize;
    let Some(footer) = rest.len().checked_sub(length).and_then(|at| rest.get(at..)) else {
        return Err(damaged(&format!("the footer is said to have {length} bytes; the file has {}", file.len())));
    };
    let deepest = depth(footer, limits.nesting).ok_or_else(|| damaged("the schema cannot be read"))?;
    limits.depth(deepest)
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
    use super::*;

    /// A file whose schema is a chain of so many groups.
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
