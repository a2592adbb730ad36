//! The checksums of the formats: CRC-32 (zlib's) and CRC-16/MODBUS.

const MODBUS: crc::Crc<u16, crc::Table<16>> = crc::Crc::<u16, crc::Table<16>>::new(&crc::CRC_16_MODBUS);

/// CRC-32/ISO-HDLC, as zlib and PNG use it.
///
/// ```
/// assert_eq!(forebay::codec::checksum::crc32(b"123456789"), 0xCBF4_3926);
/// ```
pub fn crc32(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// CRC-32 over several slices as if they were one.
pub fn crc32_parts(parts: &[&[u8]]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    parts.iter().for_each(|p| hasher.update(p));
    hasher.finalize()
}

/// CRC-16/MODBUS.
///
/// ```
/// assert_eq!(forebay::codec::checksum::crc16(b"123456789"), 0x4B37);
/// ```
pub fn crc16(bytes: &[u8]) -> u16 {
    MODBUS.checksum(bytes)
}

/// CRC-16/MODBUS over several slices as if they were one.
pub fn crc16_parts(parts: &[&[u8]]) -> u16 {
    let mut digest = MODBUS.digest();
    parts.iter().for_each(|p| digest.update(p));
    digest.finalize()
}

/// FNV-1a, 64 bits: for fingerprints that are saved and compared, not against damage or malice.
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xCBF2_9CE4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01B3))
}
