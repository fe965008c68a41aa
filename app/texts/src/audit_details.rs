//! The details of entries of the audit log, in words.

use serde_json::Value;

use super::I18n;
use model::{
    audit::Object,
    audit_details::{Details, Fact, Made, Unused},
    lang::Lang,
    quality::FlagOn,
    run::Rerun,
};

/// The details as lines, each a name and its value.
pub fn lines(i: I18n, details: &Details) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    details.0.iter().for_each(|fact| add(i, fact, &mut lines));
    lines
}

fn add(i: I18n, fact: &Fact, lines: &mut Vec<(String, String)>) {
    let (en, zh, value) = match fact {
        Fact::Account(id) => ("Account", "账户", id.to_string()),
        Fact::AddedMembers(names) => ("Added", "新增", names.join(", ")),
        Fact::Audience(to) => ("To", "发送给", audience(i, to)),
        Fact::Dataset(slug) => ("Dataset", "数据集", slug.clone()),
        Fact::Days(days) => ("Expires after (days)", "有效期（天）", days.to_string()),
        Fact::Delivery(id) => ("Delivery", "推送", id.to_string()),
        Fact::Duplicate(id) => ("New study", "新项目", id.to_string()),
        Fact::Endpoint(name) => ("Endpoint", "端点", name.clone()),
        Fact::Flag(FlagOn::Assignment(id)) => ("Flag on the rating", "标记所在的评分", id.to_string()),
        Fact::Flag(FlagOn::Check(id)) => {
            ("Flag on the calibration item or hidden check", "标记所在的校准题或隐藏检验题", id.to_string())
        }
        Fact::Freed(what, count) => return lines.push((unused(i.lang, *what).to_owned(), i.number(*count))),
        Fact::Group(name) => ("Group", "分组", name.clone()),
        Fact::Hours(hours) => ("Expires after (hours)", "有效期（小时）", hours.to_string()),
        Fact::InboxItem(kind) => ("Item", "事项", i.inbox().kind(*kind).to_owned()),
        Fact::InvalidLines(lines) => ("Invalid lines left out", "略去的无效行", i.number(*lines)),
        Fact::Issuer(issuer) => ("Identity provider", "身份提供方", issuer.clone()),
        Fact::KnownItem(id) => ("Known-score item", "标准题", id.to_string()),
        Fact::KnownItems(count) => ("Known-score items", "标准题数", i.number(*count)),
        Fact::Label(label) => ("Label", "标签", label.clone()),
        Fact::Link(id) => ("Link", "链接", id.to_string()),
        Fact::Made(made) => ("How", "方式", way(i.lang, *made).to_owned()),
        Fact::Model(name) => ("Model", "模型", name.clone()),
        Fact::Name(name) => ("Name", "名称", name.clone()),
        Fact::OldName(name) => ("Name before", "原名称", name.clone()),
        Fact::Output(id) => ("Output", "输出", id.to_string()),
        Fact::Block(block) => (
            "Code block",
            "代码块",
            block.map_or_else(|| i.lang.pick("by the rules", "按规则").to_owned(), |number| number.to_string()),
        ),
        Fact::Pace(seconds) => (
            "Seconds for a rating",
            "每次评分的秒数",
            seconds.map_or_else(|| i.lang.pick("as measured", "按实测").to_owned(), |seconds| seconds.to_string()),
        ),
        Fact::Pool(pool) => ("Used", "用途", i.pool_name(*pool).to_owned()),
        Fact::Ratings(count) => ("Ratings", "评分数", i.number(*count)),
        Fact::Reads(reads) => {
            let langs = [Lang::En, Lang::Zh].into_iter().filter(|lang| reads.has(*lang));
            ("Reads", "阅读语言", langs.map(Lang::name).collect::<Vec<_>>().join(", "))
        }
        Fact::Reason(reason) => ("Reason", "原因", reason.clone()),
        Fact::RemovedMembers(names) => ("Removed", "移除", names.join(", ")),
        Fact::Rerun(what) => ("Outputs", "输出", rerun(i.lang, what)),
        Fact::Responses(count) => ("Responses", "回答数", i.number(*count)),
        Fact::Role(role) => ("Role", "角色", i.role_name(*role).to_owned()),
        Fact::Rubric(name) => ("Rubric", "评分标准", name.clone()),
        Fact::Settings(Value::Object(fields)) => {
            return fields.iter().for_each(|(key, value)| flatten(key, value, lines));
        }
        Fact::Settings(other) => ("Settings", "设置", other.to_string()),
        Fact::Status(status) => ("Status", "状态", i.state_name(*status).to_owned()),
        Fact::Study(id) => ("Study", "评分项目", id.to_string()),
        Fact::Submission(id) => ("Submission", "输出集", id.to_string()),
        Fact::TokenPrefix(prefix) => ("Begins with", "开头", format!("{prefix}…")),
        Fact::Url(url) => ("URL", "网址", url.clone()),
        Fact::Version(version) => ("Version", "版本", version.to_string()),
    };
    lines.push((i.lang.pick(en, zh).to_owned(), value));
}

/// The fields of a JSON value with their paths, such as `speed.min_seconds`; without those that have no value.
fn flatten(path: &str, value: &Value, lines: &mut Vec<(String, String)>) {
    match value {
        Value::Null => {}
        Value::Object(object) => {
            object.iter().for_each(|(key, value)| flatten(&format!("{path}.{key}"), value, lines));
        }
        Value::String(text) => lines.push((path.to_owned(), text.clone())),
        Value::Array(items) => {
            let plain = |item: &Value| item.as_str().map_or_else(|| item.to_string(), ToOwned::to_owned);
            lines.push((path.to_owned(), items.iter().map(plain).collect::<Vec<_>>().join(", ")));
        }
        other => lines.push((path.to_owned(), other.to_string())),
    }
}

/// `everyone`, or an object of the audit log.
fn audience(i: I18n, to: &str) -> String {
    match to.parse::<Object>() {
        Ok(object) => i.audit().object_name(&object),
        Err(_) => i.announcements().everyone.to_owned(),
    }
}

/// Data that nothing refers to, in words.
pub fn unused(lang: Lang, what: Unused) -> &'static str {
    let (en, zh) = match what {
        Unused::UnfinishedUploads => ("unfinished uploads", "未完成的上传"),
        Unused::Uploads => ("uploads without a submission", "没有输出集的上传文件"),
        Unused::Verdicts => ("cached verdicts without a result", "没有结果的缓存判定"),
        Unused::TestFiles => ("test files without a dataset", "没有数据集的测试文件"),
        Unused::Images => ("images of replaced toolchains", "已替换工具链的镜像"),
        Unused::Suites => ("compiled tests without a dataset", "没有数据集的已编译测试"),
        Unused::Jars => ("jars without a dataset", "没有数据集的 jar 文件"),
        Unused::OldSchemas => ("copies from before an update", "更新前的副本"),
    };
    lang.pick(en, zh)
}

fn way(lang: Lang, made: Made) -> &'static str {
    let (en, zh) = match made {
        Made::ByOwner => ("changed by its owner", "由本人修改"),
        Made::AtFirstLogin => ("chosen at the first login", "首次登录时设定"),
        Made::ByLink => ("set by a link", "通过链接设定"),
        Made::Reset => ("reset from the command line", "通过命令行重置"),
        Made::BySingleSignOn => ("by single sign-on", "通过单点登录"),
    };
    lang.pick(en, zh)
}

fn rerun(lang: Lang, what: &Rerun) -> String {
    match what {
        Rerun::Output(output) => output.to_string(),
        Rerun::Tasks(tasks) => match lang {
            Lang::En => format!("of the tasks {}", tasks.join(", ")),
            Lang::Zh => format!("任务 {} 的输出", tasks.join(", ")),
        },
        Rerun::Failed => lang.pick("those on which the engine failed", "引擎出错的").to_owned(),
        Rerun::OfRemovedWorkers => {
            lang.pick("those that removed workers reported", "由已移除的工作进程报告的").to_owned()
        }
        Rerun::Changed => lang.pick("those whose result may have changed", "结果可能已变化的").to_owned(),
        Rerun::Rest => lang.pick("those without a result", "尚无结果的").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{
        ids::{DeliveryId, OutputId, PublicLinkId, StudyId, SubmissionId, UserId},
        inbox::InboxKind,
        plan::Reads,
        quality::Pool,
        study::StudyStatus,
        user::Role,
    };

    /// One fact of each kind, with text `x`.
    fn each() -> Vec<Fact> {
        let x = || "x".to_owned();
        vec![
            Fact::Account(UserId(1)),
            Fact::AddedMembers(vec![x()]),
            Fact::Audience("study 3".into()),
            Fact::Dataset(x()),
            Fact::Days(1),
            Fact::Delivery(DeliveryId(1)),
            Fact::Duplicate(StudyId(1)),
            Fact::Endpoint(x()),
            Fact::Flag(FlagOn::Assignment(1)),
            Fact::Flag(FlagOn::Check(1)),
            Fact::Freed(Unused::Uploads, 1),
            Fact::Group(x()),
            Fact::Hours(1),
            Fact::InboxItem(InboxKind::Pace),
            Fact::InvalidLines(1),
            Fact::Issuer(x()),
            Fact::KnownItem(1),
            Fact::KnownItems(1),
            Fact::Label(x()),
            Fact::Link(PublicLinkId(1)),
            Fact::Made(Made::ByLink),
            Fact::Model(x()),
            Fact::Name(x()),
            Fact::OldName(x()),
            Fact::Output(OutputId(1)),
            Fact::Block(None),
            Fact::Pace(None),
            Fact::Pool(Pool::Hidden),
            Fact::Ratings(1),
            Fact::Reads(Reads::BOTH),
            Fact::Reason(x()),
            Fact::RemovedMembers(vec![x()]),
            Fact::Rerun(Rerun::Failed),
            Fact::Responses(1),
            Fact::Role(Role::Rater),
            Fact::Rubric(x()),
            Fact::Settings(serde_json::json!({ "pace": 1 })),
            Fact::Status(StudyStatus::Closed),
            Fact::Study(StudyId(1)),
            Fact::Submission(SubmissionId(1)),
            Fact::TokenPrefix(x()),
            Fact::Url(x()),
            Fact::Version(1),
        ]
    }

    #[test]
    fn every_fact_is_a_line_in_both_languages() {
        let (en, zh) = (I18n::of(Lang::En), I18n::of(Lang::Zh));
        for fact in each() {
            let is_setting = matches!(fact, Fact::Settings(_));
            let details = Details(vec![fact]);
            let (english, chinese) = (lines(en, &details), lines(zh, &details));
            assert_eq!((english.len(), chinese.len()), (1, 1), "{details:?}");
            assert!(!english[0].0.is_empty() && !english[0].1.is_empty(), "{english:?}");
            // Settings have the names of the API.
            assert!(is_setting || english[0].0 != chinese[0].0, "{english:?}");
        }
    }

    #[test]
    fn settings_show_their_fields() {
        let value = serde_json::json!({ "title": "A", "pace": { "min": 5, "max": null }, "raters": [1, "b"] });
        let expected =
            [("pace.min", "5"), ("raters", "1, b"), ("title", "A")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        let mut found = lines(I18n::of(Lang::En), &Details(vec![Fact::Settings(value)]));
        found.sort();
        assert_eq!(found, expected);
    }
}
