//! What can be wrong with a label file. The words are the same for all formats.

use crate::error::Code;

/// The text does not follow the rules of JSON, XML, YAML or of the format's own lines.
pub const SYNTAX: Code =
    Code::damaged("label.syntax", "A label file breaks the rules of JSON, XML, YAML or of its own kind of lines.");
/// The file ends too early.
pub const TRUNCATED: Code = Code::damaged("label.truncated", "A label file ends inside a value.");
/// The text is in another encoding.
pub const ENCODING: Code = Code::damaged("label.encoding", "A label file is not UTF-8, or not what it declares.");
/// A number is not one.
pub const NUMBER: Code =
    Code::damaged("label.number", "A number in a label file is not finite, not whole where it has to be, or a text.");
/// A value is of another type, or missing.
pub const VALUE: Code = Code::damaged("label.value", "A value in a label file is missing or is of another type.");
/// A rectangle that is invalid.
pub const RECT: Code = Code::damaged(
    "label.rect",
    "A box has a negative size, swapped corners, the wrong count of numbers, or no unit that could be meant.",
);
/// A name that leaves its folder.
pub const NAME: Code =
    Code::damaged("label.name", "An image's name is absolute, leaves its folder, is too long, or no file can have it.");
/// A picture that does not exist.
pub const PICTURE: Code =
    Code::damaged("label.picture", "An annotation belongs to an image that is not there, or an image has no file.");
/// A class that was not declared.
pub const CLASS: Code = Code::damaged("label.class", "An annotation's class is missing or was not declared.");
/// Something is there twice.
pub const REPEATED: Code = Code::damaged(
    "label.repeated",
    "Two images, classes or fields have one number or one name, and nothing says which counts.",
);
/// A size that contradicts the picture.
pub const SIZE: Code = Code::damaged("label.size", "A label file gives an image a size that it does not have.");
/// The file does not say what is meant.
pub const AMBIGUOUS: Code = Code::usage(
    "label.ambiguous",
    "A label file can mean several things, and an option has to say which; the message names it.",
);
/// Not a file of this format, or of none.
pub const FORMAT: Code = Code::unsupported("label.format", "A file holds labels of no format that is read, or none.");
/// Something that is not read or written.
pub const UNSUPPORTED: Code =
    Code::unsupported("label.unsupported", "A label file holds something that Forebay does not read or write.");
/// Every code of this module.
pub const ALL: &[&Code] = &[
    &SYNTAX,
    &TRUNCATED,
    &ENCODING,
    &NUMBER,
    &VALUE,
    &RECT,
    &NAME,
    &PICTURE,
    &CLASS,
    &REPEATED,
    &SIZE,
    &AMBIGUOUS,
    &FORMAT,
    &UNSUPPORTED,
];
