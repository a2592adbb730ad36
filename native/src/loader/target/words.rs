//! Targets as text: `KIND[/OPTION...]:FROM`, for commands and files of settings.

use forebay::{Error, Result, error::codes, words::Word};

use super::{Origin, Target, TargetKind};
use crate::loader::Labels;

/// What comes of text.
///
/// | text | target |
/// |---|---|
/// | `int:json.age` | [`Target::int`] of the field `json.age` |
/// | `float/missing=-1:people.csv#name,age` | the column `age` of a table, joined by its column `name`; -1 where there is none |
/// | `floats/3x4:json.pose` | a shape |
/// | `class:cls`, `class:` | a field; the folder that a picture lies in |
/// | `multihot/classes=cat,dog:json.tags` | names of classes |
/// | `boxes/32:instances.json`, `masks/ragged:instances.json` | places for objects; all of them |
/// | `ints/pad=0,512,8:json.tokens`, `boxes/pad=0,100:instances.json` | padded with 0 to the longest of the batch, of at most 512, in steps of 8 |
/// | `keypoints/optional:` | what the samples' own metadata marks |
impl std::str::FromStr for Target {
    type Err = Error;

    fn from_str(text: &str) -> Result<Target> {
        let bad = |why: String| Error::new(&codes::ARGUMENT, format!("{text:?} is not a target: {why}"));
        let Some((what, from)) = text.split_once(':') else {
            return Err(bad("it is written as KIND:FROM, such as int:json.age".into()));
        };
        let mut options = what.split('/');
        let word = options.next().unwrap_or_default();
        let Some(kind) = TargetKind::from_word(word) else {
            let words: Vec<_> = TargetKind::ALL.iter().map(|kind| kind.word()).collect();
            return Err(bad(format!("its kind is one of {}", words.join(", "))));
        };
        let mut target = Target::new(kind, Origin::Field(from.to_owned()));
        for option in options {
            target = match option.split_once('=') {
                None if option == "optional" => target.optional(),
                None if option == "ragged" => target.ragged(),
                None => {
                    let shape: Result<Vec<usize>, _> = option.split('x').map(str::parse).collect();
                    target.shape(shape.map_err(|_| bad(format!("{option:?} is neither an option nor a shape")))?)
                }
                Some(("missing", number)) => {
                    target.missing(number.parse().map_err(|_| bad(format!("{number:?} is not a number")))?)
                }
                Some(("pad", how)) => padded(target, how)
                    .ok_or_else(|| bad(format!("pad={how:?} is not FILL,LONGEST or FILL,LONGEST,MULTIPLE")))?,
                Some(("classes", names)) => target.classes(names.split(',')),
                Some(("format", _)) if !kind.is_marked() => {
                    return Err(bad(format!("`format` is for label files, and {word} does not come from one")));
                }
                Some(("format", name)) => {
                    let format = forebay::annotations::Format::from_word(name);
                    target.from = Origin::Marks { path: None, format };
                    let known = format.map(|_| target);
                    known.ok_or_else(|| bad(format!("{name:?} is not a format of labels")))?
                }
                Some((name, _)) => return Err(bad(format!("there is no option {name:?}"))),
            };
        }
        let table = from.rsplit_once('#').map(|(path, columns)| (path, columns.split_once(',')));
        target.from = match (kind, table) {
            (TargetKind::View, _) => return Err(bad("a view needs a recipe, which text does not hold".into())),
            (TargetKind::Picture | TargetKind::LabelMap, _) => Origin::Pictures(from.into()),
            (kind, _) if kind.is_marked() => {
                let format = if let Origin::Marks { format, .. } = target.from { format } else { None };
                Origin::Marks { path: (!from.is_empty()).then(|| from.into()), format }
            }
            (_, Some((path, Some((key, column))))) => {
                return Ok(target.table(path, key, column));
            }
            (_, Some((_, None))) => return Err(bad("a table's columns are written as FILE#KEY,COLUMN".into())),
            (TargetKind::Class, None) => {
                Origin::Labels(if from.is_empty() { Labels::folder() } else { Labels::field(from) })
            }
            (_, None) if from.is_empty() => return Err(bad("it names no field".into())),
            (_, None) => Origin::Field(from.to_owned()),
        };
        Ok(target)
    }
}

/// Padding as text: what stands where there is none, the longest and, if it is given, a multiple.
fn padded(target: Target, how: &str) -> Option<Target> {
    let mut parts = how.split(',');
    let (fill, longest) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let target = target.padded(fill, longest);
    match (parts.next(), parts.next()) {
        (None, _) => Some(target),
        (Some(multiple), None) => Some(target.multiple(multiple.parse().ok()?)),
        _ => None,
    }
}

impl From<&str> for Target {
    /// The target of this text; what is wrong with it is said when the loader is built.
    fn from(text: &str) -> Target {
        let wrong = |e: Error| Target::new(TargetKind::Text, Origin::Wrong(e.message().to_owned()));
        text.parse().unwrap_or_else(wrong)
    }
}

impl From<String> for Target {
    fn from(text: String) -> Target {
        Target::from(text.as_str())
    }
}
