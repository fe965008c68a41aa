//! Texts about quality: known scores, live figures, flags, disagreements. Both languages of each side by
//! side. `words` are fixed; `sentences` contain figures or names.

use super::I18n;
use model::lang::Lang;

impl I18n {
    pub fn quality(&self) -> &'static Quality {
        match self.lang {
            Lang::En => &EN,
            Lang::Zh => &ZH,
        }
    }
}

texts! {
    Quality
    words {
        // Settings
        quality: "Quality", "质量";
        settings: "Quality settings", "质量设置";
        settings_saved: "Settings saved.", "设置已保存。";
        calibration: "Calibration", "校准";
        presets: "Presets", "预设";
        presets_hint: "A preset fills in the fields below. It applies when you save.", "选择预设会填好下方各项，保存后生效。";
        preset_off: "Off", "关闭";
        preset_off_what: "No calibration, hidden checks, limits or disagreements.", "不校准，没有隐藏检验、限制和分歧。";
        preset_light: "Light", "宽松";
        preset_light_what: "Repeats some outputs, warns raters who are too fast, and lists ratings more than 2 levels apart.", "重复少量输出，提醒评分过快的人，并列出相差超过 2 级的评分。";
        preset_strict: "Strict", "严格";
        preset_strict_what: "Also a calibration to pass and hidden known-score items; pauses raters who exceed a limit, and lists ratings more than 1 level apart.", "另设须通过的校准和隐藏的标准题；超限者会被暂停，相差超过 1 级的评分即列为分歧。";
        preset_strict_needs: "Needs known-score items. Add them below first.", "需要标准题，请先在下方添加。";
        preset_custom: "These settings match no preset.", "当前设置不同于任何预设。";
        preset_now: "selected", "已选";
        preset_filled: "Not saved yet. Check the fields, then save.", "尚未保存。请核对各项，然后保存。";
        off: "off", "关";
        off_hint: "Leave a field empty to turn it off.", "留空即为关闭。";
        on_this_page: "On this page", "本页内容";
        cost: "Extra work", "额外工作量";
        cost_extra_rater: "Ratings by extra raters come on top; their number depends on the disagreements.", "补充评分另计，数量取决于分歧的多少。";
        cost_no_raters: "The study has no raters yet, so this is for 100 ratings.", "项目还没有评分者，此处按 100 次评分估算。";
        cost_side_by_side: "Outputs are rated side by side, so there are no hidden checks.", "本项目并排评分，因此没有隐藏检验题。";
        results: "Results of the checks", "检验结果";
        results_none: "No hidden check has been rated, and no output has two ratings.", "还没有人做过隐藏检验题，也没有输出得到两次评分。";
        results_all: "All figures about raters", "评分者的全部数据";
        rule_needed: "Raters pass with [needed] correct items.", "答对 [needed] 题即通过。";
        rule_tolerance: "An item is correct if no dimension is more than [tolerance] levels off.", "各维度与标准评分相差均不超过 [tolerance] 级，才算答对。";
        rule_known: "Insert a known-score item about every [known_item_every] outputs.", "约每 [known_item_every] 个输出插入一道标准题。";
        rule_repeat: "Repeat an earlier output about every [repeat_every] outputs, at least [repeat_apart] outputs after it.", "约每 [repeat_every] 个输出重复一个评过的输出，两次至少相隔 [repeat_apart] 个输出。";
        rule_window: "Check each rater after every [limit_window] outputs.", "每位评分者每评 [limit_window] 个输出检查一次。";
        rule_fast: "Too fast: [fast_limit] of these outputs took less than [min_seconds] seconds each.", "过快：其中有 [fast_limit] 个输出用时不到 [min_seconds] 秒。";
        rule_missed: "Missed checks: [missed_limit] or more hidden known-score items were not correct.", "答错：其中有 [missed_limit] 道或更多隐藏的标准题答错。";
        rule_action: "In either case: [limit_action]", "出现任一情况时：[limit_action]";
        rule_spread: "Ratings of an output disagree if they are more than [spread] levels apart on a dimension.", "同一输出的评分在某一维度上相差超过 [spread] 级，即为分歧。";
        rule_spread_correctness: "On correctness: more than [spread_correctness] levels.", "正确性另计：超过 [spread_correctness] 级。";
        rule_policy: "Then: [policy]", "处理方式：[policy]";
        rule_due: "Ratings are due by [due].", "评分截止于 [due]。";
        rule_break: "Suggest a break after [break_minutes] minutes of work.", "连续工作 [break_minutes] 分钟后提示休息。";
        rule_shown: "Statistics that raters see about themselves: [shown]", "评分者可见的个人统计：[shown]";
        for_raters: "For raters", "面向评分者";
        calibration_hint: "Raters start with the known-score items listed below.", "评分者先为下方列出的标准题评分。";
        calibration_none: "None: raters start immediately", "不校准，直接开始评分";
        calibration_must: "Must pass: raters who do not pass cannot continue", "必须通过：未通过者不能继续";
        calibration_train: "Training: show the known scores and reasons after each item", "练习：每题之后显示标准评分与理由";
        needed: "Correct items required to pass", "通过所需的正确题数";
        tolerance: "Allowed deviation in levels", "允许相差的级数";
        tolerance_hint: "0 requires exact scores.", "0 表示须完全一致。";
        hidden: "Hidden checks", "隐藏检验题";
        hidden_hint: "Hidden checks look like any other output and never count as ratings of a model. Studies with outputs side by side have none.", "隐藏检验题与其他输出没有区别，也不计入任何模型的评分。并排评分的项目没有隐藏检验题。";
        known_item_every: "Insert a known-score item about every N outputs", "约每 N 个输出插入一道标准题";
        repeat_every: "Repeat an output about every N outputs", "约每 N 个输出重复一个输出";
        repeat_apart: "Minimum distance between repeats, in outputs", "重复题的最小间隔（输出数）";
        disagreement: "Disagreements", "分歧";
        spread: "Allowed spread per dimension", "每个维度允许的分差";
        spread_correctness: "Allowed spread for correctness", "正确性允许的分差";
        policy: "If exceeded", "超出时";
        policy_adjudicator: "An adjudicator decides", "由裁定者裁定";
        policy_extra: "Add one more rater and use the median", "再请一位评分者，以中位数为准";
        shown: "Statistics that raters can see about themselves", "评分者可见的个人统计";
        shown_nothing: "Nothing", "不显示";
        shown_progress: "Progress and pace", "进度与速度";
        shown_own: "Everything that does not reveal hidden checks", "不会暴露隐藏检验题的全部统计";
        due: "Due date", "截止日期";
        due_hint: "Raters see this date. The study stays open after this date.", "评分者可以看到该日期。过期后项目仍可继续。";
        limits: "Limits for raters", "对评分者的限制";
        limits_hint: "Limits are checked each time a rater finishes a window of outputs, hidden checks included, so the timing does not reveal which output was a check.", "评分者每评完一段（含隐藏检验题）检查一次，因此无法从时机看出哪个输出是检验题。";
        min_seconds: "Minimum time per output, in seconds", "每个输出的最短用时（秒）";
        min_seconds_hint: "Ratings without a measured time do not count.", "未测得用时的评分不计。";
        fast_limit: "Fast outputs per window", "每段过快的输出数";
        missed_limit: "Missed checks per window", "每段答错的检验题数";
        missed_limit_hint: "At least 2 missed checks in a window of at least 10 outputs.", "每段至少 10 个输出，答错数至少为 2。";
        limit_window: "Length of a window, in outputs", "每段的输出数";
        limit_action: "If a limit is exceeded", "超限时";
        limit_note: "Only show it in the inbox", "仅在待办中显示";
        limit_warn: "Also warn the rater", "同时提醒评分者";
        limit_pause: "Also pause the rater until an admin decides", "同时暂停评分者，等待管理员处理";
        limits_of_raters: "Raters and limits", "评分者与限制";
        paused: "paused", "已暂停";
        warned: "warned", "已提醒";
        too_fast: "Too fast", "过快";
        missed: "Missed checks", "答错的检验题";
        pause: "Pause", "暂停";
        resume: "Resume rating", "继续评分";
        save: "Save", "保存";

        // Known scores
        known: "Known-score items", "标准题";
        known_none: "No known-score items yet", "还没有标准题";
        known_none_hint: "Add a few outputs whose scores are certain, both good and bad ones.", "请添加几个评分确定无疑的输出，好的和差的都要有。";
        pool: "Used", "用途";
        pool_calibration: "in the calibration", "用于校准";
        pool_hidden: "as a hidden check", "用于隐藏检验";
        pool_both: "in both", "两用";
        pool_both_hint: "An item in both is used in the calibration, and as a hidden check only for raters who did not have it there. Nobody gets the same code in both.", "两用的标准题在校准中出现；只有校准中没做过它的评分者才会在隐藏检验中遇到。同一代码不会对同一人两用。";
        pool_change: "Change", "更改";
        pools_no_hidden: "Hidden checks with known scores are on, but no item is left for them.", "已启用含标准题的隐藏检验，但没有可用的标准题。";
        remove: "Remove", "移除";
        graded: "output of this study", "本项目的输出";
        known_this: "Add to known-score items", "添加为标准题";
        known_this_hint: "Raters who rated this output, or still have to, never get it as an item. While one of its ratings is missing, nobody gets it, because anybody may take over that rating. After that, the other raters can get it as a hidden check or calibration item. You can remove it until a rater has received it.", "评过或仍需评这个输出的评分者不会遇到这道题；在它的评分全部完成之前，任何人都不会遇到，因为他人可能接手。之后它会成为其他评分者的检验题或校准题。在有人做过之前可以移除。";
        known_this_reason: "Reason of the adjudication:", "裁定理由：";
        known_this_median: "The scores are the median of the ratings; nobody has adjudicated it.", "以下分数为各评分的中位数，尚未裁定。";
        known_this_need: "Explain the scores on at least one dimension.", "请至少为一个维度说明理由。";
        known_add: "Add a known-score item", "添加标准题";
        known_from: "Choose an output that is not in this study", "选用不在本项目中的输出";
        known_or: "or paste code for a task", "或为某个任务粘贴代码";
        known_no_output: "None: paste code instead", "不选用，改为粘贴代码";
        known_task: "Task", "任务";
        known_code: "Code", "代码";
        known_surrounding: "Text around the code", "代码以外的文字";
        known_surrounding_hint: "For pasted code. A hidden check needs such text if every output of the study has some, and must have none if no output has any: otherwise, raters could tell it from work.", "用于粘贴的代码。若本项目的输出都带有这类文字，隐藏检验题也须带有；若都没有，则不能有，否则评分者能把它与正常题目区分开。";
        known_scores: "Known scores and reasons", "标准评分与理由";
        reason_en: "Reason in English", "理由（英文）";
        reason_zh: "Reason in Chinese", "理由（中文）";
        reason_hint: "Shown to raters in training. One language is enough.", "练习时显示给评分者，填一种语言即可。";
        known_button: "Add item", "添加";
        deactivate: "Deactivate", "停用";
        activate: "Activate", "启用";
        deactivated: "deactivated", "已停用";
        pasted: "pasted code", "粘贴的代码";

        // Calibrations
        calibrations: "Calibration results", "校准结果";
        not_begun: "not started", "未开始";
        at_it: "in progress", "进行中";
        passed: "passed", "已通过";
        stopped: "not passed", "未通过";
        admitted_already: "allowed by an admin", "已放行";
        admit: "Allow to rate", "放行";
        reset: "Repeat calibration", "重新校准";
        state: "State", "状态";
        right: "Correct", "正确";
        adjudicators: "Adjudicators", "裁定者";
        adjudicator: "adjudicator", "裁定者";
        adjudicators_hint: "Adjudicators resolve disagreements without seeing the raters or the model. They cannot adjudicate outputs that they rated themselves. Admins can always adjudicate.", "裁定者在看不到评分者与模型的情况下裁定分歧，且不能裁定自己评过的输出。管理员始终可以裁定。";
        give_role: "Make adjudicator", "设为裁定者";
        take_role: "Remove as adjudicator", "取消裁定者";

        // Live
        live: "Live", "实时";
        live_hint: "Updates automatically.", "自动更新。";
        live_lost: "The server cannot be reached. The figures may be out of date.", "无法连接服务器，以下数据可能已过时。";
        end: "Estimated finish", "预计完成";
        end_unknown: "not enough data yet", "数据不足，暂无法预计";
        disagreements: "Disagreements", "分歧";
        disagreements_waiting: "Disagreements to adjudicate", "待裁定的分歧";
        extra_waiting: "Waiting for an extra rater", "待补充评分";
        flags_open: "Open flags", "待答复的标记";
        stopped_raters: "Raters who did not pass calibration", "校准未通过的评分者";
        leases: "In progress", "正在评分";
        no_leases: "No output is being rated right now.", "目前没有人在评分。";
        until: "Reserved until", "占用至";
        since: "Since", "开始于";
        pace: "Pace", "速度";
        active: "Active time", "用时";
        leniency: "Leniency", "宽松度";
        leniency_hint: "Mean difference from the other raters on shared outputs, in levels, in the order of the rubric. Above 0 is more lenient.", "在共同评分的输出上与其他评分者的平均差（级），按评分标准的维度顺序：大于 0 为偏宽松。";
        with_peers: "Agreement with others", "与他人一致";
        with_known_scores: "Known scores matched", "与标准评分一致";
        with_self: "Agreement with own ratings", "与自己一致";
        flat: "Same score on all dimensions", "各维度同分";
        run: "Longest run", "最长连续";
        run_hint: "identical ratings in a row", "次相同评分（连续）";
        figures_of_raters: "Raters", "评分者";
        by_model: "By model", "按模型";
        no_pairs_yet: "no output rated twice yet", "还没有输出被评过两次";
        agreement_so_far: "Agreement so far", "目前的一致性";

        // Ratings
        ratings: "Ratings", "评分";
        any: "Any", "不限";
        faster_than: "Faster than (seconds)", "用时少于（秒）";
        only_flagged: "With a flag", "只看有标记的";
        only_disagreements: "With a disagreement", "只看有分歧的";
        dimension: "Dimension", "维度";
        score: "Score", "分数";
        has_disagreement: "disagreement", "分歧";

        // Flags
        flags: "Flags", "标记";
        flags_none: "No flags", "没有标记";
        answered: "Resolved", "已处理";
        open: "Open", "待答复";
        reply: "Reply", "答复";
        reply_hint: "The rater sees the reply under My studies and next to the output. Leave it empty to resolve the flag without a reply.", "评分者会在“我的评分项目”和该输出旁看到答复。留空则直接标为已处理。";
        reply_button: "Reply", "答复";
        settle: "Resolve without a reply", "不答复，标为已处理";
        flag_reason: "Reason", "原因";
        flags_inbox: "Resolve several at once in the inbox", "在待办中批量处理";
        reply_again: "Reply again", "再次答复";
        settled: "resolved without a reply", "已处理，无答复";
        read_by_rater: "read", "已读";
        unread_by_rater: "unread", "未读";
        hidden_check: "hidden check", "隐藏检验题";

        // Disagreements, for admins
        disagreements_none: "No disagreements", "没有分歧";
        disagreements_none_hint: "An output appears here when all its ratings are in and its spread exceeds what the study allows.", "当一个输出的评分全部完成且分差超出项目允许的范围时，会列在这里。";
        disagreements_not_blind: "This list names models and raters, so adjudicating from here is not blind. The inbox shows the same disagreements without names.", "此列表显示模型与评分者的名称，从这里裁定并非盲评。待办中列出同样的分歧，但不含名称。";
        to_blind: "Open the inbox", "打开待办";
        disagreements_off: "This study has no limit for the spread.", "本项目没有设定分差上限。";
        set_threshold: "Set a limit", "设定上限";
        waiting: "to adjudicate", "待裁定";
        extra: "waiting for an extra rater", "待补充评分";
        median: "resolved by the median", "以中位数为准";
        decided: "adjudicated", "已裁定";
        decide: "Adjudicate", "裁定";
        decide_again: "Adjudicate again", "重新裁定";
        ask_extra: "Add one more rater", "再请一位评分者";
        own_rating: "You rated this output yourself, so another adjudicator must decide.", "您自己评过这个输出，须由其他裁定者裁定。";
        final_scores: "Final scores", "最终评分";
        history: "History", "历史记录";
        replaced: "replaced", "已替换";

        // Adjudicating
        adjudicate: "Disagreements to adjudicate", "待裁定的分歧";
        adjudicate_lead: "Raters disagree about these outputs. Read the code and their comments, then give the final scores.", "评分者对以下输出存在分歧。请阅读代码和评语，给出最终评分。";
        adjudicate_none: "No disagreements to adjudicate", "没有待裁定的分歧";
        adjudicate_none_hint: "Outputs appear here when their raters disagree by more than the study allows.", "当评分者的分差超出项目允许的范围时，输出会显示在这里。";
        adjudicate_done: "Your adjudication is saved.", "裁定已保存。";
        yours: "Adjudicated by you", "您已裁定";
        decision: "Your adjudication", "您的裁定";
        why: "Reason", "理由";
        why_hint: "Shown with the results. Raters do not see it.", "与结果一同显示，评分者看不到。";
        adjudicate_keys: "Digits score one dimension after the other.", "数字键依次为各维度打分。";
        adjudicate_one: "Adjudicate", "裁定";
        queue: "Disagreements", "分歧";
        previous_one: "Previous", "上一个";
        next_one: "Next", "下一个";
        accept_short: "Accept", "采用";
        skip_one: "Skip", "跳过";
        decide_button: "Save final scores", "保存最终评分";
        to_list: "All disagreements", "全部分歧";
        line: "Line", "行";
        task: "Task", "任务";
        asked_signature: "Signature", "方法签名";
        opinions: "Ratings to compare", "各评分者的评分";

        // Masking
        masking: "Model names", "模型名称";
        masked_note: "Model names are hidden from raters. The stored outputs are unchanged.", "评分者看到的内容已隐去模型名称，保存的输出保持不变。";
        mask_note: "Raters would see these names and could guess the model.", "评分者会看到这些名称，可能猜出模型。";
        mask_many: "This submission is large, so its outputs were not searched for names of models.", "该输出集较大，尚未查找其中的模型名称。";
        mask_search: "Search them now", "立即查找";
        mask_none: "No output contains a known model name.", "没有输出包含已知的模型名称。";
        mask: "Hide model names from raters", "对评分者隐去模型名称";
        unmask: "Show model names to raters", "恢复显示模型名称";
        mask_on_import: "Hide model names from raters", "对评分者隐去模型名称";
        mask_on_take_hint: "The stored outputs are unchanged. You can change this later on the submission's page.", "保存的输出保持不变；之后可在输出集页面更改。";
        in_words: "outside the code", "代码之外";
    }
    sentences {
        per_hour(n: &str) { format!("{n} per hour") } { format!("每小时 {n} 个") }
        hours(h: u64, m: u64) { if h > 0 { format!("{h} h {m} min") } else { format!("{m} min") } } { if h > 0 { format!("{h} 小时 {m} 分") } else { format!("{m} 分") } }
        how_projected(n: u64, hours: f64, left: u64) { format!("Based on {n} ratings in the last {hours:.1} hours and {left} remaining.") } { format!("根据最近 {hours:.1} 小时内的 {n} 条评分和剩余的 {left} 次估算。") }

        extra_work(percent: u64) { if percent == 0 { "No extra work for raters".into() } else { format!("≈ {percent}% extra work per rater") } } { if percent == 0 { "不增加评分者的工作量".into() } else { format!("每位评分者约增加 {percent}% 的工作量") } }
        extra_parts(ratings: &str, calibration: u64, known: f64, repeats: f64)
            {
                let parts = [(calibration, "calibration items"), (known.round() as u64, "hidden known-score items"), (repeats.round() as u64, "repeats")];
                let parts = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{what}: {n}"));
                format!("On top of {ratings} ratings: {}.", parts.collect::<Vec<_>>().join(", "))
            }
            {
                let parts = [(calibration, "校准题"), (known.round() as u64, "隐藏的标准题"), (repeats.round() as u64, "重复题")];
                let parts = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{what} {n} 道"));
                format!("在 {ratings} 次评分之外：{}。", parts.collect::<Vec<_>>().join("，"))
            }
        pools_n(calibration: usize, hidden: usize) { format!("Active items: {calibration} in the calibration, {hidden} as hidden checks.") } { format!("启用的标准题：校准 {calibration} 道，隐藏检验 {hidden} 道。") }
        known_missing(n: u64) { if n == 1 { "1 rating of this output is still missing.".into() } else { format!("{n} ratings of this output are still missing.") } } { format!("该输出还缺 {n} 条评分。") }
        asked_n(asked: u64, right: u64) { match asked { 1 => format!("answered once, {right} correct"), n => format!("answered {n} times, {right} correct") } } { format!("作答 {asked} 次，正确 {right} 次") }
        rounds_n(n: u64) { format!("earlier rounds: {n}") } { format!("此前轮数：{n}") }
        right_of(right: u64, of: u64) { format!("{right} of {of}") } { format!("{right}/{of}") }
        nth_of(n: u64, of: u64) { format!("{n} of {of}") } { format!("第 {n} 个，共 {of} 个") }
        accept(name: &str) { format!("Accept the scores of {name}") } { format!("采用{name}的分数") }
        chosen_by(names: &str) { format!("chosen by {names}") } { format!("{names}的选择") }
        letter(n: usize) { format!("Rater {}", letter_of(n)) } { format!("评分者 {}", letter_of(n)) }
        equal_of(share: &str, pairs: &str) { format!("{share} exact, {pairs} pairs") } { format!("{share} 完全一致，共 {pairs} 对") }
        more_n(n: u64) { if n == 1 { "and 1 more".into() } else { format!("and {n} more") } } { format!("另有 {n} 处") }
        spread_n(n: u8) { if n == 1 { "spread of 1 level".into() } else { format!("spread of {n} levels") } } { format!("分差 {n} 级") }
        found_more_n(n: u64) { format!("more than {n} ratings") } { format!("超过 {n} 条评分") }
        found_n(n: u64) { if n == 1 { "1 rating".into() } else { format!("{n} ratings") } } { format!("{n} 条评分") }
        extra_n(n: u64) { format!("including {n} by extra raters") } { format!("其中 {n} 条为补充评分") }
        place(line: u64) { format!("line {line}") } { format!("第 {line} 行") }
        code_line(line: u64) { format!("line {line} of the code") } { format!("代码第 {line} 行") }
        outputs_n(n: u64) { if n == 1 { "1 output".into() } else { format!("{n} outputs") } } { format!("{n} 个输出") }
        masked_by(name: &str, when: &str) { format!("Hidden by {name} on {when}.") } { format!("由 {name} 于 {when} 隐去。") }

    }
}

/// The letter of a rater in a disagreement: A, B, … Z, then 27, 28, ….
pub fn letter_of(n: usize) -> String {
    match u8::try_from(n) {
        Ok(n) if n < 26 => char::from(b'A' + n).to_string(),
        _ => (n + 1).to_string(),
    }
}
