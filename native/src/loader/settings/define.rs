//! All that follows from the list of settings: the struct, its defaults, methods of the builder, the table for hosts.

/// A setting, as hosts and documents need it: `LoaderSettings::ALL` has all of them.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Setting {
    /// Its name in documents, and as a keyword of Python.
    pub name: &'static str,
    /// Its type and default, in Rust.
    pub kind: &'static str,
    pub usual: &'static str,
    /// Its method of the builder, in Rust.
    pub rust: &'static str,
    /// Its documentation, line by line.
    pub docs: &'static [&'static str],
    /// The page that says more, if one does.
    pub see: &'static str,
    /// Whether a document cannot say it.
    pub is_of_rust: bool,
    /// Where it means nothing.
    pub(super) idle: &'static [super::There],
}

impl Setting {
    /// What it means, in one paragraph: the first of its documentation.
    pub fn meaning(&self) -> String {
        let lines = self.docs.iter().map(|line| line.trim());
        lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
    }
    /// The same as a line of help: one sentence without its full stop.
    pub fn help(&self) -> String {
        let meaning = self.meaning();
        meaning.split_once(". ").map_or(meaning.trim_end_matches('.'), |(first, _)| first).to_owned()
    }
}

/// Each setting is `name: Type = default, {fn method(argument: Type) => value}`, or the call of a method that stands elsewhere
/// in place of it; then a page that says more, and where it means nothing.
macro_rules! settings {
    ($(
        $(#[doc = $doc:literal])+
        $(#[serde $serde:tt])?
        $name:ident: $type:ty = $usual:expr, $set:tt $(, see $see:literal)? $(, idle $($idle:ident)+)?;
    )+) => {
        /// Every setting of a loader. [`Builder::settings`] takes them as a document has them, under the names that they have
        /// here.
        #[derive(Clone, Debug, PartialEq, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct LoaderSettings {
            $($(#[doc = $doc])+ $(#[serde $serde])? pub(in crate::loader) $name: $type,)+
        }

        impl Default for LoaderSettings {
            fn default() -> Self {
                LoaderSettings { $($name: $usual,)+ }
            }
        }

        impl LoaderSettings {
            /// All of them.
            #[doc(hidden)]
            pub const ALL: &'static [Setting] = &[$(Setting {
                name: stringify!($name),
                kind: stringify!($type),
                usual: stringify!($usual),
                rust: stringify!($set),
                docs: &[$($doc),+],
                see: concat!($($see)?),
                is_of_rust: matches!(concat!($(stringify!($serde))?).as_bytes(), b"(skip)"),
                idle: &[$($(There::$idle),+)?],
            }),+];

            /// Those that differ from their defaults.
            fn said(&self) -> impl Iterator<Item = &'static Setting> {
                let usual = LoaderSettings::default();
                let differs = [$(self.$name != usual.$name),+];
                Self::ALL.iter().zip(differs).filter_map(|(setting, differs)| differs.then_some(setting))
            }
        }

        impl Builder {
            $(method! { [$(#[doc = $doc])+] $name $set })+
        }
    };
}

macro_rules! method {
    ([$($docs:tt)+] $name:ident {fn $method:ident($given:ident: $type:ty) => $value:expr}) => {
        $($docs)+
        pub fn $method(mut self, $given: $type) -> Self {
            self.settings.$name = $value;
            self
        }
    };
    ([$($docs:tt)+] $name:ident {$call:literal}) => {};
}

pub(super) use {method, settings};
