//! Numbers in shared bytes.

use std::{fmt, marker::PhantomData};

use bytemuck::Pod;
use bytes::Bytes;

/// An immutable, shared slice of numbers. Cloning and slicing copy nothing.
///
/// The memory is either a vector that a builder made or bytes borrowed from a file; in both cases it is
/// aligned for `T` and holds native numbers.
#[derive(Clone)]
pub struct Buffer<T> {
    bytes: Bytes,
    of: PhantomData<T>,
}

/// Lets [`Bytes`] own a vector of numbers.
struct Owner<T>(Vec<T>);

impl<T: Pod> AsRef<[u8]> for Owner<T> {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

impl<T: Pod + Send + Sync> Buffer<T> {
    /// The little-endian numbers in `bytes`, without copying where the bytes are aligned; surplus bytes after
    /// the last whole number are left out.
    pub fn from_le_bytes(bytes: Bytes) -> Self {
        let whole = bytes.len() - bytes.len() % size_of::<T>();
        let bytes = bytes.slice(..whole);
        if cfg!(target_endian = "little") && bytemuck::try_cast_slice::<u8, T>(&bytes).is_ok() {
            return Buffer { bytes, of: PhantomData };
        }
        Self::copy_le_bytes(&bytes)
    }

    /// The little-endian numbers in `bytes`, copied.
    pub(crate) fn copy_le_bytes(bytes: &[u8]) -> Self {
        // Read where they stand, so that the memory is written once; like this it is as fast as a plain copy.
        let numbers = bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned);
        let mut numbers: Vec<T> = numbers.collect();
        if cfg!(target_endian = "big") {
            let target: &mut [u8] = bytemuck::cast_slice_mut(&mut numbers);
            target.chunks_exact_mut(size_of::<T>()).for_each(<[u8]>::reverse);
        }
        numbers.into()
    }

    /// The numbers.
    pub fn as_slice(&self) -> &[T] {
        // Alignment was checked when the buffer was made; an empty buffer may fail the check and is empty.
        bytemuck::try_cast_slice(&self.bytes).unwrap_or_default()
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / size_of::<T>()
    }

    /// True without numbers.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The numbers from `start`, `len` of them or as many as there are, sharing the memory.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Self {
        let end = start.saturating_add(len).min(self.len());
        let start = start.min(end);
        let bytes = self.bytes.slice(start * size_of::<T>()..end * size_of::<T>());
        Buffer { bytes, of: PhantomData }
    }

    /// The memory as bytes in native order, for handing to Arrow or to a writer.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }
}

impl<T: Pod + Send + Sync> From<Vec<T>> for Buffer<T> {
    fn from(numbers: Vec<T>) -> Self {
        let bytes = if numbers.is_empty() { Bytes::new() } else { Bytes::from_owner(Owner(numbers)) };
        Buffer { bytes, of: PhantomData }
    }
}

impl<T: Pod + Send + Sync> FromIterator<T> for Buffer<T> {
    fn from_iter<I: IntoIterator<Item = T>>(iter: I) -> Self {
        Vec::from_iter(iter).into()
    }
}

impl<T: Pod + Send + Sync> std::ops::Deref for Buffer<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T: Pod + Send + Sync> Default for Buffer<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T: Pod + Send + Sync + fmt::Debug> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

impl<T: Pod + Send + Sync + PartialEq> PartialEq for Buffer<T> {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned_bytes_are_borrowed_and_others_copied() {
        let owned: Buffer<u32> = [1, 2, 3].map(u32::to_le).to_vec().into();
        let again = Buffer::<u32>::from_le_bytes(owned.bytes().clone());
        assert_eq!(again.as_slice(), [1, 2, 3]);
        // If numbers stand the other way around, all are copied.
        assert_eq!(owned.as_slice().as_ptr() == again.as_slice().as_ptr(), cfg!(target_endian = "little"));
        let shifted = Bytes::from_owner(owned.bytes().to_vec()).slice(1..9);
        assert_eq!(Buffer::<u32>::from_le_bytes(shifted).as_slice(), [0x0200_0000, 0x0300_0000]);
    }

    #[test]
    fn slices_share_and_never_leave_the_memory() {
        let b: Buffer<i64> = vec![1, 2, 3].into();
        assert_eq!(b.slice(1, 9).as_slice(), [2, 3]);
        assert_eq!(b.slice(7, 1).as_slice(), [0i64; 0]);
        assert_eq!(b.slice(1, 1).as_ptr(), b[1..].as_ptr());
    }
}
