//! Quality of studies: known scores, watching, flags, disagreements. Each text with both its languages
//! side by side. `words` are fixed; `sentences` have figures or names in them.

#![allow(missing_docs, reason = "each field's English text, below, says what it is for")]

use super::I18n;
use crate::model::lang::Lang;

impl I18n {
    /// Quality of studies.
    pub fn quality(&self) -> &'static Quality {
        match self.lang {
            Lang::En => &EN,
            Lang::Zh => &ZH,
        }
    }
}

texts! {
    /// The texts of this area.
    Quality
    words {
        // Settings
        quality: "Quality", "质量";
        settings: "What this study does about quality", "本项目的质量措施";
        settings_saved: "Saved.", "已保存。";
        calibration: "Calibration", "校准";
        calibration_hint: "Items with known scores that every rater meets first. They are listed below.", "评分者最先遇到的、已有标准评分的题目，列在下方。";
        opening_none: "None: raters begin with the work", "不校准，直接开始评分";
        opening_must: "Must pass: who is too far off is stopped", "必须通过：偏差过大者暂停";
        opening_train: "Train: after each, the known scores and reasons are shown", "练习：每题之后显示标准评分与理由";
        needed: "Right items needed to pass", "通过所需的正确题数";
        tolerance: "Levels a score may be off", "允许相差的级数";
        tolerance_hint: "An item is right when no dimension is further off than this. 0 is exact.", "每个维度的偏差都不超过此数，该题才算正确。0 表示完全一致。";
        hidden: "Hidden among the work", "混入工作的检验题";
        hidden_hint: "They look like any other output and never count as ratings of a model. In studies with outputs side by side there are none.", "它们与其他输出没有区别，也不计入任何模型的评分。并排评分的项目没有检验题。";
        gold_every: "Known scores: one in about so many outputs", "标准题：约每多少个输出一题";
        repeat_every: "Repeats: one in about so many outputs", "重复题：约每多少个输出一题";
        every_hint: "0 is none; 20 is a good beginning.", "0 表示没有；可以从 20 开始。";
        repeat_apart: "At least so many outputs before one comes again", "同一输出再次出现前至少相隔";
        disagreement: "Disagreement", "分歧";
        spread: "Widest distance let pass on a dimension", "每个维度允许的最大差距";
        spread_correctness: "The same for correctness alone", "仅正确性的最大差距";
        spread_hint: "In levels, between the highest and the lowest score of an output. Empty: any.", "同一输出最高分与最低分相差的级数。留空表示不限。";
        policy: "Beyond that", "超出时";
        policy_adjudicator: "an adjudicator decides", "由裁定者决定";
        policy_extra: "one more rater rates it, and the median is final", "再请一位评分者，以中位数为准";
        shown: "What raters see of their own figures", "评分者能看到的个人数据";
        shown_nothing: "nothing", "不显示";
        shown_progress: "progress and pace", "进度与速度";
        shown_own: "all, as far as it betrays no hidden item", "全部（以不暴露检验题为限）";
        save: "Save", "保存";

        // Known scores
        known: "Items with known scores", "标准题";
        known_none: "No item yet", "还没有标准题";
        known_none_hint: "Add a few answers whose scores you are sure of, good and bad ones.", "请添加几个评分确定无疑的答案，好的和差的都要有。";
        known_add: "Add an item", "添加标准题";
        known_from: "Pick an output that this study does not grade", "选用本项目不评的输出";
        known_or: "or paste code for a task", "或为某个任务粘贴代码";
        known_no_output: "none: the code is pasted", "不选用，改为粘贴代码";
        known_task: "Task", "任务";
        known_code: "Code", "代码";
        known_scores: "Known scores and reasons", "标准评分与理由";
        reason_en: "Reason, in English", "理由（英文）";
        reason_zh: "Reason, in Chinese", "理由（中文）";
        reason_hint: "Raters read it in training. One language is enough.", "练习时显示给评分者，填一种语言即可。";
        known_button: "Add the item", "添加";
        retire: "Ask no more", "停用";
        ask_again: "Ask again", "重新启用";
        retired: "asked no more", "已停用";
        pasted: "pasted", "粘贴";

        // Openings
        openings: "Where raters stand", "评分者的校准情况";
        not_begun: "not begun", "未开始";
        at_it: "at it", "进行中";
        passed: "passed", "已通过";
        stopped: "stopped", "未通过";
        let_in_already: "let in", "已放行";
        let_in: "Let in", "放行";
        reset: "Begin again", "重新校准";
        state: "State", "状态";
        right: "Right", "正确";
        adjudicators: "Adjudicators", "裁定者";
        adjudicator: "adjudicator", "裁定者";
        adjudicators_hint: "They decide where raters disagree, without seeing who rated or which model it was; never on what they rated themselves. Admins always may.", "裁定者在看不到评分者与模型的情况下裁决分歧，且不能裁决自己评过的输出。管理员始终可以裁决。";
        give_role: "Make adjudicator", "设为裁定者";
        take_role: "Take the role", "取消裁定者";

        // Live
        live: "Now", "实时";
        live_hint: "Kept up to date while you look.", "查看期间自动更新。";
        live_lost: "The server cannot be reached; these figures are from before.", "无法连接服务器，以下为之前的数据。";
        end: "May be over", "预计完成";
        end_unknown: "too early to say", "暂无法预计";
        disputes: "Disagreements", "分歧";
        disputes_waiting: "Disagreements waiting", "待裁决的分歧";
        extra_waiting: "Waiting for an extra rater", "待增评";
        flags_open: "Flags to answer", "待答复的提示";
        stopped_raters: "Raters stopped at calibration", "校准未通过的评分者";
        leases: "On desks now", "正在评分";
        no_leases: "Nothing is on anybody's desk.", "目前没有人在评分。";
        until: "Until", "截止";
        since: "Since", "自";
        pace: "Pace", "速度";
        active: "Active", "用时";
        severity: "Severity", "宽严";
        severity_hint: "Mean difference from the others on shared outputs, in levels: above 0 is milder.", "在共同评分的输出上与他人的平均差（级）：大于 0 为偏宽。";
        with_peers: "With others", "与他人一致";
        with_gold: "With known scores", "与标准一致";
        with_self: "With themselves", "与自己一致";
        flat: "All scores equal", "各维度同分";
        run: "Longest run", "最长连续";
        run_hint: "equal ratings in a row", "次相同评分";
        figures_of_raters: "Raters", "评分者";
        by_model: "By model", "按模型";
        agreement_so_far: "Agreement so far", "目前的一致程度";
        see_ratings: "Ratings", "评分列表";

        // Ratings
        ratings: "Ratings", "评分列表";
        any: "Any", "不限";
        only_flagged: "Only with a flag", "只看有提示的";
        only_disputed: "Only where raters disagree", "只看有分歧的";
        dimension: "Dimension", "维度";
        score: "Score", "分数";
        disputed: "disagreement", "分歧";
        earlier: "Previous page", "上一页";
        later: "Next page", "下一页";
        pages: "Pages", "分页";
        time_active: "Time", "用时";

        // Flags
        flags: "Flags", "提示";
        flags_none: "Nobody has raised a flag", "没有人提出提示";
        answered: "Answered", "已答复";
        open: "Open", "待答复";
        reply: "Reply", "答复";
        reply_hint: "The rater reads it on their desk and beside the output. Leave it empty to settle the flag without a word.", "评分者会在工作台和该输出旁看到答复。留空则直接结案。";
        reply_button: "Answer", "答复";
        reply_again: "Answer again", "再次答复";
        settled: "settled without a word", "已结案，无答复";
        read_by_rater: "read", "已读";
        unread_by_rater: "not yet read", "未读";
        probe: "test of the rater", "检验题";

        // Disagreements, for admins
        disputes_none: "No disagreement", "没有分歧";
        disputes_none_hint: "Outputs appear here once all their ratings are in and lie further apart than the study lets pass.", "当一个输出的评分全部完成且差距超出项目允许的范围时，会列在这里。";
        disputes_off: "This study lets every distance pass.", "本项目没有设定差距上限。";
        set_threshold: "Set a threshold", "设定上限";
        waiting: "waits for an adjudicator", "待裁决";
        extra: "waits for an extra rater", "待增评";
        median: "settled by the median", "以中位数为准";
        decided: "decided", "已裁决";
        decide: "Decide", "裁决";
        decide_again: "Decide again", "重新裁决";
        ask_extra: "Ask one more rater", "再请一位评分者";
        own_rating: "You rated it yourself, so somebody else must decide.", "您评过该输出，须由他人裁决。";
        final_scores: "Final", "最终";
        history: "History", "历史";
        superseded: "replaced", "已替换";

        // Adjudicating
        adjudicate: "Disagreements to decide", "待裁决的分歧";
        adjudicate_lead: "Raters disagree about these outputs. Read the code and what they said, and give the scores that shall be final.", "评分者对以下输出意见不一。请阅读代码和他们的意见，给出最终评分。";
        adjudicate_none: "Nothing to decide", "没有需要裁决的分歧";
        adjudicate_none_hint: "When raters of a study disagree too much, it will be here.", "当评分者分歧过大时，会显示在这里。";
        adjudicate_done: "Your decision is stored.", "裁决已保存。";
        yours: "Decided by you", "您已裁决";
        decision: "Your decision", "您的裁决";
        why: "Reason", "理由";
        why_hint: "For whoever reads the results. Raters do not see it.", "供阅读结果的人参考，评分者看不到。";
        decide_button: "Make it final", "确定最终评分";
        to_list: "All disagreements", "全部分歧";
        line: "Line", "行";
        task: "Task", "任务";
        asked_signature: "Signature", "方法签名";
        opinions: "What the raters gave", "评分者的意见";


        // Masking
        masking: "Names of models", "模型名称";
        masked_note: "Names of models are masked for raters. The stored outputs are as they came.", "评分者看到的内容已隐去模型名称，保存的输出保持原样。";
        mask_note: "Raters would see these names and could guess the model.", "评分者会看到这些名称，可能猜出模型。";
        mask_none: "No output names a model that we know of.", "没有输出提到已知的模型名称。";
        mask: "Mask them for raters", "对评分者隐去";
        unmask: "Show the outputs as they came", "恢复原样显示";
        mask_on_take: "Mask names of models in what raters see", "对评分者隐去模型名称";
        mask_on_take_hint: "The stored outputs stay as they came; it can be changed later on the submission's page.", "保存的输出保持原样；之后可在提交页面更改。";
        in_words: "around the code", "代码之外";
    }
    sentences {
        per_hour(n: f64) { format!("{n:.0} an hour") } { format!("每小时 {n:.0} 个") }
        hours(h: u64, m: u64) { if h > 0 { format!("{h} h {m} min") } else { format!("{m} min") } } { if h > 0 { format!("{h} 小时 {m} 分") } else { format!("{m} 分") } }
        how_projected(n: u64, hours: f64, left: u64) { format!("{n} ratings came in the last {hours:.1} hours; at that pace the {left} still wanted take until then.") } { format!("最近 {hours:.1} 小时内有 {n} 次评分；按此速度，余下的 {left} 次将在上述时间完成。") }
        items_n(n: u64) { if n == 1 { "1 item".into() } else { format!("{n} items") } } { format!("{n} 题") }
        asked_n(asked: u64, right: u64) { format!("answered {asked} times, {right} right") } { format!("作答 {asked} 次，正确 {right} 次") }
        rounds_n(n: u64) { format!("earlier rounds: {n}") } { format!("此前轮数：{n}") }
        right_of(right: u64, of: u64) { format!("{right} of {of}") } { format!("{right}/{of}") }
        letter(n: usize) { format!("Rater {}", letter_of(n)) } { format!("评分者 {}", letter_of(n)) }
        equal_of(share: &str, pairs: &str) { format!("{share} equal, {pairs} pairs") } { format!("{share} 相同，共 {pairs} 对") }
        more_n(n: u64) { if n == 1 { "and 1 more".into() } else { format!("and {n} more") } } { format!("另有 {n} 处") }
        spread_n(n: u8) { format!("{n} levels apart") } { format!("相差 {n} 级") }
        found_n(n: u64) { if n == 1 { "1 rating".into() } else { format!("{n} ratings") } } { format!("{n} 条评分") }
        page_n(n: u64, of: u64) { format!("Page {n} of {of}") } { format!("第 {n} 页，共 {of} 页") }
        extra_n(n: u64) { format!("{n} of them beyond the overlap") } { format!("其中 {n} 次为增评") }
        place(line: u64) { format!("line {line}") } { format!("第 {line} 行") }
        code_line(line: u64) { format!("line {line} of the code") } { format!("代码第 {line} 行") }
        outputs_n(n: u64) { if n == 1 { "1 output".into() } else { format!("{n} outputs") } } { format!("{n} 个输出") }
        masked_by(name: &str, when: &str) { format!("Masked by {name}, {when}.") } { format!("由 {name} 于 {when} 隐去。") }
        score_of(dimension: &str) { format!("{dimension}: score") } { format!("{dimension}：分数") }
    }
}

/// A, B, … Z, then 27, 28, ….
fn letter_of(n: usize) -> String {
    match u8::try_from(n) {
        Ok(n) if n < 26 => char::from(b'A' + n).to_string(),
        _ => (n + 1).to_string(),
    }
}
