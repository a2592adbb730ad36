//! Any text as a sample's record, and any bytes as its sidecars: what was put in comes out, under names that stay in
//! the folder.

use forebay::sample::record::{Sidecar, compose, files, inside, merge, renumber, safe_name, spell_out, split};
use serde_json::{Map, Value};

pub(crate) fn body(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return sidecars(data) };
    let given = files(text, 3, "jpg").expect("a record of any text has files");
    assert_eq!(given.iter().filter(|file| file.content.is_none()).count(), 1, "one payload");
    for file in &given {
        safe_name(&file.name).expect("a name that stays in the folder");
    }
    let reads = serde_json::from_str::<Value>(text).is_ok();
    let moved = renumber(text, 7);
    assert_eq!(renumber(&moved, 7), moved);
    let mut more = Map::new();
    more.insert("size".into(), 5.into());
    let grown = merge(text, &more);
    let spelled = spell_out(text);
    assert_eq!(spell_out(&spelled), spelled);
    if reads {
        for text in [&moved, &grown, &*spelled] {
            serde_json::from_str::<Value>(text).expect("what was changed reads as before");
        }
    }
    let name = inside(text);
    safe_name(&name).expect("a name that stays in the folder");
    assert_eq!(inside(&name), name);
    assert_eq!(safe_name(text).is_ok(), name == text);
    sidecars(data);
}

/// The name of a payload, then extensions and contents in turns, with a zero between.
fn sidecars(data: &[u8]) {
    let mut parts = data.split(|&byte| byte == 0);
    let Some(Ok(name)) = parts.next().map(std::str::from_utf8) else { return };
    let mut sidecars: Vec<Sidecar<'_>> = Vec::new();
    while let (Some(extension), Some(bytes)) = (parts.next(), parts.next()) {
        let Ok(extension) = std::str::from_utf8(extension) else { return };
        // An archive has one file of a name, and an extension has no folder.
        let odd = extension.contains('/') || split(name).1 == Some(extension);
        if odd || sidecars.iter().any(|other| other.extension == extension) {
            return;
        }
        sidecars.push(Sidecar { extension, bytes });
    }
    let before = data.len() % (sidecars.len() + 1);
    let record = compose(1, name, &sidecars, before, &[]);
    serde_json::from_str::<Value>(&record).expect("a record reads");
    let found = files(&record, 1, "jpg").expect("what was composed");
    let contents: Vec<_> = found.iter().map(|file| file.content.as_deref()).collect();
    let mut expected: Vec<_> = sidecars.iter().map(|sidecar| Some(sidecar.bytes)).collect();
    expected.insert(before, None);
    assert_eq!(contents, expected, "{record}");
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    [
        r#"{"id":1,"name":"a/b.jpg","cls":7,"json":{"x":1.50,"y":[null]},"members":["json","jpg","cls"],"exact":{"json":"{ }"}}"#,
        r#"{"id":2,"name":"../a.seg.png","txt":"é","npy":{"base64":"AAAA"},"class":"cat"}"#,
        r#"{"label":3,"label":4}"#,
        "d.ir/k.jpg\0json\0{\"a\": NaN}\0cls\0 7\0seg.npy\0\u{1}\u{2}",
        "/etc/../x.jpg\0exact\0e\0id\x009\0members\0[]",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
