//! JPEGs of every structure, and damage to them, against what the C library libjpeg-turbo makes of the same bytes.
//!
//! What it made of the first structures is in `tests/fixtures/jpeg_structures.txt`. With the library installed
//! `scripts/jpeg-reference.sh` compares as many as asked for.
#![cfg(all(feature = "jpeg", not(target_arch = "wasm32")))]
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they run and read")]

use crate::jpeg_made;

use std::{
    collections::BTreeMap,
    env,
    fmt::Write as _,
    fs,
    io::{Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use forebay::{
    Limits,
    image::decode::{Decoder, Options},
};
use jpeg_made::{Random, picture};

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/jpeg_structures.txt");

/// Structures in the fixture.
const KEPT: u64 = 400;

/// FNV-1a.
fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, b| (sum ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3))
}

/// Size and checksum of our pixels, or the error's code.
fn ours(decoder: &mut Decoder, bytes: &[u8], damaged: bool) -> Result<(u32, u32, u64), String> {
    let limits = Limits::default().with_pixels(1 << 20);
    let options = Options::default().with_limits(limits).with_damaged(damaged);
    match decoder.decode(bytes, None, &options) {
        Ok(p) => Ok((p.width, p.height, sum(p.pixels))),
        Err(e) => Err(format!("{}: {}", e.code().id(), e.message())),
    }
}

#[test]
fn every_structure_has_the_pixels_of_libjpeg_turbo() {
    let mut decoder = Decoder::default();
    let fixture = fs::read_to_string(FIXTURE).unwrap();
    let mut seen = 0;
    for line in fixture.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(' ').collect();
        let [number, bytes, width, height, pixels] = fields[..] else { panic!("{line}") };
        let made = picture(number.parse().unwrap());
        let hex = |text: &str| u64::from_str_radix(text, 16).unwrap();
        assert_eq!(sum(&made), hex(bytes), "structure {number} is made as it was when the fixture was");
        let truth = (width.parse().unwrap(), height.parse().unwrap(), hex(pixels));
        assert_eq!(ours(&mut decoder, &made, false), Ok(truth), "structure {number}");
        assert_eq!(ours(&mut decoder, &made, true), Ok(truth), "structure {number}, damaged ones welcome");
        seen += 1;
    }
    assert_eq!(seen, KEPT);
}

/// The C library, as a program that is asked for one picture after the other.
struct Reference {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
}

/// What it says.
#[derive(Debug)]
struct Truth {
    /// Size and checksum of the pixels.
    pixels: Option<(u32, u32, u64)>,
    /// How often it warned of damage.
    damage: u32,
}

impl Reference {
    fn new(program: &str) -> Self {
        let mut child =
            Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the reference starts");
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Reference { child, to, from }
    }

    fn ask(&mut self, bytes: &[u8]) -> Truth {
        self.to.write_all(&(bytes.len() as u32).to_le_bytes()).unwrap();
        self.to.write_all(bytes).unwrap();
        self.to.flush().unwrap();
        let mut answer = [0; 32];
        self.from.read_exact(&mut answer).unwrap();
        let number = |i: usize| u32::from_le_bytes(answer[4 * i..4 * i + 4].try_into().unwrap());
        let sum = u64::from(number(6)) | u64::from(number(7)) << 32;
        Truth { pixels: (number(0) == 1).then_some((number(4), number(5), sum)), damage: number(1) }
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        drop(self.child.kill());
    }
}

fn setting(name: &str, usual: u64) -> u64 {
    env::var(name).ok().map_or(usual, |value| value.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

#[test]
#[ignore = "needs the C library: scripts/jpeg-reference.sh"]
fn the_fixture_is_what_the_library_says() {
    let mut reference = Reference::new(&env::var("FOREBAY_JPEG_REFERENCE").expect("the reference program"));
    let mut text = String::from(
        "# What libjpeg-turbo makes of the structures of tests/jpeg_made: number, the file's FNV-1a, width, height, the pixels'.\n\
         # Made by scripts/jpeg-reference.sh fixture\n",
    );
    for number in 0..KEPT {
        let made = picture(number);
        let truth = reference.ask(&made);
        assert_eq!(truth.damage, 0, "structure {number}: {truth:?}");
        let (width, height, pixels) = truth.pixels.unwrap_or_else(|| panic!("structure {number}: {truth:?}"));
        writeln!(text, "{number} {:016x} {width} {height} {pixels:016x}", sum(&made)).unwrap();
    }
    if env::var("FOREBAY_JPEG_WRITE").is_ok() {
        fs::write(FIXTURE, text).unwrap();
    } else {
        assert_eq!(fs::read_to_string(FIXTURE).unwrap(), text);
    }
}

#[test]
#[ignore = "needs the C library: scripts/jpeg-reference.sh"]
fn more_structures_have_the_pixels_of_libjpeg_turbo() {
    let mut reference = Reference::new(&env::var("FOREBAY_JPEG_REFERENCE").expect("the reference program"));
    let mut decoder = Decoder::default();
    let (first, count) = (setting("FOREBAY_JPEG_FIRST", KEPT), setting("FOREBAY_JPEG_COUNT", 2000));
    let mut wrong = Vec::new();
    for number in first..first + count {
        let made = picture(number);
        let truth = reference.ask(&made);
        let found = ours(&mut decoder, &made, false);
        if truth.damage > 0 || truth.pixels.is_none() {
            wrong.push(format!("{number}: the library says {truth:?}; is it made by the standard?"));
        } else if found != truth.pixels.ok_or_else(String::new) {
            wrong.push(format!("{number}: {found:?}, not {:?}", truth.pixels));
        }
    }
    println!("{count} structures compared, {} not equal", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong[..wrong.len().min(20)].join("\n"));
}

/// One to three changes: bits turned, bytes set, taken out, put in, twice there, or the end cut off.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(3) {
        let at = 2 + random.below(bytes.len() - 2);
        let length = (1 + random.below(6)).min(bytes.len() - at);
        match random.below(8) {
            0..=2 => bytes[at] ^= 1 << random.below(8),
            3 => bytes[at] = random.pick(&[0, 0xff, 0x01, 0xd0, 0xd9, 0x11, 0x80]),
            4 => drop(bytes.drain(at..at + length)),
            5 => drop(bytes.splice(at..at, (0..length).map(|_| random.next() as u8))),
            6 => {
                let again = bytes[at..at + length].to_vec();
                drop(bytes.splice(at..at, again));
            }
            _ if random.once_in(4) => bytes.truncate(at.max(3)),
            _ => bytes[at] = random.next() as u8,
        }
        if bytes.len() < 4 {
            return;
        }
    }
}

#[test]
#[ignore = "needs the C library: scripts/jpeg-reference.sh"]
fn damaged_structures_are_refused_where_libjpeg_turbo_warns_and_otherwise_have_its_pixels() {
    let mut reference = Reference::new(&env::var("FOREBAY_JPEG_REFERENCE").expect("the reference program"));
    let mut decoder = Decoder::default();
    let (first, count) = (setting("FOREBAY_JPEG_FIRST", 0), setting("FOREBAY_JPEG_COUNT", 2000));
    let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
    let mut wrong = Vec::new();
    for number in first..first + count {
        let mut random = Random::new(!number);
        let mut bytes = picture(number);
        damage(&mut bytes, &mut random);
        let truth = reference.ask(&bytes);
        let found = ours(&mut decoder, &bytes, false);
        let lenient = ours(&mut decoder, &bytes, true);
        let told = match (&truth.pixels, truth.damage) {
            (None, _) => "refused by libjpeg-turbo",
            (Some(_), 0) => "read by libjpeg-turbo",
            (Some(_), _) => "warned of by libjpeg-turbo",
        };
        let outcome = match &found {
            Ok(found) if Some(*found) == truth.pixels && truth.damage == 0 => "equal".into(),
            // Where the library says nothing, why.
            Err(e) if told.starts_with("read") => e.clone(),
            Err(e) => e.split(':').next().unwrap_or_default().to_owned(),
            Ok(_) => {
                wrong.push(format!("{number}: {found:?}, {truth:?}"));
                "WRONG".into()
            }
        };
        *outcomes.entry(format!("{told}: {outcome}")).or_default() += 1;
        if let Some(truth) = truth.pixels {
            let same = if lenient == Ok(truth) {
                "the same pixels"
            } else if lenient.is_ok() {
                "others"
            } else {
                "none"
            };
            *outcomes.entry(format!("{told}, damaged ones welcome: {same}")).or_default() += 1;
        }
    }
    for (outcome, count) in &outcomes {
        println!("{count:8} {outcome}");
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(30)].join("\n"));
}
