//! A process that ends in the middle: there is no object, or a whole one.

use std::{process::Stdio, thread, time::Duration};

use crate::place::{Place, archive};

/// Numbers without a pattern, the same in every run.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[test]
fn a_killed_process_leaves_no_half_object() {
    let place = Place::new();
    std::fs::write(place.folder.at("some.tar"), archive(200, 18_000_000)).unwrap();
    place.succeed(&["convert", &place.local("some.tar"), &place.local("some.tbl"), "-q"]);
    let (right, small) = (place.file("some.tbl"), place.file("a.tbl"));
    place.server.latency(Duration::from_millis(5));
    let (mut state, mut ended) = (1, 0);
    for round in 0..100 {
        let from = if round % 4 == 3 { "a.tar" } else { "some.tar" };
        let mut child = place
            .command(&["convert", &place.local(from), "s3://bucket/out.tbl", "-q", "--force"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(random(&mut state) % 150));
        // SIGKILL.
        child.kill().unwrap();
        ended += u32::from(child.wait().unwrap().success());
        if let Some(there) = place.there("out.tbl") {
            // Of a request that was sent before, what comes of it may be seen a round later.
            assert!(there == right || there == small, "round {round}: half an object");
            place.server.remove("bucket/out.tbl");
        }
    }
    assert!(ended < 100, "nothing was killed");
}

#[cfg(unix)]
#[test]
fn a_signal_takes_the_parts_along() {
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let place = Place::with_big();
        place.server.fail("partNumber=2", crate::server::Fault::Late(Duration::from_secs(3)));
        let mut child = place
            .command(&["convert", &place.local("big.tar"), "s3://bucket/out.tbl", "-q"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while !place.server.has_asked("partNumber=3") {
            thread::sleep(Duration::from_millis(5));
        }
        let sent = std::process::Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status();
        assert!(sent.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(128 + number));
        assert_eq!((place.there("out.tbl"), place.server.uploads()), (None, 0), "{name}");
    }
}
