//! What reading changes of Arrow's types, in words.

use arrow_schema::{DataType as Arrow, Schema as ArrowSchema, TimeUnit};
use forebay::table::Schema;

use super::unread::is_read;

/// What is said about the columns that are read, by their names.
#[derive(Debug, Default)]
pub struct Changes(Vec<(String, String)>);

impl Changes {
    /// Of a file whose columns became those of `schema`.
    pub fn new(arrow: &ArrowSchema, schema: &Schema) -> Changes {
        let columns = arrow.fields().iter().zip(schema.fields());
        let said = columns.filter_map(|(arrow, ours)| {
            let words = match arrow.data_type() {
                // What is stored in another way and says so is no foreigner.
                _ if arrow.metadata().contains_key(super::TYPE) => return None,
                Arrow::Timestamp(_, Some(zone)) => format!("the time zone {zone} is left out, its times are UTC"),
                other if is_twin(other) || !is_read(other) => return None,
                other => format!("{other} becomes {}", ours.dtype),
            };
            Some((ours.name.clone(), format!("column {:?}: {words}", ours.name)))
        });
        Changes(said.collect())
    }

    /// What concerns the columns that were read.
    pub fn notes(&self, read: &Schema) -> Vec<String> {
        let wanted = self.0.iter().filter(|(name, _)| read.position(name).is_some());
        wanted.map(|(_, words)| words.clone()).collect()
    }
}

/// True for types that are read as they are, however they are stored.
fn is_twin(arrow: &Arrow) -> bool {
    use TimeUnit::{Microsecond, Millisecond};
    match arrow {
        Arrow::List(item) | Arrow::LargeList(item) | Arrow::FixedSizeList(item, _) => is_twin(item.data_type()),
        Arrow::Dictionary(_, values) => is_twin(values),
        Arrow::Utf8 | Arrow::LargeUtf8 | Arrow::Utf8View => true,
        Arrow::Binary | Arrow::LargeBinary | Arrow::BinaryView | Arrow::FixedSizeBinary(_) => true,
        Arrow::Boolean | Arrow::Date32 | Arrow::Float32 | Arrow::Float64 => true,
        Arrow::Time64(Microsecond) | Arrow::Timestamp(Millisecond | Microsecond, None) => true,
        other => other.is_integer(),
    }
}
