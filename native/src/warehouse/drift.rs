//! How far a warehouse is from an earlier one.

use std::path::Path;

use forebay::{
    Limits, Result,
    warehouse::{
        Statistics, Surveyor,
        drift::{Drift, compare},
    },
};

use super::open;

/// Counts what is in the warehouse of a manifest, or of the folder that has it: all boxes, and the pixels of about
/// `pictures` samples.
pub fn statistics(path: &Path, pictures: u64, limits: &Limits) -> Result<Statistics> {
    let opened = open(path, limits)?;
    let mut work = Surveyor::new(&opened.warehouse, pictures);
    opened.joined.drive(&mut work, |_| 0).map_err(|e| e.file(opened.joined.name()))
}

/// Compares a warehouse with an earlier one.
pub fn drift(old: &Path, new: &Path, pictures: u64, limits: &Limits) -> Result<Drift> {
    Ok(compare(&statistics(old, pictures, limits)?, &statistics(new, pictures, limits)?))
}
