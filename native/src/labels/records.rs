//! Annotations that samples carry in their metadata.

use bytes::BytesMut;
use forebay::{
    Error, Result,
    annotations::{Labels, ReadOptions, record::Gather},
};

use crate::Dataset;

/// Reads what the samples of a dataset say of their pictures. Those that say nothing are pictures that nobody has labeled;
/// if none says anything, there are no labels here.
pub fn of_samples(dataset: &Dataset, options: &ReadOptions) -> Result<Labels> {
    let named = |e: Error| e.file(dataset.name());
    let mut labels = Gather::new(options, &dataset.document()?).map_err(named)?;
    let mut buffer = BytesMut::new();
    for i in 0..dataset.len() {
        let blame = |e: Error| e.sample(i).file(dataset.name());
        let info = dataset.info(i)?;
        let text = dataset.record_text(i, &mut buffer)?;
        let (told, name) = match text.as_ref().and_then(|text| labels.quick(text.as_str())) {
            Some(mut told) if dataset.names_in_metadata() => {
                let name = told.name.take();
                (told, name)
            }
            Some(told) => (told, dataset.sample_name(i)?),
            None => {
                let metadata = dataset.metadata_value(i)?.unwrap_or_default();
                let told = labels.slow(&metadata, Some((info.width, info.height))).map_err(blame)?;
                (told, dataset.name_in(i, &metadata))
            }
        };
        labels.add(i, told, name, info.format, (info.width, info.height)).map_err(blame)?;
    }
    labels.finish().map_err(named)
}
