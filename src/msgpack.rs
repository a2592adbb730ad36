//! MessagePack as Forebay needs it: step over values, turn them into JSON values and back.

use rmp::{Marker, encode};
use serde_json::{Map, Number, Value};

use crate::{
    cursor::Cursor,
    error::{Code, Result},
    limits::Limits,
};

/// A MessagePack reader over one section of a file.
#[derive(Debug)]
pub struct Reader<'a> {
    /// The position; errors name its offset.
    pub cursor: Cursor<'a>,
    code: &'static Code,
    limits: &'a Limits,
}

/// What a value's first byte, and the length behind it, say.
enum Head {
    Nil,
    Bool(bool),
    Int(i64),
    Uint(u64),
    F32(f32),
    F64(f64),
    Str(u64),
    Bin(u64),
    Ext(u64),
    Array(u64),
    Map(u64),
}

impl<'a> Reader<'a> {
    /// Reads from `cursor`; what does not parse is an error with `code`.
    pub fn new(cursor: Cursor<'a>, code: &'static Code, limits: &'a Limits) -> Self {
        Reader { cursor, code, limits }
    }

    fn head(&mut self) -> Result<Head> {
        let c = &mut self.cursor;
        let be16 = |c: &mut Cursor<'a>| c.array().map(u16::from_be_bytes);
        let be32 = |c: &mut Cursor<'a>| c.array().map(u32::from_be_bytes);
        Ok(match Marker::from_u8(c.u8()?) {
            Marker::Null => Head::Nil,
            Marker::True => Head::Bool(true),
            Marker::False => Head::Bool(false),
            Marker::FixPos(n) => Head::Uint(n.into()),
            Marker::FixNeg(n) => Head::Int(n.into()),
            Marker::U8 => Head::Uint(c.u8()?.into()),
            Marker::U16 => Head::Uint(be16(c)?.into()),
            Marker::U32 => Head::Uint(be32(c)?.into()),
            Marker::U64 => Head::Uint(u64::from_be_bytes(c.array()?)),
            Marker::I8 => Head::Int(c.i8()?.into()),
            Marker::I16 => Head::Int(i16::from_be_bytes(c.array()?).into()),
            Marker::I32 => Head::Int(i32::from_be_bytes(c.array()?).into()),
            Marker::I64 => Head::Int(i64::from_be_bytes(c.array()?)),
            Marker::F32 => Head::F32(f32::from_be_bytes(c.array()?)),
            Marker::F64 => Head::F64(f64::from_be_bytes(c.array()?)),
            Marker::FixStr(n) => Head::Str(n.into()),
            Marker::Str8 => Head::Str(c.u8()?.into()),
            Marker::Str16 => Head::Str(be16(c)?.into()),
            Marker::Str32 => Head::Str(be32(c)?.into()),
            Marker::Bin8 => Head::Bin(c.u8()?.into()),
            Marker::Bin16 => Head::Bin(be16(c)?.into()),
            Marker::Bin32 => Head::Bin(be32(c)?.into()),
            Marker::FixArray(n) => Head::Array(n.into()),
            Marker::Array16 => Head::Array(be16(c)?.into()),
            Marker::Array32 => Head::Array(be32(c)?.into()),
            Marker::FixMap(n) => Head::Map(n.into()),
            Marker::Map16 => Head::Map(be16(c)?.into()),
            Marker::Map32 => Head::Map(be32(c)?.into()),
            // An extension has a type byte in front of its data.
            Marker::FixExt1 => Head::Ext(2),
            Marker::FixExt2 => Head::Ext(3),
            Marker::FixExt4 => Head::Ext(5),
            Marker::FixExt8 => Head::Ext(9),
            Marker::FixExt16 => Head::Ext(17),
            Marker::Ext8 => Head::Ext(u64::from(c.u8()?) + 1),
            Marker::Ext16 => Head::Ext(u64::from(be16(c)?) + 1),
            Marker::Ext32 => Head::Ext(u64::from(be32(c)?) + 1),
            Marker::Reserved => return Err(c.error(self.code, "byte c1 is not a MessagePack value")),
        })
    }

    /// Steps over one value. Without recursion, so nesting costs nothing.
    pub fn skip(&mut self) -> Result<()> {
        let mut left: u64 = 1;
        while left > 0 {
            left -= 1;
            match self.head()? {
                Head::Str(n) | Head::Bin(n) | Head::Ext(n) => {
                    self.cursor.take_u64(n)?;
                }
                // Each item is at least a byte, so a count beyond the bytes that are left is a lie.
                Head::Array(n) => left = self.plus(left, n)?,
                Head::Map(n) => left = self.plus(left, n * 2)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn plus(&self, left: u64, n: u64) -> Result<u64> {
        let sum = left + n;
        if sum > self.cursor.remaining() as u64 {
            return Err(self
                .cursor
                .error(self.code, format!("{n} items are announced and {} bytes are left", self.cursor.remaining())));
        }
        Ok(sum)
    }

    /// The number of pairs, if the next value is a map.
    pub fn map(&mut self) -> Result<u64> {
        match self.head()? {
            Head::Map(n) => self.plus(0, n * 2).map(|_| n),
            _ => Err(self.cursor.error(self.code, "a map is expected")),
        }
    }

    /// The number of items, if the next value is an array.
    pub fn array(&mut self) -> Result<u64> {
        match self.head()? {
            Head::Array(n) => self.plus(0, n),
            _ => Err(self.cursor.error(self.code, "an array is expected")),
        }
    }

    /// The next value as text; other values become their JSON.
    pub fn key(&mut self) -> Result<String> {
        self.key_at(0, false)
    }

    /// A key becomes text. In that text a key inside of it would be escaped once more, and each level of such keys would
    /// double its length: only the outermost may be a list or a map.
    fn key_at(&mut self, depth: u32, in_key: bool) -> Result<String> {
        let at = self.cursor.clone();
        Ok(match self.value_at(depth, true)? {
            Value::String(s) => s,
            Value::Array(_) | Value::Object(_) if in_key => {
                return Err(at.error(self.code, "a list or a map is the key of a map that is in a key itself"));
            }
            other => other.to_string(),
        })
    }

    /// The next value. Bytes and extensions become `{"base64": "..."}`, floats that JSON lacks become strings.
    pub fn value(&mut self, depth: u32) -> Result<Value> {
        self.value_at(depth, false)
    }

    fn value_at(&mut self, depth: u32, in_key: bool) -> Result<Value> {
        self.limits.depth(depth)?;
        Ok(match self.head()? {
            Head::Nil => Value::Null,
            Head::Bool(b) => Value::Bool(b),
            Head::Int(n) => n.into(),
            Head::Uint(n) => n.into(),
            Head::F32(x) => float(x.into()),
            Head::F64(x) => float(x),
            Head::Str(n) => {
                let at = self.cursor.clone();
                let bytes = self.cursor.take_u64(n)?;
                let text = std::str::from_utf8(bytes).map_err(|_| at.error(self.code, "a string is not UTF-8"))?;
                text.into()
            }
            Head::Bin(n) | Head::Ext(n) => base64_value(self.cursor.take_u64(n)?),
            Head::Array(n) => {
                self.plus(0, n)?;
                (0..n).map(|_| self.value_at(depth + 1, in_key)).collect::<Result<Vec<_>>>()?.into()
            }
            Head::Map(n) => {
                self.plus(0, n * 2)?;
                let mut map = Map::new();
                for _ in 0..n {
                    let key = self.key_at(depth + 1, in_key)?;
                    map.insert(key, self.value_at(depth + 1, in_key)?);
                }
                Value::Object(map)
            }
        })
    }
}

fn float(x: f64) -> Value {
    Number::from_f64(x).map_or_else(|| Value::String(x.to_string()), Value::Number)
}

/// How bytes stand in JSON.
pub(crate) fn base64_value(bytes: &[u8]) -> Value {
    use base64::Engine as _;
    serde_json::json!({ "base64": base64::engine::general_purpose::STANDARD.encode(bytes) })
}

/// The bytes of a `{"base64": "..."}` value.
pub(crate) fn base64_bytes(value: &Value) -> Option<Vec<u8>> {
    use base64::Engine as _;
    let object = value.as_object().filter(|o| o.len() == 1)?;
    base64::engine::general_purpose::STANDARD.decode(object.get("base64")?.as_str()?).ok()
}

/// Appends a JSON value as MessagePack.
pub fn write(value: &Value, out: &mut Vec<u8>) {
    // Writing into a Vec cannot fail, so the results hold nothing.
    let _ = match value {
        Value::Null => encode::write_nil(out).map_err(|_| ()),
        Value::Bool(b) => encode::write_bool(out, *b).map_err(|_| ()),
        Value::Number(n) => {
            if let Some(n) = n.as_u64() {
                encode::write_uint(out, n).map(|_| ()).map_err(|_| ())
            } else if let Some(n) = n.as_i64() {
                encode::write_sint(out, n).map(|_| ()).map_err(|_| ())
            } else {
                encode::write_f64(out, n.as_f64().unwrap_or(f64::NAN)).map_err(|_| ())
            }
        }
        Value::String(s) => encode::write_str(out, s).map_err(|_| ()),
        Value::Array(items) => {
            let _ = encode::write_array_len(out, items.len() as u32);
            items.iter().for_each(|item| write(item, out));
            Ok(())
        }
        Value::Object(map) => {
            let _ = encode::write_map_len(out, map.len() as u32);
            for (key, item) in map {
                let _ = encode::write_str(out, key);
                write(item, out);
            }
            Ok(())
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    const BAD: Code = Code::damaged("test.bad", "Bad.");

    fn read(bytes: &[u8]) -> Result<Value> {
        let limits = Limits::host();
        Reader::new(Cursor::new(bytes, 0, "test", &BAD), &BAD, &limits).value(0)
    }

    #[test]
    fn values_come_back() {
        let value = serde_json::json!({"a": [1, -2, 3.5, null, true, "x", {"b": u64::MAX}], "long": "y".repeat(300)});
        let mut bytes = Vec::new();
        write(&value, &mut bytes);
        assert_eq!(read(&bytes).unwrap(), value);
        let limits = Limits::host();
        let mut reader = Reader::new(Cursor::new(&bytes, 0, "test", &BAD), &BAD, &limits);
        reader.skip().unwrap();
        assert!(reader.cursor.is_empty());
    }

    /// Each level of them would double the text of the outermost.
    #[test]
    fn keys_inside_of_keys_are_texts_or_numbers() {
        // {{"a": {5: [1]}}: 2}, and lists as keys.
        let one = read(b"\x81\x81\xa1a\x81\x05\x91\x01\x02").unwrap();
        assert_eq!(one, serde_json::json!({ "{\"a\":{\"5\":[1]}}": 2 }));
        assert_eq!(read(b"\x81\x92\x01\xa1b\xc0").unwrap(), serde_json::json!({ "[1,\"b\"]": null }));
        for levels in [3, 4, 40, 100] {
            let (maps, ends) = (vec![0x81; levels], vec![0xc0; levels + 1]);
            let e = read(&[maps, ends.clone()].concat()).unwrap_err();
            assert!(e.message().contains("in a key itself"), "{levels}: {e}");
            let lists = vec![[0x81, 0x91]; levels].concat();
            assert!(read(&[lists, ends].concat()).is_err(), "{levels}");
        }
        // Not so for values.
        assert!(read(&[[0x81, 0xa1, b'k'].repeat(100), vec![0xc0]].concat()).is_ok());
    }

    #[test]
    fn lies_are_refused_before_they_cost_anything() {
        assert!(read(&[0xdd, 0xff, 0xff, 0xff, 0xff]).is_err());
        assert!(read(&[0xdb, 0xff, 0xff, 0xff, 0xff, b'a']).is_err());
        assert!(read(&[0x91; 100_000]).is_err());
        assert!(read(&[0xc1]).is_err());
    }
}
