//! A tagged document as a table, if it is a list of objects.

use std::{collections::HashMap, ops::Range, sync::Arc};

use super::document::{Document, Token, skip, token, type_of};
use crate::{
    error::{Error, Result},
    limits::Limits,
    step::Pieces,
    table::{Batch, ColumnBuilder, DataType, Field, Schema, TableFile, Value},
    tbf::codes,
};

/// Rows that are decoded together.
const GROUP_ROWS: usize = 1 << 16;

/// A list of objects as rows and columns. A key that an object lacks is a missing value; values that are
/// lists or objects, and columns of mixed types, are JSON.
#[derive(Debug)]
pub struct TaggedTable {
    document: Document,
    schema: Arc<Schema>,
    /// Which column a text of the dictionary names.
    columns: HashMap<usize, usize>,
    /// Where every group begins in the document's body.
    starts: Vec<usize>,
    rows: u64,
    uniform: bool,
    limits: Limits,
}

/// What has been seen in a column.
#[derive(Debug, Default)]
struct Seen {
    types: Vec<DataType>,
    /// Something that no cell holds: a list, an object, 128 bits.
    nested: bool,
    nulls: bool,
    present: u64,
    negative: bool,
    above_i64: bool,
    inexact: bool,
}

impl Seen {
    fn add(&mut self, token: &Token<'_>) {
        self.present += 1;
        match *token {
            Token::Null => self.nulls = true,
            Token::Int(n, _) => {
                self.negative |= n < 0;
                self.inexact |= n.unsigned_abs() > 1 << 53;
            }
            Token::UInt(n, _) => {
                self.above_i64 |= i64::try_from(n).is_err();
                self.inexact |= n > 1 << 53;
            }
            _ => {}
        }
        match type_of(token) {
            Some(t) if !self.types.contains(&t) => self.types.push(t),
            None if *token != Token::Null => self.nested = true,
            _ => {}
        }
    }

    /// The narrowest type that holds every value.
    fn dtype(&self) -> DataType {
        let whole = self.types.iter().all(DataType::is_integer);
        let number = self.types.iter().all(|t| t.is_integer() || matches!(t, DataType::F64));
        match self.types.as_slice() {
            _ if self.nested => DataType::Json,
            // JSON has one kind of integer; its writers tag those that are not negative as unsigned.
            [DataType::U64] if !self.above_i64 => DataType::I64,
            [one] => one.clone(),
            [] => DataType::Json,
            _ if whole && !self.above_i64 => DataType::I64,
            _ if whole && !self.negative => DataType::U64,
            _ if number && !self.inexact => DataType::F64,
            _ => DataType::Json,
        }
    }
}

impl TaggedTable {
    /// Looks at every row to learn the columns.
    pub fn new(document: Document, limits: &Limits) -> Result<Self> {
        let no_table = |why: &str| Error::new(&codes::NOT_A_TABLE, why).section("document");
        let entries = document.strings.len();
        let mut c = document.cursor();
        let Token::Seq(rows) = token(&mut c, entries)? else {
            return Err(no_table("the document is one value and not a list"));
        };
        let (mut columns, mut seen): (HashMap<usize, usize>, Vec<(usize, Seen)>) = Default::default();
        let (mut starts, mut uniform) = (Vec::new(), true);
        for row in 0..rows {
            if row % GROUP_ROWS == 0 {
                starts.push(c.position());
            }
            let at = c.clone();
            let Token::Map(pairs) = token(&mut c, entries)? else {
                return Err(no_table("a row is not an object").row(row as u64).offset(at.offset()));
            };
            for i in 0..pairs {
                let Token::Str(key) = token(&mut c, entries)? else {
                    return Err(no_table("a key is not a text").row(row as u64).offset(at.offset()));
                };
                let next = seen.len();
                let column = *columns.entry(key).or_insert(next);
                if column == next {
                    seen.push((key, Seen::default()));
                    uniform &= row == 0;
                }
                uniform &= column == i;
                let Some((_, s)) = seen.get_mut(column) else { continue };
                if s.present > row as u64 {
                    return Err(no_table("a row has a key twice").row(row as u64).offset(at.offset()));
                }
                // Rows before this one lacked the key.
                s.nulls |= s.present < row as u64;
                s.present = row as u64;
                let before = c.clone();
                s.add(&token(&mut c, entries)?);
                c = before;
                skip(&mut c, entries, 3, limits)?;
            }
            uniform &= pairs == columns.len();
        }
        let field = |(key, s): &(usize, Seen)| {
            let field = Field::new(document.strings.get(*key), s.dtype());
            if s.nulls || s.present < rows as u64 { field.nullable() } else { field }
        };
        let schema = Arc::new(Schema::new(seen.iter().map(field).collect())?);
        if schema.is_empty() && rows > 0 {
            return Err(no_table("the objects have no keys"));
        }
        Ok(TaggedTable { document, schema, columns, starts, rows: rows as u64, uniform, limits: limits.clone() })
    }

    /// The document.
    pub fn document(&self) -> &Document {
        &self.document
    }
    /// True if every object has the same keys in the same order.
    pub fn is_uniform(&self) -> bool {
        self.uniform
    }
}

impl TableFile for TaggedTable {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    fn rows(&self) -> u64 {
        self.rows
    }
    fn groups(&self) -> usize {
        self.starts.len()
    }
    fn group_rows(&self, group: usize) -> Result<Range<u64>> {
        if group >= self.starts.len() {
            let message = format!("group {group} of {}", self.starts.len());
            return Err(Error::new(&crate::error::codes::OUT_OF_RANGE, message).block(group as u64));
        }
        let start = (group * GROUP_ROWS) as u64;
        Ok(start..(start + GROUP_ROWS as u64).min(self.rows))
    }
    fn plan(&self, group: usize, columns: &[usize]) -> Result<Vec<Range<u64>>> {
        self.group_rows(group)?;
        self.schema.project(columns)?;
        Ok(Vec::new())
    }
    fn decode(&self, group: usize, columns: &[usize], _: &Pieces) -> Result<Batch> {
        let rows = self.group_rows(group)?;
        let schema = self.schema.project(columns)?;
        // Where the values of a column go; one column may be asked for twice.
        let mut builders: Vec<ColumnBuilder> = schema.fields().iter().map(|f| ColumnBuilder::new(&f.dtype)).collect();
        let mut wanted: Vec<Vec<usize>> = vec![Vec::new(); self.schema.len()];
        for (at, &column) in columns.iter().enumerate() {
            if let Some(targets) = wanted.get_mut(column) {
                targets.push(at);
            }
        }
        let entries = self.document.strings.len();
        let mut c = self.document.cursor();
        c.take(self.starts.get(group).copied().unwrap_or_default())?;
        let mut text = String::new();
        let mut memory = 0u64;
        for row in 0..(rows.end - rows.start) as usize {
            let Token::Map(pairs) = token(&mut c, entries)? else { continue };
            for _ in 0..pairs {
                let Token::Str(key) = token(&mut c, entries)? else { continue };
                let targets = self.columns.get(&key).and_then(|&i| wanted.get(i)).map_or(&[][..], Vec::as_slice);
                if targets.is_empty() {
                    skip(&mut c, entries, 3, &self.limits)?;
                    continue;
                }
                let before = c.clone();
                let value = token(&mut c, entries)?;
                if let Token::Str(i) = value {
                    memory += self.document.strings.get(i).len() as u64;
                    self.limits.item(memory)?;
                }
                let is_json =
                    targets.first().and_then(|&t| builders.get(t)).is_some_and(|b| *b.dtype() == DataType::Json);
                let json = is_json && value != Token::Null;
                if json {
                    c = before;
                    text.clear();
                    self.document.value_json(&mut c, &mut text)?;
                    memory += text.len() as u64;
                    self.limits.item(memory)?;
                }
                for &target in targets {
                    if let Some(builder) = builders.get_mut(target) {
                        builder.push(if json { Value::Json(&text) } else { self.document.cell(value) })?;
                    }
                }
            }
            builders.iter_mut().filter(|b| b.len() <= row).for_each(ColumnBuilder::push_null);
        }
        let decoded = builders.into_iter().map(ColumnBuilder::finish).collect::<Result<_>>()?;
        Batch::with_rows(schema, decoded, (rows.end - rows.start) as usize)
    }
}
