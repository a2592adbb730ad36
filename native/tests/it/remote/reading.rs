//! The bytes are those of the object, whatever happens on the way.

use forebay_native::{
    Dataset, Input, OpenOptions,
    loader::Loader,
    remote::{Settings, open},
};
use proptest::prelude::*;

use crate::{
    common::Folder,
    remote::{
        files, pattern,
        server::{Fault, Server},
        settings,
    },
};

fn content(dataset: &Dataset) -> Vec<(Vec<u8>, Option<String>)> {
    (0..dataset.len()).map(|i| (dataset.payload(i).unwrap().to_vec(), dataset.record(i).unwrap())).collect()
}

#[test]
fn an_address_gives_the_samples_of_the_file() {
    let server = Server::start();
    let (archive, tbl) = files(300);
    let right = content(&Dataset::from_input(Input::memory("a", tbl.clone()), &OpenOptions::default()).unwrap());
    for (name, bytes) in [("a.tbl", tbl), ("a b+ü%.tar", archive)] {
        server.put(&format!("bucket/in/{name}"), bytes);
        let input = open(&format!("s3://bucket/in/{name}"), &settings(&server)).unwrap();
        assert_eq!(input.name(), format!("s3://bucket/in/{name}"));
        let dataset = Dataset::from_input(input, &OpenOptions::default()).unwrap();
        let found = content(&dataset);
        assert!(found.iter().map(|(payload, _)| payload).eq(right.iter().map(|(payload, _)| payload)), "{name}");
    }
    let asked = server.asked();
    assert!(asked.iter().all(|one| one.headers["authorization"].starts_with("AWS4-HMAC-SHA256 Credential=KEY/")));
    assert!(asked.iter().all(|one| !format!("{one:?}").contains("hidden-secret")));
}

#[test]
fn a_loader_gives_the_batches_of_the_file() {
    let server = Server::start();
    let (_, tbl) = files(200);
    let folder = Folder::new();
    std::fs::write(folder.at("a.tbl"), &tbl).unwrap();
    server.put("b/a.tbl", tbl);
    let address = format!("{}/b/a.tbl", server.url());
    let digest = |path: &str| {
        let mut loader = Loader::open(path).unwrap().batch(16).shuffle(7).workers(2).payloads().build().unwrap();
        let batches = loader.epoch(0).unwrap().map(|batch| batch.unwrap().payloads().to_vec());
        batches.collect::<Vec<_>>()
    };
    assert_eq!(digest(&address), digest(folder.at("a.tbl").to_str().unwrap()));
    assert!(!server.asked().is_empty());
}

#[test]
fn an_object_without_bytes_is_one() {
    let server = Server::start();
    server.put("b/nothing", []);
    let input = open(&format!("{}/b/nothing", server.url()), &Settings::new()).unwrap();
    assert!(input.is_empty());
    assert_eq!(input.slice(0..0).unwrap().len(), 0);
    let e = input.slice(0..1).unwrap_err();
    assert_eq!(e.code().id(), "usage.missing_bytes");
}

#[test]
fn a_broken_connection_goes_on_where_it_broke() {
    let server = Server::start();
    let bytes = pattern(5 << 20);
    server.put("b/x", bytes.clone());
    let input = open(&format!("{}/b/x", server.url()), &Settings::new()).unwrap();
    server.fail("b/x", Fault::Reset(3 << 20));
    server.fail("b/x", Fault::Reset(1000));
    server.asked();
    assert!(input.slice(100_000..5 << 20).unwrap() == bytes[100_000..]);
    let starts: Vec<u64> = server.asked().iter().map(|one| one.range.unwrap().0).collect();
    assert_eq!(starts.len(), 3, "{starts:?}");
    // What came before it broke is not asked for again; the last of it may have been lost on its way.
    assert!(starts[1] > 100_000 && starts[1] <= 100_000 + (3 << 20) && starts[2] >= starts[1], "{starts:?}");
}

#[test]
fn what_passes_is_tried_again() {
    let server = Server::start();
    server.put("b/x", pattern(100_000));
    for fault in [
        Fault::Status(503, "SlowDown"),
        Fault::Status(500, "InternalError"),
        Fault::Status(429, ""),
        Fault::Silence,
        Fault::Reset(0),
    ] {
        // Both when it is opened and when it is read.
        server.fail("b/x", fault.clone());
        let input = open("s3://b/x", &settings(&server)).unwrap();
        server.fail("b/x", fault.clone());
        assert!(input.slice(50_000..90_000).unwrap() == pattern(100_000)[50_000..90_000], "{fault:?}");
        assert!(server.asked().len() >= 4, "{fault:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn any_reads_give_the_right_bytes_while_requests_fail(
        reads in prop::collection::vec((0u64..3_000_000, 1u64..400_000, any::<bool>()), 1..25),
        on in any::<bool>(),
    ) {
        let server = Server::start();
        let bytes = pattern(3_000_000);
        server.put("b/x", bytes.clone());
        server.fail_every(7, Fault::Status(503, "SlowDown"));
        server.fail_every(11, Fault::Reset(5_000));
        let input = open(&format!("{}/b/x", server.url()), &Settings::new()).unwrap();
        let mut next = 0;
        for (start, len, jump) in reads {
            let start = if jump && !on { start } else { next };
            let end = (start + len).min(3_000_000);
            next = if end == 3_000_000 { 0 } else { end };
            let came = input.slice(start.min(end)..end).unwrap();
            prop_assert!(came == bytes[start.min(end) as usize..end as usize]);
        }
    }
}
