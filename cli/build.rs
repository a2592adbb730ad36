//! Embeds the viewer's built site, `dist/site`, into the command for `forebay serve`.
//!
//! A checkout in which the site was not built yet compiles too: the command then says how to build it.

// A build script is a program on the build machine; the core's ban on files is not for it.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

fn main() -> std::io::Result<()> {
    let dist = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("../dist");
    let site = dist.join("site");
    println!("cargo:rerun-if-changed=build.rs");
    // The quick build of `npm start` and of tests says that it is one.
    let quick = variable("OPT_LEVEL") == "0";
    let note =
        if quick { " (quick build, slow; for the fast one: cargo build --profile dist -p forebay-cli)" } else { "" };
    println!("cargo:rustc-env=FOREBAY_VERSION={}{note}", variable("CARGO_PKG_VERSION"));
    // Cargo takes a path that does not exist for changed, each time; so the folder above is watched until the
    // site is there.
    match (site.is_dir(), dist.is_dir()) {
        (true, _) => println!("cargo:rerun-if-changed={}", site.display()),
        (false, true) => println!("cargo:rerun-if-changed={}", dist.display()),
        (false, false) => {}
    }
    let mut files = Vec::new();
    if std::env::var_os("CARGO_FEATURE_VIEWER").is_some() && site.join("index.html").is_file() {
        collect(&site.canonicalize()?, "", &mut files)?;
    }
    files.sort_unstable();
    let mut code = String::from("pub(super) static FILES: &[(&str, &[u8])] = &[\n");
    let out = PathBuf::from(variable("OUT_DIR"));
    for (number, (name, path)) in files.iter().enumerate() {
        // A copy stays when the site is built again while the command compiles.
        let copy = out.join(format!("site-{number}"));
        fs::copy(path, &copy)?;
        let _ = writeln!(code, "    ({name:?}, include_bytes!({:?})),", copy.display().to_string());
    }
    code.push_str("];\n");
    fs::write(out.join("site.rs"), code)
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// Lists the files below `folder`, named by their path from the site's root.
fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.push((name, entry.path()));
        }
    }
    Ok(())
}
