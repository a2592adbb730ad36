//! Random faults over all commands: kills, signals, limits, missing threads, closed and full pipes, several at once.
//!
//! `FOREBAY_FAULTS=2000 cargo test -p forebay-cli --test it faults::random` tries that many, `FOREBAY_FAULTS_SEED` others.

use std::{
    collections::{BTreeMap, HashMap},
    fs::{self, File},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    common::{FOREBAY, Folder},
    dice::Dice,
    faults::{
        shards::never_a_mix,
        shim,
        signals::{ENDING, send},
        stock::{READING, WRITING, command, outputs, run, said, stocked},
    },
};

/// How many are tried where the environment does not say.
const USUAL: u64 = 60;
/// Signals that end a process, and the one that nobody can answer.
const KILLS: [&str; 6] = ["KILL", "TERM", "INT", "HUP", "QUIT", "XCPU"];

type Tree = BTreeMap<String, Vec<u8>>;

/// What a command comes to when nothing goes wrong.
struct Usual {
    code: i32,
    prints: bool,
    outputs: Tree,
    takes: Duration,
}

fn usual(args: &str) -> Usual {
    let folder = stocked();
    let begun = Instant::now();
    let done = run(&folder, args);
    Usual {
        code: done.status.code().unwrap(),
        prints: !done.stdout.is_empty(),
        takes: begun.elapsed(),
        outputs: outputs(&folder),
    }
}

/// The same command over the other dataset and half the table: what stood there before.
fn with_old(folder: &Folder, args: &str) -> Tree {
    for (name, other) in [("a.tbl", "b.tbl"), ("a.tar", "b.tar"), ("t.csv", "t.jsonl")] {
        fs::rename(folder.at(name), folder.at(&format!("kept-{name}"))).unwrap();
        fs::copy(folder.at(other), folder.at(name)).unwrap();
    }
    let table = fs::read_to_string(folder.at("kept-t.csv")).unwrap();
    fs::write(folder.at("t.csv"), &table[..table.len() / 2 / 20 * 20]).unwrap();
    // If the other input does not do, some bytes do as well.
    if !run(folder, args).status.success() {
        for part in args.split(' ').filter(|part| part.starts_with("o.")) {
            fs::write(folder.at(part), "the old one").unwrap();
        }
    }
    for name in ["a.tbl", "a.tar", "t.csv"] {
        fs::rename(folder.at(&format!("kept-{name}")), folder.at(name)).unwrap();
    }
    outputs(folder)
}

/// How one run goes wrong.
#[derive(Debug)]
struct Fault {
    kill: Option<&'static str>,
    /// Of the usual time, in thousandths.
    after: u64,
    stdout: u64,
    stderr: u64,
    file_blocks: Option<u64>,
    threads: Option<u64>,
    ignored: &'static str,
}

fn fault(dice: &mut Dice) -> Fault {
    let mut fault = Fault {
        kill: None,
        after: dice.below(1200),
        stdout: 0,
        stderr: 0,
        file_blocks: None,
        threads: None,
        ignored: "",
    };
    for _ in 0..1 + dice.below(2) {
        match dice.below(8) {
            0..=3 => fault.kill = Some(KILLS[dice.below(KILLS.len() as u64) as usize]),
            4 => fault.stdout = 1 + dice.below(2),
            5 => fault.stderr = 1 + dice.below(2),
            6 => fault.file_blocks = Some(dice.below(500)),
            _ => fault.threads = Some(dice.below(4)),
        }
    }
    fault.ignored = ["", "", "INT", "HUP", "INT QUIT", "XFSZ"][dice.below(6) as usize];
    fault
}

fn pipe(kind: u64) -> Stdio {
    match kind {
        0 => Stdio::piped(),
        1 => std::io::pipe().unwrap().1.into(),
        _ => File::options().write(true).open("/dev/full").unwrap().into(),
    }
}

fn begin(folder: &Folder, args: &str, fault: &Fault) -> Child {
    let mut before = String::new();
    if !fault.ignored.is_empty() {
        before += &format!("trap '' {}; ", fault.ignored);
    }
    if let Some(blocks) = fault.file_blocks {
        before += &format!("ulimit -f {blocks}; ");
    }
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{before}exec \"$0\" {args}"), FOREBAY]).current_dir(folder.path());
    command.stdin(Stdio::null()).stdout(pipe(fault.stdout)).stderr(pipe(fault.stderr));
    if let Some(most) = fault.threads {
        shim::before(&mut command, &[("SHIM_THREADS", most.to_string())]);
    }
    command.spawn().unwrap()
}

#[test]
fn random_faults_leave_no_half_output_and_no_false_success() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let (count, seed) = (number("FOREBAY_FAULTS").unwrap_or(USUAL), number("FOREBAY_FAULTS_SEED").unwrap_or(1));
    let mut seen = HashMap::<String, u64>::new();
    let mut known = HashMap::new();
    for round in 0..count {
        if round > 0 && round % 100 == 0 {
            println!("{round} of {count} faults");
        }
        // Each round by itself, so that one can be run again.
        let mut dice = Dice(seed.wrapping_mul(1 << 32).wrapping_add(round));
        let writes = dice.below(8) > 0;
        let of = if writes { WRITING } else { READING };
        let base = of[dice.below(of.len() as u64) as usize];
        let old = writes && dice.below(2) == 0;
        let json =
            if dice.below(2) == 0 && !base.contains("--help") && !base.contains("--version") { " --json" } else { "" };
        let args = format!("{base}{}{json}", if old { " --force" } else { "" });
        let fault = fault(&mut dice);
        let usual = known.entry(args.clone()).or_insert_with(|| self::usual(&args));
        let what = format!("round {round} of seed {seed}: {args:?}, {fault:?}");

        let folder = stocked();
        let before = if old { with_old(&folder, base) } else { Tree::new() };
        let child = begin(&folder, &args, &fault);
        let killed = fault.kill.filter(|_| {
            thread::sleep(usual.takes.mul_f64(fault.after as f64 / 1000.0));
            true
        });
        if let Some(name) = killed {
            send(&child, name);
        }
        let done = child.wait_with_output().unwrap();
        said(&done);
        let code = done.status.code();
        let by = killed.and_then(|name| ENDING.iter().find(|(ending, _)| *ending == name)).map(|(_, number)| *number);
        let unprinted = fault.stdout == 2 && usual.prints;
        let ended = match (code, killed) {
            (None, Some(_)) => "ended by a signal",
            (Some(code), _) if by.is_some_and(|number| code == 128 + number) => "cleaned up",
            // Printing that found no room, a file that may not grow, a loader that has no threads.
            (Some(2), _) if unprinted || fault.file_blocks.is_some() || base.starts_with("bench") => "an error",
            (Some(code), _) if code == usual.code => "as usual",
            _ => panic!("{what}: {done:?}"),
        };
        *seen.entry(ended.to_owned()).or_default() += 1;

        let now = outputs(&folder);
        let hidden = |name: &String| name.contains(".part");
        if code.is_some() {
            assert!(!now.keys().any(hidden), "{what}: {:?}", now.keys());
        }
        for (name, bytes) in now.iter().filter(|(name, _)| !hidden(name)) {
            let whole = Some(bytes) == usual.outputs.get(name) || Some(bytes) == before.get(name);
            assert!(whole, "{what}: {name} is neither the old nor the new one");
        }
        if code == Some(0) && usual.code == 0 {
            for (name, bytes) in &usual.outputs {
                assert_eq!(now.get(name), Some(bytes), "{what}: success was said, and {name} is not there");
            }
        }
        if base.starts_with("split a.tbl") {
            never_a_mix(&folder, &what);
        }
        if writes {
            // The next run puts everything right.
            let again = format!("{base} --force");
            let done = command(&folder, &again).output().unwrap();
            assert_eq!(done.status.code(), Some(0), "{what}: then {}", said(&done));
            let now = outputs(&folder);
            assert!(!now.keys().any(hidden), "{what}: then {:?}", now.keys());
            for (name, bytes) in &usual.outputs {
                assert_eq!(now.get(name), Some(bytes), "{what}: then {name}");
            }
        }
    }
    let mut seen: Vec<_> = seen.into_iter().collect();
    seen.sort();
    println!("{count} faults: {seen:?}");
}
