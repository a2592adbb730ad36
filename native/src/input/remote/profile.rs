//! The files in which the tools of AWS keep credentials and regions, by profile.

use std::{collections::BTreeMap, path::PathBuf};

use forebay::{Error, Result};

use super::{Settings, codes};

/// The most bytes of such a file.
const MOST: u64 = 1 << 20;

/// What a profile says, under the names that the environment has for it. Nothing if there is no such file; a profile that
/// was asked for by name must be there.
pub(super) fn of_profile(settings: &Settings) -> Result<BTreeMap<&'static str, String>> {
    let asked = settings.get("AWS_PROFILE").or_else(|| settings.get("AWS_DEFAULT_PROFILE"));
    let name = asked.clone().unwrap_or_else(|| "default".into());
    let home = settings.get("HOME").or_else(|| settings.get("USERPROFILE")).map(PathBuf::from);
    let file = |variable: &str, usual: &str| {
        settings.get(variable).map(PathBuf::from).or_else(|| home.as_ref().map(|home| home.join(".aws").join(usual)))
    };
    let (mut found, mut there) = (BTreeMap::new(), false);
    for path in
        [file("AWS_CONFIG_FILE", "config"), file("AWS_SHARED_CREDENTIALS_FILE", "credentials")].into_iter().flatten()
    {
        let Ok(metadata) = std::fs::metadata(&path) else { continue };
        let too_long =
            || Error::new(&codes::SETTING, "the file is too long for one of profiles").file(path.display().to_string());
        if metadata.len() > MOST {
            return Err(too_long());
        }
        let failed = |e| crate::input::io_error(&path.display().to_string(), "read", e);
        there |= read(&std::fs::read_to_string(&path).map_err(failed)?, &name, &mut found);
    }
    if let (Some(name), false) = (asked, there) {
        let message =
            format!("there is no profile {name:?} in ~/.aws/credentials and ~/.aws/config, which AWS_PROFILE asks for");
        return Err(Error::new(&codes::CREDENTIALS, message));
    }
    let keyless = !found.contains_key("AWS_ACCESS_KEY_ID") && settings.get("AWS_ACCESS_KEY_ID").is_none();
    if let (Some(kind), true) = (found.remove("kind"), keyless) {
        let message = format!(
            "the profile {name:?} gets its credentials by {kind}, which Forebay does not do; the command \
             'aws configure export-credentials' prints keys for the environment"
        );
        return Err(Error::new(&codes::CREDENTIALS, message));
    }
    Ok(found)
}

/// Takes from a file what it says of one profile; true if it knows it.
fn read(text: &str, profile: &str, found: &mut BTreeMap<&'static str, String>) -> bool {
    let (mut inside, mut there) = (false, false);
    for line in text.lines() {
        if let Some(section) = line.trim().strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            let section = section.trim();
            inside = section.strip_prefix("profile ").map_or(section, str::trim) == profile;
            there |= inside;
            continue;
        }
        // What is indented belongs to a setting of services.
        let plain = inside && !line.starts_with([' ', '\t', '#', ';']);
        let Some((key, value)) = line.split_once('=').filter(|_| plain) else { continue };
        let name = match key.trim().to_ascii_lowercase().as_str() {
            "aws_access_key_id" => "AWS_ACCESS_KEY_ID",
            "aws_secret_access_key" => "AWS_SECRET_ACCESS_KEY",
            "aws_session_token" => "AWS_SESSION_TOKEN",
            "region" => "AWS_REGION",
            "endpoint_url" => "AWS_ENDPOINT_URL",
            "sso_session" | "sso_start_url" => {
                found.insert("kind", "single sign-on".into());
                continue;
            }
            "role_arn" => {
                found.insert("kind", "taking a role".into());
                continue;
            }
            "credential_process" => {
                found.insert("kind", "running a program".into());
                continue;
            }
            _ => continue,
        };
        found.insert(name, value.trim().to_owned());
    }
    there
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, profile: &str) -> (bool, BTreeMap<&'static str, String>) {
        let mut found = BTreeMap::new();
        (read(text, profile, &mut found), found)
    }

    #[test]
    fn a_profile_is_found_among_others() {
        let text = "# x\n[default]\naws_access_key_id=A\n\n[profile two]\r\nregion = eu-west-1 \naws_access_key_id = B\n\
                    s3 =\n  endpoint_url = http://inner\n[three]\naws_access_key_id = C\n";
        let (there, found) = of(text, "two");
        assert!(there);
        assert_eq!(found, BTreeMap::from([("AWS_ACCESS_KEY_ID", "B".into()), ("AWS_REGION", "eu-west-1".into())]));
        assert!(!of(text, "four").0);
        assert_eq!(of(text, "default").1.len(), 1);
        for odd in ["", "[", "[]", "=", "[two\n", "\u{feff}[two]"] {
            of(odd, "two");
        }
    }

    #[test]
    fn files_are_found_by_the_environment_and_a_missing_profile_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(
            at("c"),
            "[one]\naws_access_key_id = A\naws_secret_access_key = hidden\n[sso]\nsso_session = x\n",
        )
        .unwrap();
        let with = |profile: &str| {
            let settings =
                Settings::new().with("AWS_SHARED_CREDENTIALS_FILE", at("c")).with("AWS_CONFIG_FILE", at("none"));
            of_profile(&settings.with("AWS_PROFILE", profile))
        };
        assert_eq!(with("one").unwrap().len(), 2);
        for (profile, says) in [("two", "no profile"), ("sso", "single sign-on")] {
            let e = with(profile).unwrap_err();
            assert!(e.code().id() == "remote.credentials" && e.message().contains(says), "{e}");
        }
    }
}
