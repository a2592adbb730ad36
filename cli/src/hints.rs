//! What was most likely meant by a mistake.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use forebay_native::input::PIPE;

/// What was most likely meant by arguments that are refused.
pub(crate) fn hint(e: &clap::Error) -> Option<String> {
    let text = |kind| match e.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    match e.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = text(ContextKind::InvalidSubcommand);
            let is_file = word == PIPE || word.contains(['.', '/', '*']) || std::path::Path::new(word).exists();
            is_file.then(|| format!("to look at a file: forebay inspect {word}"))
        }
        ErrorKind::UnknownArgument => {
            let word = text(ContextKind::InvalidArg);
            match word.strip_prefix('-')? {
                digits if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                    Some(format!("a number of samples or rows: -n {digits}"))
                }
                "i" | "-input" => {
                    Some("inputs are given without an option, as in: forebay convert train.tar train.tbl".to_owned())
                }
                _ => None,
            }
        }
        ErrorKind::ValueValidation if text(ContextKind::InvalidValue) == "all" => Some(
            "a number that is large enough shows all; forebay convert FILE - --to jsonl prints all of a table"
                .to_owned(),
        ),
        _ => None,
    }
}

/// What was most likely meant by the name of a file that is not there.
pub(crate) fn hint_by_file(name: &str) -> Option<String> {
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    match () {
        () if name.contains("://") => None,
        () if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(format!("a number of samples or rows: -n {name}"))
        }
        () if begins(&["www.", "http:", "https:", "http/", "https/"]) => {
            Some("an address begins with https://".to_owned())
        }
        () if begins(&["s3:", "gs:", "az:", "s3/", "gs/", "az/"]) => {
            Some(format!("an address begins with {}://", name.get(..2).unwrap_or_default()))
        }
        () => None,
    }
}
