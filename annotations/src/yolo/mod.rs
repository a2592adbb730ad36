//! YOLO's labels: a text file for each picture, a line for each object, with fractions of the picture's size.
//!
//! No picture's size is in them, and no class's name: a set is a folder with pictures, labels, and a `data.yaml`,
//! `obj.data` or `classes.txt`. [`Data`] is what such a file says, [`Set`] which labels belong to which picture, [`read`]
//! the labels of one, and [`read_folder`] does all of that.
//!
//! | file | what it holds |
//! |---|---|
//! | `yaml.rs` | as much of YAML as is needed |
//! | `data.rs` | what is known of a set before its labels are read |
//! | `set.rs` | which files of a folder belong together |
//! | `folder.rs` | a whole set, file by file |
//! | `lines.rs` | the lines of one picture's labels |
//! | `write.rs` | all of that, written |

mod data;
mod folder;
mod lines;
mod set;
mod write;
mod yaml;

pub use data::{Data, Place};
pub use folder::read_folder;
pub use lines::read;
pub(crate) use lines::{line, rotated};
pub use set::{Member, Set, entry};
pub(super) use write::Script;
pub use write::{data_yaml, label_name, lines as write_lines, write};
