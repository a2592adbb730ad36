//! Tables of very many columns.

use std::{fs, process::Command};

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
    let script = format!("ulimit -v {ADDRESS_SPACE_KB}; exec \"$0\" convert w.csv w.parquet --no-sync --verify --json");
    let mut command = Command::new("sh");
    let out = command.args(["-c", &script, env!("CARGO_BIN_EXE_forebay")]).current_dir(folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{said} {}", String::from_utf8_lossy(&out.stderr));
    assert!(said.contains("\"columns\":10000") && said.contains("\"verified\":200"), "{said}");
}
