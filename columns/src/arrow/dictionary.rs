//! Dictionaries as formats have them that only know cells which are null.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, DictionaryArray, PrimitiveArray, cast::AsArray, downcast_dictionary_array,
    types::ArrowDictionaryKeyType,
};

/// A dictionary may say that a value is null, where Parquet only has cells that are: the same cells with those of such a value null.
pub fn nulls_in_keys(array: &ArrayRef) -> ArrayRef {
    if array.as_any_dictionary_opt().is_none_or(|dictionary| dictionary.values().null_count() == 0) {
        return array.clone();
    }
    let dictionary: &dyn Array = array;
    downcast_dictionary_array!(
        dictionary => settled(dictionary).unwrap_or_else(|| array.clone()),
        _ => array.clone(),
    )
}

/// The same keys, fewer of which count.
fn settled<K: ArrowDictionaryKeyType>(dictionary: &DictionaryArray<K>) -> Option<ArrayRef> {
    let keys = PrimitiveArray::<K>::new(dictionary.keys().values().clone(), dictionary.logical_nulls());
    let settled = DictionaryArray::try_new(keys, dictionary.values().clone()).ok()?;
    Some(Arc::new(settled))
}
