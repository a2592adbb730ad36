//! A store on loopback, files to write there, and running commands on them.

use std::process::{Command, Output};

use crate::{
    common::{FOREBAY, Folder, bmp, forebay, tar},
    server::Server,
};

/// A store, and a folder beside it with `a.tar` and `a.tbl` (small), and `t.csv`.
pub struct Place {
    pub server: Server,
    pub folder: Folder,
}

/// A tar of pictures that have about as many bytes together. They do not shrink, and no two are the same.
pub fn archive(samples: u32, bytes: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let picture = |i: u32| {
        let mut picture = bmp(8 + i % 5, i);
        picture.extend((0..bytes / samples as usize).map(|_| noise()));
        (format!("{i:05}.bmp"), picture)
    };
    tar(&(0..samples).map(picture).collect::<Vec<_>>())
}

impl Place {
    pub fn new() -> Place {
        let (server, folder) = (Server::start(), Folder::new());
        std::fs::write(folder.at("a.tar"), archive(40, 4000)).unwrap();
        std::fs::write(folder.at("t.csv"), "name,age\nann,31\nbob,44\n").unwrap();
        let place = Place { server, folder };
        place.tbl("a.tar", "a.tbl");
        place
    }
    /// As [`new`](Self::new), with `big.tar` and `big.tbl`, which are several parts.
    pub fn with_big() -> Place {
        let place = Place::new();
        std::fs::write(place.folder.at("big.tar"), archive(600, 36_000_000)).unwrap();
        place.tbl("big.tar", "big.tbl");
        place
    }
    fn tbl(&self, from: &str, to: &str) {
        assert!(forebay(["convert", &self.local(from), &self.local(to), "-q"]).status.success());
    }
    pub fn local(&self, name: &str) -> String {
        self.folder.at(name).display().to_string()
    }
    pub fn file(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.at(name)).unwrap()
    }
    /// Puts a file of this machine into the store.
    pub fn put(&self, file: &str) {
        self.server.put(&format!("bucket/{file}"), self.file(file));
    }
    /// What lies in the store under a name.
    pub fn there(&self, name: &str) -> Option<Vec<u8>> {
        self.server.get(&format!("bucket/{name}"))
    }
    /// The command with credentials for the store.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(FOREBAY);
        command.args(arguments).env("AWS_ENDPOINT_URL", self.server.url()).env("AWS_REGION", "us-east-1");
        command.env("AWS_ACCESS_KEY_ID", "KEY").env("AWS_SECRET_ACCESS_KEY", "hidden-secret");
        command.env("HOME", self.folder.path()).env("TMPDIR", self.folder.path());
        command.env("AWS_EC2_METADATA_DISABLED", "true").env("FOREBAY_REMOTE_TRIES", "4");
        for name in ["AWS_PROFILE", "AWS_SESSION_TOKEN", "HTTP_PROXY", "http_proxy"] {
            command.env_remove(name);
        }
        command
    }
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }
    /// Runs what is to succeed.
    pub fn succeed(&self, arguments: &[&str]) -> Output {
        let done = self.run(arguments);
        assert!(done.status.success(), "{arguments:?}: {done:?}");
        done
    }
}

/// The methods of what was asked, one after the other.
pub fn methods(asked: &[crate::server::Asked]) -> String {
    asked.iter().map(|one| one.method.as_str()).collect::<Vec<_>>().join(" ")
}
