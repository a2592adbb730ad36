//! Words of the libraries as values of options.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use forebay::words::Word;
use forebay_native::{
    loader::{LoaderSettings, Setting},
    parallel::MOST_THREADS,
};

/// Reads a number of threads that a system may grant.
pub(crate) fn threads(text: &str) -> Result<usize, String> {
    let threads: usize = text.parse().map_err(|_| "a number of threads is a whole number".to_owned())?;
    match threads {
        0 => Err("at least 1 thread is needed".to_owned()),
        1..=MOST_THREADS => Ok(threads),
        _ => Err(format!("no more than {MOST_THREADS} threads are used")),
    }
}

/// The help of an option that is a setting of the loader.
pub(crate) fn setting(name: &str) -> String {
    setting_of(name).map(Setting::help).unwrap_or_default()
}

/// All that is said of it.
pub(crate) fn whole_setting(name: &str) -> String {
    setting_of(name).map(Setting::meaning).unwrap_or_default()
}

/// A setting of the loader by its name.
pub(crate) fn setting_of(name: &str) -> Option<&'static Setting> {
    LoaderSettings::ALL.iter().find(|setting| setting.name.trim_start_matches("r#") == name)
}

/// Reads one of the words that there are.
pub(crate) fn word<T: Word + Send + Sync>() -> impl TypedValueParser<Value = T> {
    word_of(T::ALL)
}

/// Reads one of these words.
pub(crate) fn word_of<T: Word + Send + Sync>(choices: &[T]) -> impl TypedValueParser<Value = T> + use<T> {
    let value = |choice: &T| match choice.meaning() {
        "" => PossibleValue::new(choice.word()),
        meaning => PossibleValue::new(choice.word()).help(meaning),
    };
    PossibleValuesParser::new(choices.iter().map(value)).try_map(|text| T::from_word(&text).ok_or("no such word"))
}
