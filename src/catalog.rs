//! Every error code of the core, grouped by module: `docs/errors.md` is made from this.

use crate::error::Code;

/// The codes, module by module.
///
/// ```
/// use forebay::{catalog::codes, error::Kind};
/// let crc = codes().find(|code| code.id() == "tbl.payload_crc").expect("in the list");
/// assert_eq!(crc.kind(), Kind::Damaged);
/// println!("{}: {}", crc.id(), crc.meaning());
/// ```
pub fn codes() -> impl Iterator<Item = &'static Code> {
    [
        crate::error::codes::ALL,
        crate::limits::codes::ALL,
        crate::codec::codes::ALL,
        crate::tar::codes::ALL,
        crate::tbl::codes::ALL,
        crate::sample::record::codes::ALL,
        crate::image::codes::ALL,
        crate::order::codes::ALL,
        crate::filter::codes::ALL,
        crate::idv::codes::ALL,
        crate::table::codes::ALL,
        crate::tbf::codes::ALL,
        crate::text::codes::ALL,
        crate::tables::codes::ALL,
        crate::annotations::codes::ALL,
        crate::edits::codes::ALL,
        #[cfg(feature = "curate")]
        crate::curate::codes::ALL,
        #[cfg(feature = "doors")]
        crate::doors::codes::ALL,
        #[cfg(feature = "warehouse")]
        crate::warehouse::codes::ALL,
        #[cfg(feature = "zip")]
        crate::zip::codes::ALL,
    ]
    .into_iter()
    .flatten()
    .copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_well_formed() {
        let mut seen = std::collections::HashSet::new();
        for code in codes() {
            assert!(seen.insert(code.id()), "{} is listed twice", code.id());
            assert!(
                code.id().bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._".contains(&b)),
                "{}",
                code.id()
            );
            assert!(code.meaning().ends_with('.'), "{} has no sentence", code.id());
        }
    }
}
