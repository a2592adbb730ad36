//! Filters that cannot mean anything are refused, on every way to samples.

use std::{collections::BTreeSet, fs};

use forebay::filter::Filter;
use forebay_native::{
    Dataset,
    convert::{Job, Options, StreamInput, To},
    select::matching,
};
use serde_json::json;

use crate::common::{Folder, bmp, error_of, forebay, tar};

/// Six samples: `cls` is a number, `json.label` text, `json.boxes` a list; `flag` only the last one has.
fn dataset(folder: &Folder) {
    let mut members = Vec::new();
    for i in 0..6 {
        members.push((format!("d/{i}.bmp"), bmp(8 + i, i)));
        members.push((format!("d/{i}.cls"), (i % 3).to_string().into_bytes()));
        let flag = if i == 5 { ",\"flag\":true" } else { "" };
        let label = format!("{{\"label\":\"c{}\",\"boxes\":[{{\"x\":{i}}}],\"none\":null{flag}}}", i % 3);
        members.push((format!("d/{i}.json"), label.into_bytes()));
    }
    fs::write(folder.at("a.tar"), tar(&members)).unwrap();
    let run = |to: &str| {
        Job::new(vec![Dataset::open(folder.at("a.tar")).unwrap()], Options::new(To::Tbl)).run(&folder.at(to))
    };
    run("a.tbl").unwrap();
    let gz = fs::File::create(folder.at("a.tar.gz")).unwrap();
    let mut gz = flate2::write::GzEncoder::new(gz, flate2::Compression::fast());
    std::io::Write::write_all(&mut gz, &fs::read(folder.at("a.tar")).unwrap()).unwrap();
    gz.finish().unwrap();
}

#[test]
fn a_field_that_no_sample_has_is_named_and_so_is_the_one_that_was_meant() {
    let folder = Folder::new();
    dataset(&folder);
    for file in ["a.tar", "a.tbl"] {
        let dataset = Dataset::open(folder.at(file)).unwrap();
        let refused = |text: &str| {
            let e = matching(&dataset, &Filter::parse(text).unwrap()).expect_err(text);
            (e.code().id(), e.message().to_owned(), e.place().offset)
        };
        for (text, at, end) in [
            ("clas == 2", 0, "did you mean cls?"),
            ("width > 3 && !(clas == 2)", 15, "did you mean cls?"),
            ("label == 'c1'", 0, "did you mean json.label?"),
            ("json.lable == 'c1'", 0, "did you mean json.label?"),
            ("heigth > 2", 0, "did you mean height?"),
            ("json.boxes[0].y > 2", 0, "did you mean json.boxes[0].x?"),
            ("format == jpeg", 10, "put text into quotes: \"jpeg\""),
            ("unheard_of > 3", 0, "there are cls, id, json.boxes[0].x, json.flag, json.label, json.none, name"),
        ] {
            let (code, message, offset) = refused(text);
            assert_eq!((code, offset), ("filter.field", Some(at)), "{file}: {text}: {message}");
            assert!(message.ends_with(end) || message.contains(&end[..end.len().min(40)]), "{file}: {text}: {message}");
        }
        for (text, end) in [
            ("cls == '2'", "write cls == 2"),
            ("json.label == 2", "write json.label == \"2\""),
            ("json.label", "such as json.label != null"),
            ("'c1' in json.label", "write json.label == \"c1\""),
            ("json == 3", "as json.x names x"),
            ("cls ~ '1*'", "the pattern \"1*\" is for text"),
        ] {
            let (code, message, _) = refused(text);
            assert!(code == "filter.kind" && message.ends_with(end), "{file}: {text}: {message}");
        }
        let selected = |text: &str| matching(&dataset, &Filter::parse(text).unwrap()).expect(text);
        // A few have it, or one asks just for its absence, or what is there is null.
        assert_eq!(selected("json.flag"), [5]);
        assert_eq!(selected("json.flag == null"), [0, 1, 2, 3, 4]);
        assert_eq!(selected("unheard_of == null").len(), 6);
        assert_eq!(selected("unheard_of != null").len(), 0);
        assert_eq!(selected("json.none == 3").len(), 0);
        assert_eq!(selected("cls == 77").len(), 0);
    }
    // What one file lacks another may have, and a stream has an end.
    let both = || vec![Dataset::open(folder.at("a.tbl")).unwrap(), Dataset::open(folder.at("b.tar")).unwrap()];
    fs::write(folder.at("b.tar"), tar(&[("x.bmp", &bmp(9, 1)[..]), ("x.txt", b"a boat")])).unwrap();
    let job = |text: &str| Job::new(both(), Options::new(To::Tbl)).filter(&Filter::parse(text).unwrap());
    assert_eq!(job("txt ~ '*boat'").unwrap().run(&folder.at("boat.tbl")).unwrap().samples, 1);
    assert_eq!(job("text ~ '*boat'").unwrap_err().code().id(), "filter.field");
    let stream = |text: &str| {
        let input = StreamInput::open(&folder.at("a.tar.gz"), &forebay::Limits::host()).unwrap().unwrap();
        let job = Job::stream(input, Options::new(To::Tbl)).filter(&Filter::parse(text).unwrap()).unwrap();
        job.run(&folder.at("stream.tbl")).map(|summary| summary.samples)
    };
    for (text, code) in [("clas == 2", "filter.field"), ("cls == '2'", "filter.kind"), ("cls == 77", "convert.empty")] {
        assert_eq!(stream(text).unwrap_err().code().id(), code, "{text}");
        assert!(!folder.at("stream.tbl").exists());
    }
    assert_eq!(stream("cls == 2").unwrap(), 2);
}

/// The commands that have an option, by their own help.
fn commands_with(option: &str) -> BTreeSet<String> {
    let help = |arguments: &[&str]| String::from_utf8(forebay(arguments).stdout).unwrap();
    let all = help(&["--help"]);
    let listed = all.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next().filter(|name| !name.is_empty()));
    let has = |name: &&str| help(&[name, "--help"]).split_whitespace().any(|word| word == option);
    names.filter(|name| *name != "help").filter(has).map(str::to_owned).collect()
}

#[test]
fn every_command_refuses_such_filters_and_an_output_without_samples() {
    let folder = Folder::new();
    dataset(&folder);
    let at = |name: &str| folder.at(name).to_string_lossy().into_owned();
    let (tbl, tar, out) = (at("a.tbl"), at("a.tar"), at("out.tbl"));
    let commands: [&[&str]; 13] = [
        &["convert", &tbl, &out],
        &["convert", &tar, &at("out.tar")],
        &["concat", &tbl, &tar, "-o", &out],
        &["head", &tbl],
        &["stats", &tar],
        &["plan", &tbl],
        &["bench", &tbl, "--image", "4"],
        &["extract", &tbl, "--all", "--to", &at("out")],
        &["extract", &tar, "--all", "--to", &at("out")],
        &["shards", &tbl, "--shards", "2", "-o", &at("out")],
        &["duplicates", &tbl],
        &["outliers", &tar],
        &["split", &tbl, "--train", "1", "-o", &at("out")],
    ];
    let tried: BTreeSet<&str> = commands.iter().map(|command| command[0]).collect();
    assert_eq!(tried, commands_with("--where").iter().map(String::as_str).collect());
    for command in commands {
        for (filter, code) in [("clas == 2", "filter.field"), ("cls == '2'", "filter.kind")] {
            let done = forebay([command, &["--where", filter, "--json"]].concat());
            let error = error_of(&done);
            assert_eq!((done.status.code(), &error["code"]), (Some(2), &json!(code)), "{command:?}: {error}");
        }
    }
    assert!(!folder.at("out").exists());
    // Nothing is written before the whole filter is judged.
    let either = ["--where", "width > 0 || clas == 2", "--json"];
    assert_eq!(error_of(&forebay([commands[7], &either].concat()))["code"], "filter.field");
    assert!(!folder.at("out").exists());
    for command in &commands[..3] {
        let with = |more: &[&str]| forebay([*command, &["--where", "cls == 77", "--json"][..], more].concat());
        let done = with(&[]);
        let error = error_of(&done);
        assert_eq!((done.status.code(), &error["code"]), (Some(2), &json!("convert.empty")), "{command:?}");
        assert!(error["message"].as_str().unwrap().contains("--allow-empty"), "{error}");
        assert!(!folder.at("out.tbl").exists() && !folder.at("out.tar").exists());
        let done = with(&["--allow-empty", "--force"]);
        assert!(done.status.success(), "{command:?}: {done:?}");
        for made in ["out.tbl", "out.tar"] {
            let _ = fs::remove_file(folder.at(made));
        }
    }
    // Rows that were found are shown, whatever the samples behind them have.
    let done = forebay(["head", &tbl, "-n", "1", "--where", "width > 8 || clas == 2", "--json"]);
    assert!(done.status.success() && !done.stdout.is_empty());
}
