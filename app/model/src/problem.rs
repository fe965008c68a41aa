//! Problems of an input: what is wrong, where, and how to fix it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{lang::Lang, message::Message};

/// One problem of a file or a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
#[cfg_attr(not(target_arch = "wasm32"), schema(as = InputProblem))]
pub struct Problem {
    /// The name of the file or of the form field; empty if there is only one.
    pub file: String,
    /// The line, counted from 1; absent for a problem with the whole file.
    pub line: Option<u64>,
    /// The problem, as a sentence without its full stop.
    pub what: String,
    /// How to fix it, as a sentence without its full stop.
    pub remedy: String,
    /// `what` and `remedy` in Chinese; absent for texts of other programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zh: Option<Box<ProblemZh>>,
    /// Address of the page that accepts the file, if another one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

/// A problem's texts in Chinese.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ProblemZh {
    /// The problem.
    pub what: String,
    /// How to fix it.
    pub remedy: String,
}

impl Problem {
    /// A problem with a whole file or with a form field.
    pub fn new(file: impl Into<String>, what: impl Into<Message>, remedy: impl Into<Message>) -> Self {
        let (what, remedy) = (what.into(), remedy.into());
        let in_chinese = if remedy.zh.is_empty() { remedy.en.clone() } else { remedy.zh };
        let zh = (!what.zh.is_empty()).then(|| Box::new(ProblemZh { what: what.zh, remedy: in_chinese }));
        Problem { file: file.into(), line: None, what: what.en, remedy: remedy.en, zh, page: None }
    }

    /// The same problem at a line, counted from 1.
    pub fn at(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// The problem and how to fix it, in `lang` if there is a translation, and the language of the texts
    /// if that is not `lang`.
    pub fn texts(&self, lang: Lang) -> (&str, &str, Option<&'static str>) {
        match (lang, &self.zh) {
            (Lang::En, _) => (&self.what, &self.remedy, None),
            (Lang::Zh, Some(zh)) => (&zh.what, &zh.remedy, None),
            (Lang::Zh, None) => (&self.what, &self.remedy, Some(Lang::En.tag())),
        }
    }

    /// The problem in one line, in `lang`.
    pub fn sentence(&self, lang: Lang) -> String {
        match (lang, &self.zh) {
            (Lang::Zh, Some(zh)) => {
                let place = match (self.file.as_str(), self.line) {
                    ("", None) => String::new(),
                    ("", Some(line)) => format!("第 {line} 行："),
                    (file, None) => format!("{file}："),
                    (file, Some(line)) => format!("{file} 第 {line} 行："),
                };
                format!("{place}{}。{}。", zh.what, zh.remedy)
            }
            _ => self.to_string(),
        }
    }
}

/// `prediction.jsonl, line 12: the line is not valid JSON. Remove the trailing comma.`
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.file.as_str(), self.line) {
            ("", None) => {}
            ("", Some(line)) => write!(f, "line {line}: ")?,
            (file, None) => write!(f, "{file}: ")?,
            (file, Some(line)) => write!(f, "{file}, line {line}: ")?,
        }
        write!(f, "{}. {}.", self.what, self.remedy)
    }
}
