//! Runs one target over files on the stable toolchain: what broke it breaks it again.

use std::{env, fs, io};

fn main() -> io::Result<()> {
    let mut words = env::args().skip(1);
    let name = words.next().expect("the name of a target, then files");
    for file in words {
        forebay_fuzz::run(&name, &fs::read(&file)?);
        println!("{file}: nothing broke");
    }
    Ok(())
}
