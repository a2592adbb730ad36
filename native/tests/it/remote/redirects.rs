//! Who is led elsewhere: buckets of another region, servers of files that moved, and doors that nobody trusts.

use forebay_native::{
    remote::{Settings, open},
    sharding::{self, MakeOptions, Plan},
};

use crate::{
    common::Folder,
    remote::{
        files, pattern,
        secured::door,
        server::{Fault, Server},
        settings,
    },
};

#[test]
fn a_bucket_of_another_region_is_said_and_nobody_is_sent_there() {
    let (server, other) = (Server::start(), Server::start());
    for place in [&server, &other] {
        place.put("bucket/x", pattern(1000));
    }
    let there = ("location", format!("{}/bucket/x", other.url()));
    let region = ("x-amz-bucket-region", "eu-west-1".to_owned());
    for (status, headers, says) in [
        (301, vec![region.clone()], "AWS_REGION=eu-west-1"),
        (307, vec![region.clone(), there.clone()], "AWS_REGION=eu-west-1"),
        (307, vec![there.clone()], "another region"),
        (302, vec![there.clone()], "another region"),
    ] {
        server.fail("bucket/x", Fault::Redirect(status, headers));
        // HTTP does not know the header of a session's token to be secret.
        let e = open("s3://bucket/x", &settings(&server).with("AWS_SESSION_TOKEN", "hidden-secret")).unwrap_err();
        assert!(e.code().id() == "remote.region" && e.message().contains(says), "{status}: {e}");
        assert!(!format!("{e:?}").contains("hidden-secret"), "{e:?}");
    }
    assert!(other.asked().is_empty(), "what is signed for one server is sent to no other");
}

#[test]
fn google_and_azure_lead_nowhere_either() {
    let (server, other) = (Server::start(), Server::start());
    let there = ("location", format!("{}/bucket/x", other.url()));
    let google = Settings::new().with("GOOGLE_BASE_URL", server.url()).with("GOOGLE_SKIP_SIGNATURE", "true");
    let azure = Settings::new().with("AZURE_STORAGE_ENDPOINT", server.url()).with("AZURE_SKIP_SIGNATURE", "true");
    for (address, settings) in
        [("gs://bucket/x", google), ("az://bucket/x", azure.with("AZURE_STORAGE_ACCOUNT_NAME", "someone"))]
    {
        server.fail("bucket/x", Fault::Redirect(307, vec![there.clone()]));
        let e = open(address, &settings).unwrap_err();
        assert_eq!(e.code().id(), "remote.region", "{address}: {e}");
    }
    assert!(other.asked().is_empty());
}

#[test]
fn a_server_of_files_may_lead_elsewhere() {
    let (server, other) = (Server::start(), Server::start());
    other.put("moved/x", pattern(100_000));
    let there = || vec![("location", format!("{}/moved/x", other.url()))];
    server.fail("x", Fault::Redirect(302, there()));
    server.fail("x", Fault::Redirect(307, there()));
    let input = open(&format!("{}/x?X-Amz-Signature=hidden-secret", server.url()), &Settings::new()).unwrap();
    assert!(input.slice(50_000..100_000).unwrap() == pattern(100_000)[50_000..]);
    let heard = format!("{:?}", other.asked());
    assert!(heard.contains("moved/x") && !heard.contains("hidden-secret"), "{heard}");
    // In circles nobody follows.
    let circle = || Fault::Redirect(302, vec![("location", format!("{}/y", server.url()))]);
    (0..20).for_each(|_| server.fail("y", circle()));
    server.asked();
    let e = open(&format!("{}/y", server.url()), &Settings::new()).unwrap_err();
    assert!(e.code().id() == "remote.redirect" && e.to_string().contains("circles"), "{e}");
    assert!(server.asked().len() < 8, "such is not tried again");
    server.forgive();
    server.fail("z", Fault::Redirect(302, vec![]));
    let e = open(&format!("{}/z", server.url()), &Settings::new()).unwrap_err();
    assert!(e.code().id() == "remote.redirect" && e.message().contains("where"), "{e}");
}

#[test]
fn no_server_leads_to_what_is_nearer_than_itself() {
    let server = Server::start();
    for there in ["http://169.254.169.254/latest/meta-data/iam", "http://[fe80::1]:9/"] {
        server.fail("x", Fault::Redirect(302, vec![("location", there.to_owned())]));
        let e = open(&format!("{}/x", server.url()), &Settings::new()).unwrap_err();
        assert!(e.code().id() == "remote.redirect" && e.message().contains("link-local"), "{there}: {e}");
    }
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn a_plan_of_shards_says_no_signature() {
    let (server, folder) = (Server::start(), Folder::new());
    server.put("b/a.tbl", files(10).1);
    let address = format!("{}/b/a.tbl?X-Amz-Signature=hidden.secret", server.url());
    let plan = Plan::of(&[address.into()], sharding::Settings::new(2)).unwrap();
    let text = plan.to_json();
    assert!(!text.contains("secret") && plan.name(0) == "a-00000-of-00002.tbl", "{text}");
    let made = |plan: Plan| plan.open()?.make_all(&[0, 1], &folder.at("out"), &MakeOptions::default(), 1, &mut |_| {});
    // Another process has no signature, and hears so instead of the server's refusal.
    let e = made(Plan::parse(&text).unwrap()).unwrap_err();
    assert!(e.code().id() == "remote.credentials" && e.message().contains("signatures"), "{e}");
    assert_eq!(made(plan).unwrap().made, 2);
}

#[test]
fn a_door_that_nobody_trusts_is_not_gone_through() {
    let server = Server::start();
    server.put("bucket/x", pattern(1000));
    let url = format!("https://127.0.0.1:{}", door(server.port()));
    for address in [format!("{url}/bucket/x?sig=hidden-secret"), "s3://bucket/x".into()] {
        let e = open(&address, &settings(&server).with("AWS_ENDPOINT_URL", url.clone())).unwrap_err();
        assert!(e.code().id() == "remote.tls" && e.message().contains("SSL_CERT_FILE"), "{address}: {e}");
        assert!(!format!("{e:?}").contains("hidden-secret"), "{e:?}");
    }
    assert!(server.asked().is_empty());
}

#[test]
fn credentials_that_expire_in_the_middle_are_said_once() {
    let server = Server::start();
    server.put("bucket/x", pattern(64 << 20));
    let input = open("s3://bucket/x", &settings(&server)).unwrap();
    server.asked();
    for _ in 0..64 {
        server.fail("bucket/x", Fault::Status(400, "ExpiredToken"));
    }
    let e = input.slice(1 << 20..60 << 20).unwrap_err();
    assert!(e.code().id() == "remote.credentials" && e.message().contains("expired"), "{e}");
    assert!(server.asked().len() <= 4, "such is not tried again");
}
