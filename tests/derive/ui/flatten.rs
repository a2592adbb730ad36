use forebay::tbf::{TbfDecode, TbfEncode};

#[derive(Default, TbfEncode, TbfDecode)]
struct Point {
    x: f32,
    y: f32,
}

#[derive(TbfEncode)]
struct Renamed {
    id: u32,
    #[tbf(flatten, rename = "p")]
    point: Point,
}

#[derive(TbfDecode)]
struct Missing {
    id: u32,
    #[tbf(flatten)]
    point: Option<Point>,
}

#[derive(TbfEncode)]
struct Number {
    #[tbf(flatten)]
    id: u32,
}

fn main() {}
