//! One entry of the directory.

use super::codes;
use crate::{
    cursor::Cursor,
    error::{Error, Result},
};

const SIGNATURE: [u8; 4] = *b"PK\x01\x02";
/// The fixed part of a member's own header.
pub(super) const LOCAL_LEN: u64 = 30;

/// Bits of the flags.
pub(crate) const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
const UTF8: u16 = 1 << 11;

/// What is done with a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// It is read.
    File,
    Folder,
    Link,
    /// Its name says that nobody is to see it.
    Hidden,
}

/// What the directory says of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: String,
    pub what: What,
    /// Where the member's own header begins.
    pub header: u64,
    /// Bytes of the name as it is stored, which stands in that header too.
    pub name_len: u16,
    pub deflated: bool,
    pub crc: u32,
    pub stored: u64,
    pub size: u64,
}

impl Entry {
    /// Reads the next entry.
    pub fn read(c: &mut Cursor<'_>) -> Result<Entry> {
        let at = c.offset();
        let placed = |e: Error| e.section("directory").offset(at);
        if c.array()? != SIGNATURE {
            return Err(placed(Error::new(&codes::DIRECTORY, "an entry does not begin here")));
        }
        let (made_by, _needed, flags, method) = (c.u16()?, c.u16()?, c.u16()?, c.u16()?);
        let _time = c.u32()?;
        let (crc, stored, size) = (c.u32()?, c.u32()?, c.u32()?);
        let (name_len, extra, comment) = (c.u16()?, c.u16()?, c.u16()?);
        let (disk, _internal, external, header) = (c.u16()?, c.u16()?, c.u32()?, c.u32()?);
        let raw = c.take(name_len.into())?;
        let extra = c.take(extra.into())?;
        c.take(comment.into())?;
        let name = name_of(raw, flags & UTF8 != 0, made_by).map_err(placed)?;
        let wide = wide(extra, [size, stored, header], disk).ok_or_else(|| {
            placed(Error::new(&codes::DIRECTORY, "a size or place of ZIP64 is missing").member(name.as_str()))
        })?;
        let [size, stored, header] = wide;
        let what = what(&name, made_by, external);
        if what == What::File {
            if flags & ENCRYPTED != 0 {
                let message = "the member is encrypted; unpack the archive with its password first";
                return Err(placed(Error::new(&codes::ENCRYPTED, message).member(name)));
            }
            if !matches!(method, 0 | 8) {
                let message =
                    format!("the member is compressed with {}, and only deflate is read", method_name(method));
                return Err(placed(Error::new(&codes::UNSUPPORTED, message).member(name)));
            }
            if method == 0 && stored != size {
                let message = format!("the member is stored as it is, and said to become {size} of {stored} bytes");
                return Err(placed(Error::new(&codes::DIRECTORY, message).member(name)));
            }
        }
        Ok(Entry { name, what, header, name_len, deflated: method == 8, crc, stored, size })
    }

    /// Where the member ends at the earliest, if that is a place at all.
    pub fn least_end(&self) -> Option<u64> {
        self.header.checked_add(LOCAL_LEN)?.checked_add(self.name_len.into())?.checked_add(self.stored)
    }
}

/// Sizes and place with those of ZIP64 where 32 bits do not hold them; nothing if such a one is not there.
fn wide(extra: &[u8], narrow: [u32; 3], disk: u16) -> Option<[u64; 3]> {
    let mut found = narrow.map(u64::from);
    if !narrow.contains(&u32::MAX) {
        return (disk == 0).then_some(found);
    }
    let mut rest = extra;
    while let Some((head, behind)) = rest.split_first_chunk::<4>() {
        let (id, len) = (u16::from_le_bytes([head[0], head[1]]), u16::from_le_bytes([head[2], head[3]]));
        let body = behind.get(..len.into())?;
        rest = behind.get(len.into()..)?;
        if id != 1 {
            continue;
        }
        let mut numbers = body;
        for (found, narrow) in found.iter_mut().zip(narrow) {
            if narrow == u32::MAX {
                let (number, behind) = numbers.split_first_chunk::<8>()?;
                (*found, numbers) = (u64::from_le_bytes(*number), behind);
            }
        }
        return Some(found);
    }
    None
}

/// The name as text: UTF-8 if the entry says so or if it is that anyway, the old code page otherwise.
fn name_of(raw: &[u8], is_utf8: bool, made_by: u16) -> Result<String> {
    let name = match std::str::from_utf8(raw) {
        Ok(name) => name.to_owned(),
        Err(_) if is_utf8 => {
            let message = format!("the name \"{}\" is not UTF-8", raw.escape_ascii());
            return Err(Error::new(&codes::NAME, message).member(String::from_utf8_lossy(raw)));
        }
        Err(_) => raw.iter().map(|&byte| old_letter(byte)).collect(),
    };
    if name.contains('\0') {
        return Err(Error::new(&codes::NAME, "the name has a NUL").member(name.replace('\0', "?")));
    }
    // Programs of Windows that wrote its own separator: such a name means the same folders.
    let windows = matches!(made_by >> 8, 0 | 10 | 11 | 14) && !name.contains('/');
    Ok(if windows { name.replace('\\', "/") } else { name })
}

/// Code page 437, which names are in that do not say otherwise.
fn old_letter(byte: u8) -> char {
    const UPPER: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";
    match byte.checked_sub(128) {
        Some(place) => UPPER.chars().nth(place.into()).unwrap_or(char::REPLACEMENT_CHARACTER),
        None => byte.into(),
    }
}

/// Whether a part of a name hides what has it: `.` and `..`, which some programs put in front, are places and hide nothing.
fn is_hidden(part: &str) -> bool {
    part.starts_with('.') && part != "." && part != ".."
}

fn what(name: &str, made_by: u16, external: u32) -> What {
    // What Unix calls the kind of a file stands in the upper half.
    let kind = if made_by >> 8 == 3 { external >> 16 & 0o17_0000 } else { 0 };
    match kind {
        _ if name.ends_with('/') || name.is_empty() => What::Folder,
        0o12_0000 => What::Link,
        0o04_0000 => What::Folder,
        _ if name.starts_with("__MACOSX/") || name.split('/').any(is_hidden) => What::Hidden,
        _ => What::File,
    }
}

fn method_name(method: u16) -> String {
    let known = match method {
        9 => "deflate64",
        12 => "bzip2",
        14 => "LZMA",
        93 | 20 => "Zstandard",
        95 => "xz",
        96 => "a JPEG variant",
        98 => "PPMd",
        99 => "AES encryption",
        other => return format!("method {other}"),
    };
    known.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_names_are_read_in_their_code_page() {
        assert_eq!(name_of(b"K\x81he/\x94l.jpg", false, 0).unwrap(), "Kühe/öl.jpg");
        assert_eq!(name_of("Kühe.jpg".as_bytes(), false, 0).unwrap(), "Kühe.jpg");
        assert_eq!(name_of(b"K\x81he", true, 0).unwrap_err().code().id(), "zip.name");
        assert_eq!(name_of(b"a\0b", true, 0).unwrap_err().code().id(), "zip.name");
        assert_eq!(name_of(b"train\\cats\\1.jpg", false, 0).unwrap(), "train/cats/1.jpg");
        assert_eq!(name_of(b"train\\cats\\1.jpg", false, 3 << 8).unwrap(), "train\\cats\\1.jpg");
        assert_eq!(old_letter(255), '\u{a0}');
    }

    #[test]
    fn sizes_of_zip64_are_taken_in_their_order_and_not_made_up() {
        let extra = |numbers: &[u64]| {
            let mut out = vec![9, 9, 2, 0, 7, 7, 1, 0, (numbers.len() * 8) as u8, 0];
            numbers.iter().for_each(|n| out.extend(n.to_le_bytes()));
            out
        };
        assert_eq!(wide(&extra(&[]), [1, 2, 3], 0), Some([1, 2, 3]));
        assert_eq!(wide(&extra(&[1 << 33]), [u32::MAX, 2, 3], 0), Some([1 << 33, 2, 3]));
        assert_eq!(wide(&extra(&[5, 1 << 40]), [u32::MAX, 2, u32::MAX], 0), Some([5, 2, 1 << 40]));
        assert_eq!(wide(&extra(&[5]), [u32::MAX, 2, u32::MAX], 0), None);
        assert_eq!(wide(&[], [u32::MAX, 2, 3], 0), None);
        assert_eq!(wide(&[1, 0, 99, 0, 1], [u32::MAX, 2, 3], 0), None);
    }

    #[test]
    fn what_nobody_is_to_see_is_left_out() {
        let unix = 3 << 8;
        assert_eq!(what("a/", 0, 0), What::Folder);
        assert_eq!(what("a/b.jpg", unix, 0o10_0644 << 16), What::File);
        assert_eq!(what("a/b.jpg", unix, 0o12_0777 << 16), What::Link);
        assert_eq!(what("__MACOSX/a/._b.jpg", unix, 0), What::Hidden);
        assert_eq!(what("a/.DS_Store", unix, 0), What::Hidden);
        assert_eq!(what("./.DS_Store", unix, 0), What::Hidden);
        for name in ["./1.jpg", "../1.jpg", "a/./b.jpg", "a/../b.jpg"] {
            assert_eq!(what(name, unix, 0), What::File, "{name}");
        }
    }
}
