//! One small language that says which samples or rows are wanted.
//!
//! The same parser serves the command line, the search box of the viewer, the loader and the predicates of
//! tables.
//!
//! ```
//! use forebay::filter::{Filter, Record, Path, Value};
//! struct Row;
//! impl Record for Row {
//!     fn field(&self, path: &Path) -> Value<'_> {
//!         match path.name() {
//!             Some("width") => 640.into(),
//!             Some("name") => "cats/7.jpg".into(),
//!             _ => Value::Null,
//!         }
//!     }
//! }
//! let filter = Filter::parse(r#"width >= 224 and name ~ "*.jpg" and not (cls in [3, 5])"#)?;
//! assert!(filter.matches(&Row));
//! assert_eq!(filter.to_string(), r#"width >= 224 && name ~ "*.jpg" && !(cls in [3, 5])"#);
//! # Ok::<(), forebay::Error>(())
//! ```
//!
//! # The language
//!
//! | written | means |
//! |---|---|
//! | `== != < <= > >=` | comparisons of numbers, of strings (by their bytes) and of times of tables (by when they are: `at > "2024-02-29"` is after its midnight) |
//! | `a ~ "*.jpg"`, `a !~ "x?[0-9]"` | the whole string matches the pattern, or does not: `*` any characters (also `/`), `?` one, `[a-z]` and `[!a-z]` one of a set; upper and lower case differ |
//! | `a in [1, 2.5, "x"]`, `"cat" in json.tags` | equal to an element of a list, written or in the data |
//! | `&& \|\| !`, also `and or not`, `( )` | `!` binds strongest, then `&&`, then `\|\|` |
//! | `12`, `-1.5e3`, `"text"`, `'text'`, `true false null` | integers are exact to 64 bits; strings know `\n \r \t \\ \" \'` |
//! | `cls`, `json.boxes[0].label`, `` `my column`.x `` | fields; names that are not a word stand in backticks, a backtick is doubled |
//!
//! | `any(box, box.label == "boat" && box.width > 400)` | the sample has such a box; `any(box)` any at all |
//! | `count(box) > 5`, `count(box, box.score < 0.5) == 0` | how many boxes, or such boxes, the sample has |
//!
//! Nothing at all selects everything. A field alone stands for "is `true`".
//!
//! # Fields of a sample
//!
//! `index`, `name`, `format` (`"jpeg"`, `"png"`...), `width`, `height`, `aspect` (width / height), `pixels`,
//! `bytes`, `stored_bytes`; every other path goes to the sample's metadata, and `metadata.width` to a metadata
//! field that has one of these names. A size that the index does not know is `null`, not 0. What no sample has, or
//! holds in no sample what it is compared with, is a mistake that [`Seen`] finds once all were looked at.
//!
//! # Fields of a box
//!
//! Inside `any` and `count`, `box` has `label` (its class), `score`, `xmin ymin xmax ymax width height area` in pixels, `source`
//! (`"human"`, `"model"`, `"simulator"`), `crowd difficult truncated occluded` and `attributes`, which are text:
//! `box.attributes.color == "red"`. Other fields are the sample's: `any(box, box.xmax >= width)`. A sample without boxes has
//! none that match, and counts 0.
//!
//! # What is equal to what
//!
//! - A field that does not exist is `null`. `x == null` and `x != null` ask for that; every other comparison
//!   with a null field is false, `!=` and `!~` included. `!` turns a false into a true whatever its cause: for
//!   a sample without `cls`, `cls != 3` is false and `!(cls == 3)` is true.
//! - Integers and floats compare by their exact values, never by rounding. NaN is unequal to everything.
//! - Values of different kinds (a number and a string) are unequal and in no order. If the kind of a field is
//!   known beforehand, as that of a table's column is, such a comparison is an error that says what to write.

mod bounds;
mod boxes;
#[doc(hidden)]
pub mod codes;
mod expr;
mod glob;
mod kind;
mod kinds;
mod near;
mod parse;
mod path;
mod sample;
mod sample_box;
mod seen;
mod time;
mod token;
mod value;

use std::fmt;

#[doc(hidden)]
pub use bounds::Bounds;
#[doc(hidden)]
pub use kind::{FieldKind, KnownField};
#[doc(hidden)]
pub use path::Builtin;
pub use path::{Path, Segment};
pub use sample::SampleRecord;
#[doc(hidden)]
pub use sample_box::SampleBox;
#[doc(hidden)]
pub use seen::Seen;
#[doc(hidden)]
pub use time::{Time, Times};
pub use value::{Record, Value};

use crate::{
    Limits,
    codec::checksum::fnv1a,
    error::{Error, Result},
};
use expr::Expr;

/// A parsed expression.
///
/// ```
/// use forebay::filter::{Filter, Segment};
/// let filter: Filter = r#"json.boxes[0].label == "boat" && width > 32"#.parse()?;
/// assert!(filter.needs_metadata() && !filter.needs_name());
/// let first = filter.fields().next().expect("it has two");
/// assert_eq!(first.segments()[2], Segment::Index(0));
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Filter {
    expr: Expr,
    fields: Vec<Field>,
    /// The character at which boxes are first asked for.
    boxes: Option<usize>,
}

/// A field that a filter uses, and the character at which it is first named.
#[derive(Clone, Debug)]
struct Field {
    path: Path,
    at: usize,
}

impl Filter {
    /// Reads an expression. An error's offset counts characters (not bytes) of `text`.
    pub fn parse(text: &str) -> Result<Self> {
        Self::parse_with(text, &Limits::default())
    }

    /// As [`parse`](Self::parse), with parentheses no deeper than `limits` allow.
    #[doc(hidden)]
    pub fn parse_with(text: &str, limits: &Limits) -> Result<Self> {
        parse::parse(text, limits)
    }

    /// Text with a star that the filter compares by `==` or `!=`: perhaps a pattern was meant.
    #[doc(hidden)]
    pub fn compared_pattern(&self) -> Option<&str> {
        self.expr.compared_pattern()
    }

    /// True if the record is wanted.
    pub fn matches<R: Record + ?Sized>(&self, record: &R) -> bool {
        self.expr.eval(record)
    }

    /// False only if the bounds of the fields prove that no record of a group can match.
    #[doc(hidden)]
    pub fn may_match(&self, bounds: &dyn Fn(&Path) -> Option<Bounds>) -> bool {
        bounds::may_match(&self.expr, bounds)
    }

    /// The fields used, each once, in the order of the text.
    pub fn fields(&self) -> impl Iterator<Item = &Path> {
        self.fields.iter().map(|f| &f.path)
    }

    /// True if a sample's metadata must be read to answer. (Names are asked for by
    /// [`needs_name`](Self::needs_name): an archive has them in its headers, a TBL in its metadata.)
    pub fn needs_metadata(&self) -> bool {
        self.boxes.is_some() || self.fields().any(|path| path.builtin().is_none())
    }

    /// True if a sample's boxes must be known to answer.
    pub(crate) fn needs_boxes(&self) -> bool {
        self.boxes.is_some()
    }

    /// Refuses a filter of boxes: for tables.
    pub(crate) fn refuse_boxes(&self) -> Result<()> {
        let Some(at) = self.boxes else { return Ok(()) };
        let message = "a table has no boxes: any and count look at the boxes of samples";
        Err(Error::new(&codes::FIELD, message).section("filter").offset(at as u64))
    }

    /// True if a sample's name must be known to answer.
    pub fn needs_name(&self) -> bool {
        self.fields().any(|path| path.builtin() == Some(Builtin::Name))
    }

    /// Refuses a field that `known` does not know: for tables, whose columns are known beforehand. `known`
    /// sees the path; `all` names what there is, for the message.
    #[doc(hidden)]
    pub fn check_fields<'a>(
        &self,
        known: impl Fn(&Path) -> bool,
        all: impl IntoIterator<Item = &'a str>,
    ) -> Result<()> {
        let Some(field) = self.fields.iter().find(|f| !known(&f.path)) else { return Ok(()) };
        let all: Vec<String> = all.into_iter().map(|name| Path::from_name(name).to_string()).collect();
        let (path, shown) = (field.path.to_string(), all.get(..20).unwrap_or(&all));
        let there = if all.is_empty() { "there are none".into() } else { format!("there are {}", shown.join(", ")) };
        let meant = near::nearest(&path, all.iter().map(String::as_str));
        let meant = meant.map(|name| format!("; did you mean {name}?")).unwrap_or_default();
        let message = format!("there is no field {path}; {there}{meant}");
        Err(Error::new(&codes::FIELD, message).section("filter").offset(field.at as u64))
    }

    /// A number that stays the same for the same canonical text, on every machine and in every version:
    /// FNV-1a, 64 bits, over the bytes of [`to_string`](ToString::to_string).
    #[doc(hidden)]
    pub fn hash(&self) -> u64 {
        fnv1a(self.to_string().bytes())
    }
}

impl PartialEq for Filter {
    /// The same canonical expression, wherever in the text its fields were named.
    fn eq(&self, other: &Self) -> bool {
        self.expr == other.expr
    }
}

impl fmt::Display for Filter {
    /// The canonical text: symbols for words, `"` for strings, no parentheses but the needed ones.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.expr, f)
    }
}

impl std::str::FromStr for Filter {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}
