//! What the linker is told so that an extension module links without the interpreter, which loads it.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
