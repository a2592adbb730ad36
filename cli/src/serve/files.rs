//! Which files are served: a list made at the start, never a path taken from a request.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use forebay::{
    Error, Result,
    error::codes,
    formats::{Format, Holds, Host},
};

/// The name that a part of a URL stands for; `None` if the encoding is broken.
pub(super) use forebay_native::remote::decoded as from_url;
use forebay_native::{
    Input,
    input::{display, io_error},
    remote,
    thumbs::{self, SUFFIX},
};

/// How long an object is taken for what it was when it was opened, as long as nothing says otherwise.
const FRESH: Duration = Duration::from_secs(10);

/// Whether a folder's file of this extension is taken for a dataset. What a file is, its content says later.
fn is_dataset(extension: &str) -> bool {
    let is = |known: &&str| known.eq_ignore_ascii_case(extension);
    let datasets = Format::ALL.iter().filter(|format| format.read_by() == Host::Everyone && format.holds() != Holds::File);
    datasets.flat_map(|format| format.extensions().iter().chain(format.also_extensions())).any(is)
}

/// The served files by the name that a request uses. Nothing outside this list can be asked for, whatever
/// a request's path looks like.
#[derive(Debug, Default)]
pub(super) struct ServedFiles {
    files: BTreeMap<String, PathBuf>,
    /// Thumbnails that lie beside them: sent to who asks, and nothing to be opened by itself.
    thumbs: BTreeMap<String, PathBuf>,
    /// The lengths of what lies elsewhere.
    lens: BTreeMap<String, u64>,
    /// What lies elsewhere and was opened.
    opened: Mutex<BTreeMap<PathBuf, (Instant, Input)>>,
    /// What of the folder could not be looked into, and why.
    unread: Vec<String>,
}

impl ServedFiles {
    /// One file, or the datasets below a folder. Hidden files are left out; links inside a folder are not
    /// followed, so that no link leads out of it. A folder inside that cannot be read keeps nobody from the rest.
    pub fn new(path: &Path) -> Result<ServedFiles> {
        let path = &*remote::local(path)?;
        if remote::is_remote(path) {
            return Self::elsewhere(path);
        }
        let failed = |e| io_error(&display(path), "open", e);
        let metadata = std::fs::metadata(path).map_err(failed)?;
        // What is named at the start may be a link, or lie behind one; what is opened later may not.
        let real = std::fs::canonicalize(path).map_err(failed)?;
        let mut files = ServedFiles::default();
        if !metadata.is_dir() {
            if !metadata.is_file() {
                let message = "this is not a file that can be read at any place; save it as a file first";
                return Err(Error::new(&codes::ARGUMENT, message).file(display(path)));
            }
            let name = path.file_name().map_or_else(|| "dataset".into(), |name| name.to_string_lossy().into_owned());
            // They lie beside what was named, be that a link; a link in their own place leads nowhere.
            let around = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            if let Ok(around) = std::fs::canonicalize(around) {
                files.thumbs.insert(format!("{name}{SUFFIX}"), thumbs::beside(&around.join(&name)));
            }
            files.files.insert(name, real);
            return Ok(files);
        }
        let visible = |e: &walkdir::DirEntry| e.depth() == 0 || !e.file_name().to_string_lossy().starts_with('.');
        for entry in walkdir::WalkDir::new(path).into_iter().filter_entry(visible) {
            let entry = match entry {
                Ok(entry) => entry,
                Err(e) if e.depth() > 0 => {
                    let name = e.path().and_then(|inner| inner.strip_prefix(path).ok()).unwrap_or(path);
                    let why = e.io_error().map_or_else(|| e.to_string(), ToString::to_string);
                    files.unread.push(format!("{}: {why}", name.display()));
                    continue;
                }
                Err(e) => {
                    let message = format!("cannot walk the folder: {e}");
                    return Err(Error::caused(&codes::IO, message, e).file(display(path)));
                }
            };
            let extension = entry.path().extension().and_then(|e| e.to_str());
            if entry.file_type().is_file() && extension.is_some_and(is_dataset) {
                let name = entry.path().strip_prefix(path).unwrap_or(entry.path());
                let (asked, place) = (name.to_string_lossy().replace('\\', "/"), real.join(name));
                // Made while it is served, they are there all the same.
                files.thumbs.insert(format!("{asked}{SUFFIX}"), thumbs::beside(&place));
                files.files.insert(asked, place);
            }
        }
        if files.files.is_empty() {
            let message = "the folder holds no dataset file; a folder of images becomes one with: forebay convert";
            let e = Error::new(&codes::ARGUMENT, format!("{message} {} out.tbl", path.display()));
            return Err(match files.unread.first() {
                Some(unread) => e.more(&format!("not all of it could be read: {unread}")),
                None => e,
            });
        }
        Ok(files)
    }

    /// One object, or the datasets below an address that ends in a slash. Credentials stay here: visitors get bytes.
    fn elsewhere(path: &Path) -> Result<ServedFiles> {
        let mut files = ServedFiles::default();
        if !remote::is_folder(path) {
            // Without what follows the name in an address, which may be a signature.
            let shown = display(path);
            let name = shown.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("dataset");
            files.lens.insert(name.to_owned(), Input::pieces(path)?.len());
            files.files.insert(name.to_owned(), path.to_owned());
            return Ok(files);
        }
        for found in remote::below(path)? {
            let of_thumbs = found.name.strip_suffix(SUFFIX).and_then(|name| name.rsplit_once('.'));
            if of_thumbs.is_some_and(|(_, extension)| is_dataset(extension)) {
                files.thumbs.insert(found.name, found.path);
                continue;
            }
            if found.name.rsplit_once('.').is_some_and(|(_, extension)| is_dataset(extension)) {
                files.lens.insert(found.name.clone(), found.len);
                files.files.insert(found.name, found.path);
            }
        }
        match files.files.is_empty() {
            true => {
                Err(Error::new(&codes::ARGUMENT, "there is no dataset file below this address").file(display(path)))
            }
            false => Ok(files),
        }
    }

    /// The object of an address, opened for all visitors; now and then anew, so that they see what was written.
    pub fn opened(&self, path: &Path) -> Result<Input> {
        let held = || self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((since, input)) = held().get(path)
            && since.elapsed() < FRESH
        {
            return Ok(input.clone());
        }
        let input = Input::pieces(path)?;
        held().insert(path.to_owned(), (Instant::now(), input.clone()));
        Ok(input)
    }
    /// Forgets what was opened, since it is no longer what it was.
    pub fn close(&self, path: &Path) {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).remove(path);
    }
    /// How many bytes a file has, if it is there.
    pub fn len(&self, name: &str) -> Option<u64> {
        let of_file = || std::fs::metadata(self.path(name)?).ok().map(|metadata| metadata.len());
        self.lens.get(name).copied().or_else(of_file)
    }

    /// The file that a request means.
    pub fn path(&self, name: &str) -> Option<&Path> {
        self.files.get(name).or_else(|| self.thumbs.get(name)).map(PathBuf::as_path)
    }

    /// What of the folder could not be read, and is not served.
    pub fn unread(&self) -> &[String] {
        &self.unread
    }

    /// Every served name, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }
}

/// A name as a part of a URL: what is not plain is percent-encoded, slashes stay.
pub(super) fn to_url(name: &str) -> String {
    let mut url = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => url.push(char::from(byte)),
            other => url.push_str(&format!("%{other:02X}")),
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_urls() {
        for name in ["a.tbl", "my data/ü 100%.tbl", "?#&+.tar", "日本.tbl"] {
            assert_eq!(from_url(&to_url(name)).as_deref(), Some(name));
        }
        assert_eq!(to_url("my data/1%.tbl"), "my%20data/1%25.tbl");
        for broken in ["%", "%2", "%zz", "%ff"] {
            assert_eq!(from_url(broken), None, "{broken}");
        }
    }

    #[test]
    fn a_folder_serves_its_datasets_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("in")).unwrap();
        for name in ["a.tbl", "a.tbl.thumbs", "in/b.TAR", "notes.txt", "notes.txt.thumbs", ".hidden.tbl"] {
            std::fs::write(at(name), b"x").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/passwd", at("link.tbl")).unwrap();
        let files = ServedFiles::new(folder.path()).unwrap();
        assert_eq!(files.names().collect::<Vec<_>>(), ["a.tbl", "in/b.TAR"]);
        for name in
            ["../a.tbl", "in/../a.tbl", "/etc/passwd", "notes.txt", "notes.txt.thumbs", "link.tbl", "a.tbl/", ""]
        {
            assert_eq!(files.path(name), None, "{name}");
        }
        // Thumbnails go along with their dataset, and are none.
        assert!(files.path("a.tbl.thumbs").is_some_and(Path::exists));
        assert!(ServedFiles::new(&at("in/none")).is_err() && files.unread().is_empty());
    }

    /// Names that are too long together cannot be opened, by whomever; permissions do not stop root.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_cannot_be_read_is_named_and_the_rest_is_served() {
        let folder = tempfile::tempdir().unwrap();
        let chain = |top: &str| (0..12).fold(folder.path().join(top), |path, _| path.join("n".repeat(200)));
        let (deep, deeper) = (chain("deep"), chain("other"));
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::create_dir_all(&deeper).unwrap();
        std::fs::rename(folder.path().join("other"), deep.join("other")).unwrap();
        let empty = ServedFiles::new(folder.path()).unwrap_err().to_string();
        assert!(
            empty.contains("holds no dataset file") && empty.contains("not all of it could be read: deep/"),
            "{empty}"
        );
        std::fs::write(folder.path().join("a.tbl"), b"x").unwrap();
        std::fs::write(deep.join("z.tbl"), b"x").unwrap();
        let files = ServedFiles::new(folder.path()).unwrap();
        assert_eq!(files.names().count(), 2);
        assert_eq!(files.unread().len(), 1);
        assert!(files.unread()[0].starts_with("deep/nnn"), "{:?}", files.unread());
    }
}
