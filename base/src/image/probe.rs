//! Format, width and height of a payload from its bytes, without decoding a pixel.
//!
//! [`probe`] never fails and never panics: what it does not recognize is
//! [`Unknown`](MediaFormat::Unknown), and a size that the bytes do not give is 0. It reads a few dozen bytes
//! of a slice that may be a whole mapped file, in bounded time, however hostile the bytes.
//!
//! The size is that of the stored pixels: an EXIF orientation turns the picture for the eye, not the pixels
//! that a decoder gives, so it is ignored here. Only a TIFF's own field of this name counts: it says how the pixels
//! are stored, and the decoder follows it.
//!
//! The parsers are Forebay's own because the crate `imagesize` (0.15), which the tests use as a second
//! opinion, gives wrong or no answers that a dataset meets: top-down bitmaps come out 4 billion high and OS/2
//! bitmaps as nonsense, JPEG markers behind fill bytes or without a length stop it, scaled VP8 frames come out
//! too wide, one private TIFF field type makes a whole file unreadable, Apple's PNGs have their size
//! elsewhere; and it answers for forty other formats, some of them recognized by two bytes.
//!
//! ```
//! # use forebay_base as forebay;
//! use forebay::{image::{format_of, probe}, sample::MediaFormat};
//! let bmp = b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x03\0\0\0\xfe\xff\xff\xff";
//! let p = probe(bmp);
//! assert_eq!((p.format, p.width, p.height), (MediaFormat::Bmp, 3, 2)); // -2 lines: top line first
//! assert_eq!(format_of("cat.png", bmp), MediaFormat::Bmp);
//! assert_eq!(format_of("cat.png", b"?"), MediaFormat::Png);
//! ```

use crate::sample::MediaFormat;

/// How many first bytes of a payload normally give its size, for hosts that must choose a range: all of PNG,
/// WebP and BMP need at most 37, a JPEG needs what stands before its frame header, which is 200 to 700 bytes
/// plus its EXIF block, color profile and thumbnail (rarely over 48 KiB). A TIFF may keep its directory at
/// the end, so some need the whole payload.
pub const HEAD_BYTES: usize = 64 << 10;

/// JPEG segments or TIFF fields looked at before giving up: files made by programs have at most a few hundred.
const MOST_PARTS: usize = 4096;

/// The description of a payload by its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Probe {
    /// The format by content.
    pub format: MediaFormat,
    /// Pixels across as stored; 0 when not known. Known only together with `height`.
    pub width: u32,
    /// Pixels down as stored; 0 when not known.
    pub height: u32,
}

#[doc(hidden)]
impl Probe {
    /// What somebody else knows of a payload.
    #[doc(hidden)]
    pub fn of(format: MediaFormat, width: u32, height: u32) -> Probe {
        Probe { format, width, height }
    }

    /// Bytes that the picture has as 8-bit RGB: what decoding it takes at least. 0 if the size is not known.
    ///
    /// ```
    /// # use forebay_base as forebay;
    /// let bmp = b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x03\0\0\0\xfe\xff\xff\xff";
    /// assert_eq!(forebay::image::probe(bmp).pixel_bytes(), 3 * 2 * 3);
    /// ```
    #[doc(hidden)]
    pub fn pixel_bytes(&self) -> u64 {
        (u64::from(self.width) * u64::from(self.height)).saturating_mul(3)
    }

    /// Whether the size may stand behind the bytes that were looked at: a picture's kind is known and its size is
    /// not. Where those were only the first [`HEAD_BYTES`], the whole payload is worth a look.
    #[doc(hidden)]
    pub fn is_undecided(&self) -> bool {
        let picture = !matches!(self.format, MediaFormat::Unknown | MediaFormat::Mp4 | MediaFormat::Avi);
        picture && self.width == 0
    }
}

/// Looks at the first bytes of a payload (all of it, or at least [`HEAD_BYTES`], if they are in memory).
pub fn probe(head: &[u8]) -> Probe {
    let format = by_content(head);
    let size = match format {
        MediaFormat::Jpeg => jpeg(head),
        MediaFormat::Png => png(head),
        MediaFormat::WebP => webp(head),
        MediaFormat::Bmp => bmp(head),
        MediaFormat::Tiff => tiff(head),
        _ => None,
    };
    let (width, height) = size.filter(|&(w, h)| w > 0 && h > 0).unwrap_or_default();
    Probe { format, width, height }
}

/// As [`probe`], for a file with a name: where the content does not tell the format, its extension does.
pub fn probe_named(name: &str, head: &[u8]) -> Probe {
    Probe { format: format_of(name, head), ..probe(head) }
}

/// The format by content; if the content says nothing, by the name's extension.
pub fn format_of(name: &str, head: &[u8]) -> MediaFormat {
    match by_content(head) {
        MediaFormat::Unknown => MediaFormat::from_name(name),
        known => known,
    }
}

/// The format that the first bytes announce. A magic of two bytes ("BM") is not believed alone.
fn by_content(head: &[u8]) -> MediaFormat {
    match head {
        [0xFF, 0xD8, 0xFF, ..] => MediaFormat::Jpeg,
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => MediaFormat::Png,
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => MediaFormat::WebP,
        [b'R', b'I', b'F', b'F', _, _, _, _, b'A', b'V', b'I', b' ' | b'X', ..] => MediaFormat::Avi,
        [b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..] => MediaFormat::Tiff,
        [_, _, _, _, b'f', b't', b'y', b'p', b0, b1, b2, b3, ..] if !is_still([*b0, *b1, *b2, *b3]) => MediaFormat::Mp4,
        [b'B', b'M', ..] if bmp_header(head).is_some() => MediaFormat::Bmp,
        _ => MediaFormat::Unknown,
    }
}

/// Brands of ISO base media files that hold pictures (HEIF, AVIF, Canon raw), not video.
fn is_still(brand: [u8; 4]) -> bool {
    matches!(
        &brand,
        b"heic"
            | b"heix"
            | b"heim"
            | b"heis"
            | b"hevc"
            | b"hevx"
            | b"mif1"
            | b"mif2"
            | b"msf1"
            | b"avif"
            | b"avis"
            | b"crx "
            | b"jp2 "
            | b"jxl "
    )
}

fn bytes<const N: usize>(data: &[u8], at: usize) -> Option<[u8; N]> {
    data.get(at..)?.first_chunk().copied()
}

fn be16(data: &[u8], at: usize) -> Option<u32> {
    bytes(data, at).map(|b| u32::from(u16::from_be_bytes(b)))
}

fn le16(data: &[u8], at: usize) -> Option<u32> {
    bytes(data, at).map(|b| u32::from(u16::from_le_bytes(b)))
}

/// A height of 0 is announced after the first scan, if at all: it counts as not known.
fn jpeg(data: &[u8]) -> Option<(u32, u32)> {
    segments(data, |marker, at| match marker {
        // The end or the first scan: no frame header came.
        0xD9 | 0xDA => Some(None),
        _ if is_frame(marker) => Some(be16(data, at + 5).zip(be16(data, at + 3))),
        _ => None,
    })?
}

/// SOF0 to SOF15; C4, C8 and CC are tables.
fn is_frame(marker: u8) -> bool {
    matches!(marker, 0xC0..=0xCF) && !matches!(marker, 0xC4 | 0xC8 | 0xCC)
}

/// Whether a JPEG comes in several scans, so that a decoder has to keep what it reads of all the picture.
pub fn jpeg_in_scans(data: &[u8]) -> bool {
    let mut components = None;
    let found = segments(data, |marker, at| match marker {
        0xD9 => Some(false),
        // The first scan has all of the frame's components, or others follow.
        0xDA => Some(components.is_some() && components != data.get(at + 2).copied()),
        0xC2 | 0xC6 | 0xCA | 0xCE => Some(true),
        _ if is_frame(marker) => {
            components = data.get(at + 7).copied();
            None
        }
        _ => None,
    });
    found.unwrap_or(false)
}

/// Walks the segments of a JPEG, each by its marker and where its length stands, until `look` has an answer.
fn segments<T>(data: &[u8], mut look: impl FnMut(u8, usize) -> Option<T>) -> Option<T> {
    let mut at = 2;
    for _ in 0..MOST_PARTS {
        if *data.get(at)? != 0xFF {
            return None;
        }
        // Any number of fill bytes may stand before a marker's code.
        let fill = data[at..].iter().take(MOST_PARTS).position(|&b| b != 0xFF)?;
        at += fill;
        let marker = *data.get(at)?;
        at += 1;
        match marker {
            // No length follows: TEM, restarts and a repeated start of image.
            0x01 | 0xD0..=0xD8 => {}
            // A stuffed zero.
            0x00 => return None,
            _ => {
                if let Some(answer) = look(marker, at) {
                    return Some(answer);
                }
                let length = be16(data, at)?;
                if length < 2 {
                    return None;
                }
                at += length as usize;
            }
        }
    }
    None
}

/// The size stands in `IHDR`, the first chunk but for Apple's `CgBI`.
fn png(data: &[u8]) -> Option<(u32, u32)> {
    let ihdr = if &bytes::<4>(data, 12)? == b"CgBI" { 24 } else { 8 };
    if &bytes::<4>(data, ihdr + 4)? != b"IHDR" {
        return None;
    }
    let width = u32::from_be_bytes(bytes(data, ihdr + 8)?);
    let height = u32::from_be_bytes(bytes(data, ihdr + 12)?);
    (width <= i32::MAX as u32 && height <= i32::MAX as u32).then_some((width, height))
}

fn webp(data: &[u8]) -> Option<(u32, u32)> {
    match &bytes::<4>(data, 12)? {
        // A key frame's start code, then 14 bits of size and 2 of upscaling, each way.
        b"VP8 " => {
            let [tag, _, _, 0x9D, 0x01, 0x2A] = bytes::<6>(data, 20)? else { return None };
            let size = (le16(data, 26)? & 0x3FFF, le16(data, 28)? & 0x3FFF);
            (tag & 1 == 0).then_some(size)
        }
        b"VP8L" => {
            let [0x2F, bits @ ..] = bytes::<5>(data, 20)? else { return None };
            let bits = u32::from_le_bytes(bits);
            Some(((bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1))
        }
        b"VP8X" => {
            let [w0, w1, w2, h0, h1, h2] = bytes::<6>(data, 24)?;
            Some((u32::from_le_bytes([w0, w1, w2, 0]) + 1, u32::from_le_bytes([h0, h1, h2, 0]) + 1))
        }
        _ => None,
    }
}

/// The length of the second header, when it is one that exists: 12 is OS/2's, the rest begin like Windows'.
fn bmp_header(data: &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(bytes(data, 14)?)).filter(|n| matches!(n, 12 | 16..=124))
}

fn bmp(data: &[u8]) -> Option<(u32, u32)> {
    if bmp_header(data)? == 12 {
        return Some((le16(data, 18)?, le16(data, 20)?));
    }
    let width = u32::try_from(i32::from_le_bytes(bytes(data, 18)?)).ok()?;
    // Negative: the top line comes first.
    Some((width, i32::from_le_bytes(bytes(data, 22)?).unsigned_abs()))
}

/// The field that says how stored pixels are turned.
pub const ORIENTATION: u64 = 274;

fn tiff(data: &[u8]) -> Option<(u32, u32)> {
    let [width, height, orientation] = tiff_values(data, [256, 257, ORIENTATION]);
    Some(if matches!(orientation, Some(5..=8)) { (height?, width?) } else { (width?, height?) })
}

/// The first value of one field in the first directory of a TIFF, such as the one inside an EXIF block.
pub fn tiff_value(data: &[u8], tag: u64) -> Option<u32> {
    tiff_values(data, [tag])[0]
}

/// How many values the fields of the first directory claim to have, all together.
pub fn tiff_claims(data: &[u8]) -> u64 {
    let t = Tiff::new(data);
    let Some(directory) = t.directory() else { return 0 };
    let count = |at: usize| t.uint(at.checked_add(4)?, directory.count_bytes);
    directory.fields(usize::MAX).map_while(count).fold(0, u64::saturating_add)
}

/// Looks for fields in the first directory of a TIFF or BigTIFF; later ones are other pages, so no chain is
/// followed. Ends early, with what was found, if the bytes end.
fn tiff_values<const N: usize>(data: &[u8], tags: [u64; N]) -> [Option<u32>; N] {
    let mut values = [None; N];
    let t = Tiff::new(data);
    let Some(directory) = t.directory() else { return values };
    for at in directory.fields(MOST_PARTS) {
        let Some(tag) = t.uint(at, 2) else { break };
        if let Some(i) = tags.iter().position(|&wanted| wanted == tag) {
            values[i] = t.value(at, &directory);
            if values.iter().all(Option::is_some) {
                break;
            }
        }
    }
    values
}

struct Tiff<'a> {
    data: &'a [u8],
    little: bool,
}

/// Where a TIFF's fields lie.
struct Directory {
    first: usize,
    fields: u64,
    /// Bytes of a field.
    stride: usize,
    /// Bytes of a field's count of values; the value follows it.
    count_bytes: usize,
}

impl Directory {
    /// Where each field begins, as far as they are claimed.
    fn fields(&self, most: usize) -> impl Iterator<Item = usize> {
        let fields = usize::try_from(self.fields).unwrap_or(usize::MAX).min(most);
        (0..fields).map_while(|i| self.first.checked_add(i.checked_mul(self.stride)?))
    }
}

impl<'a> Tiff<'a> {
    fn new(data: &'a [u8]) -> Self {
        Tiff { data, little: data.first() == Some(&b'I') }
    }

    /// The first directory.
    fn directory(&self) -> Option<Directory> {
        let big = self.uint(2, 2)? == 43;
        if big && self.uint(4, 4)? != if self.little { 8 } else { 8 << 16 } {
            return None;
        }
        let (at, fields_bytes, stride, count_bytes) =
            if big { (self.uint(8, 8)?, 8, 20, 8) } else { (self.uint(4, 4)?, 2, 12, 4) };
        let at = usize::try_from(at).ok()?;
        let first = at.checked_add(fields_bytes)?;
        Some(Directory { first, fields: self.uint(at, fields_bytes)?, stride, count_bytes })
    }

    /// An unsigned number of 1 to 8 bytes.
    fn uint(&self, at: usize, size: usize) -> Option<u64> {
        let field = self.data.get(at..at.checked_add(size)?)?;
        let join = |n: u64, b: &u8| n << 8 | u64::from(*b);
        Some(if self.little { field.iter().rev().fold(0, join) } else { field.iter().fold(0, join) })
    }

    /// The first value of a field that holds whole numbers: BYTE, SHORT, LONG or LONG8.
    fn value(&self, field: usize, directory: &Directory) -> Option<u32> {
        let size = match self.uint(field + 2, 2)? {
            1 => 1,
            3 => 2,
            4 => 4,
            16 if directory.count_bytes == 8 => 8,
            _ => return None,
        };
        let (count, at) = (self.uint(field + 4, directory.count_bytes)?, field + 4 + directory.count_bytes);
        // Several that do not fit lie elsewhere.
        let at = match count.saturating_mul(size as u64) > directory.count_bytes as u64 {
            true => usize::try_from(self.uint(at, directory.count_bytes)?).ok()?,
            false => at,
        };
        u32::try_from(self.uint(at, size)?).ok()
    }
}
