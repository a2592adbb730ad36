//! How a leaf of an item is written, by the name of its serializer.

use crate::{
    doors::{
        codes,
        mds::{Encoding, Headed, Numeric},
    },
    error::{Error, Result},
};

const NONE: Option<Numeric> = None;

/// The types of PyTorch by their numbers; complex ones are not read.
const OF_TORCH: [Option<Numeric>; 21] = [
    Some(Numeric::F32),
    Some(Numeric::F32),
    Some(Numeric::F64),
    Some(Numeric::F64),
    NONE,
    NONE,
    NONE,
    NONE,
    Some(Numeric::F16),
    Some(Numeric::F16),
    Some(Numeric::Bf16),
    Some(Numeric::U8),
    Some(Numeric::I8),
    Some(Numeric::I16),
    Some(Numeric::I16),
    Some(Numeric::I32),
    Some(Numeric::I32),
    Some(Numeric::I64),
    Some(Numeric::I64),
    Some(Numeric::Bool),
    Some(Numeric::U16),
];
/// The types of NumPy by their numbers; complex ones, objects and texts are not read.
const OF_NUMPY: [Option<Numeric>; 14] = [
    Some(Numeric::I8),
    Some(Numeric::I16),
    Some(Numeric::I32),
    Some(Numeric::I64),
    Some(Numeric::U8),
    Some(Numeric::U16),
    Some(Numeric::U32),
    Some(Numeric::U64),
    Some(Numeric::F16),
    Some(Numeric::F32),
    Some(Numeric::F64),
    NONE,
    NONE,
    Some(Numeric::Bool),
];

/// The encoding of that serializer. Pickle is refused: to read it is to run what it says.
pub(super) fn encoding(serializer: &str) -> Result<Encoding> {
    let (kind, rest) = serializer.split_once(':').map_or((serializer, None), |(kind, rest)| (kind, Some(rest)));
    let array = |is_big: bool, types: &'static [Option<Numeric>]| Headed { is_big, types, only: None };
    let plain = |types: &'static [Option<Numeric>]| {
        let number = rest.and_then(|rest| rest.parse::<usize>().ok());
        let only = number.and_then(|number| types.get(number).copied().flatten());
        let unknown = || {
            let message =
                format!("the type of the numbers of {serializer:?} is not read; write the leaf again as bytes");
            Error::new(&codes::LITDATA_UNSUPPORTED, message)
        };
        Ok(Headed { is_big: false, types, only: Some(only.ok_or_else(unknown)?) })
    };
    Ok(match kind {
        "str" | "string" | "text" => Encoding::Text,
        "int" | "integer" => Encoding::Number(Numeric::I64),
        "float" => Encoding::Number(Numeric::F64),
        "bool" | "boolean" => Encoding::Number(Numeric::Bool),
        "json" => Encoding::Framed,
        "jpeg" | "image" => Encoding::Picture,
        "jpeg_array" => Encoding::PictureArray,
        "pil" => Encoding::Pil,
        "bytes" | "file" | "tifffile" | "tif" | "video" | "audio" | "nifti" | "mesh" | "pdf" => Encoding::Bytes,
        "tensor" => Encoding::Headed(array(true, &OF_TORCH)),
        "numpy" => Encoding::Headed(array(false, &OF_NUMPY)),
        "no_header_tensor" => Encoding::Headed(plain(&OF_TORCH)?),
        "no_header_numpy" => Encoding::Headed(plain(&OF_NUMPY)?),
        "pickle" => {
            let message = "the leaf is a pickle, which is code and is not run here; write it again with litdata.optimize as \
                           numbers, text, bytes or an array";
            return Err(Error::new(&codes::PICKLE, message));
        }
        "graph" => {
            let message = "the leaf is a graph (LDGR), which is not read; write it again as arrays";
            return Err(Error::new(&codes::LITDATA_UNSUPPORTED, message));
        }
        _ => {
            let message =
                format!("the serializer {serializer:?} is not known; write the leaf again as bytes or numbers");
            return Err(Error::new(&codes::LITDATA_UNSUPPORTED, message));
        }
    })
}
