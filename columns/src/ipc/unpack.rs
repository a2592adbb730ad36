//! Messages of Arrow whose buffers are packed with Zstandard, where there is no C library. Arrow's crate knows Zstandard by that alone;
//! so the buffers are unpacked here, into a body of their own, and the crate is told that they were stored as they are.

use std::collections::VecDeque;

use arrow_buffer::Buffer;
use arrow_ipc::{CompressionType, Message, MetadataVersion, RecordBatch};
use arrow_schema::{DataType as Arrow, Schema as ArrowSchema, UnionMode};
use forebay::Result;

use super::damaged;
use crate::zstd;

/// What stands before a buffer that is stored as it is, though the message is packed.
const STORED: i64 = -1;
/// Bytes of such a prefix.
const PREFIX: usize = 8;
/// Where Arrow wants numbers to lie.
const ALIGNED: usize = 64;
/// A buffer gets no more room before it is unpacked than so many times its packed bytes.
const FIRST_ROOM: usize = 16;

/// A message in which nothing is packed any more.
pub(super) struct Plain {
    /// Its description, with the new places of the buffers.
    pub description: Vec<u8>,
    /// Its body.
    pub body: Buffer,
}

impl Plain {
    /// Of a message whose claims were checked; of a projection only the buffers of its columns are unpacked. `None` where
    /// Arrow's crate does it.
    pub fn of(
        message: &Message<'_>,
        batch: &RecordBatch<'_>,
        body: &Buffer,
        columns: Option<(&ArrowSchema, &[usize])>,
    ) -> Result<Option<Plain>> {
        match cfg!(feature = "codecs") {
            true => Ok(None),
            false => Self::unpacked(message, batch, body, columns),
        }
    }

    fn unpacked(
        message: &Message<'_>,
        batch: &RecordBatch<'_>,
        body: &Buffer,
        columns: Option<(&ArrowSchema, &[usize])>,
    ) -> Result<Option<Plain>> {
        let packed = batch.compression().is_some_and(|packed| packed.codec() == CompressionType::ZSTD);
        let Some(buffers) = batch.buffers().filter(|_| packed) else { return Ok(None) };
        let whole = message._tab.buf();
        let mut description = whole.to_vec();
        // The places of the buffers stand in the description one after another, as two numbers each.
        let places = buffers.bytes().as_ptr().addr().checked_sub(whole.as_ptr().addr());
        let places = places.and_then(|at| description.get_mut(at..at.checked_add(buffers.bytes().len())?));
        let places = places.ok_or_else(|| damaged("the table of buffers is not where it is declared"))?;
        let wanted = columns.and_then(|(schema, columns)| of_columns(schema, columns, message.version(), batch));
        let mut out = Vec::new();
        for (i, (buffer, place)) in buffers.into_iter().zip(places.chunks_exact_mut(2 * size_of::<i64>())).enumerate() {
            let stored = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
            let stored = stored.and_then(|(from, length)| body.as_slice().get(from..from.checked_add(length)?));
            let stored = stored.ok_or_else(|| damaged(format!("buffer {i} lies outside of the message")))?;
            let shown = wanted.as_ref().is_none_or(|wanted| wanted.get(i).copied().unwrap_or(true));
            let (from, length) = match stored.split_first_chunk::<PREFIX>().filter(|_| shown) {
                Some((prefix, bytes)) => unpack(i, i64::from_le_bytes(*prefix), bytes, &mut out)?,
                None => (0, 0),
            };
            place.copy_from_slice(&[from, length].map(|n| (n as i64).to_le_bytes()).concat());
        }
        Ok(Some(Plain { description, body: Buffer::from_vec(out) }))
    }
}

/// Puts a buffer behind the others, as one that is stored; where it begins, and its bytes.
fn unpack(i: usize, said: i64, bytes: &[u8], out: &mut Vec<u8>) -> Result<(usize, usize)> {
    let behind = |from: usize| (from + PREFIX).next_multiple_of(ALIGNED);
    let start = behind(out.len());
    out.resize(start - PREFIX, 0);
    out.extend_from_slice(&STORED.to_le_bytes());
    if said == STORED {
        out.extend_from_slice(bytes);
    } else {
        let damage = |why: String| damaged(format!("buffer {i}: Zstandard: {why}"));
        let size = usize::try_from(said).map_err(|_| damage(format!("{said} bytes are announced")))?;
        out.reserve(size.min(bytes.len().saturating_mul(FIRST_ROOM)));
        let most = start as u64 + size as u64;
        zstd::unpack(bytes, most, out).map_err(damage)?;
        if out.len() as u64 != most {
            return Err(damage(format!("{} bytes come where {size} are announced", out.len() - start)));
        }
    }
    Ok((start - PREFIX, out.len() - start + PREFIX))
}

/// Which buffers belong to these columns. `None` if what the schema asks for is not what there is.
pub(super) fn of_columns(
    schema: &ArrowSchema,
    columns: &[usize],
    version: MetadataVersion,
    batch: &RecordBatch<'_>,
) -> Option<Vec<bool>> {
    let there = batch.buffers()?.len();
    let mut views: VecDeque<i64> = batch.variadicBufferCounts().into_iter().flatten().collect();
    let mut wanted = Vec::with_capacity(there);
    for (i, field) in schema.fields().iter().enumerate() {
        let end = wanted.len().checked_add(buffers_of(field.data_type(), version, &mut views)?)?;
        if end > there {
            return None;
        }
        wanted.resize(end, columns.contains(&i));
    }
    (wanted.len() == there).then_some(wanted)
}

/// How many buffers a column of this type has.
fn buffers_of(dtype: &Arrow, version: MetadataVersion, views: &mut VecDeque<i64>) -> Option<usize> {
    let nested =
        |own: usize, dtype: &Arrow, views: &mut VecDeque<i64>| buffers_of(dtype, version, views)?.checked_add(own);
    match dtype {
        Arrow::Null => Some(0),
        Arrow::Utf8 | Arrow::Binary | Arrow::LargeUtf8 | Arrow::LargeBinary => Some(3),
        Arrow::Utf8View | Arrow::BinaryView => usize::try_from(views.pop_front()?).ok()?.checked_add(2),
        Arrow::List(of) | Arrow::LargeList(of) | Arrow::Map(of, _) => nested(2, of.data_type(), views),
        Arrow::ListView(of) | Arrow::LargeListView(of) => nested(3, of.data_type(), views),
        Arrow::FixedSizeList(of, _) => nested(1, of.data_type(), views),
        Arrow::Struct(fields) => fields.iter().try_fold(1, |own, field| nested(own, field.data_type(), views)),
        Arrow::RunEndEncoded(ends, values) => {
            let own = buffers_of(ends.data_type(), version, views)?;
            nested(own, values.data_type(), views)
        }
        Arrow::Union(fields, mode) => {
            let own = usize::from(version < MetadataVersion::V5) + if *mode == UnionMode::Dense { 2 } else { 1 };
            fields.iter().try_fold(own, |own, (_, field)| nested(own, field.data_type(), views))
        }
        _ => Some(2),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{
        ArrayRef, Int32Array, Int64Array, ListArray, NullArray, RecordBatch as Rows, StringArray, StringViewArray,
        StructArray, types::Int32Type,
    };
    use arrow_ipc::{
        reader::RecordBatchDecoder,
        writer::{IpcWriteOptions, StreamWriter},
    };
    use arrow_schema::{Field, Fields};

    use super::*;
    use crate::ipc::parse;

    /// The description and the body of the last message with rows.
    fn packed(rows: &Rows) -> (Vec<u8>, Buffer) {
        let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD)).unwrap();
        let mut out = StreamWriter::try_new_with_options(Vec::new(), &rows.schema(), options).unwrap();
        let before = out.get_ref().len();
        out.write(rows).unwrap();
        let file = out.into_inner().unwrap();
        let head = u32::from_le_bytes(file[before + 4..before + 8].try_into().unwrap()) as usize;
        let body = Buffer::from(&file[before + 8 + head..]);
        (file[before + 8..before + 8 + head].to_vec(), body)
    }

    fn rows() -> Rows {
        let number: ArrayRef = Arc::new(Int64Array::from_iter((0..500).map(|i| (i % 7 > 0).then_some(i / 9))));
        let text: ArrayRef = Arc::new((0..500).map(|i| Some(format!("text {}", i % 5))).collect::<StringArray>());
        let long: ArrayRef =
            Arc::new((0..500).map(|i| Some(format!("a longer text {i}"))).collect::<StringViewArray>());
        let lists = (0..500).map(|i| Some((0..i % 4).map(Some).collect::<Vec<_>>()));
        let list: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists));
        let nothing: ArrayRef = Arc::new(NullArray::new(500));
        let parts: Fields = vec![Field::new("a", Arrow::Int32, true)].into();
        let part: ArrayRef = Arc::new(Int32Array::from_iter_values(0..500));
        let both: ArrayRef = Arc::new(StructArray::new(parts, vec![part], None));
        let few: ArrayRef =
            Arc::new(Int32Array::from_iter_values((0..500).map(|i| i32::wrapping_mul(i, 0x9e37_79b9u32 as i32))));
        Rows::try_from_iter([
            ("number", number),
            ("text", text),
            ("long", long),
            ("list", list),
            ("nothing", nothing),
            ("both", both),
            ("few", few),
        ])
        .unwrap()
    }

    fn read(plain: &Plain, rows: &Rows, columns: Option<&[usize]>) -> Rows {
        let message = parse(&plain.description).unwrap();
        let batch = message.header_as_record_batch().unwrap();
        let (known, version) = (Default::default(), message.version());
        let decoder = RecordBatchDecoder::try_new(&plain.body, batch, rows.schema(), &known, &version);
        decoder.unwrap().with_projection(columns).read_record_batch().unwrap()
    }

    fn unpacked(description: &[u8], body: &Buffer, columns: Option<(&ArrowSchema, &[usize])>) -> Result<Plain> {
        let message = parse(description).unwrap();
        let batch = message.header_as_record_batch().unwrap();
        Plain::unpacked(&message, &batch, body, columns).map(Option::unwrap)
    }

    #[test]
    fn what_is_unpacked_here_is_what_was_packed() {
        let rows = rows();
        let (description, body) = packed(&rows);
        let all = unpacked(&description, &body, None).unwrap();
        assert_eq!(read(&all, &rows, None), rows);
        for columns in [&[6usize][..], &[2, 3], &[0, 4, 5], &[1]] {
            let some = unpacked(&description, &body, Some((&rows.schema(), columns))).unwrap();
            assert_eq!(read(&some, &rows, Some(columns)), rows.project(columns).unwrap());
            assert!(some.body.len() < all.body.len(), "{columns:?}: what is not asked for was unpacked");
        }
    }

    #[test]
    fn what_is_packed_with_nothing_or_lz4_is_left_to_arrow() {
        let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::LZ4_FRAME)).unwrap();
        let rows = rows();
        let mut out = StreamWriter::try_new_with_options(Vec::new(), &rows.schema(), options).unwrap();
        let before = out.get_ref().len() + 8;
        out.write(&rows).unwrap();
        let file = out.into_inner().unwrap();
        let message = parse(&file[before..]).unwrap();
        let batch = message.header_as_record_batch().unwrap();
        assert!(batch.compression().is_some());
        assert!(Plain::unpacked(&message, &batch, &Buffer::from(&[0u8; 8]), None).unwrap().is_none());
    }

    #[test]
    fn a_buffer_that_becomes_more_or_less_than_it_says_is_damage() {
        let rows = rows();
        let (description, body) = packed(&rows);
        let message = parse(&description).unwrap();
        let buffers = message.header_as_record_batch().unwrap().buffers().unwrap();
        let at = buffers.iter().position(|buffer| buffer.length() > 40).unwrap();
        let from = buffers.get(at).offset() as usize;
        let said = i64::from_le_bytes(body[from..from + 8].try_into().unwrap());
        assert!(said > 0);
        for wrong in [said - 1, said + 1, i64::MAX, -2] {
            let mut body = body.to_vec();
            body[from..from + 8].copy_from_slice(&wrong.to_le_bytes());
            let e = unpacked(&description, &Buffer::from_vec(body), None).err().unwrap();
            assert!(e.code().id() == "table.arrow" && e.message().contains(&format!("buffer {at}: Zstandard")), "{e}");
        }
    }
}
