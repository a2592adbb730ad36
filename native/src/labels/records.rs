//! Annotations that samples carry in their metadata.

use forebay::{
    Error, Result,
    annotations::{Cause, Id, Labels, Names, ReadOptions, base_name, checked_name, codes, record},
};

use crate::Dataset;

/// Reads what the samples of a dataset say of their pictures. Those that say nothing are pictures that nobody has labeled;
/// if none says anything, there are no labels here.
pub fn of_samples(dataset: &Dataset, options: &ReadOptions) -> Result<Labels> {
    let document = dataset.document()?;
    let named = |e: Error| e.file(dataset.name());
    let mut labels = Labels::default();
    labels.classes = record::read_classes(&document).map_err(named)?;
    let mut marked = false;
    for i in 0..dataset.len() {
        let metadata = dataset.metadata_value(i)?.unwrap_or_default();
        let blame = |e: Error| e.sample(i).file(dataset.name());
        let info = dataset.info(i)?;
        let size = Some((info.width, info.height));
        let found = record::find(&metadata, size, options, &mut labels.classes).map_err(blame)?;
        marked |= found.is_some();
        let unlabelled = found.is_none();
        let record::Found { mut picture, faults, notes, .. } = found.unwrap_or_default();
        if let Some(first) = faults.into_iter().next() {
            return Err(blame(first));
        }
        labels.notes.join(notes);
        picture.unlabelled = unlabelled;
        let name = dataset.name_in(i, &metadata);
        let name = name.unwrap_or_else(|| format!("{i:08}.{}", info.format.extension()));
        let name = if options.names == Names::Last { base_name(&name).to_owned() } else { name };
        checked_name(&name).map_err(blame)?;
        picture.name = name;
        if picture.size().is_none() {
            (picture.width, picture.height) = Some((info.width, info.height)).filter(|(w, h)| *w > 0 && *h > 0).unzip();
        }
        labels.pictures.push(picture);
    }
    if !marked {
        let message = "no sample has annotations in its metadata";
        return Err(named(Error::new(&codes::FORMAT, message)));
    }
    repeated_ids(&mut labels);
    labels.count();
    Ok(labels)
}

/// Numbers of pictures that are there twice, as in sets that were joined, name nothing.
fn repeated_ids(labels: &mut Labels) {
    let mut ids: Vec<&Id> = labels.pictures.iter().filter_map(|picture| picture.id.as_ref()).collect();
    ids.sort_unstable();
    if ids.windows(2).any(|pair| pair[0] == pair[1]) {
        let count = ids.len() as u64;
        labels.pictures.iter_mut().for_each(|picture| picture.id = None);
        labels.notes.add_many(Cause::RepeatedId, count);
    }
}
