//! Which vectors are worth listing slot by slot.
//!
//! A slot that is not listed is its type's default, so a vector may be stored either way; this picks the
//! smaller one. A default is all bits zero: -0.0 is none.

use super::{codec_def::Layout, text::Texts, values::Values, vectors::Vectors};

/// Stands for a default among positions.
const DEFAULT: u32 = u32::MAX;

/// The bits of one value, without the characters of text, which are stored either way.
const fn bits(layout: Layout) -> u64 {
    match layout {
        Layout::Bool | Layout::OldBool => 1,
        Layout::Int8 | Layout::UInt8 => 8,
        Layout::Int16 | Layout::UInt16 => 16,
        Layout::Int32 | Layout::UInt32 | Layout::Float32 | Layout::Text => 32,
        Layout::Int64 | Layout::UInt64 | Layout::Float64 | Layout::Duration | Layout::DateTime => 64,
        Layout::DateTimeOffset => 80,
        Layout::RowId => 128,
    }
}

/// The same vectors, each in the smaller form.
pub(super) fn smaller(layout: Layout, v: &Vectors) -> Vectors {
    let set = not_default(&v.values);
    let (mut counts, mut indices, mut take) = (Vec::with_capacity(v.counts.len()), Vec::new(), Vec::new());
    let (mut value, mut listed) = (0usize, 0usize);
    for (i, &count) in v.counts.iter().enumerate() {
        let length = v.lengths.get(i);
        let slots: Option<&[u32]> = u32::try_from(count).ok().map(|n| {
            let slots = v.indices.get(listed..listed + n as usize).unwrap_or_default();
            listed += n as usize;
            slots
        });
        let present = slots.map_or(length as usize, <[u32]>::len);
        let flags = set.get(value..value + present).unwrap_or_default();
        let kept = flags.iter().filter(|s| **s).count() as u64;
        let slot = |k: usize| slots.map_or(k as u32, |s| s.get(k).copied().unwrap_or_default());
        if kept * (bits(layout) + 32) < u64::from(length) * bits(layout) {
            counts.push(kept as i32);
            for (k, _) in flags.iter().enumerate().filter(|(_, s)| **s) {
                indices.push(slot(k));
                take.push((value + k) as u32);
            }
        } else {
            counts.push(-1);
            let mut next = 0;
            for k in 0..present {
                take.extend((next..slot(k)).map(|_| DEFAULT));
                take.push((value + k) as u32);
                next = slot(k) + 1;
            }
            take.extend((next..length).map(|_| DEFAULT));
        }
        value += present;
    }
    Vectors { lengths: v.lengths.clone(), counts, indices, values: gather(&v.values, &take) }
}

fn not_default(values: &Values) -> Vec<bool> {
    macro_rules! nonzero {
        ($v:expr, $zero:expr) => {
            $v.iter().map(|x| *x != $zero).collect()
        };
    }
    match values {
        Values::Int8(v) => nonzero!(v, 0),
        Values::UInt8(v) => nonzero!(v, 0),
        Values::Int16(v) => nonzero!(v, 0),
        Values::UInt16(v) => nonzero!(v, 0),
        Values::Int32(v) => nonzero!(v, 0),
        Values::UInt32(v) => nonzero!(v, 0),
        Values::Int64(v) | Values::Duration(v) | Values::DateTime(v) => nonzero!(v, 0),
        Values::UInt64(v) => nonzero!(v, 0),
        Values::RowId(v) => nonzero!(v, 0),
        Values::Bool(v) => v.clone(),
        Values::Float32(v) => v.iter().map(|x| x.to_bits() != 0).collect(),
        Values::Float64(v) => v.iter().map(|x| x.to_bits() != 0).collect(),
        Values::DateTimeOffset { ticks, minutes } => {
            ticks.iter().zip(minutes).map(|(t, m)| *t != 0 || *m != 0).collect()
        }
        Values::Text(t) => std::iter::once(&0).chain(&t.ends).zip(&t.ends).map(|(a, b)| a != b).collect(),
    }
}

/// The values at these positions, defaults where there is none.
fn gather(values: &Values, take: &[u32]) -> Values {
    fn pick<T: Copy + Default>(v: &[T], take: &[u32]) -> Vec<T> {
        take.iter().map(|&i| v.get(i as usize).copied().unwrap_or_default()).collect()
    }
    match values {
        Values::Int8(v) => Values::Int8(pick(v, take)),
        Values::UInt8(v) => Values::UInt8(pick(v, take)),
        Values::Int16(v) => Values::Int16(pick(v, take)),
        Values::UInt16(v) => Values::UInt16(pick(v, take)),
        Values::Int32(v) => Values::Int32(pick(v, take)),
        Values::UInt32(v) => Values::UInt32(pick(v, take)),
        Values::Int64(v) => Values::Int64(pick(v, take)),
        Values::UInt64(v) => Values::UInt64(pick(v, take)),
        Values::Float32(v) => Values::Float32(pick(v, take)),
        Values::Float64(v) => Values::Float64(pick(v, take)),
        Values::Bool(v) => Values::Bool(pick(v, take)),
        Values::Duration(v) => Values::Duration(pick(v, take)),
        Values::DateTime(v) => Values::DateTime(pick(v, take)),
        Values::RowId(v) => Values::RowId(pick(v, take)),
        Values::DateTimeOffset { ticks, minutes } => {
            Values::DateTimeOffset { ticks: pick(ticks, take), minutes: pick(minutes, take) }
        }
        Values::Text(t) => {
            let mut out = Texts { ends: Vec::with_capacity(take.len()), ..Texts::default() };
            for &i in take {
                out.push(t.get(i as usize).unwrap_or_default());
            }
            Values::Text(out)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::vectors::Lengths, *};

    #[test]
    fn mostly_zero_becomes_sparse_and_mostly_listed_becomes_dense() {
        let v = Vectors {
            lengths: Lengths::All(8),
            counts: vec![-1, 5, 0],
            indices: vec![0, 1, 2, 3, 7],
            values: Values::Float32(vec![0.0, 0.0, 3.0, 0.0, 0.0, -0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
        };
        let s = smaller(Layout::Float32, &v);
        assert_eq!(s.counts, [2, -1, 0]);
        assert_eq!(s.indices, [2, 5]);
        let Values::Float32(values) = s.values else { panic!() };
        assert_eq!(
            values.iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
            [
                3f32.to_bits(),
                (-0f32).to_bits(),
                1f32.to_bits(),
                2f32.to_bits(),
                3f32.to_bits(),
                4f32.to_bits(),
                0,
                0,
                0,
                5f32.to_bits()
            ]
        );
    }
}
