//! Types of other programs that have no place in our own columns: the values come, the type does not.

use std::collections::HashMap;

use super::Target;
use crate::{
    error::{Error, Result},
    table::{Batch, Schema, codes},
};

/// A column whose type has no place in ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Its name.
    pub column: String,
    /// Its type, as the file's own format calls it.
    pub what: String,
    /// What of it is lost.
    pub kind: ForeignKind,
}

/// The kind of a loss.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForeignKind {
    /// That the times are moments of UTC, which is how times without a zone are read too.
    Utc,
    /// The name of a time zone; the moments stay.
    Zone(String),
    /// That a text is a decimal number.
    Decimal,
    /// That a text is nested values, or a number a span of time.
    Other,
}

impl ForeignKind {
    /// True where writing to the target loses something that it, or its reader, could have known.
    fn is_lost(&self, target: Target) -> bool {
        match (self, target) {
            // Arrow has every one of these types.
            (_, Target::Arrow) => true,
            (ForeignKind::Utc | ForeignKind::Other, _) => false,
            (ForeignKind::Zone(_), _) => true,
            // In text a decimal is a text anyway.
            (ForeignKind::Decimal, Target::Text(_)) => false,
            (ForeignKind::Decimal, _) => true,
        }
    }
}

/// Counts the values whose type is lost, or refuses the first.
#[derive(Debug)]
pub struct Losses {
    columns: Vec<(usize, Foreign, u64)>,
    lossy: bool,
    row: u64,
}

impl Losses {
    /// Of a source whose columns are written to a target.
    pub fn new(foreign: Vec<Foreign>, schema: &Schema, target: Target, lossy: bool) -> Losses {
        let places = schema.fields().iter().enumerate().map(|(i, field)| (field.name.as_str(), i));
        let places: HashMap<&str, usize> = if foreign.is_empty() { HashMap::new() } else { places.collect() };
        let lost = foreign.into_iter().filter(|foreign| foreign.kind.is_lost(target));
        let columns = lost.filter_map(|foreign| Some((*places.get(foreign.column.as_str())?, foreign, 0)));
        Losses { columns: columns.collect(), lossy, row: 0 }
    }

    /// Looks at the next rows.
    pub fn look(&mut self, batch: &Batch) -> Result<()> {
        for (place, foreign, lost) in &mut self.columns {
            let Ok(column) = batch.column(*place) else { continue };
            let there = column.len() - column.null_count();
            if there > 0 && !self.lossy {
                let row = (0..column.len()).find(|&row| !column.is_null(row)).unwrap_or_default();
                let message = format!(
                    "the target has no place for {}; converting with losses writes {}",
                    foreign.what,
                    foreign.instead()
                );
                let e = Error::new(&codes::TARGET, message).column(&foreign.column).row(self.row + row as u64);
                return Err(e.with_options(&["lossy"]));
            }
            *lost += there as u64;
        }
        self.row += batch.rows() as u64;
        Ok(())
    }

    /// What was lost, in words.
    pub fn notes(&self) -> Vec<String> {
        let lost = self.columns.iter().filter(|(.., lost)| *lost > 0);
        lost.map(|(_, foreign, lost)| {
            format!("column {:?}: {lost} values of {} became {}", foreign.column, foreign.what, foreign.instead())
        })
        .collect()
    }
}

impl Foreign {
    fn instead(&self) -> &'static str {
        match self.kind {
            ForeignKind::Utc | ForeignKind::Zone(_) => "times of UTC without a zone",
            ForeignKind::Decimal => "text",
            ForeignKind::Other => "values of another type",
        }
    }
}
