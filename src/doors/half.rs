//! Numbers as metadata and images have them.

use bytes::Bytes;
use serde_json::{Number, Value as Json};

/// A half-precision float as a wide one.
pub(super) fn wide(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let size = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction > 0.0 => f64::NAN,
        31 => f64::INFINITY,
        _ => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// The shortest decimal number that is this float: 0.1, and not 0.10000000149011612.
pub(super) fn decimal(float: f32) -> Json {
    let shortest = float.to_string().parse::<f64>().ok();
    shortest.and_then(Number::from_f64).map_or(Json::Null, Json::Number)
}

/// 16-bit numbers with their bytes the other way round.
pub(super) fn swapped(data: &Bytes) -> Bytes {
    data.as_chunks::<2>().0.iter().flat_map(|[low, high]| [*high, *low]).collect::<Vec<u8>>().into()
}

/// Interleaves the channels of planes.
pub(super) fn together(planes: &[u8], channels: usize, size: usize) -> Bytes {
    let plane = planes.len() / channels;
    let mut out = Vec::with_capacity(planes.len());
    for at in (0..plane).step_by(size) {
        for channel in 0..channels {
            let from = channel * plane + at;
            out.extend_from_slice(planes.get(from..from + size).unwrap_or_default());
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_what_they_are() {
        for (bits, value) in [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333251953125), (0x0001, 5.960464477539063e-8)] {
            assert_eq!(wide(bits), value);
        }
        assert!(wide(0x7c00).is_infinite() && wide(0x7e00).is_nan());
        assert_eq!(decimal(0.1).to_string(), "0.1");
        assert_eq!(swapped(&Bytes::from_static(b"abcd")), "badc");
    }
}
