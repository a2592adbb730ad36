//! What is written: objects at once and in parts, under conditions, as S3 takes them.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs::{self, File},
    io::{Error, ErrorKind, Read, Result, Write as _, copy},
    path::{Path, PathBuf},
    sync::{MutexGuard, PoisonError},
};

use super::{
    Store,
    answer::{PIECE, below, escaped, state},
    request::Request,
};

/// The fewest bytes of a part that is not the last.
const LEAST: u64 = 5 << 20;
/// The most bytes of the list of an upload's parts: ten thousand of them, and more.
const LIST: u64 = 4 << 20;
/// Where parts lie until they are an object: beside the buckets.
const PARTS: &str = ".uploads";

/// Names and values of an object's metadata.
pub(super) type Marks = Vec<(String, String)>;

/// What is on its way, and what files do not say of objects.
#[derive(Debug, Default)]
pub(super) struct Writes {
    uploads: BTreeMap<String, Upload>,
    /// What tells files from each other.
    number: u64,
    marks: BTreeMap<PathBuf, Marks>,
}

impl Writes {
    /// The metadata of an object.
    pub fn marks(&self, path: &Path) -> Marks {
        self.marks.get(path).cloned().unwrap_or_default()
    }
}

#[derive(Debug)]
struct Upload {
    path: PathBuf,
    marks: Marks,
    /// The length of each part.
    parts: BTreeMap<u32, u64>,
}

/// What is said of a write.
#[derive(Debug)]
pub(super) struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

fn done(status: u16) -> Answer {
    Answer { status, headers: Vec::new(), body: String::new() }
}

fn said(body: String) -> Answer {
    Answer { body, ..done(200) }
}

/// A refusal, in the words of S3.
pub(super) fn refusal(status: u16, code: &str) -> Answer {
    let body = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>{code}</Message></Error>");
    Answer { body, ..done(status) }
}

fn writes(store: &Store) -> MutexGuard<'_, Writes> {
    store.writes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does what a request writes to the object of a path; nothing for one that reads.
pub(super) fn answer(store: &Store, request: &Request, path: &Path, body: &mut dyn Read) -> Result<Option<Answer>> {
    let (uploads, upload) = (request.asks("uploads").is_some(), request.asks("uploadId"));
    let part = request.asks("partNumber").and_then(|text| text.parse().ok());
    Ok(Some(match (request.method.as_str(), upload, part) {
        ("GET", None, None) if uploads => list(store, path),
        ("POST", None, None) if uploads => begin(store, request, path),
        ("PUT", Some(id), Some(number)) => take(store, request, (id, number), body)?,
        ("POST", Some(id), None) => complete(store, request, id, body)?,
        ("DELETE", Some(id), None) => end(store, id),
        ("DELETE", None, None) => {
            let mut writes = writes(store);
            writes.marks.remove(path);
            match fs::remove_file(path) {
                Err(e) if e.kind() != ErrorKind::NotFound => return Err(e),
                _ => done(204),
            }
        }
        ("PUT", None, None) => match &request.copies {
            Some(from) => replicate(store, request, from, path)?,
            None => put(store, request, path, body)?,
        },
        _ => return Ok(None),
    }))
}

/// A file that nobody else has.
fn fresh(store: &Store) -> Result<PathBuf> {
    let number = {
        let mut writes = writes(store);
        writes.number += 1;
        writes.number
    };
    let folder = store.folder.join(PARTS);
    fs::create_dir_all(&folder)?;
    Ok(folder.join(format!("{number}.part")))
}

fn part_file(store: &Store, id: &str, number: u32) -> PathBuf {
    store.folder.join(PARTS).join(format!("{id}.{number}"))
}

/// Writes what comes to a file, as fast as the link carries it.
fn receive(store: &Store, request: &Request, body: &mut dyn Read, path: &Path) -> Result<u64> {
    let (mut file, mut piece, mut len) = (File::create(path)?, vec![0; PIECE], 0);
    loop {
        let n = body.read(&mut piece)?;
        if n == 0 {
            break;
        }
        store.link.bring(n as u64);
        file.write_all(piece.get(..n).unwrap_or_default())?;
        len += n as u64;
    }
    match len == request.body {
        true => Ok(len),
        false => Err(Error::new(ErrorKind::UnexpectedEof, "the body broke off")),
    }
}

/// Gives a whole file its name, if the request's condition holds. Gives its tag, or what is said instead.
fn place(
    store: &Store,
    request: &Request,
    (file, path): (&Path, &Path),
    marks: Marks,
) -> Result<std::result::Result<String, Answer>> {
    let mut writes = writes(store);
    let there = state(path).map(|(_, tag)| tag);
    let refused = match (request.if_none_match, &request.if_match, &there) {
        (true, _, Some(_)) => Some((412, "PreconditionFailed")),
        (_, Some(_), None) => Some((404, "NoSuchKey")),
        (_, Some(wanted), Some(tag)) if wanted != tag => Some((412, "PreconditionFailed")),
        _ => None,
    };
    if let Some((status, code)) = refused {
        fs::remove_file(file)?;
        return Ok(Err(refusal(status, code)));
    }
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::rename(file, path)?;
    writes.marks.insert(path.to_owned(), marks);
    let (_, tag) = state(path).ok_or_else(|| Error::other("what was written is not there"))?;
    Ok(Ok(tag))
}

fn put(store: &Store, request: &Request, path: &Path, body: &mut dyn Read) -> Result<Answer> {
    let file = fresh(store)?;
    receive(store, request, body, &file)?;
    let placed = place(store, request, (&file, path), request.marks.clone())?;
    Ok(placed.map_or_else(|refused| refused, |tag| Answer { headers: vec![("etag", tag)], ..done(200) }))
}

fn replicate(store: &Store, request: &Request, from: &str, path: &Path) -> Result<Answer> {
    let Some(from) = below(&store.folder, from).filter(|from| from.is_file()) else {
        return Ok(refusal(404, "NoSuchKey"));
    };
    let file = fresh(store)?;
    fs::copy(from, &file)?;
    let placed = place(store, request, (&file, path), request.marks.clone())?;
    let told = |tag: String| said(format!("<CopyObjectResult><ETag>{}</ETag></CopyObjectResult>", escaped(&tag)));
    Ok(placed.map_or_else(|refused| refused, told))
}

fn begin(store: &Store, request: &Request, path: &Path) -> Answer {
    let mut writes = writes(store);
    writes.number += 1;
    let id = format!("upload-{}", writes.number);
    let upload = Upload { path: path.to_owned(), marks: request.marks.clone(), parts: BTreeMap::new() };
    writes.uploads.insert(id.clone(), upload);
    said(format!("<InitiateMultipartUploadResult><UploadId>{id}</UploadId></InitiateMultipartUploadResult>"))
}

fn tag_of(id: &str, number: u32) -> String {
    format!("\"{id}-{number}\"")
}

fn take(store: &Store, request: &Request, (id, number): (&str, u32), body: &mut dyn Read) -> Result<Answer> {
    if !writes(store).uploads.contains_key(id) {
        return Ok(refusal(404, "NoSuchUpload"));
    }
    let file = fresh(store)?;
    let len = receive(store, request, body, &file)?;
    let mut writes = writes(store);
    let Some(upload) = writes.uploads.get_mut(id) else {
        fs::remove_file(file)?;
        return Ok(refusal(404, "NoSuchUpload"));
    };
    fs::rename(file, part_file(store, id, number))?;
    upload.parts.insert(number, len);
    Ok(Answer { headers: vec![("etag", tag_of(id, number))], ..done(200) })
}

/// Puts the parts together that are named, if they are what was sent.
fn complete(store: &Store, request: &Request, id: &str, body: &mut dyn Read) -> Result<Answer> {
    let mut named = String::new();
    body.take(LIST).read_to_string(&mut named)?;
    let (path, marks, numbers) = {
        let writes = writes(store);
        let Some(upload) = writes.uploads.get(id) else { return Ok(refusal(404, "NoSuchUpload")) };
        let numbers: Option<Vec<u32>> = named.split("<Part>").skip(1).map(|part| named_part(part, id)).collect();
        let Some(numbers) = numbers else { return Ok(refusal(400, "InvalidPart")) };
        let lens: Option<Vec<u64>> = numbers.iter().map(|number| upload.parts.get(number).copied()).collect();
        let Some(lens) = lens else { return Ok(refusal(400, "InvalidPart")) };
        if numbers.is_empty() || !numbers.is_sorted() {
            return Ok(refusal(400, "InvalidPartOrder"));
        }
        if lens.iter().rev().skip(1).any(|len| *len < LEAST) {
            return Ok(refusal(400, "EntityTooSmall"));
        }
        (upload.path.clone(), upload.marks.clone(), numbers)
    };
    let file = fresh(store)?;
    let mut whole = File::create(&file)?;
    for number in numbers {
        copy(&mut File::open(part_file(store, id, number))?, &mut whole)?;
    }
    match place(store, request, (&file, &path), marks)? {
        Err(refused) => Ok(refused),
        Ok(tag) => {
            end(store, id);
            let tag = escaped(&tag);
            Ok(said(format!("<CompleteMultipartUploadResult><ETag>{tag}</ETag></CompleteMultipartUploadResult>")))
        }
    }
}

/// The number of a part, if its tag is the one that was given for it.
fn named_part(text: &str, id: &str) -> Option<u32> {
    let between = |open: &str, close: &str| Some(text.split_once(open)?.1.split_once(close)?.0);
    let number = between("<PartNumber>", "</PartNumber>")?.parse().ok()?;
    let tag = between("<ETag>", "</ETag>")?.replace("&quot;", "\"");
    (tag == tag_of(id, number)).then_some(number)
}

/// Forgets an upload with its parts.
fn end(store: &Store, id: &str) -> Answer {
    let Some(upload) = writes(store).uploads.remove(id) else { return refusal(404, "NoSuchUpload") };
    for number in upload.parts.into_keys() {
        // One that is gone does no harm.
        let _ = fs::remove_file(part_file(store, id, number));
    }
    done(204)
}

/// The uploads of a bucket that have not ended, on one page.
fn list(store: &Store, bucket: &Path) -> Answer {
    let mut text = "<?xml version=\"1.0\"?><ListMultipartUploadsResult><IsTruncated>false</IsTruncated>".to_owned();
    for (id, upload) in &writes(store).uploads {
        let Some(key) = upload.path.strip_prefix(bucket).ok().and_then(Path::to_str) else { continue };
        let _ = write!(
            text,
            "<Upload><Key>{}</Key><UploadId>{id}</UploadId><Initiated>2026-01-01T00:00:00.000Z</Initiated></Upload>",
            escaped(key)
        );
    }
    said(text + "</ListMultipartUploadsResult>")
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::{super::link::Link, *};

    fn ask(store: &Store, text: &str) -> Answer {
        let mut reader = text.as_bytes();
        let request = Request::read(&mut reader).unwrap().unwrap();
        let path = below(&store.folder, &request.path).unwrap();
        answer(store, &request, &path, &mut reader).unwrap().unwrap()
    }

    #[test]
    fn what_is_written_is_there_whole_and_only_under_its_condition() {
        let folder = std::env::temp_dir().join(format!("forebay-store-{}", std::process::id()));
        fs::create_dir_all(folder.join("b")).unwrap();
        let store = Store { folder: folder.clone(), link: Link::default(), writes: Mutex::default() };
        let put = "PUT /b/x HTTP/1.1\r\ncontent-length: 3\r\n";
        let first = ask(&store, &format!("{put}if-none-match: *\r\nx-amz-meta-of: me\r\n\r\nabc"));
        assert_eq!((first.status, first.headers[0].0), (200, "etag"));
        assert_eq!(writes(&store).marks(&folder.join("b/x")), [("x-amz-meta-of".to_owned(), "me".to_owned())]);
        assert_eq!(ask(&store, &format!("{put}if-none-match: *\r\n\r\ndef")).status, 412);
        assert_eq!(ask(&store, &format!("{put}if-match: \"another\"\r\n\r\ndef")).status, 412);
        assert_eq!(fs::read(folder.join("b/x")).unwrap(), b"abc");
        let tag = &first.headers[0].1;
        assert_eq!(ask(&store, &format!("{put}if-match: {tag}\r\n\r\ndef")).status, 200);
        assert_eq!(fs::read(folder.join("b/x")).unwrap(), b"def");
        // In parts: nothing is to be seen until they are put together.
        let begun = ask(&store, "POST /b/y?uploads HTTP/1.1\r\n\r\n").body;
        let id = begun.split_once("<UploadId>").unwrap().1.split_once('<').unwrap().0;
        let part = format!("PUT /b/y?uploadId={id}&partNumber=1 HTTP/1.1\r\ncontent-length: 4\r\n\r\nwxyz");
        let tag = ask(&store, &part).headers[0].1.replace('"', "&quot;");
        assert!(ask(&store, "GET /b?uploads HTTP/1.1\r\n\r\n").body.contains("<Key>y</Key>"));
        assert!(!folder.join("b/y").exists());
        let named = |tag: &str| {
            let list = format!("<Part><ETag>{tag}</ETag><PartNumber>1</PartNumber></Part>");
            format!("POST /b/y?uploadId={id} HTTP/1.1\r\ncontent-length: {}\r\n\r\n{list}", list.len())
        };
        assert_eq!(ask(&store, &named("other")).status, 400);
        assert_eq!(ask(&store, &named(&tag)).status, 200);
        assert_eq!(fs::read(folder.join("b/y")).unwrap(), b"wxyz");
        assert_eq!(ask(&store, &named(&tag)).status, 404);
        fs::remove_dir_all(folder).unwrap();
    }
}
