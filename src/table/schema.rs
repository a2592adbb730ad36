//! What the columns of a table are called and what they hold.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use super::{Column, DataType, codes};
use crate::error::{Error, Result};

/// Something known about a column beside its values: a name and a column of exactly one row.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Annotation {
    /// Its name.
    pub name: String,
    /// Its value, in row 0.
    pub value: Column,
}

/// One column's name and type.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Field {
    /// The name. Names may repeat; a name then means the last column that has it.
    pub name: String,
    /// The type of the column.
    pub dtype: DataType,
    /// True where values may be missing.
    pub nullable: bool,
    /// Annotations of the column.
    pub metadata: Vec<Annotation>,
}

impl Field {
    /// The annotation with a key's categories: a vector, the category of key 1 first.
    #[doc(hidden)]
    pub const KEY_VALUES: &'static str = "KeyValues";
    /// The annotation with the names of a vector's slots.
    #[doc(hidden)]
    pub const SLOT_NAMES: &'static str = "SlotNames";

    /// A column without missing values.
    pub fn new(name: impl Into<String>, dtype: DataType) -> Self {
        Field { name: name.into(), dtype, nullable: false, metadata: Vec::new() }
    }
    /// The same column, where values may be missing.
    #[must_use]
    pub fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }
    /// Adds an annotation, a column of one row.
    #[must_use]
    #[doc(hidden)]
    pub fn with(mut self, name: impl Into<String>, value: Column) -> Self {
        self.metadata.push(Annotation { name: name.into(), value });
        self
    }
    /// The annotation of this name.
    #[doc(hidden)]
    pub fn annotation(&self, name: &str) -> Option<&Column> {
        self.metadata.iter().find(|a| a.name == name).map(|a| &a.value)
    }
}

/// The columns of a table, in order.
///
/// ```
/// use std::sync::Arc;
/// use forebay::table::{Batch, Column, DataType, Field, Schema};
/// let schema = Arc::new(Schema::new(vec![Field::new("name", DataType::String).nullable()])?);
/// let batch = Batch::new(schema.clone(), vec![Column::strings([Some("Ada"), None])])?;
/// assert_eq!((schema.fields()[0].name.as_str(), schema.is_empty()), ("name", false));
/// assert_eq!(batch.column_by_name("name").and_then(|names| names.str(0)), Some("Ada"));
/// for (field, value) in batch.row(1)?.cells() {
///     println!("{}: {value:?}", field.name);
/// }
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Schema {
    fields: Vec<Field>,
}

impl Schema {
    /// Refuses vectors of anything but scalars, and keys that their integer cannot count.
    pub fn new(fields: Vec<Field>) -> Result<Self> {
        fields.iter().try_for_each(|f| check(&f.dtype).map_err(|e| e.column(&f.name)))?;
        Ok(Schema { fields })
    }
    /// Refuses columns of one name, where rows become objects: an object has each name once.
    pub(crate) fn one_of_each_name(&self) -> Result<()> {
        let mut seen = HashSet::new();
        match self.fields.iter().find(|field| !seen.insert(&field.name)) {
            Some(field) => {
                let message = "an object has each name once; choose among the columns";
                Err(Error::new(&codes::TARGET, message).column(&field.name).with_options(&["columns"]))
            }
            None => Ok(()),
        }
    }
    /// The columns.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }
    /// How many columns there are.
    pub fn len(&self) -> usize {
        self.fields.len()
    }
    /// True without columns.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
    /// The column of that number.
    pub fn field(&self, i: usize) -> Result<&Field> {
        self.fields.get(i).ok_or_else(|| {
            Error::new(&codes::COLUMN, format!("column {i} of a table of {} columns", self.fields.len()))
        })
    }
    /// The number of the last column of that name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().rposition(|f| f.name == name)
    }
    /// The numbers of the columns of these names, in this order.
    #[doc(hidden)]
    pub fn positions<S: AsRef<str>>(&self, names: impl IntoIterator<Item = S>) -> Result<Vec<usize>> {
        // Found one by one at first; for many names it pays to list all columns once.
        const FEW: usize = 16;
        let mut listed: Option<HashMap<&str, usize>> = None;
        let find = |(n, name): (usize, S)| {
            let name = name.as_ref();
            let found = match &listed {
                Some(listed) => listed.get(name).copied(),
                None if n < FEW => self.position(name),
                None => {
                    let all = self.fields.iter().enumerate().map(|(i, field)| (field.name.as_str(), i));
                    listed.insert(all.collect()).get(name).copied()
                }
            };
            found.ok_or_else(|| self.unknown(name))
        };
        names.into_iter().enumerate().map(find).collect()
    }
    /// A schema of some of the columns, in the order given.
    #[doc(hidden)]
    pub fn project(&self, columns: &[usize]) -> Result<Arc<Schema>> {
        let fields = columns.iter().map(|&i| self.field(i).cloned()).collect::<Result<_>>()?;
        Ok(Arc::new(Schema { fields }))
    }

    fn unknown(&self, name: &str) -> Error {
        let names: Vec<_> = self.fields.iter().take(20).map(|f| f.name.as_str()).collect();
        Error::new(&codes::COLUMN, format!("there is no column {name:?}; the columns are: {}", names.join(", ")))
    }
}

fn check(dtype: &DataType) -> Result<()> {
    match dtype {
        DataType::Vector { item, .. } if matches!(**item, DataType::Vector { .. } | DataType::Json) => {
            Err(Error::new(&codes::SHAPE, "vectors hold scalars only"))
        }
        DataType::Vector { item, .. } => check(item),
        DataType::Key { inner, count } if *count > inner.max() => {
            Err(Error::new(&codes::SHAPE, format!("{count} categories do not fit a {}", inner.name())))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::KeyType;

    #[test]
    fn a_repeated_name_means_the_last_column() {
        let s = Schema::new(vec![Field::new("a", DataType::U8), Field::new("a", DataType::U16)]).unwrap();
        assert_eq!(s.position("a"), Some(1));
        assert_eq!(s.positions(["b"]).unwrap_err().code().id(), "table.column");
        assert!(Schema::new(vec![Field::new("k", DataType::Key { inner: KeyType::U8, count: 256 })]).is_err());
    }
}
