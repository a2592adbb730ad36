//! How many requests things cost.

use std::path::Path;

use forebay::filter::Filter;
use forebay_native::{
    Dataset, Input, OpenOptions,
    cache::Cache,
    cost::{Link, cost},
    input::Source,
    loader::Loader,
    plan::{Plan, Run},
    remote::{Settings, open},
    select::matching,
    tables::{self, ReadOptions, TableCompression, TableFormat, TableJob},
};

use crate::remote::{Folder, Job, Options, To, files, pattern, server::Server, settings, tar};

/// The ranges of the requests since the last time.
fn ranges(server: &Server) -> Vec<(u64, u64)> {
    server.asked().iter().map(|asked| asked.range.expect("only ranges are asked for")).collect()
}

#[test]
fn a_tbl_opens_in_two_requests_and_a_filter_of_its_index_costs_no_more() {
    let server = Server::start();
    let (_, tbl) = files(2000);
    server.put("bucket/train.tbl", tbl.clone());
    for address in [format!("{}/bucket/train.tbl", server.url()), "s3://bucket/train.tbl".into()] {
        let input = open(&address, &settings(&server)).unwrap();
        let dataset = Dataset::from_input(input, &OpenOptions::default()).unwrap();
        let chosen = matching(&dataset, &Filter::parse("width >= 10").unwrap()).unwrap();
        assert_eq!((dataset.len(), chosen.len()), (2000, 1200));
        let asked = ranges(&server);
        assert_eq!((asked.len(), asked[0], asked[1].0), (2, (0, 16 << 10), 64), "{asked:?}");
        dataset.payload(1000).unwrap();
        assert_eq!(ranges(&server).len(), 1);
    }
}

#[test]
fn a_small_file_is_one_request_and_looking_at_it_first_costs_none() {
    let server = Server::start();
    let (_, tbl) = files(20);
    server.put("b/small.tbl", tbl);
    let address = format!("{}/b/small.tbl", server.url());
    let path = std::path::Path::new(&address);
    assert_eq!(forebay_native::input::first_bytes(path, 4).unwrap().len(), 4);
    let dataset = Dataset::open(path).unwrap();
    (0..20).for_each(|i| drop(dataset.payload(i).unwrap()));
    assert_eq!(ranges(&server).len(), 1);
    // What is opened anew is looked at anew.
    assert_eq!(Dataset::open(path).unwrap().len(), 20);
    assert_eq!(ranges(&server).len(), 1);
}

#[test]
fn reading_from_front_to_back_takes_few_requests_and_no_byte_twice() {
    let server = Server::start();
    let bytes = pattern(40 << 20);
    server.put("b/x", bytes.clone());
    let input = open(&format!("{}/b/x", server.url()), &Settings::new()).unwrap();
    for at in (0..bytes.len()).step_by(100_000) {
        let end = bytes.len().min(at + 100_000);
        assert!(input.lend(at as u64..end as u64).unwrap() == bytes[at..end], "{at}");
    }
    let mut asked = ranges(&server);
    assert!(asked.len() < 20, "{asked:?}");
    asked.sort_unstable();
    let twice: u64 = asked.windows(2).map(|pair| pair[0].1.saturating_sub(pair[1].0)).sum();
    // The first bytes that opening brought, and the first read behind them.
    assert!(twice <= 100_000, "{asked:?}");
}

#[test]
fn reading_on_through_a_cache_takes_as_few_requests() {
    let server = Server::start();
    let bytes = pattern(40 << 20);
    server.put("b/x", bytes.clone());
    // With room for all of it, and with room for a part.
    for most in [1 << 30, 4 << 20] {
        let folder = Folder::new();
        let cache = Cache::open(folder.path()).unwrap().bytes(most);
        let input = open(&format!("{}/b/x", server.url()), &Settings::new()).unwrap().cached(&cache);
        for at in (0..bytes.len()).step_by(100_000) {
            let end = bytes.len().min(at + 100_000);
            assert!(input.lend(at as u64..end as u64).unwrap() == bytes[at..end], "{at}");
        }
        let asked = ranges(&server);
        assert!(asked.len() < 25, "{most}: {asked:?}");
    }
}

#[test]
fn a_column_of_a_parquet_file_is_a_request_for_each_row_group() {
    const ROWS: u32 = 1 << 16;
    let (server, folder) = (Server::start(), Folder::new());
    let row = |i: u32| (1..7_u32).map(move |k| (i + 1).wrapping_mul(2_654_435_761_u32.wrapping_mul(k)).to_string());
    let lines: Vec<String> = (0..3 * ROWS).map(|i| row(i).collect::<Vec<_>>().join(",")).collect();
    std::fs::write(folder.at("t.csv"), format!("a,b,c,d,e,f\n{}\n", lines.join("\n"))).unwrap();
    let mut job = TableJob::new(vec![folder.at("t.csv")], TableFormat::Parquet);
    job.write.core.group_rows = Some(ROWS as usize);
    job.run(&folder.at("t.parquet")).unwrap();
    let file = std::fs::read(folder.at("t.parquet")).unwrap();
    server.put("b/t.parquet", file.clone());
    let column = |path: &Path| {
        let mut source = tables::open(path, &ReadOptions::default()).unwrap();
        source.select(&[2]).unwrap();
        std::iter::from_fn(|| source.next_batch().unwrap()).collect::<Vec<_>>()
    };
    let found = column(format!("{}/b/t.parquet", server.url()).as_ref());
    assert!(found == column(&folder.at("t.parquet")));
    let asked = ranges(&server);
    let bytes: u64 = asked.iter().map(|range| range.1 - range.0).sum();
    // The first bytes, the footer, and three chunks.
    assert!(asked.len() <= 5 && bytes < file.len() as u64 / 4, "{bytes} of {}: {asked:?}", file.len());
}

#[test]
fn a_column_of_an_arrow_file_is_a_request_for_each_batch() {
    const ROWS: u32 = 1 << 16;
    let (server, folder) = (Server::start(), Folder::new());
    let row = |i: u32| {
        let words =
            (1..5_u32).map(move |k| format!("w{}", (i + 1).wrapping_mul(2_654_435_761_u32.wrapping_mul(k)) >> 8));
        words.chain([i.to_string()]).collect::<Vec<_>>().join(",")
    };
    let lines: Vec<String> = (0..3 * ROWS).map(row).collect();
    std::fs::write(folder.at("t.csv"), format!("a,b,c,d,e\n{}\n", lines.join("\n"))).unwrap();
    for compression in [None, Some(TableCompression::Zstd)] {
        let mut job = TableJob::new(vec![folder.at("t.csv")], TableFormat::Arrow);
        job.write.core.group_rows = Some(ROWS as usize);
        job.write.compression = compression;
        job.force = true;
        job.run(&folder.at("t.arrow")).unwrap();
        let file = std::fs::read(folder.at("t.arrow")).unwrap();
        server.put("b/t.arrow", file.clone());
        server.asked();
        for columns in [&[2][..], &[4], &[3, 1], &[0, 1, 2, 3, 4]] {
            let read = |path: &Path| {
                let mut source = tables::open(path, &ReadOptions::default()).unwrap();
                source.select(columns).unwrap();
                std::iter::from_fn(|| source.next_batch().unwrap()).collect::<Vec<_>>()
            };
            let found = read(format!("{}/b/t.arrow", server.url()).as_ref());
            assert!(found == read(&folder.at("t.arrow")), "{columns:?}");
            let asked = ranges(&server);
            let bytes: u64 = asked.iter().map(|range| range.1 - range.0).sum();
            if columns.len() == 1 {
                assert!(asked.len() <= 10 && bytes < file.len() as u64 / 3, "{bytes} of {}: {asked:?}", file.len());
            }
        }
    }
}

#[test]
fn an_archive_is_scanned_in_few_requests() {
    let server = Server::start();
    let (archive, tbl) = files(3000);
    server.put("b/a.tar", archive.clone());
    server.put("b/a.tbl", tbl);
    let dataset = Dataset::open(format!("{}/b/a.tar", server.url())).unwrap();
    assert_eq!(dataset.len(), 3000);
    let asked = ranges(&server);
    assert!(asked.len() <= 12, "{} requests for {} bytes: {asked:?}", asked.len(), archive.len());
}

#[test]
fn a_loader_asks_for_what_was_planned_and_no_byte_more() {
    let server = Server::start();
    let members: Vec<_> = (0..200_u32)
        .map(|i| (format!("{i:04}.bin"), pattern(100_000).into_iter().map(|byte| byte ^ i as u8).collect::<Vec<u8>>()))
        .collect();
    let folder = Folder::new();
    std::fs::write(folder.at("a.tar"), tar(&members)).unwrap();
    Job::new(vec![Dataset::open(folder.at("a.tar")).unwrap()], Options::new(To::Tbl)).run(&folder.at("a.tbl")).unwrap();
    server.put("b/a.tbl", std::fs::read(folder.at("a.tbl")).unwrap());
    // In stored order each range begins where the one before ended, and still nothing is read on behind it.
    for blocks in [None, Some((16, 2))] {
        let mut run = Run::new(1, 8);
        (run.shuffle, run.blocks) = (blocks.map(|_| 3), blocks);
        let plan = Plan::new(vec![Dataset::open(folder.at("a.tbl")).unwrap()], None, &run).unwrap();
        let [said, _] = cost(&plan, (0, 0), &Link::default(), None).unwrap();
        let input = open(&format!("{}/b/a.tbl", server.url()), &Settings::new()).unwrap();
        let dataset = Dataset::from_input(input, &OpenOptions::default()).unwrap();
        let mut loader = Loader::over([dataset]).unwrap().batch(8).workers(2);
        if let Some((block, window)) = blocks {
            loader = loader.shuffle_blocks(3, block, window);
        }
        let mut loader = loader.build().unwrap();
        server.asked();
        assert_eq!(loader.epoch(0).unwrap().map(|batch| batch.unwrap().len()).sum::<usize>(), 200);
        loader.stop();
        // The batches of the epoch behind may be asked for, or not yet.
        let asked = ranges(&server);
        let bytes: u64 = asked.iter().map(|range| range.1 - range.0).sum();
        assert!(asked.len() as u64 <= said.requests && bytes <= said.bytes, "{said:?} {asked:?}");
        assert!(said.bytes - bytes <= 17 * 100_004, "{said:?} {bytes}");
    }
}

#[test]
fn several_ranges_are_one_round() {
    let server = Server::start();
    let bytes = pattern(30 << 20);
    server.put("b/x", bytes.clone());
    server.latency(std::time::Duration::from_millis(100));
    let input = open(&format!("{}/b/x", server.url()), &Settings::new()).unwrap();
    server.asked();
    let wanted: Vec<_> =
        (0..12_u64).map(|i| ((1 + i * 2) << 20)..((1 + i * 2) << 20) + 1000).chain([0..10, 0..0]).collect();
    let probe = Probe(input.clone());
    for (range, came) in wanted.iter().zip(probe.many(&wanted)) {
        assert!(came == bytes[range.start as usize..range.end as usize], "{range:?}");
    }
    // Each is far from the others; those of the first bytes are here already.
    assert_eq!(ranges(&server).len(), 12);
    assert!(server.most_at_once() > 4, "{}", server.most_at_once());
    // Near ones are one request.
    let near: Vec<_> = (0..50_u64).map(|i| (3 << 20) + i * 100_000..(3 << 20) + i * 100_000 + 2000).collect();
    probe.many(&near);
    assert_eq!(ranges(&server).len(), 1);
}

/// Work that needs several ranges at once.
struct Probe(Input);

impl Probe {
    fn many(&self, ranges: &[std::ops::Range<u64>]) -> Vec<bytes::Bytes> {
        use forebay::{Result, Step, Stepper};
        #[derive(Debug)]
        struct Work(Vec<std::ops::Range<u64>>, Vec<(u64, bytes::Bytes)>);
        impl Stepper for Work {
            type Output = Vec<(u64, bytes::Bytes)>;
            fn step(&mut self) -> Result<Step<Self::Output>> {
                match self.1.is_empty() {
                    true => Ok(Step::Need(self.0.clone())),
                    false => Ok(Step::Done(std::mem::take(&mut self.1))),
                }
            }
            fn push(&mut self, start: u64, bytes: bytes::Bytes) {
                self.1.push((start, bytes));
            }
        }
        let came = self.0.drive(&mut Work(ranges.to_vec(), Vec::new()), |_| 0).unwrap();
        assert!(came.iter().map(|(start, _)| *start).eq(ranges.iter().map(|range| range.start)));
        came.into_iter().map(|(_, bytes)| bytes).collect()
    }
}

#[test]
fn a_footer_that_is_read_in_steps_is_one_request() {
    let server = Server::start();
    let bytes = pattern(3 << 20);
    server.put("b/x", bytes.clone());
    let input = open(&format!("{}/b/x", server.url()), &Settings::new()).unwrap();
    let len = bytes.len() as u64;
    for range in [len - 8..len, len - 40_000..len - 8, len - 50_000..len - 49_000] {
        assert_eq!(input.slice(range.clone()).unwrap(), bytes[range.start as usize..range.end as usize]);
    }
    assert_eq!(ranges(&server).len(), 2);
}

#[test]
fn an_object_has_an_identity_of_its_name_state_and_length() {
    let server = Server::start();
    server.put_tagged("b/x", pattern(100), "\"abc\"");
    let address = format!("{}/b/x?sig=hidden", server.url());
    let identity = open(&address, &Settings::new()).unwrap().identity().unwrap();
    assert_eq!(identity, format!("{}/b/x \"abc\" 100", server.url()));
    server.put_tagged("b/x", pattern(100), "");
    assert_eq!(open(&address, &Settings::new()).unwrap().identity(), None);
    // A source of the machine has none.
    #[derive(Debug)]
    struct Plain;
    impl Source for Plain {
        fn len(&self) -> u64 {
            0
        }
        fn read_at(&self, _: u64, _: &mut [u8]) -> forebay::Result<()> {
            Ok(())
        }
        fn unchanged(&self) -> forebay::Result<()> {
            Ok(())
        }
    }
    assert_eq!(Input::over("x", Plain).identity(), None);
}
