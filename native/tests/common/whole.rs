//! Whole datasets, compared.

use std::{fs, path::Path};

use forebay::{Limits, tar::scan, tbl::Layout};
use forebay_native::{Dataset, check::check};

/// Members of an archive: names and bytes.
pub type Members = Vec<(String, Vec<u8>)>;

/// The members of an archive on disk, in their order.
pub fn read(path: &Path) -> Members {
    let file = bytes::Bytes::from(fs::read(path).unwrap());
    let archive = scan(&file, &Limits::host()).unwrap();
    archive
        .members
        .iter()
        .map(|m| (m.name.to_owned(), file[m.offset as usize..m.range().end as usize].to_vec()))
        .collect()
}

/// Opens a file that has no fault.
pub fn sound(path: &Path) -> Dataset {
    let dataset = Dataset::open(path).unwrap();
    let report = check(&dataset, 2, &mut |_| {}).unwrap();
    assert!(report.ok && report.faults.is_empty(), "{report:?}");
    dataset
}

/// Two TBLs of the same samples, one of which was written without knowing how many there would be.
pub fn same(mapped: &Path, streamed: &Path) {
    let (a, b) = (sound(mapped), sound(streamed));
    assert_eq!(a.len(), b.len());
    for i in 0..a.len() {
        let (x, mut y) = (a.info(i).unwrap(), b.info(i).unwrap());
        // In the guide layout room was reserved for the index.
        y.offset = x.offset;
        assert_eq!(x, y);
        assert_eq!(a.payload(i).unwrap(), b.payload(i).unwrap());
        assert_eq!(a.record(i).unwrap(), b.record(i).unwrap());
    }
    if a.tbl().unwrap().layout() == Layout::Turboloader {
        assert_eq!(fs::read(mapped).unwrap(), fs::read(streamed).unwrap(), "not the same bytes");
    }
}
