//! Raw deflate (RFC 1951, without zlib's or gzip's frame): zlib-rs, and libdeflate where it is built in.
//!
//! Streams without a final block, and bytes after what was announced, are taken as they come: the formats that
//! store deflate announce how many bytes they want of it.

#[cfg(not(feature = "libdeflate"))]
use flate2::{Compress, FlushCompress};
use flate2::{Decompress, FlushDecompress, Status};

use super::codes;
use crate::{
    error::{Error, Result},
    limits::Limits,
};

/// No deflate stream grows by more: a match of 258 bytes costs at least two bits.
fn most(stored: usize) -> u64 {
    (stored as u64).saturating_mul(1032).saturating_add(64)
}

/// Decompresses one stream after the other, keeping its tables.
pub struct Inflater {
    zlib: Decompress,
    #[cfg(feature = "libdeflate")]
    fast: libdeflater::Decompressor,
}

impl Default for Inflater {
    fn default() -> Self {
        Inflater {
            zlib: Decompress::new(false),
            #[cfg(feature = "libdeflate")]
            fast: libdeflater::Decompressor::new(),
        }
    }
}

impl std::fmt::Debug for Inflater {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inflater").finish_non_exhaustive()
    }
}

impl Inflater {
    /// Restores the first `size` bytes of a stream; fewer are an error, more are left alone.
    ///
    /// ```
    /// use forebay::{codec::deflate::{deflate, Inflater}, Limits};
    /// let packed = deflate(b"abcabcabcabc", 6)?;
    /// assert_eq!(Inflater::default().inflate(&packed, 12, &Limits::default())?, b"abcabcabcabc");
    /// # Ok::<(), forebay::Error>(())
    /// ```
    pub fn inflate(&mut self, stored: &[u8], size: u64, limits: &Limits) -> Result<Vec<u8>> {
        if size > most(stored.len()) {
            let message = format!("{size} bytes announced, but {} deflated bytes cannot hold them", stored.len());
            return Err(Error::new(&codes::SIZE, message));
        }
        let mut out = vec![0; limits.item(size)?];
        // The fast way takes whole streams of exactly this size; what it does not take the other one judges.
        if self.exact(stored, &mut out) {
            return Ok(out);
        }
        let n = self.fill(stored, &mut out)?;
        if n != out.len() {
            return Err(super::size_mismatch(size, n as u64));
        }
        Ok(out)
    }

    /// As [`inflate`](Self::inflate), of a stream that ends with these bytes: more than announced is an error too.
    #[cfg(feature = "zip")]
    pub(crate) fn inflate_whole(&mut self, stored: &[u8], size: u64, limits: &Limits) -> Result<Vec<u8>> {
        if size > most(stored.len()) {
            return Err(super::size_mismatch(size, most(stored.len())));
        }
        let size = limits.item(size)?;
        let mut out = vec![0; size];
        if self.exact(stored, &mut out) {
            return Ok(out);
        }
        // Room for one more shows whether there are more.
        out.push(0);
        let n = self.fill(stored, &mut out)?;
        out.truncate(size);
        if n == size { Ok(out) } else { Err(super::size_mismatch(size as u64, n as u64)) }
    }

    /// The first bytes of a stream that may be cut off, at most this many.
    #[cfg(feature = "zip")]
    pub(crate) fn inflate_front(&mut self, stored: &[u8], bytes: usize) -> Result<Vec<u8>> {
        let bound = usize::try_from(most(stored.len())).unwrap_or(usize::MAX);
        let mut out = vec![0; bytes.min(bound)];
        let n = self.fill(stored, &mut out)?;
        out.truncate(n);
        Ok(out)
    }

    /// Restores a stream of unknown size, up to what the limits allow; a stream that is cut off gives what
    /// it holds.
    pub fn inflate_all(&mut self, stored: &[u8], limits: &Limits) -> Result<Vec<u8>> {
        let bound = most(stored.len()).min(limits.item_bytes.saturating_add(1));
        let bound = usize::try_from(bound).unwrap_or(usize::MAX);
        let mut size = stored.len().saturating_mul(4).clamp(256, 1 << 20).min(bound);
        // Growing by doing it over costs at most a third more than knowing the size.
        loop {
            let mut out = vec![0; size];
            let n = self.fill(stored, &mut out)?;
            limits.item(n as u64)?;
            if n < size || size == bound {
                out.truncate(n);
                return Ok(out);
            }
            size = size.saturating_mul(4).min(bound);
        }
    }

    #[cfg(feature = "libdeflate")]
    fn exact(&mut self, stored: &[u8], out: &mut [u8]) -> bool {
        self.fast.deflate_decompress(stored, out).is_ok_and(|n| n == out.len())
    }

    #[cfg(not(feature = "libdeflate"))]
    fn exact(&mut self, _: &[u8], _: &mut [u8]) -> bool {
        false
    }

    /// Fills `out` as far as the stream goes.
    fn fill(&mut self, stored: &[u8], out: &mut [u8]) -> Result<usize> {
        self.zlib.reset(false);
        loop {
            let (read, written) = (self.zlib.total_in() as usize, self.zlib.total_out() as usize);
            if written == out.len() {
                return Ok(written);
            }
            let (input, room) = (stored.get(read..).unwrap_or_default(), &mut out[written..]);
            let status = self
                .zlib
                .decompress(input, room, FlushDecompress::Finish)
                .map_err(|e| Error::caused(&codes::CORRUPT, format!("deflate: {e}"), e))?;
            let stuck = self.zlib.total_in() as usize == read && self.zlib.total_out() as usize == written;
            if status == Status::StreamEnd || stuck {
                return Ok(self.zlib.total_out() as usize);
            }
        }
    }
}

/// One complete stream of the bytes, at level 0 to 9.
pub fn deflate(bytes: &[u8], level: u8) -> Result<Vec<u8>> {
    if level > 9 {
        return Err(Error::new(&codes::LEVEL, format!("deflate has levels 0 to 9, not {level}")));
    }
    pack(bytes, level)
}

#[cfg(feature = "libdeflate")]
fn pack(bytes: &[u8], level: u8) -> Result<Vec<u8>> {
    let level = libdeflater::CompressionLvl::new(i32::from(level)).unwrap_or_default();
    let mut work = libdeflater::Compressor::new(level);
    let mut out = vec![0; work.deflate_compress_bound(bytes.len())];
    let n = work
        .deflate_compress(bytes, &mut out)
        .map_err(|e| Error::caused(&codes::CORRUPT, format!("deflate: {e}"), e))?;
    out.truncate(n);
    out.shrink_to_fit();
    Ok(out)
}

#[cfg(not(feature = "libdeflate"))]
fn pack(bytes: &[u8], level: u8) -> Result<Vec<u8>> {
    let mut work = Compress::new(flate2::Compression::new(u32::from(level)), false);
    // Stored blocks add five bytes to each 16 kB at worst; the loop asks for more all the same.
    let mut out = Vec::with_capacity(bytes.len() / 2 + 64);
    loop {
        let rest = bytes.get(work.total_in() as usize..).unwrap_or_default();
        let status = work
            .compress_vec(rest, &mut out, FlushCompress::Finish)
            .map_err(|e| Error::caused(&codes::CORRUPT, format!("deflate: {e}"), e))?;
        if status == Status::StreamEnd {
            return Ok(out);
        }
        out.reserve(bytes.len() / 2 + 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_come_back_at_every_level() {
        let data: Vec<u8> = (0..70_000u32).flat_map(|i| (i / 3).to_le_bytes()).collect();
        let limits = Limits::default();
        for level in 0..=9 {
            let packed = deflate(&data, level).unwrap();
            assert_eq!(Inflater::default().inflate(&packed, data.len() as u64, &limits).unwrap(), data);
            assert_eq!(Inflater::default().inflate_all(&packed, &limits).unwrap(), data);
        }
        assert_eq!(deflate(&data, 10).unwrap_err().code().id(), "codec.level");
        assert_eq!(Inflater::default().inflate_all(&deflate(b"", 6).unwrap(), &limits).unwrap(), b"");
    }

    #[test]
    fn less_than_announced_is_an_error_and_more_is_left_alone() {
        let limits = Limits::default();
        let packed = deflate(b"hello hello hello", 6).unwrap();
        let mut work = Inflater::default();
        assert_eq!(work.inflate(&packed, 5, &limits).unwrap(), b"hello");
        assert_eq!(work.inflate(&packed, 18, &limits).unwrap_err().code().id(), "codec.size");
        assert_eq!(work.inflate(&packed, 1 << 40, &limits).unwrap_err().code().id(), "codec.size");
        assert_eq!(work.inflate(b"\x07\x00", 1, &limits).unwrap_err().code().id(), "codec.corrupt");
        assert_eq!(
            work.inflate(&packed, 17, &limits.clone().with_item_bytes(8)).unwrap_err().code().id(),
            "limit.item"
        );
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        let packed = deflate(&vec![0; 1 << 22], 9).unwrap();
        let limits = Limits::default().with_item_bytes(1 << 20);
        assert_eq!(Inflater::default().inflate_all(&packed, &limits).unwrap_err().code().id(), "limit.item");
    }
}
