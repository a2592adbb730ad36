//! A dataset of samples.

use std::{cell::RefCell, path::PathBuf};

use forebay::{
    Error, Result,
    error::{Kind, codes},
    filter::{Filter, Path, Record, SampleRecord},
    image::decode::{Decoder, Options as DecodeOptions},
    sample::{
        MediaFormat,
        record::{RestoredFile, files},
        stats::Stats,
    },
    samples::field,
    warehouse::Endianness,
};
use forebay_native::{Dataset as Opened, Input, OpenOptions, select::matching};
use pyo3::{prelude::*, types::PyBytes};
use serde::Deserialize;
use serde_json::json;

use crate::{
    errors::Raise,
    memory::Memory,
    options::{optional, parse},
    source::PyFile,
    wait::{Wire, long},
};

/// How to open.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Open {
    io: Option<String>,
    keep_going: bool,
    class_level: Option<u32>,
}

impl Open {
    fn options(&self) -> Result<OpenOptions> {
        let mut options = OpenOptions::default();
        options.io = optional("io", self.io.as_deref())?.unwrap_or_default();
        (options.keep_going, options.class_level) = (self.keep_going, self.class_level);
        Ok(options)
    }
}

/// What an index says of a sample: format, width, height, bytes, stored bytes, offset, codec.
type Info = (&'static str, u32, u32, u64, u64, u64, &'static str);

/// Samples in a TBL, a TAR or a folder.
#[pyclass(frozen, module = "forebay._forebay")]
#[derive(Debug)]
pub(crate) struct Dataset(Opened);

thread_local! {
    /// A decoder for each thread that asks, with the buffers that it keeps.
    static DECODER: RefCell<Decoder> = RefCell::default();
}

#[pymethods]
impl Dataset {
    /// Opens a file or folder.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, options: String) -> PyResult<Dataset> {
        long(py, None, move |_| Opened::open_with(&path, &parse::<Open>(&options)?.options()?)).map(Dataset)
    }

    /// Opens bytes.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, name: String, bytes: Vec<u8>) -> PyResult<Dataset> {
        let open = move |_: &Wire| Opened::from_input(Input::memory(name, bytes), &OpenOptions::default());
        long(py, None, open).map(Dataset)
    }

    /// Opens what `forebay._files.Ranges` reads.
    #[staticmethod]
    fn from_ranges(py: Python<'_>, name: String, ranges: Py<PyAny>, len: u64, keep_going: bool) -> PyResult<Dataset> {
        let input = Input::over(name, PyFile::new(ranges, len));
        let mut options = OpenOptions::default();
        options.keep_going = keep_going;
        long(py, None, move |_| Opened::from_input(input, &options)).map(Dataset)
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(usize::try_from(self.0.len())?)
    }
    /// The word for the format.
    fn format(&self) -> &'static str {
        self.0.format().map_or("folder", |format| format.name())
    }
    fn name(&self) -> &str {
        self.0.name()
    }
    fn file_bytes(&self) -> u64 {
        self.0.file_len()
    }
    fn notes(&self) -> Vec<String> {
        self.0.notes()
    }
    /// What stopped the reading of a damaged archive.
    fn damage<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.losses().next().map(|e| crate::errors::object(py, e)).transpose()
    }

    /// What all samples of a tensor warehouse have in common, and its manifest, as JSON text.
    fn warehouse(&self) -> Option<String> {
        let warehouse = self.0.warehouse()?;
        let shape = warehouse.shape().map(|shape| {
            json!({
                "width": shape.width,
                "height": shape.height,
                "dtype": shape.dtype.name(),
                "boxes_dtype": shape.boxes_dtype.name(),
                "big_endian": shape.endianness == Endianness::Big,
                "max_boxes": shape.max_boxes,
            })
        });
        Some(json!({ "shape": shape, "manifest": warehouse.manifest() }).to_string())
    }

    fn info(&self, py: Python<'_>, i: u64) -> PyResult<Info> {
        let info = py.detach(|| self.0.info(i)).raise(py)?;
        let (format, codec) = (info.format.name(), info.codec.name());
        Ok((format, info.width, info.height, info.bytes, info.stored_bytes, info.offset, codec))
    }
    fn payload(&self, py: Python<'_>, i: u64) -> PyResult<Memory> {
        py.detach(|| self.0.payload(i)).map(Memory::bytes).raise(py)
    }
    fn sample_name(&self, py: Python<'_>, i: u64) -> PyResult<Option<String>> {
        py.detach(|| self.0.sample_name(i)).raise(py)
    }
    /// A sample's metadata as JSON text, with every digit that the file has: Python's whole numbers have no bound.
    fn metadata(&self, py: Python<'_>, i: u64) -> PyResult<Option<String>> {
        py.detach(|| self.0.record(i)).raise(py)
    }
    /// The files that a sample becomes again, each with its name, and its bytes unless it is the payload.
    fn files<'py>(&self, py: Python<'py>, i: u64) -> PyResult<Vec<RestoredBytes<'py>>> {
        let files = py.detach(|| self.restored(i)).raise(py)?;
        Ok(files.into_iter().map(|file| (file.name, file.content.map(|bytes| PyBytes::new(py, &bytes)))).collect())
    }
    /// The document beside the samples as JSON text.
    fn document(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| Ok(json!(self.0.document()?).to_string())).raise(py)
    }
    /// A sample's pixels.
    #[pyo3(signature = (i, orient, damaged))]
    fn image(&self, py: Python<'_>, i: u64, orient: bool, damaged: bool) -> PyResult<Memory> {
        py.detach(|| self.pixels(i, orient, damaged)).raise(py)
    }

    /// The numbers of the samples that a filter accepts.
    fn matching(&self, py: Python<'_>, filter: &str) -> PyResult<Memory> {
        let (dataset, filter) = (self.0.clone(), Filter::parse(filter).raise(py)?);
        long(py, None, move |_| matching(&dataset, &filter)).map(Memory::numbers)
    }

    /// Sizes, shapes, formats and classes of all samples, or of those that are named, as JSON text.
    fn stats(&self, py: Python<'_>, chosen: Option<Vec<u64>>, label: Option<String>) -> PyResult<String> {
        let dataset = self.0.clone();
        long(py, None, move |wire| stats(&dataset, chosen, label.as_deref(), wire))
    }
}

/// The name of a file, and its bytes unless it is the payload.
type RestoredBytes<'py> = (String, Option<Bound<'py, PyBytes>>);

impl Dataset {
    fn restored(&self, i: u64) -> Result<Vec<RestoredFile>> {
        let extension = self.0.info(i)?.format.extension();
        match self.0.record(i)? {
            Some(record) => files(&record, i, extension).map_err(|e| e.file(self.0.name())),
            None => Ok(vec![RestoredFile { name: format!("{i:08}.{extension}"), content: None }]),
        }
    }

    pub(crate) fn opened(&self) -> &Opened {
        &self.0
    }

    fn pixels(&self, i: u64, orient: bool, damaged: bool) -> Result<Memory> {
        let named = |e: Error| e.sample(i).file(self.0.name());
        let (info, payload) = (self.0.info(i)?, self.0.payload(i)?);
        let raw = (info.format == MediaFormat::RawU8).then_some((info.width, info.height));
        let options =
            DecodeOptions::default().with_orient(orient).with_damaged(damaged).with_limits(self.0.limits().clone());
        DECODER.with_borrow_mut(|decoder| {
            let picture = decoder.decode(&payload, raw, &options).map_err(named)?;
            Memory::pixels(picture.pixels.to_vec(), picture.width, picture.height).ok_or_else(|| {
                named(Error::new(&forebay::image::codes::DAMAGED, "the decoder gave pixels of another size"))
            })
        })
    }
}

/// Counts samples; of one that cannot be read it says so, and goes on.
fn stats(dataset: &Opened, chosen: Option<Vec<u64>>, label: Option<&str>, wire: &Wire) -> Result<String> {
    let labels: Vec<Path> = match label {
        Some(label) => vec![field(label)?],
        None => vec![field("class")?, field("cls")?],
    };
    let (mut stats, mut faults) = (Stats::default(), forebay::check::Report::new(0));
    let numbers: Box<dyn Iterator<Item = u64>> = match chosen {
        Some(chosen) => Box::new(chosen.into_iter()),
        None => Box::new(0..dataset.len()),
    };
    for (k, i) in numbers.enumerate() {
        if k % 64 == 0 {
            wire.tell(k as u64, None);
        }
        let counted = dataset.info(i).and_then(|info| Ok((info, dataset.find_metadata(i)?)));
        let (info, metadata) = match counted {
            Ok(counted) => counted,
            // What could not be read is no fault of the file's.
            Err(e) if matches!(e.kind(), Kind::Io | Kind::Usage) => return Err(e),
            Err(e) => {
                faults.fault(&e.sample(i));
                continue;
            }
        };
        let mut record = SampleRecord::new(&info);
        record.metadata = metadata.as_ref().map(|(value, _)| value);
        let label = labels.iter().find_map(|path| record.field(path).label());
        stats.add(&info, label.as_deref());
    }
    let mut report = serde_json::to_value(stats.report())
        .map_err(|e| Error::caused(&codes::IO, "the report cannot be written as JSON", e))?;
    report["fault_count"] = faults.fault_count.into();
    report["faults"] = json!(faults.faults);
    Ok(report.to_string())
}
