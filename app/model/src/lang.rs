//! The two natural languages of the interface, of rubrics and of descriptions.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A natural language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Chinese, in simplified characters.
    Zh,
}

impl Lang {
    /// Both, in display order.
    pub const ALL: [Lang; 2] = [Lang::En, Lang::Zh];

    /// The BCP 47 tag for the `lang` attribute, which selects the glyphs in a browser.
    pub fn tag(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::Zh => "zh-Hans",
        }
    }

    /// The short form used in files, URLs and the database.
    pub fn code(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::Zh => "zh",
        }
    }

    /// The language's name in itself.
    pub fn name(self) -> &'static str {
        match self {
            Lang::En => "English",
            Lang::Zh => "中文",
        }
    }

    /// `en` or `zh`, depending on this language.
    pub fn pick<T>(self, en: T, zh: T) -> T {
        match self {
            Lang::En => en,
            Lang::Zh => zh,
        }
    }

    /// The language of a description: Chinese if it contains a few Han characters, since Chinese
    /// descriptions of Java are full of Latin names, but English ones rarely contain Han characters.
    pub fn detect(text: &str) -> Lang {
        let han = text.chars().filter(|c| is_han(*c)).count();
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        // One Han character in a long English sentence is an example: at least a twentieth of the letters
        // must be Han.
        if han > 0 && han * 20 >= letters { Lang::Zh } else { Lang::En }
    }
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}')
}

impl fmt::Display for Lang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl FromStr for Lang {
    type Err = UnknownLang;
    fn from_str(s: &str) -> Result<Self, UnknownLang> {
        match s {
            "en" => Ok(Lang::En),
            "zh" => Ok(Lang::Zh),
            _ => Err(UnknownLang),
        }
    }
}

/// Error: the text names no supported language.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("unknown language; write `en` or `zh`")]
pub struct UnknownLang;

/// A text in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Bilingual {
    /// The English text.
    pub en: String,
    /// The Chinese text.
    pub zh: String,
}

impl Bilingual {
    /// The text in `lang`, also if it is empty.
    pub fn get_own(&self, lang: Lang) -> &str {
        lang.pick(&self.en, &self.zh)
    }

    /// The text in `lang`, or in the other language if it was written only there.
    pub fn get(&self, lang: Lang) -> &str {
        let (own, other) = lang.pick((&self.en, &self.zh), (&self.zh, &self.en));
        if own.is_empty() { other } else { own }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_one_language_is_shown_in_both() {
        let text = |en: &str, zh: &str| Bilingual { en: en.into(), zh: zh.into() };
        let check = |of: Bilingual, en, zh| assert_eq!((of.get(Lang::En), of.get(Lang::Zh)), (en, zh));
        check(text("Safe", "安全"), "Safe", "安全");
        check(text("Safe", ""), "Safe", "Safe");
        check(text("", "安全"), "安全", "安全");
    }

    #[test]
    fn detects_the_language_of_descriptions() {
        let check = |text, lang| assert_eq!(Lang::detect(text), lang, "{text}");
        check("Creates a padding string of a certain length", Lang::En);
        check("将 Date 类型转为时间字符串, 格式为 format", Lang::Zh);
        check("从 http 服务拉取配置文件并解析为Properties 对象", Lang::Zh);
        check("Count how often the character 中 occurs in a text that may be long", Lang::En);
        check("", Lang::En);
    }
}
