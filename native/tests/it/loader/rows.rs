//! Rows of tables as batches: every type of column, missing values, windows, and the order of all loaders.

use std::path::PathBuf;

use forebay::order::{Settings, Shuffle, Tail};
use forebay_native::loader::{Builder, Loader, RowBatch, Rows, RowsBuilder};

use crate::common::Folder;

/// 20 rows of JSON lines, in three runs of 7, 7 and 6.
fn table(folder: &Folder) -> PathBuf {
    let path = folder.at("rows.jsonl");
    let row = |i: i64| {
        let age = if i == 3 { "null".to_owned() } else { (i * 10).to_string() };
        let tokens = (0..i % 4).map(|k| (i * 100 + k).to_string()).collect::<Vec<_>>().join(",");
        format!(
            r#"{{"n":{i},"age":{age},"speed":{}.5,"good":{},"name":"row {i}é","tokens":[{tokens}],"run":"r{}"}}"#,
            i,
            i % 2 == 0,
            i / 7
        )
    };
    std::fs::write(&path, (0..20).map(row).collect::<Vec<_>>().join("\n")).unwrap();
    path
}

fn code(builder: RowsBuilder) -> (&'static str, String) {
    let e = builder.build().unwrap_err();
    (e.code().id(), e.message().to_owned())
}

fn numbers(batch: &RowBatch, name: &str) -> Vec<i64> {
    batch.column(name).unwrap().values().i64().unwrap().to_vec()
}

#[test]
fn columns_of_every_type_become_tensors() {
    let folder = Folder::new();
    let path = table(&folder);
    let mut rows = Rows::open(&path).unwrap().batch(5).build().unwrap();
    assert_eq!(rows.steps(), 4);
    let batch = rows.epoch(0).unwrap().next().unwrap();
    assert_eq!(
        batch.columns().map(|(name, _)| name).collect::<Vec<_>>(),
        ["n", "age", "speed", "good", "name", "tokens", "run"]
    );
    let of = |name: &str| batch.column(name).unwrap();
    assert_eq!((numbers(&batch, "n"), of("n").shape(), of("n").mask()), (vec![0, 1, 2, 3, 4], &[5][..], None));
    assert_eq!((numbers(&batch, "age"), of("age").mask()), (vec![0, 10, 20, 0, 40], Some(&[1, 1, 1, 0, 1][..])));
    assert_eq!(of("speed").values().f32().unwrap(), [0.5, 1.5, 2.5, 3.5, 4.5]);
    assert_eq!(of("good").values().u8().unwrap(), [1, 0, 1, 0, 1]);
    assert_eq!(of("name").texts().collect::<Vec<_>>(), ["row 0é", "row 1é", "row 2é", "row 3é", "row 4é"]);
    let tokens = of("tokens");
    assert_eq!(tokens.values().i64().unwrap(), [100, 200, 201, 300, 301, 302]);
    assert_eq!(tokens.offsets().unwrap(), [0, 0, 1, 3, 6, 6]);
    let (values, mask, longest) = tokens.padded(-1, 2).unwrap();
    assert_eq!((values, longest), (vec![-1, -1, 100, -1, 200, 201, 300, 301, -1, -1], 2));
    assert_eq!(mask, [0, 0, 1, 0, 1, 1, 1, 1, 0, 0]);
    assert_eq!(tokens.padded(0, 100).unwrap().2, 3);
    assert_eq!(of("age").padded(0, 2).unwrap_err().code().id(), "loader.settings");
}

#[test]
fn rows_come_in_the_order_of_all_loaders_and_resume_on_other_ranks() {
    let folder = Folder::new();
    let path = table(&folder);
    let open = |batch, rank, world| {
        let builder = Rows::open(&path).unwrap().columns(["n"]).batch(batch).shuffle(7).shard(rank, world);
        builder.tail(Tail::Uneven)
    };
    let settings = Settings::default().with_seed(7).with_shuffle(Shuffle::Full).with_batch(6).with_tail(Tail::Uneven);
    let order = forebay::order::Order::new(vec![forebay::order::Source::new("rows.jsonl", 20)], settings).unwrap();
    let mut whole = open(6, 0, 1).build().unwrap();
    for epoch in 0..3 {
        let steps: Vec<Vec<i64>> = whole.epoch(epoch).unwrap().map(|batch| numbers(&batch, "n")).collect();
        let epoch = order.epoch(epoch).unwrap();
        let wanted: Vec<Vec<i64>> =
            (0..4).map(|step| epoch.batch(step, 0).map(|item| item.sample as i64).collect()).collect();
        assert_eq!(steps, wanted);
    }
    let mut broken_off = open(6, 0, 1).build().unwrap();
    let first = broken_off.epoch(2).unwrap().next().unwrap();
    let state = broken_off.state();
    let mut rest: Vec<Vec<i64>> = vec![numbers(&first, "n")];
    let mut ranks: Vec<Rows> = (0..3).map(|rank| open(2, rank, 3).resume(state.clone()).build().unwrap()).collect();
    let parts: Vec<Vec<RowBatch>> = ranks.iter_mut().map(|rows| rows.epoch(2).unwrap().collect()).collect();
    for step in 0..3 {
        rest.push(
            parts.iter().flat_map(|of_rank| of_rank.get(step).map(|b| numbers(b, "n")).unwrap_or_default()).collect(),
        );
    }
    let wanted: Vec<Vec<i64>> = whole.epoch(2).unwrap().map(|batch| numbers(&batch, "n")).collect();
    assert_eq!(rest, wanted);

    // Other columns or rows are others.
    let other = Rows::open(&path).unwrap().columns(["age"]).batch(6).shuffle(7).tail(Tail::Uneven).resume(state);
    assert_eq!(code(other).0, "order.state_file");
}

#[test]
fn windows_stay_in_their_groups() {
    let folder = Folder::new();
    let path = table(&folder);
    let open = || Rows::open(&path).unwrap().columns(["n", "speed"]).batch(3).tail(Tail::Uneven);
    let firsts = |builder: RowsBuilder| -> Vec<i64> {
        let mut rows = builder.build().unwrap();
        let mut found = Vec::new();
        for batch in rows.epoch(0).unwrap() {
            let column = batch.column("n").unwrap();
            assert_eq!(column.shape(), [batch.len(), 4]);
            for window in column.values().i64().unwrap().chunks(4) {
                assert!(window.windows(2).all(|pair| pair[1] == pair[0] + 1), "{window:?}");
                found.push(window[0]);
            }
            assert_eq!(batch.column("speed").unwrap().shape(), [batch.len(), 4]);
            assert!(batch.column("run").is_none());
        }
        found
    };
    assert_eq!(firsts(open().windows(4, 1).within("run")), [0, 1, 2, 3, 7, 8, 9, 10, 14, 15, 16]);
    assert_eq!(firsts(open().windows(4, 3).within("run")), [0, 3, 7, 10, 14]);
    assert_eq!(firsts(open().windows(4, 4)), [0, 4, 8, 12, 16]);
    assert_eq!(firsts(open().filter("n >= 5").unwrap().windows(4, 4).within("run")), [7, 14]);
    assert!(code(Rows::open(&path).unwrap().windows(2, 1)).1.contains("any number of values"));
}

#[test]
fn what_does_not_go_is_refused() {
    let folder = Folder::new();
    let path = table(&folder);
    let open = || Rows::open(&path).unwrap();
    assert_eq!(code(open().shard(2, 2)).0, "loader.settings");
    assert_eq!(code(open().windows(0, 1)).0, "loader.settings");
    assert_eq!(code(open().within("run")).0, "loader.settings");
    assert_eq!(code(open().most_bytes(100)).0, "loader.settings");
    assert_eq!(code(open().batch(21)).0, "loader.settings");
    assert!(open().columns(["nothing"]).build().is_err());
    assert!(Rows::open(folder.at("absent.csv")).unwrap().build().is_err());
    let large = folder.at("large.jsonl");
    std::fs::write(&large, "{\"x\":1e39}\n{\"x\":2.5}\n").unwrap();
    let (id, said) = code(Rows::open(&large).unwrap().batch(2));
    assert!(id == "loader.settings" && said.contains("row 0") && said.contains("32 bits"), "{said}");
    let other = Loader::open(&path).and_then(Builder::build).unwrap_err();
    assert_eq!(other.code().id(), "format.not_samples");
    assert!(other.message().contains("`Rows::open`"), "{other}");
}

#[test]
fn a_csv_file_gives_numbers_and_where_they_are() {
    let folder = Folder::new();
    let path = folder.at("a.csv");
    std::fs::write(&path, "n,x,t\n1,0.5,a\n2,,b\n3,2.5,\n4,3.5,d\n").unwrap();
    let mut rows = Rows::open(&path).unwrap().batch(4).build().unwrap();
    let batch = rows.epoch(0).unwrap().next().unwrap();
    assert_eq!(numbers(&batch, "n"), [1, 2, 3, 4]);
    let x = batch.column("x").unwrap();
    assert_eq!((x.values().f32().unwrap(), x.mask()), (&[0.5, 0.0, 2.5, 3.5][..], Some(&[1, 0, 1, 1][..])));
}

#[test]
fn a_table_in_which_any_number_changed_is_another() {
    let folder = Folder::new();
    let path = table(&folder);
    let open = || Rows::open(&path).unwrap().batch(5);
    let state = open().build().unwrap().state();
    open().resume(state.clone()).build().unwrap();
    let whole = std::fs::read_to_string(&path).unwrap();
    // A number, a text and a missing value, of rows in between.
    for (from, to) in [("\"n\":8,", "\"n\":7,"), ("row 12", "row 13"), ("\"age\":null", "\"age\":0")] {
        assert!(whole.contains(from));
        std::fs::write(&path, whole.replace(from, to)).unwrap();
        let e = open().resume(state.clone()).build().unwrap_err();
        assert_eq!(e.code().id(), "order.state_file", "{from}: {e}");
    }
    // Where windows begin follows from a column that is not among them.
    std::fs::write(&path, &whole).unwrap();
    let windows = || open().columns(["n"]).windows(3, 1).within("run").batch(2);
    let state = windows().build().unwrap().state();
    windows().resume(state.clone()).build().unwrap();
    let moved = whole.replacen("\"run\":\"r1\"", "\"run\":\"r0\"", 1);
    std::fs::write(&path, moved).unwrap();
    assert_eq!(windows().resume(state).build().unwrap_err().code().id(), "order.state_file");
}
