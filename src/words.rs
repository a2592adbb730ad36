//! Choices that a user makes by a word: one list of them for every host.
//!
//! ```
//! use forebay::{order::Tail, words::Word};
//! assert_eq!(Tail::from_word("pad"), Some(Tail::Pad));
//! assert_eq!(Tail::ALL.iter().map(|tail| tail.word()).collect::<Vec<_>>(), ["drop", "pad", "uneven"]);
//! ```

use crate::{
    order::Tail,
    tbf::Dialect,
    tbl::{Layout, MetadataFormat},
    text::OnBadRow,
};

/// One of a few choices, each with a word of its own that commands, bindings and documents share.
pub trait Word: Copy + 'static {
    /// Every choice, in the order in which a user is told of them.
    const ALL: &'static [Self];

    /// The word for it.
    fn word(self) -> &'static str;

    /// What it stands for where the word alone does not say; empty otherwise.
    fn meaning(self) -> &'static str {
        ""
    }

    /// The choice with this word.
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|choice| choice.word() == word)
    }
}

impl Word for Layout {
    const ALL: &'static [Self] = &[Layout::Guide, Layout::Turboloader];

    fn word(self) -> &'static str {
        self.name()
    }
}

impl Word for MetadataFormat {
    /// Those that are written; others are only told of.
    const ALL: &'static [Self] = &[MetadataFormat::Json, MetadataFormat::Protobuf, MetadataFormat::Msgpack];

    fn word(self) -> &'static str {
        self.name()
    }
}

impl Word for Dialect {
    /// Those that are written; others are only read.
    const ALL: &'static [Self] = &[Dialect::D, Dialect::T, Dialect::C];

    fn word(self) -> &'static str {
        match self {
            Dialect::T => "t",
            Dialect::U => "u",
            Dialect::C => "c",
            Dialect::S => "s",
            Dialect::L => "l",
            Dialect::D => "d",
        }
    }
}

impl Word for OnBadRow {
    const ALL: &'static [Self] = &[OnBadRow::Error, OnBadRow::Skip];

    fn word(self) -> &'static str {
        match self {
            OnBadRow::Error => "error",
            OnBadRow::Skip => "skip",
        }
    }
}

impl Word for Tail {
    const ALL: &'static [Self] = &[Tail::Drop, Tail::Pad, Tail::Uneven];

    fn word(self) -> &'static str {
        match self {
            Tail::Drop => "drop",
            Tail::Pad => "pad",
            Tail::Uneven => "uneven",
        }
    }
}
