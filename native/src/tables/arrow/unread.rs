//! Columns whose types are not read. A file may have some: only whoever asks for one is refused.

use std::sync::Arc;

use arrow_schema::{DataType as Arrow, Field as ArrowField, Schema as ArrowSchema};
use forebay::{Error, Result, table::Schema};

use super::{codes, from_arrow_schema, own_type};

/// The columns of a file that are not read.
#[derive(Debug)]
pub(in crate::tables) struct Unread {
    /// Numbers and types.
    columns: Vec<(usize, String)>,
    names: Vec<String>,
}

impl Unread {
    /// Names and types of a file; a column that is not read stands there as text.
    pub fn schema(arrow: &ArrowSchema) -> Result<(Schema, Unread)> {
        let mut columns = Vec::new();
        let fields = arrow.fields().iter().enumerate().map(|(i, field)| match is_read(field.data_type()) {
            true => field.clone(),
            false => {
                columns.push((i, field.data_type().to_string()));
                Arc::new(ArrowField::new(field.name(), Arrow::Null, true))
            }
        });
        let fields: Vec<_> = fields.collect();
        let names = arrow.fields().iter().map(|f| f.name().clone()).collect();
        Ok((from_arrow_schema(&ArrowSchema::new(fields))?, Unread { columns, names }))
    }

    /// The numbers and types of these columns.
    pub fn columns(&self) -> &[(usize, String)] {
        &self.columns
    }

    /// Refuses to read one of them; `wanted` is what is read, all columns where nothing is named.
    pub fn refuse(&self, wanted: Option<&[usize]>) -> Result<()> {
        let asked = |i: &usize| wanted.is_none_or(|wanted| wanted.contains(i));
        let Some((column, dtype)) = self.columns.iter().find(|(i, _)| asked(i)) else { return Ok(()) };
        let others = (0..self.names.len()).filter(|i| !self.columns.iter().any(|(unread, _)| unread == i));
        let mut others: Vec<&str> = others.filter_map(|i| self.names.get(i)).map(String::as_str).collect();
        let more = if others.len() > 8 { ",..." } else { "" };
        others.truncate(8);
        let way = match others.is_empty() {
            true => "and there is no other column".to_owned(),
            false => format!("--columns {}{more} leaves it out", others.join(",")),
        };
        let message = format!("columns of Arrow's type {dtype} are not read; {way}");
        Err(Error::new(&codes::ROUTE, message).column(self.names.get(*column).map_or("", String::as_str)))
    }
}

pub(super) fn is_read(arrow: &Arrow) -> bool {
    !own_type(arrow).is_err_and(|e| e.code() == &codes::ROUTE)
}
