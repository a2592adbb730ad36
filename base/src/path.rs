//! Where a value lies inside a document, as filters and options write it: `json.boxes[0].label`.

use std::fmt::{self, Write};

use serde_json::Value;

/// One part of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// A field of an object, or a column.
    Key(String),
    /// An element of a list, from 0.
    Index(u64),
}

const KEYWORDS: [&str; 7] = ["and", "or", "not", "in", "true", "false", "null"];

/// Whether a name that needs no backticks may begin with this.
pub fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// Whether it may go on with this.
pub fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_plain_name(name: &str) -> bool {
    name.starts_with(starts_name) && name.chars().all(continues_name) && !KEYWORDS.contains(&name)
}

/// Writes a path as a filter has it.
pub fn write(segments: &[Segment], out: &mut impl Write) -> fmt::Result {
    for (i, segment) in segments.iter().enumerate() {
        match segment {
            Segment::Index(n) => write!(out, "[{n}]")?,
            Segment::Key(key) => {
                let dot = if i > 0 { "." } else { "" };
                if is_plain_name(key) {
                    write!(out, "{dot}{key}")?;
                } else {
                    write!(out, "{dot}`{}`", key.replace('`', "``"))?;
                }
            }
        }
    }
    Ok(())
}

/// Reads what [`write`] writes, a key first; `None` for any other text.
///
/// ```
/// use forebay_base::path::{Segment, read};
/// let boxes = [Segment::Key("json".into()), Segment::Key("a b".into()), Segment::Index(0)];
/// assert_eq!(read("json.`a b`[0]").as_deref(), Some(&boxes[..]));
/// assert_eq!((read("json.a b"), read("[0]"), read("a > 3")), (None, None, None));
/// ```
pub fn read(text: &str) -> Option<Vec<Segment>> {
    let mut segments = Vec::new();
    let mut rest = text;
    while !rest.is_empty() || segments.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (index, after) = inside.split_once(']')?;
            segments.push(Segment::Index(index.parse().ok()?));
            rest = after;
            continue;
        }
        let key = if segments.is_empty() { rest } else { rest.strip_prefix('.')? };
        let (name, after) = match key.strip_prefix('`') {
            Some(quoted) => {
                // A backtick that is doubled is part of the name.
                let mut pairs = quoted.match_indices('`').map(|(at, _)| at).peekable();
                let end = loop {
                    let at = pairs.next()?;
                    if pairs.next_if_eq(&(at + 1)).is_none() {
                        break at;
                    }
                };
                (quoted[..end].replace("``", "`"), &quoted[end + 1..])
            }
            None => {
                let end = key.find(|c| !continues_name(c)).unwrap_or(key.len());
                (key[..end].to_owned(), &key[end..])
            }
        };
        segments.push(Segment::Key(name));
        rest = after;
    }
    let mut written = String::new();
    let same = matches!(segments.first(), Some(Segment::Key(_))) && write(&segments, &mut written).is_ok();
    (same && written == text).then_some(segments)
}

/// Follows a path into a document.
pub fn lookup<'a>(segments: &[Segment], document: &'a Value) -> Option<&'a Value> {
    segments.iter().try_fold(document, |at, segment| match segment {
        Segment::Key(key) => at.as_object()?.get(key),
        Segment::Index(i) => at.as_array()?.get(usize::try_from(*i).ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_written_is_read_again() {
        for names in [["json", "boxes"], ["null", "a`b"], ["``", ""], ["é", "3"], ["`", "a.b[0]"]] {
            let mut segments: Vec<Segment> = names.map(|name| Segment::Key(name.into())).into();
            segments.insert(1, Segment::Index(7));
            let mut text = String::new();
            write(&segments, &mut text).unwrap();
            assert_eq!(read(&text), Some(segments), "{text}");
        }
        for other in ["", ".", "a.", "a..b", "a[", "a[]", "a[01]", "a[-1]", "`a`", "`a", "null", "a b", " a", "3"] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
