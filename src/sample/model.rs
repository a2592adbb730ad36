//! The words that all image containers share: what a payload is, and what is known about a sample.

use std::ops::Range;

use serde::{Serialize, Serializer};

use crate::codec::Codec;

/// The format of a payload. The numbers are those of TBL v2.
///
/// ```
/// use forebay::sample::MediaFormat;
/// let png = MediaFormat::from_name("cats/7.PNG");
/// assert_eq!((png, png.mime(), png.extension()), (MediaFormat::Png, "image/png", "png"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename_all = "lowercase"))]
#[repr(u8)]
#[non_exhaustive]
pub enum MediaFormat {
    /// Not known.
    #[default]
    Unknown = 0,
    /// JPEG.
    Jpeg = 1,
    /// PNG.
    Png = 2,
    /// WebP.
    WebP = 3,
    /// Windows bitmap.
    Bmp = 4,
    /// TIFF.
    Tiff = 5,
    /// MP4 video.
    Mp4 = 6,
    /// AVI video.
    Avi = 7,
    /// Raw RGB, height × width × 3 bytes.
    #[cfg_attr(feature = "schema", schemars(rename = "raw_u8"))]
    RawU8 = 8,
}

impl MediaFormat {
    /// Every format, in the order of their numbers.
    pub const ALL: [MediaFormat; 9] =
        [Self::Unknown, Self::Jpeg, Self::Png, Self::WebP, Self::Bmp, Self::Tiff, Self::Mp4, Self::Avi, Self::RawU8];

    /// The format with this number in TBL v2.
    #[doc(hidden)]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
    /// The number in TBL v2.
    #[doc(hidden)]
    pub const fn code(self) -> u8 {
        self as u8
    }
    /// The word used in reports and filters.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Jpeg => "jpeg",
            Self::Png => "png",
            Self::WebP => "webp",
            Self::Bmp => "bmp",
            Self::Tiff => "tiff",
            Self::Mp4 => "mp4",
            Self::Avi => "avi",
            Self::RawU8 => "raw_u8",
        }
    }
    /// The file extension to write, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Unknown => "bin",
            Self::Jpeg => "jpg",
            Self::RawU8 => "rgb",
            other => other.name(),
        }
    }
    /// The media type for a browser.
    pub const fn mime(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::WebP => "image/webp",
            Self::Bmp => "image/bmp",
            Self::Tiff => "image/tiff",
            Self::Mp4 => "video/mp4",
            Self::Avi => "video/x-msvideo",
            Self::Unknown | Self::RawU8 => "application/octet-stream",
        }
    }
    /// The format that a file name's last extension suggests.
    pub fn from_name(name: &str) -> Self {
        let extension = name.rsplit_once('.').map_or("", |(_, e)| e);
        match extension.to_ascii_lowercase().as_str() {
            "jpg" | "jpeg" | "jpe" | "jfif" => Self::Jpeg,
            "png" => Self::Png,
            "webp" => Self::WebP,
            "bmp" => Self::Bmp,
            "tif" | "tiff" => Self::Tiff,
            "mp4" => Self::Mp4,
            "avi" => Self::Avi,
            _ => Self::Unknown,
        }
    }
    /// True where general compression gains nothing, so that it need not be tried.
    pub(crate) const fn is_compressed(self) -> bool {
        matches!(self, Self::Jpeg | Self::Png | Self::WebP | Self::Mp4)
    }
}

impl Serialize for MediaFormat {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.name())
    }
}

/// The index entry of one sample.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SampleInfo {
    /// The sample's number.
    pub index: u64,
    /// The format of the payload.
    pub format: MediaFormat,
    /// Pixels across; 0 when not known.
    pub width: u32,
    /// Pixels down; 0 when not known.
    pub height: u32,
    /// Bytes of the payload once decompressed.
    pub bytes: u64,
    /// Bytes of the payload in the file.
    pub stored_bytes: u64,
    /// Where the payload begins in the file.
    pub offset: u64,
    /// How the payload is stored.
    pub codec: Codec,
}

impl SampleInfo {
    /// A sample of which only this is known; the caller fills in the rest.
    #[doc(hidden)]
    pub fn new(index: u64, format: MediaFormat) -> Self {
        SampleInfo { index, format, width: 0, height: 0, bytes: 0, stored_bytes: 0, offset: 0, codec: Codec::None }
    }

    /// Of a payload that lies as it is, and whose pixels nobody has looked at yet.
    #[doc(hidden)]
    pub const fn unread(index: u64, offset: u64, bytes: u64, format: MediaFormat) -> Self {
        SampleInfo { index, format, width: 0, height: 0, bytes, stored_bytes: bytes, offset, codec: Codec::None }
    }

    /// Where the stored payload lies in the file.
    pub fn range(&self) -> Range<u64> {
        self.offset..self.offset.saturating_add(self.stored_bytes)
    }
}
