//! Options that were given and would change nothing are refused: whoever writes one means something by it.
//!
//! A command has a table that says which of its options are for what ([`Uses`]), and asks [`Given`] once it knows what
//! it has before it. A test holds the tables to the commands, so that a new option cannot be forgotten.

use clap::{ArgMatches, parser::ValueSource};
use forebay::{Error, Result, error::codes};
use forebay_native::tables::{ReadOptions, TableFormat};

/// What a command has before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// Samples that are read.
    Samples,
    /// A table that is read, or made of another.
    Table,
    /// A TBL that is written.
    Tbl,
    /// A TAR that is written.
    Tar,
    /// Samples of which a table is made.
    Rows,
}

impl Route {
    fn words(self) -> &'static str {
        match self {
            Route::Samples => "samples",
            Route::Table => "tables",
            Route::Tbl => "writing a TBL",
            Route::Tar => "writing a TAR",
            Route::Rows => "making a table of samples",
        }
    }
}

/// Options, by their names in the program, and what each of them is for. An option that is in none is for everything.
pub(super) type Uses = &'static [(&'static [&'static str], &'static [Route])];

/// The options that the user wrote.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// The name in the program, and as it is written.
    options: Vec<(String, String)>,
}

impl Given {
    /// What `matches` has of the subcommand that was called, or of the one in it.
    pub fn of(command: &clap::Command, matches: &ArgMatches) -> Given {
        let (mut command, mut matches) = (command, matches);
        while let Some((name, inner)) = matches.subcommand() {
            let Some(found) = command.find_subcommand(name) else { return Given::default() };
            (command, matches) = (found, inner);
        }
        let given = |id: &clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
        let written = |arg: &clap::Arg| match (arg.get_long(), arg.get_short()) {
            (Some(long), _) => format!("--{long}"),
            (None, Some(short)) => format!("-{short}"),
            (None, None) => arg.get_id().to_string(),
        };
        let args = command.get_arguments().filter(|arg| matches.try_contains_id(arg.get_id().as_str()).is_ok());
        let args = args.filter(|arg| given(arg.get_id()));
        Given { options: args.map(|arg| (arg.get_id().to_string(), written(arg))).collect() }
    }

    /// The option as it was written, if it was.
    pub fn written(&self, id: &str) -> Option<&str> {
        self.options.iter().find(|(known, _)| known == id).map(|(_, written)| written.as_str())
    }

    /// Refuses the first option that changes nothing on this route.
    pub fn check(&self, uses: Uses, route: Route) -> Result<()> {
        for (id, written) in &self.options {
            let routes: Vec<Route> = uses
                .iter()
                .filter(|(ids, _)| ids.contains(&id.as_str()))
                .flat_map(|(_, routes)| routes.iter().copied())
                .collect();
            if !routes.is_empty() && !routes.contains(&route) {
                let others: Vec<_> = routes.iter().map(|route| route.words()).collect();
                let message =
                    format!("{written} changes nothing in {}; it is for {}", route.words(), others.join(" and "));
                return Err(Error::new(&codes::ARGUMENT, message));
            }
        }
        Ok(())
    }
}

/// Options of tables that are for some formats alone: those that have an effect where one is read or written.
const TEXTS: [TableFormat; 3] = [TableFormat::Csv, TableFormat::Tsv, TableFormat::Jsonl];
const SEPARATED: [TableFormat; 2] = [TableFormat::Csv, TableFormat::Tsv];
const SCHEMAS: [TableFormat; 4] = [TableFormat::Csv, TableFormat::Tsv, TableFormat::Jsonl, TableFormat::Tbf];
const GROUPED: [TableFormat; 3] = [TableFormat::Parquet, TableFormat::Tbf, TableFormat::Idv];

/// Options, the formats that they are for, the formats that are there, and what the options are for in words.
type Use<'a> = (&'a [&'a str], &'a [TableFormat], &'a [TableFormat], &'a str);

impl Given {
    /// Refuses the first option that changes nothing in tables of these formats: those that are read, and the one that is
    /// written. Tables that are made of samples are not read.
    pub fn check_formats(
        &self,
        read: &[TableFormat],
        written: Option<TableFormat>,
        options: &ReadOptions,
    ) -> Result<()> {
        let changes_nothing = |message: String| Err(Error::new(&codes::ARGUMENT, message));
        if self.written("schema").is_some()
            && let Some(other) = ["types", "sniff_rows"].iter().find_map(|id| self.written(id))
        {
            return changes_nothing(format!("{other} has no effect with --schema, which has the types of all columns"));
        }
        // A list of columns is for texts, and says how a TBF stores them.
        if options.text.spec.is_some()
            && !read.is_empty()
            && !read.iter().any(|f| f.is_text())
            && written != Some(TableFormat::Tbf)
        {
            return changes_nothing(
                "a --schema of columns changes nothing here; it is for reading CSV, TSV and JSON lines".into(),
            );
        }
        if options.tbf_schema.is_some() && !read.contains(&TableFormat::Tbf) {
            return changes_nothing(
                "a --schema of this form changes nothing here; it is for reading TBF of layouts U and S".into(),
            );
        }
        let either: Vec<_> = read.iter().copied().chain(written).collect();
        let written: Vec<_> = written.into_iter().collect();
        let uses: [Use<'_>; 5] = [
            (&["no_header", "delimiter", "null"], &SEPARATED, &either, "CSV and TSV"),
            (&["types", "on_bad_row", "sniff_rows"], &TEXTS, read, "reading CSV, TSV and JSON lines"),
            (&["schema"], &SCHEMAS, read, "reading CSV, TSV, JSON lines and TBF"),
            (&["dialect"], &[TableFormat::Tbf], &written, "writing TBF"),
            (&["group_rows"], &GROUPED, &written, "writing Parquet, TBF and IDV"),
        ];
        for (ids, wanted, there, words) in uses {
            // What samples say of themselves has its types.
            if there.iter().any(|format| wanted.contains(format)) || (there.is_empty() && !written.is_empty()) {
                continue;
            }
            if let Some(given) = ids.iter().find_map(|id| self.written(id)) {
                return changes_nothing(format!("{given} changes nothing here; it is for {words}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use crate::command::{Cli, check, concat, convert, head, inspect, shards, split, stats};

    /// Options that are for whatever a command has before it.
    const ALWAYS: [&str; 14] = [
        "files", "file", "input", "inputs", "output", "json", "quiet", "verbose", "help", "version", "workers",
        "force", "from", "to",
    ];

    #[test]
    fn every_option_says_what_it_is_for() {
        let cli = Cli::command();
        for (name, uses, more) in [
            ("head", head::USES, &[][..]),
            ("stats", stats::USES, &[]),
            ("inspect", inspect::USES, &[]),
            ("check", check::USES, &[]),
            ("convert", convert::USES, &["verify", "no_sync", "filter"]),
            ("concat", concat::USES, &["verify", "no_sync", "filter", "max_sample_bytes", "allow_empty"]),
            (
                "split",
                split::USES,
                &[
                    "verify",
                    "no_sync",
                    "shards",
                    "max_sample_bytes",
                    "train",
                    "val",
                    "test",
                    "by",
                    "group",
                    "near",
                    "seed",
                    "list",
                    "filter",
                    "max_pixels",
                ],
            ),
            (
                "shards",
                shards::USES,
                &[
                    "verify",
                    "no_sync",
                    "shards",
                    "max_sample_bytes",
                    "name",
                    "shuffle",
                    "blocks",
                    "only",
                    "jobs",
                    "dry_run",
                    "filter",
                    "keep_going",
                    "class_level",
                ],
            ),
        ] {
            let command = cli.find_subcommand(name).unwrap();
            let known = |id: &str| uses.iter().any(|(ids, _)| ids.contains(&id));
            for arg in command.get_arguments() {
                let id = arg.get_id().as_str();
                assert!(
                    known(id) || ALWAYS.contains(&id) || more.contains(&id),
                    "forebay {name}: say in USES what {id} is for"
                );
            }
            let exists = |id: &&str| command.get_arguments().any(|arg| arg.get_id().as_str() == *id);
            for id in uses.iter().flat_map(|(ids, _)| ids.iter()) {
                assert!(exists(id), "forebay {name} has no option {id}");
            }
        }
    }
}
