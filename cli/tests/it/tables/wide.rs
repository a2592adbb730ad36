//! Tables of very many columns.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

/// Address space for the command: several times what it needs, and less than it took when each column had a
/// dictionary of its own.
#[cfg(target_os = "linux")]
const ADDRESS_SPACE_KB: u32 = 600_000;

#[cfg(target_os = "linux")]
#[test]
fn ten_thousand_columns_become_parquet_in_bounded_memory() {
    let folder = tempfile::tempdir().unwrap();
    let columns = 10_000;
    let names: Vec<String> = (0..columns).map(|i| format!("c{i}")).collect();
    let mut csv = names.join(",") + "\n";
    for row in 0..200 {
        let cells =
            (0..columns).map(|i| if i % 2 == 0 { format!("t{}", (row + i) % 90) } else { (row * i).to_string() });
        csv += &(cells.collect::<Vec<_>>().join(",") + "\n");
    }
    fs::write(folder.path().join("w.csv"), csv).unwrap();
    let said = within(ADDRESS_SPACE_KB, folder.path(), "convert w.csv w.parquet --no-sync --verify --json");
    assert!(said.contains("\"columns\":10000") && said.contains("\"verified\":200"), "{said}");
}

/// What the command prints, in so much address space.
#[cfg(target_os = "linux")]
fn within(kilobytes: u32, folder: &Path, arguments: &str) -> String {
    let script = format!("ulimit -v {kilobytes}; exec \"$0\" {arguments}");
    let mut command = Command::new("sh");
    let out = command.args(["-c", &script, env!("CARGO_BIN_EXE_forebay")]).current_dir(folder).output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success(), "{arguments}: {said} {}", String::from_utf8_lossy(&out.stderr));
    said
}

/// A CSV and a Parquet file of this many columns `c0`, `c1` and so on, and what its cells hold.
fn wide(folder: &Path, columns: usize, rows: usize, options: &[&str]) -> impl Fn(usize, usize) -> usize {
    let cell = |row: usize, column: usize| (row + 1) * column % 9973;
    let line = |cell: &dyn Fn(usize) -> String| (0..columns).map(cell).collect::<Vec<_>>().join(",") + "\n";
    let mut csv = line(&|column| format!("c{column}"));
    (0..rows).for_each(|row| csv += &line(&|column| cell(row, column).to_string()));
    fs::write(folder.join("w.csv"), csv).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
    let arguments = [&["convert", "w.csv", "w.parquet", "--no-sync"], options].concat();
    let out = command.args(arguments).current_dir(folder).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    cell
}

/// It took 4 kB for each column that it had open: more than 350 MB.
#[cfg(target_os = "linux")]
#[test]
fn the_first_rows_of_very_many_columns_take_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let cell = wide(folder.path(), 60_000, 3, &[]);
    for arguments in ["head w.parquet -n 2 --json", "head w.parquet -n 1 --skip 1 --json --columns c59999,c7"] {
        let said = within(250_000, folder.path(), arguments);
        let last: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
        assert_eq!((&last["c7"], &last["c59999"]), (&cell(1, 7).into(), &cell(1, 59_999).into()), "{arguments}");
    }
}

/// Whatever the parts that columns are read in, and the groups that rows are stored in.
#[test]
fn the_first_rows_of_many_columns_are_those_of_few() {
    let folder = tempfile::tempdir().unwrap();
    let (columns, rows) = (4_500, 7);
    let cell = wide(folder.path(), columns, rows, &["--group-rows", "3"]);
    let head = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
        let out = command.args(["head", "w.parquet", "--json"]).args(more).current_dir(folder.path()).output().unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
    };
    let reversed = (0..columns).rev().map(|column| format!("c{column}")).collect::<Vec<_>>().join(",");
    for (n, skip) in [(1, 0), (4, 0), (2, 3), (99, 0), (3, 6), (5, 7)] {
        let (n_text, skip_text) = (n.to_string(), skip.to_string());
        let which = ["-n", &n_text, "--skip", &skip_text];
        let expected: Vec<usize> = (skip..rows).take(n).collect();
        // In parts, in parts and another order, and all at once.
        for more in [&[][..], &["--columns", &reversed], &["--where", "c0 == 0"]] {
            let found = head(&[&which, more].concat());
            assert_eq!(found.len(), expected.len(), "{n} from {skip}");
            for (object, &row) in found.iter().zip(&expected) {
                let object = object.as_object().unwrap();
                assert_eq!(object.len(), columns);
                for column in [0, 1, 2047, 2048, 4095, 4096, 4499] {
                    assert_eq!(object[&format!("c{column}")], cell(row, column), "{n} from {skip}: {column}");
                }
            }
        }
    }
}
