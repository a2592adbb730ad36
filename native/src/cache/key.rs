//! What a source is called in the cache.

use forebay::warehouse::Digest;

/// What a source's folder is called: half of the SHA-256 of its identity and length.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key(String);

impl Key {
    pub fn of(identity: &str, len: u64) -> Key {
        let mut digest = Digest::default();
        digest.add(format!("{len} {identity}").as_bytes());
        Key(digest.finish().chars().take(32).collect())
    }

    pub fn parse(name: &str) -> Option<Key> {
        let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        (name.len() == 32 && name.bytes().all(hex)).then(|| Key(name.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}
