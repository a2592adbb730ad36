//! The C library's side of the target `jpeg_peer`.

fn main() {
    #[cfg(feature = "libjpeg")]
    {
        let file = "../tests/jpeg_made/reference.c";
        println!("cargo:rerun-if-changed={file}");
        cc::Build::new().file(file).define("REFERENCE_ONLY", None).compile("jpeg_reference");
        println!("cargo:rustc-link-lib=jpeg");
    }
}
