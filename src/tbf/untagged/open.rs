//! Layout U: values without tags, read by the Rust type that the caller names.
//!
//! The values are given the tags that they lack, so that from there on they are a document of layout T.

use bytes::Bytes;

use crate::{
    cursor::Cursor,
    error::{Error, Result},
    limits::Limits,
    table::Strings,
    tbf::{
        caller_schema::{RustType, RustVariant, ValueLayout},
        codes, raw,
        raw::{put_varint, zigzag},
        tagged::TaggedWriter,
        tagged::{Document, HEADER, has_header, tag},
    },
};

/// Reads a whole file.
pub(in crate::tbf) fn read(file: &Bytes, layout: &ValueLayout, limits: &Limits) -> Result<Document> {
    if !has_header(file) {
        return Err(Error::new(&codes::MAGIC, "the first bytes are not those of untagged values").offset(0));
    }
    let mut c = Cursor::new(file, 0, "values", &codes::TRUNCATED);
    c.take(HEADER)?;
    let strings = raw::dictionary(&mut c)?;
    let mut work = Tagging { strings, out: TaggedWriter::default(), limits };
    if layout.many {
        work.sequence(&mut c, &layout.value, 1)?;
    } else {
        work.value(&mut c, &layout.value, false, 1)?;
    }
    if !c.is_empty() {
        return Err(c.error(&codes::TRAILING, "bytes follow the values: the schema is not that of this file"));
    }
    Ok(work.out.into_document())
}

struct Tagging<'l> {
    strings: Strings,
    out: TaggedWriter,
    limits: &'l Limits,
}

impl Tagging<'_> {
    fn put(&mut self, kind: u8, bytes: &[u8]) {
        self.out.body().push(kind);
        self.out.body().extend_from_slice(bytes);
    }

    fn put_number(&mut self, kind: u8, n: u64) {
        self.out.body().push(kind);
        put_varint(self.out.body(), n);
    }

    fn sequence(&mut self, c: &mut Cursor<'_>, item: &RustType, depth: u32) -> Result<()> {
        // An item may take no bytes at all; what it becomes is still charged.
        let least = usize::from(takes_bytes(item));
        let n = raw::count(c, least, self.limits.item_bytes, "items")?;
        self.put_number(tag::SEQ, n as u64);
        for _ in 0..n {
            self.value(c, item, false, depth + 1)?;
            let made = self.out.body().len() as u64;
            self.limits.item(made)?;
        }
        Ok(())
    }

    /// `named` says that the value is a field of its own, where single bytes are stored as they are.
    fn value(&mut self, c: &mut Cursor<'_>, kind: &RustType, named: bool, depth: u32) -> Result<()> {
        self.limits.depth(depth)?;
        match kind {
            RustType::String => self.string(c)?,
            RustType::Unit => self.put(tag::UNIT, &[]),
            RustType::Option(inner) => match c.u8()? {
                0 => self.put(tag::NONE, &[]),
                1 => self.value(c, inner, false, depth + 1)?,
                other => return Err(c.error(&codes::VALUE, format!("{other} is neither present nor absent"))),
            },
            RustType::Seq(item) => self.sequence(c, item, depth)?,
            RustType::Tuple(items) | RustType::TupleStruct(items) => {
                let named = matches!(kind, RustType::TupleStruct(_));
                self.put_number(tag::SEQ, items.len() as u64);
                items.iter().try_for_each(|item| self.value(c, item, named, depth + 1))?;
            }
            RustType::Struct(fields) => {
                self.put_number(tag::MAP, fields.len() as u64);
                for field in fields {
                    self.out.text(&field.name)?;
                    self.value(c, &field.rust_type, true, depth + 1).map_err(|e| e.column(&field.name))?;
                }
            }
            RustType::Enum(variants) => self.variant(c, variants, depth)?,
            number => self.number(c, number, named)?,
        }
        Ok(())
    }

    fn number(&mut self, c: &mut Cursor<'_>, kind: &RustType, named: bool) -> Result<()> {
        match kind {
            RustType::Bool => {
                let b = c.u8()?;
                self.put(tag::BOOL, &[u8::from(b != 0)]);
            }
            RustType::U8 if named => {
                let b = c.u8()?;
                self.put(tag::U8, &[b]);
            }
            RustType::I8 if named => {
                let b = c.u8()?;
                self.put(tag::I8, &[b]);
            }
            RustType::U8 => {
                let n = unsigned(c, u8::MAX.into())?;
                self.put(tag::U8, &[n as u8]);
            }
            RustType::I8 => {
                let n = signed(c, i8::MIN.into(), i8::MAX.into())?;
                self.put(tag::I8, &[n as u8]);
            }
            RustType::U16 => {
                let n = unsigned(c, u16::MAX.into())?;
                self.put_number(tag::U16, n);
            }
            RustType::U32 => {
                let n = unsigned(c, u32::MAX.into())?;
                self.put_number(tag::U32, n);
            }
            RustType::U64 => {
                let n = unsigned(c, u64::MAX)?;
                self.put_number(tag::U64, n);
            }
            RustType::I16 => {
                let n = signed(c, i16::MIN.into(), i16::MAX.into())?;
                self.put_number(tag::I16, zigzag(n));
            }
            RustType::I32 => {
                let n = signed(c, i32::MIN.into(), i32::MAX.into())?;
                self.put_number(tag::I32, zigzag(n));
            }
            RustType::I64 => {
                let n = signed(c, i64::MIN, i64::MAX)?;
                self.put_number(tag::I64, zigzag(n));
            }
            RustType::F32 => {
                let bytes = c.take(4)?;
                self.put(tag::F32, bytes);
            }
            RustType::F64 => {
                let bytes = c.take(8)?;
                self.put(tag::F64, bytes);
            }
            // The others are not numbers.
            _ => {}
        }
        Ok(())
    }

    fn string(&mut self, c: &mut Cursor<'_>) -> Result<()> {
        let before = c.clone();
        let i = raw::varint(c)?;
        match usize::try_from(i).ok().filter(|&i| i < self.strings.len()) {
            Some(i) => self.out.text(self.strings.get(i))?,
            None => {
                let message = format!("text {i} of a dictionary of {}", self.strings.len());
                return Err(before.error(&codes::INDEX, message));
            }
        }
        Ok(())
    }

    fn variant(&mut self, c: &mut Cursor<'_>, variants: &[RustVariant], depth: u32) -> Result<()> {
        let before = c.clone();
        let i = raw::varint(c)?;
        let Some(variant) = usize::try_from(i).ok().and_then(|i| variants.get(i)) else {
            return Err(before.error(&codes::INDEX, format!("variant {i} of {}", variants.len())));
        };
        match &variant.rust_type {
            None => self.out.text(&variant.name)?,
            Some(inner) => {
                self.put_number(tag::MAP, 1);
                self.out.text(&variant.name)?;
                // One unnamed field stands for itself.
                match inner {
                    RustType::TupleStruct(one) if one.len() == 1 => {
                        one.iter().try_for_each(|t| self.value(c, t, true, depth + 1))?;
                    }
                    inner => self.value(c, inner, true, depth + 1)?,
                }
            }
        }
        Ok(())
    }
}

fn takes_bytes(kind: &RustType) -> bool {
    match kind {
        RustType::Unit => false,
        RustType::Tuple(items) | RustType::TupleStruct(items) => items.iter().any(takes_bytes),
        RustType::Struct(fields) => fields.iter().any(|f| takes_bytes(&f.rust_type)),
        _ => true,
    }
}

fn unsigned(c: &mut Cursor<'_>, max: u64) -> Result<u64> {
    let before = c.clone();
    match raw::varint(c)? {
        n if n <= max => Ok(n),
        n => Err(before.error(&codes::VALUE, format!("{n} is more than {max}"))),
    }
}

fn signed(c: &mut Cursor<'_>, min: i64, max: i64) -> Result<i64> {
    let before = c.clone();
    match raw::unzigzag(raw::varint(c)?) {
        n if (min..=max).contains(&n) => Ok(n),
        n => Err(before.error(&codes::VALUE, format!("{n} is not between {min} and {max}"))),
    }
}
