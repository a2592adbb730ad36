//! What a label file cannot say by itself, said by options.

use std::path::{Path, PathBuf};

use forebay::{
    Error, Limits, Result,
    annotations::{Between, BoxField, Exif, Format, Names, Pick, ReadOptions, Task},
    error::codes,
    words::Word,
};
use forebay_native::labels::{Open, class_names};

use crate::{command::effect::Given, words::word};

/// What label files mean.
#[derive(Debug, clap::Args)]
pub(crate) struct MeaningArgs {
    /// Pascal VOC: number of the first pixel, 0 or 1.
    ///
    /// The files do not contain this number.
    #[arg(long, value_name = "BASE", value_parser = clap::value_parser!(u8).range(0..=1))]
    voc_base: Option<u8>,
    /// YOLO: kind of annotation on each line.
    #[arg(long, value_name = "KIND", value_parser = word::<Task>())]
    task: Option<Task>,
    /// YOLO: read lines of six columns as boxes with a score.
    #[arg(long, hide_short_help = true)]
    scores: bool,
    /// CVAT video: boxes of frames that a track does not list.
    ///
    /// `interpolate` computes and counts them, `refuse` refuses tracks that do not list every frame, `listed` gives such
    /// frames no boxes.
    #[arg(long, value_name = "MODE", hide_short_help = true, value_parser = word::<Between>(), default_value = "interpolate")]
    between: Between,
    /// Annotation to use if an image has several.
    ///
    /// `first` or `last` annotation that was not canceled, or the boxes of `all` annotators.
    #[arg(long, value_name = "MODE", value_parser = word::<Pick>())]
    pick: Option<Pick>,
    /// Images that EXIF rotates: raster of their boxes.
    ///
    /// `apply`: boxes are in the image as displayed; `ignore`: in the image as stored; `refuse`: refuse such images.
    #[arg(long, value_name = "MODE", value_parser = word::<Exif>())]
    exif: Option<Exif>,
    /// Compare image names as a whole, or only their last part.
    #[arg(long, value_name = "MODE", value_parser = word::<Names>(), default_value = "whole")]
    names: Names,
    /// File of class names, one per line.
    ///
    /// For formats that only number the classes.
    #[arg(long, value_name = "FILE")]
    classes: Option<PathBuf>,
    /// Label Studio: key of the image in the task's data.
    #[arg(long, hide_short_help = true, value_name = "KEY")]
    image_key: Option<String>,
    /// Metadata field with boxes, such as json.boxes:xywh.
    ///
    /// The part after the colon says what the four numbers of a box mean.
    #[arg(long, value_name = "FIELD")]
    boxes: Option<BoxField>,
}

/// Options that are for some formats, by their names in the program. One that is not here is for all.
const USES: &[(&str, &[Format])] = &[
    ("voc_base", &[Format::Voc, Format::Records]),
    ("task", &[Format::Yolo, Format::Records]),
    ("scores", &[Format::Yolo, Format::Records]),
    ("classes", &[Format::Yolo, Format::Records]),
    ("boxes", &[Format::Records]),
    ("between", &[Format::Cvat]),
    ("image_key", &[Format::LabelStudio]),
    ("pick", &[Format::LabelStudio, Format::Coco, Format::LabelMe, Format::Via, Format::CreateMl, Format::Datumaro]),
    (
        "names",
        &[
            Format::Coco,
            Format::LabelStudio,
            Format::LabelMe,
            Format::Via,
            Format::CreateMl,
            Format::Datumaro,
            Format::Recorder,
            Format::Records,
        ],
    ),
];

impl MeaningArgs {
    /// The file with the names of the classes.
    pub fn classes(&self) -> Option<&Path> {
        self.classes.as_deref()
    }

    /// How labels are opened; `given` says which of the options were written, so that those that would change nothing are
    /// refused once the format is known.
    pub fn open(&self, format: Option<Format>, limits: &Limits, given: &Given) -> Result<Open> {
        let mut options = ReadOptions::default();
        options.voc_base = self.voc_base;
        options.task = self.task;
        options.scores = self.scores;
        options.between = self.between;
        options.pick = self.pick;
        options.exif = self.exif;
        options.names = self.names;
        options.image_key = self.image_key.clone();
        options.boxes = self.boxes.clone();
        options.limits = limits.clone();
        if let Some(path) = &self.classes {
            options.classes = Some(class_names(path)?);
        }
        Ok(checked(options, format, given))
    }
}

/// Opens labels by these options, and refuses those that are `given` and would change nothing.
pub(crate) fn checked(options: ReadOptions, format: Option<Format>, given: &Given) -> Open {
    let wrong = wrong(given);
    Open::new(options).format(format).when_found(move |format| match wrong(format) {
        Some(message) => Err(Error::new(&codes::ARGUMENT, message)),
        None => Ok(()),
    })
}

/// What is wrong with the options for labels of a format.
fn wrong(given: &Given) -> impl Fn(Format) -> Option<String> + Send + Sync + 'static {
    let given: Vec<(String, &[Format])> =
        USES.iter().filter_map(|(id, formats)| Some((given.written(id)?.to_owned(), *formats))).collect();
    move |format| {
        let (written, formats) = given.iter().find(|(_, formats)| !formats.contains(&format))?;
        let words: Vec<_> = formats.iter().map(|format| format.word()).collect();
        Some(format!(
            "{written} changes nothing in labels of the format {}; it is for {}",
            format.word(),
            words.join(", ")
        ))
    }
}
