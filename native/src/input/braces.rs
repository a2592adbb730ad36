//! Numbered names: `train-{000..127}.tar` stands for 128 names, as in shells and in webdataset.

use forebay::{Error, Result, error::codes::ARGUMENT};

/// The most names that braces stand for.
const MOST: usize = 1_000_000;

/// The names that a name with braces stands for, the leftmost counting slowest: `{00..03}` are numbers, of as many digits as
/// the longer end, and `{train,val}` words. A name without such braces is itself.
pub(super) fn names(pattern: &str) -> Result<Vec<String>> {
    let mut names = vec![String::new()];
    let mut rest = pattern;
    while let Some((before, words, behind)) = first(rest)? {
        if words.len().saturating_mul(names.len()) > MOST {
            return Err(too_many(pattern));
        }
        names = names.iter().flat_map(|name| words.iter().map(move |word| format!("{name}{before}{word}"))).collect();
        rest = behind;
    }
    names.iter_mut().for_each(|name| name.push_str(rest));
    Ok(names)
}

/// The text in front of the first braces, what they stand for, and the text behind them.
fn first(text: &str) -> Result<Option<(&str, Vec<String>, &str)>> {
    for (open, _) in text.match_indices('{') {
        let Some((inside, behind)) = text[open + 1..].split_once('}') else { return Ok(None) };
        if let Some(words) = words(inside)? {
            return Ok(Some((&text[..open], words, behind)));
        }
    }
    Ok(None)
}

fn words(inside: &str) -> Result<Option<Vec<String>>> {
    if inside.contains('{') {
        return Ok(None);
    }
    let digits = |text: &&str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let Some((from, to)) = inside.split_once("..").filter(|(from, to)| digits(from) && digits(to)) else {
        return Ok(inside.contains(',').then(|| inside.split(',').map(str::to_owned).collect()));
    };
    let ends = from.parse::<u64>().ok().zip(to.parse::<u64>().ok());
    let Some((first, last)) = ends.filter(|(first, last)| first.abs_diff(*last) < MOST as u64) else {
        return Err(too_many(inside));
    };
    let padded = [from, to].iter().any(|end| end.len() > 1 && end.starts_with('0'));
    let width = if padded { from.len().max(to.len()) } else { 0 };
    let word = |number: u64| format!("{number:0width$}");
    Ok(Some(if first <= last { (first..=last).map(word).collect() } else { (last..=first).rev().map(word).collect() }))
}

fn too_many(pattern: &str) -> Error {
    Error::new(&ARGUMENT, format!("the braces of {pattern:?} expand to more than {MOST} names"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_stand_for_numbers_and_words() {
        let of = |pattern: &str| names(pattern).unwrap().join(" ");
        assert_eq!(of("a-{00..03}.tbl"), "a-00.tbl a-01.tbl a-02.tbl a-03.tbl");
        assert_eq!(of("{8..11}"), "8 9 10 11");
        assert_eq!(of("{08..11}"), "08 09 10 11");
        assert_eq!(of("{2..0}"), "2 1 0");
        assert_eq!(of("{train,val}/{0..1}.tar"), "train/0.tar train/1.tar val/0.tar val/1.tar");
        for same in ["a.tbl", "{}", "{a}", "a{0..b}c", "{0..1", "0..1}", "{-1..1}", "{a..c}", "}{", ""] {
            assert_eq!(of(same), same);
        }
        assert_eq!(of("{a{0..1}"), "{a0 {a1");
        for wrong in ["{0..1000000}", "{0..99999999999999999999999}", "{0..9999}{0..9999}"] {
            assert_eq!(names(wrong).unwrap_err().code().id(), "usage.argument");
        }
    }
}
