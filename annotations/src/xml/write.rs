//! Elements written, indented by two blanks, with their escapes.

use quick_xml::escape::escape;

/// A document that grows element by element.
#[derive(Debug, Default)]
pub(in super::super) struct Writer {
    out: String,
    open: Vec<&'static str>,
}

impl Writer {
    /// A document that begins with its declaration.
    pub(in super::super) fn new() -> Writer {
        Writer { out: "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n".to_owned(), open: Vec::new() }
    }

    /// Begins an element with these attributes.
    pub(in super::super) fn open(&mut self, name: &'static str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes);
        self.out.push_str(">\n");
        self.open.push(name);
    }

    /// Ends the element that began last.
    pub(in super::super) fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            self.indent();
            self.out.push_str(&format!("</{name}>\n"));
        }
    }

    /// An element with nothing in it.
    pub(in super::super) fn empty(&mut self, name: &'static str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes);
        self.out.push_str("/>\n");
    }

    /// An element with a text in it.
    pub(in super::super) fn text(&mut self, name: &'static str, text: &str) {
        self.text_with(name, &[], text);
    }

    /// An element with attributes and a text in it.
    pub(in super::super) fn text_with(&mut self, name: &'static str, attributes: &[(&str, &str)], text: &str) {
        self.tag(name, attributes);
        self.out.push_str(&format!(">{}</{name}>\n", value(text)));
    }

    /// What was written since this was last asked.
    pub(in super::super) fn take(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    fn tag(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.indent();
        self.out.push_str(&format!("<{name}"));
        for (key, text) in attributes {
            self.out.push_str(&format!(" {key}=\"{}\"", value(text)));
        }
    }

    fn indent(&mut self) {
        self.out.extend(std::iter::repeat_n("  ", self.open.len()));
    }
}

/// Whether every character of a text has a place in XML.
pub(in super::super) fn is_held(text: &str) -> bool {
    !text.chars().any(is_beyond_xml)
}

fn is_beyond_xml(c: char) -> bool {
    matches!(c, '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// A text with escapes for everything that a reader would take for something else. Characters that XML cannot hold even
/// escaped become U+FFFD.
fn value(text: &str) -> String {
    let held: String = text.chars().map(|c| if is_beyond_xml(c) { '\u{fffd}' } else { c }).collect();
    // White space in attributes would come back as blanks.
    escape(held.as_str()).replace('\n', "&#10;").replace('\r', "&#13;").replace('\t', "&#9;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn what_is_written_is_read_back() {
        let odd = "a<b>&\"c'\n\r\té\u{fffd}";
        let mut writer = Writer::new();
        writer.open("r", &[("x", odd)]);
        writer.text("t", odd);
        writer.empty("e", &[]);
        writer.close();
        let text = writer.take();
        let node = super::super::node::document(text.as_bytes(), "r", &Limits::default()).unwrap();
        assert_eq!((node.attribute("x"), node.text_of("t")), (Some(odd), Some(odd)));
        assert!(value("\u{1}").contains('\u{fffd}'));
    }
}
