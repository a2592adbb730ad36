//! What the programs that scripts run have in common: their arguments, and one line of JSON.

use std::process::ExitCode;

use forebay::Result;
use serde_json::Value;

/// Without what `cargo bench` adds.
pub fn arguments() -> Vec<String> {
    std::env::args().skip(1).filter(|a| a != "--bench").collect()
}

pub fn answer(outcome: Result<Value>) -> ExitCode {
    match outcome {
        Ok(value) => {
            println!("{value}");
            ExitCode::SUCCESS
        }
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        }
    }
}
