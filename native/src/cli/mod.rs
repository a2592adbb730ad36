//! The command `forebay`: one file a subcommand.
//!
//! Every subcommand takes `--json`; an error is then one JSON object on standard output. Exit codes: 0 fine,
//! 1 the file is damaged, 2 usage or I/O, 3 not supported.

mod bench;
mod check;
mod concat;
mod convert;
mod diff;
mod extract;
mod filtering;
mod head;
mod human;
mod inspect;
mod output;
mod pixels;
mod plan;
mod progress;
mod serve;
mod split;
mod stats;
mod table;
pub mod tar_to_tbl;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use forebay::{Error, Result};

pub(crate) use output::Output;

/// Opens, checks, converts and feeds machine-learning dataset files.
#[derive(Debug, Parser)]
#[command(name = "forebay", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 fine, 1 the file is damaged, 2 usage or I/O, 3 not supported.")]
struct Cli {
    #[command(flatten)]
    talk: Talk,
    #[command(subcommand)]
    command: Command,
}

/// How much is said, and in which form.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct Talk {
    /// Print JSON instead of text.
    #[arg(long, global = true)]
    pub json: bool,
    /// Print nothing but results and errors.
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say what is being done, line by line.
    #[arg(long, short, global = true)]
    pub verbose: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say what a file is, how big, and what is inside.
    Inspect(inspect::Args),
    /// Show the first samples or rows.
    Head(head::Args),
    /// Say whether a file is sound: every fault, with sample or row and offset.
    Check(check::Args),
    /// Count sizes, shapes, formats and classes; of tables, what the values of each column are like.
    Stats(stats::Args),
    /// Convert samples to TBL or TAR, and tables to CSV, JSON lines, Parquet, Arrow, TBF or IDV.
    Convert(Box<convert::Args>),
    /// Write samples out as files.
    Extract(extract::Args),
    /// Compare the samples of two datasets.
    Diff(diff::Args),
    /// Join datasets into one.
    Concat(concat::Args),
    /// Split a dataset into shards.
    Split(split::Args),
    /// Say which samples each rank of a training run gets, in which order, and how many bytes that is.
    Plan(plan::Args),
    /// Measure how fast the loader is on these files, and against the bare decoder.
    Bench(bench::Args),
    /// Show a dataset, or a folder of them, in the browser.
    Serve(serve::Args),
    /// Print completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page.
    Man,
}

/// Runs the command with the process's arguments.
pub fn main() -> ExitCode {
    #[cfg(feature = "arrow")]
    keep_quiet_about_errors();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => return usage(&e),
    };
    let out = Output::new(cli.talk);
    let outcome = match &cli.command {
        Command::Inspect(args) => inspect::run(args, &out),
        Command::Head(args) => head::run(args, &out),
        Command::Check(args) => check::run(args, &out),
        Command::Stats(args) => stats::run(args, &out),
        Command::Convert(args) => convert::run(args, &out),
        Command::Extract(args) => extract::run(args, &out),
        Command::Diff(args) => diff::run(args, &out),
        Command::Concat(args) => concat::run(args, &out),
        Command::Split(args) => split::run(args, &out),
        Command::Plan(args) => plan::run(args, &out),
        Command::Bench(args) => bench::run(args, &out),
        Command::Serve(args) => serve::run(args, &out),
        Command::Completions { shell } => {
            clap_complete::generate(*shell, &mut Cli::command(), "forebay", &mut std::io::stdout());
            Ok(Outcome::Fine)
        }
        Command::Man => man(),
    };
    finish(outcome, &out)
}

/// What a command that did its work has to say about the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All is well.
    Fine,
    /// A file is damaged, or two files differ.
    Damaged,
}

pub(crate) fn finish(outcome: Result<Outcome>, out: &Output) -> ExitCode {
    match outcome {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Damaged) => ExitCode::from(1),
        Err(e) => {
            let exit = e.kind().exit_code();
            out.error(e);
            ExitCode::from(exit)
        }
    }
}

/// What clap says: help and version are no errors; with `--json` a wrong argument is an error like any other.
fn usage(e: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    let help = matches!(e.kind(), DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand);
    if !help && std::env::args_os().any(|a| a == "--json") {
        let text = e.to_string();
        let text = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default().trim();
        let error = Error::new(&forebay::error::codes::ARGUMENT, text);
        Output::new(Talk { json: true, ..Talk::default() }).error(error);
        return ExitCode::from(2);
    }
    // Where the message cannot be printed there is nobody to tell.
    let _ = e.print();
    ExitCode::from(e.exit_code() as u8)
}

fn man() -> Result<Outcome> {
    let mut page = Vec::new();
    let failed = |e| crate::input::io_error("stdout", "write", e);
    clap_mangen::Man::new(Cli::command()).render(&mut page).map_err(failed)?;
    for command in Cli::command().get_subcommands() {
        if command.get_name() != "help" {
            let title = format!("forebay {}", command.get_name());
            page.extend(format!("\n.SH {}\n", title.to_uppercase()).bytes());
            let man = clap_mangen::Man::new(command.clone());
            man.render_description_section(&mut page).map_err(failed)?;
            man.render_options_section(&mut page).map_err(failed)?;
        }
    }
    std::io::Write::write_all(&mut std::io::stdout(), &page).map_err(failed)?;
    Ok(Outcome::Fine)
}

/// A panic that becomes an error is told as one.
#[cfg(feature = "arrow")]
fn keep_quiet_about_errors() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !crate::tables::panics_are_errors() {
            usual(panic);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
