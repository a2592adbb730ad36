//! The code of the two derives.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{DeriveInput, Error, Result, spanned::Spanned};

use crate::attributes::{RowField, fields};

fn no_generics(input: &DeriveInput) -> Result<()> {
    match input.generics.params.first() {
        Some(first) => Err(Error::new(first.span(), "a row owns its values and has no parameters")),
        None => Ok(()),
    }
}

pub fn encode(input: &DeriveInput) -> Result<TokenStream> {
    no_generics(input)?;
    let fields = fields(input)?;
    let name = &input.ident;
    let stored: Vec<&RowField> = fields.iter().filter(|f| !f.skip).collect();
    let described = stored.iter().map(|f| {
        let (ty, column) = (&f.ty, &f.name);
        let encoding = match &f.encoding {
            None => quote!(::forebay::tbf::FieldEncoding::Auto),
            Some((word, offset)) => {
                let offset = match offset {
                    Some(n) => quote!(::core::option::Option::Some(#n)),
                    None => quote!(::core::option::Option::None),
                };
                quote!(::forebay::tbf::FieldEncoding::from_name(#word, #offset).unwrap_or_default())
            }
        };
        quote_spanned! {ty.span()=> {
            let field = ::forebay::table::Field::new(#column, <#ty as ::forebay::tbf::TbfField>::dtype());
            let field = if <#ty as ::forebay::tbf::TbfField>::NULLABLE { field.nullable() } else { field };
            builder = builder.field(field, #encoding);
        }}
    });
    let columns = stored.iter().map(|f| {
        let (ty, ident, column) = (&f.ty, &f.ident, &f.name);
        quote_spanned! {ty.span()=>
            <#ty as ::forebay::tbf::TbfField>::column(rows.iter().map(|row| &row.#ident))
                .map_err(|e| e.column(#column))?
        }
    });
    Ok(quote! {
        #[automatically_derived]
        impl ::forebay::tbf::TbfEncode for #name {
            fn table_schema() -> ::forebay::Result<::forebay::tbf::TableSchema> {
                let mut builder = ::forebay::tbf::TableSchema::builder();
                #(#described)*
                builder.build()
            }
            fn columns(rows: &[Self]) -> ::forebay::Result<::std::vec::Vec<::forebay::table::Column>> {
                ::core::result::Result::Ok(::std::vec![#(#columns),*])
            }
        }
    })
}

pub fn decode(input: &DeriveInput) -> Result<TokenStream> {
    no_generics(input)?;
    let fields = fields(input)?;
    let name = &input.ident;
    let stored: Vec<&RowField> = fields.iter().filter(|f| !f.skip).collect();
    let names = stored.iter().map(|f| &f.name);
    let columns = stored.iter().map(|f| {
        let (ty, column, local) = (&f.ty, &f.name, format_ident!("column_{}", f.ident));
        let find = if f.default { quote!(field_column) } else { quote!(required_column) };
        quote_spanned! {ty.span()=> let #local = ::forebay::tbf::#find::<#ty>(batch, #column)?;}
    });
    let readers = stored.iter().map(|f| {
        let (ty, column) = (&f.ty, format_ident!("column_{}", f.ident));
        let local = format_ident!("reader_{}", f.ident);
        if f.default {
            quote_spanned! {ty.span()=>
                let #local = match &#column {
                    ::core::option::Option::Some(c) =>
                        ::core::option::Option::Some(<#ty as ::forebay::tbf::TbfField>::reader(c)?),
                    ::core::option::Option::None => ::core::option::Option::None,
                };
            }
        } else {
            quote_spanned! {ty.span()=> let #local = <#ty as ::forebay::tbf::TbfField>::reader(&#column)?;}
        }
    });
    let values = fields.iter().map(|f| {
        let (ty, ident) = (&f.ty, &f.ident);
        let reader = format_ident!("reader_{}", f.ident);
        if f.skip {
            quote_spanned! {ty.span()=> #ident: ::core::default::Default::default()}
        } else if f.default {
            quote_spanned! {ty.span()=>
                #ident: match &#reader {
                    ::core::option::Option::Some(r) => <#ty as ::forebay::tbf::TbfField>::read(r, row),
                    ::core::option::Option::None => ::core::default::Default::default(),
                }
            }
        } else {
            quote_spanned! {ty.span()=> #ident: <#ty as ::forebay::tbf::TbfField>::read(&#reader, row)}
        }
    });
    Ok(quote! {
        #[automatically_derived]
        impl ::forebay::tbf::TbfDecode for #name {
            fn column_names() -> &'static [&'static str] {
                &[#(#names),*]
            }
            fn from_batch(batch: &::forebay::table::Batch) -> ::forebay::Result<::std::vec::Vec<Self>> {
                #(#columns)*
                #(#readers)*
                ::core::result::Result::Ok((0..batch.rows()).map(|row| Self { #(#values),* }).collect())
            }
        }
    })
}
