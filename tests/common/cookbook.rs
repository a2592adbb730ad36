//! Runs examples inside of a test: what they print is compared with what their heads say they print.

use std::{cell::RefCell, error::Error};

thread_local!(static PRINTED: RefCell<String> = const { RefCell::new(String::new()) });

/// What `println!` becomes in examples under test.
pub fn print(line: &str) {
    PRINTED.with_borrow_mut(|text| {
        text.push_str(line);
        text.push('\n');
    });
}

/// An example: its name, its source and its `main`.
pub type Example = (&'static str, &'static str, fn() -> Result<(), Box<dyn Error>>);

/// Runs every example.
pub fn run(examples: &[Example]) {
    let mut wrong = String::new();
    for (name, source, main) in examples {
        PRINTED.take();
        main().unwrap_or_else(|e| panic!("{name}: {e}"));
        let printed = PRINTED.take();
        if printed != promised(source) {
            wrong += &format!("{name} prints something else than its head says:\n{printed}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The lines between the command and the end of its block.
fn promised(source: &str) -> String {
    let head = source.lines().skip_while(|line| !line.starts_with("//! $ cargo run")).skip(1);
    head.take_while(|line| *line != "//! ```")
        .map(|line| format!("{}\n", line.strip_prefix("//! ").unwrap_or_default()))
        .collect()
}
