//! Samples of any container: opened, read, selected, checked and converted.
//!
//! What one sample is, is [`sample`](crate::sample); what a file of them looks like, each format's module. Everything here
//! says which bytes it needs, takes them, and gives bytes to write at positions; hosts have files and threads.
//!
//! | file | what it holds |
//! |---|---|
//! | `open.rs` | a container of any format, opened |
//! | `opened.rs` | the same with all that became known of it, shared by the work on it |
//! | `records.rs` | a sample's metadata, whatever container it comes from |
//! | `read.rs` | one sample's metadata, or the document, read |
//! | `select.rs` | the samples that a filter accepts, and statistics of them |
//! | `check.rs` | every fault of a file |
//! | `labels.rs` | what all samples say of their pictures, gathered |
//! | `overlay.rs` | changes over a file, as work on it sees them |
//! | `window.rs` | a run of samples with the bytes that they need |
//! | `make.rs`, `archive_files.rs`, `neighbors.rs` | one sample made ready to be written |
//! | `tensors.rs` | the samples of a warehouse as pictures |
//! | `document.rs` | what stands beside the samples of a TBL |
//! | `write.rs`, `oddities.rs` | samples put behind each other; what of them is not as it was |
//! | `conversion.rs` | all of it together: from file to file |
//!
//! A conversion over a file that is wholly in memory:
//!
//! ```
//! use std::sync::Arc;
//! use bytes::Bytes;
//! use forebay::{Limits, codec::Compression, samples::*, step::{Turn, drive}, tar, tbl::{Layout, PackOptions}};
//! let mut file = [tar::header_for("a.jpg", 0)?, tar::header_for("a.cls", 1)?, b"7".to_vec()].concat();
//! file.resize(file.len() + tar::padding(1), 0);
//! file.extend(tar::END);
//! let file = Bytes::from(file);
//! let dataset = drive(Opener::new(file.len() as u64), &file)?;
//! let opened = Arc::new(Opened::new(dataset, Limits::default(), None));
//! let form = Form::Tbl(PackOptions::new(Layout::Guide, Compression::None));
//! let mut work = Conversion::new(opened, ConversionOptions::new(form), None)?;
//! loop {
//!     match work.step()? {
//!         Turn::Need(ranges) => {
//!             ranges.into_iter().for_each(|r| work.push(r.start, file.slice(r.start as usize..r.end as usize)));
//!         }
//!         // Each wherever there is a thread for it.
//!         Turn::Item(batch) => work.write(batch.places().map(|k| batch.make(k)))?,
//!         Turn::Done => break,
//!     }
//!     // Here `work.pieces()` are written at `work.at()`.
//!     work.written();
//! }
//! // What it returns is done to the output: the index, the metadata, the header.
//! let patches = work.finish()?;
//! assert_eq!(work.converted().counts.samples, 1);
//! # Ok::<(), forebay::Error>(())
//! ```

mod archive_files;
mod boxes;
mod check;
mod conversion;
mod document;
mod labels;
mod make;
mod neighbors;
mod oddities;
mod open;
mod opened;
mod overlay;
mod read;
mod records;
mod select;
#[cfg(all(feature = "warehouse", feature = "png"))]
mod tensors;
mod window;
mod write;

#[doc(hidden)]
pub use archive_files::{ArchiveFile, Renamed, archive_files, as_one, renamed};
#[doc(hidden)]
pub use check::{Checker, Part};
pub use conversion::{Batch, Conversion, ConversionOptions, Converted};
#[doc(hidden)]
pub use document::Inherited;
pub use document::MetadataChoice;
#[doc(hidden)]
pub use labels::Labeled;
#[doc(hidden)]
pub use make::Loaded;
pub use make::{Form, Ready};
#[doc(hidden)]
pub use oddities::Oddities;
pub use open::{Dataset, Opener};
pub use opened::Opened;
#[doc(hidden)]
pub use overlay::{Laid, Overlay};
pub use read::{DocumentReader, RecordReader};
#[doc(hidden)]
pub use records::{FoundRecord, parse_record};
#[doc(hidden)]
pub use select::Selector;
#[doc(hidden)]
pub use select::{Watch, field};
pub use write::Counts;
#[doc(hidden)]
pub use write::Writer;

use crate::error::{Error, Kind};

/// Whether an error is that of a sample, which others need not suffer from, and not of the system or the caller.
#[doc(hidden)]
pub fn is_of_sample(e: &Error) -> bool {
    matches!(e.kind(), Kind::Damaged | Kind::Limit | Kind::Unsupported)
}
