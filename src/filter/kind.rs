//! What fields hold.

/// What a field holds in every record that has it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum FieldKind {
    /// It is not known, or differs from record to record.
    Any,
    /// True or false.
    Bool,
    /// Integers or floats.
    Number,
    /// Text.
    Text,
    /// Times, compared by when they are.
    Time {
        /// A text of a time as the field writes it; `None` if it means no such time.
        canonical: fn(&str) -> Option<String>,
        /// Whether a text is the beginning of such a time's, and stands for the first time that begins so.
        begins: fn(&str) -> bool,
        /// A time, for messages.
        example: &'static str,
    },
    /// Spans of time, whose texts are in no order.
    Span {
        /// A text of a span as the field writes it; `None` if it means none.
        canonical: fn(&str) -> Option<String>,
        /// A span, for messages.
        example: &'static str,
    },
    /// Lists.
    List,
    /// What compares with nothing but null: bytes.
    Opaque,
    /// What has fields of its own, which compare.
    Object,
    /// Nothing: there is no such place in the field.
    Nowhere,
}

/// What is known of a field.
#[derive(Clone, Debug)]
pub struct KnownField {
    /// What it holds.
    pub kind: FieldKind,
    /// The field in words, such as `column "age" (u8)`.
    pub words: String,
}
