//! The corpus: its folders, and what the twins say.

use std::{
    fs,
    path::{Path, PathBuf},
};

use forebay::{
    Error,
    annotations::{Between, Exif, Names, Pick, ReadOptions, Task},
    words::Word,
};
use serde_json::Value;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/labels");

/// A file or folder of labels, and its twin.
pub struct Case {
    pub name: String,
    pub format: String,
    pub root: PathBuf,
    pub twin: Value,
}

/// What a right reader does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Refuse,
    Note,
    Clip,
    Accept,
}

fn of(folder: &str) -> Vec<Case> {
    let folder = Path::new(CORPUS).join(folder);
    let mut names: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|ext| ext == "json"));
    names.sort();
    let cases = names.into_iter().filter_map(|path| {
        let name = path.file_stem()?.to_str()?.to_owned();
        let twin: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let format = twin.get("format")?.as_str()?.to_owned();
        Some(Case { root: folder.join(&name), name, format, twin })
    });
    cases.collect()
}

/// What the tools wrote.
pub fn exports() -> Vec<Case> {
    let cases = of("exports");
    assert_eq!(cases.len(), 64);
    cases
}

/// What was damaged.
pub fn damaged() -> Vec<Case> {
    let cases = of("damaged");
    assert_eq!(cases.len(), 152);
    cases
}

/// Both.
pub fn cases() -> Vec<Case> {
    exports().into_iter().chain(damaged()).collect()
}

impl Case {
    /// The name of the file to open; `None` where it is the whole folder.
    pub fn entry(&self) -> Option<&str> {
        self.twin["entry"].as_str()
    }

    /// The twin's own file.
    pub fn twin_file(&self) -> PathBuf {
        self.root.with_file_name(format!("{}.json", self.name))
    }

    /// The bytes of a file of the case: as they lie there, or by the recipe for long ones.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        let recipe = &self.twin["recipe"];
        if recipe["file"] != name {
            return fs::read(self.root.join(name)).unwrap_or_else(|e| panic!("{}: {name}: {e}", self.name));
        }
        let text = |key: &str| recipe[key].as_str().unwrap_or_default();
        let mut out = text("prefix").to_owned();
        for unit in ["unit", "unit2"] {
            let unit = text(unit);
            for i in 0..recipe["times"].as_u64().unwrap_or(0) {
                match unit.contains("{i}") {
                    true => out.push_str(&unit.replace("{i}", &i.to_string())),
                    false => out.push_str(unit),
                }
            }
        }
        out.push_str(text("suffix"));
        out.into_bytes()
    }

    /// The bytes of the file to open.
    pub fn entry_bytes(&self) -> Vec<u8> {
        self.bytes(self.entry().unwrap())
    }

    /// The names of all files of the case, with an extension.
    #[allow(dead_code, reason = "formats of one file do not ask")]
    pub fn files(&self, extension: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ext| ext == extension) {
                    let inside = path.strip_prefix(&self.root).unwrap();
                    found.push(inside.to_str().unwrap().replace('\\', "/"));
                }
            }
        }
        found.sort();
        found
    }

    /// The pictures that belong to the case: their names in it, and those in `truth/images`.
    pub fn pictures(&self) -> Vec<(String, String)> {
        let map = self.twin["materialise"].as_object();
        let both = |(name, truth): (&String, &Value)| Some((name.clone(), truth.as_str()?.to_owned()));
        map.into_iter().flatten().filter_map(both).collect()
    }

    /// A picture's bytes.
    #[allow(dead_code, reason = "formats with sizes do not ask")]
    pub fn picture(&self, truth: &str) -> Vec<u8> {
        fs::read(Path::new(CORPUS).join("truth/images").join(truth)).unwrap()
    }

    pub fn text(&self, group: &str, key: &str) -> Option<String> {
        self.twin[group][key].as_str().map(str::to_owned)
    }

    /// The options that the twin names.
    pub fn options(&self) -> ReadOptions {
        let said = |key: &str| self.text("options", key);
        let mut options = ReadOptions::default();
        options.voc_base = self.twin["options"]["voc_base"].as_u64().map(|n| n as u8);
        options.task = said("task").map(|word| Task::from_word(&word).unwrap());
        options.exif = said("exif").map(|word| Exif::from_word(&word).unwrap());
        options.pick = said("pick").map(|word| Pick::from_word(&word).unwrap());
        options.image_key = said("image_key");
        options
    }

    /// The same, with those that the file itself asks for.
    pub fn asked(&self) -> ReadOptions {
        let mut options = self.options();
        match self.name.as_str() {
            "labelstudio_coco" => options.names = Names::Last,
            "labelstudio_annotators_coco" => {
                options.names = Names::Last;
                options.pick = Some(Pick::Last);
            }
            // The twin has the frames that are listed.
            "handwritten_cvat_video_keyframes" => options.between = Between::Listed,
            name if name.starts_with("labelstudio_") && self.format == "coco" => options.names = Names::Last,
            _ => {}
        }
        options
    }

    pub fn outcome(&self) -> Outcome {
        match self.twin["outcome"].as_str().unwrap() {
            "refuse" => Outcome::Refuse,
            "note" => Outcome::Note,
            "clip" => Outcome::Clip,
            "accept" => Outcome::Accept,
            other => panic!("{}: {other}", self.name),
        }
    }

    pub fn why(&self) -> &str {
        self.twin["why"].as_str().unwrap_or_default()
    }

    pub fn is_choice(&self) -> bool {
        self.twin["choice"] == true
    }

    pub fn tolerance(&self) -> f64 {
        self.twin["tolerance"].as_f64().unwrap_or(1e-6)
    }

    /// Refuses an error that does not say where the fault lies.
    pub fn is_place_of(&self, e: &Error) {
        let line = self.twin["where"]["line"].as_u64();
        if let Some(line) = line {
            assert_eq!(e.place().line, Some(line), "{}: {e} ({})", self.name, self.why());
        }
        if let Some(path) = self.twin["where"]["path"].as_str() {
            let said = e.place().path.as_deref().unwrap_or_default();
            assert!(said.starts_with(path), "{}: {said:?} is not {path:?}: {e}", self.name);
        }
        assert!(e.code().id().starts_with("label.") || e.code().id().starts_with("limit."), "{}: {e}", self.name);
    }
}
