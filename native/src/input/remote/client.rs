//! The HTTP client that all stores share. It watches what is answered, so that an error can say more than the store's own
//! code keeps of it: who was asked, with which status, in which words.

use std::{
    error::Error as StdError,
    future::Future,
    io,
    net::IpAddr,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use forebay::{Error, Result};
use http_body_util::BodyExt;
use object_store::{
    ClientOptions, HeaderValue,
    azure::{AzureAuthorizer, AzureCredential},
    client::{
        HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
    },
};

use super::{codes, traffic};

/// How long making a connection may take.
const CONNECT: Duration = Duration::from_secs(10);

/// The slowest line, in bytes a second, on which a part still arrives: a server says nothing before it has all of it.
const SLOWEST: f64 = 128.0 * 1024.0;

/// How long a machine of the cloud waits for its own credentials; elsewhere nobody answers there.
const METADATA: Duration = Duration::from_secs(2);

/// The most bytes of an error's words that are read.
const WORDS: usize = 64 << 10;

/// Redirects that are followed, of servers of files.
const REDIRECTS: usize = 5;

/// What was answered last, or why nothing was.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub host: String,
    /// The request was for credentials, not for the object.
    pub for_credentials: bool,
    pub status: Option<u16>,
    /// The store's own word for what is wrong, such as `SlowDown`, and its sentence.
    pub code: String,
    pub message: String,
    /// Where the bucket is, if the store says so.
    pub region: Option<String>,
    /// The server packs the bytes on their way, so that it has no ranges of them.
    pub packed: bool,
    pub broken: Option<Broken>,
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub(super) struct Broken {
    pub kind: Kind,
    pub words: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Connect,
    Tls,
    Timeout,
    /// The server leads to where nobody follows it.
    Led,
    Other,
}

pub(super) type Watch = Arc<Mutex<Seen>>;

tokio::task_local! {
    static SEEN: Watch;
    static ADDED: Added;
}

/// Headers that a request gets beside those that the store's own code gives it: conditions, of which that code knows
/// only some.
#[derive(Clone, Default)]
pub(super) struct Added {
    pub headers: Vec<(&'static str, String)>,
    /// Of a store whose signature covers such headers: what to sign with again, and the account.
    pub sign: Option<(Arc<AzureCredential>, String)>,
}

/// Does work of a store with these headers in its requests.
pub(super) async fn adding<T>(added: Added, work: impl Future<Output = T>) -> T {
    ADDED.scope(added, work).await
}

impl Added {
    fn add_to(&self, request: &mut HttpRequest) -> Result<(), HttpError> {
        let refused = |e: Box<dyn StdError + Send + Sync>| HttpError::new(HttpErrorKind::Request, Said(e.to_string()));
        for (name, value) in &self.headers {
            let value = HeaderValue::from_str(value).map_err(|e| refused(e.into()))?;
            request.headers_mut().insert(*name, value);
        }
        if let Some((credential, account)) = &self.sign {
            request.headers_mut().remove("authorization");
            let signed = AzureAuthorizer::new(credential, account).try_authorize(request);
            signed.map_err(|e| refused(e.into()))?;
        }
        Ok(())
    }
}

/// An error in words.
#[derive(Debug)]
struct Said(String);

impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl StdError for Said {}

/// Does work of a store, and says what was answered on the way.
pub(super) async fn watched<T>(work: impl Future<Output = T>) -> (T, Seen) {
    let seen = Watch::default();
    let done = SEEN.scope(seen.clone(), work).await;
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
    (done, seen)
}

fn note(change: impl FnOnce(&mut Seen)) {
    let _ = SEEN.try_with(|seen| change(&mut seen.lock().unwrap_or_else(PoisonError::into_inner)));
}

/// Gives every store the one client.
#[derive(Clone, Debug)]
pub(super) struct Connector {
    client: reqwest::Client,
    /// Where redirects are followed: the client for those of public servers.
    public: Option<reqwest::Client>,
    /// How long a server may say nothing.
    patience: Duration,
    token: Option<Token>,
}

/// What says who asks, and the one server that hears it.
#[derive(Clone)]
struct Token {
    endpoint: reqwest::Url,
    header: HeaderValue,
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Token").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl Connector {
    /// With a token for one server, which is told to no other.
    pub fn with_token(mut self, endpoint: &str, token: &str) -> Connector {
        let header = HeaderValue::from_str(&format!("Bearer {token}")).ok();
        self.token = endpoint.parse().ok().zip(header).map(|(endpoint, header)| Token { endpoint, header });
        self
    }

    /// Says who asks, where that is to be heard.
    fn sign(&self, asked: &mut reqwest::Request) {
        let Some(Token { endpoint, header }) = &self.token else { return };
        match asked.url().origin() == endpoint.origin() {
            true => _ = asked.headers_mut().insert("authorization", header.clone()),
            false => _ = asked.headers_mut().remove("authorization"),
        }
    }

    /// A store is never followed to where it leads: what was signed is for it alone, and session tokens would go along.
    pub fn new(patience: Duration, follows: bool) -> Result<Connector> {
        // Whatever TLS another part of the program has chosen already is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = || {
            reqwest::Client::builder()
                .user_agent(concat!("forebay/", env!("CARGO_PKG_VERSION")))
                .connect_timeout(CONNECT)
                .redirect(reqwest::redirect::Policy::none())
                // Many small requests wait for each other where small packets do.
                .tcp_nodelay(true)
        };
        let made = |builder: reqwest::ClientBuilder| {
            let words = |e| format!("no client for HTTP can be made: {}", innermost(&e));
            builder.build().map_err(|e| Error::new(&codes::TLS, words(e)))
        };
        let public = follows.then(|| made(builder().dns_resolver(Public))).transpose()?;
        Ok(Connector { client: made(builder())?, public, patience, token: None })
    }
}

/// Finds the addresses of a host to which a public server redirects. It refuses hosts that the public cannot reach, so that
/// no server makes this machine ask its own network.
#[derive(Debug)]
struct Public;

impl reqwest::dns::Resolve for Public {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        Box::pin(async move {
            let found: Vec<_> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            match found.iter().any(|address| nearness(address.ip()) > 0) {
                true => Err(Said(NEARER.into()).into()),
                false => Ok(Box::new(found.into_iter()) as reqwest::dns::Addrs),
            }
        })
    }
}

const NEARER: &str = "the server redirects to a private or link-local host, and only servers as near may do that";

/// How near an address is: 0 if everybody can reach it, 1 in a private network, 2 on this machine, 3 if it is link-local,
/// where clouds give machines their credentials.
fn nearness(ip: IpAddr) -> u8 {
    match ip.to_canonical() {
        IpAddr::V4(ip) if ip.is_link_local() => 3,
        IpAddr::V6(ip) if ip.is_unicast_link_local() => 3,
        ip if ip.is_loopback() || ip.is_unspecified() => 2,
        IpAddr::V4(ip) if ip.is_private() || (ip.octets()[0], ip.octets()[1] >> 6) == (100, 1) => 1,
        IpAddr::V6(ip) if ip.is_unique_local() => 1,
        _ => 0,
    }
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

impl HttpService for Connector {
    fn call<'life0, 'async_trait>(
        &'life0 self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(self.ask(request))
    }
}

impl Connector {
    /// Sends a request, and follows the redirects of servers of files.
    async fn send(&self, mut asked: reqwest::Request) -> Result<reqwest::Response, HttpError> {
        let mut client = &self.client;
        for _ in 0..=REDIRECTS {
            self.sign(&mut asked);
            let (again, from) = (asked.try_clone(), asked.url().clone());
            let response = client.execute(asked).await.map_err(broken)?;
            let (Some(public), Some(mut again)) = (self.public.as_ref(), again) else { return Ok(response) };
            let location = response.headers().get("location").filter(|_| response.status().is_redirection());
            let Some(to) = location.and_then(|to| from.join(to.to_str().ok()?).ok()) else { return Ok(response) };
            if from.scheme() == "https" && to.scheme() != "https" {
                return Err(led("the server leads away from https to a connection that is not encrypted"));
            }
            let near = response.remote_addr().map_or(0, |address| nearness(address.ip()));
            match to.host_str().unwrap_or_default().trim_matches(['[', ']']).parse() {
                Ok(ip) if nearness(ip) > near => return Err(led(NEARER)),
                Err(_) if near == 0 => client = public,
                _ => {}
            }
            *again.url_mut() = to;
            asked = again;
        }
        Err(led("the server redirects in circles"))
    }

    async fn ask(&self, mut request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (host, path) = (request.uri().host().unwrap_or_default().to_owned(), request.uri().path().to_owned());
        let for_credentials = gives_credentials(&host, &path);
        if !for_credentials {
            ADDED.try_with(|added| added.add_to(&mut request)).unwrap_or(Ok(()))?;
        }
        let (parts, body) = request.into_parts();
        note(|seen| *seen = Seen { host, for_credentials, ..Seen::default() });
        let url = parts.uri.to_string().parse().map_err(|e| HttpError::new(HttpErrorKind::Unknown, e))?;
        let mut asked = reqwest::Request::new(parts.method, url);
        *asked.headers_mut() = parts.headers;
        let sent = body.content_length();
        if sent > 0 {
            *asked.body_mut() = Some(body.collect().await?.to_bytes().into());
        }
        let writes = asked.method() == reqwest::Method::PUT;
        let begun = Instant::now();
        traffic::request();
        let limit = if for_credentials { METADATA.min(self.patience) } else { self.patience };
        let limit = limit + Duration::from_secs_f64(sent as f64 / SLOWEST);
        let response = match tokio::time::timeout(limit, self.send(asked)).await {
            Ok(response) => response?,
            Err(late) => {
                let words = format!("no answer in {} s", limit.as_secs_f32());
                note(|seen| seen.broken = Some(Broken { kind: Kind::Timeout, words }));
                return Err(HttpError::new(HttpErrorKind::Timeout, late));
            }
        };
        traffic::answer(begun.elapsed());
        if writes {
            traffic::sent(sent as u64);
        }
        let status = response.status();
        let region = response.headers().get("x-amz-bucket-region").and_then(|v| v.to_str().ok()).map(str::to_owned);
        let has = |name: &str| response.headers().get(name).is_some_and(|value| value != "identity");
        let packed = has("content-encoding") || has("x-goog-stored-content-encoding");
        note(|seen| (seen.status, seen.region, seen.packed) = (Some(status.as_u16()), region, packed));
        let mut headers = response.headers().clone();
        // Of an answer in chunks, how long it is stands in its range.
        if let (Some(range), None) = (headers.get("content-range"), headers.get("content-length"))
            && let Some(length) = length_of(range)
        {
            headers.insert("content-length", length.into());
        }
        let body = if status.is_success() {
            HttpResponseBody::new(reqwest::Body::from(response).map_err(broken))
        } else {
            let words = tokio::time::timeout(limit, words(response)).await.unwrap_or_default();
            note(|seen| seen.said(&words));
            words.into()
        };
        let mut answer = HttpResponse::new(body);
        *answer.status_mut() = status;
        *answer.headers_mut() = headers;
        Ok(answer)
    }
}

/// The bytes of a range as an answer names it: `bytes 0-99/1000`.
fn length_of(range: &HeaderValue) -> Option<u64> {
    let (first, last) = range.to_str().ok()?.strip_prefix("bytes ")?.split('/').next()?.split_once('-')?;
    last.parse::<u64>().ok()?.checked_sub(first.parse().ok()?)?.checked_add(1)
}

/// The body of an error, as far as it is read.
async fn words(mut response: reqwest::Response) -> Vec<u8> {
    let mut words = Vec::new();
    while let Ok(Some(more)) = response.chunk().await {
        let room = WORDS - words.len();
        words.extend_from_slice(&more[..more.len().min(room)]);
        if more.len() >= room {
            break;
        }
    }
    words
}

/// Whether this is asked for a key to sign with.
fn gives_credentials(host: &str, path: &str) -> bool {
    let hosts = [
        "169.254.169.254",
        "169.254.170.2",
        "169.254.170.23",
        "[fd00:ec2::254]",
        "metadata",
        "metadata.google.internal",
        "oauth2.googleapis.com",
        "iamcredentials.googleapis.com",
        "login.microsoftonline.com",
    ];
    let paths = ["/latest/api/token", "/latest/meta-data/iam", "/computeMetadata/"];
    hosts.contains(&host) || host.starts_with("sts.") || paths.iter().any(|start| path.starts_with(start))
}

impl Seen {
    /// Takes in the words of an error: XML of S3, Azure and Google, or JSON of Google.
    fn said(&mut self, words: &[u8]) {
        let text = String::from_utf8_lossy(words);
        let between = |open: &str, close: &str| {
            let (_, rest) = text.split_once(open)?;
            Some(plain(rest.split_once(close)?.0))
        };
        self.code = between("<Code>", "</Code>").unwrap_or_default();
        self.message = between("<Message>", "</Message>").unwrap_or_default();
        if self.region.is_none() {
            self.region = between("<Region>", "</Region>");
        }
        if self.code.is_empty()
            && let Ok(said) = serde_json::from_slice::<serde_json::Value>(words)
        {
            self.message = plain(said["error"]["message"].as_str().unwrap_or_default());
        }
    }
}

/// A server's words as far as people can be shown them: in one line, and not endless.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect::<String>().trim().to_owned()
}

/// Why there is no answer, or not the rest of one. Addresses are taken out: they may carry signatures.
fn broken(e: reqwest::Error) -> HttpError {
    let e = e.without_url();
    let is = |kind: io::ErrorKind| chain(&e).any(|e| e.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == kind));
    let tls = chain(&e).any(|e| e.is::<rustls::Error>() || tls_inside(e));
    let kind = match () {
        () if chain(&e).any(|e| e.is::<Said>()) => Kind::Led,
        () if tls => Kind::Tls,
        () if e.is_timeout() || is(io::ErrorKind::TimedOut) => Kind::Timeout,
        () if e.is_connect() => Kind::Connect,
        () => Kind::Other,
    };
    note(|seen| seen.broken = Some(Broken { kind, words: innermost(&e) }));
    HttpError::new(HttpErrorKind::Unknown, e)
}

/// A redirect that is not followed.
fn led(words: &str) -> HttpError {
    note(|seen| seen.broken = Some(Broken { kind: Kind::Led, words: words.into() }));
    HttpError::new(HttpErrorKind::Unknown, Said(words.into()))
}

/// An error of TLS travels inside one of the system.
fn tls_inside(e: &(dyn StdError + 'static)) -> bool {
    // One error of I/O may be within another, of which neither is the other's source.
    let mut inner = e.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    while let Some(e) = inner {
        if e.is::<rustls::Error>() {
            return true;
        }
        inner = e.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    }
    false
}

/// An error and what caused it.
fn chain<'a>(e: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    let mut next = Some(e);
    std::iter::from_fn(move || {
        let e = next?;
        next = e.source();
        Some(e)
    })
}

/// The words of what caused it all.
fn innermost(e: &(dyn StdError + 'static)) -> String {
    plain(&chain(e).last().map(ToString::to_string).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_servers_lead_to_public_hosts_alone() {
        for (address, expected) in [
            ("93.184.216.34", 0),
            ("2606:4700::1111", 0),
            ("100.128.0.1", 0),
            ("10.1.2.3", 1),
            ("192.168.0.1", 1),
            ("100.100.100.200", 1),
            ("fd00:ec2::254", 1),
            ("127.0.0.1", 2),
            ("::1", 2),
            ("0.0.0.0", 2),
            ("169.254.169.254", 3),
            ("::ffff:169.254.169.254", 3),
            ("fe80::1", 3),
        ] {
            assert_eq!(nearness(address.parse().unwrap()), expected, "{address}");
        }
        let connector = Connector::new(Duration::from_secs(5), true).unwrap();
        let asked = connector.public.unwrap().get("http://localhost:9/").send();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let e = runtime.block_on(asked).unwrap_err();
        assert!(chain(&e).any(|e| e.is::<Said>()), "{e:?}");
    }

    #[test]
    fn the_words_of_stores_are_found() {
        let mut seen = Seen::default();
        seen.said(b"<?xml version=\"1.0\"?><Error><Code>SlowDown</Code><Message>Please\nreduce</Message></Error>");
        assert_eq!((seen.code.as_str(), seen.message.as_str()), ("SlowDown", "Please reduce"));
        seen.said(br#"{"error": {"code": 403, "message": "no"}}"#);
        assert_eq!((seen.code.as_str(), seen.message.as_str()), ("", "no"));
        for odd in [&b""[..], b"<Code>", b"</Code><Code>", b"\xff\xfe", b"[1]", b"{}"] {
            seen.said(odd);
        }
    }
}
