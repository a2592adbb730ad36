//! Writes the seeds of every target into `FOLDER/NAME/`, for cargo-fuzz to start from.

use std::{env, fs, io, path::Path};

fn main() -> io::Result<()> {
    let folder = env::args_os().nth(1).expect("the folder to write into");
    for target in forebay_fuzz::TARGETS {
        let folder = Path::new(&folder).join(target.name);
        fs::create_dir_all(&folder)?;
        for (i, seed) in (target.seeds)().iter().enumerate() {
            fs::write(folder.join(format!("seed-{i:03}")), seed)?;
        }
    }
    Ok(())
}
