//! Signals: what ends the command takes half-written outputs along, and the exit code says which one it was.

#[cfg(unix)]
pub(super) use unix::{instead, make_writes_fail, watch};

#[cfg(unix)]
mod unix {
    use std::{
        ffi::c_int,
        io::IsTerminal,
        sync::{Arc, Mutex, PoisonError, atomic::AtomicBool, mpsc},
        thread,
    };

    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ},
        iterator::Signals,
    };

    use forebay_native::output::remove_half_written;

    /// What ends a process that does nothing about it, and is sent to end it.
    const ENDING: [c_int; 5] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU];

    type Stop = Box<dyn FnOnce() + Send>;
    static INSTEAD: Mutex<Option<Stop>> = Mutex::new(None);

    /// From now on a signal removes what is half written and ends the process with 128 and its number. Those that the
    /// caller had the command ignore, as `nohup` does and `&` in a script, stay ignored, and each is looked at by
    /// itself.
    pub fn watch() {
        let (give, take) = mpsc::channel::<Signals>();
        let listen = move || {
            if let Ok(mut signals) = take.recv() {
                signals.forever().for_each(end);
            }
        };
        // Without a thread to hear them, signals end the process at once, and the next run clears away.
        if thread::Builder::new().name("forebay-signals".into()).spawn(listen).is_err() {
            return;
        }
        let ignored = Ignored::now();
        let heard: Vec<c_int> = ENDING.into_iter().filter(|signal| !ignored.has(*signal)).collect();
        if let Ok(signals) = Signals::new(heard) {
            // The thread waits for them.
            let _ = give.send(signals);
        }
    }

    fn end(signal: c_int) {
        let stop = INSTEAD.lock().unwrap_or_else(PoisonError::into_inner).take();
        match stop {
            Some(stop) => stop(),
            None => {
                remove_half_written();
                std::process::exit(128 + signal);
            }
        }
    }

    /// What the first signal does instead of ending the process.
    pub fn instead(stop: impl FnOnce() + Send + 'static) {
        *INSTEAD.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(stop));
    }

    /// A file over the limit of the process is an error of the write, which names the file, and not a signal.
    pub fn make_writes_fail() {
        if !Ignored::now().has(SIGXFSZ) {
            // If it cannot be had, the limit ends the process as it always did.
            let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
        }
    }

    /// The signals that were ignored when the process began.
    #[derive(Clone, Copy)]
    enum Ignored {
        /// By bits, the first signal lowest.
        Known(u64),
        /// The system does not say. A process that no terminal belongs to may be one that is to outlive it.
        Unknown { terminal: bool },
    }

    impl Ignored {
        fn now() -> Ignored {
            let status = std::fs::read_to_string("/proc/self/status").ok();
            let line = status.as_ref().and_then(|text| text.lines().find_map(|line| line.strip_prefix("SigIgn:")));
            match line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()) {
                Some(bits) => Ignored::Known(bits),
                None => Ignored::Unknown { terminal: std::io::stderr().is_terminal() },
            }
        }
        fn has(self, signal: c_int) -> bool {
            match self {
                Ignored::Known(bits) => bits & (1 << (signal - 1)) != 0,
                Ignored::Unknown { terminal } => !terminal && matches!(signal, SIGINT | SIGQUIT | SIGHUP),
            }
        }
    }
}

#[cfg(not(unix))]
pub(super) use other::{instead, make_writes_fail, watch};

#[cfg(not(unix))]
mod other {
    use std::sync::{Mutex, PoisonError};

    type Stop = Box<dyn FnOnce() + Send>;
    static INSTEAD: Mutex<Option<Stop>> = Mutex::new(None);

    pub fn watch() {
        // Without it, Ctrl-C ends the process at once.
        let _ = ctrlc::set_handler(|| match INSTEAD.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(stop) => stop(),
            None => {
                forebay_native::output::remove_half_written();
                std::process::exit(130);
            }
        });
    }

    pub fn instead(stop: impl FnOnce() + Send + 'static) {
        *INSTEAD.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(stop));
    }

    pub fn make_writes_fail() {}
}
