//! Choices that JavaScript makes by a word, which are the core's.

use forebay::{Error, Result, error::codes::ARGUMENT, words::Word};

/// The choice with this word; `default` without one.
pub(crate) fn chosen<T: Word>(what: &str, word: Option<&str>, default: T) -> Result<T> {
    word.map_or(Ok(default), |word| T::from_word(word).ok_or_else(|| unknown(what, word)))
}

/// That there is no such choice.
pub(crate) fn unknown(what: &str, word: &str) -> Error {
    Error::new(&ARGUMENT, format!("there is no {what} {word:?}"))
}

/// One of these words.
#[cfg(feature = "schema")]
pub(crate) fn any<T: Word>(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let words: Vec<_> = T::ALL.iter().map(|one| one.word()).collect();
    schemars::json_schema!({ "type": "string", "enum": words })
}

#[cfg(test)]
mod tests {
    use forebay::tbl::Layout;

    use super::*;

    #[test]
    fn no_word_leaves_the_default_and_an_unknown_one_is_refused_by_name() {
        let layout = |word| chosen("layout", word, Layout::Guide);
        assert_eq!(layout(None).unwrap(), Layout::Guide);
        assert_eq!(layout(Some("turboloader")).unwrap(), Layout::Turboloader);
        let refused = layout(Some("Guide")).unwrap_err();
        assert_eq!((refused.code(), refused.message()), (&ARGUMENT, "there is no layout \"Guide\""));
    }
}
