//! A store that misbehaves costs time, and never half an object.

use std::{
    io::Write,
    process::Stdio,
    time::{Duration, Instant},
};

use crate::{
    common::error_of,
    server::Fault,
    writing::place::{Place, methods},
};

#[test]
fn what_passes_is_tried_again() {
    let (place, mut nobodys) = (Place::with_big(), 0);
    for fault in [
        Fault::Status(503, "SlowDown"),
        Fault::Status(500, "InternalError"),
        Fault::Silence,
        Fault::Lost,
        Fault::Status(200, "InternalError"),
    ] {
        for request in ["HEAD", "POST /bucket/out.tbl?uploads", "partNumber=2", "partNumber=1", "out.tbl?uploadId"] {
            if fault == Fault::Status(200, "InternalError") && request != "out.tbl?uploadId" {
                continue;
            }
            place.server.remove("bucket/out.tbl");
            place.server.fail(request, fault.clone());
            place.succeed(&["convert", &place.local("big.tar"), "s3://bucket/out.tbl", "-q"]);
            assert!(place.there("out.tbl").unwrap() == place.file("big.tbl"), "{fault:?} {request}");
            // An upload of which the answer was lost is nobody's.
            nobodys += usize::from(fault == Fault::Lost && request.contains("uploads"));
            assert_eq!(place.server.uploads(), nobodys, "{fault:?} {request}");
        }
        place.server.remove("bucket/out.tbl");
        place.server.fail("PUT", fault.clone());
        if fault == Fault::Status(200, "InternalError") {
            continue;
        }
        place.succeed(&["convert", &place.local("a.tar"), "s3://bucket/out.tbl", "-q"]);
        assert!(place.there("out.tbl").unwrap() == place.file("a.tbl"), "{fault:?}");
    }
}

#[test]
fn an_object_that_is_there_though_nobody_heard_of_it_is_no_failure() {
    for (name, request) in [("a", "PUT"), ("big", "out.tbl?uploadId")] {
        for old in [None, Some("old")] {
            let place = Place::with_big();
            old.into_iter().for_each(|old| place.server.put("bucket/out.tbl", old));
            place.server.fail(request, Fault::Lost);
            place.server.asked();
            place.succeed(&["convert", &place.local(&format!("{name}.tar")), "s3://bucket/out.tbl", "-q", "--force"]);
            assert!(place.there("out.tbl").unwrap() == place.file(&format!("{name}.tbl")));
            let asked = methods(&place.server.asked());
            assert!(asked.ends_with(if name == "a" { "PUT PUT HEAD" } else { "POST POST HEAD" }), "{asked}");
        }
        // If it is never heard of, it is looked for.
        let place = Place::with_big();
        (0..4).for_each(|_| place.server.fail(request, Fault::Lost));
        place.succeed(&["convert", &place.local(&format!("{name}.tar")), "s3://bucket/out.tbl", "-q"]);
        assert!(place.there("out.tbl").unwrap() == place.file(&format!("{name}.tbl")));
    }
}

#[test]
fn what_stays_is_an_error_and_leaves_nothing() {
    for (request, fault, code) in [
        ("partNumber", Fault::Status(403, "AccessDenied"), "remote.denied"),
        ("partNumber", Fault::Status(404, "NoSuchUpload"), "remote.server"),
        ("partNumber", Fault::Status(503, "SlowDown"), "remote.busy"),
        ("?uploads", Fault::Status(404, "NoSuchBucket"), "remote.bucket"),
        ("out.tbl?uploadId", Fault::Status(400, "InvalidPart"), "remote.server"),
        ("out.tbl?uploadId", Fault::Silence, "remote.broken"),
        ("HEAD", Fault::Status(500, ""), "remote.server"),
    ] {
        let place = Place::with_big();
        (0..40).for_each(|_| place.server.fail(request, fault.clone()));
        let old = place.run(&["convert", "--json", &place.local("big.tar"), "s3://bucket/out.tbl"]);
        assert_eq!(error_of(&old)["code"].as_str(), Some(code), "{request} {fault:?}: {old:?}");
        assert!(!format!("{old:?}").contains("hidden-secret"));
        assert_eq!(place.there("out.tbl"), None);
        place.server.forgive();
        assert!(place.server.uploads() == 0 || request == "out.tbl?uploadId", "{request} {fault:?}");
    }
}

#[test]
fn a_conversion_that_fails_half_way_ends_its_upload() {
    let place = Place::with_big();
    let mut broken = place.file("big.tar");
    broken.truncate(30_000_000);
    let mut piped =
        place.command(&["convert", "-", "s3://bucket/out.tbl", "-q"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = piped.stdin.take().unwrap();
    input.write_all(&broken).unwrap();
    // The archive ends only once a part is on its way.
    let begun = Instant::now();
    while !place.server.asked().iter().any(|one| one.query.contains("partNumber")) {
        assert!(begun.elapsed() < Duration::from_secs(60), "no part was sent");
        std::thread::sleep(Duration::from_millis(2));
    }
    drop(input);
    assert_eq!(piped.wait().unwrap().code(), Some(1));
    assert_eq!((place.there("out.tbl"), place.server.uploads()), (None, 0));
}
