//! The bytes are those of the file, whichever way they came.

use crate::writing::place::{Place, methods};

#[test]
fn a_small_output_is_one_request_and_the_bytes_of_the_file() {
    let place = Place::new();
    place.succeed(&["convert", &place.local("a.tar"), "s3://bucket/out.tbl", "-q"]);
    let asked = place.server.asked();
    assert_eq!(methods(&asked), "HEAD PUT");
    assert_eq!(asked[1].headers["if-none-match"], "*");
    assert!(place.there("out.tbl").unwrap() == place.file("a.tbl"));
    place.succeed(&["convert", &place.local("a.tbl"), "s3://bucket/out.tar", "-q"]);
    assert!(place.there("out.tar").unwrap() == place.file("a.tar"));
}

#[test]
fn a_large_output_goes_in_parts_of_which_the_first_goes_last() {
    let place = Place::with_big();
    let done = place.succeed(&["convert", &place.local("big.tar"), "s3://bucket/out.tbl", "--json"]);
    assert!(place.there("out.tbl").unwrap() == place.file("big.tbl"));
    let asked = place.server.asked();
    let parts: Vec<_> = asked.iter().filter(|one| one.query.contains("partNumber")).collect();
    let mut numbers: Vec<_> = parts.iter().map(|part| part.query.split(['=', '&']).nth(1).unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, ["1", "2", "3", "4", "5"]);
    assert!(parts.iter().all(|part| part.headers["content-length"].parse::<u64>().unwrap() <= (8 << 20) + 15_000));
    assert!(asked.len() == 8 && asked[7].headers["if-none-match"] == "*", "{}", methods(&asked));
    assert_eq!(place.server.uploads(), 0);
    let said: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(said["output_bytes"].as_u64(), Some(place.file("big.tbl").len() as u64), "{said}");
}

#[test]
fn an_archive_of_unknown_length_becomes_the_same_file() {
    let place = Place::with_big();
    for layout in ["guide", "turboloader"] {
        let file = place.local("known.tbl");
        place.succeed(&["convert", &place.local("big.tar"), &file, "-q", "--force", "--layout", layout]);
        let mut piped = place.command(&["convert", "-", "s3://bucket/out.tbl", "-q", "--force", "--layout", layout]);
        piped.stdin(std::fs::File::open(place.local("big.tar")).unwrap());
        assert!(piped.output().unwrap().status.success());
        let (out, known) = (place.there("out.tbl").unwrap(), place.file("known.tbl"));
        // Where it came from stands in the document, and the header has a checksum over that.
        let same = 64 + 600 * 24 + 36_000_000;
        assert!(out[64..same] == known[64..same], "{layout}");
        std::fs::write(place.folder.at("out.tbl"), &out).unwrap();
        place.succeed(&["diff", &place.local("out.tbl"), &file, "--payloads"]);
        place.succeed(&["check", &place.local("out.tbl")]);
    }
}

#[test]
fn what_is_verified_is_read_back_before_it_appears() {
    let place = Place::with_big();
    place.succeed(&["convert", &place.local("big.tar"), "s3://bucket/out.tbl", "-q", "--verify"]);
    assert!(place.there("out.tbl").unwrap() == place.file("big.tbl"));
    assert!(!place.folder.names().iter().any(|name| name.ends_with(".part")), "{:?}", place.folder.names());
}
