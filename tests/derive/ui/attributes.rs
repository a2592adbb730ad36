use forebay::tbf::{TbfDecode, TbfEncode};

#[derive(TbfEncode)]
struct Unknown {
    #[tbf(encode = "u8")]
    id: u32,
}

#[derive(TbfEncode)]
struct Encoding {
    #[tbf(encoding = "u7")]
    id: u32,
}

#[derive(TbfEncode)]
struct Offset {
    #[tbf(encoding = "i8", offset = 3)]
    id: u32,
}

#[derive(TbfEncode)]
struct Alone {
    #[tbf(offset = 3)]
    id: u32,
}

#[derive(TbfDecode)]
struct Twice {
    a: u32,
    #[tbf(rename = "a")]
    b: u32,
}

#[derive(TbfDecode)]
struct Skipped {
    a: u32,
    #[tbf(skip, encoding = "u8")]
    b: u32,
}

fn main() {}
