//! How far a build is.

/// How far a build is.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Progress {
    /// Frames that were worked on.
    pub frames: u64,
    /// Frames that there are.
    pub total: u64,
    /// Bytes that were written.
    pub bytes: u64,
}
