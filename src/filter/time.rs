//! Times of tables, which are in order by when they are, whatever their unit and their text.

use std::{cmp::Ordering, fmt};

/// What a table knows of the times of one of its types, each of which is a number and the minutes of its zone.
#[derive(Debug)]
pub struct Times {
    /// Of what the time is one, and nanoseconds: only those of one kind are in an order.
    pub at: fn(i64, i16) -> (u8, i128),
    /// The time that a text is, or the first whose text begins so.
    pub first: fn(&str) -> Option<(i64, i16)>,
    /// The time as text.
    pub text: fn(i64, i16) -> String,
}

/// A time.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    number: i64,
    minutes: i16,
    of: &'static Times,
}

impl Time {
    /// One of these times.
    pub const fn new(number: i64, minutes: i16, of: &'static Times) -> Time {
        Time { number, minutes, of }
    }

    /// The order of two times; `None` if they are of different kinds.
    pub(super) fn order(self, other: Time) -> Option<Ordering> {
        let ((kind, at), (of, by)) =
            ((self.of.at)(self.number, self.minutes), (other.of.at)(other.number, other.minutes));
        (kind == of).then(|| at.cmp(&by))
    }

    /// The time of this type that a text is, or the first whose text begins so: a day is its midnight.
    pub(super) fn first(self, text: &str) -> Option<Time> {
        (self.of.first)(text).map(|(number, minutes)| Time::new(number, minutes, self.of))
    }
}

impl PartialEq for Time {
    fn eq(&self, other: &Time) -> bool {
        self.order(*other) == Some(Ordering::Equal)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&(self.of.text)(self.number, self.minutes))
    }
}
