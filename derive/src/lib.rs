//! `#[derive(TbfEncode, TbfDecode)]`: structs as rows of a TBF table.
//!
//! | attribute | means |
//! |---|---|
//! | `#[tbf(rename = "x")]` | the column has another name than the field |
//! | `#[tbf(encoding = "u8")]` | how the column is stored: `auto`, `bool`, `i8` to `i64`, `u8` to `u64`, `varint`, `dictionary`, `inline`, `f32`, `f64` |
//! | `#[tbf(encoding = "u8", offset = 18)]` | stored less 18; for `u8`, `u16` and `u32` |
//! | `#[tbf(skip)]` | no column; `Default::default()` when read |
//! | `#[tbf(default)]` | `Default::default()` where a file lacks the column |
//! | `#[tbf(flatten)]` | the field is a struct that derives the same; its columns stand among those of the row, under their own names |
//!
//! `#[tauq(...)]` is read as the same attribute.

mod attributes;
mod expand;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements `forebay::tbf::TbfEncode`.
#[proc_macro_derive(TbfEncode, attributes(tbf, tauq))]
pub fn derive_encode(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::encode(&input).unwrap_or_else(|e| e.into_compile_error()).into()
}

/// Implements `forebay::tbf::TbfDecode`.
#[proc_macro_derive(TbfDecode, attributes(tbf, tauq))]
pub fn derive_decode(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::decode(&input).unwrap_or_else(|e| e.into_compile_error()).into()
}
