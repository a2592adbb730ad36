//! `forebay labels convert`.

use std::path::PathBuf;

use forebay::{
    Error, Result,
    annotations::{Format, write::written},
    error::codes::ARGUMENT,
    words::Word,
};
use forebay_native::{input::display, labels::write};
use serde_json::{Map, Value, json};

use super::{
    ReadArgs,
    look::{notes, print_notes},
};
use crate::{exit::Outcome, human, output::Output, words::word};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The label file, or the folder of label files.
    #[arg(value_name = "INPUT")]
    input: PathBuf,
    /// The file to write, or the folder, for formats that have a file a picture; - is standard output.
    #[arg(value_name = "OUTPUT")]
    output: PathBuf,
    /// The format to write.
    #[arg(long, value_parser = word::<Format>(), value_name = "FORMAT")]
    to: Format,
    /// Replace a file that is there.
    #[arg(long, short)]
    force: bool,
    #[command(flatten)]
    read: ReadArgs,
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    if !written().any(|format| format == args.to) {
        let words: Vec<_> = written().map(|format| format.word()).collect();
        let message = format!("labels are not written as {}; these are: {}", args.to.word(), words.join(", "));
        return Err(Error::new(&ARGUMENT, message));
    }
    let set = args.read.open()?.read(&args.input)?;
    let done = write(&set.labels, args.to, &args.output, args.force)?;
    let (pictures, annotations) = (set.labels.pictures.len() as u64, set.labels.annotations() as u64);
    let to_stdout = args.output.as_os_str() == "-";
    if out.json() {
        let losses = done.losses.iter().map(|(loss, n)| (loss.word().to_owned(), n.into()));
        let losses: Map<String, Value> = losses.collect();
        let value = json!({
            "input": display(&args.input),
            "from": set.format.word(),
            "output": display(&args.output),
            "to": args.to.word(),
            "files": done.files,
            "bytes": done.bytes,
            "pictures": pictures,
            "annotations": annotations,
            "losses": losses,
            "notes": notes(&set.labels.notes),
        });
        if !to_stdout {
            out.value(&value);
        }
        return Ok(Outcome::Fine);
    }
    let lost = |text: String| if to_stdout { out.note(text) } else { out.line(text) };
    if !to_stdout {
        let (pictures, annotations) = (human::count(pictures), human::count(annotations));
        let name = display(&args.output);
        out.line(format!("{name}: {pictures} pictures, {annotations} annotations, {}", human::bytes(done.bytes)));
        print_notes(&set.labels.notes, out);
    }
    for (loss, n) in done.losses.iter() {
        lost(format!("  lost {:>7}  {}", human::count(n), loss.meaning()));
    }
    Ok(Outcome::Fine)
}
