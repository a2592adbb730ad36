//! Samples through the core's public interface: their files, the engine over them, orders, filters, labels, changes.

mod annotations;
mod curate;
mod edits;
mod engine;
mod filter;
#[cfg(feature = "boxes")]
mod filter_boxes;
mod formats;
mod order;
mod packed;
mod sampling;
mod tar;
mod tar_hostile;
mod tbl;
mod warehouse;
mod warehouse_drift;
mod zip;
