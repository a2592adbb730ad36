//! Elements as small trees, one at a time: a document of any size is read in the memory of its largest element.

use crate::error::Result;
use crate::limits::Limits;

use super::super::{Spot, codes};
use super::tokens::{Attributes, Token, Tokens};

/// An element with everything in it.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Node {
    /// Its name, without the prefix of a name space.
    pub(in super::super) name: String,
    /// Where it begins.
    pub(in super::super) spot: Spot,
    attributes: Attributes,
    /// Its text, without that of the elements in it and without white space around it.
    pub(in super::super) text: String,
    /// The elements in it.
    pub(in super::super) children: Vec<Node>,
}

impl Node {
    /// The value of an attribute.
    pub(in super::super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// The first element in it with this name.
    pub(in super::super) fn child(&self, name: &str) -> Option<&Node> {
        self.children.iter().find(|child| child.name == name)
    }

    /// Every element in it with this name.
    pub(in super::super) fn children_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Node> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The text of the first element in it with this name.
    pub(in super::super) fn text_of(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.as_str())
    }
}

/// The elements of a document at one depth: 1 is the document's own.
#[derive(Debug)]
pub(in super::super) struct Elements {
    tokens: Tokens,
    depth: usize,
    open: Vec<Node>,
    root: Option<(String, Spot)>,
    /// Bytes that the elements hold that are not handed out yet, about.
    cost: u64,
    limits: Limits,
}

impl Elements {
    pub(in super::super) fn new(depth: usize, limits: &Limits) -> Elements {
        let tokens = Tokens::new(limits.clone());
        Elements { tokens, depth, open: Vec::new(), root: None, cost: 0, limits: limits.clone() }
    }

    /// Takes more bytes of the document.
    pub(in super::super) fn feed(&mut self, bytes: &[u8]) {
        self.tokens.push(bytes);
    }

    /// Says that no more bytes come.
    pub(in super::super) fn finish(&mut self) {
        self.tokens.finish();
    }

    /// The name of the document's own element, once it began, and the place where it did.
    pub(in super::super) fn root(&self) -> Option<(&str, &Spot)> {
        self.root.as_ref().map(|(name, spot)| (name.as_str(), spot))
    }

    /// The next element; `None` if more bytes are needed or all is read.
    pub(in super::super) fn next(&mut self) -> Result<Option<Node>> {
        while let Some((token, spot)) = self.tokens.next()? {
            match token {
                Token::Open { name, attributes } => {
                    let name = name.rsplit(':').next().unwrap_or_default().to_owned();
                    let bytes: usize = attributes.iter().map(|(name, value)| name.len() + value.len() + 24).sum();
                    self.charge(size_of::<Node>() + name.len() + bytes, &spot)?;
                    if self.root.is_none() {
                        self.root = Some((name.clone(), spot.clone()));
                    }
                    self.open.push(Node { name, spot, attributes, ..Node::default() });
                }
                Token::Text(text) => {
                    self.charge(text.len(), &spot)?;
                    // What stands around the elements that are handed out would be kept to the end of the document.
                    let inside = self.open.len() >= self.depth;
                    if let Some(node) = self.open.last_mut().filter(|_| inside) {
                        node.text.push_str(&text);
                    }
                }
                Token::Close => {
                    let depth = self.open.len();
                    let Some(mut node) = self.open.pop() else { continue };
                    let trimmed = node.text.trim();
                    if trimmed.len() < node.text.len() {
                        node.text = trimmed.to_owned();
                    }
                    if depth == self.depth {
                        self.cost = 0;
                        return Ok(Some(node));
                    }
                    if let Some(parent) = self.open.last_mut().filter(|_| depth > self.depth) {
                        parent.children.push(node);
                    }
                }
            }
        }
        Ok(None)
    }

    fn charge(&mut self, bytes: usize, spot: &Spot) -> Result<()> {
        self.cost = self.cost.saturating_add(bytes as u64);
        self.limits.item(self.cost).map_err(|e| e.line(spot.line, spot.character))?;
        Ok(())
    }
}

/// A document that is one small tree, whose own element has this name.
pub(in super::super) fn document(bytes: &[u8], name: &str, limits: &Limits) -> Result<Node> {
    let mut elements = Elements::new(1, limits);
    elements.feed(bytes);
    elements.finish();
    let mut found = None;
    while let Some(node) = elements.next()? {
        if node.name != name {
            let shown: String = node.name.chars().take(40).collect();
            let message = format!("the document is <{shown}>, and <{name}> was expected");
            return Err(node.spot.fault(&codes::FORMAT, message));
        }
        found = Some(node);
    }
    Ok(found.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_handed_out_one_by_one() {
        let mut elements = Elements::new(2, &Limits::default());
        elements.feed(b"<r v='1'><x n='1'> a <y>b</y> c </x><x n='2'");
        let node = elements.next().unwrap().unwrap();
        assert_eq!((node.attribute("n"), node.text.as_str(), node.text_of("y")), (Some("1"), "a  c", Some("b")));
        assert!(elements.next().unwrap().is_none());
        assert_eq!(elements.root().unwrap().0, "r");
        elements.feed(b"/></r>");
        elements.finish();
        assert_eq!(elements.next().unwrap().unwrap().attribute("n"), Some("2"));
        assert!(elements.next().unwrap().is_none());
    }

    #[test]
    fn what_stands_between_elements_is_not_kept() {
        let mut elements = Elements::new(2, &Limits::default());
        elements.feed(b"<r>");
        for _ in 0..100 {
            elements.feed(b"between <x>in</x>");
            assert_eq!(elements.next().unwrap().unwrap().text, "in");
        }
        assert!(elements.open.iter().all(|node| node.text.is_empty()));
    }

    #[test]
    fn prefixes_of_name_spaces_are_dropped() {
        let node = document(b"<v:a xmlns:v='urn:v'><v:b>1</v:b></v:a>", "a", &Limits::default()).unwrap();
        assert_eq!(node.text_of("b"), Some("1"));
        let e = document(b"\n<b/>", "a", &Limits::default()).unwrap_err();
        assert_eq!(e.to_string(), "line 2, character 1: the document is <b>, and <a> was expected [label.format]");
    }

    #[test]
    fn an_element_costs_no_more_than_an_item() {
        let text = format!("<a>{}</a>", "<b/>".repeat(1000));
        let limits = Limits::default().with_item_bytes(50_000);
        assert_eq!(document(text.as_bytes(), "a", &limits).unwrap_err().code().id(), "limit.item");
        assert!(document(text.as_bytes(), "a", &Limits::default()).is_ok());
    }
}
