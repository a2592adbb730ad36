use forebay::tbf::{TbfDecode, TbfEncode};

#[derive(TbfEncode)]
struct Tuple(u32, String);

#[derive(TbfDecode)]
enum Kind {
    A,
    B,
}

#[derive(TbfEncode)]
struct Generic<T> {
    a: T,
}

#[derive(TbfEncode)]
struct Empty {}

fn main() {}
