//! Addresses in the command: what is said of an object is what is said of the file.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files, sockets and processes")]
#![cfg(feature = "remote")]

mod common;
#[path = "../../native/tests/remote/server.rs"]
mod server;

use std::process::{Command, Output};

use common::{FOREBAY, Folder, bmp, error_of, forebay, tar};
use server::{Fault, Server};

/// A store on loopback with a dataset in several forms, and the same as files.
struct Place {
    server: Server,
    folder: Folder,
}

impl Place {
    fn new() -> Place {
        let (server, folder) = (Server::start(), Folder::new());
        let picture = |i: u32| (format!("{i:05}.bmp"), bmp(8 + i % 5, i));
        let members: Vec<_> = (0..40).map(picture).collect();
        std::fs::write(folder.at("a.tar"), tar(&members)).unwrap();
        let at = |name: &str| folder.at(name).display().to_string();
        assert!(forebay(["convert", &at("a.tar"), &at("a.tbl"), "-q"]).status.success());
        assert!(forebay(["split", &at("a.tbl"), "-o", &at("s"), "--shards", "3", "-q"]).status.success());
        std::fs::write(folder.at("t.csv"), "name,age\nann,31\nbob,44\n").unwrap();
        let place = Place { server, folder };
        for name in ["a.tar", "a.tbl", "t.csv"] {
            place.put(name, name);
        }
        for (name, content) in &members[..5] {
            place.server.put(&format!("bucket/pictures/cat/{name}"), content.clone());
        }
        place
    }
    fn put(&self, file: &str, name: &str) {
        self.server.put(&format!("bucket/{name}"), std::fs::read(self.folder.at(file)).unwrap());
    }
    fn local(&self, name: &str) -> String {
        self.folder.at(name).display().to_string()
    }
    /// The command with credentials for the store.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(FOREBAY);
        command.args(arguments).env("AWS_ENDPOINT_URL", self.server.url()).env("AWS_REGION", "us-east-1");
        command.env("AWS_ACCESS_KEY_ID", "KEY").env("AWS_SECRET_ACCESS_KEY", "hidden-secret");
        command.env("HOME", self.folder.path()).env("AWS_EC2_METADATA_DISABLED", "true");
        command
            .env_remove("AWS_PROFILE")
            .env_remove("AWS_SESSION_TOKEN")
            .env_remove("HTTP_PROXY")
            .env_remove("http_proxy");
        command
    }
    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn commands_say_the_same_of_an_address_and_of_the_file() {
    let place = Place::new();
    for (arguments, names) in [
        (&["inspect", "--json"][..], &["a.tbl", "a.tar", "t.csv"][..]),
        (&["head", "--json"], &["a.tbl", "a.tar", "t.csv"]),
        (&["stats", "--json"], &["a.tbl", "a.tar", "t.csv"]),
        (&["check", "--json"], &["a.tbl", "a.tar"]),
        (&["plan", "--json", "--world", "2"], &["a.tbl"]),
    ] {
        for name in names {
            let (file, address) = (place.local(name), format!("s3://bucket/{name}"));
            let run = |which: &str| place.run(&[arguments, &[which]].concat());
            let (right, found) = (run(&file), run(&address));
            let found_text = text(&found.stdout).replace(&address, &file);
            assert!(found.status.code() == right.status.code(), "{arguments:?} {name}: {}", text(&found.stderr));
            // How long it took differs.
            let plain = |text: String| text.split(",\"seconds\"").next().unwrap_or_default().to_owned();
            assert_eq!(plain(found_text), plain(text(&right.stdout)), "{arguments:?} {name}");
        }
    }
    for address in ["s3://bucket/a.tbl".to_owned(), format!("{}/bucket/a.tbl", place.server.url())] {
        let same = place.run(&["diff", &place.local("a.tbl"), &address]);
        assert!(same.status.success(), "{}", text(&same.stderr));
        let filtered =
            place.run(&["convert", &address, &place.local("out.tbl"), "--where", "width >= 10", "--force", "-q"]);
        assert!(filtered.status.success(), "{}", text(&filtered.stderr));
    }
    let file = format!("file://{}", place.local("a.tbl"));
    assert!(place.run(&["diff", &file, &place.local("a.tbl")]).status.success());
    assert!(!text(format!("{:?}", place.server.asked()).as_bytes()).contains("hidden-secret"));
}

#[test]
fn patterns_and_folders_stand_for_objects() {
    let place = Place::new();
    for shard in 0..3 {
        let name = format!("a-{shard:05}-of-00003.tbl");
        place.put(&format!("s/{name}"), &format!("shards/{name}"));
    }
    // A page of a list holds two names.
    place.server.page(2);
    let out = place.local("joined.tbl");
    for given in ["s3://bucket/shards/*-of-*.tbl", "s3://bucket/shards/"] {
        let joined = place.run(&["concat", given, "-o", &out, "--force", "-q"]);
        assert!(joined.status.success(), "{given}: {}", text(&joined.stderr));
        assert!(place.run(&["diff", &out, &place.local("a.tbl"), "--payloads"]).status.success());
    }
    let pictures = place.run(&["inspect", "--json", "s3://bucket/pictures/"]);
    let said: serde_json::Value = serde_json::from_slice(&pictures.stdout).unwrap();
    assert_eq!((said["format"].as_str(), said["samples"].as_u64()), (Some("folder"), Some(5)), "{said}");
    let nothing = place.run(&["inspect", "--json", "s3://bucket/none-*.tbl"]);
    assert_eq!((nothing.status.code(), error_of(&nothing)["code"].as_str()), (Some(2), Some("remote.not_found")));
    // What a server of files has, nobody can ask it.
    let pattern = format!("{}/bucket/shards/*.tbl", place.server.url());
    assert_eq!(error_of(&place.run(&["inspect", "--json", &pattern]))["code"].as_str(), Some("remote.not_found"));
    place.server.fail("bucket", Fault::NoXml);
    assert_eq!(
        error_of(&place.run(&["inspect", "--json", "s3://bucket/*.tbl"]))["code"].as_str(),
        Some("remote.answer")
    );
}

#[test]
fn looking_at_a_tbl_costs_its_header_and_its_index() {
    let place = Place::new();
    place.server.asked();
    let looked = place.run(&["inspect", "-v", "s3://bucket/a.tbl"]);
    assert!(looked.status.success());
    // It is small: all of it came with the first request.
    assert_eq!(place.server.asked().len(), 1);
    assert!(text(&looked.stderr).contains("network: 1 requests; "), "{}", text(&looked.stderr));
}

#[test]
fn errors_say_what_to_set_and_no_secret() {
    let place = Place::new();
    let mut bare = place.command(&["inspect", "--json", "s3://bucket/a.tbl"]);
    let none = bare.env_remove("AWS_ACCESS_KEY_ID").env_remove("AWS_SECRET_ACCESS_KEY").output().unwrap();
    assert_eq!(error_of(&none)["code"].as_str(), Some("remote.credentials"));
    place.server.fail("a.tbl", Fault::Status(403, "AccessDenied"));
    let denied = place.run(&["inspect", "--json", "s3://bucket/a.tbl"]);
    assert_eq!((denied.status.code(), error_of(&denied)["code"].as_str()), (Some(2), Some("remote.denied")));
    let missing = place.run(&["inspect", "--json", "s3://bucket/none.tbl"]);
    assert_eq!(error_of(&missing)["code"].as_str(), Some("remote.not_found"));
    let signed = format!("{}/bucket/none.tbl?X-Amz-Signature=hidden-secret", place.server.url());
    for output in [none, denied, missing, place.run(&["inspect", &signed]), place.run(&["head", &signed, "--json"])] {
        assert!(!format!("{output:?}").contains("hidden-secret"), "{output:?}");
    }
    // A profile gives what the environment does not.
    std::fs::create_dir(place.folder.at(".aws")).unwrap();
    std::fs::write(place.folder.at(".aws/credentials"), "[default]\naws_access_key_id=A\naws_secret_access_key=B\n")
        .unwrap();
    place.server.signed_only();
    let mut by_profile = place.command(&["inspect", "s3://bucket/a.tbl"]);
    let by_profile = by_profile.env_remove("AWS_ACCESS_KEY_ID").env_remove("AWS_SECRET_ACCESS_KEY").output().unwrap();
    assert!(by_profile.status.success(), "{}", text(&by_profile.stderr));
}

#[test]
fn writing_to_a_server_of_files_is_refused_in_words() {
    let place = Place::new();
    let at = |name: &str| format!("{}/bucket/{name}?sig=hidden-secret", place.server.url());
    for arguments in [
        &["convert", "--json", &place.local("a.tar"), &at("out.tbl")][..],
        &["convert", "--json", &place.local("t.csv"), &at("out.parquet")],
        &["split", "--json", &place.local("a.tbl"), "-o", &at("out/"), "--shards", "2"],
        &["extract", "--json", &place.local("a.tbl"), "--all", "--to", &at("out/")],
    ] {
        // How the output is written says its name, and a query is not a part of that.
        let arguments =
            if arguments[0] == "convert" { [arguments, &["--to", to(arguments)]].concat() } else { arguments.to_vec() };
        let refused = place.run(&arguments);
        assert_eq!(error_of(&refused)["code"].as_str(), Some("remote.write"), "{arguments:?}: {refused:?}");
        assert_eq!(refused.status.code(), Some(3));
        assert!(!format!("{refused:?}").contains("hidden-secret"), "{refused:?}");
    }
}

/// The format of an output.
fn to<'a>(arguments: &[&'a str]) -> &'a str {
    if arguments[2].ends_with(".csv") { "parquet" } else { "tbl" }
}

#[test]
fn the_viewer_gets_ranges_of_an_object_and_no_credentials() {
    use forebay_cli::serve::Counter;
    let place = Place::new();
    let bytes = std::fs::read(place.folder.at("a.tbl")).unwrap();
    let address = format!("{}/bucket/a.tbl?sig=hidden-secret", place.server.url());
    let counter = Counter::new(address.as_ref(), "token-of-a-test").unwrap();
    let get = |path: &str, range: &str| {
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: x\r\nCookie: forebay-80=token-of-a-test\r\nRange: {range}\r\n\r\n");
        counter.answers([head.as_bytes()]).unwrap()
    };
    let part = get("/data/a.tbl", "bytes=100-299");
    let said = String::from_utf8_lossy(&part);
    assert!(said.starts_with("HTTP/1.1 206") && part.ends_with(&bytes[100..300]), "{said}");
    assert!(said.contains(&format!("Content-Range: bytes 100-299/{}", bytes.len())), "{said}");
    let list = String::from_utf8_lossy(&get("/files.json", "bytes=0-")).into_owned();
    assert!(list.contains(&format!("\"bytes\":{}", bytes.len())) && !list.contains("hidden-secret"), "{list}");
}
