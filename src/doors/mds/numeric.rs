//! Numbers of fixed size, by their names.

use serde_json::{Number, Value as Json};

use crate::doors::half;

/// Numbers of fixed size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::doors) enum Numeric {
    U8,
    U16,
    U32,
    U64,
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
    Bf16,
    Bool,
}

impl Numeric {
    pub fn of(name: &str) -> Option<Numeric> {
        Some(match name {
            "uint8" => Numeric::U8,
            "uint16" => Numeric::U16,
            "uint32" => Numeric::U32,
            "uint64" => Numeric::U64,
            "int8" => Numeric::I8,
            "int16" => Numeric::I16,
            "int32" => Numeric::I32,
            "int64" => Numeric::I64,
            "float16" => Numeric::F16,
            "float32" => Numeric::F32,
            "float64" => Numeric::F64,
            _ => return None,
        })
    }

    pub const fn name(self) -> &'static str {
        match self {
            Numeric::U8 => "uint8",
            Numeric::U16 => "uint16",
            Numeric::U32 => "uint32",
            Numeric::U64 => "uint64",
            Numeric::I8 => "int8",
            Numeric::I16 => "int16",
            Numeric::I32 => "int32",
            Numeric::I64 => "int64",
            Numeric::F16 => "float16",
            Numeric::F32 => "float32",
            Numeric::F64 => "float64",
            Numeric::Bf16 => "bfloat16",
            Numeric::Bool => "bool",
        }
    }

    pub const fn size(self) -> usize {
        match self {
            Numeric::U8 | Numeric::I8 | Numeric::Bool => 1,
            Numeric::U16 | Numeric::I16 | Numeric::F16 | Numeric::Bf16 => 2,
            Numeric::U32 | Numeric::I32 | Numeric::F32 => 4,
            Numeric::U64 | Numeric::I64 | Numeric::F64 => 8,
        }
    }

    /// The number in so many bytes as it has.
    pub fn read(self, bytes: &[u8]) -> Option<Json> {
        fn le<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
            bytes.try_into().ok()
        }
        let float = |value: f64| Number::from_f64(value).map_or(Json::Null, Json::Number);
        Some(match self {
            Numeric::U8 => u8::from_le_bytes(le(bytes)?).into(),
            Numeric::U16 => u16::from_le_bytes(le(bytes)?).into(),
            Numeric::U32 => u32::from_le_bytes(le(bytes)?).into(),
            Numeric::U64 => u64::from_le_bytes(le(bytes)?).into(),
            Numeric::I8 => i8::from_le_bytes(le(bytes)?).into(),
            Numeric::I16 => i16::from_le_bytes(le(bytes)?).into(),
            Numeric::I32 => i32::from_le_bytes(le(bytes)?).into(),
            Numeric::I64 => i64::from_le_bytes(le(bytes)?).into(),
            Numeric::F16 => float(half::wide(u16::from_le_bytes(le(bytes)?))),
            Numeric::F32 => float(f32::from_le_bytes(le(bytes)?).into()),
            Numeric::F64 => float(f64::from_le_bytes(le(bytes)?)),
            Numeric::Bf16 => float(f32::from_bits(u32::from(u16::from_le_bytes(le(bytes)?)) << 16).into()),
            Numeric::Bool => (le::<1>(bytes)? != [0]).into(),
        })
    }
}
