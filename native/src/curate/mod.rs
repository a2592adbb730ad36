//! Curating datasets on all cores: duplicates, outliers, and splits into training, validation and test.
//!
//! What is compared and counted is the core's ([`forebay::curate`]); here are the bytes, the threads and the names.
//!
//! | file | what it holds |
//! |---|---|
//! | `survey.rs` | every sample read once, and what is known of it then |
//! | `duplicates.rs` | samples that are alike, group by group |
//! | `outliers.rs` | samples that stand out |
//! | `division.rs`, `parts.rs` | who goes where in a split; the files of it |
//! | `results.rs` | findings as a journal of edits, and as CSV |

mod division;
mod duplicates;
mod outliers;
mod parts;
mod results;
mod survey;

pub use division::{DivideOptions, Division, Part, divide};
pub use duplicates::{DuplicateReport, GroupReport, MemberReport, duplicates};
pub use outliers::{OutlierReport, OutlierRow, outliers};
pub use parts::{refuse_parts, write_parts};
pub use results::{csv_line, journal_of, write_journal, write_text};
pub use survey::{Faults, Survey, SurveyOptions};
