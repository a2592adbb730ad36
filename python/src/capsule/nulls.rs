//! Columns without a value: Arrow's C interface gives them no buffer. Some programs, polars among them, give them one that
//! is empty, and Arrow's own crate refuses that.

use std::ffi::c_void;

use arrow_array::ffi::FFI_ArrowArray;
use arrow_schema::{DataType, FieldRef};

/// An array as the interface lays it out; Arrow's crate keeps the fields of its own to itself.
#[repr(C)]
struct Laid {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Laid,
    dictionary: *mut Laid,
    release: Option<unsafe extern "C" fn(*mut Laid)>,
    private_data: *mut c_void,
}

const _: () = assert!(size_of::<Laid>() == size_of::<FFI_ArrowArray>());

/// Says of each column without a value that it has no buffer. Nobody looks at these, and whoever gave the array frees it by
/// what it keeps in private.
pub(super) fn without_buffers(array: &mut FFI_ArrowArray, of: &DataType) {
    // SAFETY: both are the struct that the interface defines, field by field.
    #[allow(unsafe_code)]
    let laid = unsafe { &mut *std::ptr::from_mut(array).cast::<Laid>() };
    repair(laid, of);
}

fn repair(array: &mut Laid, of: &DataType) {
    match of {
        DataType::Null => array.n_buffers = 0,
        DataType::Struct(fields) => children(array, fields),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => children(array, std::slice::from_ref(item)),
        _ => {}
    }
}

fn children(array: &mut Laid, fields: &[FieldRef]) {
    // One that claims another number of children is refused later, when it is read.
    if array.children.is_null() || i64::try_from(fields.len()) != Ok(array.n_children) {
        return;
    }
    for (i, field) in fields.iter().enumerate() {
        // SAFETY: the interface promises this many pointers; each is looked at only where it is one.
        #[allow(unsafe_code)]
        let child = unsafe { (*array.children.add(i)).as_mut() };
        if let Some(child) = child {
            repair(child, field.data_type());
        }
    }
}
