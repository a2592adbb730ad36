//! Work on many things at once, if the module was built with threads; one after the other elsewhere.

#[cfg(feature = "threads")]
use rayon::prelude::*;
#[cfg(feature = "threads")]
pub use wasm_bindgen_rayon::{init_thread_pool, wbg_rayon_start_worker};

/// How many threads there are; 1 where there are none but the one that asks.
pub(crate) fn count() -> usize {
    #[cfg(feature = "threads")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "threads"))]
    return 1;
}

/// What `f` makes of each item, in their order.
#[cfg(any(feature = "samples", feature = "labels"))]
pub(crate) fn map<T: Send, U: Send>(items: Vec<T>, f: impl Fn(T) -> U + Send + Sync) -> Vec<U> {
    #[cfg(feature = "threads")]
    return items.into_par_iter().map(f).collect();
    #[cfg(not(feature = "threads"))]
    return items.into_iter().map(f).collect();
}

/// As [`map`], of items that stay where they are.
pub(crate) fn map_mut<T: Send, U: Send>(items: &mut [T], f: impl Fn(&mut T) -> U + Send + Sync) -> Vec<U> {
    #[cfg(feature = "threads")]
    return items.par_iter_mut().map(f).collect();
    #[cfg(not(feature = "threads"))]
    return items.iter_mut().map(f).collect();
}
