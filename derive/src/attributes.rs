//! What stands in `#[tbf(...)]`.

use syn::{
    Data, DeriveInput, Error, Expr, ExprLit, ExprUnary, Field, Fields, Ident, Lit, LitStr, Result, Type, UnOp,
    spanned::Spanned,
};

/// One field of the struct.
pub struct RowField {
    pub ident: Ident,
    pub ty: Type,
    /// The column's name.
    pub name: String,
    /// The encoding and its offset.
    pub encoding: Option<(LitStr, Option<i64>)>,
    pub skip: bool,
    pub default: bool,
    /// The field is a struct whose own fields are columns of this row.
    pub flatten: bool,
}

const ENCODINGS: [&str; 15] = [
    "auto",
    "bool",
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u16",
    "u32",
    "u64",
    "varint",
    "dictionary",
    "inline",
    "f32",
    "f64",
];

/// The fields of a struct with named fields; everything else is refused with a reason.
pub fn fields(input: &DeriveInput) -> Result<Vec<RowField>> {
    let refused = |why: &str| Err(Error::new(input.ident.span(), why));
    let data = match &input.data {
        Data::Struct(data) => data,
        Data::Enum(_) => return refused("an enum is not a row: a table has the same columns in every row"),
        Data::Union(_) => return refused("a union is not a row"),
    };
    let Fields::Named(named) = &data.fields else {
        return refused("columns are named after fields, so the struct needs named fields");
    };
    let fields = named.named.iter().map(field).collect::<Result<Vec<_>>>()?;
    for (i, f) in fields.iter().enumerate().filter(|(_, f)| !f.skip) {
        if fields[..i].iter().any(|other| other.is_column() && f.is_column() && other.name == f.name) {
            return Err(Error::new(f.ident.span(), format!("another field is already the column {:?}", f.name)));
        }
    }
    if fields.iter().all(|f| f.skip) {
        return refused("no field is a column, and a table without columns cannot have rows");
    }
    Ok(fields)
}

fn field(field: &Field) -> Result<RowField> {
    let Some(ident) = field.ident.clone() else {
        return Err(Error::new(field.span(), "the field has no name"));
    };
    let mut out = RowField {
        name: ident.to_string().trim_start_matches("r#").to_owned(),
        ident,
        ty: field.ty.clone(),
        encoding: None,
        skip: false,
        default: false,
        flatten: false,
    };
    let (mut encoding, mut offset, mut renamed) = (None, None, false);
    for attribute in field.attrs.iter().filter(|a| a.path().is_ident("tbf") || a.path().is_ident("tauq")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("rename") {
                out.name = meta.value()?.parse::<LitStr>()?.value();
                renamed = true;
            } else if meta.path.is_ident("encoding") {
                encoding = Some(meta.value()?.parse::<LitStr>()?);
            } else if meta.path.is_ident("offset") {
                let value: Expr = meta.value()?.parse()?;
                offset = Some((integer(&value)?, value.span()));
            } else if meta.path.is_ident("skip") {
                out.skip = true;
            } else if meta.path.is_ident("default") {
                out.default = true;
            } else if meta.path.is_ident("flatten") {
                out.flatten = true;
            } else {
                return Err(meta.error("the attributes are encoding, offset, rename, skip, default and flatten"));
            }
            Ok(())
        })?;
    }
    match (encoding, offset) {
        (None, Some((_, span))) => {
            return Err(Error::new(span, "an offset needs an encoding: \"u8\", \"u16\" or \"u32\""));
        }
        (Some(name), _) if !ENCODINGS.contains(&name.value().as_str()) => {
            return Err(Error::new(name.span(), format!("the encodings are {}", ENCODINGS.join(", "))));
        }
        (Some(name), Some((_, span))) if !["u8", "u16", "u32"].contains(&name.value().as_str()) => {
            return Err(Error::new(span, "only \"u8\", \"u16\" and \"u32\" are stored with an offset"));
        }
        (Some(name), offset) => out.encoding = Some((name, offset.map(|(n, _)| n))),
        (None, None) => {}
    }
    if out.skip && (out.encoding.is_some() || out.default) {
        return Err(Error::new(out.ident.span(), "a field that is skipped has no column to say anything about"));
    }
    if out.flatten && (out.encoding.is_some() || out.default || out.skip || renamed) {
        let why = "the columns of a flattened struct are those of its fields, which say for themselves what they are";
        return Err(Error::new(out.ident.span(), why));
    }
    Ok(out)
}

impl RowField {
    /// True if the field is one column of its own.
    fn is_column(&self) -> bool {
        !self.skip && !self.flatten
    }
}

fn integer(value: &Expr) -> Result<i64> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Int(n), .. }) => n.base10_parse(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match &**expr {
            Expr::Lit(ExprLit { lit: Lit::Int(n), .. }) => format!("-{}", n.base10_digits())
                .parse()
                .map_err(|_| Error::new(value.span(), "an offset is an integer of 64 bits")),
            _ => Err(Error::new(value.span(), "an offset is an integer")),
        },
        _ => Err(Error::new(value.span(), "an offset is an integer")),
    }
}
