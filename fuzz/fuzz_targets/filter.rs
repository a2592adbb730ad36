#![no_main]
//! Any text parses or is refused at a character inside it; the canonical text means the same.

use forebay::filter::Filter;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| match Filter::parse(text) {
    Ok(filter) => assert_eq!(Filter::parse(&filter.to_string()).expect("canonical text parses"), filter),
    Err(e) => assert!(e.place().offset.expect("a place") <= text.chars().count() as u64),
});
