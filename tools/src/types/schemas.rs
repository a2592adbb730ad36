//! A JSON Schema for each report of the command.

use std::fmt::Write;

use forebay_cli::schema::reports;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::{File, doc};

const HEAD: &str = "# Schemas of reports

The command prints a report with `--json`, or a report a line. Each report has a [JSON Schema](https://json-schema.org) of draft 2020-12.
Scripts may rely on it: a field that a schema requires stays, and fields may be added. A number that no JSON number can be, such as NaN, is
`null`.

`npm run types` makes this page and the schemas from the Rust types; `npm test` compares them, and the reports of the command's tests with
the schemas.

| report of | schema | |
|---|---|---|
";

pub(super) fn files() -> Vec<File> {
    let mut page = HEAD.to_owned();
    let mut files = Vec::new();
    for report in reports() {
        let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let mut schema = (report.schema)(generator).to_value();
        plain(&mut schema);
        // Writing to a text cannot fail.
        let _ = writeln!(page, "| {} | [{name}]({name}.json) | {} |", report.of, doc(&schema), name = report.name);
        let text = serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n";
        files.push(File { path: format!("docs/schemas/{}.json", report.name), text });
    }
    files.push(File { path: "docs/schemas/README.md".into(), text: page });
    files
}

/// Makes every description one line, without what only Rust's documentation knows.
fn plain(schema: &mut Value) {
    let said = doc(schema);
    match schema {
        Value::Object(fields) => {
            if fields.get("description").is_some_and(Value::is_string) {
                fields.insert("description".into(), said.into());
            }
            fields.values_mut().for_each(plain);
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}
