//! How shards are made: what decides their bytes, and what does not.

use forebay::{
    Error, Limits, Result,
    codec::Compression,
    error::codes::ARGUMENT,
    filter::Filter,
    order::{Settings as OrderSettings, Shuffle, Tail},
    samples::MetadataChoice,
    tbl::{Layout, MetadataFormat},
    words::Word as _,
};
use serde::{Deserialize, Serialize};

use crate::{
    convert::{Options, To},
    dataset::OpenOptions,
    parallel::all_cores,
};

/// The most shards of a set: more are a mistake.
const MOST: u64 = 1_000_000;

/// The settings that decide which samples a shard has, and its bytes. Made with [`new`](Self::new), then changed field by field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ShardSettings"))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// The name of the shards, as in `NAME-00000-of-00064.tbl`. If it is empty, the plan takes the name of its only
    /// input, or `shard`.
    pub name: String,
    /// How many shards there are.
    pub shards: u64,
    /// The format to write.
    #[serde(with = "as_word")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub to: To,
    /// TBL: the layout.
    #[serde(with = "as_word")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub layout: Layout,
    /// TBL: the compression.
    #[serde(with = "as_codec")]
    #[cfg_attr(feature = "schema", schemars(with = "(String, Option<u8>)"))]
    pub compression: Compression,
    /// TBL: how metadata is written.
    #[serde(with = "as_word")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub metadata_format: MetadataFormat,
    /// Shuffles all samples of all inputs, by this seed; without it they stay in their order.
    pub shuffle: Option<u64>,
    /// Shuffles blocks of this many neighbors, and samples inside windows of this many blocks, so that a shard is read
    /// from few places.
    pub blocks: Option<(u64, u64)>,
    /// Keeps only the samples that this filter accepts.
    pub filter: Option<String>,
    /// Leaves broken samples out of their shards, and lists them.
    pub keep_going: bool,
    /// The level of a folder at which the classes are; see [`OpenOptions::class_level`].
    pub class_level: Option<u32>,
    /// The largest sample, in bytes.
    pub item_bytes: u64,
}

impl Settings {
    /// As many TBL shards as this, in the order of the inputs, without compression.
    pub fn new(shards: u64) -> Settings {
        Settings {
            name: String::new(),
            shards,
            to: To::Tbl,
            layout: Layout::Guide,
            compression: Compression::None,
            metadata_format: MetadataFormat::Json,
            shuffle: None,
            blocks: None,
            filter: None,
            keep_going: false,
            class_level: None,
            item_bytes: Limits::host().item_bytes,
        }
    }

    /// Sets what the shards are called.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Settings {
        self.name = name.into();
        self
    }
    /// Sets the seed of a shuffle over all samples.
    #[must_use]
    pub fn with_shuffle(mut self, seed: u64) -> Settings {
        self.shuffle = Some(seed);
        self
    }
    /// Sets the format to write.
    #[must_use]
    pub fn with_format(mut self, to: To) -> Settings {
        self.to = to;
        self
    }

    /// Refuses what makes no set of shards.
    pub(super) fn check(&self) -> Result<()> {
        let refuse = |message: String| Err(Error::new(&ARGUMENT, message));
        if !(1..=MOST).contains(&self.shards) {
            return refuse(format!("a set has 1 to 1,000,000 shards, not {}", self.shards));
        }
        // It becomes part of paths.
        if self.name.contains(|c| std::path::is_separator(c) || c == '\0') {
            return refuse(format!("shards cannot be called {:?}: give a name without folders", self.name));
        }
        if self.blocks.is_some() && self.shuffle.is_none() {
            return refuse("blocks say how to shuffle, and no seed is given".into());
        }
        if self.to == To::Tar && (self.layout != Layout::Guide || self.compression != Compression::None) {
            return refuse("a TAR has no compression and no layout".into());
        }
        if let Some(filter) = self.filter()? {
            filter.check_for_samples()?;
        }
        Ok(())
    }

    pub(super) fn filter(&self) -> Result<Option<Filter>> {
        self.filter.as_deref().map(Filter::parse).transpose()
    }

    fn limits(&self) -> Limits {
        Limits::host().with_item_bytes(self.item_bytes)
    }

    pub(super) fn open(&self) -> OpenOptions {
        let mut options = OpenOptions { limits: self.limits(), ..OpenOptions::default() };
        (options.keep_going, options.class_level) = (self.keep_going, self.class_level);
        options
    }

    /// The order of all samples.
    pub(super) fn order(&self) -> OrderSettings {
        let shuffle = match (self.shuffle, self.blocks) {
            (None, _) => Shuffle::None,
            (Some(_), None) => Shuffle::Full,
            (Some(_), Some((block, window))) => Shuffle::Blocks { block, window },
        };
        OrderSettings::default().with_seed(self.shuffle.unwrap_or(0)).with_shuffle(shuffle).with_tail(Tail::Uneven)
    }

    /// How a shard is converted.
    pub(super) fn options(&self, how: &MakeOptions) -> Options {
        let mut options = Options::new(self.to);
        (options.layout, options.compression) = (self.layout, self.compression);
        options.metadata = MetadataChoice::of(self.metadata_format);
        (options.keep_going, options.limits) = (self.keep_going, self.limits());
        (options.workers, options.verify, options.sync) = (how.workers, how.verify, how.sync);
        // There may be more shards than samples.
        options.allow_empty = true;
        options
    }

    /// What the bytes of a shard follow from, beside its samples and their order.
    pub(super) fn recipe(&self) -> serde_json::Value {
        serde_json::json!({
            "to": self.to.word(),
            "layout": self.layout.word(),
            "codec": self.compression.codec().word(),
            "level": as_codec::level(self.compression),
            "metadata_format": self.metadata_format.word(),
            "filter": self.filter,
            "keep_going": self.keep_going,
            "class_level": self.class_level,
            "item_bytes": self.item_bytes,
        })
    }
}

/// How to make a shard, as far as that changes nothing of it. Made with [`default`](Default::default), then changed field
/// by field.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MakeOptions {
    /// Threads for one shard.
    pub workers: usize,
    /// Replace what stands in a shard's place and is none of this plan's.
    pub force: bool,
    /// Read every sample back before a shard appears.
    pub verify: bool,
    /// Make a shard durable before it appears.
    pub sync: bool,
}

impl Default for MakeOptions {
    /// All cores, durable; what others made stays.
    fn default() -> Self {
        MakeOptions { workers: all_cores(), force: false, verify: false, sync: true }
    }
}

/// A choice by its word.
mod as_word {
    use forebay::words::Word;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<T: Word, S: Serializer>(choice: &T, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(choice.word())
    }

    pub(super) fn deserialize<'de, T: Word, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        let word = String::deserialize(from)?;
        T::from_word(&word).ok_or_else(|| D::Error::custom(format!("unknown value {word:?}")))
    }
}

/// A compression by its codec and level.
mod as_codec {
    use forebay::{
        codec::{Codec, Compression},
        words::Word as _,
    };
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer, de::Error as _};

    pub(super) fn level(compression: Compression) -> Option<u8> {
        match compression {
            Compression::Lz4 { level } | Compression::Zstd { level } => Some(level),
            _ => None,
        }
    }

    pub(super) fn serialize<S: Serializer>(compression: &Compression, to: S) -> Result<S::Ok, S::Error> {
        (compression.codec().word(), level(*compression)).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Compression, D::Error> {
        let (word, level) = <(String, Option<u8>)>::deserialize(from)?;
        let codec = Codec::from_word(&word).ok_or_else(|| D::Error::custom(format!("{word:?} is not a codec")))?;
        Compression::new(codec, level).map_err(D::Error::custom)
    }
}
