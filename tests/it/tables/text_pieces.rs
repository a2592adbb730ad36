//! A text read in pieces is the same text: batches, errors, lines and notes, wherever it is cut, and whichever way its
//! records are read.

use crate::dice::{Dice, rounds};
use bytes::Bytes;
use forebay::{
    Limits,
    step::Turn,
    table::DataType,
    text::{OnBadRow, TextFormat, TextOptions, TextReader},
};

/// What came of reading: a line for each row, with its batch, and then what was said.
type Read = Vec<String>;

fn rows_of(step: Turn<forebay::table::Batch, ()>, batch: &mut usize, read: &mut Read) -> bool {
    match step {
        Turn::Item(rows) => {
            *batch += 1;
            read.extend(rows.iter().map(|row| format!("{batch}: {}", row.to_json(Default::default()))));
            true
        }
        _ => false,
    }
}

/// From front to back, in parts of a size.
fn streamed(text: &[u8], format: TextFormat, options: &TextOptions, size: usize) -> Read {
    let mut reader = TextReader::new(format, options.clone()).unwrap();
    let (mut parts, mut read, mut batch) = (text.chunks(size), Vec::new(), 0);
    loop {
        match reader.step() {
            Err(e) => {
                read.push(format!("{e} {:?}", e.place()));
                return read;
            }
            Ok(Turn::Need(())) => match parts.next() {
                Some(part) => reader.push(Bytes::copy_from_slice(part)),
                None => reader.end(),
            },
            Ok(step) => {
                if !rows_of(step, &mut batch, &mut read) {
                    break;
                }
            }
        }
    }
    read.push(format!("{} left out", reader.skipped()));
    read.extend(reader.notes());
    read
}

/// In pieces that are cut from parts of a size, all of them read before they are put together, the last one first.
fn in_pieces(text: &[u8], format: TextFormat, options: &TextOptions, size: usize) -> Option<Read> {
    let mut reader = TextReader::new(format, options.clone()).unwrap();
    let mut parts = text.chunks(size).map(Bytes::copy_from_slice);
    let (mut read, mut batch) = (Vec::new(), 0);
    loop {
        match reader.open() {
            Ok(true) => break,
            Ok(false) => match parts.next() {
                Some(part) => reader.push(part),
                None => reader.end(),
            },
            Err(e) => return Some(vec![format!("{e} {:?}", e.place())]),
        }
    }
    let (mut cutter, pieces, mut joiner) = reader.pieces().ok()?;
    let mut cut = Vec::new();
    while let Some(piece) = cutter.at_hand() {
        cut.push(piece);
    }
    cut.extend(parts.filter_map(|part| cutter.push(part)));
    cut.extend(cutter.end());
    let mut rows: Vec<_> = cut.into_iter().rev().map(|piece| pieces.read(piece)).collect();
    loop {
        match joiner.step() {
            Err(e) => {
                read.push(format!("{e} {:?}", e.place()));
                return Some(read);
            }
            Ok(Turn::Need(())) => match rows.pop() {
                Some(rows) => joiner.push(rows),
                None => joiner.end(),
            },
            Ok(step) => {
                if !rows_of(step, &mut batch, &mut read) {
                    break;
                }
            }
        }
    }
    read.push(format!("{} left out", joiner.skipped()));
    read.extend(joiner.notes());
    Some(read)
}

/// The same in every way, and in pieces where that is possible.
#[track_caller]
fn same(text: &[u8], format: TextFormat, options: &TextOptions) -> Read {
    let shown = || String::from_utf8_lossy(text).chars().take(300).collect::<String>();
    let whole = streamed(text, format, options, text.len().max(1));
    for size in [1, 2, 7, 64, 1000, text.len().max(1)] {
        assert_eq!(streamed(text, format, options, size), whole, "in parts of {size}: {:?}", shown());
        if let Some(read) = in_pieces(text, format, options, size) {
            assert_eq!(read, whole, "in pieces of {size}: {:?}", shown());
        }
    }
    whole
}

fn options(batch_rows: usize, sniff_rows: usize) -> TextOptions {
    let mut options = TextOptions::default();
    (options.batch_rows, options.sniff_rows) = (batch_rows, sniff_rows);
    options
}

#[test]
fn csv_of_any_bytes_is_read_the_same_in_pieces() {
    let mut dice = Dice(11);
    // What has a meaning, often, and a little of what has none; "é" by its bytes, also apart.
    let bytes = b"\"\"\",,,,\n\n\n\r\n\r;aab1230 .-\xc3\xa9\xff";
    for turn in 0..rounds(3000) {
        let length = dice.below(120);
        let mut text: Vec<u8> = if turn % 3 == 0 { b"a,b\n".to_vec() } else { Vec::new() };
        text.extend((0..length).map(|_| bytes[dice.below(bytes.len() as u64) as usize]));
        let mut options = options(1 + dice.below(5) as usize, dice.below(4) as usize);
        options.on_bad_row = if turn % 2 == 0 { OnBadRow::Skip } else { OnBadRow::Error };
        options.header = turn % 5 != 0;
        if turn % 7 == 0 {
            options.delimiter = Some(b";a\xc3 "[dice.below(4) as usize]);
        }
        if turn % 11 == 0 {
            options.limits = Limits::host().with_item_bytes(60 + dice.below(100));
        }
        same(&text, TextFormat::Csv, &options);
    }
}

#[test]
fn rows_of_a_table_with_quotes_ends_of_lines_and_faults_are_read_the_same_in_pieces() {
    let mut dice = Dice(5);
    for turn in 0..rounds(200) {
        let end = ["\n", "\r\n", "\r"][turn as usize % 3];
        let mut text = format!("{}id,name,x,when,day,ok{end}", if turn % 4 == 0 { "\u{feff}" } else { "" });
        for row in 0..dice.below(60) {
            let name = ["Ada", "", "\"\"", "\"a \"\"b\"\" c\"", "\"x,\ny\"", "é", "5\" disk", "\" \"", "\"\r\n\n\""];
            let name = name[dice.below(9) as usize];
            let x = ["1.5", "", "-0", "nan", "1e300", " 2 "][dice.below(6) as usize];
            let id = if dice.below(30) == 0 {
                "x".to_owned()
            } else {
                format!("{}{row}", ["", "-"][dice.below(2) as usize])
            };
            let more = if dice.below(40) == 0 { ",7" } else { "" };
            let moment =
                ["2024-02-29T01:02:03", "2024-02-29 01:02:03.5Z", "", "0001-01-01T00:00:00"][dice.below(4) as usize];
            text += &format!("{id},{name},{x},{moment},2024-02-29,true{more}{end}");
            text += &end.repeat(dice.below(10).saturating_sub(7) as usize);
        }
        if turn % 2 == 0 {
            text.truncate(text.trim_end().len());
        }
        let mut options = options(1 + dice.below(20) as usize, 1 + dice.below(5) as usize);
        options.types = vec![("id".into(), DataType::I64), ("x".into(), DataType::F64)];
        options.on_bad_row = if turn % 3 == 0 { OnBadRow::Error } else { OnBadRow::Skip };
        same(text.as_bytes(), TextFormat::Csv, &options);
    }
}

#[test]
fn json_lines_are_read_the_same_in_pieces_and_arrays_are_not_cut() {
    let mut dice = Dice(3);
    for turn in 0..rounds(300) {
        let mut text = String::new();
        for row in 0..dice.below(40) {
            let json = [
                format!("{{\"a\":{row},\"b\":\"x\\n{row}\"}}"),
                format!("{{\"a\":{row}}}"),
                "{\"a\":}".into(),
                "[1]".into(),
                "  ".into(),
                "{\"a\":1,\"c\":[1,2]}".into(),
            ];
            text += &json[[0, 1, 0, 1, 0, 1, 2, 3, 4, 5][dice.below(10) as usize]];
            text += ["\n", "\r\n", "\n\n"][dice.below(3) as usize];
        }
        let mut options = options(1 + dice.below(9) as usize, 1 + dice.below(9) as usize);
        options.on_bad_row = if turn % 3 == 0 { OnBadRow::Error } else { OnBadRow::Skip };
        same(text.as_bytes(), TextFormat::Jsonl, &options);
    }
    let array = b"[{\"a\":1},\n{\"a\":2}]";
    assert!(in_pieces(array, TextFormat::Jsonl, &options(9, 1), 4).is_none());
    assert_eq!(same(array, TextFormat::Jsonl, &options(9, 1)).len(), 3);
}

#[test]
fn the_first_bad_row_is_named_by_its_line_and_number() {
    let mut text = "id,name\n".to_owned();
    for row in 0..100 {
        text += &format!("{row},\"two\nlines\"\n\n");
    }
    let good = text.clone();
    text += "x,bad\n\n1\n";
    let mut options = options(64, 10);
    let read = same(text.as_bytes(), TextFormat::Csv, &options);
    assert_eq!(read.len(), 64 + 1, "whole batches come first");
    let said = read.last().unwrap();
    assert!(said.contains("line 302: ") && said.contains("row: Some(100)"), "{said}");
    options.on_bad_row = OnBadRow::Skip;
    let read = same((good + "1\n" + &"2,y,\n".repeat(30) + "3,z").as_bytes(), TextFormat::Csv, &options);
    assert!(read[100].contains("\"id\":3") && read[101] == "31 left out", "{:?}", &read[100..]);
    assert!(read[102].contains("line 302: 1 fields") && read.last().unwrap() == "and 11 more bad rows", "{read:?}");
}

#[test]
fn a_row_beyond_the_limit_and_a_quote_that_never_closes_end_the_reading_in_the_same_way() {
    let mut options = options(100, 1);
    options.limits = Limits::host().with_item_bytes(5000);
    for long in
        ["y".repeat(6000), format!("\"{}", "y\n".repeat(3000)), ",".repeat(300), format!("\"{}", "\"\"".repeat(3000))]
    {
        let text = format!("a,b\n1,x\n2,{long}\n3,z\n");
        let read = same(text.as_bytes(), TextFormat::Csv, &options);
        assert!(read.last().unwrap().contains("limit.item"), "{:?}", read.last());
    }
    let open = "a,b\n1,x\n2,\"never\n3,z\n";
    assert!(same(open.as_bytes(), TextFormat::Csv, &options).last().unwrap().contains("never closed"));
    let json = format!("{{\"a\":1}}\n{{\"a\":\"{}\"}}\n", "y".repeat(6000));
    assert!(same(json.as_bytes(), TextFormat::Jsonl, &options).last().unwrap().contains("limit.item"));
}

#[test]
fn columns_that_were_chosen_are_those_of_the_pieces() {
    let text = Bytes::from_static(b"a,b,c\n1,x,2.5\n2,y,\n3,,4.5\n");
    let mut reader = TextReader::new(TextFormat::Csv, options(100, 1)).unwrap();
    reader.push(text);
    reader.end();
    assert!(reader.open().unwrap());
    reader.select(&[2, 0]).unwrap();
    let (mut cutter, pieces, mut joiner) = reader.pieces().unwrap();
    let names: Vec<_> = joiner.schema().fields().iter().map(|f| f.name.clone()).collect();
    assert_eq!(names, ["c", "a"]);
    while let Some(piece) = cutter.at_hand().or_else(|| cutter.end()) {
        joiner.push(pieces.read(piece));
    }
    joiner.end();
    let Turn::Item(batch) = joiner.step().unwrap() else { panic!("no rows") };
    let rows: Vec<_> = batch.iter().map(|row| row.to_json(Default::default())).collect();
    assert_eq!(rows, [r#"{"c":2.5,"a":1}"#, r#"{"c":null,"a":2}"#, r#"{"c":4.5,"a":3}"#]);
}

#[test]
fn rows_that_take_far_more_memory_than_their_text_are_read_a_batch_at_a_time() {
    // 3,000 columns, of which each row names one.
    let first: Vec<String> = (0..3000).map(|i| format!("\"c{i}\":{i}")).collect();
    let mut text = format!("{{{}}}\n", first.join(","));
    (0..6000).for_each(|i| text += &format!("{{\"c{}\":1}}\n", i % 3000));
    let options = options(65_536, 1);
    let (whole, pieces) = (
        streamed(text.as_bytes(), TextFormat::Jsonl, &options, text.len()),
        in_pieces(text.as_bytes(), TextFormat::Jsonl, &options, text.len()).unwrap(),
    );
    assert!(whole == pieces && whole.len() == 6002, "{}", whole.len());
    assert!(whole[6000].get(..2) > Some("2:"), "several batches: {:?}", whole[6000].get(..10));
}
