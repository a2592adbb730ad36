//! YOLO's labels: a text file for each picture, a line for each object, with fractions of the picture's size.
//!
//! No picture's size is in them, and no class's name: a set is a folder with pictures, labels, and a `data.yaml`,
//! `obj.data` or `classes.txt`. [`Data`] is what such a file says, [`Set`] which labels belong to which picture, [`read`]
//! the labels of one.
//!
//! | file | what it holds |
//! |---|---|
//! | `yaml.rs` | as much of YAML as is needed |
//! | `data.rs` | what is known of a set before its labels are read |
//! | `set.rs` | which files of a folder belong together |
//! | `lines.rs` | the lines of one picture's labels |
//! | `write.rs` | all of that, written |

mod data;
mod lines;
mod set;
mod write;
mod yaml;

pub use data::{Data, Place};
pub use lines::read;
pub(in crate::annotations) use lines::rotated;
pub use set::{Listing, Member, Set, entry};
pub use write::{data_yaml, label_name, lines as write_lines};
