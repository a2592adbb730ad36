//! The command `forebay`: one file a subcommand.
//!
//! Every subcommand takes `--json`; an error is then one JSON object on standard output. Exit codes: 0 fine,
//! 1 the file is damaged, 2 usage or I/O, 3 not supported.

mod apply;
mod bench;
mod cache;
mod check;
mod concat;
pub(crate) mod convert;
mod cost;
mod curating;
mod demo;
mod diff;
mod duplicates;
mod edits;
mod effect;
mod exact;
mod extract;
mod filtering;
mod head;
mod help;
mod inspect;
mod labels;
mod outliers;
mod parts;
mod pixels;
mod plan;
#[cfg(feature = "schema")]
pub mod schema;
mod serve;
mod several;
mod shards;
mod simulate;
mod split;
mod stats;
mod table;
mod thumbs;
mod warehouse;

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use forebay::Result;
use forebay_native::remote::{Traffic, traffic};
use serde::Serialize;

use crate::{
    exit::{Outcome, finish, usage},
    human,
    output::{self, Output, Talk},
    signals,
};
use effect::Given;

/// Open, check, convert and feed machine-learning dataset files.
#[derive(Debug, Parser)]
#[command(name = "forebay", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 success, 1 damaged file, 2 usage or I/O error, 3 unsupported.")]
struct Cli {
    #[command(flatten)]
    talk: Talk,
    #[command(flatten)]
    cache: cache::CacheArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show a file's format, size and contents.
    #[command(alias = "info")]
    Inspect(inspect::Args),
    /// Show the first samples or rows.
    #[command(alias = "ls")]
    Head(head::Args),
    /// Verify a file and report every fault with its location.
    #[command(alias = "validate")]
    Check(check::Args),
    /// Summarize sizes, shapes, formats and classes, or a table's columns.
    Stats(stats::Args),
    /// Convert samples or tables to another format.
    Convert(Box<convert::Args>),
    /// Write samples as separate files.
    Extract(extract::Args),
    /// Compare the samples of two datasets.
    Diff(diff::Args),
    /// Join datasets into one.
    Concat(concat::Args),
    /// Split a dataset into shards or into train/val/test.
    Split(Box<split::Args>),
    /// Repack datasets into shards, optionally shuffled; skips finished shards.
    Shards(Box<shards::Args>),
    /// Show which samples each rank reads, in what order, and how many bytes.
    Plan(plan::Args),
    /// Measure loader throughput on your files.
    Bench(bench::Args),
    /// Browse datasets in a web browser.
    #[command(alias = "view")]
    Serve(serve::Args),
    /// Draw a sample dataset and open it in the viewer.
    Demo(demo::Args),
    /// Build, list and prune tensor warehouses.
    Warehouse(warehouse::Args),
    /// List or clear the local cache of remote files.
    Cache(cache::Args),
    /// List or abort leftover multipart uploads.
    Parts(parts::Args),
    /// Check, count and convert label files.
    Labels(labels::Args),
    /// Find exact and near-duplicate images.
    Duplicates(duplicates::Args),
    /// Find unusual images: dark, blurry, tiny, oddly shaped.
    Outliers(outliers::Args),
    /// Create a thumbnail file that viewers load first.
    Thumbs(thumbs::Args),
    /// Apply an edit journal to a dataset.
    Apply(apply::Args),
    /// Check, show and merge edit journals.
    Edits(edits::Args),
    /// Print completions for a shell.
    Completions {
        /// Shell to complete commands in.
        shell: clap_complete::Shell,
    },
    /// Print the manual page.
    Man,
}

impl Command {
    /// Whether something is left half done, or somebody half served, if it is ended in the middle.
    fn has_work(&self) -> bool {
        use Command::{Apply, Concat, Convert, Demo, Extract, Serve, Shards, Split, Thumbs, Warehouse};
        matches!(
            self,
            Apply(_)
                | Convert(_)
                | Demo(_)
                | Extract(_)
                | Concat(_)
                | Split(_)
                | Shards(_)
                | Serve(_)
                | Warehouse(_)
                | Thumbs(_)
        ) || matches!(self, Command::Labels(args) if args.has_work())
            || matches!(self, Command::Edits(args) if args.has_work())
            || matches!(self, Command::Duplicates(args) if args.has_work())
            || matches!(self, Command::Outliers(args) if args.has_work())
    }
    /// Whether it reads datasets.
    fn reads(&self) -> bool {
        use Command::{Cache, Completions, Demo, Man, Parts};
        !matches!(self, Cache(_) | Demo(_) | Parts(_) | Completions { .. } | Man)
    }
    /// Whether a reader who has gone leaves nothing to do. The exit code of others says something of every file.
    fn only_prints(&self) -> bool {
        matches!(self, Command::Head(_) | Command::Plan(_))
    }
}

/// Runs the command with these words, its name first; returns the exit code.
pub fn main(words: impl Iterator<Item = OsString>) -> u8 {
    keep_quiet_about_errors();
    signals::make_writes_fail();
    let words: Vec<OsString> = words.collect();
    let command = help::with_help(Cli::command(), help::asks_for_all(words.iter()));
    let matches = command.clone().try_get_matches_from(&words);
    let parsed = matches.and_then(|matches| {
        let pattern = help::compared_pattern(&matches);
        Ok((Cli::from_arg_matches(&matches)?, Given::of(&command, &matches), pattern))
    });
    let (cli, given, pattern) = match parsed {
        Ok(parsed) => parsed,
        Err(e) => return usage(&e, &words),
    };
    if cli.command.has_work() {
        signals::watch();
    }
    let out = Output::new(cli.talk).only_prints(cli.command.only_prints());
    if let Some(pattern) = pattern {
        out.note(format!(
            "note: == compares {pattern:?} literally; ~ compares with a pattern, as in: name ~ {pattern:?}"
        ));
    }
    let cache = match cli.command.reads().then(|| cli.cache.begin(&out)).transpose() {
        Ok(cache) => cache.flatten(),
        Err(e) => return finish(Err(e), &out),
    };
    let outcome = match &cli.command {
        Command::Inspect(args) => inspect::run(args, &given, &out),
        Command::Head(args) => head::run(args, &given, &out),
        Command::Check(args) => check::run(args, &given, &out),
        Command::Stats(args) => stats::run(args, &given, &out),
        Command::Convert(args) => convert::run(args, &given, &out),
        Command::Extract(args) => extract::run(args, &out),
        Command::Diff(args) => diff::run(args, &out),
        Command::Concat(args) => concat::run(args, &given, &out),
        Command::Split(args) => split::run(args, &given, &out),
        Command::Shards(args) => shards::run(args, &given, &out),
        Command::Plan(args) => plan::run(args, &cli.cache, &out),
        Command::Bench(args) => bench::run(args, &out),
        Command::Serve(args) => serve::run(args, &out),
        Command::Demo(args) => demo::run(args, &out),
        Command::Warehouse(args) => warehouse::run(args, &given, &out),
        Command::Cache(args) => cache::run(args, &cli.cache, &out),
        Command::Parts(args) => parts::run(args, &out),
        Command::Labels(args) => labels::run(args, &given, &out),
        Command::Duplicates(args) => duplicates::run(args, &out),
        Command::Outliers(args) => outliers::run(args, &out),
        Command::Thumbs(args) => thumbs::run(args, &out),
        Command::Apply(args) => apply::run(args, &out),
        Command::Edits(args) => edits::run(args, &out),
        Command::Completions { shell } => completions(*shell, &out),
        Command::Man => man(&out),
    };
    cache::end(cache, &out);
    tell_traffic(&out);
    finish(outcome, &out)
}

/// What was asked of stores and servers, if anything was.
fn asked() -> Option<Traffic> {
    Some(traffic()).filter(|traffic| traffic.requests > 0)
}

/// Says what was asked of stores and servers, if anything was.
fn tell_traffic(out: &Output) {
    let traffic = traffic();
    if traffic.unconditional > 0 {
        out.note(
            "note: the store has no conditional writes; an object that others write at the same moment may be replaced",
        );
    }
    if out.verbose() && traffic.requests > 0 {
        let (bytes, over) = (human::bytes(traffic.bytes), human::bytes(traffic.over_read));
        let first = traffic.first_byte_micros as f64 / 1000.0;
        let again = if traffic.retries > 0 { format!(", {} of them again", traffic.retries) } else { String::new() };
        let sent = if traffic.sent > 0 { format!("; {} sent", human::bytes(traffic.sent)) } else { String::new() };
        out.note(format!(
            "network: {} requests{again}; {bytes}, {over} of it not asked for; {first:.1} ms to the first byte on \
             average{sent}",
            human::count(traffic.requests)
        ));
    }
}

/// Reads words as the command's arguments, and gives what is wrong with them. Fuzzing runs no commands.
#[doc(hidden)]
pub fn understand<'a>(words: impl IntoIterator<Item = &'a str>) -> std::result::Result<(), String> {
    let words = std::iter::once("forebay").chain(words);
    Cli::try_parse_from(words).map(|_| ()).map_err(|e| e.to_string())
}

fn completions(shell: clap_complete::Shell, out: &Output) -> Result<Outcome> {
    // In memory first: what makes them panics where they cannot be written.
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "forebay", &mut text);
    whole(&text, |script| Script { script }, out)
}

/// Completions for a shell.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Script {
    /// The script.
    script: String,
}

/// The manual page.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Manual {
    /// The page, for `man`.
    manual: String,
}

/// Prints a text that is all there is, or an object that has it.
fn whole<T: Serialize>(text: &[u8], report: impl Fn(String) -> T, out: &Output) -> Result<Outcome> {
    if out.json() {
        out.value(&report(String::from_utf8_lossy(text).into_owned()));
    } else {
        output::print_all(text)?;
    }
    Ok(Outcome::Fine)
}

fn man(out: &Output) -> Result<Outcome> {
    let mut page = Vec::new();
    let failed = |e| forebay_native::input::io_error("the manual", "make", e);
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
    whole(&page, |manual| Manual { manual }, out)
}

/// A panic that becomes an error is told as one.
fn keep_quiet_about_errors() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !forebay::guard::panics_are_errors() {
            usual(panic);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        [false, true].into_iter().for_each(|all| help::with_help(Cli::command(), all).debug_assert());
    }
}
