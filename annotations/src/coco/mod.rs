//! COCO: one JSON file for the boxes, outlines, masks and key points of all pictures.
//!
//! `bbox` is `[x, y, width, height]` in continuous pixels, counted from 0: nothing is added. Numbers of classes have
//! gaps and are not class numbers. Annotations may stand before the pictures and classes that they belong to.
//!
//! | file | what it holds |
//! |---|---|
//! | `element.rs` | one class, one picture, one annotation from their JSON |
//! | `ids.rs` | the file's own numbers of pictures and classes |
//! | `read.rs` | [`Reader`]: the file in pieces of any size, its elements out, in bounded memory |
//! | `gather.rs` | the elements as [`Labels`](super::Labels) |
//! | `own.rs` | what only another COCO file can say again |
//! | `write.rs` | labels as a COCO file |
//!
//! ```
//! use forebay_annotations::{ReadOptions, Rect, coco};
//! let text = br#"{"images": [{"id": 7, "file_name": "a.jpg", "width": 64, "height": 48}],
//!   "annotations": [{"id": 1, "image_id": 7, "category_id": 18, "bbox": [1, 2, 30, 40]}],
//!   "categories": [{"id": 18, "name": "dog"}]}"#;
//! let labels = coco::read(text, &ReadOptions::default())?;
//! assert_eq!(labels.pictures[0].annotations[0].rect, Rect::new(1.0, 2.0, 31.0, 42.0));
//! assert_eq!(labels.classes.name(0), Some("dog"));
//! # Ok::<(), forebay_base::Error>(())
//! ```

mod element;
mod gather;
mod ids;
mod own;
mod read;
mod write;

pub use element::Detail;
pub use gather::{Gather, read};
pub use read::{Marked, Reader, Sink};
pub(super) use write::Script;
pub use write::write;
