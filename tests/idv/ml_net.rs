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
    codec::deflate::Inflater,
    idv::{Block, Codec, Opener, Packing, Values, Vectors, WriteOptions},
    step::drive,
};

use super::{
    as_json::type_json,
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

fn items(values: &Values) -> Vec<String> {
    fn each<T: Copy>(v: &[T], f: impl Fn(T) -> String) -> Vec<String> {
        v.iter().map(|x| f(*x)).collect()
    }
    match values {
        Values::Int8(v) => each(v, |x| x.to_string()),
        Values::UInt8(v) => each(v, |x| x.to_string()),
        Values::Int16(v) => each(v, |x| x.to_string()),
        Values::UInt16(v) => each(v, |x| x.to_string()),
        Values::Int32(v) => each(v, |x| x.to_string()),
        Values::UInt32(v) => each(v, |x| x.to_string()),
        Values::Int64(v) => each(v, |x| x.to_string()),
        Values::UInt64(v) => each(v, |x| x.to_string()),
        Values::Float32(v) => each(v, |x| format!("f{:08x}", x.to_bits())),
        Values::Float64(v) => each(v, |x| format!("d{:016x}", x.to_bits())),
        Values::Bool(v) => each(v, |x| x.to_string()),
        Values::Duration(v) => each(v, |x| format!("s{x}")),
        Values::DateTime(v) => each(v, |x| format!("c{x}")),
        Values::RowId(v) => each(v, |x| format!("r{}/{}", x as u64, x >> 64)),
        Values::DateTimeOffset { ticks, minutes } => {
            ticks.iter().zip(minutes).map(|(t, m)| format!("z{t}/{m}")).collect()
        }
        Values::Text(t) => (0..t.ends.len()).map(|i| text(t.get(i).unwrap())).collect(),
    }
}

fn lines(block: &Block) -> Vec<String> {
    let v: &Vectors = match block {
        Block::Scalars(values) => return items(values),
        Block::Vectors(v) => v,
    };
    let (mut values, mut indices) = (items(&v.values).into_iter(), v.indices.iter());
    let mut one = |i: usize, count: i32| {
        let length = v.lengths.get(i);
        let mut out = format!("[{length} {}", if count < 0 { "dense" } else { "sparse" });
        for _ in 0..u32::try_from(count).unwrap_or(length) {
            out.push(' ');
            if count >= 0 {
                let _ = write!(out, "{}:", indices.next().unwrap());
            }
            out.push_str(&values.next().unwrap());
        }
        out + "]"
    };
    v.counts.iter().enumerate().map(|(i, &c)| one(i, c)).collect()
}

fn type_words(codec: &Codec) -> String {
    let json = type_json(codec);
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
    let rows: usize = table.blocks.first().map_or(0, |blocks| blocks.iter().map(Block::rows).sum());
    let mut out = format!("rows {rows}\n");
    for (spec, blocks) in table.columns.iter().zip(&table.blocks) {
        let _ = writeln!(out, "column {} {}", text(&spec.name), type_words(&spec.codec));
        for a in &spec.annotations {
            let _ =
                writeln!(out, "annotation {} {} {}", text(&a.kind), type_words(&a.codec), lines(&a.value).remove(0));
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
    let mut inflater = Inflater::default();
    let mut block = |column, block| {
        let range = file.entry(column, block).unwrap().range();
        file.decode(column, block, &bytes[range.start as usize..range.end as usize], &mut inflater).unwrap()
    };
    let blocks = (0..given.columns.len()).map(|c| (0..file.blocks()).map(|b| block(c, b)).collect()).collect();
    Table { columns: given.columns.clone(), blocks }
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
    }
    std::fs::remove_dir_all(&dir).unwrap();
}
