//! `forebay-bindgen IN.wasm OUT_DIR NAME`: JavaScript, types and the module that cargo's module becomes for pages.
//!
//! The library that wasm-bindgen's own command calls, without the command: its package also holds a runner of tests
//! with an HTTP client and a web server, and can only be installed with the versions of those that it was locked to.
use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--version"] => println!("forebay-bindgen {}", env!("CARGO_PKG_VERSION")),
        [module, folder, name] => {
            if let Err(error) = bind(module, folder, name) {
                eprintln!("forebay-bindgen: {module}: {error:#}");
                return ExitCode::FAILURE;
            }
        }
        _ => {
            eprintln!("forebay-bindgen IN.wasm OUT_DIR NAME");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn bind(module: &str, folder: &str, name: &str) -> Result<(), impl std::fmt::Display> {
    let mut bindgen = Bindgen::new();
    bindgen.web(true)?;
    bindgen.input_path(module).out_name(name).typescript(true);
    // Names are for debuggers, and what made it is in Cargo.lock; who loads the module says where it lies.
    bindgen.remove_name_section(true).remove_producers_section(true).omit_default_module_path(true);
    bindgen.generate(folder)
}
