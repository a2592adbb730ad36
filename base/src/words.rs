//! Choices that a user makes by a word: one list of them for every host.
//!
//! ```
//! use forebay_base::words::Word;
//! #[derive(Clone, Copy, Debug, PartialEq)]
//! enum Side {
//!     Left,
//!     Right,
//! }
//! impl Word for Side {
//!     const ALL: &'static [Side] = &[Side::Left, Side::Right];
//!     fn word(self) -> &'static str {
//!         ["left", "right"][self as usize]
//!     }
//! }
//! assert_eq!(Side::from_word("right"), Some(Side::Right));
//! ```

/// One of a few choices, each with a word of its own that commands, bindings and documents share.
pub trait Word: Copy + 'static {
    /// Every choice, in the order in which a user sees them.
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
