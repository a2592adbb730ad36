//! Processes that read an address through a cache and are killed at chance moments: what is kept stays true.
//!
//! `FOREBAY_KILLS` says how often; otherwise few enough for every day.

use std::{
    fs,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use crate::{
    common::{FOREBAY, Folder, bmp, forebay, tar},
    dice::Dice,
    server::Server,
};

/// Bytes of the cache, less than all that is read: blocks are removed while others are written.
const TIGHT: &str = "3MB";

fn command(server: &Server, arguments: &[&str]) -> Command {
    let mut command = Command::new(FOREBAY);
    command.args(arguments).env("AWS_ENDPOINT_URL", server.url()).env("AWS_REGION", "us-east-1");
    command.env("AWS_ACCESS_KEY_ID", "KEY").env("AWS_SECRET_ACCESS_KEY", "SECRET").env("AWS_CONFIG_FILE", "none");
    command.env("AWS_SHARED_CREDENTIALS_FILE", "none").stdout(Stdio::null()).stderr(Stdio::null());
    command
}

#[test]
fn killed_at_any_moment_readers_leave_a_cache_that_tells_the_truth() {
    let kills: u32 = std::env::var("FOREBAY_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(24);
    let (server, folder) = (Server::start(), Folder::new());
    let at = |name: &str| folder.at(name).display().to_string();
    let pictures: Vec<_> = (0..60).map(|i| (format!("{i:05}.bmp"), bmp(200, i))).collect();
    fs::write(folder.at("a.tar"), tar(&pictures)).unwrap();
    assert!(forebay(["convert", &at("a.tar"), &at("a.tbl"), "-q"]).status.success());
    server.put("bucket/a.tbl", fs::read(folder.at("a.tbl")).unwrap());
    server.latency(Duration::from_millis(4));
    let (kept, file) = (at("kept"), at("a.tbl"));
    let read = |size: &str| {
        let arguments = ["diff", &file, "s3://bucket/a.tbl", "--payloads", "--cache", &kept, "--cache-bytes", size];
        command(&server, &arguments)
    };
    // What a read takes of which nothing is kept.
    let begun = Instant::now();
    assert!(read("1GB").status().unwrap().success());
    let (whole, requests) = (begun.elapsed(), server.asked().len());
    let (mut dice, mut died) = (Dice(7), 0);
    for turn in 0..kills {
        // Every so often all is gone, or there is no room for all; and two read at once.
        let nothing_kept = turn % 4 == 0;
        if nothing_kept {
            drop(fs::remove_dir_all(folder.at("kept")));
        }
        let size = if turn % 3 == 0 { TIGHT } else { "1GB" };
        let mut both: [Child; 2] = [(); 2].map(|()| read(size).spawn().unwrap());
        if nothing_kept {
            // Between two requests of it, however quick the machine is at that moment.
            let (until, mut asked) = (dice.below(requests as u64) as usize, server.asked().len());
            while asked < until {
                sleep(Duration::from_micros(200));
                asked += server.asked().len();
            }
        } else {
            sleep(whole.mul_f64(dice.below(1000) as f64 / 1000.0));
        }
        for child in &mut both {
            child.kill().unwrap();
            // One that was done already has found everything right.
            let ended = child.wait().unwrap();
            died += u32::from(ended.code().is_none());
            assert!(ended.code().is_none_or(|code| code == 0), "turn {turn}: {ended}");
        }
        if turn % 8 == 7 || turn + 1 == kills {
            assert!(read(size).status().unwrap().success(), "turn {turn}: other bytes");
            assert!(command(&server, &["cache", "list", &kept]).status().unwrap().success(), "turn {turn}");
        }
    }
    // Of those that found something kept, a quick machine has most done before.
    assert!(died >= kills / 8, "{died} of {} were still reading", kills * 2);
    // With room for all, the second read asks for the first bytes alone, which are also what tells whether it is the same.
    assert!(read("1GB").status().unwrap().success());
    server.asked();
    assert!(read("1GB").status().unwrap().success());
    assert_eq!(server.asked().len(), 1);
    assert!(command(&server, &["cache", "clear", &kept]).status().unwrap().success());
    let left: Vec<_> = walkdir::WalkDir::new(&kept).into_iter().flatten().filter(|e| e.file_type().is_file()).collect();
    assert!(left.is_empty(), "{left:?}");
}
