//! A COCO file in pieces: the same labels, and the same errors at the same places, wherever it is cut.

use forebay::{
    Result,
    annotations::{
        ReadOptions,
        coco::{Gather, Marked, Reader, Sink, read},
    },
};

use super::twins::{cases, exports};

fn in_pieces(text: &[u8], size: usize, options: &ReadOptions) -> Result<forebay::annotations::Labels> {
    let (mut reader, mut gather) = (Reader::new(options), Gather::default());
    for piece in text.chunks(size) {
        reader.feed(piece, &mut gather)?;
    }
    let labelled = reader.has_annotations();
    let notes = reader.finish(&mut gather)?;
    gather.labels(notes, labelled, options)
}

#[test]
fn the_pieces_do_not_matter() {
    for case in cases().iter().filter(|case| case.format == "coco" && case.twin["recipe"].is_null()) {
        let (text, options) = (case.entry_bytes(), case.asked());
        let whole = read(&text, &options).map_err(|e| e.to_string());
        for size in [1, 2, 7, 64, 1000] {
            // Long files byte by byte take long.
            if text.len() / size > 20_000 {
                continue;
            }
            let got = in_pieces(&text, size, &options).map_err(|e| e.to_string());
            assert_eq!(got, whole, "{} by {size}", case.name);
        }
    }
}

#[test]
fn a_file_that_ends_early_is_no_file() {
    let case = exports().into_iter().find(|case| case.name == "labelstudio_polygon_coco").unwrap();
    let text = case.entry_bytes();
    let end = text.trim_ascii_end().len();
    for cut in 0..end {
        let e = read(&text[..cut], &case.asked()).expect_err("is read");
        assert!(e.place().line.is_some(), "{cut}: {e}");
        assert_eq!(e.code().id(), "label.truncated", "{cut}: {e}");
    }
}

/// Counts, and keeps nothing.
#[derive(Default)]
struct Count(u64);

impl Sink for Count {
    fn class(&mut self, _: u32, _: forebay::annotations::Class) -> Result<()> {
        Ok(())
    }
    fn picture(&mut self, _: u32, _: forebay::annotations::Picture) -> Result<()> {
        Ok(())
    }
    fn annotation(&mut self, _: Marked<'_>) -> Result<()> {
        self.0 += 1;
        Ok(())
    }
}

#[test]
fn a_long_value_in_many_pieces_is_not_read_anew_for_each() {
    // 8 MB of one outline in pieces of 64 bytes: read anew for each piece this would be half a terabyte.
    let mut text = r#"{"images":[{"id":1,"file_name":"a"}],"categories":[{"id":1,"name":"b"}],"annotations":[
        {"image_id":1,"category_id":1,"bbox":[0,0,1,1],"segmentation":[["#
        .to_owned();
    text.push_str(&"1.25,2.5,".repeat(900_000));
    text.push_str("1,1]]}]}");
    let (mut reader, mut count) = (Reader::new(&ReadOptions::default()), Count::default());
    for piece in text.as_bytes().chunks(64) {
        reader.feed(piece, &mut count).unwrap();
    }
    reader.finish(&mut count).unwrap();
    assert_eq!(count.0, 1);
}

#[test]
fn an_element_longer_than_the_limits_is_refused() {
    let limits = forebay::Limits::host().with_item_bytes(3 << 20);
    let mut options = ReadOptions::default();
    options.limits = limits;
    let text = format!(r#"{{"info": "{}"}}"#, "x".repeat(8 << 20));
    assert_eq!(read(text.as_bytes(), &options).unwrap_err().code().id(), "limit.item");
}
