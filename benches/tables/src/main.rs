//! One table in every format, one thread, ratios within one run.
//!
//!     cargo run --release --manifest-path benches/tables/Cargo.toml -- [ROWS] [ROUNDS]
//!
//! Every contestant first proves that it gives back what it was given; then all take turns, and the median of
//! the rounds counts. Time is what the thread had of a processor, so that other work on the machine weighs less.

mod data;
mod peers;

use std::hint::black_box;

use data::{Row, rows, to_batch};
use rustix::time::{ClockId, clock_gettime};

/// One measured thing.
struct Contestant {
    name: &'static str,
    bytes: usize,
    run: Box<dyn Fn()>,
    seconds: Vec<f64>,
}

/// Seconds that this thread had of a processor.
fn processor() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn contest(title: &str, json_bytes: usize, rounds: usize, base: &str, list: Vec<(&'static str, usize, Box<dyn Fn()>)>) {
    // For a profiler: only what has this in "title: name".
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut all: Vec<Contestant> = list
        .into_iter()
        .filter(|(name, ..)| format!("{title}: {name}").contains(&only))
        .map(|(name, bytes, run)| Contestant { name, bytes, run, seconds: vec![] })
        .collect();
    if all.is_empty() {
        return;
    }
    for _ in 0..rounds {
        for c in &mut all {
            let start = processor();
            (c.run)();
            c.seconds.push(processor() - start);
        }
    }
    let median = |c: &Contestant| {
        let mut s = c.seconds.clone();
        s.sort_by(f64::total_cmp);
        s[s.len() / 2]
    };
    let of_base = all.iter().find(|c| c.name == base).map_or(f64::NAN, median);
    println!("\n### {title}\n");
    println!("| format | bytes | % of JSON | ms | x {base} |\n|---|---|---|---|---|");
    for c in &all {
        let (ms, percent) = (median(c) * 1e3, c.bytes as f64 * 100.0 / json_bytes as f64);
        println!("| {} | {} | {percent:.1} | {ms:.2} | {:.2} |", c.name, c.bytes, of_base * 1e3 / ms);
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let n: usize = arguments.next().and_then(|a| a.parse().ok()).unwrap_or(1_000_000);
    let rounds: usize = arguments.next().and_then(|a| a.parse().ok()).unwrap_or(7);
    let rows: &'static [Row] = Box::leak(rows(n).into_boxed_slice());
    let batch: &'static _ = Box::leak(Box::new(to_batch(rows)));
    let arrow: &'static _ = Box::leak(Box::new(peers::arrow_batch(rows)));
    let json: &'static [u8] = Box::leak(serde_json::to_vec(rows).unwrap().into_boxed_slice());
    println!("{n} rows, {rounds} rounds, JSON {} bytes", json.len());

    let tbf = bytes::Bytes::from(forebay::tbf::write(batch, Default::default()).unwrap());
    assert_eq!(peers::read_columns(&tbf), *batch);
    assert_eq!(peers::read_rows(&tbf), rows);
    let encoded = peers::Encoded::new(rows, arrow);
    let bench = |f: Box<dyn Fn()>| f;
    macro_rules! run {
        ($e:expr) => {
            bench(Box::new(move || {
                let _ = black_box($e);
            }))
        };
    }
    let e: &'static peers::Encoded = Box::leak(Box::new(encoded));
    let tbf: &'static bytes::Bytes = Box::leak(Box::new(tbf));

    contest(
        "Decode to typed columns",
        json.len(),
        rounds,
        "Arrow IPC",
        vec![
            ("forebay TBF", tbf.len(), run!(peers::read_columns(tbf))),
            ("forebay TBF, texts expanded", tbf.len(), run!(peers::read_plain_columns(tbf))),
            ("forebay TBF, 1 of 7 columns", tbf.len(), run!(peers::read_one_column(tbf))),
            ("Arrow IPC", e.ipc.len(), run!(peers::read_ipc(&e.ipc))),
            ("Arrow IPC, memory mapped", e.ipc.len(), run!(peers::read_ipc_shared(&e.ipc_shared))),
            ("Parquet snappy", e.snappy.len(), run!(peers::read_parquet(&e.snappy))),
            ("Parquet zstd 3", e.zstd.len(), run!(peers::read_parquet(&e.zstd))),
            ("tauq C", e.tauq_c.len(), run!(peers::tauq_c_columns(&e.tauq_c))),
        ],
    );
    contest(
        "Decode to structs",
        json.len(),
        rounds,
        "bitcode",
        vec![
            ("forebay TBF", tbf.len(), run!(peers::read_rows(tbf))),
            ("the rows cloned: what making them costs", 0, run!(rows.to_vec())),
            ("bitcode", e.bitcode.len(), run!(bitcode::decode::<Vec<Row>>(&e.bitcode).unwrap())),
            ("bincode", e.bincode.len(), run!(bincode::deserialize::<Vec<Row>>(&e.bincode).unwrap())),
            ("serde_json", json.len(), run!(serde_json::from_slice::<Vec<Row>>(json).unwrap())),
            ("tauq T", e.tauq_t.len(), run!(tauq::tbf::from_bytes::<Vec<Row>>(&e.tauq_t).unwrap())),
            ("tauq U", e.tauq_u.len(), run!(<Row as tauq::tbf::FastDecode>::fast_decode_slice(&e.tauq_u).unwrap())),
            ("tauq C", e.tauq_c.len(), run!(peers::tauq_c_rows(&e.tauq_c))),
        ],
    );
    contest(
        "Encode from columns",
        json.len(),
        rounds,
        "Arrow IPC",
        vec![
            ("forebay TBF", tbf.len(), run!(forebay::tbf::write(batch, Default::default()).unwrap())),
            ("Arrow IPC", e.ipc.len(), run!(peers::write_ipc(arrow))),
            ("Parquet snappy", e.snappy.len(), run!(peers::write_parquet(arrow, false))),
            ("Parquet zstd 3", e.zstd.len(), run!(peers::write_parquet(arrow, true))),
        ],
    );
    contest(
        "Encode from structs",
        json.len(),
        rounds,
        "bitcode",
        vec![
            ("forebay TBF", tbf.len(), run!(<Row as forebay::tbf::TbfEncode>::to_tbf(rows).unwrap())),
            ("bitcode", e.bitcode.len(), run!(bitcode::encode(rows))),
            ("bincode", e.bincode.len(), run!(bincode::serialize(rows).unwrap())),
            ("serde_json", json.len(), run!(serde_json::to_vec(rows).unwrap())),
            ("tauq T", e.tauq_t.len(), run!(tauq::tbf::to_bytes(&rows).unwrap())),
            ("tauq U", e.tauq_u.len(), run!(tauq::tbf::fast_encode_slice(rows))),
            ("tauq C", e.tauq_c.len(), run!(peers::tauq_c(rows))),
        ],
    );
}
