//! The errors of records.

use crate::error::Code;

/// A record lacks the field that is the payload.
pub const NO_PAYLOAD: Code = Code::damaged(
    "record.no_payload",
    "A record lacks the field that the others have their image in, or that field has no bytes.",
);
/// A length's checksum is wrong.
pub const LENGTH: Code = Code::damaged(
    "tfrecord.length",
    "A record's length does not match its checksum, so where the next record begins is not known.",
);
/// A record's checksum is wrong.
pub const DATA: Code = Code::damaged("tfrecord.data", "A record's bytes do not match their checksum.");
/// The file ends too early.
pub const TRUNCATED: Code = Code::damaged("tfrecord.truncated", "The file ends inside a record.");
/// A record is not what the others are.
pub const EXAMPLE: Code =
    Code::damaged("tfrecord.example", "A record is not readable as `tf.train.Example` or `SequenceExample`.");

/// Code in place of data.
pub const PICKLE: Code = Code::unsupported(
    "record.pickle",
    "Values are pickles of Python, which are code: they are not run, so they are not read. The message says what to write instead.",
);
/// A shard's table is wrong.
pub const MDS_PLACES: Code = Code::damaged(
    "mds.places",
    "The beginning of an MDS shard, which says where its samples are, is damaged, or the shard ends too early.",
);
/// A shard's description is wrong.
pub const MDS_DESCRIPTION: Code =
    Code::damaged("mds.description", "The description of its columns that an MDS shard has is not readable.");
/// An encoding is not known.
pub const MDS_ENCODING: Code =
    Code::unsupported("mds.encoding", "A column of an MDS shard has an encoding that Forebay does not read.");
/// A sample is wrong.
pub const MDS_SAMPLE: Code =
    Code::damaged("mds.sample", "A sample of an MDS shard does not hold what the description of its columns says.");
/// The index is wrong.
pub const MDS_INDEX: Code = Code::damaged(
    "mds.index",
    "The file `index.json` next to MDS shards does not describe them, or names a missing shard.",
);
/// A shard is packed in a way that is not unpacked.
pub const MDS_PACKED: Code =
    Code::unsupported("mds.packed", "An MDS shard is compressed in a way that Forebay does not unpack.");
/// The index is wrong.
pub const LITDATA_INDEX: Code = Code::damaged(
    "litdata.index",
    "The file `index.json` of a dataset of LitData is not readable, or does not fit its chunks.",
);
/// A dataset that is not read.
pub const LITDATA_UNSUPPORTED: Code = Code::unsupported(
    "litdata.unsupported",
    "A dataset of LitData is encrypted, or has leaves or chunks that Forebay does not read.",
);
/// A chunk is wrong.
pub const LITDATA_CHUNK: Code = Code::damaged(
    "litdata.chunk",
    "The beginning of a chunk of LitData, which says where its items are, is damaged, or the chunk ends too early.",
);
/// An item is wrong.
pub const LITDATA_ITEM: Code =
    Code::damaged("litdata.item", "An item of a chunk of LitData does not hold what the index says of it.");
/// The head is wrong.
pub const LMDB_META: Code = Code::damaged("lmdb.meta", "The head of an LMDB database is damaged.");
/// Another version.
pub const LMDB_VERSION: Code =
    Code::unsupported("lmdb.version", "The database has a version of LMDB's format that Forebay does not read.");
/// A page is wrong.
pub const LMDB_PAGE: Code =
    Code::damaged("lmdb.page", "A page of an LMDB database is damaged, or lies after the end of the file.");
/// A kind of database that is not read.
pub const LMDB_UNSUPPORTED: Code = Code::unsupported(
    "lmdb.unsupported",
    "An LMDB database has several values for a key, or too many databases inside.",
);
/// A value is not what the others are.
pub const LMDB_VALUE: Code =
    Code::damaged("lmdb.value", "A value of an LMDB database is not the message that the first ones are.");
/// An array's header is wrong.
pub const NPY_HEADER: Code =
    Code::damaged("npy.header", "The type or the shape in front of an array of NumPy is not readable.");
/// An array's values are wrong.
pub const NPY_DATA: Code = Code::damaged("npy.data", "An array of NumPy has fewer bytes than its type and shape say.");
/// The head is wrong.
pub const FFCV_HEAD: Code = Code::damaged("ffcv.head", "The head of a file of FFCV, or a table of it, is damaged.");
/// A value is not where its row places it.
pub const FFCV_PLACE: Code =
    Code::damaged("ffcv.place", "A value of a file of FFCV is not where its row says, or is not readable.");
/// A field that is not read.
pub const FFCV_UNSUPPORTED: Code =
    Code::unsupported("ffcv.unsupported", "A file of FFCV has a field of a type that Forebay does not read.");

/// Every code of this module.
pub const ALL: &[&Code] = &[
    &NO_PAYLOAD,
    &PICKLE,
    &LENGTH,
    &DATA,
    &TRUNCATED,
    &EXAMPLE,
    &MDS_PLACES,
    &MDS_DESCRIPTION,
    &MDS_ENCODING,
    &MDS_SAMPLE,
    &MDS_INDEX,
    &MDS_PACKED,
    &LITDATA_INDEX,
    &LITDATA_UNSUPPORTED,
    &LITDATA_CHUNK,
    &LITDATA_ITEM,
    &LMDB_META,
    &LMDB_VERSION,
    &LMDB_PAGE,
    &LMDB_UNSUPPORTED,
    &LMDB_VALUE,
    &NPY_HEADER,
    &NPY_DATA,
    &FFCV_HEAD,
    &FFCV_PLACE,
    &FFCV_UNSUPPORTED,
];
