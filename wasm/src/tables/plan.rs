//! Which parts of which groups hold the wanted rows.

use std::ops::Range;

use forebay::{
    Error, Result,
    error::codes,
    filter::Filter,
    table::{Batch, TableFile},
};

/// Rows of one group that are looked at together: those between two wanted rows are read rather than asked for apart.
const NEAR: u64 = 256;

/// What is wanted.
#[derive(Debug)]
pub(super) enum Wanted {
    /// Rows one after the other.
    Range(Range<u64>),
    /// These, in this order.
    Rows(Vec<u64>),
}

/// A run of rows in one group.
#[derive(Debug)]
pub(super) struct Part {
    pub group: usize,
    /// Counted from the group's first row.
    pub rows: Range<usize>,
    /// Where the group begins.
    pub first: u64,
    /// The group has other rows too.
    pub some: bool,
    /// Which of `rows` are wanted, counted from the first of them; all where it does not say.
    pub picks: Option<Vec<usize>>,
}

impl Part {
    fn new(table: &dyn TableFile, group: usize, rows: Range<u64>) -> Result<Self> {
        let all = table.group_rows(group)?;
        let (start, end) = (rows.start.max(all.start), rows.end.min(all.end));
        let local = |row: u64| usize::try_from(row - all.start).unwrap_or(usize::MAX);
        let rows = local(start)..local(end.max(start));
        Ok(Part { group, some: (start, end) != (all.start, all.end), rows, first: all.start, picks: None })
    }

    /// The number of the first row in the file.
    pub fn start(&self) -> u64 {
        self.first + self.rows.start as u64
    }
}

/// The parts in the order of the file. Groups that cannot hold a row that `filter` wants are left out.
pub(super) fn parts(table: &dyn TableFile, wanted: &Wanted, filter: Option<&Filter>) -> Result<Vec<Part>> {
    let may = |group: usize| filter.is_none_or(|f| table.may_match(group, f));
    match wanted {
        Wanted::Range(rows) => {
            let rows = rows.start..rows.end.min(table.rows());
            if rows.is_empty() || table.groups() == 0 {
                return Ok(Vec::new());
            }
            let groups = table.group_of(rows.start)?..=table.group_of(rows.end - 1)?;
            groups.filter(|&g| may(g)).map(|g| Part::new(table, g, rows.clone())).collect()
        }
        Wanted::Rows(rows) => picked(table, rows),
    }
}

fn picked(table: &dyn TableFile, rows: &[u64]) -> Result<Vec<Part>> {
    if let Some(&row) = rows.iter().find(|&&row| row >= table.rows()) {
        let message = format!("there are {} rows, so none has the number {row}", table.rows());
        return Err(Error::new(&codes::OUT_OF_RANGE, message).row(row));
    }
    let mut sorted = rows.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut parts: Vec<Part> = Vec::new();
    let mut group = 0..0;
    for row in sorted {
        let near = parts.last_mut().filter(|p| group.contains(&row) && row - p.start() - p.rows.len() as u64 <= NEAR);
        if let Some(part) = near {
            let at = (row - part.start()) as usize;
            part.rows.end = part.rows.start + at + 1;
            part.picks.get_or_insert_default().push(at);
            continue;
        }
        let g = table.group_of(row)?;
        group = table.group_rows(g)?;
        let mut part = Part::new(table, g, row..row + 1)?;
        part.picks = Some(vec![0]);
        parts.push(part);
    }
    Ok(parts)
}

/// Rows that were gathered part by part, in the order that was asked for.
pub(super) fn in_order(batch: Batch, rows: &[u64]) -> Result<Batch> {
    let mut sorted = rows.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let places: Vec<usize> = rows.iter().map(|row| sorted.binary_search(row).unwrap_or_default()).collect();
    if places.iter().copied().eq(0..batch.rows()) { Ok(batch) } else { batch.take(&places) }
}
