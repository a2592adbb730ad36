//! Addresses in the command: what is said of an object is what is said of the file.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files, sockets and processes")]
#![cfg(feature = "remote")]

use std::process::{Command, Output};

use crate::{
    common::{FOREBAY, Folder, bmp, error_of, forebay, tar},
    secured::{AUTHORITY, Proxy, door},
    server::{Fault, Server},
};

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
        command.env("GOOGLE_BASE_URL", self.server.url()).env("GOOGLE_SKIP_SIGNATURE", "true");
        command.env("HOME", self.folder.path()).env("AWS_EC2_METADATA_DISABLED", "true");
        command.env_remove("AWS_PROFILE").env_remove("AWS_SESSION_TOKEN");
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"] {
            command.env_remove(name).env_remove(name.to_lowercase());
        }
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
fn the_first_samples_of_an_archive_do_not_cost_all_of_it() {
    let place = Place::new();
    let members: Vec<_> = (0..400).map(|i| (format!("{i:05}.bmp"), bmp(100, i))).collect();
    let archive = tar(&members);
    std::fs::write(place.folder.at("large.tar"), &archive).unwrap();
    place.put("large.tar", "large.tar");
    let shown = |name: &str, more: &[&str]| place.run(&[&["head", "-n", "2", "--json", name][..], more].concat());
    for more in [&[][..], &["--skip", "3"]] {
        let right = shown(&place.local("large.tar"), more);
        place.server.asked();
        let found = shown("s3://bucket/large.tar", more);
        assert!(found.status.success() && text(&found.stdout) == text(&right.stdout), "{}", text(&found.stderr));
        let bytes: u64 = place.server.asked().iter().filter_map(|one| one.range).map(|(from, to)| to - from).sum();
        assert!(bytes < archive.len() as u64 / 4, "{bytes} of {}", archive.len());
    }
}

#[test]
fn pictures_of_a_folder_are_asked_for_side_by_side() {
    let place = Place::new();
    for i in 0..150 {
        place.server.put(&format!("bucket/many/{i:05}.bmp"), bmp(8, i));
    }
    place.server.latency(std::time::Duration::from_millis(40));
    let many = "s3://bucket/many/";
    for arguments in [
        &["check", many][..],
        &["convert", many, "OUT", "-q", "--force"],
        &["stats", many],
        &["stats", many, "--where", "width > 4"],
        &["bench", many, "--batch", "50", "--image", "8", "--decode-alone", "0"],
    ] {
        let out = place.local("many.tbl");
        let arguments: Vec<_> = arguments.iter().map(|one| if *one == "OUT" { &out } else { *one }).collect();
        let done = place.run(&arguments);
        assert!(done.status.success(), "{arguments:?}: {}", text(&done.stderr));
        assert!(place.server.most_at_once() > 20, "{arguments:?}: {}", place.server.most_at_once());
    }
}

#[test]
fn a_server_that_stops_giving_ranges_ends_the_command() {
    let place = Place::new();
    let members: Vec<_> = (0..30).map(|i| (format!("{i:05}.bmp"), bmp(150, i))).collect();
    std::fs::write(place.folder.at("b.tar"), tar(&members)).unwrap();
    assert!(place.run(&["convert", &place.local("b.tar"), &place.local("b.tbl"), "-q"]).status.success());
    place.put("b.tbl", "b.tbl");
    let out = place.local("thumbs");
    for arguments in [&["thumbs", "s3://bucket/b.tbl", "-o", &out][..], &["check", "s3://bucket/b.tbl"]] {
        // How many requests open a file, and how many read the rest, depends on its size.
        let codes: Vec<_> = (0..3)
            .map(|requests| {
                place.server.fail_after(requests, Fault::Whole);
                let done = place.run(&[arguments, &["--json"]].concat());
                place.server.forgive();
                let code = done.status.code();
                assert!(code == Some(0) || !std::path::Path::new(&out).exists());
                let _ = std::fs::remove_file(&out);
                code
            })
            .collect();
        assert!(codes.contains(&Some(2)) && !codes.contains(&Some(1)), "{arguments:?}: {codes:?}");
    }
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
    // Google's lists are asked for as S3's are, and no emulator answers them.
    for given in
        ["s3://bucket/shards/*-of-*.tbl", "s3://bucket/shards/", "gs://bucket/shards/*.tbl", "gs://bucket/shards/"]
    {
        let joined = place.run(&["concat", given, "-o", &out, "--force", "-q"]);
        assert!(joined.status.success(), "{given}: {}", text(&joined.stderr));
        assert!(place.run(&["diff", &out, &place.local("a.tbl"), "--payloads"]).status.success());
    }
    let pictures = place.run(&["inspect", "--json", "s3://bucket/pictures/"]);
    let said: serde_json::Value = serde_json::from_slice(&pictures.stdout).unwrap();
    assert_eq!((said["format"].as_str(), said["samples"].as_u64()), (Some("folder"), Some(5)), "{said}");
    let nothing = place.run(&["inspect", "--json", "s3://bucket/none-*.tbl"]);
    assert_eq!((nothing.status.code(), error_of(&nothing)["code"].as_str()), (Some(2), Some("remote.not_found")));
    // Nor is an empty folder one, and what has a name like a pattern is meant by itself.
    let empty = place.run(&["inspect", "--json", "s3://bucket/none/"]);
    assert_eq!((empty.status.code(), error_of(&empty)["code"].as_str()), (Some(2), Some("remote.not_found")));
    let slash = error_of(&place.run(&["inspect", "--json", "s3://bucket/shards"]))["message"].to_string();
    assert!(slash.contains("ends in a slash"), "{slash}");
    for name in ["b[1].tbl", "b?x=*.tbl", "b[.tbl"] {
        place.put("a.tbl", name);
        let found = place.run(&["inspect", "--json", &format!("s3://bucket/{name}")]);
        assert!(found.status.success(), "{name}: {}", text(&found.stderr));
    }
    // What a server of files has, nobody can ask it.
    let pattern = format!("{}/bucket/shards/*.tbl", place.server.url());
    let refused = error_of(&place.run(&["inspect", "--json", &pattern]));
    assert_eq!(refused["code"].as_str(), Some("remote.not_found"));
    assert!(refused["message"].as_str().unwrap().contains("name each file"), "{refused}");
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
    // What a larger one says of all samples lies at its end; where the first request brought the index, that is one more.
    for (samples, requests) in [(300, 2), (2000, 3)] {
        let sample = |i: u32| [(format!("{i:05}.bmp"), bmp(32, i)), (format!("{i:05}.json"), b"{\"age\": 1}".to_vec())];
        let members: Vec<_> = (0..samples).flat_map(sample).collect();
        std::fs::write(place.folder.at("b.tar"), tar(&members)).unwrap();
        let made = forebay(["convert", &place.local("b.tar"), &place.local("b.tbl"), "-q", "--force"]);
        assert!(made.status.success());
        place.put("b.tbl", "b.tbl");
        place.server.asked();
        let looked = place.run(&["inspect", "--json", "s3://bucket/b.tbl"]);
        assert!(looked.status.success() && text(&looked.stdout).contains("\"document\""), "{}", text(&looked.stdout));
        let asked: Vec<_> = place.server.asked().iter().map(|one| one.range).collect();
        assert_eq!(asked.len(), requests, "{samples}: {asked:?}");
    }
}

#[test]
fn labels_of_a_store_are_read_file_by_file_and_laid_beside_its_pictures() {
    let place = Place::new();
    let object =
        "<object><name>cat</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>5</xmax><ymax>2</ymax></bndbox></object>";
    let names: Vec<String> = (0..40).map(|i| format!("{i:05}.bmp")).collect();
    for (i, name) in names.iter().enumerate() {
        let size = format!("<size><width>{}</width><height>2</height></size>", 8 + i % 5);
        let text = format!("<annotation><filename>{name}</filename>{size}{object}</annotation>");
        place.server.put(&format!("bucket/voc/{i:05}.xml"), text);
    }
    let checked = place.run(&["labels", "check", "s3://bucket/voc/", "--voc-base", "1", "--json"]);
    let said: serde_json::Value = serde_json::from_slice(&checked.stdout).unwrap_or_default();
    assert_eq!((said["pictures"].as_u64(), said["annotations"].as_u64()), (Some(40), Some(40)), "{checked:?}");
    // As one file, from the store to the store, and from there into a warehouse.
    let coco = "s3://bucket/coco.json";
    let converted = place.run(&["labels", "convert", "s3://bucket/voc/", coco, "--to", "coco", "--voc-base", "1"]);
    assert!(converted.status.success(), "{}", text(&converted.stderr));
    for labels in [coco, "s3://bucket/voc/"] {
        let base = if labels == coco { &[][..] } else { &["--voc-base", "1"] };
        let out = place.local(if labels == coco { "of-coco" } else { "of-voc" });
        let build =
            ["warehouse", "build", "s3://bucket/a.tbl", "-o", &out, "--size", "8x8", "--labels", labels, "--json"];
        let built = place.run(&[&build[..], base].concat());
        let said: serde_json::Value = serde_json::from_slice(&built.stdout).unwrap_or_default();
        assert_eq!(said["summary"]["totals"]["non_empty"].as_u64(), Some(40), "{labels}: {built:?}");
    }
    // YOLO's boxes are shares of pictures, which lie in the store too.
    place.server.put("bucket/yolo/data.yaml", "names: [cat]\n");
    place.server.put("bucket/yolo/labels/a.txt", "0 0.5 0.5 0.5 1\n");
    place.server.put("bucket/yolo/images/a.bmp", bmp(8, 1));
    for set in ["s3://bucket/yolo/", "s3://bucket/yolo/data.yaml"] {
        let yolo = place.run(&["labels", "stats", set, "--json"]);
        assert!(yolo.status.success() && text(&yolo.stdout).contains("\"annotations\":1"), "{set}: {yolo:?}");
    }
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

#[test]
fn an_authority_of_ones_own_is_named_by_the_environment() {
    let place = Place::new();
    let door = format!("https://127.0.0.1:{}", door(place.server.port()));
    let look = |authority: &str| {
        let mut command = place.command(&["inspect", "--json", "s3://bucket/a.tbl"]);
        command.env("AWS_ENDPOINT_URL", &door).env("SSL_CERT_FILE", authority).output().unwrap()
    };
    let trusted = look(AUTHORITY);
    assert!(trusted.status.success(), "{}", text(&trusted.stderr));
    let none = place.local("t.csv");
    assert_eq!(error_of(&look(&none))["code"].as_str(), Some("remote.tls"));
}

#[test]
fn proxies_of_the_environment_are_gone_through() {
    let place = Place::new();
    // Of a name that nobody knows but the proxy.
    let (plain, safe) = (Proxy::start(place.server.port(), None), Proxy::start(door(place.server.port()), None));
    let by = |variable: &str, port: u16, endpoint: &str| {
        let mut command = place.command(&["inspect", "--json", "s3://bucket/a.tbl"]);
        command.env("AWS_ENDPOINT_URL", endpoint).env(variable, format!("http://name:hidden-secret@127.0.0.1:{port}"));
        command.env("SSL_CERT_FILE", AUTHORITY).env("FOREBAY_REMOTE_TRIES", "1");
        command
    };
    let found = by("HTTP_PROXY", plain.port, "http://store.test").output().unwrap();
    assert!(found.status.success(), "{}", text(&found.stderr));
    assert!(plain.asked()[0].starts_with("GET http://store.test/bucket/a.tbl "));
    let found = by("HTTPS_PROXY", safe.port, "https://store.test").output().unwrap();
    assert!(found.status.success(), "{}", text(&found.stderr));
    assert!(safe.asked()[0].starts_with("CONNECT store.test:443 "));
    // Who is named is asked directly.
    let direct = by("HTTP_PROXY", plain.port, &place.server.url()).env("NO_PROXY", "localhost,127.0.0.1").output();
    assert!(direct.unwrap().status.success() && plain.asked().is_empty());
    // One that wants a word gets it from the address, and says so if it is wrong.
    let word = "bmFtZTpoaWRkZW4tc2VjcmV0";
    let (knows, other) =
        (Proxy::start(place.server.port(), Some(word)), Proxy::start(place.server.port(), Some("other")));
    assert!(by("HTTP_PROXY", knows.port, "http://store.test").output().unwrap().status.success());
    let refused = by("HTTP_PROXY", other.port, "http://store.test").output().unwrap();
    let error = error_of(&refused);
    assert_eq!(error["code"].as_str(), Some("remote.connect"), "{error}");
    assert!(error["message"].as_str().unwrap().contains("HTTP_PROXY"), "{error}");
    // One that is not there.
    let nobody = Server::start().port();
    let lost = by("HTTP_PROXY", nobody, "http://store.test").output().unwrap();
    assert!(error_of(&lost)["message"].as_str().unwrap().contains("NO_PROXY"), "{}", text(&lost.stderr));
    for output in [found, refused, lost] {
        let all = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(!all.contains("hidden-secret") && !all.contains(word), "{all}");
    }
}

#[test]
fn what_is_written_said_and_kept_has_no_signature_in_it() {
    let place = Place::new();
    let signed = |name: &str| format!("{}/bucket/{name}?X-Amz-Signature=hidden-secret", place.server.url());
    let (tbl, tar, csv) = (signed("a.tbl"), signed("a.tar"), signed("t.csv"));
    let at = |name: &str| place.local(name);
    let (out, kept, store) = (at("o.tbl"), at("kept"), at("w"));
    let cached = ["--cache", kept.as_str()];
    for arguments in [
        &["inspect", "-v", &tbl][..],
        &["inspect", "-v", "--json", &tar],
        &["head", "-v", "--json", &csv],
        &["stats", "-v", "--json", &tbl],
        &["check", "-v", "--json", &tbl],
        &["plan", "-v", "--json", &tbl, "--world", "2"],
        &["convert", "-v", &tar, &out, "--force"],
        &["convert", "-v", &csv, &at("o.parquet"), "--force"],
        &["diff", "-v", "--json", &tbl, &out],
        &["split", "-v", &tbl, "-o", &at("parts"), "--shards", "2"],
        &["extract", "-v", &tbl, "--all", "--to", &at("pictures")],
        &["warehouse", "build", &tbl, "-o", &store, "--size", "8x8", "--boxes", "none"],
        &["inspect", "-v", &signed("none.tbl")],
        &["head", "-v", &signed("a.tbl/none")],
        &["stats", "-v", &tbl, "--where", "nothing == 1"],
        &["cache", "list", &kept, "--json"],
    ] {
        let all = if arguments[0] == "cache" || arguments[0] == "warehouse" || arguments[0] == "extract" {
            place.run(arguments)
        } else {
            place.run(&[arguments, &cached].concat())
        };
        let all = format!("{}{}", text(&all.stdout), text(&all.stderr));
        assert!(!all.contains("hidden-secret"), "{arguments:?}: {all}");
        if arguments[0] == "warehouse" || arguments[0] == "convert" {
            assert!(!all.contains("error"), "{arguments:?}: {all}");
        }
    }
    for name in [out, at("o.parquet"), kept, store, at("parts"), at("pictures")] {
        for file in walkdir::WalkDir::new(&name) {
            let file = file.unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(!file.path().display().to_string().contains("hidden-secret"), "{file:?}");
            let found = if file.file_type().is_file() { std::fs::read(file.path()).unwrap() } else { Vec::new() };
            assert!(!found.windows(13).any(|part| part == b"hidden-secret"), "{file:?}");
        }
    }
}

#[test]
fn a_dataset_on_the_hub_is_listed_page_by_page_and_read() {
    let (hub, store, folder) = (Server::start(), Server::start(), Folder::new());
    hub.lead("datasets/", &store);
    let mut pages = [Vec::new(), Vec::new()];
    for i in 0..6_u32 {
        let (name, content) = (format!("data/cat/{i}.bmp"), bmp(8 + i, i));
        pages[i as usize % 2].push(format!(r#"{{"type":"file","oid":"x","path":"{name}","size":{}}}"#, content.len()));
        store.put(&format!("datasets/org/name/resolve/main/{name}"), content);
    }
    let list = "api/datasets/org/name/tree/main";
    pages[0].push(r#"{"type":"directory","oid":"x","path":"data/cat","size":0}"#.into());
    hub.put(&format!("{list}/data"), format!("[{}]", pages[0].join(",")));
    hub.put("api/next", format!("[{}]", pages[1].join(",")));
    hub.link(&format!("{list}/data"), &format!("{}/api/next", hub.url()));
    let run = |arguments: &[&str]| {
        let mut command = Command::new(FOREBAY);
        command.args(arguments).env("HF_ENDPOINT", hub.url()).env_remove("HF_TOKEN").env("HOME", folder.path());
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            command.env_remove(name).env_remove(name.to_lowercase());
        }
        command.output().unwrap()
    };
    for address in ["hf://datasets/org/name/data/", "https://huggingface.co/datasets/org/name/tree/main/data"] {
        let found = run(&["inspect", "--json", address]);
        let found: serde_json::Value = serde_json::from_slice(&found.stdout).unwrap();
        assert_eq!((&found["samples"], &found["classes"]), (&6.into(), &serde_json::json!(["cat"])), "{found}");
    }
    let out = folder.at("a.tbl").display().to_string();
    let made = run(&["convert", "hf://datasets/org/name/data/", &out]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    // Nothing is written there, and a list that goes on elsewhere ends.
    let error = error_of(&run(&["convert", &out, "hf://datasets/org/name/b.tbl", "--json"]));
    assert_eq!(error["code"], "remote.write");
    hub.link(&format!("{list}/data"), &format!("{}/api/next", store.url()));
    store.asked();
    assert!(!run(&["inspect", "hf://datasets/org/name/data/"]).status.success());
    assert!(!store.has_asked("api/next"));
    assert_eq!(error_of(&run(&["inspect", "hf://datasets/org/none/", "--json"]))["code"], "remote.not_found");
}
