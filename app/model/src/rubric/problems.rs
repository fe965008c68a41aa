//! Validation of rubrics: every problem with the path of its field.

use super::{Dimension, Rubric};
use crate::{lang::Bilingual, message::Message, problem::Problem};

/// Most dimensions without the checklist.
const MOST_DIMENSIONS: usize = 12;
/// Most items of the checklist.
const MOST_ITEMS: usize = 20;
/// Most levels of a dimension: a digit key each.
const MOST_LEVELS: usize = 9;
/// Longest short name and longest key, in characters.
const LONGEST_NAME: usize = 40;
/// Longest name of a dimension or a level, in characters.
const LONGEST_LABEL: usize = 80;
/// Longest question and longest description of a level, in characters.
const LONGEST_TEXT: usize = 2000;

/// Columns of exports and imports, which no dimension may have the name of.
const COLUMNS: [&str; 16] = [
    "comment",
    "dataset_version",
    "flag",
    "instructions",
    "nl_lang",
    "model",
    "notes",
    "rated_at",
    "rater",
    "rubric",
    "sample",
    "shown_at",
    "study",
    "submission",
    "replaced_at",
    "task_id",
];

/// Addresses below `/admin/rubrics` that are no rubric.
const RESERVED: [&str; 1] = ["new"];

const FILL_IN: (&str, &str) = ("Write it in at least one language", "请至少用一种语言填写");

impl Rubric {
    /// Everything that is wrong with it, each with the path of the field, such as `dimensions[0].levels[1].text`;
    /// empty for a valid rubric.
    pub fn problems(&self) -> Vec<Problem> {
        let mut found = Found(Vec::new());
        found.slug(&self.slug);
        let items = self.dimensions.iter().filter(|d| d.checklist).count();
        let scales = self.dimensions.len() - items;
        if self.dimensions.is_empty() || scales > MOST_DIMENSIONS {
            found.wrong(
                "dimensions",
                (format!("the rubric has {scales} dimensions"), format!("评分标准有 {scales} 个维度")),
                (format!("Write 1 to {MOST_DIMENSIONS}"), format!("请写 1 到 {MOST_DIMENSIONS} 个维度")),
            );
        }
        if items > MOST_ITEMS {
            found.wrong(
                "dimensions",
                (format!("the checklist has {items} items"), format!("检查表有 {items} 项")),
                (format!("Write at most {MOST_ITEMS}"), format!("最多请写 {MOST_ITEMS} 项")),
            );
        }
        if self.scales() < scales {
            found.wrong(
                "dimensions",
                ("an item of the checklist comes before a dimension with levels", "检查项排在了有等级的维度之前"),
                ("Move the items of the checklist to the end", "请把检查项移到最后"),
            );
        }
        for (at, dimension) in self.dimensions.iter().enumerate() {
            let earlier = self.dimensions.iter().take(at).any(|other| other.key == dimension.key);
            found.dimension(at, dimension, earlier);
        }
        found.0
    }
}

struct Found(Vec<Problem>);

impl Found {
    fn wrong(&mut self, field: impl Into<String>, what: impl Into<Message>, remedy: impl Into<Message>) {
        self.0.push(Problem::new(field, what, remedy));
    }

    fn slug(&mut self, slug: &str) {
        let part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let begins = slug.starts_with(|c: char| c.is_ascii_alphanumeric());
        if !begins || !slug.chars().all(part) || slug.len() > LONGEST_NAME || RESERVED.contains(&slug) {
            self.wrong(
                "slug",
                (format!("\"{slug}\" is not a valid short name"), format!("“{slug}”不是有效的短名称")),
                (
                    format!("Use lowercase letters, digits and `-`, at most {LONGEST_NAME} characters; not `new`"),
                    format!("请使用小写字母、数字和 `-`，最多 {LONGEST_NAME} 个字符，且不能是 `new`"),
                ),
            );
        }
    }

    fn dimension(&mut self, at: usize, dimension: &Dimension, is_repeated: bool) {
        let Dimension { key, checklist, name, question, levels } = dimension;
        let (number, field) = (at + 1, format!("dimensions[{at}]"));
        let plain = key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        if key.is_empty() || !plain || key.len() > LONGEST_NAME {
            self.wrong(
                format!("{field}.key"),
                (
                    format!("the key \"{key}\" of dimension {number} is not valid"),
                    format!("第 {number} 个维度的键“{key}”无效"),
                ),
                (
                    format!("Use lowercase letters and `_`, 1 to {LONGEST_NAME} characters"),
                    format!("请使用小写字母和 `_`，1 到 {LONGEST_NAME} 个字符"),
                ),
            );
        } else if is_repeated {
            self.wrong(
                format!("{field}.key"),
                (format!("the key `{key}` occurs twice"), format!("键 `{key}` 重复")),
                ("Give each dimension a different key", "请为每个维度使用不同的键"),
            );
        } else if COLUMNS.contains(&key.as_str()) {
            self.wrong(
                format!("{field}.key"),
                (format!("`{key}` is a column of every export"), format!("`{key}` 是导出文件中已有的列")),
                ("Choose another key", "请换一个键"),
            );
        }
        self.text(format!("{field}.name"), name, LONGEST_LABEL, true, || {
            (format!("dimension {number} has no name"), format!("第 {number} 个维度没有名称"))
        });
        self.text(format!("{field}.question"), question, LONGEST_TEXT, false, Default::default);
        if *checklist {
            if *levels != Dimension::yes_and_no() {
                self.wrong(
                    format!("{field}.levels"),
                    (format!("{key} is an item of the checklist"), format!("{key} 是检查项")),
                    ("Leave out its levels: they are yes and no", "请不要填写等级：检查项只有“是”和“否”"),
                );
            }
            return;
        }
        if !(2..=MOST_LEVELS).contains(&levels.len()) {
            let n = levels.len();
            self.wrong(
                format!("{field}.levels"),
                (
                    format!("dimension {number} ({key}) has {n} levels"),
                    format!("第 {number} 个维度（{key}）有 {n} 个等级"),
                ),
                (format!("Write 2 to {MOST_LEVELS}"), format!("请写 2 到 {MOST_LEVELS} 个等级")),
            );
        }
        let expected = (1..=levels.len()).rev();
        if !levels.iter().zip(expected).all(|(level, score)| usize::from(level.score) == score) {
            self.wrong(
                format!("{field}.levels"),
                (
                    format!("the scores of dimension {number} ({key}) do not go down to 1 without a gap"),
                    format!("第 {number} 个维度（{key}）的分数没有逐一递减到 1"),
                ),
                ("Write the highest score first, the lowest is 1", "请从最高分写起，最低分为 1"),
            );
        }
        for (place, level) in levels.iter().enumerate() {
            let field = format!("{field}.levels[{place}]");
            self.text(format!("{field}.label"), &level.label, LONGEST_LABEL, false, Default::default);
            self.text(format!("{field}.text"), &level.text, LONGEST_TEXT, true, || {
                (
                    format!("level {} of dimension {number} ({key}) has no description", level.score),
                    format!("第 {number} 个维度（{key}）的 {} 分没有说明", level.score),
                )
            });
        }
    }

    fn text(
        &mut self,
        field: String,
        text: &Bilingual,
        longest: usize,
        is_needed: bool,
        is_missing: impl FnOnce() -> (String, String),
    ) {
        if is_needed && text.en.trim().is_empty() && text.zh.trim().is_empty() {
            self.wrong(field, is_missing(), FILL_IN);
        } else if text.en.chars().count().max(text.zh.chars().count()) > longest {
            self.wrong(
                field,
                (format!("the text is longer than {longest} characters"), format!("文字超过 {longest} 个字符")),
                ("Shorten it", "请缩短"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rubric::{DimensionForm, LevelForm};

    fn rubric(form: impl Fn(&mut DimensionForm)) -> Rubric {
        let level = |text: &str| LevelForm { text_en: text.into(), ..LevelForm::default() };
        let mut safety = DimensionForm {
            key: "safety".into(),
            name_en: " Safety ".into(),
            levels: vec![level("Safe"), level("Doubtful"), level("Unsafe")],
            ..DimensionForm::default()
        };
        let clarity = DimensionForm { key: "clarity".into(), ..safety.clone() };
        form(&mut safety);
        Rubric {
            slug: "security".into(),
            version: 0,
            instructions: false,
            dimensions: vec![safety.into(), clarity.into()],
        }
    }

    #[test]
    fn a_form_becomes_a_rubric_with_scores_down_to_1() {
        let found = rubric(|_| ());
        assert_eq!(found.problems(), []);
        assert_eq!(found.dimensions[0].name.en, "Safety");
        assert_eq!(found.dimensions[0].levels.iter().map(|l| l.score).collect::<Vec<_>>(), [3, 2, 1]);
    }

    #[test]
    fn a_checklist_item_has_the_levels_yes_and_no() {
        let mut found = rubric(|_| ());
        let item =
            DimensionForm { key: "tested".into(), checklist: true, name_en: "Tested".into(), ..Default::default() };
        found.dimensions.push(item.into());
        assert_eq!(found.problems(), []);
        assert_eq!((found.scales(), found.dimensions[2].range()), (2, (0, 1)));
        // As a file: without levels, which are completed.
        let json = r#"{"slug": "s", "dimensions": [{"key": "tested", "checklist": true, "name": {"en": "Tested", "zh": ""}}]}"#;
        let mut read: Rubric = serde_json::from_str(json).unwrap();
        assert_eq!(read.problems().len(), 1);
        read.complete_checklist();
        assert_eq!(read.problems(), []);
        assert_eq!(read.dimensions[0], found.dimensions[2]);
        // A rubric without a checklist is written as before.
        assert!(!serde_json::to_string(&rubric(|_| ())).unwrap().contains("checklist"));
    }

    #[test]
    fn each_problem_names_its_field() {
        let check = |field: &str, change: &dyn Fn(&mut Rubric)| {
            let mut wrong = rubric(|_| ());
            change(&mut wrong);
            let found = wrong.problems();
            assert_eq!(found.iter().map(|p| p.file.as_str()).collect::<Vec<_>>(), [field], "{found:?}");
            assert!(found[0].zh.is_some(), "{found:?}");
        };
        check("slug", &|r| r.slug = "Not this".into());
        check("slug", &|r| r.slug = "new".into());
        check("slug", &|r| r.slug = String::new());
        check("dimensions", &|r| r.dimensions.clear());
        check("dimensions[0].key", &|r| r.dimensions[0].key = "Code Quality".into());
        check("dimensions[0].key", &|r| r.dimensions[0].key = "comment".into());
        check("dimensions[1].key", &|r| r.dimensions[1].key = "safety".into());
        check("dimensions[1].name", &|r| r.dimensions[1].name.en = " ".into());
        check("dimensions[0].question", &|r| r.dimensions[0].question.zh = "问".repeat(LONGEST_TEXT + 1));
        check("dimensions[0].levels", &|r| drop(r.dimensions[0].levels.drain(..2)));
        check("dimensions[0].levels", &|r| r.dimensions[0].levels[2].score = 0);
        check("dimensions[0].levels", &|r| {
            let more = r.dimensions[0].levels[0].clone();
            r.dimensions[0].levels.resize(10, more);
            r.dimensions[0].number_levels();
        });
        check("dimensions", &|r| {
            r.dimensions[0].checklist = true;
            r.dimensions[0].levels = Dimension::yes_and_no();
        });
        check("dimensions[1].levels", &|r| r.dimensions[1].checklist = true);
        check("dimensions", &|r| {
            let levels = Dimension::yes_and_no();
            let item = Dimension { checklist: true, levels, ..r.dimensions[0].clone() };
            r.dimensions.extend((0..=MOST_ITEMS).map(|n| Dimension { key: "i".repeat(n + 1), ..item.clone() }));
        });
        check("dimensions[0].levels[1].text", &|r| r.dimensions[0].levels[1].text.en.clear());
        check("dimensions[0].levels[2].label", &|r| r.dimensions[0].levels[2].label.en = "x".repeat(81));
    }
}
