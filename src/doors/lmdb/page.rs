//! Pages and what is in them.

use crate::{
    doors::codes,
    error::{Error, Result},
};

/// Bytes in front of what a page holds.
pub(super) const HEADER: usize = 16;
/// Bytes of a page that say where the tree is.
pub(super) const META: usize = 16 + 136;
/// No page.
const NONE: u64 = u64::MAX;
const MAGIC: u32 = 0xbeef_c0de;

const BRANCH: u16 = 1;
const LEAF: u16 = 2;
const LEAF2: u16 = 0x20;

/// The value has pages of its own.
const BIG: u16 = 1;
/// The value is the head of a database.
pub(super) const DATABASE: u16 = 2;
/// The key has several values.
const DUPLICATES: u16 = 4;

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}
fn int(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}
fn long(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// Where the tree of a database is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    pub flags: u16,
    pub entries: u64,
    pub root: Option<u64>,
}

impl Tree {
    /// Of the 48 bytes at that place.
    pub fn read(bytes: &[u8], at: usize) -> Option<Tree> {
        let root = long(bytes, at + 40)?;
        let root = (root != NONE).then_some(root);
        Some(Tree { flags: short(bytes, at + 4)?, entries: long(bytes, at + 32)?, root })
    }
}

/// A page that says where the tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meta {
    pub page_size: u32,
    pub tree: Tree,
    pub last_page: u64,
    pub transaction: u64,
}

impl Meta {
    /// Of the first bytes of such a page.
    pub fn read(bytes: &[u8]) -> Result<Meta> {
        let damaged = || Error::new(&codes::LMDB_META, "there is no head of a database where one has to be");
        if int(bytes, 16).ok_or_else(damaged)? != MAGIC {
            return Err(damaged());
        }
        let version = int(bytes, 20).ok_or_else(damaged)?;
        if version != 1 {
            let message = format!(
                "the database has version {version} of its format, and only that of LMDB 0.9, which is 1, is read; write it \
                 anew with the program that wrote it: mdb_dump of its version, and mdb_load of LMDB 0.9"
            );
            return Err(Error::new(&codes::LMDB_VERSION, message));
        }
        let tree = || {
            let page_size = int(bytes, 40)?;
            Some(Meta {
                page_size,
                tree: Tree::read(bytes, 88)?,
                last_page: long(bytes, 136)?,
                transaction: long(bytes, 144)?,
            })
        };
        let meta = tree().ok_or_else(damaged)?;
        if !meta.page_size.is_power_of_two() || !(512..=65536).contains(&meta.page_size) {
            let message = format!("{} bytes is not a size for pages", meta.page_size);
            return Err(Error::new(&codes::LMDB_META, message));
        }
        Ok(meta)
    }
}

/// An entry of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// Bytes, from this place of the page on.
    Here { at: usize, len: usize },
    /// Bytes after the head of this page.
    Pages { page: u64, len: usize },
    /// A database.
    Database(Tree),
}

/// A page of a tree.
#[derive(Debug)]
pub(super) enum Page<'a> {
    /// Other pages, in the order of their keys.
    Branch(Vec<u64>),
    /// Keys and values.
    Leaf(Vec<(&'a [u8], Value)>),
}

/// Reads page `number`.
pub(super) fn read(bytes: &[u8], number: u64) -> Result<Page<'_>> {
    let wrong = |message: &str| Error::new(&codes::LMDB_PAGE, format!("page {number}: {message}"));
    let head = || Some((long(bytes, 0)?, short(bytes, 10)?, usize::from(short(bytes, 12)?)));
    let (own, flags, lower) = head().ok_or_else(|| wrong("the file ends inside the page"))?;
    if own != number {
        return Err(wrong(&format!("the page says that it is {own}")));
    }
    if flags & LEAF2 != 0 {
        return Err(duplicates());
    }
    let count = lower.checked_sub(HEADER).filter(|_| lower <= bytes.len()).map(|bytes| bytes / 2);
    let count = count.ok_or_else(|| wrong("the list of its entries ends before its beginning, or after the page"))?;
    let nodes = (0..count).map(|k| short(bytes, HEADER + 2 * k).map(usize::from).filter(|&at| at >= lower));
    let node = |at: Option<usize>| {
        let at = at?;
        let (lo, hi) = (u64::from(short(bytes, at)?), u64::from(short(bytes, at + 2)?));
        let (flags, key_len) = (short(bytes, at + 4)?, usize::from(short(bytes, at + 6)?));
        let key = bytes.get(at + 8..)?.get(..key_len)?;
        Some((lo | hi << 16, flags, key, at + 8 + key_len))
    };
    let out = || wrong("an entry lies outside of the page");
    match flags & (BRANCH | LEAF) {
        BRANCH => {
            let child = |at| node(at).map(|(low, high, ..)| low | u64::from(high) << 32).ok_or_else(out);
            nodes.map(child).collect::<Result<_>>().map(Page::Branch)
        }
        LEAF => {
            let mut entries = Vec::with_capacity(count);
            for at in nodes {
                let (len, flags, key, at) = node(at).ok_or_else(out)?;
                let len = usize::try_from(len).map_err(|_| out())?;
                let value = match flags {
                    0 => bytes.get(at..).and_then(|rest| rest.get(..len)).map(|_| Value::Here { at, len }),
                    BIG => long(bytes, at).map(|page| Value::Pages { page, len }),
                    DATABASE => Tree::read(bytes, at).filter(|_| len == 48).map(Value::Database),
                    flags if flags & DUPLICATES != 0 => return Err(duplicates()),
                    other => return Err(wrong(&format!("an entry has the flags {other:#x}, which are not known"))),
                };
                entries.push((key, value.ok_or_else(out)?));
            }
            Ok(Page::Leaf(entries))
        }
        _ => Err(wrong("the page is no part of a tree")),
    }
}

/// Several values of a key.
fn duplicates() -> Error {
    let message =
        "keys have several values (MDB_DUPSORT), which is not read; write the database again with a key for each value";
    Error::new(&codes::LMDB_UNSUPPORTED, message)
}
