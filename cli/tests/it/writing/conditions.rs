//! Nobody's object is replaced without a word.

use std::time::Duration;

use crate::{common::error_of, server::Fault, writing::place::Place};

#[test]
fn what_is_there_is_replaced_only_by_force() {
    let place = Place::new();
    place.server.put("bucket/out.tbl", "precious");
    let refused = place.run(&["convert", "--json", &place.local("a.tar"), "s3://bucket/out.tbl"]);
    assert_eq!((refused.status.code(), error_of(&refused)["code"].as_str()), (Some(2), Some("usage.argument")));
    assert_eq!(place.there("out.tbl").unwrap(), b"precious");
    place.server.asked();
    place.succeed(&["convert", &place.local("a.tar"), "s3://bucket/out.tbl", "--force", "-q"]);
    assert_eq!(place.server.asked()[1].headers["if-match"], "\"tag-1\"");
    assert!(place.there("out.tbl").unwrap() == place.file("a.tbl"));
}

#[test]
fn what_somebody_writes_meanwhile_is_left_as_it_is() {
    for (before, force) in [(None, false), (None, true), (Some("old"), true)] {
        for name in ["a.tar", "big.tar"] {
            let place = Place::with_big();
            before.into_iter().for_each(|old| place.server.put("bucket/out.tbl", old));
            // The last request is answered late enough for another to come before it.
            let last = if name == "a.tar" { "PUT /bucket/out.tbl" } else { "out.tbl?uploadId" };
            place.server.fail(last, Fault::Late(Duration::from_millis(1500)));
            let local = place.local(name);
            let mut arguments = vec!["convert", "--json", &local, "s3://bucket/out.tbl"];
            arguments.extend(force.then_some("--force"));
            let child = place.command(&arguments).stdout(std::process::Stdio::piped()).spawn().unwrap();
            while !place.server.has_asked(last) {
                std::thread::sleep(Duration::from_millis(5));
            }
            place.server.put("bucket/out.tbl", "another's");
            let ended = child.wait_with_output().unwrap();
            let error = error_of(&ended);
            assert_eq!((ended.status.code(), error["code"].as_str()), (Some(2), Some("usage.argument")));
            // The caller gave --force already; proposing it again does not help.
            assert_eq!(error["message"].as_str().unwrap().contains("--force"), !force, "{error}");
            assert_eq!(place.there("out.tbl").unwrap(), b"another's", "{before:?} {force} {name}");
            assert_eq!(place.server.uploads(), 0);
        }
    }
}

#[test]
fn of_two_that_write_the_same_one_wins() {
    let place = Place::with_big();
    let begin = || place.command(&["convert", &place.local("big.tar"), "s3://bucket/out.tbl", "-q"]).spawn().unwrap();
    let codes: Vec<_> = [begin(), begin()].map(|mut child| child.wait().unwrap().code().unwrap()).into();
    assert!(codes == [0, 2] || codes == [2, 0], "{codes:?}");
    assert!(place.there("out.tbl").unwrap() == place.file("big.tbl"));
    assert_eq!(place.server.uploads(), 0);
}

#[test]
fn a_store_that_knows_no_conditions_is_asked_what_is_there() {
    let place = Place::with_big();
    place.server.without_conditions(true);
    for name in ["a", "big"] {
        let (from, to) = (place.local(&format!("{name}.tar")), format!("s3://bucket/{name}-out.tbl"));
        let done = place.succeed(&["convert", &from, &to]);
        assert!(String::from_utf8_lossy(&done.stderr).contains("no conditional writes"), "{done:?}");
        let there = place.there(&format!("{name}-out.tbl")).unwrap();
        assert!(there == place.file(&format!("{name}.tbl")));
        assert_eq!(place.run(&["convert", &from, &to, "-q"]).status.code(), Some(2));
        place.succeed(&["convert", &from, &to, "-q", "--force"]);
    }
}
