//! An archive opens or is refused, whatever it says; members share no byte, every planned range lies in the file, and no
//! member unpacks to more than it announces.

use bytes::Bytes;
use forebay::{
    samples::{Dataset, Opened, Opener},
    step::drive,
};

use super::zip_made::archive;

pub(crate) fn body(data: &[u8]) {
    let file = Bytes::copy_from_slice(data);
    let len = file.len() as u64;
    let limits = super::limits();
    let Ok(zip) = drive(forebay::zip::Opener::new(len).with_limits(limits.clone()), &file) else {
        return;
    };
    let mut claimed: Vec<_> = (0..zip.len())
        .flat_map(|i| zip.sidecars(i).map(|(_, plan)| plan).chain(zip.plan(i)).collect::<Vec<_>>())
        .collect();
    assert_eq!(claimed.len() as u64, zip.members());
    claimed.sort_by_key(|plan| plan.range().start);
    let mut end = 0;
    for plan in &claimed {
        let range = plan.range();
        assert!(end <= range.start && range.end <= len, "{range:?}");
        end = range.end;
        let bytes = file.slice(range.start as usize..range.end as usize);
        if let Ok(payload) = plan.decode(&bytes, &limits) {
            assert_eq!(payload.len() as u64, plan.info.bytes);
            let front = plan.front_range(7);
            let front = plan.front(&file.slice(front.start as usize..front.end as usize), 7);
            assert!(payload.starts_with(&front));
        }
    }
    for i in 0..zip.len() {
        let _ = zip.record(i, |range| Ok(file.slice(range.start as usize..range.end as usize)));
    }
    // The same by the way that every host takes.
    if let Ok(Dataset::Zip(again)) = drive(Opener::new(len).with_limits(limits.clone()), &file) {
        assert_eq!(again.len(), zip.len());
        let opened = Opened::new(Dataset::Zip(again), limits, None);
        assert_eq!(opened.dataset.len(), zip.len());
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let text = b"the same words again and again, the same words again".as_slice();
    let members = [("b.jpg", &b"\xff\xd8\xff\xe0 picture"[..], false), ("b.cls", b"7", false), ("a/", b"", false)];
    let packed = [("a.json", &b"{\"a\":1}"[..], true), ("a.png", text, true), ("c", b"", true)];
    vec![archive(&members, false), archive(&packed, false), archive(&packed, true), archive(&[], false)]
}
