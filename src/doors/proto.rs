//! Protocol Buffers, read field by field: no schema, no copies.

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire<'a> {
    /// A number of one to ten bytes.
    Varint(u64),
    /// Eight bytes.
    Eight([u8; 8]),
    /// Bytes, a text, a message, or packed numbers.
    Bytes(&'a [u8]),
    /// Four bytes.
    Four([u8; 4]),
}

/// The fields of a message that are left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message<'a>(pub &'a [u8]);

/// The bytes are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

pub(super) type Read<T> = std::result::Result<T, Malformed>;

impl<'a> Message<'a> {
    /// The next field: its number, and what it holds.
    pub fn next(&mut self) -> Read<Option<(u32, Wire<'a>)>> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).ok().filter(|number| (1..1 << 29).contains(number)).ok_or(Malformed)?;
        let wire = match tag & 7 {
            0 => Wire::Varint(self.varint()?),
            1 => Wire::Eight(self.array()?),
            2 => {
                let len = self.varint()?;
                Wire::Bytes(self.take(usize::try_from(len).map_err(|_| Malformed)?)?)
            }
            5 => Wire::Four(self.array()?),
            // Groups are older than what reads these records.
            _ => return Err(Malformed),
        };
        Ok(Some((number, wire)))
    }

    /// A number of one to ten bytes.
    pub fn varint(&mut self) -> Read<u64> {
        let mut value = 0_u64;
        for shift in (0..70).step_by(7) {
            let (&byte, rest) = self.0.split_first().ok_or(Malformed)?;
            self.0 = rest;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(Malformed);
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Malformed)
    }

    fn take(&mut self, n: usize) -> Read<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_in_order_and_what_is_cut_is_none() {
        let bytes = b"\x08\x96\x01\x12\x02hi\x1d\0\0\x80\x3f\x21\x01\0\0\0\0\0\0\0";
        let mut message = Message(bytes);
        assert_eq!(message.next(), Ok(Some((1, Wire::Varint(150)))));
        assert_eq!(message.next(), Ok(Some((2, Wire::Bytes(b"hi")))));
        assert_eq!(message.next(), Ok(Some((3, Wire::Four(1_f32.to_le_bytes())))));
        assert_eq!(message.next(), Ok(Some((4, Wire::Eight(1_u64.to_le_bytes())))));
        assert_eq!(message.next(), Ok(None));
        assert_eq!(Message(&[0xff; 10]).varint(), Err(Malformed));
        assert_eq!(Message(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").varint(), Ok(u64::MAX));
        for wrong in [&b"\x0b"[..], b"\x12\x05hi", b"\0\0", b"\x09\0", b"\xff\xd8\xff\xe0"] {
            assert!(Message(wrong).next().is_err(), "{wrong:?}");
        }
    }
}
