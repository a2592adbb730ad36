//! How stores are spoken to: what the environment says, and what the caller says instead.

use std::collections::BTreeMap;

/// Credentials, endpoints and regions, under the names that they have in the environment: `AWS_REGION`,
/// `GOOGLE_APPLICATION_CREDENTIALS`, `AZURE_STORAGE_ACCOUNT_NAME` and so on. What is not said here the environment says.
///
/// ```
/// use forebay_native::remote::Settings;
/// let settings = Settings::new().with("AWS_SECRET_ACCESS_KEY", "a secret");
/// assert!(!format!("{settings:?}").contains("a secret"));
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Settings(BTreeMap<String, String>);

/// Values may be secrets: names alone are shown.
impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Settings {
    /// Returns the settings of the environment.
    pub fn new() -> Settings {
        Settings::default()
    }
    /// With this instead of what the environment says under that name.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Settings {
        self.0.insert(name.into().to_ascii_uppercase(), value.into());
        self
    }
}

#[cfg(feature = "remote")]
impl Settings {
    /// What is said under a name; what is empty is not said.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        let said = self.0.get(name).cloned().or_else(|| std::env::var(name).ok());
        said.filter(|value| !value.is_empty())
    }
    /// As [`get`](Self::get), for what is on or off.
    pub(super) fn is_on(&self, name: &str) -> bool {
        let on = |value: String| ["1", "true", "yes", "on"].iter().any(|word| value.trim().eq_ignore_ascii_case(word));
        self.get(name).is_some_and(on)
    }
    /// All that is said under names that begin so, in lower case.
    pub(super) fn beginning(&self, prefix: &str) -> BTreeMap<String, String> {
        let of_system =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        let mut all: BTreeMap<String, String> = of_system.collect();
        all.extend(self.0.clone());
        let wanted = |(name, value): (String, String)| {
            (name.starts_with(prefix) && !value.is_empty()).then(|| (name.to_ascii_lowercase(), value))
        };
        all.into_iter().filter_map(wanted).collect()
    }
}
