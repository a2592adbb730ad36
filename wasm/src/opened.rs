//! What is known of an opened file, for all work on it. Nothing in here knows that work.

use std::{
    cell::{OnceCell, RefCell},
    rc::Rc,
};

use forebay::{
    Error, Limits,
    dataset::Dataset as Core,
    model::{MediaFormat, SampleInfo},
    tbl::Metadata,
};

/// What a look at a payload showed: what it is, width and height.
type Probed = (MediaFormat, u32, u32);

/// An opened file, shared with the work on it.
#[derive(Debug)]
pub(crate) struct Opened {
    pub core: Core,
    pub limits: Limits,
    /// What stopped the scan of a TAR.
    pub damage: Option<Error>,
    /// Where the metadata of all samples lies, once somebody asked for it.
    pub metadata: OnceCell<Metadata>,
    /// Where that of a run of samples lies: its first sample, and the run.
    pub run: RefCell<Option<(u64, Metadata)>>,
    /// Sizes of a TAR's samples, as far as their payloads were looked at; shared by what is known of a growing one.
    pub probed: Rc<RefCell<Vec<Option<Probed>>>>,
    /// Whether more samples may follow: an archive that is still being scanned.
    pub growing: bool,
}

impl Opened {
    pub fn new(core: Core, limits: Limits, damage: Option<Error>) -> Self {
        Opened {
            core,
            limits,
            damage,
            metadata: OnceCell::new(),
            run: RefCell::default(),
            probed: Rc::default(),
            growing: false,
        }
    }

    pub fn is_tbl(&self) -> bool {
        matches!(self.core, Core::Tbl(_))
    }

    /// What is known of sample `i`, with what an earlier look at a TAR's payload showed.
    pub fn info(&self, i: u64) -> forebay::Result<SampleInfo> {
        let mut info = self.core.info(i)?;
        if let Some((format, width, height)) = self.probe_of(i) {
            (info.format, info.width, info.height) = (format, width, height);
        }
        Ok(info)
    }

    pub fn probe_of(&self, i: u64) -> Option<Probed> {
        usize::try_from(i).ok().and_then(|i| self.probed.borrow().get(i).copied()).flatten()
    }

    pub fn keep_probe(&self, info: &SampleInfo) {
        let (Ok(i), Ok(len)) = (usize::try_from(info.index), usize::try_from(self.core.len())) else { return };
        let mut probed = self.probed.borrow_mut();
        if probed.len() < len {
            probed.resize(len, None);
        }
        if let Some(place) = probed.get_mut(i) {
            *place = Some((info.format, info.width, info.height));
        }
    }
}
