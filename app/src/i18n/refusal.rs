//! Why something of a rater's is not taken, in words.

use crate::{error::Refusal, model::lang::Lang};

/// A sentence on what is so, and one on what to do.
pub fn words(refusal: Refusal, lang: Lang) -> &'static str {
    let (en, zh) = match refusal {
        Refusal::NotRunning => (
            "The study is paused or closed. Your scores are kept as a draft; ask its admin to open it again.",
            "评分项目已暂停或结束。您的分数已保存为草稿，请联系管理员重新开放。",
        ),
        Refusal::Stays => (
            "The study is paused or closed, so what was submitted stays. Ask its admin to open it again.",
            "评分项目已暂停或结束，已提交的评分保持不变。请联系管理员重新开放。",
        ),
        Refusal::Away => (
            "You were away for a while, and others have rated this output in your place. Go on with the next one.",
            "您离开了一段时间，其他人已代您评完这个输出。请继续评下一个。",
        ),
        Refusal::NotLast => (
            "Only the rating given last can be taken back. This one you can open and change.",
            "只能撤回最近一次评分。这一个可以打开后修改。",
        ),
        Refusal::AnsweredOnce => (
            "A calibration item is answered once; your first answer stays.",
            "校准题只能作答一次，以您第一次的答案为准。",
        ),
        Refusal::BegunAgain => (
            "The calibration was begun again meanwhile. Open the study from your desk.",
            "校准已重新开始，请从工作台打开此评分项目。",
        ),
        Refusal::NotSkipped => {
            ("A calibration item cannot be skipped; score it as well as you can.", "校准题不能跳过，请尽力评分。")
        }
        Refusal::RatedYourself => (
            "You have rated this output yourself, so somebody else must decide.",
            "您自己评过这个输出，须由其他人裁定。",
        ),
        Refusal::Agreed => ("Its raters do not disagree any more.", "评分者之间已没有分歧。"),
    };
    match lang {
        Lang::En => en,
        Lang::Zh => zh,
    }
}
