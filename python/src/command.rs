//! The command `forebay`, the same as cargo installs, and its server in this process.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
};

use forebay_cli::{command as cli, serve};
use pyo3::prelude::*;

use crate::errors::Raise;

/// Runs the command with these words, its name first; returns the exit code.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| cli::main(words.into_iter()))
}

/// Gives servers that begin from now on the viewer's page, by the names of its files.
#[pyfunction]
pub(crate) fn give_page(files: BTreeMap<String, Vec<u8>>) {
    serve::give_site(files.into_iter().map(|(name, bytes)| (name, bytes.into())).collect());
}

/// The viewer on a file of this machine, for a frame in another page, until it is closed or the process ends.
#[pyclass(frozen, module = "forebay._forebay")]
#[derive(Debug)]
pub(crate) struct Server {
    server: Arc<serve::Server>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[pymethods]
impl Server {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Server> {
        let mut options = serve::Options::default();
        options.framed = true;
        let server = Arc::new(serve::Server::bind(&path, &options).raise(py)?);
        let runs = server.clone();
        let thread = thread::Builder::new().name("forebay-view".into()).spawn(move || runs.run())?;
        Ok(Server { server, thread: Mutex::new(Some(thread)) })
    }

    /// The address, with its token and the dataset to open.
    #[getter]
    fn url(&self) -> String {
        self.server.url()
    }

    /// Answers nobody any more.
    fn close(&self, py: Python<'_>) {
        py.detach(|| {
            self.server.stop();
            if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
                // It panics for nobody.
                let _ = thread.join();
            }
        });
    }
}
