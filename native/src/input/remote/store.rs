//! Which client speaks to which bucket. One is made for each, and kept as long as what is set stays the same: who sets other
//! credentials gets another with the next address.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use forebay::{Error, Result, error::Code};
use object_store::{
    ClientOptions, ObjectStore, RetryConfig,
    aws::AmazonS3Builder,
    azure::{AzureConfigKey, AzureCredential, MicrosoftAzureBuilder},
    client::{CredentialProvider, HttpClient, HttpConnector},
    gcp::GoogleCloudStorageBuilder,
    http::HttpBuilder,
    list::PaginatedListStore,
    multipart::MultipartStore,
    signer::Signer,
};
use tokio::sync::Semaphore;

use super::{
    Settings,
    address::{Address, Scheme},
    client::Connector,
    codes,
    fault::no_credentials,
    hub::{Hub, Said},
    patience::TRIES,
    profile::of_profile,
    sense,
};

/// Requests to one bucket that are on their way at once, at most. At 50 ms each they are 1,280 a second, and with 100 kB
/// each as many bytes as a link of 1 Gb/s carries.
const AT_ONCE: usize = 64;

/// How long a server may say nothing, in seconds, unless the setting says otherwise.
const PATIENCE: f64 = 30.0;

/// A bucket or server, and how it is asked.
pub(super) struct Store {
    pub scheme: Scheme,
    pub place: String,
    pub objects: Arc<dyn ObjectStore>,
    /// Servers of files cannot say what they have.
    pub lists: Option<Arc<dyn PaginatedListStore>>,
    /// They take no uploads in parts either.
    pub parts: Option<Arc<dyn MultipartStore>>,
    /// S3: what signs a request for a list of uploads, and sends it.
    pub lists_uploads: Option<(Arc<dyn Signer>, HttpClient)>,
    /// Azure: what requests are signed with, and the account.
    pub signs: Option<(Arc<dyn CredentialProvider<Credential = AzureCredential>>, String)>,
    pub at_once: Semaphore,
    pub tries: u32,
    pub patience: Duration,
    given_up: Mutex<Option<GivenUp>>,
}

/// Why reading was given up, after all tries.
pub(super) struct GivenUp {
    pub since: Instant,
    code: &'static Code,
    message: String,
}

impl GivenUp {
    pub fn new(e: &Error) -> GivenUp {
        GivenUp { since: Instant::now(), code: e.code(), message: e.message().to_owned() }
    }

    pub fn error(&self) -> Error {
        Error::new(self.code, self.message.clone())
    }
}

impl Store {
    /// Looks at why reading from it was given up, if it was and it has not answered since.
    pub fn given_up<T>(&self, look: impl FnOnce(&mut Option<GivenUp>) -> T) -> T {
        look(&mut self.given_up.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What the clients hold is secret.
impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("scheme", &self.scheme).field("place", &self.place).finish_non_exhaustive()
    }
}

/// Which store, and by which settings: a forked child has none of its parent's connections.
type Key = (u32, Scheme, String, Option<String>, Said);

/// The most stores that are kept: a program that opens addresses without end holds no end of clients.
const KEPT: usize = 64;
static STORES: Mutex<BTreeMap<Key, Arc<Store>>> = Mutex::new(BTreeMap::new());

/// The store of an address.
pub(super) fn store(address: &Address, settings: &Settings) -> Result<Arc<Store>> {
    let said = said(address.scheme, settings)?;
    let key = (std::process::id(), address.scheme, address.place.clone(), address.query.clone(), said);
    let held = || STORES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(store) = held().get(&key) {
        return Ok(store.clone());
    }
    let made = Arc::new(make(address, settings, &key.4)?);
    let mut held = held();
    if held.len() >= KEPT {
        held.pop_first();
    }
    Ok(held.entry(key).or_insert(made).clone())
}

/// All that decides how a store of that kind is asked: the environment, what the caller says, and the files that either names.
fn said(scheme: Scheme, settings: &Settings) -> Result<Said> {
    let mut said = match scheme {
        Scheme::S3 => settings.beginning("AWS_"),
        Scheme::Google => settings.beginning("GOOGLE_"),
        Scheme::Azure => settings.beginning("AZURE_"),
        Scheme::Hub => settings.beginning("HF_"),
        Scheme::Http => Said::new(),
    };
    if scheme == Scheme::S3 {
        for (name, value) in of_profile(settings)? {
            said.entry(name.to_ascii_lowercase()).or_insert(value);
        }
    }
    // What is not a store's own, under names that no store knows.
    for name in ["FOREBAY_REMOTE_TIMEOUT", "FOREBAY_REMOTE_TRIES"].into_iter().chain(CONNECTING) {
        said.extend(settings.get(name).map(|value| (name.to_owned(), value)));
    }
    let written = |path: &String| std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let files: Vec<_> = sense::FILES.into_iter().chain(["SSL_CERT_FILE"]).collect();
    for name in files {
        if let Some(when) = said.get(name).and_then(written) {
            said.insert(format!("{name} was written"), format!("{when:?}"));
        }
    }
    Ok(said)
}

/// What the client itself goes by: proxies, and authorities to trust.
const CONNECTING: [&str; 10] = [
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NO_PROXY",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

/// A number that a setting gives.
fn number<T: std::str::FromStr + PartialOrd + Default>(settings: &Settings, name: &str, usual: T) -> Result<T> {
    let Some(text) = settings.get(name) else { return Ok(usual) };
    text.parse()
        .ok()
        .filter(|n| *n > T::default())
        .ok_or_else(|| Error::new(&codes::SETTING, format!("{name} must be a number above 0, and {text:?} is not")))
}

fn make(address: &Address, settings: &Settings, said: &Said) -> Result<Store> {
    let patience = number(settings, "FOREBAY_REMOTE_TIMEOUT", PATIENCE)?;
    let patience = Duration::try_from_secs_f64(patience).unwrap_or(Duration::from_secs(3600));
    let tries = number(settings, "FOREBAY_REMOTE_TRIES", TRIES)?;
    let connector = Connector::new(patience, matches!(address.scheme, Scheme::Http | Scheme::Hub))?;
    let Made { objects, lists, parts, signs, lists_uploads } = match address.scheme {
        Scheme::S3 => s3(&address.place, settings, said, connector)?,
        Scheme::Google => google(&address.place, said, connector)?,
        Scheme::Azure => azure(&address.place, said, connector)?,
        Scheme::Hub => {
            let (hub, connector) = Hub::new(address, said, connector)?;
            let made = http(address, hub.files(), connector)?;
            Made { lists: Some(Arc::new(hub)), ..made }
        }
        Scheme::Http => {
            let query = address.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
            http(address, format!("{}/{query}", address.place), connector)?
        }
    };
    let (scheme, place, at_once) = (address.scheme, address.place.clone(), Semaphore::new(AT_ONCE));
    let given_up = Mutex::default();
    Ok(Store { scheme, place, objects, lists, parts, lists_uploads, signs, at_once, tries, patience, given_up })
}

/// A client, by what it can do.
struct Made {
    objects: Arc<dyn ObjectStore>,
    lists: Option<Arc<dyn PaginatedListStore>>,
    parts: Option<Arc<dyn MultipartStore>>,
    signs: Option<(Arc<dyn CredentialProvider<Credential = AzureCredential>>, String)>,
    lists_uploads: Option<(Arc<dyn Signer>, HttpClient)>,
}

impl Made {
    fn of<S: ObjectStore + PaginatedListStore + MultipartStore>(store: S) -> Made {
        let store = Arc::new(store);
        Made {
            objects: store.clone(),
            lists: Some(store.clone()),
            parts: Some(store),
            signs: None,
            lists_uploads: None,
        }
    }
}

/// Trying again is done by who knows what came already.
fn once() -> RetryConfig {
    RetryConfig { max_retries: 0, ..RetryConfig::default() }
}

/// What a builder says. Its words may repeat a setting's value, so they are not repeated.
fn refused(scheme: Scheme, e: &object_store::Error) -> Error {
    match e {
        object_store::Error::UnknownConfigurationKey { key, .. } => {
            Error::new(&codes::SETTING, format!("there is no setting {key:?} for such a store"))
        }
        _ => Error::new(&codes::CREDENTIALS, no_credentials(scheme)),
    }
}

fn s3(bucket: &str, settings: &Settings, said: &Said, connector: Connector) -> Result<Made> {
    let has = |name: &str| said.contains_key(name);
    let keyed = has("aws_access_key_id") || has("aws_secret_access_key");
    let elsewhere =
        ["aws_web_identity_token_file", "aws_container_credentials_relative_uri", "aws_container_credentials_full_uri"];
    let anonymous = settings.is_on("AWS_SKIP_SIGNATURE");
    if !keyed && !anonymous && settings.is_on("AWS_EC2_METADATA_DISABLED") && !elsewhere.into_iter().any(has) {
        return Err(Error::new(&codes::CREDENTIALS, no_credentials(Scheme::S3)));
    }
    let mut builder = AmazonS3Builder::new();
    for (name, value) in said {
        // What of AWS's own tools means nothing here is theirs.
        if let Ok(key) = name.parse() {
            sense::check(name, value)?;
            builder = builder.with_config(key, value);
        }
    }
    // One request an object, which every server that speaks S3 knows.
    let builder = builder.with_disable_bulk_delete(true);
    let client = connector.connect(&ClientOptions::default()).map_err(|e| refused(Scheme::S3, &e))?;
    let builder = builder.with_bucket_name(bucket).with_retry(once()).with_http_connector(connector);
    let store = builder.build().map_err(|e| refused(Scheme::S3, &e))?;
    let signer: Arc<dyn Signer> = Arc::new(store.clone());
    Ok(Made { lists_uploads: Some((signer, client)), ..Made::of(store) })
}

fn google(bucket: &str, said: &Said, connector: Connector) -> Result<Made> {
    let mut builder = GoogleCloudStorageBuilder::new();
    for (name, value) in said {
        if let Ok(key) = name.parse() {
            sense::check(name, value)?;
            builder = builder.with_config(key, value);
        }
    }
    let builder = builder.with_bucket_name(bucket).with_retry(once()).with_http_connector(connector);
    builder.build().map(Made::of).map_err(|e| refused(Scheme::Google, &e))
}

fn azure(container: &str, said: &Said, connector: Connector) -> Result<Made> {
    let mut builder = MicrosoftAzureBuilder::new();
    for (name, value) in said {
        if let Ok(key) = name.parse() {
            sense::check(name, value)?;
            builder = builder.with_config(key, value);
        }
    }
    let builder = builder.with_container_name(container).with_retry(once()).with_http_connector(connector);
    let account = builder.get_config_value(&AzureConfigKey::AccountName).unwrap_or_default();
    let store = builder.build().map_err(|e| refused(Scheme::Azure, &e))?;
    let signs = Some((store.credentials().clone(), account));
    Ok(Made { signs, ..Made::of(store) })
}

/// Files below an address.
fn http(address: &Address, url: String, connector: Connector) -> Result<Made> {
    let built = HttpBuilder::new().with_url(url).with_retry(once()).with_http_connector(connector).build();
    match built {
        Ok(store) => Ok(Made { objects: Arc::new(store), lists: None, parts: None, signs: None, lists_uploads: None }),
        Err(_) => Err(Error::new(&codes::ADDRESS, "this cannot be asked for by HTTP").file(address.shown())),
    }
}
