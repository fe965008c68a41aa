//! Why a rater's request is refused, in words.

use model::{error::Refusal, lang::Lang};

/// The reason for a refusal, and the remedy.
pub fn words(refusal: Refusal, lang: Lang) -> &'static str {
    let (en, zh) = match refusal {
        Refusal::NotRunning => (
            "The study is paused or closed. Your scores are saved as a draft; ask an admin to resume the study.",
            "评分项目已暂停或结束。您的分数已保存为草稿，请联系管理员恢复项目。",
        ),
        Refusal::RaterPaused => (
            "You are paused in this study until an admin decides. Your ratings and drafts are saved.",
            "您在此项目中已被暂停，等待管理员处理。您的评分和草稿都已保存。",
        ),
        Refusal::Stays => (
            "The study is paused or closed, so submitted ratings cannot be undone. Ask an admin to resume the study.",
            "评分项目已暂停或结束，已提交的评分不能撤回。请联系管理员恢复项目。",
        ),
        Refusal::Away => (
            "You were away for a while, and other raters have rated this output instead. Continue with the next one.",
            "您离开了一段时间，其他评分者已代您评完这个输出。请继续评下一个。",
        ),
        Refusal::NotLast => (
            "Only your latest rating can be undone. To change this one, open it and submit again.",
            "只能撤回最近一条评分。要修改这条评分，请打开后重新提交。",
        ),
        Refusal::AnsweredOnce => (
            "Calibration items can be answered only once; your first answer counts.",
            "校准题只能作答一次，以您第一次的答案为准。",
        ),
        Refusal::BegunAgain => (
            "An admin has restarted your calibration. Open the study again from My studies.",
            "管理员已让您重新校准，请从“我的评分项目”打开此项目。",
        ),
        Refusal::NotSkipped => {
            ("Calibration items cannot be skipped. Score it as well as you can.", "校准题不能跳过，请尽力评分。")
        }
        Refusal::NotBookmarked => ("Calibration items cannot be bookmarked.", "校准题不能加书签。"),
        Refusal::RatedYourself => (
            "You rated this output yourself, so another adjudicator must decide.",
            "您自己评过这个输出，须由其他裁定者裁定。",
        ),
        Refusal::RatedMeanwhile => (
            "You have already rated this output in another tab or on another device. To replace that rating, submit this one again.",
            "您已在其他标签页或设备上评过这个输出。如要替换那次评分，请再次提交。",
        ),
        Refusal::Agreed => ("The raters of this output no longer disagree.", "该输出的评分者之间已没有分歧。"),
    };
    lang.pick(en, zh)
}
