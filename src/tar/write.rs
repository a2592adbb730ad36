//! The bytes of an archive around its payloads.
//!
//! What is written is the same for the same names and sizes: mode 0644, owner 0, time 0. It is plain ustar wherever
//! that can hold the name and the size, and otherwise ustar with a PAX header in front, as POSIX has it.

use ::tar::{EntryType, Header};

use super::raw::{BLOCK, padding_of};
use crate::error::{Error, Result, codes};

/// The two zero blocks that close an archive. They are all that POSIX asks for; filling a tape record of 10,240
/// bytes, as other programs do, gains nothing in a file and is not done.
pub const END: [u8; 2 * BLOCK] = [0; 2 * BLOCK];

/// What eleven octal digits hold.
const USTAR_SIZE: u64 = 0o777_7777_7777;

/// How many zeros follow a payload of `size` bytes.
pub const fn padding(size: u64) -> usize {
    padding_of(size) as usize
}

/// All blocks that stand before the payload of a regular file: one, or three and more where the name does not
/// fit ustar or is not ASCII, or if the size needs more than 33 bits.
///
/// A name with a NUL has no place in an archive, and a name that ends with a slash would be a folder: both are
/// the caller's mistake.
pub fn header_for(name: &str, size: u64) -> Result<Vec<u8>> {
    if name.contains('\0') || name.ends_with('/') {
        return Err(Error::new(&codes::ARGUMENT, format!("no file of an archive can have the name {name:?}")));
    }
    let fields = if name.is_ascii() { split(name.as_bytes()) } else { None };
    let mut records = Vec::new();
    if fields.is_none() {
        record(&mut records, "path", name);
    }
    if size > USTAR_SIZE {
        record(&mut records, "size", &size.to_string());
    }
    let mut out = Vec::with_capacity(BLOCK);
    if !records.is_empty() {
        let body = records.len() as u64;
        out.extend_from_slice(block(b"", b"PaxHeaders/member", body, EntryType::XHeader).as_bytes());
        out.extend_from_slice(&records);
        out.resize(out.len() + padding(body), 0);
    }
    // Without a fitting name, what fits of it still helps a program that knows no PAX.
    let (prefix, short) = fields.unwrap_or((b"", &name.as_bytes()[..name.floor_char_boundary(100)]));
    out.extend_from_slice(block(prefix, short, size, EntryType::Regular).as_bytes());
    Ok(out)
}

/// Prefix and name as ustar holds them: 155 and 100 bytes, parted at a slash.
fn split(name: &[u8]) -> Option<(&[u8], &[u8])> {
    if name.len() <= 100 {
        return Some((b"", name));
    }
    let slash = (name.len() - 101..name.len().min(156)).find(|&i| name[i] == b'/')?;
    let (prefix, rest) = (&name[..slash], &name[slash + 1..]);
    (!prefix.is_empty() && !rest.is_empty()).then_some((prefix, rest))
}

fn block(prefix: &[u8], name: &[u8], size: u64, kind: EntryType) -> Header {
    let mut header = Header::new_ustar();
    // The names are copied as they are: `set_path` would tidy them.
    if let Some(ustar) = header.as_ustar_mut() {
        copy(&mut ustar.prefix, prefix);
        copy(&mut ustar.name, name);
    }
    header.set_entry_type(kind);
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(size);
    header.set_cksum();
    header
}

fn copy(field: &mut [u8], bytes: &[u8]) {
    for (to, from) in field.iter_mut().zip(bytes) {
        *to = *from;
    }
}

/// `LENGTH KEY=VALUE\n`, the length with its own digits.
fn record(out: &mut Vec<u8>, key: &str, value: &str) {
    let without_length = key.len() + value.len() + 3;
    let mut length = without_length + 1;
    while length != without_length + length.to_string().len() {
        length = without_length + length.to_string().len();
    }
    out.extend_from_slice(format!("{length} {key}={value}\n").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_a_record_counts_itself() {
        for n in (0..120).chain(980..1020) {
            let mut out = Vec::new();
            record(&mut out, "path", &"x".repeat(n));
            let text = String::from_utf8(out).unwrap();
            assert_eq!(text.split(' ').next().unwrap().parse::<usize>().unwrap(), text.len());
        }
    }

    #[test]
    fn a_name_is_parted_only_where_both_parts_fit() {
        let long = |a: usize, b: usize| [vec![b'a'; a], vec![b'/'], vec![b'b'; b]].concat();
        assert_eq!(split(&long(155, 100)).unwrap().0.len(), 155);
        assert_eq!(split(&long(1, 100)).unwrap().1.len(), 100);
        assert_eq!(split(&long(156, 50)), None);
        assert_eq!(split(&long(50, 101)), None);
        assert_eq!(split(&long(0, 100)), None);
        assert_eq!(split(&[b'a'; 100]).unwrap().1.len(), 100);
        assert_eq!(split(&[b'a'; 101]), None);
        assert_eq!(split(&[b'/'; 300]), None);
    }
}
