//! What is said of servers that refuse, lie, or are not there.

use std::time::{Duration, Instant};

use forebay::Error;
use forebay_native::{
    Dataset, Input,
    check::check,
    convert::{Job, Options, To},
    dataset::OpenOptions,
    remote::{Settings, open},
};

use crate::{
    common::Folder,
    remote::{
        files, pattern,
        server::{Fault, Server},
        settings,
    },
};

fn opening(server: &Server, fault: Fault) -> Error {
    server.put("bucket/x", pattern(100_000));
    server.fail("bucket", fault);
    open("s3://bucket/x", &settings(server)).unwrap_err()
}

#[test]
fn a_refusal_is_one_sentence_with_a_code() {
    let server = Server::start();
    for (fault, code, says) in [
        (Fault::Status(403, "AccessDenied"), "remote.denied", "AccessDenied"),
        (Fault::Status(403, "SignatureDoesNotMatch"), "remote.credentials", "AWS_SECRET_ACCESS_KEY"),
        (Fault::Status(403, "InvalidAccessKeyId"), "remote.credentials", "AWS_ACCESS_KEY_ID"),
        (Fault::Status(400, "ExpiredToken"), "remote.credentials", "expired"),
        (Fault::Status(403, "RequestTimeTooSkewed"), "remote.clock", "clock"),
        (Fault::Status(404, "NoSuchBucket"), "remote.bucket", "no bucket bucket"),
        (Fault::Status(404, "NoSuchKey"), "remote.not_found", "no object"),
        (Fault::Status(401, ""), "remote.credentials", "AWS_PROFILE"),
        (Fault::Status(400, "Odd"), "remote.server", "Odd, It is so."),
        (
            Fault::Redirect(301, vec![("x-amz-bucket-region", "eu-west-1".into())]),
            "remote.region",
            "AWS_REGION=eu-west-1",
        ),
        (Fault::Short(10), "remote.answer", "promised 16384 bytes and sent 16374"),
        (Fault::Long(10), "remote.answer", "sent more"),
        (Fault::WrongRange, "remote.answer", "other bytes, or another number of them"),
        (Fault::Whole, "remote.ranges", "no ranges"),
    ] {
        let e = opening(&server, fault.clone());
        let text = format!("{e} {}", e.code().meaning());
        assert_eq!(e.code().id(), code, "{fault:?}: {e}");
        assert!(text.contains(says) && text.starts_with("s3://bucket/x: "), "{fault:?}: {text}");
        assert!(!format!("{e:?}").contains("hidden-secret"), "{e:?}");
        assert_eq!(
            server.asked().len(),
            if code == "remote.ranges" { 2 } else { 1 },
            "{fault:?}: such is not tried again"
        );
    }
}

#[test]
fn a_lie_in_the_middle_is_found_out() {
    let server = Server::start();
    for (fault, code) in [
        (Fault::Short(10), "remote.answer"),
        (Fault::Long(10), "remote.answer"),
        (Fault::WrongRange, "remote.answer"),
        (Fault::Whole, "remote.ranges"),
        (Fault::Status(403, "AccessDenied"), "remote.denied"),
        (Fault::Status(400, "ExpiredToken"), "remote.credentials"),
    ] {
        server.put("b/x", pattern(200_000));
        let input = open("s3://b/x", &settings(&server)).unwrap();
        server.fail("b/x", fault.clone());
        let e = input.slice(60_000..100_000).unwrap_err();
        assert_eq!(e.code().id(), code, "{fault:?}: {e}");
        // It was this answer alone.
        assert!(input.slice(60_000..100_000).unwrap() == pattern(200_000)[60_000..100_000]);
    }
}

#[test]
fn an_answer_in_chunks_is_as_long_as_its_range_says() {
    let server = Server::start();
    server.put("b/x", pattern(200_000));
    server.fail_every(1, Fault::Chunked);
    let input = open("s3://b/x", &settings(&server)).unwrap();
    assert!(input.slice(60_000..100_000).unwrap() == pattern(200_000)[60_000..100_000]);
}

#[test]
fn what_is_refused_in_the_middle_is_no_damage_and_leaves_no_output() {
    let server = Server::start();
    let (tar, tbl) = files(400);
    let folder = Folder::new();
    let output = folder.at("out.tbl");
    std::fs::write(&output, "old").unwrap();
    let faults = [Fault::Status(403, "AccessDenied"), Fault::Status(404, "NoSuchKey"), Fault::Short(1), Fault::Whole];
    let mut keep_going = OpenOptions::default();
    keep_going.keep_going = true;
    for ((name, bytes), (k, fault)) in [("a.tar", tar), ("a.tbl", tbl)]
        .iter()
        .flat_map(|file| faults.iter().enumerate().map(move |fault| (file, fault)))
    {
        // Each time another object: what was found in an archive is kept.
        let address = format!("s3://b/{k}/{name}");
        server.put(&format!("b/{k}/{name}"), bytes.clone());
        let opened = open(&address, &settings(&server)).unwrap();
        // What is read ahead may fail unheard: it goes on failing.
        if *name == "a.tar" {
            server.fail_every(1, fault.clone());
            assert!(Dataset::from_input(opened.clone(), &keep_going).is_err(), "{fault:?}");
            server.forgive();
        }
        let dataset = Dataset::from_input(opened, &keep_going).unwrap();
        server.fail_every(1, fault.clone());
        let looked = match *name {
            "a.tbl" => check(&dataset, 2, &mut |_| {}).map(drop),
            _ => dataset.payload(399).map(drop),
        };
        let mut options = Options::new(To::Tbl);
        (options.keep_going, options.force) = (true, true);
        let converted = Job::new(vec![dataset], options).run(&output).map(drop);
        for e in [looked, converted].map(Result::unwrap_err) {
            assert!(e.code().id().starts_with("remote."), "{name}, {fault:?}: {e}");
        }
        assert_eq!(std::fs::read(&output).unwrap(), b"old");
        server.forgive();
    }
}

#[test]
fn an_object_that_changes_is_an_error_and_never_a_mixture() {
    let server = Server::start();
    let other = |len: usize| vec![7; len];
    let read = |input: &Input| input.slice(60_000..100_000).unwrap_err().code().id();
    server.put("b/tagged", pattern(200_000));
    let input = open("s3://b/tagged", &settings(&server)).unwrap();
    server.put("b/tagged", other(200_000));
    assert_eq!(read(&input), "source.changed");
    // By HTTP a weak tag is compared here, and no tag leaves the length.
    let at = |name: &str| open(&format!("{}/b/{name}", server.url()), &Settings::new()).unwrap();
    server.put_tagged("b/weak", pattern(200_000), "W/\"1\"");
    let input = at("weak");
    server.put_tagged("b/weak", other(200_000), "W/\"2\"");
    assert_eq!(read(&input), "source.changed");
    server.put_tagged("b/none", pattern(200_000), "");
    let input = at("none");
    server.put_tagged("b/none", other(200_001), "");
    assert_eq!(read(&input), "source.changed");
    server.put_tagged("b/none", other(10), "");
    assert_eq!(read(&input), "source.changed");
    // The middle of a broken answer is not taken from another object.
    server.put("b/late", pattern(1 << 20));
    let input = open("s3://b/late", &settings(&server)).unwrap();
    server.fail("b/late", Fault::Reset(300_000));
    server.fail("b/late", Fault::Status(412, "PreconditionFailed"));
    assert_eq!(input.slice(100_000..1 << 20).unwrap_err().code().id(), "source.changed");
}

#[test]
fn what_does_not_pass_ends() {
    let server = Server::start();
    server.put("b/x", pattern(100));
    let few = settings(&server).with("FOREBAY_REMOTE_TRIES", "2");
    for (fault, code) in [
        (Fault::Status(503, "SlowDown"), "remote.busy"),
        (Fault::Status(502, ""), "remote.server"),
        (Fault::Silence, "remote.broken"),
        (Fault::Reset(5), "remote.broken"),
    ] {
        let broken = Server::start();
        broken.put("b/x", pattern(100));
        broken.fail_every(1, fault.clone());
        let e = open("s3://b/x", &few.clone().with("AWS_ENDPOINT_URL", broken.url())).unwrap_err();
        assert_eq!(e.code().id(), code, "{fault:?}: {e}");
        assert!(e.message().contains("tried 2 times"), "{e}");
        assert!(code != "remote.broken" || e.message().contains("127.0.0.1"), "{e}");
        assert_eq!(broken.asked().len(), 2);
    }
    let hasty = few.with("FOREBAY_REMOTE_TIMEOUT", "0.2");
    server.fail("b/x", Fault::Late(Duration::from_secs(2)));
    server.fail("b/x", Fault::Late(Duration::from_secs(2)));
    let e = open("s3://b/x", &hasty).unwrap_err();
    assert!(e.code().id() == "remote.timeout" && e.message().contains("0.2 s"), "{e}");
}

#[test]
fn a_server_that_sends_a_byte_now_and_then_does_not_hold_anybody() {
    let server = Server::start();
    server.put("b/x", pattern(200_000));
    let hasty = settings(&server).with("FOREBAY_REMOTE_TIMEOUT", "0.5").with("FOREBAY_REMOTE_TRIES", "2");
    let input = open("s3://b/x", &hasty).unwrap();
    server.fail_every(1, Fault::Drip(Duration::from_millis(50)));
    let begun = Instant::now();
    let e = input.slice(60_000..100_000).unwrap_err();
    assert!(e.code().id() == "remote.timeout" && e.message().contains("tried 2 times"), "{e}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn a_store_that_fails_for_good_is_given_up_once() {
    let server = Server::start();
    let (_, tbl) = files(400);
    server.put("b/a.tbl", tbl.clone());
    let few = settings(&server).with("FOREBAY_REMOTE_TRIES", "3");
    let dataset = Dataset::from_input(open("s3://b/a.tbl", &few).unwrap(), &OpenOptions::default()).unwrap();
    server.put("b/other", pattern(100_000));
    let other = open("s3://b/other", &few).unwrap();
    server.asked();
    server.fail_every(1, Fault::Status(503, "SlowDown"));
    let e = check(&dataset, 4, &mut |_| {}).map(drop).unwrap_err();
    assert_eq!(e.code().id(), "remote.busy", "{e}");
    let e = other.slice(50_000..60_000).unwrap_err();
    assert_eq!(e.code().id(), "remote.busy", "{e}");
    // Threads that asked already may each have come to their last try.
    assert!(server.asked().len() <= 5 * 3, "every sample pays all tries");
}

#[test]
fn who_is_not_there_is_said() {
    let nobody = Server::start();
    let (url, few) = (nobody.url(), Settings::new().with("FOREBAY_REMOTE_TRIES", "2"));
    drop(nobody);
    std::thread::sleep(Duration::from_millis(50));
    let e = open(&format!("{url}/x?sig=hidden-secret"), &few).unwrap_err();
    assert_eq!(e.code().id(), "remote.connect", "{e}");
    assert!(e.message().contains("127.0.0.1") && !format!("{e:?}").contains("hidden-secret"), "{e:?}");
    // A server that speaks no TLS.
    let plain = Server::start();
    let e = open(&format!("https://127.0.0.1:{}/x", plain.port()), &few).unwrap_err();
    assert!(["remote.tls", "remote.connect"].contains(&e.code().id()), "{e}");
}

#[test]
fn credentials_that_are_not_there_are_asked_for() {
    let none = Settings::new()
        .with("AWS_EC2_METADATA_DISABLED", "true")
        .with("AWS_ACCESS_KEY_ID", "")
        .with("AWS_SECRET_ACCESS_KEY", "")
        .with("AWS_SHARED_CREDENTIALS_FILE", "none")
        .with("AWS_CONFIG_FILE", "none");
    let e = open("s3://bucket/x", &none).unwrap_err();
    assert!(e.code().id() == "remote.credentials" && e.message().contains("AWS_ACCESS_KEY_ID"), "{e}");
    // For what everybody may read nothing is signed.
    let server = Server::start();
    server.put("bucket/x", pattern(10));
    let anybody = none.with("AWS_SKIP_SIGNATURE", "true").with("AWS_ENDPOINT_URL", server.url());
    assert_eq!(open("s3://bucket/x", &anybody).unwrap().len(), 10);
    assert!(!server.asked()[0].headers.contains_key("authorization"));
    server.signed_only();
    assert_eq!(open("s3://bucket/x", &anybody).unwrap_err().code().id(), "remote.denied");
    for (setting, value) in [
        ("FOREBAY_REMOTE_TIMEOUT", "soon"),
        ("FOREBAY_REMOTE_TRIES", "0"),
        ("AWS_ENDPOINT_URL", "minio:9000"),
        ("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:99999"),
        ("AWS_REQUEST_PAYER", "requester"),
        ("AWS_REGION", "us east"),
        ("AWS_SESSION_TOKEN", "of a file\n"),
    ] {
        let e = open("s3://bucket/x", &anybody.clone().with(setting, value)).unwrap_err();
        assert!(e.code().id() == "remote.setting" && e.message().contains(setting), "{e}");
    }
    // The clients of other stores are as hard on what cannot be an address.
    let google = Settings::new().with("GOOGLE_SKIP_SIGNATURE", "true").with("GOOGLE_BASE_URL", "localhost:99");
    assert_eq!(open("gs://bucket/x", &google).unwrap_err().code().id(), "remote.setting");
    let azure = Settings::new().with("AZURE_SKIP_SIGNATURE", "true").with("AZURE_STORAGE_ACCOUNT_NAME", "a");
    let azure = azure.with("AZURE_STORAGE_ENDPOINT", "localhost:99");
    assert_eq!(open("az://bucket/x", &azure).unwrap_err().code().id(), "remote.setting");
}

#[test]
fn credentials_that_are_set_anew_are_those_of_the_next_request() {
    let (server, folder) = (Server::start(), tempfile::tempdir().unwrap());
    let file = folder.path().join("credentials");
    let set = |key: &str| {
        let text = format!("[default]\naws_access_key_id = {key}\naws_secret_access_key = hidden-secret\n");
        std::fs::write(&file, text).unwrap();
    };
    let by_file = settings(&server)
        .with("AWS_ACCESS_KEY_ID", "")
        .with("AWS_SECRET_ACCESS_KEY", "")
        .with("AWS_SHARED_CREDENTIALS_FILE", file.display().to_string());
    server.put("bucket/x", pattern(400_000));
    set("OLD");
    server.only_key("OLD");
    let input = open("s3://bucket/x", &by_file).unwrap();
    server.only_key("NEW");
    // As long as nobody sets others, these have expired, for what is open and for what is opened.
    for e in [input.slice(60_000..70_000).unwrap_err(), open("s3://bucket/x", &by_file).unwrap_err()] {
        assert_eq!(e.code().id(), "remote.credentials", "{e}");
    }
    set("NEW");
    assert_eq!(open("s3://bucket/x", &by_file).unwrap().len(), 400_000);
    assert!(input.slice(60_000..70_000).unwrap() == pattern(400_000)[60_000..70_000]);
    server.asked();
    // And from then on it goes by the new ones at once.
    assert!(input.slice(200_000..210_000).unwrap() == pattern(400_000)[200_000..210_000]);
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn what_is_no_object_is_said_before_anybody_is_asked() {
    let server = Server::start();
    for (address, code) in [
        ("s3://bucket/", "remote.address"),
        ("s3://bucket", "remote.address"),
        ("s3://bucket/a/../b", "remote.address"),
        ("what://bucket/a", "remote.address"),
        ("s3:///a", "remote.address"),
    ] {
        assert_eq!(open(address, &settings(&server)).unwrap_err().code().id(), code, "{address}");
    }
    assert!(server.asked().is_empty());
}

#[test]
fn nothing_is_written_to_a_server_of_files() {
    let (_, tbl) = files(3);
    let dataset = Dataset::from_input(Input::memory("a", tbl), &Default::default()).unwrap();
    let e = Job::new(vec![dataset], Options::new(To::Tbl)).run("http://127.0.0.1:9/out.tbl".as_ref()).unwrap_err();
    assert!(e.code().id() == "remote.write" && e.kind().name() == "unsupported", "{e}");
    assert!(!std::path::Path::new("http:").exists());
}
