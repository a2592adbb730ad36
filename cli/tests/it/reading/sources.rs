//! Nothing above a source knows which kind it is.

use std::{fs, ops::Range, sync::Mutex};

use forebay::{Error, Result, error::codes};
use forebay_native::{
    Dataset, Input, OpenOptions,
    input::{Advice, Io, Source},
};

use crate::reading::place::{Files, SAMPLES};

/// Bytes that come from elsewhere, as those of an object in a store would, and which of them were asked for.
#[derive(Debug)]
struct Elsewhere {
    bytes: Vec<u8>,
    asked: Mutex<Vec<Range<u64>>>,
    /// Another version is there now.
    replaced: bool,
}

impl Elsewhere {
    fn of(file: &str) -> Elsewhere {
        Elsewhere { bytes: fs::read(Files::get().at(file)).unwrap(), asked: Mutex::default(), replaced: false }
    }
}

impl Source for &'static Elsewhere {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }
    fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()> {
        let end = at + out.len() as u64;
        self.asked.lock().unwrap().push(at..end);
        out.copy_from_slice(&self.bytes[at as usize..end as usize]);
        Ok(())
    }
    fn advise(&self, _: Range<u64>, _: Advice) {}
    fn unchanged(&self) -> Result<()> {
        match self.replaced {
            true => Err(Error::new(&codes::IO, "another version is there now")),
            false => Ok(()),
        }
    }
}

fn content(dataset: &Dataset) -> Vec<(Vec<u8>, Option<String>)> {
    (0..dataset.len()).map(|i| (dataset.payload(i).unwrap().to_vec(), dataset.record(i).unwrap())).collect()
}

#[test]
fn every_kind_of_source_gives_the_same_samples() {
    let options = OpenOptions::default();
    for file in SAMPLES {
        let path = Files::get().at(file);
        let right = content(&Dataset::open(&path).unwrap());
        assert_eq!(right.len(), 300);
        let elsewhere: &'static Elsewhere = Box::leak(Box::new(Elsewhere::of(file)));
        let kinds = [
            Input::open(&path, Io::Map).unwrap(),
            Input::open(&path, Io::Read).unwrap(),
            Input::read(&path).unwrap(),
            Input::over("elsewhere", elsewhere),
        ];
        for input in kinds {
            assert!(content(&Dataset::from_input(input, &options).unwrap()) == right, "{file}");
        }
        // Headers and records that follow each other are asked for together: 300 samples have 300 of each.
        let asked = elsewhere.asked.lock().unwrap().len();
        assert!(asked < 800, "{file}: {asked}");
    }
}

#[test]
fn a_source_that_is_another_now_is_not_believed() {
    let mut elsewhere = Elsewhere::of("a.tbl");
    elsewhere.replaced = true;
    let input = Input::over("elsewhere", &*Box::leak(Box::new(elsewhere)));
    let e = Dataset::from_input(input, &OpenOptions::default()).unwrap_err();
    assert_eq!((e.code().id(), e.place().file.as_deref()), ("io", Some("elsewhere")));
}
