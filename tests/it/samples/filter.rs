//! The filter language: what it means, what it refuses, and that its canonical text is one.

use forebay::{
    Limits,
    error::Kind,
    filter::{Filter, Path, Record, SampleRecord, Segment, Value},
    sample::{MediaFormat, SampleInfo},
};
use proptest::prelude::*;
use serde_json::json;

/// A record whose fields are a JSON document's.
struct Doc(serde_json::Value);

impl Record for Doc {
    fn field(&self, path: &Path) -> Value<'_> {
        Path::lookup(path.segments(), &self.0).into()
    }
}

fn doc() -> Doc {
    Doc(json!({
        "a": 3, "b": 3.0, "big": u64::MAX, "low": i64::MIN, "f": 9_007_199_254_740_992.0, "t": true, "n": null,
        "s": "cat", "path": "train/cats/7.jpg", "my col": 1, "x`y": 2, "and": 5,
        "tags": ["x", 1, null], "o": {"p": [{"q": "deep"}]}
    }))
}

fn is(text: &str) -> bool {
    Filter::parse(text).unwrap_or_else(|e| panic!("{text}: {e}")).matches(&doc())
}

#[test]
fn expressions_mean_what_the_module_says() {
    for text in [
        "",
        "  ",
        "true",
        "a == 3",
        "a == b",
        "a >= 3 && a <= 3",
        "a > 2.5",
        "not a < 3",
        "3 == a",
        "a != 4",
        "big == 18446744073709551615",
        "big > 18446744073709551614",
        "big > low",
        "low == -9223372036854775808",
        // 2^53 + 1 rounds to 2^53 as a float; here it does not.
        "9007199254740993 > f",
        "9007199254740993 != f",
        "9007199254740992 == f",
        "big < 1e20",
        "low > -1e300",
        "t",
        "!n",
        "!s",
        "t == true",
        "false != t",
        "s == \"cat\"",
        "s == 'cat'",
        "s < \"dog\"",
        "\"Z\" < s",
        "s ~ \"c?t\"",
        "s !~ \"C*\"",
        "path ~ '*.jpg'",
        "path ~ \"train/*/[0-9].jp*g\"",
        "a !~ \"3\"",
        "n == null",
        "missing == null",
        "s != null",
        "!(missing == 3)",
        "o != null",
        "tags != null",
        "null == null",
        "a in [1, 2, 3]",
        "a in [3.0]",
        "s in [\"dog\", \"cat\",]",
        "n in [null]",
        "!(a in [])",
        "\"x\" in tags",
        "1.0 in tags",
        "null in tags",
        "!(\"x\" in s)",
        "`my col` == 1",
        "`x``y` == 2",
        "`and` == 5",
        "o.p[0].q == \"deep\"",
        "o.`p`[0].q ~ \"*\"",
        "o.p[1].q == null",
        // && before ||, ! before both.
        "t || t && !t",
        "!t || t",
        "t and t or not t",
        "(t || n) && t",
        "a != \"cat\"",
        "!(a == \"3\")",
        "tags == tags",
    ] {
        assert!(is(text), "{text}");
    }
    for text in [
        "false",
        "a",
        "s",
        "a == \"3\"",
        "a < \"4\"",
        "missing != 3",
        "missing < 3",
        "n != 3",
        "missing == missing",
        "n !~ \"x\"",
        "n ~ \"*\"",
        "a ~ \"3\"",
        "null < 3",
        "null <= null",
        "s ~ \"c\"",
        "s ~ \"CAT\"",
        "o == o",
        "t && n",
        "\"y\" in tags",
        "missing in [1]",
        "a in missing",
    ] {
        assert!(!is(text), "{text}");
    }
}

#[test]
fn every_refusal_says_where_and_what_was_expected() {
    for (text, code, at, words) in [
        ("width >=", "filter.syntax", 8, "expected a field or a value, found the end"),
        ("width = 3", "filter.syntax", 6, "equality is =="),
        ("a & b", "filter.syntax", 2, "\"and\" is &&"),
        ("é == 1 & b", "filter.syntax", 7, "&&"),
        ("a == 1)", "filter.syntax", 6, "expected &&, || or the end, found \")\""),
        ("(a == 1", "filter.syntax", 7, "expected &&, || or )"),
        ("1 < a < 3", "filter.syntax", 6, "do not chain"),
        ("a b", "filter.syntax", 2, "expected an operator such as =="),
        ("3", "filter.syntax", 1, "expected an operator"),
        ("a ~ b", "filter.syntax", 4, "a pattern in quotes"),
        ("a ~ \"[x\"", "filter.string", 4, "not closed"),
        ("a in 3", "filter.syntax", 5, "expected a list in [ ] or a field"),
        ("a in [1 2]", "filter.syntax", 8, "expected , or ]"),
        ("a in [,]", "filter.syntax", 6, "expected a value"),
        ("a == 'x", "filter.string", 5, "not closed with '"),
        ("a == 'é\\q'", "filter.string", 7, "not an escape"),
        ("`a == 1", "filter.string", 0, "not closed with `"),
        ("a == 18446744073709551616", "filter.number", 5, "64 bits"),
        ("a == 1.", "filter.number", 5, "malformed"),
        ("a == 10kB", "filter.number", 5, "malformed"),
        ("a == -", "filter.number", 5, "malformed"),
        ("a == 1e999", "filter.number", 5, "larger"),
        ("a.[0] == 1", "filter.syntax", 2, "expected a name"),
        ("a[-1] == 1", "filter.syntax", 2, "expected a position"),
        ("a[0 == 1", "filter.syntax", 4, "expected ]"),
        ("a == \u{7}", "filter.syntax", 5, "no meaning"),
    ] {
        let e = Filter::parse(text).map(|f| f.to_string()).expect_err(text);
        assert_eq!((e.code().id(), e.kind(), e.place().offset), (code, Kind::Usage, Some(at)), "{text}: {e}");
        assert!(e.message().contains(words), "{text}: {e}");
    }
}

#[test]
fn nesting_is_bounded_and_chains_are_not() {
    for open in ["(", "!", "!("] {
        let e = Filter::parse(&(open.repeat(100_000) + "t")).unwrap_err();
        assert_eq!(e.code().id(), "limit.nesting");
    }
    let chain = ["a == 3"; 50_000].join(" && ");
    assert!(is(&chain));
    assert!(Filter::parse_with("((t))", &Limits::default()).is_ok());
}

#[test]
fn canonical_texts_are_these() {
    for (text, canonical) in [
        ("", "true"),
        ("a==1 and(b<2 or c>3)and not d", "a == 1 && (b < 2 || c > 3) && !d"),
        ("a == 1 && (b == 2 && c == 3)", "a == 1 && b == 2 && c == 3"),
        ("((a == 1) or b == 2)", "a == 1 || b == 2"),
        ("not(a==1 or b)", "!(a == 1 || b)"),
        ("a=='it''s'", "?"),
        ("a == 'say \"hi\"\\n'", "a == \"say \\\"hi\\\"\\n\""),
        ("a == 1e2", "a == 100.0"),
        ("x.`y z`[2].w in [ 1,'b' , null ]", "x.`y z`[2].w in [1, \"b\", null]"),
    ] {
        match Filter::parse(text) {
            Ok(filter) => {
                assert_eq!(filter.to_string(), canonical);
                assert_eq!(Filter::parse(canonical).unwrap(), filter);
            }
            Err(_) => assert_eq!(canonical, "?"),
        }
    }
}

#[test]
fn the_hash_is_that_of_the_canonical_text_and_never_changes() {
    let hash = |text| Filter::parse(text).unwrap().hash();
    assert_eq!(hash("width>=224 and format=='jpeg'"), hash("width >= 224 && format == \"jpeg\""));
    assert_ne!(hash("width >= 224"), hash("width >= 225"));
    // Loader states hold these.
    assert_eq!(hash(""), 0x5B5C_98EF_514D_BFA5);
    assert_eq!(hash("width >= 224"), 0x8FE9_6DC9_BD84_CF9C);
}

#[test]
fn fields_are_known_before_any_record_is() {
    let filter = Filter::parse("width > 2 && json.boxes[0].label == 'x' || width < 1 || name ~ '*'").unwrap();
    assert_eq!(filter.fields().map(|p| p.to_string()).collect::<Vec<_>>(), ["width", "json.boxes[0].label", "name"]);
    assert!(filter.needs_metadata() && filter.needs_name());
    assert_eq!(filter.fields().nth(1).unwrap().root(), "json");
    assert_eq!(filter.fields().nth(1).unwrap().segments()[2], Segment::Index(0));
    let index_only = Filter::parse("aspect > 1 && bytes < 100 && format == 'png' && stored_bytes > 1").unwrap();
    assert!(!index_only.needs_metadata() && !index_only.needs_name());
    let e = Filter::parse("price > 3 && (prise < 9)").unwrap();
    let columns = ["price", "my col"];
    let e = e.check_fields(|p| columns.contains(&p.root()), columns).unwrap_err();
    assert_eq!((e.code().id(), e.place().offset), ("filter.field", Some(14)));
    assert_eq!(e.message(), "there is no field prise; there are price, `my col`; did you mean price?");
}

#[test]
fn a_sample_answers_from_its_index_name_and_metadata() {
    let mut info = sample();
    let metadata = json!({"cls": 7, "json": {"boxes": [{"label": "cat"}]}, "width": 5, "name": "from metadata"});
    let mut full = SampleRecord::new(&info);
    (full.name, full.metadata) = (Some("a/b.jpg"), Some(&metadata));
    for text in [
        "index == 9",
        "name == \"a/b.jpg\"",
        "format == \"jpeg\"",
        "width == 640 && height == 480",
        "pixels == 307200",
        "aspect > 1.333 && aspect < 1.334",
        "bytes == 1000",
        "stored_bytes == 900",
        "cls == 7",
        "json.boxes[0].label == 'cat'",
        "metadata.width == 5",
        "metadata.cls == 7",
    ] {
        assert!(Filter::parse(text).unwrap().matches(&full), "{text}");
    }
    let mut named = SampleRecord::new(&info);
    named.metadata = Some(&metadata);
    assert!(Filter::parse("name == 'from metadata'").unwrap().matches(&named));
    info.width = 0;
    let bare = SampleRecord::new(&info);
    for text in ["width == null && height == null && aspect == null && pixels == null", "cls == null", "name == null"] {
        assert!(Filter::parse(text).unwrap().matches(&bare), "{text}");
    }
    assert!(!Filter::parse("width < 224").unwrap().matches(&bare), "an unknown width is not a small one");
}

fn sample() -> SampleInfo {
    let mut info = SampleInfo::new(9, MediaFormat::Jpeg);
    (info.width, info.height, info.bytes, info.stored_bytes) = (640, 480, 1000, 900);
    info
}

fn literal() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        any::<u64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_filter("finite", |x| x.is_finite()).prop_map(|x| format!("{x:?}")),
        "\\PC{0,6}".prop_map(|s| format!("'{}'", s.replace('\\', "\\\\").replace('\'', "\\'"))),
        Just("true".to_owned()),
        Just("null".to_owned()),
    ]
}

fn path() -> impl Strategy<Value = String> {
    let key = prop_oneof!["[a-z_][a-z0-9_]{0,5}", "\\PC{0,5}"]
        .prop_map(|k: String| if k.is_empty() { k } else { format!("`{}`", k.replace('`', "``")) })
        .prop_filter("a name", |k| !k.is_empty());
    (
        key.clone(),
        proptest::collection::vec(prop_oneof![key.prop_map(|k| format!(".{k}")), Just("[3]".to_owned())], 0..3),
    )
        .prop_map(|(first, rest)| first + &rest.concat())
}

fn expression() -> impl Strategy<Value = String> {
    let operand = prop_oneof![literal(), path()];
    let op = proptest::sample::select(vec!["==", "!=", "<", "<=", ">", ">="]);
    let leaf = prop_oneof![
        (operand.clone(), op, operand).prop_map(|(a, op, b)| format!("{a}{op} {b}")),
        (path(), proptest::sample::select(vec!["~", "!~"]), "[a-z*?]{0,5}")
            .prop_map(|(p, op, g)| format!("{p} {op}'{g}'")),
        (path(), proptest::collection::vec(literal(), 0..3)).prop_map(|(p, l)| format!("{p} in [{}]", l.join(","))),
        (literal(), path()).prop_map(|(l, p)| format!("{l} in {p}")),
        path(),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|e| format!("!({e})")),
            inner.clone().prop_map(|e| format!("not {e}")),
            proptest::collection::vec(inner.clone().prop_map(|e| format!("({e})")), 2..4).prop_map(|v| v.join("||")),
            proptest::collection::vec(inner.prop_map(|e| format!("({e})")), 2..4).prop_map(|v| v.join(" and ")),
        ]
    })
}

proptest! {
    #[test]
    fn the_canonical_text_parses_to_the_same_filter(text in expression()) {
        let filter = Filter::parse(&text).unwrap();
        let canonical = filter.to_string();
        let again = Filter::parse(&canonical).unwrap();
        prop_assert_eq!(&again, &filter, "{}", &canonical);
        prop_assert_eq!(again.to_string(), canonical);
        prop_assert_eq!(again.hash(), filter.hash());
        prop_assert_eq!(again.matches(&doc()), filter.matches(&doc()));
    }

    #[test]
    fn any_text_is_answered_with_an_offset_inside_it(text in "[ -~é]{0,40}") {
        if let Err(e) = Filter::parse(&text) {
            let at = e.place().offset.unwrap();
            prop_assert!(at as usize <= text.chars().count(), "{} in {:?}", e, text);
        }
    }

    #[test]
    fn pieces_of_the_language_in_any_order_never_panic(
        pieces in proptest::collection::vec(proptest::sample::select(vec![
            "a", "==", "!", "(", ")", "[", "]", ",", ".", "in", "~", "'x*'", "\"[a\"", "1", "-2.5", "and", "or", "`q`",
            "null", "true", "!~", "<",
        ]), 0..30)
    ) {
        if let Ok(filter) = Filter::parse(&pieces.join(" ")) {
            filter.matches(&doc());
            prop_assert_eq!(Filter::parse(&filter.to_string()).unwrap(), filter);
        }
    }
}

#[test]
fn comparisons_that_no_sample_can_pass_are_errors_that_say_what_to_write() {
    for (text, message) in [
        ("width > '224'", "the field width holds numbers, and \"224\" is text: write width > 224"),
        ("7 == name", "the field name holds text, and 7 is a number: write \"7\" == name"),
        ("format == true", "the field format holds text, and true is a boolean: write format == \"true\""),
        ("height > null", "null is neither more nor less than anything: write height == null or height != null"),
        (
            "width",
            "the field width holds numbers, and a field alone asks for true: compare it with something, such as width != null",
        ),
        ("bytes ~ '1*'", "the field bytes holds numbers, and the pattern \"1*\" is for text"),
        ("name in [1]", "the field name holds text, and 1 is a number: write name == \"1\""),
        ("3 in width", "the field width holds numbers, and `in` looks into lists: write width == 3"),
        (
            "json.a == 1 && !(aspect == name)",
            "the field aspect holds numbers and the field name text: they never compare",
        ),
    ] {
        let e = Filter::parse(text).unwrap().check_for_samples().unwrap_err();
        assert_eq!((e.code().id(), e.kind(), e.message()), ("filter.kind", Kind::Usage, message), "{text}");
    }
    let at = Filter::parse("true && width > 'x'").unwrap().check_for_samples().unwrap_err();
    assert_eq!((at.place().offset, at.place().column.as_deref()), (Some(8), Some("width")));
    // What metadata holds differs from sample to sample, and may be missing.
    for text in
        ["cls > 3", "cls == 'cat' || cls == 3", "tags", "1 in tags", "width == null", "name ~ '*.jpg'", "cls == width"]
    {
        assert!(Filter::parse(text).unwrap().check_for_samples().is_ok(), "{text}");
    }
}
