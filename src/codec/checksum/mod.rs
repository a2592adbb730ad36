//! The checksums of the formats: CRC-32 (zlib's), CRC-32C and CRC-16/MODBUS.

#[cfg(any(test, target_arch = "wasm32"))]
mod sliced;

#[cfg(all(feature = "doors", not(target_arch = "wasm32")))]
const CASTAGNOLI: crc::Crc<u32, crc::Table<16>> = crc::Crc::<u32, crc::Table<16>>::new(&crc::CRC_32_ISCSI);

#[cfg(not(target_arch = "wasm32"))]
const MODBUS: crc::Crc<u16, crc::Table<16>> = crc::Crc::<u16, crc::Table<16>>::new(&crc::CRC_16_MODBUS);

/// CRC-32/ISO-HDLC, as zlib and PNG use it.
///
/// ```
/// assert_eq!(forebay::codec::checksum::crc32(b"123456789"), 0xCBF4_3926);
/// ```
pub fn crc32(bytes: &[u8]) -> u32 {
    crc32_parts(&[bytes])
}

/// CRC-32 over several slices as if they were one.
pub fn crc32_parts(parts: &[&[u8]]) -> u32 {
    let mut hasher = Crc32::default();
    parts.iter().for_each(|p| hasher.update(p));
    hasher.finish()
}

/// CRC-32 of bytes that come one after the other.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Clone, Debug, Default)]
pub struct Crc32(crc32fast::Hasher);

#[cfg(not(target_arch = "wasm32"))]
impl Crc32 {
    /// The next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
    /// The checksum of all of them.
    pub fn finish(self) -> u32 {
        self.0.finalize()
    }
}

/// CRC-32 of bytes that come one after the other.
#[cfg(target_arch = "wasm32")]
#[derive(Clone, Debug)]
pub struct Crc32(u32);

#[cfg(target_arch = "wasm32")]
impl Default for Crc32 {
    fn default() -> Self {
        Crc32(!0)
    }
}

#[cfg(target_arch = "wasm32")]
impl Crc32 {
    /// The next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0 = sliced::CRC32.update(self.0, bytes);
    }
    /// The checksum of all of them.
    pub fn finish(self) -> u32 {
        !self.0
    }
}

/// CRC-16/MODBUS.
///
/// ```
/// assert_eq!(forebay::codec::checksum::crc16(b"123456789"), 0x4B37);
/// ```
pub(crate) fn crc16(bytes: &[u8]) -> u16 {
    crc16_parts(&[bytes])
}

/// CRC-16/MODBUS over several slices as if they were one.
#[cfg(not(target_arch = "wasm32"))]
pub fn crc16_parts(parts: &[&[u8]]) -> u16 {
    let mut digest = MODBUS.digest();
    parts.iter().for_each(|p| digest.update(p));
    digest.finalize()
}

/// CRC-16/MODBUS over several slices as if they were one.
#[cfg(target_arch = "wasm32")]
pub fn crc16_parts(parts: &[&[u8]]) -> u16 {
    parts.iter().fold(0xFFFF, |state, part| sliced::CRC16.update(state, part)) as u16
}

/// CRC-32C, Castagnoli's, which records of TFRecord carry.
///
/// ```
/// assert_eq!(forebay::codec::checksum::crc32c(b"123456789"), 0xE306_9283);
/// ```
#[cfg(all(feature = "doors", not(target_arch = "wasm32")))]
pub(crate) fn crc32c(bytes: &[u8]) -> u32 {
    CASTAGNOLI.checksum(bytes)
}

/// CRC-32C, Castagnoli's, which records of TFRecord carry.
#[cfg(all(feature = "doors", target_arch = "wasm32"))]
pub fn crc32c(bytes: &[u8]) -> u32 {
    !sliced::CRC32C.look_up(!0, bytes)
}

/// FNV-1a, 64 bits: for fingerprints that are saved and compared, not against damage or malice.
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xCBF2_9CE4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01B3))
}
