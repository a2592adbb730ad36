//! Structs as rows, there and back, and the messages where that cannot be.

use forebay::{
    Limits,
    tbf::{TbfDecode, TbfEncode},
};

#[derive(Clone, Debug, Default, PartialEq, TbfEncode, TbfDecode)]
struct Person {
    id: u64,
    name: String,
    #[tbf(encoding = "u8", offset = 18)]
    age: i32,
    #[tauq(encoding = "dictionary", rename = "town")]
    city: Option<String>,
    active: bool,
    score: Option<f32>,
    photo: Vec<u8>,
    #[tbf(skip)]
    seen: Vec<std::time::Duration>,
}

fn people() -> Vec<Person> {
    let person = |i: u64| Person {
        id: u64::MAX - i,
        name: format!("name {i}"),
        age: 18 + i as i32 % 200,
        city: (!i.is_multiple_of(3)).then(|| format!("town {}", i % 7)),
        active: i.is_multiple_of(2),
        score: (!i.is_multiple_of(5)).then_some(i as f32 / 4.0),
        photo: vec![i as u8; (i % 4) as usize],
        seen: vec![],
    };
    (0..300).map(person).collect()
}

#[test]
fn rows_come_back() {
    let file = Person::to_tbf(&people()).unwrap();
    assert_eq!(Person::from_tbf(&file.into(), &Limits::host()).unwrap(), people());
    let none = Person::to_tbf(&[]).unwrap();
    assert_eq!(Person::from_tbf(&none.into(), &Limits::host()).unwrap(), []);
}

#[test]
fn attributes_decide_names_encodings_and_what_is_left_out() {
    let schema = Person::table_schema().unwrap();
    let names: Vec<_> = schema.schema().fields().iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["id", "name", "age", "town", "active", "score", "photo"]);
    assert_eq!(schema.encodings()[2], forebay::tbf::FieldEncoding::U8Offset { offset: 18 });
    let old = Person { age: 274, ..Person::default() };
    let e = Person::to_tbf(&[Person { age: 18, ..Person::default() }, old]).unwrap_err();
    assert_eq!((e.code().id(), e.place().row, e.place().column.as_deref()), ("tbf.width", Some(1), Some("age")));
}

#[derive(Debug, PartialEq, TbfDecode)]
struct Part {
    id: u64,
    age: u8,
    #[tbf(default)]
    later: Option<String>,
    #[tbf(default)]
    count: u32,
}

#[test]
fn other_widths_are_read_where_they_fit_and_new_columns_have_defaults() {
    let file = Person::to_tbf(&people()).unwrap();
    let parts = Part::from_tbf(&file.into(), &Limits::host()).unwrap();
    assert_eq!(parts[1], Part { id: u64::MAX - 1, age: 19, later: None, count: 0 });
    let grown = Person { age: 256 + 10, ..Person::default() };
    let e = Part::from_tbf(&Person::to_tbf(&[grown]).unwrap().into(), &Limits::host()).unwrap_err();
    assert_eq!((e.code().id(), e.place().column.as_deref(), e.place().row), ("table.value", Some("age"), Some(0)));
}

#[derive(Debug, PartialEq, TbfDecode)]
struct Strict {
    #[tbf(rename = "town")]
    city: String,
}

#[test]
fn a_missing_value_needs_an_option() {
    let file = Person::to_tbf(&people()).unwrap();
    let e = Strict::from_tbf(&file.into(), &Limits::host()).unwrap_err();
    assert_eq!((e.place().column.as_deref(), e.place().row), (Some("town"), Some(0)));
}

mod shape {
    //! Rows and what is nested in them may see each other less than the row is seen.
    use forebay::tbf::{TbfDecode, TbfEncode};

    #[derive(Clone, Debug, PartialEq, TbfEncode, TbfDecode)]
    struct Range {
        low: i32,
        #[tbf(encoding = "varint")]
        high: i32,
    }

    #[derive(Clone, Debug, PartialEq, TbfEncode, TbfDecode)]
    struct Tag {
        label: Option<String>,
        #[tbf(flatten)]
        range: Range,
    }

    #[derive(Clone, Debug, PartialEq, TbfEncode, TbfDecode)]
    pub struct Marked {
        pub id: u32,
        #[tbf(flatten)]
        tag: Tag,
        pub last: bool,
    }

    #[derive(Debug, TbfEncode)]
    pub struct Twice {
        low: u8,
        #[tbf(flatten)]
        range: Range,
    }

    pub fn marked() -> Vec<Marked> {
        let range = |i: u32| Range { low: -(i as i32), high: i as i32 * 3 };
        let label = |i: u32| (!i.is_multiple_of(4)).then(|| format!("label {}", i % 3));
        let row = |i| Marked { id: i, tag: Tag { label: label(i), range: range(i) }, last: i == 99 };
        (0..100).map(row).collect()
    }
}

#[test]
fn nested_structs_are_columns_of_the_row() {
    use shape::{Marked, Twice, marked};
    let schema = Marked::table_schema().unwrap();
    let names: Vec<_> = schema.schema().fields().iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["id", "label", "low", "high", "last"]);
    assert_eq!(schema.encodings()[3], forebay::tbf::FieldEncoding::VarInt);
    let file = Marked::to_tbf(&marked()).unwrap();
    assert_eq!(Marked::from_tbf(&file.into(), &Limits::host()).unwrap(), marked());
    let e = Twice::table_schema().unwrap_err();
    assert_eq!((e.code().id(), e.place().column.as_deref()), ("tbf.schema", Some("low")));
}

#[derive(Clone, Debug, PartialEq, TbfEncode, TbfDecode)]
struct Texts {
    often: String,
    seldom: String,
    sometimes: Option<String>,
    long: String,
}

#[test]
fn texts_come_back_whether_they_repeat_or_not() {
    let row = |i: usize| Texts {
        often: ["", "a", "exactly sixteen.", "é"][i % 4].into(),
        seldom: format!("text {i}"),
        sometimes: (!i.is_multiple_of(3)).then(|| format!("{}", i % 50)),
        long: "x".repeat(i % 40),
    };
    for n in [1, 2, 9, 300, 20_000] {
        let rows: Vec<Texts> = (0..n).map(row).collect();
        let file = Texts::to_tbf(&rows).unwrap();
        assert_eq!(Texts::from_tbf(&file.into(), &Limits::host()).unwrap(), rows);
    }
}

#[test]
fn messages_say_what_is_wrong() {
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}
