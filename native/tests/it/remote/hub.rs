//! Datasets on the Hub: read through the server that it leads to, and a token that no other server hears.

use forebay_native::remote::{Settings, open};

use crate::remote::{pattern, server::Server};

#[test]
fn a_private_dataset_is_read_and_its_token_goes_nowhere_else() {
    let (hub, store) = (Server::start(), Server::start());
    let bytes = pattern(300_000);
    for revision in ["main", "v1", "refs/convert/parquet"] {
        store.put(&format!("datasets/org/name/resolve/{revision}/data/a b.bin"), bytes.clone());
    }
    hub.lead("datasets/", &store);
    hub.token("hf_hidden");
    let settings = Settings::new().with("HF_ENDPOINT", hub.url()).with("FOREBAY_REMOTE_TIMEOUT", "20");
    let addresses = [
        ("hf://datasets/org/name/data/a b.bin", "hf://datasets/org/name/data/a b.bin"),
        ("hf://datasets/org/name@v1/data/a b.bin", "hf://datasets/org/name@v1/data/a b.bin"),
        (
            "hf://datasets/org/name@refs/convert/parquet/data/a b.bin",
            "hf://datasets/org/name@refs/convert/parquet/data/a b.bin",
        ),
        ("https://huggingface.co/datasets/org/name/blob/main/data/a%20b.bin", "hf://datasets/org/name/data/a b.bin"),
    ];
    for (address, shown) in addresses {
        let input = open(address, &settings.clone().with("HF_TOKEN", "hf_hidden")).unwrap();
        assert_eq!((input.name(), input.len()), (shown, 300_000));
        assert!(input.slice(100_000..250_000).unwrap() == bytes[100_000..250_000]);
    }
    let heard = store.asked();
    assert!(heard.len() >= 8 && heard.iter().all(|asked| !asked.headers.contains_key("authorization")), "{heard:?}");
    // Nobody is told the token, also not by an error.
    for (token, said) in [(None, "HF_TOKEN"), (Some("hf_other"), "HF_TOKEN")] {
        let settings = token.map_or(settings.clone(), |token| settings.clone().with("HF_TOKEN", token));
        let e = open(addresses[0].0, &settings).unwrap_err();
        assert!(e.code().id() == "remote.credentials" && e.message().contains(said), "{e}");
        assert!(!format!("{e:?}").contains("hf_other"), "{e:?}");
    }
    assert!(store.asked().is_empty());
    let e = open("hf://datasets/org/name/b.bin", &settings.with("HF_TOKEN", "hf_hidden")).unwrap_err();
    assert_eq!(e.code().id(), "remote.not_found");
    let e = open("hf://datasets/org/name/a", &Settings::new().with("HF_ENDPOINT", "not a server")).unwrap_err();
    assert_eq!(e.code().id(), "remote.setting");
}
