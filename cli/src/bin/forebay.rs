//! The command `forebay`.

fn main() -> std::process::ExitCode {
    forebay_cli::command::main()
}
