use forebay::tbf::TbfEncode;

struct Inner {
    x: u8,
}

#[derive(TbfEncode)]
struct Row {
    id: u32,
    inner: Inner,
}

fn main() {}
