//! What a value becomes in its cell: numbers, text, classes.

use std::{collections::HashMap, fmt};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Cell, TargetKind};
use crate::loader::labels::follow::Leaf;

/// Whole numbers up to here are exact as floats.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// Lists in lists deeper than this are not numbers.
const DEEP: u32 = 8;

/// Classes by name, or as many as there are.
#[derive(Debug, Default)]
pub(super) struct Classes {
    pub names: HashMap<String, usize>,
    pub count: usize,
}

/// Writes what is found into a cell.
#[derive(Debug)]
pub(super) struct Write<'a> {
    kind: TargetKind,
    classes: &'a Classes,
    cell: &'a mut Cell,
    /// Whether a value was there.
    pub found: bool,
    /// How many numbers were taken, also such as had no room.
    pub taken: usize,
    /// What is wrong with it.
    pub fault: Option<String>,
    deep: u32,
}

impl<'a> Write<'a> {
    pub fn new(kind: TargetKind, classes: &'a Classes, cell: &'a mut Cell) -> Write<'a> {
        cell.clear();
        Write { kind, classes, cell, found: false, taken: 0, fault: None, deep: 0 }
    }

    fn refuse(&mut self, why: impl FnOnce() -> String) {
        if self.fault.is_none() {
            self.fault = Some(why());
        }
    }

    fn is_single(&self) -> bool {
        matches!(self.kind, TargetKind::Int | TargetKind::Float | TargetKind::Text)
    }

    fn float(&mut self, number: f64) {
        self.found = true;
        match self.kind {
            TargetKind::Float | TargetKind::Floats => {
                if !(number as f32).is_finite() && number.is_finite() {
                    return self.refuse(|| format!("{number} is more than 32 bits hold"));
                }
                self.put_float(number as f32);
            }
            TargetKind::Text => self.text(&number.to_string()),
            _ if number.fract() == 0.0 && number.abs() <= EXACT => self.integer(number as i64),
            _ if number.fract() == 0.0 => self.refuse(|| format!("{number:e} is too large to be exact")),
            _ => self.refuse(|| format!("{number} is not a whole number")),
        }
    }

    fn integer(&mut self, number: i64) {
        self.found = true;
        match self.kind {
            TargetKind::Int | TargetKind::Ints => {
                let at = self.taken;
                self.taken += 1;
                match &mut *self.cell {
                    Cell::Integers(list) => list.push(number),
                    cell => {
                        if let Some(to) = cell.integers().get_mut(at) {
                            *to = number;
                        }
                    }
                }
            }
            TargetKind::Float | TargetKind::Floats => self.put_float(number as f32),
            TargetKind::MultiHot => {
                let classes = self.classes.count;
                match usize::try_from(number).ok().filter(|&n| n < classes) {
                    Some(class) => self.put_class(class),
                    None => self.refuse(|| format!("{number} is not the number of one of the {classes} classes")),
                }
            }
            _ => self.text(&number.to_string()),
        }
    }

    fn put_float(&mut self, number: f32) {
        let at = self.taken;
        self.taken += 1;
        match &mut *self.cell {
            Cell::Floats(list) => list.push(number),
            cell => {
                if let Some(to) = cell.floats().get_mut(at) {
                    *to = number;
                }
            }
        }
    }

    fn put_class(&mut self, class: usize) {
        if let Some(to) = self.cell.floats().get_mut(class) {
            *to = 1.0;
        }
    }

    fn text(&mut self, text: &str) {
        match self.kind {
            TargetKind::Text => {
                self.found = true;
                if let Cell::Bytes(bytes) = &mut *self.cell {
                    bytes.extend_from_slice(text.as_bytes());
                }
            }
            TargetKind::MultiHot => match text.trim() {
                // An empty file beside a picture says that it has none.
                "" => self.found = true,
                name => {
                    self.found = true;
                    let class = self.classes.names.get(name).copied();
                    match class.or_else(|| name.parse().ok().filter(|n| *n < self.classes.count)) {
                        Some(class) => self.put_class(class),
                        None => self.refuse(|| format!("{name:?} is not one of the {} classes", self.classes.count)),
                    }
                }
            },
            // Files beside pictures, and tables of text, have numbers as text.
            _ => {
                let apart = |c: char| c.is_whitespace() || c == ',' || c == ';';
                for word in text.split(apart).filter(|word| !word.is_empty()) {
                    match (word.parse::<i64>(), word.parse::<f64>()) {
                        (Ok(number), _) => self.integer(number),
                        (_, Ok(number)) => self.float(number),
                        _ => return self.refuse(|| format!("{word:?} is not a number")),
                    }
                }
                if self.is_single() && self.taken > 1 {
                    self.refuse(|| format!("{text:?} is not one number"));
                }
            }
        }
    }
}

impl Leaf for Write<'_> {
    fn take<'de, D: Deserializer<'de>>(&mut self, d: D) -> Result<(), D::Error> {
        self.cell.clear();
        (self.found, self.taken, self.fault) = (false, 0, None);
        Value(self).deserialize(d)
    }
}

struct Value<'a, 'b>(&'a mut Write<'b>);

impl<'de> DeserializeSeed<'de> for Value<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a target")
    }
    fn visit_i64<E>(self, n: i64) -> Result<(), E> {
        self.0.integer(n);
        Ok(())
    }
    fn visit_u64<E>(self, n: u64) -> Result<(), E> {
        match i64::try_from(n) {
            Ok(n) => self.0.integer(n),
            Err(_) if matches!(self.0.kind, TargetKind::Float | TargetKind::Floats) => self.0.float(n as f64),
            Err(_) => self.0.refuse(|| format!("{n} is more than 64 bits hold with a sign")),
        }
        Ok(())
    }
    fn visit_f64<E>(self, n: f64) -> Result<(), E> {
        self.0.float(n);
        Ok(())
    }
    fn visit_bool<E>(self, is: bool) -> Result<(), E> {
        self.0.integer(is.into());
        Ok(())
    }
    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.0.text(text);
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        if self.0.deep > 0 {
            self.0.refuse(|| "null is among its values".to_owned());
        }
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let write = self.0;
        write.found = true;
        if write.is_single() || write.deep >= DEEP {
            write.refuse(|| "it is a list".to_owned());
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(());
        }
        write.deep += 1;
        while seq.next_element_seed(Value(&mut *write))?.is_some() {}
        write.deep -= 1;
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.0.found = true;
        self.0.refuse(|| "it is an object".to_owned());
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// Finds out which classes there are.
#[derive(Debug, Default)]
pub(super) struct Collect {
    pub names: std::collections::BTreeSet<String>,
    pub greatest: Option<i64>,
    pub found: bool,
}

impl Leaf for Collect {
    fn take<'de, D: Deserializer<'de>>(&mut self, d: D) -> Result<(), D::Error> {
        d.deserialize_any(Several(self))
    }
}

struct Several<'a>(&'a mut Collect);

impl<'de> DeserializeSeed<'de> for Several<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Several<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("classes")
    }
    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.0.found = true;
        let name = text.trim();
        if !name.is_empty() && !self.0.names.contains(name) {
            self.0.names.insert(name.to_owned());
        }
        Ok(())
    }
    fn visit_i64<E>(self, n: i64) -> Result<(), E> {
        self.0.found = true;
        self.0.greatest = self.0.greatest.max(Some(n));
        Ok(())
    }
    fn visit_u64<E>(self, n: u64) -> Result<(), E> {
        self.0.found = true;
        self.0.greatest = self.0.greatest.max(Some(i64::try_from(n).unwrap_or(i64::MAX)));
        Ok(())
    }
    // Another value makes a broken sample, later.
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        self.0.found = true;
        Ok(())
    }
    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.0.found = true;
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        self.0.found = true;
        while seq.next_element_seed(Several(&mut *self.0))?.is_some() {}
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.0.found = true;
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }
}
