//! The places that a walk passed over.

use crate::error::Error;

/// What a walk that goes on knows of the places that it passed over.
#[derive(Debug, Default)]
pub(super) struct Passing {
    /// How long the file is, if that is known: no header of it announces more.
    pub file_len: Option<u64>,
    /// What was passed over and not yet taken.
    pub passed: Vec<Error>,
    pub count: usize,
    pub lost: Option<Lost>,
}

/// A place that is being passed over.
#[derive(Debug)]
pub(super) struct Lost {
    pub from: u64,
    pub error: Error,
    /// The headers go on, only the name of the next member is not known.
    pub nameless: bool,
    /// What is damaged may have been such a name.
    pub names: bool,
    /// Zero blocks that follow each other up to here.
    pub zeros: u64,
}

impl Passing {
    /// Keeps what was passed over.
    pub fn record(&mut self, lost: &Lost, to: u64, next: &str) {
        let message = format!(
            "{}; the {} bytes from byte {} up to {next} were passed over",
            lost.error.message(),
            to.saturating_sub(lost.from),
            lost.from
        );
        let place = lost.error.place();
        let mut error = Error::new(lost.error.code(), message).section("header");
        error = error.offset(place.offset.unwrap_or(lost.from));
        if let Some(member) = &place.member {
            error = error.member(member.as_str());
        }
        self.passed.push(error);
    }
}
