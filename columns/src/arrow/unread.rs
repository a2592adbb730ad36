//! Columns whose types are not read. A file may have some: only whoever asks for one is refused.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};

use arrow_schema::{DataType as Arrow, Field as ArrowField, Schema as ArrowSchema};
use forebay::{Error, Result, table::Schema};

use super::{codes, from_arrow_schema, own_type};

/// The columns of a file that are not read.
#[derive(Debug)]
pub struct Unread {
    /// Numbers, and what about each is not read.
    columns: Vec<(usize, String)>,
    /// Those that cannot even be handed on as they are.
    opaque: BTreeSet<usize>,
    names: Vec<String>,
}

impl Unread {
    /// Names and types of a file; a column that is not read stands there as text. `opaque` are those that Arrow's own
    /// crates cannot read either, and why.
    pub fn schema(arrow: &ArrowSchema, opaque: BTreeMap<usize, String>) -> Result<(Schema, Unread)> {
        let mut columns = Vec::new();
        let fields = arrow.fields().iter().enumerate().map(|(i, field)| {
            let why = match opaque.get(&i) {
                Some(why) => why.clone(),
                None if is_read(field.data_type()) => return field.clone(),
                None => format!("Arrow's type {}", field.data_type()),
            };
            columns.push((i, why));
            Arc::new(ArrowField::new(field.name(), Arrow::Null, true))
        });
        let fields: Vec<_> = fields.collect();
        let names = arrow.fields().iter().map(|f| f.name().clone()).collect();
        let opaque = opaque.into_keys().collect();
        Ok((from_arrow_schema(&ArrowSchema::new(fields))?, Unread { columns, opaque, names }))
    }

    /// The numbers of these columns, and what about each is not read.
    pub fn columns(&self) -> &[(usize, String)] {
        &self.columns
    }

    /// Refuses to read one of them; `wanted` is what is read, all columns where nothing is named.
    pub fn refuse(&self, wanted: Option<&[usize]>) -> Result<()> {
        self.refuse_where(wanted, |_| true)
    }

    /// Refuses to hand one of them on that is not even read as Arrow.
    pub fn refuse_opaque(&self, wanted: Option<&[usize]>) -> Result<()> {
        self.refuse_where(wanted, |column| self.opaque.contains(&column))
    }

    fn refuse_where(&self, wanted: Option<&[usize]>, counts: impl Fn(usize) -> bool) -> Result<()> {
        if self.columns.is_empty() {
            return Ok(());
        }
        let wanted: Option<HashSet<usize>> = wanted.map(|wanted| wanted.iter().copied().collect());
        let asked = |i: &usize| counts(*i) && wanted.as_ref().is_none_or(|wanted| wanted.contains(i));
        let Some((column, what)) = self.columns.iter().find(|(i, _)| asked(i)) else { return Ok(()) };
        let unread: HashSet<usize> = self.columns.iter().map(|(i, _)| *i).filter(|i| counts(*i)).collect();
        let others = (0..self.names.len()).filter(|i| !unread.contains(i));
        let mut others: Vec<&str> = others.filter_map(|i| self.names.get(i)).map(String::as_str).collect();
        let more = if others.len() > 8 { ",..." } else { "" };
        others.truncate(8);
        let (way, options) = match others.is_empty() {
            true => ("and there is no other column".to_owned(), &[][..]),
            false => (format!("without it there are {}{more}", others.join(",")), &["columns"][..]),
        };
        let message = format!("columns with {what} are not read; {way}");
        let name = self.names.get(*column).map_or("", String::as_str);
        Err(Error::new(&codes::ROUTE, message).column(name).with_options(options))
    }
}

/// The field of a schema as Arrow IPC describes it; if its type is not known, that type's name.
pub fn field_of(field: arrow_ipc::Field<'_>) -> std::result::Result<ArrowField, String> {
    let name = || match field.type_as_int() {
        Some(int) if int.is_signed() => format!("Int{}", int.bitWidth()),
        Some(int) => format!("UInt{}", int.bitWidth()),
        None => field.type_type().variant_name().unwrap_or("of a newer version").to_owned(),
    };
    // The crate's conversion panics over what it does not know, which ends a module of WebAssembly: what sound files have is
    // looked for first.
    if !is_known(field) {
        return Err(name());
    }
    super::guarded(|| Ok(ArrowField::from(field))).map_err(|_| name())
}

/// Whether Arrow's crates know a field's type, as far as files of other programs have others.
fn is_known(field: arrow_ipc::Field<'_>) -> bool {
    field.type_type().variant_name().is_some()
        && field.type_as_int().is_none_or(|int| matches!(int.bitWidth(), 8 | 16 | 32 | 64))
        && field.children().into_iter().flatten().all(is_known)
}

pub(super) fn is_read(arrow: &Arrow) -> bool {
    !own_type(arrow).is_err_and(|e| e.code() == &codes::ROUTE)
}
