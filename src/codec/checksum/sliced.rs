//! Both checksums over tables that are made when they are first used: for WebAssembly, where 24 KiB of tables in the
//! file, which do not compress, cost a page more than the microseconds in which they are made again.

use std::sync::OnceLock;

/// Bytes taken at once: one table for each.
const STRIDE: usize = 16;

/// A checksum whose bits come least significant first.
pub(super) struct Sliced {
    polynomial: u32,
    tables: OnceLock<Box<[[u32; 256]; STRIDE]>>,
}

/// CRC-32/ISO-HDLC; its users invert before and after.
pub(super) static CRC32: Sliced = Sliced::new(0xEDB8_8320);
/// CRC-16/MODBUS.
pub(super) static CRC16: Sliced = Sliced::new(0xA001);

impl Sliced {
    const fn new(polynomial: u32) -> Self {
        Sliced { polynomial, tables: OnceLock::new() }
    }

    /// Table `k` says what a byte has become `k` bytes later.
    fn tables(&self) -> &[[u32; 256]; STRIDE] {
        self.tables.get_or_init(|| {
            let mut tables = Box::new([[0; 256]; STRIDE]);
            for (byte, entry) in (0u32..).zip(tables[0].iter_mut()) {
                *entry = (0..8).fold(byte, |c, _| if c & 1 == 1 { (c >> 1) ^ self.polynomial } else { c >> 1 });
            }
            for k in 1..STRIDE {
                for byte in 0..256 {
                    let before = tables[k - 1][byte];
                    tables[k][byte] = (before >> 8) ^ tables[0][(before & 0xFF) as usize];
                }
            }
            tables
        })
    }

    /// Goes on from `state` over these bytes.
    pub(super) fn update(&self, state: u32, bytes: &[u8]) -> u32 {
        let tables = self.tables();
        let (blocks, rest) = bytes.as_chunks::<STRIDE>();
        let state = blocks.iter().fold(state, |state, block| {
            let mixed = state.to_le_bytes();
            let mut next = 0;
            for (i, &byte) in block.iter().enumerate() {
                let byte = byte ^ mixed.get(i).copied().unwrap_or(0);
                next ^= tables[STRIDE - 1 - i][usize::from(byte)];
            }
            next
        });
        rest.iter().fold(state, |state, &byte| tables[0][((state ^ u32::from(byte)) & 0xFF) as usize] ^ (state >> 8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_agree_with_the_libraries_at_every_length() {
        let bytes: Vec<u8> = (0..300u32).map(|i| ((i * i) >> 3) as u8).collect();
        for end in 0..bytes.len() {
            for start in [0, end / 3] {
                let part = &bytes[start..end];
                assert_eq!(!CRC32.update(!0, part), crc32fast::hash(part));
                assert_eq!(CRC16.update(0xFFFF, part), u32::from(super::super::crc16(part)));
            }
        }
        assert_eq!(!CRC32.update(CRC32.update(!0, &bytes[..77]), &bytes[77..]), crc32fast::hash(&bytes));
    }
}
