//! What a batch's numbers are, and views of them.

use forebay::{
    image::transform::{Out, f16},
    words::Word,
};

/// The type of a batch's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dtype {
    /// Bytes: the pixels themselves, not normalized.
    U8,
    /// Half-precision floats.
    F16,
    /// Floats.
    #[default]
    F32,
}

impl Word for Dtype {
    const ALL: &'static [Self] = &[Dtype::F32, Dtype::F16, Dtype::U8];

    fn word(self) -> &'static str {
        match self {
            Dtype::U8 => "u8",
            Dtype::F16 => "f16",
            Dtype::F32 => "f32",
        }
    }
}

impl Dtype {
    /// Bytes of one number.
    pub const fn bytes(self) -> usize {
        match self {
            Dtype::U8 => 1,
            Dtype::F16 => 2,
            Dtype::F32 => 4,
        }
    }
    /// Its name in NumPy.
    pub const fn name(self) -> &'static str {
        match self {
            Dtype::U8 => "uint8",
            Dtype::F16 => "float16",
            Dtype::F32 => "float32",
        }
    }

    /// Memory of this type as numbers to write. The memory is aligned for its type, so that no view is ever empty
    /// for any other reason than that there is nothing to see.
    pub(super) fn out(self, bytes: &mut [u8]) -> Out<'_> {
        match self {
            Dtype::U8 => Out::U8(bytes),
            Dtype::F16 => Out::F16(bytemuck::try_cast_slice_mut(bytes).unwrap_or_default()),
            Dtype::F32 => Out::F32(bytemuck::try_cast_slice_mut(bytes).unwrap_or_default()),
        }
    }
    pub(super) fn view(self, bytes: &[u8]) -> Tensor<'_> {
        self.try_view(bytes).unwrap_or(match self {
            Dtype::U8 => Tensor::U8(&[]),
            Dtype::F16 => Tensor::F16(&[]),
            Dtype::F32 => Tensor::F32(&[]),
        })
    }
    /// Any memory as numbers; none where it lies where numbers may not.
    pub(super) fn try_view(self, bytes: &[u8]) -> Option<Tensor<'_>> {
        Some(match self {
            Dtype::U8 => Tensor::U8(bytes),
            Dtype::F16 => Tensor::F16(bytemuck::try_cast_slice(bytes).ok()?),
            Dtype::F32 => Tensor::F32(bytemuck::try_cast_slice(bytes).ok()?),
        })
    }
}

/// A batch's numbers, without copying.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Tensor<'a> {
    /// Bytes.
    U8(&'a [u8]),
    /// Half-precision floats.
    F16(&'a [f16]),
    /// Floats.
    F32(&'a [f32]),
    /// Whole numbers, which only [targets](super::Target) are.
    I64(&'a [i64]),
}

impl<'a> Tensor<'a> {
    /// How many numbers.
    pub const fn len(&self) -> usize {
        match self {
            Tensor::U8(v) => v.len(),
            Tensor::F16(v) => v.len(),
            Tensor::F32(v) => v.len(),
            Tensor::I64(v) => v.len(),
        }
    }
    /// True if there are none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The numbers' bytes, in this machine's order.
    pub fn bytes(&self) -> &'a [u8] {
        match self {
            Tensor::U8(v) => v,
            Tensor::F16(v) => bytemuck::cast_slice(v),
            Tensor::F32(v) => bytemuck::cast_slice(v),
            Tensor::I64(v) => bytemuck::cast_slice(v),
        }
    }
    /// The numbers, if they are bytes.
    pub const fn u8(&self) -> Option<&'a [u8]> {
        if let Tensor::U8(v) = self { Some(v) } else { None }
    }
    /// The numbers, if they are half-precision floats.
    pub const fn f16(&self) -> Option<&'a [f16]> {
        if let Tensor::F16(v) = self { Some(v) } else { None }
    }
    /// The numbers, if they are floats.
    pub const fn f32(&self) -> Option<&'a [f32]> {
        if let Tensor::F32(v) = self { Some(v) } else { None }
    }
    /// The numbers, if they are whole numbers of 64 bits.
    pub const fn i64(&self) -> Option<&'a [i64]> {
        if let Tensor::I64(v) = self { Some(v) } else { None }
    }
}
