//! What the server does with writes: objects at once and in parts, under conditions, as S3 does.

use std::collections::BTreeMap;

use super::{Asked, State};

/// The fewest bytes of a part that is not the last.
const LEAST: usize = 5 << 20;

#[derive(Debug, Default)]
pub(super) struct Writes {
    uploads: BTreeMap<String, Upload>,
    begun: usize,
    /// When the next upload is said to have begun, if not on the first day of 2026.
    pub when: Option<String>,
    /// The metadata of objects, by their paths.
    marks: BTreeMap<String, Vec<(String, String)>>,
    conditions: Conditions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Conditions {
    #[default]
    Kept,
    Refused,
    Ignored,
}

#[derive(Debug)]
struct Upload {
    path: String,
    when: String,
    marks: Vec<(String, String)>,
    parts: BTreeMap<usize, Vec<u8>>,
}

/// A status, headers, and a body.
type Answer = (u16, Vec<(&'static str, String)>, String);

impl Writes {
    pub fn uploads(&self) -> usize {
        self.uploads.len()
    }
    pub fn without_conditions(&mut self, said: bool) {
        self.conditions = if said { Conditions::Refused } else { Conditions::Ignored };
    }
    pub fn marks(&self, path: &str) -> Vec<(String, String)> {
        self.marks.get(path.trim_start_matches('/')).cloned().unwrap_or_default()
    }
}

fn error(status: u16, code: &str) -> Answer {
    let body = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>It is so.</Message></Error>");
    (status, Vec::new(), body)
}

fn marks_of(asked: &Asked) -> Vec<(String, String)> {
    let marks = asked.headers.iter().filter(|(name, _)| name.starts_with("x-amz-meta-"));
    marks.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Does what a request writes, and what is answered; nothing for one that reads.
pub(super) fn answer(state: &mut State, asked: &Asked, content: Vec<u8>) -> Option<Answer> {
    let path = asked.path.trim_start_matches('/').to_owned();
    let of = |name: &str| asked.query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    match (asked.method.as_str(), of("uploads"), of("uploadId"), of("partNumber")) {
        ("POST", Some(_), ..) => {
            state.writes.begun += 1;
            let id = format!("upload-{}", state.writes.begun);
            let when = state.writes.when.clone().unwrap_or_else(|| "2026-01-01T00:00:00.000Z".into());
            let upload = Upload { path, when, marks: marks_of(asked), parts: BTreeMap::new() };
            state.writes.uploads.insert(id.clone(), upload);
            let body =
                format!("<InitiateMultipartUploadResult><UploadId>{id}</UploadId></InitiateMultipartUploadResult>");
            Some((200, Vec::new(), body))
        }
        ("PUT", _, Some(id), Some(number)) => {
            let Some(upload) = state.writes.uploads.get_mut(id) else { return Some(error(404, "NoSuchUpload")) };
            let number = number.parse().unwrap();
            upload.parts.insert(number, content);
            Some((200, vec![("etag", format!("\"{id}-{number}\""))], String::new()))
        }
        ("POST", None, Some(id), None) => Some(complete(state, asked, id, &String::from_utf8(content).unwrap())),
        ("DELETE", _, Some(id), None) => {
            let ended = state.writes.uploads.remove(id).is_some();
            Some(if ended { (204, Vec::new(), String::new()) } else { error(404, "NoSuchUpload") })
        }
        ("DELETE", None, None, None) => {
            state.objects.remove(&path);
            Some((204, Vec::new(), String::new()))
        }
        ("GET", Some(_), None, None) => Some(list(state, asked)),
        ("PUT", None, None, None) if asked.headers.contains_key("x-amz-copy-source") => {
            let from = super::decoded(asked.headers["x-amz-copy-source"].trim_start_matches('/'));
            let Some((bytes, _)) = state.objects.get(&from).cloned() else { return Some(error(404, "NoSuchKey")) };
            let tag = place(state, path, bytes, marks_of(asked)).replace('"', "&quot;");
            Some((200, Vec::new(), format!("<CopyObjectResult><ETag>{tag}</ETag></CopyObjectResult>")))
        }
        ("PUT", None, None, None) => Some(refused(state, asked).unwrap_or_else(|| {
            let tag = place(state, path, content, marks_of(asked));
            (200, vec![("etag", tag)], String::new())
        })),
        _ => None,
    }
}

/// Puts the parts together that are named, if they are what was sent.
fn complete(state: &mut State, asked: &Asked, id: &str, named: &str) -> Answer {
    let Some(upload) = state.writes.uploads.get(id) else { return error(404, "NoSuchUpload") };
    let mut numbers = Vec::new();
    for part in named.split("<Part>").skip(1) {
        let between = |open: &str, close: &str| Some(part.split_once(open)?.1.split_once(close)?.0.to_owned());
        let number: usize = between("<PartNumber>", "</PartNumber>").unwrap().parse().unwrap();
        let tag = between("<ETag>", "</ETag>").unwrap().replace("&quot;", "\"");
        if tag != format!("\"{id}-{number}\"") || !upload.parts.contains_key(&number) {
            return error(400, "InvalidPart");
        }
        numbers.push(number);
    }
    if !numbers.is_sorted() || numbers.is_empty() {
        return error(400, "InvalidPartOrder");
    }
    if numbers.iter().rev().skip(1).any(|number| upload.parts[number].len() < LEAST) {
        return error(400, "EntityTooSmall");
    }
    if let Some(refused) = refused(state, asked) {
        return refused;
    }
    let Some(upload) = state.writes.uploads.remove(id) else { return error(404, "NoSuchUpload") };
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| upload.parts[number].iter().copied()).collect();
    let tag = place(state, upload.path, bytes, upload.marks).replace('"', "&quot;");
    (200, Vec::new(), format!("<CompleteMultipartUploadResult><ETag>{tag}</ETag></CompleteMultipartUploadResult>"))
}

/// What is answered if a condition does not hold.
fn refused(state: &State, asked: &Asked) -> Option<Answer> {
    let there = state.objects.get(asked.path.trim_start_matches('/')).map(|(_, tag)| tag);
    let (none, some) = (asked.headers.get("if-none-match"), asked.headers.get("if-match"));
    if none.or(some).is_none() || state.writes.conditions == Conditions::Ignored {
        return None;
    }
    if state.writes.conditions == Conditions::Refused {
        return Some(error(501, "NotImplemented"));
    }
    match (none, some, there) {
        (Some(_), _, Some(_)) => Some(error(412, "PreconditionFailed")),
        (_, Some(_), None) => Some(error(404, "NoSuchKey")),
        (_, Some(wanted), Some(tag)) if wanted != tag => Some(error(412, "PreconditionFailed")),
        _ => None,
    }
}

fn place(state: &mut State, path: String, bytes: Vec<u8>, marks: Vec<(String, String)>) -> String {
    state.tags += 1;
    let tag = format!("\"tag-{}\"", state.tags);
    state.writes.marks.insert(path.clone(), marks);
    state.objects.insert(path, (bytes, tag.clone()));
    tag
}

/// The uploads of a bucket that have not ended.
fn list(state: &State, asked: &Asked) -> Answer {
    let bucket = asked.path.trim_matches('/');
    let of = |name: &str| {
        asked.query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')).unwrap_or_default()
    };
    let after = (of("key-marker"), of("upload-id-marker"));
    let mut found: Vec<_> = state
        .writes
        .uploads
        .iter()
        .filter_map(|(id, upload)| {
            let key = upload.path.strip_prefix(bucket)?.strip_prefix('/')?;
            (key.starts_with(of("prefix")) && (key, id.as_str()) > after).then_some((key, id.as_str(), &upload.when))
        })
        .collect();
    found.sort_unstable();
    let more = found.len() > state.page;
    found.truncate(state.page);
    let mut text = format!("<?xml version=\"1.0\"?><ListMultipartUploadsResult><IsTruncated>{more}</IsTruncated>");
    if let Some((key, id, _)) = found.last() {
        text += &format!("<NextKeyMarker>{key}</NextKeyMarker><NextUploadIdMarker>{id}</NextUploadIdMarker>");
    }
    for (key, id, when) in found {
        text += &format!("<Upload><Key>{key}</Key><UploadId>{id}</UploadId><Initiated>{when}</Initiated></Upload>");
    }
    (200, Vec::new(), text + "</ListMultipartUploadsResult>")
}
