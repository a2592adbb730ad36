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

/// Adds a field to the schema's builder.
fn described(f: &RowField) -> TokenStream {
    let (ty, column) = (&f.ty, &f.name);
    if f.flatten {
        return quote_spanned! {ty.span()=> {
            let nested = <#ty as ::forebay::tbf::TbfEncode>::table_schema()?;
            for (field, encoding) in nested.schema().fields().iter().zip(nested.encodings()) {
                builder = builder.field(field.clone(), *encoding);
            }
        }};
    }
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
}

pub fn encode(input: &DeriveInput) -> Result<TokenStream> {
    no_generics(input)?;
    let fields = fields(input)?;
    let name = &input.ident;
    let stored: Vec<&RowField> = fields.iter().filter(|f| !f.skip).collect();
    let described = stored.iter().map(|f| described(f));
    let checked = match stored.iter().any(|f| f.flatten) {
        true => quote!(::forebay::tbf::without_repeats(builder.build()?)),
        false => quote!(builder.build()),
    };
    let own = || stored.iter().filter(|f| !f.flatten);
    let builders = own().map(|f| {
        let (ty, local) = (&f.ty, format_ident!("builder_{}", f.ident));
        quote_spanned! {ty.span()=> let mut #local = <#ty as ::forebay::tbf::TbfField>::builder(rows.len());}
    });
    let gathered = own().map(|f| {
        let (ty, ident, column, local) = (&f.ty, &f.ident, &f.name, format_ident!("builder_{}", f.ident));
        quote_spanned! {ty.span()=>
            <#ty as ::forebay::tbf::TbfField>::gather(&mut #local, block.clone().map(|row| &row.#ident))
                .map_err(|e| e.column(#column))?;
        }
    });
    let finished = stored.iter().map(|f| {
        let (ty, ident, column, local) = (&f.ty, &f.ident, &f.name, format_ident!("builder_{}", f.ident));
        if f.flatten {
            return quote_spanned! {ty.span()=>
                columns.extend(<#ty as ::forebay::tbf::TbfEncode>::columns_of(rows.clone().map(|row| &row.#ident))?);
            };
        }
        quote_spanned! {ty.span()=>
            columns.push(<#ty as ::forebay::tbf::TbfField>::finish(#local).map_err(|e| e.column(#column))?);
        }
    });
    Ok(quote! {
        #[automatically_derived]
        impl ::forebay::tbf::TbfEncode for #name {
            fn table_schema() -> ::forebay::Result<::forebay::tbf::TableSchema> {
                let mut builder = ::forebay::tbf::TableSchema::builder();
                #(#described)*
                #checked
            }
            fn columns_of<'a>(
                rows: impl ::core::iter::ExactSizeIterator<Item = &'a Self> + ::core::clone::Clone,
            ) -> ::forebay::Result<::std::vec::Vec<::forebay::table::Column>>
            where
                Self: 'a,
            {
                #(#builders)*
                // All fields of some rows, then of the next ones: the rows come from memory once.
                for block in ::forebay::tbf::row_blocks(rows.clone()) {
                    #(#gathered)*
                }
                let mut columns = ::std::vec::Vec::new();
                #(#finished)*
                ::core::result::Result::Ok(columns)
            }
        }
    })
}

pub fn decode(input: &DeriveInput) -> Result<TokenStream> {
    no_generics(input)?;
    let fields = fields(input)?;
    let name = &input.ident;
    let stored: Vec<&RowField> = fields.iter().filter(|f| !f.skip).collect();
    let names = stored.iter().map(|f| {
        let (ty, column) = (&f.ty, &f.name);
        match f.flatten {
            true => quote_spanned! {ty.span()=> names.extend(<#ty as ::forebay::tbf::TbfDecode>::column_names());},
            false => quote!(names.push(#column);),
        }
    });
    let columns = stored.iter().filter(|f| !f.flatten).map(|f| {
        let (ty, column, local) = (&f.ty, &f.name, format_ident!("column_{}", f.ident));
        let find = if f.default { quote!(field_column) } else { quote!(required_column) };
        quote_spanned! {ty.span()=> let #local = ::forebay::tbf::#find::<#ty>(batch, #column)?;}
    });
    let readers = stored.iter().map(|f| {
        let (ty, column) = (&f.ty, format_ident!("column_{}", f.ident));
        let local = format_ident!("reader_{}", f.ident);
        if f.flatten {
            return quote_spanned! {ty.span()=>
                let mut #local = <#ty as ::forebay::tbf::TbfDecode>::from_batch(batch)?.into_iter();
            };
        }
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
        } else if f.flatten {
            quote_spanned! {ty.span()=> #ident: #reader.next()?}
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
    let rows = match stored.iter().any(|f| f.flatten) {
        // Nested structs come one for each row, so this ends with the rows.
        true => {
            quote!((0..batch.rows()).map_while(|row| ::core::option::Option::Some(Self { #(#values),* })).collect())
        }
        false => quote!((0..batch.rows()).map(|row| Self { #(#values),* }).collect()),
    };
    Ok(quote! {
        #[automatically_derived]
        impl ::forebay::tbf::TbfDecode for #name {
            fn column_names() -> ::std::vec::Vec<&'static str> {
                let mut names = ::std::vec::Vec::new();
                #(#names)*
                names
            }
            fn from_batch(batch: &::forebay::table::Batch) -> ::forebay::Result<::std::vec::Vec<Self>> {
                #(#columns)*
                #(#readers)*
                ::core::result::Result::Ok(#rows)
            }
        }
    })
}
