//! Thrift's compact protocol, as far as the claims of a Parquet file are looked for in it.

/// Structs, lists and maps that are passed over may nest this deep; those of the format nest four deep.
const SKIPPED_DEPTH: u32 = 32;

pub(crate) const LIST: u8 = 9;
pub(crate) const STRUCT: u8 = 12;

/// Thrift's compact protocol, as much of it as is passed over here.
pub(crate) struct Compact<'a>(pub &'a [u8]);

impl Compact<'_> {
    fn take(&mut self, n: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(n).ok()?..)?;
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    pub fn zigzag(&mut self) -> Option<i64> {
        let n = self.varint()?;
        Some((n >> 1) as i64 ^ -((n & 1) as i64))
    }

    /// The next field's number and type; nothing at a struct's end.
    pub fn field(&mut self, last: &mut i64) -> Option<Option<(i64, u8)>> {
        let head = self.byte()?;
        if head == 0 {
            return Some(None);
        }
        *last = match head >> 4 {
            0 => self.zigzag()?,
            step => last.checked_add(step.into())?,
        };
        Some(Some((*last, head & 15)))
    }

    /// A list's length and the type of what it holds.
    pub fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let n = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
        Some((n, head & 15))
    }

    pub fn skip(&mut self, kind: u8) -> Option<()> {
        self.pass(kind, SKIPPED_DEPTH)
    }

    fn pass(&mut self, kind: u8, depth: u32) -> Option<()> {
        let deeper = depth.checked_sub(1)?;
        match kind {
            1 | 2 => {}
            3 => self.take(1)?,
            4..=6 => drop(self.varint()?),
            7 => self.take(8)?,
            8 => {
                let n = self.varint()?;
                self.take(n)?;
            }
            LIST | 10 => {
                let (n, item) = self.list()?;
                (0..n).try_for_each(|_| self.item(item, deeper))?;
            }
            11 => {
                let n = self.varint()?;
                if n > 0 {
                    let kinds = self.byte()?;
                    (0..n).try_for_each(|_| {
                        self.item(kinds >> 4, deeper)?;
                        self.item(kinds & 15, deeper)
                    })?;
                }
            }
            STRUCT => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.pass(kind, deeper)?;
                }
            }
            13 => self.take(16)?,
            _ => return None,
        }
        Some(())
    }

    /// What a list or map holds; booleans take a byte there.
    fn item(&mut self, kind: u8, depth: u32) -> Option<()> {
        if matches!(kind, 1 | 2) { self.take(1) } else { self.pass(kind, depth) }
    }
}
