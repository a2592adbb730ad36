//! Converts a CSV to TBF in memory. Types are found in the text; any table format goes to any other in the same way.
//!
//! ```text
//! $ cargo run --example csv_to_tbf
//! 3 rows of 4 columns, 744 bytes
//! ```

use std::error::Error;

use bytes::Bytes;
use forebay::{
    step::Turn,
    tables::{Conversion, ConversionOptions, Input, Target},
    tbf::Dialect,
    text::TextFormat,
};

const CSV: &str = "id,city,population,coastal\n1,Bergen,291940,true\n2,Oslo,717710,true\n3,Hamar,32476,false\n";

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let csv = Bytes::from(CSV);
    let input = Input::Text { format: TextFormat::Csv, len: csv.len() as u64 };
    let mut work = Conversion::new(input, ConversionOptions::new(Target::Tbf(Dialect::D)))?;
    let mut tbf = Vec::new();
    loop {
        match work.step()? {
            Turn::Need(ranges) => {
                for range in ranges {
                    work.push(range.start, csv.slice(range.start as usize..range.end as usize));
                }
            }
            Turn::Item(()) => tbf.extend(work.take()),
            Turn::Done => break,
        }
    }
    let done = work.finish();
    // Some formats say only at the end what stands at the beginning.
    if let Some(front) = done.front {
        tbf[..front.len()].copy_from_slice(&front);
    }
    println!("{} rows of {} columns, {} bytes", done.rows, done.columns, tbf.len());
    Ok(())
}
