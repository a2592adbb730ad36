//! The command `forebay`.

fn main() -> std::process::ExitCode {
    forebay_native::cli::main()
}
