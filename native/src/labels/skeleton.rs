//! Label files without labels, from what datasets know of their samples: nothing is decoded, and of a TBL no picture read.

use std::{collections::HashSet, io::IoSlice, path::Path};

use bytes::BytesMut;
use forebay::{
    Error, Result,
    annotations::{Classes, Skeleton, SkeletonWriter, Sketch, codes, record},
};
use serde::Deserialize;

use crate::{
    Dataset,
    output::{AtomicFile, refuse_inputs},
};

/// The result of a skeleton.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Sketched {
    /// Pictures.
    pub pictures: u64,
    /// Those whose size is not known.
    pub without_size: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

#[derive(Deserialize)]
struct Name {
    name: Option<String>,
}

/// Writes one for the samples of a dataset. Names go behind `prefix` where the format has addresses; without `classes`,
/// those that the dataset lists count.
pub fn skeleton(
    dataset: &Dataset,
    kind: Skeleton,
    prefix: Option<&str>,
    classes: Option<&Classes>,
    output: &Path,
    force: bool,
) -> Result<Sketched> {
    let listed = match classes {
        Some(classes) => classes.clone(),
        None => record::read_classes(&dataset.document()?).map_err(|e| e.file(dataset.name()))?,
    };
    refuse_inputs(output, [Path::new(dataset.name())])?;
    let mut out = AtomicFile::create_streaming(output, force)?;
    let mut sketched = Sketched::default();
    let mut put = |piece: &[u8]| {
        sketched.bytes += piece.len() as u64;
        out.append(&mut [IoSlice::new(piece)])
    };
    let mut writer = SkeletonWriter::new(kind, prefix, &mut put);
    let (mut names, mut without_size, mut buffer) = (HashSet::new(), 0, BytesMut::new());
    for i in 0..dataset.len() {
        let blame = |e: Error| e.sample(i).file(dataset.name());
        let info = dataset.info(i)?;
        let name = match dataset.tbl() {
            Some(_) => {
                let text = dataset.record_text(i, &mut buffer)?;
                text.and_then(|text| serde_json::from_str::<Name>(text.as_str()).ok()?.name)
            }
            None => dataset.sample_name(i)?,
        };
        // Without one it has the name that it is extracted to.
        let name = name.unwrap_or_else(|| format!("{i:08}.{}", info.format.extension()));
        let plan = dataset.container().and_then(|container| container.plan(i).ok());
        let plain = plan.is_some_and(|plan| plan.is_plain()) && info.stored_bytes == info.bytes;
        let bytes = plain.then(|| info.offset..info.offset + info.bytes);
        without_size += u64::from(info.width == 0 || info.height == 0);
        writer.add(&Sketch { name: &name, width: info.width, height: info.height, bytes }).map_err(blame)?;
        if !names.insert(name) {
            return Err(blame(Error::new(&codes::REPEATED, "another sample has this name, by which labels find it")));
        }
    }
    let pictures = writer.finish(&listed)?;
    (sketched.pictures, sketched.without_size) = (pictures, without_size);
    out.commit(true)?;
    Ok(sketched)
}
