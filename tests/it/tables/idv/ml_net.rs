//! ML.NET opens what is written here and reads the same values.
//!
//! Needs the folder that `scripts/idv-oracle.sh install` makes, at `IDV_ORACLE` or `~/.cache/idv-oracle`; without
//! it the test says that it was skipped.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    process::Command,
};

use bytes::Bytes;
use forebay::{
    idv::{Codec, Opener, Packing, WriteOptions},
    step::drive,
    table::{Clock, Column, DataType, Value as Cell},
};

use super::{
    as_json::{column_blocks, type_json},
    common::conformance,
    generate::{Dice, Table, table, write},
};

fn oracle() -> Option<PathBuf> {
    let dir = std::env::var_os("IDV_ORACLE").map(PathBuf::from).or_else(|| {
        let home = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
        Some(home?.join("idv-oracle"))
    })?;
    if dir.join("forebay/dump.dll").exists() {
        return Some(dir);
    }
    eprintln!("SKIPPED: ML.NET is not in {}; scripts/idv-oracle.sh install puts it there", dir.display());
    None
}

/// The dumper's words for text.
fn text(s: &str) -> String {
    s.encode_utf16().fold("t".to_owned(), |mut out, unit| {
        let _ = write!(out, "{unit:04x}");
        out
    })
}

fn cell(value: Cell<'_>) -> String {
    match value {
        Cell::Bool(b) => b.to_string(),
        Cell::Int(n) => n.to_string(),
        Cell::UInt(n) | Cell::Key(n) => n.to_string(),
        Cell::F32(x) => format!("f{:08x}", x.to_bits()),
        Cell::F64(x) => format!("d{:016x}", x.to_bits()),
        Cell::Str(s) => text(s),
        Cell::Time(Clock::Ticks(t)) => format!("s{t}"),
        Cell::Time(Clock::DateTime(t)) => format!("c{t}"),
        Cell::Time(Clock::DateTimeOffset { ticks, minutes }) => format!("z{ticks}/{minutes}"),
        Cell::RowId(n) => format!("r{}/{}", n as u64, n >> 64),
        Cell::Vector { row, items } => {
            let mut out = format!("[{} {}", row.len, if row.indices.is_none() { "dense" } else { "sparse" });
            for k in 0..row.count {
                out.push(' ');
                if let Some(indices) = row.indices {
                    let _ = write!(out, "{}:", indices[k]);
                }
                out.push_str(&cell(items.value(row.first + k)));
            }
            out + "]"
        }
        other => panic!("{other:?} is not a value of IDV"),
    }
}

fn lines(column: &Column) -> Vec<String> {
    (0..column.len()).map(|i| cell(column.value(i))).collect()
}

fn type_words(dtype: &DataType) -> String {
    let codec = Codec::of(dtype).unwrap();
    let json = type_json(&codec);
    let item = json.get("vector").unwrap_or(&json);
    let mut out = match item.as_str() {
        Some(name) => name.to_owned(),
        None => format!("Key<{},{}>", item["key"].as_str().unwrap(), item["count"]),
    };
    if let Some(dims) = &codec.dims {
        let dims: Vec<String> = dims.iter().map(u32::to_string).collect();
        let _ = write!(out, "[{}]", dims.join(","));
    }
    out
}

/// What the dumper should say about the table.
fn expected(table: &Table) -> String {
    let rows: usize = table.blocks.first().map_or(0, |blocks| blocks.iter().map(Column::len).sum());
    let mut out = format!("rows {rows}\n");
    for (field, blocks) in table.fields.iter().zip(&table.blocks) {
        let _ = writeln!(out, "column {} {}", text(&field.name), type_words(&field.dtype));
        for a in &field.metadata {
            let _ = writeln!(
                out,
                "annotation {} {} {}",
                text(&a.name),
                type_words(a.value.dtype()),
                lines(&a.value).remove(0)
            );
        }
        for line in blocks.iter().flat_map(lines) {
            let _ = writeln!(out, "value {line}");
        }
    }
    out
}

/// The table as it is in the file, for forms that the writer chose.
fn read_back(given: &Table, bytes: &Bytes) -> Table {
    let file = drive(Opener::new(bytes.len() as u64), bytes).unwrap();
    let blocks = (0..given.fields.len()).map(|c| column_blocks(&file, bytes, c).unwrap()).collect();
    Table { fields: given.fields.clone(), blocks }
}

fn first_difference<'a>(a: &'a str, b: &'a str) -> (Option<&'a str>, Option<&'a str>) {
    let (mut a, mut b) = (a.lines(), b.lines());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return (None, None),
            (x, y) if x != y => return (x, y),
            _ => {}
        }
    }
}

#[test]
fn ml_net_reads_what_is_written() {
    let Some(oracle) = oracle() else { return };
    let dir = std::env::temp_dir().join(format!("forebay-idv-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let mut wanted: Vec<(PathBuf, String)> = Vec::new();
    for seed in 0..120u64 {
        let mut dice = Dice(seed);
        let (rows, rows_per_block) =
            ([0, 1, 2, 9, 40, 300][dice.below(6) as usize], [1, 3, 40, 1000][dice.below(4) as usize]);
        let table = table(&mut dice, 1 + seed as usize % 12, rows, rows_per_block);
        let choose = seed % 3 == 0;
        let options = WriteOptions::default()
            .with_packing(if seed % 2 == 0 { Packing::Deflate } else { Packing::None })
            .with_rows_per_block(rows_per_block as u32)
            .with_choose_sparse(choose);
        let bytes = Bytes::from(write(&table, &options).unwrap());
        let path = dir.join(format!("{seed}.idv"));
        std::fs::write(&path, &bytes).unwrap();
        wanted.push((path, if choose { expected(&read_back(&table, &bytes)) } else { expected(&table) }));
    }
    let list: Vec<String> = wanted.iter().map(|(p, _)| p.display().to_string()).collect();
    std::fs::write(dir.join("list"), list.join("\n")).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/idv-oracle.sh");
    let status = Command::new(script).env("IDV_ORACLE", oracle).arg("dump").arg(dir.join("list")).status().unwrap();
    assert!(status.success());
    for (path, expected) in &wanted {
        let said = std::fs::read_to_string(path.with_extension("idv.dump")).unwrap();
        assert_eq!(first_difference(&said, expected), (None, None), "{} (ML.NET left, Forebay right)", path.display());
        conformance::read_back("idv", "ML.NET", &path.file_name().unwrap().to_string_lossy());
    }
    std::fs::remove_dir_all(&dir).unwrap();
}
