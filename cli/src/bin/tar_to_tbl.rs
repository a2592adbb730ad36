//! `tar_to_tbl`: the format guide's own command, with its spelling.

fn main() -> std::process::ExitCode {
    forebay_cli::tar_to_tbl::main(std::env::args_os()).into()
}
