//! Whether what is set can mean anything, before it gets to the stores' clients: these make requests of it as it is, and
//! panic at what makes none.

use forebay::{Error, Result};

use super::codes;

/// Settings that are on or off, by the ends of their names.
const SWITCHES: [&str; 5] =
    ["_request_payer", "_skip_signature", "_virtual_hosted_style_request", "_unsigned_payload", "_imdsv1_fallback"];

/// Settings that are addresses of servers.
const SERVERS: [&str; 8] = [
    "aws_endpoint",
    "aws_endpoint_url",
    "aws_endpoint_url_s3",
    "aws_endpoint_url_sts",
    "aws_metadata_endpoint",
    "google_base_url",
    "azure_endpoint",
    "azure_storage_endpoint",
];

/// A setting that is a whole document, of several lines.
const DOCUMENT: &str = "google_service_account_key";

/// Settings that name a file, which has to be there.
pub(super) const FILES: [&str; 4] = [
    "google_application_credentials",
    "google_service_account",
    "google_service_account_path",
    "azure_federated_token_file",
];

/// Settings that are a secret as Azure shows it, in base64.
const KEYS: [&str; 3] = ["azure_storage_account_key", "azure_storage_access_key", "azure_storage_master_key"];

/// Refuses a value that no request can be made of. The name is told, and of the value only what is never a secret.
pub(super) fn check(name: &str, value: &str) -> Result<()> {
    let refused = |why: String| Err(Error::new(&codes::SETTING, format!("{} {why}", name.to_ascii_uppercase())));
    if name != DOCUMENT && value.chars().any(char::is_control) {
        return refused("has a control character in it, perhaps the end of a line; set it without".into());
    }
    if SERVERS.contains(&name) {
        if let Some(why) = no_server(value) {
            return refused(format!("is the address of a server, as in http://localhost:9000, and this one {why}"));
        }
    } else if SWITCHES.iter().any(|end| name.ends_with(end)) {
        let words = ["1", "true", "on", "yes", "y", "0", "false", "off", "no", "n"];
        if !words.iter().any(|word| value.eq_ignore_ascii_case(word)) {
            return refused("is true or false, and nothing else".into());
        }
    } else if matches!(name, "aws_region" | "aws_default_region") {
        // It becomes a part of a server's name.
        if !value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)) {
            return refused("is a region such as eu-west-1: letters, digits and hyphens".into());
        }
    } else if FILES.contains(&name) {
        if let Err(e) = std::fs::File::open(value) {
            return refused(format!("names a file that cannot be read: {value}: {e}"));
        }
    } else if KEYS.contains(&name) && !is_base64(value) {
        return refused(
            "is a key in base64, as Azure shows it, and this one is not; perhaps a part of it is missing".into(),
        );
    }
    Ok(())
}

/// Whether this is whole groups of four, the last of them filled up.
fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"+/".contains(&byte);
    text.len().is_multiple_of(4) && text.len() - digits.len() <= 2 && digits.bytes().all(known)
}

/// Why an address is not one of a server.
fn no_server(address: &str) -> Option<&'static str> {
    let scheme = ["http://", "https://"]
        .into_iter()
        .find(|scheme| address.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
    let Some(rest) = scheme.and_then(|scheme| address.get(scheme.len()..)) else {
        return Some("begins with neither http:// nor https://");
    };
    let may_be = |byte: u8| byte.is_ascii_graphic() && !b"?#\"<>\\^`{|}".contains(&byte);
    if !rest.bytes().all(may_be) {
        return Some("has characters that an address cannot have");
    }
    let server = rest.split('/').next().unwrap_or_default();
    let server = server.rsplit_once('@').map_or(server, |(_, server)| server);
    let (host, port) = match server.strip_prefix('[') {
        // The address of a machine, in which there are colons.
        Some(inner) => match inner.split_once(']') {
            Some((host, "")) => (host, None),
            Some((host, port)) => (host, port.strip_prefix(':').or(Some("none"))),
            None => return Some("has a [ without a ]"),
        },
        None => match server.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (server, None),
        },
    };
    if host.is_empty() {
        return Some("names no server");
    }
    if server.starts_with('[') && host.parse::<std::net::Ipv6Addr>().is_err() {
        return Some("has no number of a machine between [ and ]");
    }
    match port {
        Some(port) if port.parse::<u16>().is_err() => Some("has no port from 0 to 65535 after the colon"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_servers() {
        for good in [
            "http://localhost:9000",
            "https://minio.example/",
            "HTTP://10.0.0.1",
            "http://name:word@host:1/path",
            "http://[::1]:9000",
            "https://[fe80::1]/",
        ] {
            assert_eq!(no_server(good), None, "{good}");
        }
        for bad in [
            "minio:9000",
            "localhost",
            "ftp://x",
            "http://",
            "http:///x",
            "http://:80",
            "http://a b",
            "http://a?b",
            "http://a#b",
            "http://a:99999",
            "http://a:x",
            "http://a:",
            "http://[::1",
            "http://[x]",
            "http://[::1]9000",
            "http://é",
            "é",
        ] {
            assert!(no_server(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn what_is_refused_is_named_and_not_told() {
        let e = check("aws_secret_access_key", "hidden\n").unwrap_err();
        assert!(e.message().starts_with("AWS_SECRET_ACCESS_KEY has") && !e.message().contains("hidden"), "{e}");
        assert!(check("aws_request_payer", "requester").is_err() && check("aws_request_payer", "True").is_ok());
        assert!(check("aws_region", "us east").is_err() && check("aws_region", "us-gov-west-1").is_ok());
        assert!(check("aws_access_key_id", "a b").is_ok());
        assert!(check("azure_storage_account_key", "hidden").is_err_and(|e| !e.message().contains("hidden")));
        for key in ["aGlkZGVu", "aGlkZGU=", "aGlkZA=="] {
            assert!(check("azure_storage_account_key", key).is_ok(), "{key}");
        }
        for key in ["aGlkZGV", "aGlk=GVu", "aGl=====", "aGlk ZGV"] {
            assert!(check("azure_storage_access_key", key).is_err(), "{key}");
        }
        let e = check("google_application_credentials", "/nowhere/key.json").unwrap_err();
        assert!(e.message().contains("/nowhere/key.json"), "{e}");
        assert!(check("google_service_account_key", "{\n}").is_ok());
        assert!(check("google_base_url", "http://name:hidden@host:x").is_err_and(|e| !e.message().contains("hidden")));
    }
}
