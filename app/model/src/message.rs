//! Messages that the server sends to people.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::lang::Lang;

/// A message in English and Chinese. The command line, the REST API and the log use the English text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Message {
    /// The English text.
    pub en: String,
    /// The Chinese text; empty for messages that have none, such as those of other programs.
    pub zh: String,
}

impl Message {
    /// The text in `lang`, and its language if that is not `lang`.
    pub fn get(&self, lang: Lang) -> (&str, Option<&'static str>) {
        match lang {
            Lang::Zh if self.zh.is_empty() => (&self.en, Some(Lang::En.tag())),
            _ => (lang.pick(&self.en, &self.zh), None),
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.en)
    }
}

impl From<String> for Message {
    fn from(en: String) -> Self {
        Message { en, zh: String::new() }
    }
}

impl From<&str> for Message {
    fn from(en: &str) -> Self {
        en.to_owned().into()
    }
}

impl<E: Into<String>, Z: Into<String>> From<(E, Z)> for Message {
    fn from((en, zh): (E, Z)) -> Self {
        Message { en: en.into(), zh: zh.into() }
    }
}
