//! Any text parses or is refused at a character inside it; the canonical text means the same.

use forebay::filter::Filter;

pub(crate) fn body(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Filter::parse(text) {
        Ok(filter) => assert_eq!(Filter::parse(&filter.to_string()).expect("canonical text parses"), filter),
        Err(e) => assert!(e.place().offset.expect("a place") <= text.chars().count() as u64),
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    [
        r#"width >= 224 && height >= 224 and not (format == "jpeg")"#,
        r#"name ~ "cats/*.jpg" || name !~ 'x?[0-9]' or cls in [1, 2.5, "x", null, true]"#,
        r"json.boxes[0].label == 'a\n\'' && `my column`.x < -1.5e3",
        "!((((a))))",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
