//! What went wrong, in one sentence that says what to do; and whether trying again may help.

use forebay::{Error, error::Code};

use super::{
    address::Scheme,
    client::{Kind, Seen},
    codes,
};

/// Why a request came to nothing.
#[derive(Debug)]
pub(super) struct Failure {
    pub error: Error,
    /// Trying again may help.
    pub again: bool,
}

impl Failure {
    pub fn last(code: &'static Code, message: impl Into<String>) -> Failure {
        Failure { error: Error::new(code, message), again: false }
    }
    pub fn passing(code: &'static Code, message: impl Into<String>) -> Failure {
        Failure { error: Error::new(code, message), again: true }
    }
}

/// What a failed request means. What the store's own code says of it is left out: it has whole addresses in it.
pub(super) fn failure(e: &object_store::Error, seen: &Seen, scheme: Scheme, place: &str) -> Failure {
    let said = match (seen.code.as_str(), seen.message.as_str()) {
        ("", "") => String::new(),
        ("", message) => format!(": {message}"),
        (code, "") => format!(": {code}"),
        (code, message) => format!(": {code}, {message}"),
    };
    if seen.for_credentials {
        return Failure::last(&codes::CREDENTIALS, no_credentials(scheme));
    }
    if let Some(broken) = &seen.broken {
        let (host, words) = (&seen.host, &broken.words);
        return match broken.kind {
            Kind::Tls => Failure::last(
                &codes::TLS,
                format!(
                    "the connection to {host} is not safe: {words}; SSL_CERT_FILE names other authorities to trust"
                ),
            ),
            Kind::Timeout => Failure::passing(&codes::TIMEOUT, format!("{host} did not answer: {words}")),
            Kind::Connect => {
                Failure::passing(&codes::CONNECT, format!("no connection to {host}: {words}{}", by_proxy()))
            }
            Kind::Led => Failure::last(&codes::REDIRECT, words),
            Kind::Other => Failure::passing(&codes::BROKEN, format!("the connection to {host} broke: {words}")),
        };
    }
    let Some(status) = seen.status else {
        // Before anything was asked: files of credentials, tokens.
        return Failure::last(&codes::CREDENTIALS, format!("{}; {}", no_credentials(scheme), first_line(e)));
    };
    by_word(seen, scheme, place).unwrap_or_else(|| match (status, e) {
        (200..=299, object_store::Error::NotSupported { .. }) | (200, object_store::Error::Generic { .. }) => Failure::last(
            &codes::RANGES,
            match seen.packed {
                true => "the server packs the file or unpacks it on its way (Content-Encoding), and gives no ranges of it; fetch the \
                         file, and open it here",
                false => "the server gives whole files and no ranges of them; fetch the file, and open it here",
            },
        ),
        (200..=299, _) => {
            Failure::last(&codes::ANSWER, format!("the answer of the server fits neither itself nor the request: {}", first_line(e)))
        }
        (301 | 302 | 307 | 308, _) => elsewhere(seen, scheme, place),
        (401, _) => Failure::last(&codes::CREDENTIALS, format!("the server wants to know who asks{said}; {}", no_credentials(scheme))),
        (403, _) => Failure::last(
            &codes::DENIED,
            format!(
                "the server does not let these credentials read this{said}; a name that is not there is answered so too, \
                 if they may not list"
            ),
        ),
        (404 | 410, _) => Failure::last(&codes::NOT_FOUND, "there is nothing of that name"),
        (412, _) => Failure::last(&crate::input::codes::CHANGED, changed()),
        (407, _) => Failure::last(
            &codes::CONNECT,
            "the proxy wants to know who asks: HTTPS_PROXY and HTTP_PROXY take it, as in http://name:password@host:port",
        ),
        (408, _) => Failure::passing(&codes::TIMEOUT, format!("the server waited too long{said}")),
        (429 | 503, _) => Failure::passing(&codes::BUSY, format!("the store asks to slow down ({status}){said}")),
        (500..=599, _) => Failure::passing(&codes::SERVER, format!("the server failed ({status}){said}")),
        _ => Failure::last(&codes::SERVER, format!("the server refused ({status}){said}")),
    })
}

/// What the store's own word says better than the status.
fn by_word(seen: &Seen, scheme: Scheme, place: &str) -> Option<Failure> {
    Some(match seen.code.as_str() {
        "NoSuchBucket" | "ContainerNotFound" => Failure::last(&codes::BUCKET, format!("there is no bucket {place}")),
        "NoSuchKey" | "BlobNotFound" => {
            Failure::last(&codes::NOT_FOUND, "there is no object of that name; the address of a folder ends in a slash")
        }
        "ExpiredToken" | "TokenRefreshRequired" | "ExpiredTokenException" => {
            Failure::last(&codes::CREDENTIALS, "the credentials have expired; get new ones and set them again")
        }
        "InvalidAccessKeyId" | "InvalidToken" => Failure::last(
            &codes::CREDENTIALS,
            "the store does not know these credentials; look at AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN",
        ),
        "SignatureDoesNotMatch" => Failure::last(
            &codes::CREDENTIALS,
            match scheme {
                Scheme::S3 => "the store finds the signature wrong; look at AWS_SECRET_ACCESS_KEY",
                _ => "the store finds the signature wrong; look at the secret key",
            },
        ),
        "RequestTimeTooSkewed" => Failure::last(
            &codes::CLOCK,
            "the clock of this machine is minutes away from the store's; set it, and try again",
        ),
        "PermanentRedirect"
        | "AuthorizationHeaderMalformed"
        | "IllegalLocationConstraintException"
        | "TemporaryRedirect" => elsewhere(seen, scheme, place),
        "SlowDown" | "ServerBusy" | "RequestLimitExceeded" | "Throttling" | "ThrottlingException" => {
            Failure::passing(&codes::BUSY, format!("the store asks to slow down: {}", seen.code))
        }
        "InternalError" => Failure::passing(&codes::SERVER, "the store failed: InternalError"),
        _ => return None,
    })
}

/// The bucket is not where it was asked for.
fn elsewhere(seen: &Seen, scheme: Scheme, place: &str) -> Failure {
    let message = match (scheme, &seen.region) {
        (Scheme::S3, Some(region)) => {
            format!("the bucket {place} is in the region {region}; set AWS_REGION={region}")
        }
        (Scheme::S3, None) => {
            format!("the bucket {place} is in another region; AWS_REGION or AWS_ENDPOINT_URL says which is asked")
        }
        (Scheme::Http | Scheme::Hub, _) => {
            return Failure::last(&codes::REDIRECT, "the server redirects, and does not say where to");
        }
        _ => {
            format!("the server says that {place} is elsewhere, and what is signed for one server is sent to no other")
        }
    };
    Failure::last(&codes::REGION, message)
}

/// That a proxy stands between, if the environment names one; nothing of its address, which may have a password in it.
fn by_proxy() -> &'static str {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let named =
        ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"].into_iter().any(is_set);
    match named {
        true => {
            "; the environment names a proxy, which may be what does not answer, and NO_PROXY names hosts to ask directly"
        }
        false => "",
    }
}

/// What to say of an object that is not what it was.
pub(super) fn changed() -> &'static str {
    "the object was written since it was opened, so the bytes read may not belong together; try again"
}

/// What to set where nothing is.
pub(super) fn no_credentials(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::S3 => {
            "there are no credentials for S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or for what \
             everybody may read AWS_SKIP_SIGNATURE=true"
        }
        Scheme::Google => {
            "there are no credentials for Google Cloud Storage: set GOOGLE_APPLICATION_CREDENTIALS to a file of them, or for \
             what everybody may read GOOGLE_SKIP_SIGNATURE=true"
        }
        Scheme::Azure => {
            "there are no credentials for Azure: set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY, or \
             AZURE_STORAGE_SAS_TOKEN, or for what everybody may read AZURE_SKIP_SIGNATURE=true"
        }
        Scheme::Hub => {
            "there is no such dataset, or it is private or wants its terms accepted: set HF_TOKEN to a token of an account that \
             may read it"
        }
        Scheme::Http => "this server wants a name and a password, or a signature in the address",
    }
}

/// What an error of the store's code is caused by, without the addresses that its own words have.
fn first_line(e: &object_store::Error) -> String {
    let mut cause: &dyn std::error::Error = e;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let words = cause.to_string();
    let safe = !words.contains("://");
    words.lines().next().filter(|_| safe).unwrap_or_default().chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16, code: &str) -> Failure {
        let seen = Seen { status: Some(status), code: code.into(), ..Seen::default() };
        let e = object_store::Error::Generic { store: "S3", source: "https://x?sig=secret".into() };
        failure(&e, &seen, Scheme::S3, "bucket")
    }

    #[test]
    fn what_passes_is_tried_again_and_what_stays_is_not() {
        for (status, code, again, expected) in [
            (503, "SlowDown", true, "remote.busy"),
            (503, "", true, "remote.busy"),
            (429, "", true, "remote.busy"),
            (500, "InternalError", true, "remote.server"),
            (502, "", true, "remote.server"),
            (400, "", false, "remote.server"),
            (400, "ExpiredToken", false, "remote.credentials"),
            (403, "RequestTimeTooSkewed", false, "remote.clock"),
            (403, "AccessDenied", false, "remote.denied"),
            (403, "SignatureDoesNotMatch", false, "remote.credentials"),
            (404, "NoSuchBucket", false, "remote.bucket"),
            (404, "", false, "remote.not_found"),
            (301, "PermanentRedirect", false, "remote.region"),
            (412, "", false, "source.changed"),
            (200, "", false, "remote.ranges"),
            (206, "", false, "remote.answer"),
        ] {
            let failure = of(status, code);
            assert_eq!((failure.again, failure.error.code().id()), (again, expected), "{status} {code}");
            assert!(!failure.error.to_string().contains("secret"), "{}", failure.error);
        }
    }
}
