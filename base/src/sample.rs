//! The words for a payload: its format, and its file's name.

use serde::{Serialize, Serializer};

/// The format of a payload. The numbers are those of TBL v2.
///
/// ```
/// # use forebay_base as forebay;
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
    #[doc(hidden)]
    pub const fn is_compressed(self) -> bool {
        matches!(self, Self::Jpeg | Self::Png | Self::WebP | Self::Mp4)
    }
}

impl Serialize for MediaFormat {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.name())
    }
}

/// Splits a name at the first dot of its last part; a dot in front is part of the stem.
///
/// ```
/// assert_eq!(forebay_base::sample::split("a.b/c.seg.png"), ("a.b/c", Some("seg.png")));
/// assert_eq!(forebay_base::sample::split(".jpg"), (".jpg", None));
/// assert_eq!(forebay_base::sample::split("é.jpg"), ("é", Some("jpg")));
/// ```
#[doc(hidden)]
pub fn split(name: &str) -> (&str, Option<&str>) {
    let base = name.rfind('/').map_or(0, |at| at + 1);
    // By bytes: the first character, which is never the separating dot, may have several.
    let dot = name.bytes().enumerate().skip(base + 1).find(|&(_, byte)| byte == b'.');
    match dot {
        Some((at, _)) => (&name[..at], Some(&name[at + 1..])),
        None => (name, None),
    }
}
