//! Every body over its seeds, their truncations and their mutations, for about a second each; the same inputs on every
//! run. `FOREBAY_FUZZ_MS` sets another time per target, `FOREBAY_FUZZ_SEED` other mutations. An input that breaks a promise
//! is kept in `fuzz/artifacts/`.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// What the program that runs this allocates by.
static MEMORY: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

/// What a small input may take: the limits of the targets, several times over.
const MEMORY_BYTES: usize = 64 << 20;
/// What a small input may take on a busy machine.
const TIME: Duration = Duration::from_secs(2);
/// After this it is a hang.
const HANG: Duration = Duration::from_secs(20);

/// What runs now, for the watchdog.
static NOW: Mutex<Option<(&'static str, Instant, Vec<u8>)>> = Mutex::new(None);

/// A target by its name, its body and its seeds.
pub struct Target {
    pub name: &'static str,
    pub body: fn(&[u8]),
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// Runs every target; panics where one of them is broken. `home` is the folder of the fuzz crate.
pub fn run(targets: &[Target], home: &'static str) {
    let home = Path::new(home);
    std::thread::spawn(move || watch(home));
    let time = Duration::from_millis(setting("FOREBAY_FUZZ_MS", 1000));
    let mut broken = 0;
    for target in targets {
        let (started, mut inputs) = (Instant::now(), 0u64);
        let outcome = smoke(target, home, time, &mut inputs);
        eprintln!("{:<13} {inputs:>8} inputs in {:.1} s", target.name, started.elapsed().as_secs_f64());
        if let Err(message) = outcome {
            eprintln!("{:<13} BROKEN: {message}", target.name);
            broken += 1;
        }
    }
    assert_eq!(broken, 0, "{broken} targets are broken");
}

/// Each target has a program for cargo-fuzz, and its name in the manifest.
pub fn has_programs(targets: &[Target], home: &str) {
    let home = Path::new(home);
    let manifest = std::fs::read_to_string(home.join("Cargo.toml")).expect("the manifest");
    for target in targets {
        let file = home.join(format!("fuzz_targets/{}.rs", target.name));
        assert!(file.is_file(), "{} is missing", file.display());
        assert!(manifest.contains(&format!("name = \"{}\"", target.name)), "Cargo.toml has no binary {}", target.name);
    }
}

fn smoke(target: &Target, home: &Path, time: Duration, inputs: &mut u64) -> Result<(), String> {
    let mut seeds = (target.seeds)();
    seeds.extend(kept(home, target.name));
    let mut run = |input: Vec<u8>| {
        *inputs += 1;
        one(target, home, &input)
    };
    for seed in &seeds {
        run(seed.clone())?;
        let step = (seed.len() / 512).max(1);
        for cut in (0..seed.len()).step_by(step) {
            run(seed[..cut].to_vec())?;
        }
    }
    let mut random = fastrand::Rng::with_seed(setting("FOREBAY_FUZZ_SEED", 1));
    let started = Instant::now();
    while started.elapsed() < time {
        let mut input = seeds[random.usize(..seeds.len())].clone();
        for _ in 0..=random.usize(..4) {
            mutate(&mut input, &mut random);
        }
        run(input)?;
    }
    Ok(())
}

/// What coverage-guided runs found worth keeping.
fn kept(home: &Path, name: &str) -> Vec<Vec<u8>> {
    let folder = home.join("kept").join(name);
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|e| e.expect("a kept input").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a kept input")).collect()
}

fn mutate(input: &mut Vec<u8>, random: &mut fastrand::Rng) {
    const EXTREMES: [u64; 8] = [0, 1, 0x7f, 0xff, 0x7fff_ffff, 0xffff_ffff, 0x7fff_ffff_ffff_ffff, u64::MAX];
    if input.is_empty() {
        input.push(random.u8(..));
        return;
    }
    let at = random.usize(..input.len());
    match random.u8(..7) {
        0 => input[at] ^= 1 << random.u8(..8),
        1 => input[at] = random.u8(..),
        2 => input.truncate(at),
        3 => input.insert(at, random.u8(..)),
        4 => {
            let end = (at + random.usize(1..64)).min(input.len());
            let piece = input[at..end].to_vec();
            let to = random.usize(..=input.len());
            input.splice(to..to, piece);
        }
        5 => {
            let end = (at + random.usize(1..64)).min(input.len());
            input.drain(at..end);
        }
        _ => {
            let width = [1, 2, 4, 8][random.usize(..4)].min(input.len() - at);
            let value = EXTREMES[random.usize(..EXTREMES.len())].to_le_bytes();
            input[at..at + width].copy_from_slice(&value[..width]);
        }
    }
}

/// Runs one input: no panic, in time, in memory.
fn one(target: &Target, home: &Path, input: &[u8]) -> Result<(), String> {
    // A stall of the machine is not the input's fault: what was slow is looked at again.
    let mut fault = look(target, input);
    for _ in 0..2 {
        if !matches!(fault, Some(Fault::Slow(_))) {
            break;
        }
        fault = look(target, input);
    }
    let fault = match fault {
        None => return Ok(()),
        Some(Fault::Panic) => "it panicked".to_owned(),
        Some(Fault::Slow(time)) => format!("{} bytes took {:.1} s", input.len(), time.as_secs_f64()),
        Some(Fault::Memory(bytes)) => format!("{} bytes took {} MiB of memory", input.len(), bytes >> 20),
    };
    Err(format!("{fault}; the input is {}", keep(home, target.name, input)))
}

enum Fault {
    Panic,
    Slow(Duration),
    Memory(usize),
}

fn look(target: &Target, input: &[u8]) -> Option<Fault> {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let started = Instant::now();
    *NOW.lock().unwrap_or_else(PoisonError::into_inner) = Some((target.name, started, input.to_vec()));
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.body)(input)));
    *NOW.lock().unwrap_or_else(PoisonError::into_inner) = None;
    let (time, memory) = (started.elapsed(), MEMORY.peak_usage().saturating_sub(before));
    match outcome {
        Err(_) => Some(Fault::Panic),
        Ok(()) if memory > MEMORY_BYTES => Some(Fault::Memory(memory)),
        Ok(()) if time > TIME => Some(Fault::Slow(time)),
        Ok(()) => None,
    }
}

/// A body that never returns cannot be caught from its own thread.
fn watch(home: &Path) {
    loop {
        std::thread::sleep(Duration::from_millis(500));
        let now = NOW.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((name, started, input)) = &*now
            && started.elapsed() > HANG
        {
            eprintln!("{name}: hangs; the input is {}", keep(home, name, input));
            std::process::abort();
        }
    }
}

fn keep(home: &Path, name: &str, input: &[u8]) -> String {
    let folder = home.join("artifacts").join(name);
    let hash = input.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3));
    let file = folder.join(format!("smoke-{hash:016x}"));
    match std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, input)) {
        Ok(()) => format!("in {}", file.display()),
        Err(e) => format!("not kept: {e}"),
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}
