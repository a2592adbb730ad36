//! The command `forebay`.

fn main() -> std::process::ExitCode {
    forebay_cli::command::main(std::env::args_os()).into()
}
