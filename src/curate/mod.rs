//! Curating: what a picture looks like in a few numbers, which pictures are alike, which stand out, and who goes where in a
//! split. What the numbers mean is specified in `docs/curating.md`; they are whole, so every host gets the same.
//!
//! A host reads payloads and makes a [`Seen`] of each; the rest happens here, without bytes.
//!
//! ```
//! use forebay::curate::{Duplicates, Look, Seen};
//! use forebay::image::Picture;
//! let waves = |shift: u32| (0..64 * 48).flat_map(move |i| [((i % 64 + shift) * 3 % 191) as u8; 3]).collect::<Vec<_>>();
//! let mut duplicates = Duplicates::new(Some(6))?;
//! for (sample, shift) in [0, 0, 31].into_iter().enumerate() {
//!     let pixels = waves(shift);
//!     let mut seen = Seen::of(sample as u64, &pixels);
//!     seen.look = Some(Look::of(&Picture::new(64, 48, &pixels)?, (64, 48)));
//!     duplicates.add(seen);
//! }
//! let groups = duplicates.grouping().run()?;
//! assert_eq!(groups.len(), 1);
//! assert_eq!((groups[0].best().sample, groups[0].others()[0].sample), (0, 1));
//! # Ok::<(), forebay::Error>(())
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `gray.rs` | a small gray version of a picture, by exact averages |
//! | `hash.rs`, `measure.rs` | a perceptual hash; brightness, contrast, sharpness |
//! | `look.rs` | all of these of one picture, and of a payload |
//! | `near.rs` | hashes that differ in few bits, found without comparing all with all |
//! | `duplicates.rs` | groups of pictures that are alike, each with its best |
//! | `outliers.rs` | samples that stand out, with the reasons |
//! | `parts.rs` | training, validation and test, by class and by group |
//! | `codes.rs` | what can be wrong |

pub mod codes;
mod duplicates;
mod gray;
mod hash;
mod look;
mod measure;
mod near;
mod outliers;
mod parts;

pub use duplicates::{Duplicates, Group, Grouping, MOST_DISTANCE, Member, Seen};
pub use gray::Gray;
#[cfg(feature = "jpeg")]
pub use look::Looker;
pub use look::{Look, SIDE, size_for};
pub use outliers::{Measures, Outlier, Outliers, Reason, Report, Trait, Usual};
pub use parts::{Fractions, Unit, divide};
