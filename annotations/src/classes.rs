//! Classes: dense numbers from 0 in the order in which they are first named, names, and the file's own numbers.

use std::collections::HashMap;

use super::Id;

/// A class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Class {
    /// Its name, as the file says it.
    pub name: String,
    /// The number that the file gives it, if it has one: COCO's are sparse.
    pub id: Option<Id>,
    /// The class that it belongs to, where the file says so.
    pub group: Option<String>,
    /// Names of its key points, in their order.
    pub keypoints: Vec<String>,
    /// Which key points a line joins, by their numbers from 1.
    pub skeleton: Vec<[u32; 2]>,
}

impl Class {
    /// A class that is known by its name alone.
    pub fn named(name: impl Into<String>) -> Class {
        Class { name: name.into(), ..Class::default() }
    }

    /// Whether more is known of it than its name.
    pub(crate) fn has_details(&self) -> bool {
        self.id.is_some() || self.group.is_some() || !self.keypoints.is_empty() || !self.skeleton.is_empty()
    }
}

/// The classes of a set of labels. No two have one name.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    list: Vec<Class>,
    by_name: HashMap<String, u32>,
    by_id: HashMap<i64, u32>,
}

impl PartialEq for Classes {
    fn eq(&self, other: &Classes) -> bool {
        self.list == other.list
    }
}

impl Classes {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All of them, by number.
    pub fn iter(&self) -> std::slice::Iter<'_, Class> {
        self.list.iter()
    }

    /// The class of this number.
    pub fn get(&self, number: u32) -> Option<&Class> {
        self.list.get(number as usize)
    }

    /// The name of the class of this number.
    pub fn name(&self, number: u32) -> Option<&str> {
        self.get(number).map(|class| class.name.as_str())
    }

    /// The number of the class of this name.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// The number of the class that the file gives this number.
    pub(crate) fn by_id(&self, id: i64) -> Option<u32> {
        self.by_id.get(&id).copied()
    }

    /// Adds a class; `Err` with the number of the one that has its name already.
    pub fn add(&mut self, class: Class) -> Result<u32, u32> {
        if let Some(there) = self.find(&class.name) {
            return Err(there);
        }
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.by_name.insert(class.name.clone(), number);
        if let Some(Id::Number(id)) = class.id {
            self.by_id.entry(id).or_insert(number);
        }
        self.list.push(class);
        Ok(number)
    }

    /// The number of the class of this name, which is added where there is none: for formats that declare no classes.
    pub fn found(&mut self, name: &str) -> u32 {
        self.find(name).unwrap_or_else(|| self.add(Class::named(name)).unwrap_or_else(|there| there))
    }
}

impl<'a> IntoIterator for &'a Classes {
    type Item = &'a Class;
    type IntoIter = std::slice::Iter<'a, Class>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<S: Into<String>> FromIterator<S> for Classes {
    /// Classes by their names; a name that was there is passed over.
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Classes {
        let mut classes = Classes::default();
        for name in names {
            let _ = classes.add(Class::named(name));
        }
        classes
    }
}
