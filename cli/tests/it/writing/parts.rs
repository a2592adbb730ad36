//! What killed writes leave in a store is listed, and cleared away.

use std::{process::Stdio, thread, time::Duration};

use crate::{common::error_of, server::Fault, writing::place::Place};

/// Leaves an unfinished upload of an object.
fn leave(place: &Place, name: &str) {
    let before = place.server.uploads();
    place.server.fail("partNumber=2", Fault::Late(Duration::from_secs(5)));
    let address = format!("s3://bucket/{name}");
    let mut child =
        place.command(&["convert", &place.local("big.tar"), &address, "-q"]).stderr(Stdio::null()).spawn().unwrap();
    while place.server.uploads() == before {
        assert!(child.try_wait().unwrap().is_none(), "it ended");
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    place.server.forgive();
}

fn said(place: &Place, arguments: &[&str], what: &str) -> Vec<String> {
    let done = place.succeed(&[&["parts"], arguments, &["--json"]].concat());
    let said: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let of = |one: &serde_json::Value| {
        assert!(one["begun"].as_u64().is_some() && one["upload"].as_str().is_some(), "{one}");
        one["address"].as_str().unwrap().to_owned()
    };
    said[what].as_array().unwrap().iter().map(of).collect()
}

#[test]
fn what_a_killed_write_left_is_listed_and_cleared() {
    let place = Place::with_big();
    // More than a page of the list.
    place.server.page(1);
    for name in ["a/out.tbl", "a/out.tbl2.tbl", "b/out.tbl"] {
        leave(&place, name);
    }
    place.server.uploads_begin("2999-01-01T00:00:00.000Z");
    leave(&place, "a/young.tbl");
    let all =
        ["s3://bucket/a/out.tbl", "s3://bucket/a/out.tbl2.tbl", "s3://bucket/a/young.tbl", "s3://bucket/b/out.tbl"];
    assert_eq!(said(&place, &["list", "s3://bucket"], "uploads"), all);
    assert_eq!(said(&place, &["list", "s3://bucket/a/", "--older", "1d"], "uploads"), all[..2]);
    assert_eq!(said(&place, &["list", "s3://bucket/a/out.tbl"], "uploads"), all[..1]);
    assert_eq!(said(&place, &["list", "s3://bucket/out.tbl"], "uploads"), [""; 0]);
    // The younger one may be somebody's who is at work.
    assert_eq!(said(&place, &["clear", "s3://bucket/a/"], "ended"), all[..2]);
    assert_eq!(said(&place, &["list", "s3://bucket/"], "uploads"), all[2..]);
    let words = place.succeed(&["parts", "clear", "s3://bucket/", "--older", "0s"]);
    assert_eq!(String::from_utf8(words.stdout).unwrap(), "2 unfinished uploads ended\n");
    assert_eq!(place.server.uploads(), 0);
}

#[test]
fn where_nothing_is_listed_the_answer_says_what_clears_it() {
    let place = Place::new();
    for (address, code, word) in [
        ("gs://bucket/x", "remote.parts", "AbortIncompleteMultipartUpload"),
        ("az://bucket/x", "remote.parts", "after a week"),
        ("s3://bucket/*.tbl", "remote.address", "pattern"),
        ("here", "usage.argument", "not an address"),
    ] {
        let refused = place.run(&["parts", "list", address, "--json"]);
        let error = error_of(&refused);
        assert_eq!(error["code"].as_str(), Some(code), "{refused:?}");
        assert!(error["message"].as_str().unwrap().contains(word), "{refused:?}");
    }
    place.server.fail("uploads", Fault::Status(403, "AccessDenied"));
    let refused = place.run(&["parts", "list", "s3://bucket/", "--json"]);
    assert_eq!(error_of(&refused)["code"].as_str(), Some("remote.denied"), "{refused:?}");
    assert!(!format!("{refused:?}").contains("hidden-secret") && !format!("{refused:?}").contains("Signature="));
    // A list that is none, and one that never ends.
    place.server.fail("uploads", Fault::NoXml);
    assert_eq!(error_of(&place.run(&["parts", "list", "s3://bucket/", "--json"]))["code"], "remote.answer");
}
