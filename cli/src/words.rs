//! Words of the libraries as values of options.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use forebay::words::Word;

/// Reads one of the words that there are.
pub(crate) fn word<T: Word + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let value = |choice: &T| match choice.meaning() {
        "" => PossibleValue::new(choice.word()),
        meaning => PossibleValue::new(choice.word()).help(meaning),
    };
    PossibleValuesParser::new(T::ALL.iter().map(value)).try_map(|text| T::from_word(&text).ok_or("no such word"))
}
