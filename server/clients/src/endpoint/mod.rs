//! Endpoints of models: those that the operator allows, their keys, and requests to them.
//!
//! A key is in memory only. It is never stored, logged, shown or sent to another host, and it is removed from the
//! endpoint's own messages before anybody sees them.

mod chat;
mod completion;
mod refusal;
mod stream;
mod wait;

use std::{collections::BTreeMap, fmt, fs, path::Path, sync::Arc};

use model::collection::EndpointRow;
use reqwest::{Url, header::HeaderValue};

pub use self::chat::{Ask, Client, LONGEST_RESPONSE, Reply, Response, clean};

/// Beginning of the environment variables with keys; the endpoint's name follows, in capitals.
pub const KEY_VARIABLE: &str = "AIXGRADE_ENDPOINT_KEY_";
/// Maximum length of an endpoint's name, in characters.
const LONGEST_NAME: usize = 40;
/// Maximum size of a file with a key, in bytes.
const LARGEST_KEY: u64 = 16 * 1024;

/// A key of an endpoint.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(Arc<str>);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

impl Key {
    fn read(text: &str) -> Option<Key> {
        let text = text.trim();
        let valid = !text.is_empty() && HeaderValue::from_str(&format!("Bearer {text}")).is_ok();
        valid.then(|| Key(text.into()))
    }
}

/// An endpoint that the operator allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub name: String,
    /// The address before `/chat/completions`, without a slash at its end.
    pub url: String,
    key: Option<Key>,
}

impl Endpoint {
    /// The endpoint as admins see it.
    pub fn row(&self) -> EndpointRow {
        EndpointRow { name: self.name.clone(), url: self.url.clone(), has_key: self.key.is_some() }
    }
}

/// Why the operator's endpoints cannot be used: the option, what is wrong, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub option: &'static str,
    pub what: String,
    pub remedy: String,
}

/// The endpoints, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoints(BTreeMap<String, Endpoint>);

impl Endpoints {
    /// Reads `NAME=URL` entries and `NAME=FILE` entries with keys. `variable` returns an environment variable; a key in
    /// one counts where no file is given.
    ///
    /// # Errors
    ///
    /// Returns the first entry that is wrong. The message contains no key.
    pub fn read(
        entries: &[String],
        keys: &[String],
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Endpoints, Fault> {
        let mut endpoints = BTreeMap::new();
        for entry in entries {
            let (name, url) = named("--endpoint", entry, "local=http://127.0.0.1:8000/v1")?;
            let fault = |what: String, remedy: &str| Fault { option: "--endpoint", what, remedy: remedy.into() };
            let url = address(url).map_err(|what| {
                fault(
                    what.into(),
                    "Write it as local=http://127.0.0.1:8000/v1, without its last part /chat/completions",
                )
            })?;
            let endpoint = Endpoint { name: name.into(), url, key: None };
            if endpoints.insert(name.to_owned(), endpoint).is_some() {
                return Err(fault(format!("there are two endpoints named {name}"), "Give each a name of its own"));
            }
        }
        let mut files = BTreeMap::new();
        for entry in keys {
            let (name, file) = named("--endpoint-key", entry, "local=/etc/aixgrade/local.key")?;
            if !endpoints.contains_key(name) {
                let what = format!("there is no endpoint named {name}");
                return Err(Fault { option: "--endpoint-key", what, remedy: "Name it with --endpoint".into() });
            }
            files.insert(name.to_owned(), key_of(Path::new(file))?);
        }
        for (name, endpoint) in &mut endpoints {
            let variable_name = format!("{KEY_VARIABLE}{}", name.to_uppercase().replace('-', "_"));
            endpoint.key = match (files.remove(name), variable(&variable_name)) {
                (Some(key), _) => Some(key),
                (None, Some(text)) => Some(Key::read(&text).ok_or_else(|| Fault {
                    option: "--endpoint",
                    what: format!(
                        "the key in {variable_name} is empty or contains characters that a header cannot have"
                    ),
                    remedy: "Set it to the key alone".into(),
                })?),
                (None, None) => None,
            };
        }
        Ok(Endpoints(endpoints))
    }

    pub fn get(&self, name: &str) -> Option<&Endpoint> {
        self.0.get(name)
    }

    /// The endpoints as admins see them, by name.
    pub fn rows(&self) -> Vec<EndpointRow> {
        self.0.values().map(Endpoint::row).collect()
    }
}

/// The name and the value of an entry.
fn named<'a>(option: &'static str, entry: &'a str, example: &str) -> Result<(&'a str, &'a str), Fault> {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_name = |name: &str| !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_letter);
    entry.trim().split_once('=').filter(|(name, value)| is_name(name) && !value.is_empty()).ok_or_else(|| Fault {
        option,
        // A value without a name may be a key that was given by mistake.
        what: "an entry does not begin with a name and an equals sign".into(),
        remedy: format!(
            "Write it as {example}; the name has lower-case letters, digits and hyphens, at most {LONGEST_NAME}"
        ),
    })
}

/// An endpoint's address in the stored form.
fn address(url: &str) -> Result<String, &'static str> {
    let url = Url::parse(url.trim()).map_err(|_| "the URL is not valid")?;
    if !matches!(url.scheme(), "https" | "http") || !url.has_host() {
        return Err("the URL does not begin with http:// or https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("the URL contains a username or password, which admins would see");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("the URL has a part after ? or #");
    }
    let url = String::from(url);
    let url = url.trim_end_matches('/');
    if url.ends_with("/chat/completions") {
        return Err("the URL ends with /chat/completions, which the program adds");
    }
    Ok(url.to_owned())
}

fn key_of(file: &Path) -> Result<Key, Fault> {
    let fault = |what: String| Fault {
        option: "--endpoint-key",
        what: format!("{}: {what}", file.display()),
        remedy: "Name a file that contains the key alone".into(),
    };
    let size = fs::metadata(file).map_err(|e| fault(format!("the key cannot be read: {e}")))?.len();
    if size > LARGEST_KEY {
        return Err(fault("the file is too large for a key".into()));
    }
    let text = fs::read_to_string(file).map_err(|e| fault(format!("the key cannot be read: {e}")))?;
    Key::read(&text).ok_or_else(|| fault("the file is empty or contains characters that a header cannot have".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(entries: &[&str], keys: &[&str]) -> Result<Endpoints, Fault> {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let variable = |name: &str| (name == "AIXGRADE_ENDPOINT_KEY_FROM_ENV").then(|| " secret-2 ".to_owned());
        Endpoints::read(&owned(entries), &owned(keys), variable)
    }

    #[test]
    fn endpoints_have_a_name_an_address_and_perhaps_a_key() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "secret-1\n").unwrap();
        let key = format!("a={}", file.path().display());
        let all = ["a=https://api.example.org/v1/", "from-env=http://127.0.0.1:8000", "free=http://10.0.0.5/v1"];
        let endpoints = read(&all, &[&key]).unwrap();
        let shown: Vec<_> = endpoints.rows().into_iter().map(|row| (row.name, row.url, row.has_key)).collect();
        let row = |name: &str, url: &str, has_key| (name.to_owned(), url.to_owned(), has_key);
        assert_eq!(
            shown,
            [
                row("a", "https://api.example.org/v1", true),
                row("free", "http://10.0.0.5/v1", false),
                row("from-env", "http://127.0.0.1:8000", true),
            ]
        );
        assert_eq!(endpoints.get("from-env").and_then(|e| e.key.clone()), Key::read("secret-2"));
        let shown = format!("{endpoints:?}");
        assert!(!shown.contains("secret"), "{shown}");
    }

    #[test]
    fn wrong_entries_are_refused_and_no_key_is_named() {
        let check = |entries: &[&str], keys: &[&str], what: &str| {
            let fault = read(entries, keys).unwrap_err();
            assert!(fault.what.contains(what), "{fault:?} does not say {what}");
            assert!(!format!("{fault:?}").contains("sk-secret"), "{fault:?}");
        };
        check(&["https://api.example.org"], &[], "does not begin with a name");
        check(&["sk-secret"], &[], "does not begin with a name");
        check(&["Local=http://a"], &[], "does not begin with a name");
        check(&["a=ftp://a"], &[], "http:// or https://");
        check(&["a=nothing"], &[], "not valid");
        check(&["a=https://me:sk-secret@a.example"], &[], "username or password");
        check(&["a=https://a.example/?key=sk-secret"], &[], "after ? or #");
        check(&["a=https://a.example/v1/chat/completions"], &[], "/chat/completions");
        check(&["a=http://a", "a=http://b"], &[], "two endpoints named a");
        check(&["a=http://a"], &["b=/nowhere"], "no endpoint named b");
        check(&["a=http://a"], &["a=/nowhere/at/all"], "cannot be read");
        check(&["a=http://a"], &["sk-secret"], "does not begin with a name");
        let empty = tempfile::NamedTempFile::new().unwrap();
        check(&["a=http://a"], &[&format!("a={}", empty.path().display())], "empty");
    }
}
