//! A warehouse whose files are in memory.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::{collections::BTreeMap, path::Path};

use bytes::Bytes;
use forebay::{
    Limits, Result,
    check::Report,
    step::drive,
    warehouse::{
        Checker, Counts, Manifest, Opener, ResizeMode, SampleRecord, Shape, ShardWriter, Summary, Transform, Warehouse,
        version::{self, Recipe},
    },
};

/// Files by name; `manifest.json` among them.
#[derive(Clone, Debug, Default)]
pub struct Files(pub BTreeMap<String, Vec<u8>>);

impl Files {
    /// The files of a folder.
    #[allow(clippy::disallowed_methods, reason = "tests read files")]
    pub fn read(folder: &Path) -> Files {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let files =
            entries.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(path).unwrap()));
        Files(files.collect())
    }

    pub fn manifest_bytes(&self) -> &[u8] {
        &self.0["manifest.json"]
    }
    pub fn manifest(&self) -> Result<Manifest> {
        Manifest::parse(self.manifest_bytes(), &Limits::default())
    }

    /// All of it as one file, and its opener.
    pub fn joined(&self) -> Result<(Opener, Bytes)> {
        let manifest = self.manifest()?;
        let files = manifest.shards.iter().map(|shard| self.0.get(&shard.relative_path));
        let files: Vec<Option<&Vec<u8>>> = files.collect();
        let lens: Vec<Option<u64>> = files.iter().map(|file| file.map(|file| file.len() as u64)).collect();
        let parts = std::iter::once(self.manifest_bytes()).chain(files.iter().flatten().map(|file| &file[..]));
        let joined = parts.collect::<Vec<_>>().concat();
        Ok((Opener::new(manifest, self.manifest_bytes().len() as u64, &lens), joined.into()))
    }

    /// Opened as for use.
    pub fn open(&self) -> Result<(Warehouse, Bytes)> {
        let (opener, file) = self.joined()?;
        Ok((drive(opener, &file)?, file))
    }

    /// Checked to the end, with pieces of this size.
    pub fn check(&self, window: u64) -> Report {
        let done = || {
            let (opener, file) = self.joined()?;
            let warehouse = drive(opener.keep_going(), &file)?;
            drive(Checker::new(&warehouse).with_window(window), &file)
        };
        done().unwrap_or_else(|e| Report::unopened(&e))
    }
}

/// A sample to be made: its pixels by their seed, its boxes with their classes, and its metadata if it has some.
#[derive(Clone, Debug, Default)]
pub struct Made {
    pub seed: u8,
    pub boxes: Vec<[f32; 4]>,
    pub record: Option<SampleRecord>,
}

impl Made {
    /// One that says which it is.
    pub fn new(run: &str, frame: u64, boxes: &[([f32; 4], Option<u32>)]) -> Made {
        let mut record = SampleRecord::new();
        (record.run, record.frame_id) = (Some(run.into()), Some(frame));
        record.source = Some(format!("{run}/{frame}.png"));
        record.classes = boxes.iter().map(|(_, class)| *class).collect();
        Made { seed: frame as u8, boxes: boxes.iter().map(|(corners, _)| *corners).collect(), record: Some(record) }
    }
}

/// A warehouse of one shard of these samples, or of none where there are no samples.
pub fn made(shape: Shape, classes: &[&str], samples: &[Made]) -> Files {
    let transform = Transform::new(Some([shape.width, shape.height]), ResizeMode::Force, shape.max_boxes.into());
    let recipe =
        Recipe { dataset_root: "in".into(), transform: transform.clone(), skip_empty: false, code_version: "1".into() };
    let mut manifest = Manifest::new("in", transform, version::key(&recipe, &[]), shape.dtype);
    manifest.classes = (!classes.is_empty()).then(|| classes.iter().map(|name| (*name).to_owned()).collect());
    let mut runs: BTreeMap<String, Counts> = BTreeMap::new();
    let mut files = Files::default();
    if !samples.is_empty() {
        let mut writer = ShardWriter::new(shape, samples.len() as u64).unwrap();
        let mut file = Vec::new();
        for sample in samples {
            let run = sample.record.as_ref().and_then(|record| record.run.clone()).unwrap_or_default();
            let counts = runs.entry(run.clone()).or_insert_with(|| Counts::new(format!("in/{run}")));
            counts.total += 1;
            *(if sample.boxes.is_empty() { &mut counts.empty } else { &mut counts.non_empty }) += 1;
            let pixels = (0..shape.pixels().unwrap()).map(|k| (k as u8).wrapping_mul(37).wrapping_add(sample.seed));
            let image = writer.image_bytes(&pixels.collect::<Vec<u8>>()).unwrap();
            let at = writer.add(&image, &sample.boxes, sample.record.as_ref()).unwrap();
            file.resize(at as usize, 0);
            file.extend(image);
        }
        let done = writer.finish().unwrap();
        file.resize(done.tail_at as usize, 0);
        file.extend(&done.tail);
        file[..80].copy_from_slice(&done.header);
        manifest.shards.push(done.entry(0));
        files.0.insert("shard_00000.bin".into(), file);
    }
    manifest.summary = Summary::of(runs.into_values().collect());
    files.0.insert("manifest.json".into(), manifest.to_bytes().unwrap());
    files
}
