//! Any words behind `forebay` are understood or refused.

use forebay_cli::command;

pub(crate) fn body(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let words = text.split('\n').take(24);
    if let Err(why) = command::understand(words) {
        assert!(!why.trim().is_empty());
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    [
        "convert a.tbl b.tar --where width>3 --limit 5 --json",
        "convert t.csv t.parquet --compression zstd --level 3 --columns a,b --types a=u8,b=key<u32,5> --null NA",
        "bench a.tbl --batch 8 --image 16x24 --workers 2 --labels json.class",
        "plan a.tbl b.tar --batch 8 --shuffle 1 --world 4 --mix 3,1",
        "split a.tbl --shards 3 -o out",
        "serve . --host 0.0.0.0 --port 0 --token abcdefgh",
        "extract a.tbl --all --to out --force",
        "head t.csv -n 3 --delimiter ;",
    ]
    .map(|line| line.replace(' ', "\n").into_bytes())
    .to_vec()
}
