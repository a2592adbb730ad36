//! Elements as numbers: from bytes in any type and byte order to f32, and back.

use half::{f16, slice::HalfFloatSliceExt};

use super::raw::{Dtype, Endianness};

/// Elements that are converted between two looks at memory: they stay in the nearest cache.
const RUN: usize = 1024;

/// Whether bytes in this type and order are what this machine calculates with.
pub fn is_native(endianness: Endianness) -> bool {
    (endianness == Endianness::Little) == cfg!(target_endian = "little")
}

/// Converts elements to f32; u8 becomes `value / 255`. As many as both sides have.
///
/// ```
/// use forebay::warehouse::{Dtype, Endianness, to_f32};
/// let mut out = [0.0; 2];
/// to_f32(Dtype::U8, Endianness::Little, &[0, 255], &mut out);
/// assert_eq!(out, [0.0, 1.0]);
/// to_f32(Dtype::F32, Endianness::Big, &[0x3f, 0, 0, 0, 0x3e, 0x80, 0, 0], &mut out);
/// assert_eq!(out, [0.5, 0.25]);
/// ```
pub fn to_f32(dtype: Dtype, endianness: Endianness, bytes: &[u8], out: &mut [f32]) {
    match dtype {
        Dtype::F32 => match bytemuck::try_cast_slice_mut::<f32, u8>(out) {
            Ok(raw) if is_native(endianness) => {
                let len = raw.len().min(bytes.len() & !3);
                raw[..len].copy_from_slice(&bytes[..len]);
            }
            _ => out.iter_mut().zip(bytes.as_chunks::<4>().0).for_each(|(x, b)| {
                *x = match endianness {
                    Endianness::Little => f32::from_le_bytes(*b),
                    Endianness::Big => f32::from_be_bytes(*b),
                }
            }),
        },
        Dtype::F16 => match bytemuck::try_cast_slice::<u8, u16>(&bytes[..bytes.len() & !1]) {
            Ok(bits) if is_native(endianness) => {
                let len = bits.len().min(out.len());
                let halves: &[f16] = half::slice::HalfBitsSliceExt::reinterpret_cast(&bits[..len]);
                halves.convert_to_f32_slice(&mut out[..len]);
            }
            _ => {
                let mut run = [f16::ZERO; RUN];
                for (out, bytes) in out.chunks_mut(RUN).zip(bytes.as_chunks::<2>().0.chunks(RUN)) {
                    run.iter_mut().zip(bytes).for_each(|(h, b)| {
                        *h = match endianness {
                            Endianness::Little => f16::from_le_bytes(*b),
                            Endianness::Big => f16::from_be_bytes(*b),
                        }
                    });
                    let len = out.len().min(bytes.len());
                    run[..len].convert_to_f32_slice(&mut out[..len]);
                }
            }
        },
        Dtype::U8 => out.iter_mut().zip(bytes).for_each(|(x, b)| *x = f32::from(*b) / 255.0),
    }
}

/// Appends numbers as elements. Into u8 they are rounded to the nearest of 255 steps.
pub fn from_f32(dtype: Dtype, endianness: Endianness, values: &[f32], out: &mut Vec<u8>) {
    for value in values {
        match (dtype, endianness) {
            (Dtype::F32, Endianness::Little) => out.extend(value.to_le_bytes()),
            (Dtype::F32, Endianness::Big) => out.extend(value.to_be_bytes()),
            (Dtype::F16, Endianness::Little) => out.extend(f16::from_f32(*value).to_le_bytes()),
            (Dtype::F16, Endianness::Big) => out.extend(f16::from_f32(*value).to_be_bytes()),
            (Dtype::U8, _) => out.push((value * 255.0).round().clamp(0.0, 255.0) as u8),
        }
    }
}

/// Appends pixels of 8 bits as elements: f32 is `value / 255`, and f16 that, rounded.
pub fn from_pixels(dtype: Dtype, endianness: Endianness, pixels: &[u8], out: &mut Vec<u8>) {
    if dtype == Dtype::U8 {
        return out.extend_from_slice(pixels);
    }
    if dtype == Dtype::F32 && endianness == Endianness::Little {
        return usual(pixels, out);
    }
    let size = dtype.size() as usize;
    let mut table = Vec::with_capacity(256 * size);
    (0..=255u8).for_each(|value| from_f32(dtype, endianness, &[f32::from(value) / 255.0], &mut table));
    out.reserve(pixels.len() * size);
    if size == 4 {
        let table = table.as_chunks::<4>().0;
        out.extend(pixels.iter().flat_map(|value| table[usize::from(*value)]));
    } else {
        let table = table.as_chunks::<2>().0;
        out.extend(pixels.iter().flat_map(|value| table[usize::from(*value)]));
    }
}

/// What nearly every warehouse of f32 holds: divided many at a time, which takes half as long as looking each up.
fn usual(pixels: &[u8], out: &mut Vec<u8>) {
    let number = |value: &u8| (f32::from(*value) / 255.0).to_le_bytes();
    out.reserve(pixels.len() * 4);
    let (runs, rest) = pixels.as_chunks::<64>();
    let mut made = [[0; 4]; 64];
    for run in runs {
        made.iter_mut().zip(run).for_each(|(to, value)| *to = number(value));
        out.extend_from_slice(made.as_flattened());
    }
    out.extend(rest.iter().flat_map(number));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_a_pixel_comes_back_from_every_type() {
        let pixels: Vec<u8> = (0..=255).cycle().take(3000).collect();
        for dtype in [Dtype::F32, Dtype::F16, Dtype::U8] {
            for endianness in [Endianness::Little, Endianness::Big] {
                let mut bytes = vec![7];
                from_pixels(dtype, endianness, &pixels, &mut bytes);
                let mut found = vec![0.0; pixels.len()];
                // Once where numbers may lie, once a byte beside.
                to_f32(dtype, endianness, &bytes[1..], &mut found);
                let apart: Vec<u8> = bytes[1..].to_vec();
                let mut again = vec![0.0; pixels.len()];
                to_f32(dtype, endianness, &apart, &mut again);
                assert_eq!(found, again);
                let back: Vec<u8> = found.iter().map(|x| (x * 255.0).round() as u8).collect();
                assert_eq!(back, pixels, "{dtype:?} {endianness:?}");
                if dtype != Dtype::F16 {
                    assert!(found.iter().zip(&pixels).all(|(x, p)| x.to_bits() == (f32::from(*p) / 255.0).to_bits()));
                }
            }
        }
    }
}
