//! A library put before the C library, which lets calls fail or kill the process at a chosen one.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
    sync::OnceLock,
};

const SOURCE: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static long wanted(const char *name) {
    const char *text = getenv(name);
    return text ? atol(text) : -1;
}

/* SHIM_THREADS=n: n threads can be made, and no more. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg) {
    static long made;
    long most = wanted("SHIM_THREADS");
    if (most >= 0 && __sync_fetch_and_add(&made, 1) >= most) return EAGAIN;
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    return real(thread, attr, run, arg);
}

/* SHIM_FSYNC=errno, SHIM_FSYNC_FOLDER=errno: files, or folders, cannot be synced. */
static int sync_as(int fd, const char *name) {
    struct stat found;
    int (*real)(int) = dlsym(RTLD_NEXT, name);
    long code = fstat(fd, &found) == 0 && S_ISDIR(found.st_mode) ? wanted("SHIM_FSYNC_FOLDER") : wanted("SHIM_FSYNC");
    if (code < 0) return real(fd);
    errno = (int)code;
    return -1;
}
int fsync(int fd) { return sync_as(fd, "fsync"); }
int fdatasync(int fd) { return sync_as(fd, "fdatasync"); }

/* SHIM_UNLINK=n: the process is killed instead of removing its file number n. */
int unlink(const char *path) {
    static long seen;
    if (++seen == wanted("SHIM_UNLINK")) kill(getpid(), SIGKILL);
    int (*real)(const char *) = dlsym(RTLD_NEXT, "unlink");
    return real(path);
}
"#;

/// Where the library is; `None` if there is no compiler for it, as the test then says.
pub fn library() -> Option<&'static PathBuf> {
    static LIBRARY: OnceLock<Option<(tempfile::TempDir, PathBuf)>> = OnceLock::new();
    let made = LIBRARY.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let (source, library) = (folder.path().join("shim.c"), folder.path().join("shim.so"));
        fs::write(&source, SOURCE).unwrap();
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).args([&library, &source]).arg("-ldl").stderr(Stdio::inherit());
        match compiler.status() {
            Ok(status) if status.success() && cfg!(target_os = "linux") => Some((folder, library)),
            _ => {
                eprintln!("skipped: cc makes no library here");
                None
            }
        }
    });
    made.as_ref().map(|(_, library)| library)
}

/// Puts it before a command, with what it is to do. False if there is none.
pub fn before(command: &mut Command, what: &[(&str, String)]) -> bool {
    let Some(library) = library() else { return false };
    command.env("LD_PRELOAD", library).envs(what.iter().map(|(name, value)| (name, value)));
    true
}
