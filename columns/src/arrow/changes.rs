//! What reading changes of Arrow's types, in words.

use std::collections::HashSet;

use arrow_schema::{DataType as Arrow, Schema as ArrowSchema, TimeUnit};
use forebay::{
    table::Schema,
    tables::{Foreign, ForeignKind},
};

use super::unread::is_read;

/// What is said about the columns that are read, by their names, and which of their types have no place in ours.
#[derive(Debug, Default)]
pub struct Changes(Vec<(String, String)>, Vec<Foreign>);

impl Changes {
    /// Of a file whose columns became those of `schema`.
    pub fn new(arrow: &ArrowSchema, schema: &Schema) -> Changes {
        let columns = arrow.fields().iter().zip(schema.fields());
        let said = columns.filter_map(|(arrow, ours)| {
            let words = match arrow.data_type() {
                // What is stored in another way and says so is not foreign.
                _ if arrow.metadata().contains_key(super::TYPE) => return None,
                Arrow::Timestamp(_, Some(zone)) => format!("the time zone {zone} is left out, its times are UTC"),
                other if is_twin(other) || !is_read(other) => return None,
                other => format!("{other} becomes {}", ours.dtype),
            };
            Some((ours.name.clone(), format!("column {:?}: {words}", ours.name)))
        });
        let said = said.collect();
        let columns = arrow.fields().iter().zip(schema.fields());
        let foreign = columns.filter_map(|(arrow, ours)| {
            let own = arrow.metadata().contains_key(super::TYPE) || !is_read(arrow.data_type());
            let kind = if own { None } else { kind(arrow.data_type()) };
            Some(Foreign { column: ours.name.clone(), what: arrow.data_type().to_string(), kind: kind? })
        });
        Changes(said, foreign.collect())
    }

    /// Says something of a column more.
    pub fn say(&mut self, name: &str, words: &str) {
        self.0.push((name.to_owned(), format!("column {name:?}: {words}")));
    }

    /// The types of the columns that were read which have no place in ours.
    pub fn foreign(&self, read: &Schema) -> Vec<Foreign> {
        if self.1.is_empty() {
            return Vec::new();
        }
        let read: HashSet<&str> = read.fields().iter().map(|field| field.name.as_str()).collect();
        self.1.iter().filter(|foreign| read.contains(foreign.column.as_str())).cloned().collect()
    }

    /// What concerns the columns that were read.
    pub fn notes(&self, read: &Schema) -> Vec<String> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let read: HashSet<&str> = read.fields().iter().map(|field| field.name.as_str()).collect();
        let wanted = self.0.iter().filter(|(name, _)| read.contains(name.as_str()));
        wanted.map(|(_, words)| words.clone()).collect()
    }
}

/// What of a type has no place in ours; widening numbers and times loses nothing.
fn kind(arrow: &Arrow) -> Option<ForeignKind> {
    match arrow {
        Arrow::Timestamp(_, Some(zone)) => match is_utc(zone) {
            true => Some(ForeignKind::Utc),
            false => Some(ForeignKind::Zone(zone.to_string())),
        },
        Arrow::Decimal32(..) | Arrow::Decimal64(..) | Arrow::Decimal128(..) | Arrow::Decimal256(..) => {
            Some(ForeignKind::Decimal)
        }
        Arrow::Duration(_) => Some(ForeignKind::Other),
        Arrow::Struct(_) | Arrow::Map(..) => Some(ForeignKind::Other),
        Arrow::Dictionary(_, values) => kind(values),
        Arrow::List(item) | Arrow::LargeList(item) | Arrow::FixedSizeList(item, _) => match item.data_type() {
            Arrow::List(_) | Arrow::LargeList(_) | Arrow::FixedSizeList(..) => Some(ForeignKind::Other),
            item => kind(item),
        },
        _ => None,
    }
}

fn is_utc(zone: &str) -> bool {
    ["UTC", "Etc/UTC", "Z", "+00:00", "+00", "+0000", "GMT"].into_iter().any(|utc| zone.eq_ignore_ascii_case(utc))
}

/// True for types that are read as they are, however they are stored.
fn is_twin(arrow: &Arrow) -> bool {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond};
    match arrow {
        Arrow::List(item) | Arrow::LargeList(item) | Arrow::FixedSizeList(item, _) => is_twin(item.data_type()),
        Arrow::Dictionary(_, values) => is_twin(values),
        Arrow::Utf8 | Arrow::LargeUtf8 | Arrow::Utf8View => true,
        Arrow::Binary | Arrow::LargeBinary | Arrow::BinaryView | Arrow::FixedSizeBinary(_) => true,
        Arrow::Boolean | Arrow::Date32 | Arrow::Float32 | Arrow::Float64 => true,
        Arrow::Time64(Microsecond) | Arrow::Timestamp(Millisecond | Microsecond | Nanosecond, None) => true,
        other => other.is_integer(),
    }
}
