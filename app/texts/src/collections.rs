//! Collections from endpoints, of outputs and of judge models' scores. Each text has both its languages side by side.

use super::{I18n, faults, runs};
use model::{
    collection::{CollectionRow, End, EndCount, RequestStatus, StopReason},
    conversation::Way,
    judging::LevelOrder,
    lang::Lang,
    message::Message,
};

texts! {
    /// The texts about collections.
    CollectionTexts
    words {
        title: "Collections", "采集";
        lead: "A collection requests a model's outputs for a dataset from an endpoint that speaks OpenAI's chat completions protocol.", "采集通过兼容 OpenAI chat completions 协议的端点，为数据集请求模型的输出。";
        new: "New collection", "新建采集";
        none: "No collections yet", "还没有采集";
        no_endpoints: "The operator has configured no endpoint. Start the server with --endpoint, such as --endpoint local=http://127.0.0.1:8000/v1.", "运维人员尚未配置端点。请在启动服务器时加上 --endpoint，例如 --endpoint local=http://127.0.0.1:8000/v1。";
        model: "Model", "模型";
        endpoint: "Endpoint", "端点";
        state: "State", "状态";
        answered: "Answered", "已响应";
        conversations_done: "Conversations finished", "已完成的对话";
        failed_count: "Failed", "失败";
        tokens: "Tokens", "词元";
        created: "Created", "创建时间";

        // The form
        model_hint: "The name that tables show.", "在表格中显示的名称。";
        endpoint_model: "Model's name at the endpoint", "端点使用的模型名称";
        endpoint_model_hint: "Leave empty if it is the same.", "与上面相同时留空。";
        samples: "Samples per task", "每个任务的样本数";
        temperature: "Temperature", "温度";
        default_hint: "Leave empty for the endpoint's default.", "留空则使用端点的默认值。";
        top_p: "Top-p", "Top-p";
        seed: "Seed", "随机种子";
        seed_hint: "Each further sample of a task gets the next seed. Leave empty to send none.", "同一任务的后续样本依次加一。留空则不发送。";
        response_tokens: "Maximum tokens per response", "单个响应的最大词元数";
        system: "System message", "系统消息";
        system_hint: "Leave empty to send none.", "留空则不发送。";
        template: "Prompt template", "提示词模板";
        template_hint: "Leave empty for the dataset's default. Placeholders: {description}, {signature}, {language}, {fence}; for HumanEval-X also {prompt} and {declaration}.", "留空则使用该数据集的默认模板。占位符：{description}、{signature}、{language}、{fence}；HumanEval-X 还有 {prompt} 和 {declaration}。";
        template_zh: "Template for tasks described in Chinese", "中文描述任务的提示词模板";
        template_zh_hint: "Leave empty to use the same template.", "留空则使用同一模板。";
        way: "Way of asking, in conversations", "对话的提问方式";
        way_hint: "Only for datasets whose tasks are conversations (CodeIF-Bench).", "仅用于任务为对话的数据集（CodeIF-Bench）。";
        way_usual: "All turns", "全部轮次";
        way_base: "The base prompt alone", "仅基础提示";
        way_single: "The base prompt and one instruction in one message", "基础提示与一条指令合为一条消息";
        way_multi: "The base prompt, its answer, then one instruction", "基础提示、其回答，然后一条指令";
        way_n: "The base prompt, then all instructions, turn by turn", "基础提示，然后逐轮给出全部指令";
        way_dynamic: "Turn by turn, where tests of each answer decide what is asked next", "逐轮进行，由每个回答的测试决定接下来问什么";
        turn: "Turn", "轮次";
        feedback_template: "Template for failed tests, in dynamic conversations", "动态对话中测试失败时的模板";
        feedback_template_hint: "Leave empty for the default. Placeholders: {instruction}, {failure}.", "留空则使用默认模板。占位符：{instruction}、{failure}。";
        tests: "Tests", "测试";
        tests_passed: "passed", "通过";
        tests_failed: "failed", "未通过";
        tests_pending: "not run yet", "尚未运行";
        told: "What the tests showed, as the model is told", "告知模型的测试结果";
        turn_template: "Template of an instruction, in conversations", "对话中指令的模板";
        turn_template_hint: "Leave empty for the default. Placeholder: {instruction}.", "留空则使用默认模板。占位符：{instruction}。";
        stream: "Streamed responses", "流式响应";
        stream_usual: "Only if the endpoint answers in no other way", "仅在端点只支持流式响应时";
        stream_yes: "yes", "是";
        stream_no: "no", "否";
        stream_found: "yes: the endpoint answers in no other way", "是：端点只支持流式响应";
        limit_field: "Field of the maximum tokens per response", "单个响应最大词元数所用字段";
        parameters: "Additional request fields", "请求的其他字段";
        parameters_hint: "A JSON object, such as {\"top_k\": 20}.", "JSON 对象，例如 {\"top_k\": 20}。";
        tasks: "Tasks", "任务";
        tasks_hint: "External IDs, separated by spaces or commas. Leave empty for all tasks.", "任务的外部 ID，以空格或逗号分隔。留空则为全部任务。";
        at_once: "Simultaneous requests", "并发请求数";
        per_minute: "Maximum requests per minute", "每分钟最多请求数";
        per_minute_hint: "Leave empty for no limit.", "留空则不限。";
        timeout: "Request timeout in seconds", "请求超时（秒）";
        max_requests: "Maximum number of requests", "请求数上限";
        max_requests_hint: "Including retries. Leave empty for no limit.", "包括重发的请求。留空则不限。";
        max_tokens: "Maximum number of tokens", "词元数上限";
        max_tokens_hint: "Prompts and responses together. Leave empty for no limit.", "提示词与响应合计。留空则不限。";
        more: "Sampling, prompts and limits", "采样、提示词与限制";
        create: "Preview prompts and cost", "预览提示词与开销";

        // A collection
        start: "Start", "开始";
        stop: "Stop", "停止";
        resume: "Resume", "继续";
        resume_failed: "Retry failed requests", "重发失败的请求";
        import: "Preview and import", "预览并导入";
        import_hint: "Creates a file from the responses so far and previews it like an upload.", "将目前的响应生成一个文件，并像上传文件一样预览。";
        delete: "Delete", "删除";
        delete_warning: "Its prompts and responses are deleted permanently. Submissions imported from it are kept.", "其提示词和响应将被永久删除。由其导入的输出集会保留。";
        delete_now: "Delete collection", "删除采集";
        no_key: "without a key", "无密钥";
        settings: "Settings", "设置";
        requests: "Requests", "请求";
        no_requests: "Nothing has been sent yet", "尚未发送请求";
        task: "Task", "任务";
        sample: "Sample", "样本";
        attempts: "Attempts", "尝试次数";
        prompt_tokens: "Prompt tokens", "提示词词元";
        tokens_out: "Response tokens", "响应词元";
        latency: "Latency", "延迟";
        ended_by: "Ended by", "结束原因";
        prompts: "First prompts", "前几个提示词";
        one_request: "Request", "请求";
        messages: "Messages as sent", "已发送的消息";
        response: "Unmodified response", "原始响应";
        reasoning: "Reasoning", "推理过程";
        reasoning_hint: "The model's reasoning, apart from its answer. It is never run or graded, and raters do not see it.", "模型在回答之外的推理过程。不会被运行或评分，评分者也看不到。";
        refusal: "Refusal", "拒绝回答";
        no_end: "no reason given", "未说明";
        reported_model: "Model as reported", "端点报告的模型";
        no_response: "No response.", "没有响应。";
        left: "Time left:", "剩余时间：";
        waits: "Waiting for the first request.", "等待发送第一个请求。";
        in_flight: "Requests in progress are still answered.", "仍在等待进行中的请求。";
        outdated: "Tasks of this collection have changed in a new version of the dataset. Its responses cannot be imported; start a new collection.", "该采集的任务在数据集的新版本中已有变化，其响应无法导入，请新建采集。";
        submissions: "Imported as", "已导入为";
        collected: "Collected", "采集来源";
        full_stop: ".", "。";

        // Judgings
        of: "Of", "内容";
        of_outputs: "outputs", "输出";
        of_scores: "scores", "评判分数";
        new_judging: "New judging", "新建评判";
        judging_lead: "A judge model scores outputs with a study's rubric. Its scores are compared with people's ratings and never count as ratings.", "由评判模型按评分项目的评分标准为输出打分。其分数仅与人工评分对照，不计入人工评分。";
        study: "Study", "评分项目";
        no_studies: "No studies yet", "还没有评分项目";
        judge: "Judge model", "评判模型";
        judge_hint: "As it should appear in comparisons. The dataset must not have a judge model of this name yet.", "在模型比较中显示的名称，不能与该数据集已有的评判模型重名。";
        rubric: "Rubric", "评分标准";
        rubric_hint: "Its short name, with a version for another than the newest. Empty for the dataset's.", "其短名称；需要旧版本时加上版本号。留空则使用数据集的评分标准。";
        answers: "Answers per output", "每个输出的回答数";
        answers_hint: "Several answers are combined: on each dimension their median counts, and for each instruction what most of them say.", "多个回答会合并：每个维度取中位数，每条指令取多数。";
        judging_lang: "Language of the prompt", "提示词语言";
        level_order: "Order of levels", "等级顺序";
        level_order_hint: "A drawn order shows whether scores depend on it.", "随机顺序可用于检查分数是否受顺序影响。";
        judging_tasks_hint: "External IDs, separated by spaces or commas. Empty for the outputs of all tasks.", "任务的外部 ID，以空格或逗号分隔。留空则评判全部任务的输出。";
        judging_seed_hint: "Each further answer for an output gets the next seed. It also draws the order of levels. Empty to send none.", "同一输出的后续回答依次加一；等级顺序也由其决定。留空则不发送。";
        judging_more: "Sampling and limits", "采样与限制";
        judging_delete_warning: "Its prompts, its responses and the scores of the judge model are deleted for good.", "其提示词、响应以及评判模型的分数将被永久删除。";
        dimensions: "Dimensions", "维度";
        by_order: "Mean scores by the order of levels", "按等级顺序的平均分";
        valid_answers: "Valid answers", "有效回答";
        scored: "Outputs with scores", "已有分数的输出";
        invalid: "Requests without a valid answer", "无有效回答的请求";
        scores: "Scores", "分数";
        answer: "Answer", "回答";
        instructions: "Instructions", "指令";
        instructions_asked: "answered one by one", "逐条回答是否遵循";
        followed: "followed", "已遵循";
        not_followed: "not followed", "未遵循";
        comma: ", ", "，";
        no_scores: "no valid answer", "无有效回答";
        output: "Output", "输出";
        comparison: "Comparison with people", "与人工评分对照";
        asked_again: "asked once more", "已再次询问";
    }
    sentences {
        cost(requests: u64, prompt: u64)
            { format!("{} requests with about {} prompt tokens", num(requests), num(prompt)) }
            { format!("{} 个请求，提示词约 {} 词元", num(requests), num(prompt)) }
        cost_at_most(requests: u64, prompt: u64)
            { format!("At most {} requests with about {} prompt tokens", num(requests), num(prompt)) }
            { format!("最多 {} 个请求，提示词约 {} 词元", num(requests), num(prompt)) }
        follows(passed: u64, of: u64)
            { format!("The answer passes the tests of {passed} of {of} instructions.") }
            { format!("该回答通过了 {of} 条指令中 {passed} 条的测试。") }
        cost_most(most: u64)
            { format!("and at most {} response tokens.", num(most)) }
            { format!("，响应最多 {} 词元。", num(most)) }
        endpoint_gone(name: &str, url: &str)
            { format!("This server has no endpoint {name} at {url}. The operator can add it with --endpoint {name}={url}.") }
            { format!("本服务器没有位于 {url} 的端点 {name}。运维人员可用 --endpoint {name}={url} 添加。") }
        estimated(n: u64)
            { format!("The endpoint did not report the tokens of {} responses, so they are estimated.", num(n)) }
            { format!("有 {} 个响应的词元数为估算值，因为端点未报告。", num(n)) }
        empty(n: u64)
            { format!("{} empty: the model gave no text.", are(n)) }
            { format!("有 {} 个响应为空：模型没有给出文本。", num(n)) }
        empty_outputs(n: u64)
            { format!("{} empty: the model gave no text. As outputs, they have no code and fail.", are(n)) }
            { format!("有 {} 个响应为空：模型没有给出文本。作为输出，它们没有代码，会判为未通过。", num(n)) }
        filtered(n: u64)
            { format!("{} withheld or shortened by a content filter of the endpoint.", if n == 1 { "1 response was".into() } else { format!("{} responses were", num(n)) }) }
            { format!("有 {} 个响应被端点的内容过滤器拦截或截断。", num(n)) }
        tool_calls(n: u64)
            { format!("{} ended by calling a tool instead of answering, although the request offers none.", responses(n)) }
            { format!("有 {} 个响应以调用工具结束而没有回答，尽管请求未提供工具。", num(n)) }
        other_ends(n: u64)
            { format!("{} ended for a reason that is not known, and may be incomplete.", responses(n)) }
            { format!("有 {} 个响应以未知原因结束，可能不完整。", num(n)) }
        refused(n: u64)
            { if n == 1 { "In 1 response, the model declined to answer.".into() } else { format!("In {} responses, the model declined to answer.", num(n)) } }
            { format!("在 {} 个响应中，模型拒绝回答。", num(n)) }
        other_parts(n: u64)
            { format!("{} parts that are neither text nor reasoning. They are left out; the page of a request names them.", if n == 1 { "1 response has".into() } else { format!("{} responses have", num(n)) }) }
            { format!("有 {} 个响应含有既非文本也非推理的部分，已略去；请求页面列出其类型。", num(n)) }
        left_out(types: &str)
            { format!("Parts of these types are left out: {types}.") }
            { format!("已略去以下类型的部分：{types}。") }
        cut_off(n: u64)
            { format!("{} reached a token limit and may be incomplete. To avoid this, start a new collection with a higher maximum per response.", responses(n)) }
            { format!("有 {} 个响应因达到词元数上限而结束，可能不完整。可在新的采集中提高单个响应的最大词元数。", num(n)) }
        waits_for(time: &str, why: &str)
            { format!("Waiting until {time}: {why}.") }
            { format!("等待至 {time}：{why}。") }
        sent_n(n: u64) { format!("{} sent, including retries", num(n)) } { format!("共发送 {} 次（含重发）", num(n)) }
        fault(why: &str)
            { format!("The answer is not valid: {why}.") }
            { format!("该回答无效：{why}。") }
        study_n(id: i64) { format!("study {id}") } { format!("评分项目 {id}") }
        submission_outputs(id: i64)
            { format!("The outputs of submission {id}") }
            { format!("输出集 {id} 的输出") }
        judging_n(id: i64) { format!("Judging {id}") } { format!("评判 {id}") }
        number(id: i64) { format!("Collection {id}") } { format!("采集 {id}") }
        submission_n(id: i64) { format!("submission {id}") } { format!("输出集 {id}") }
        at_endpoint(model: &str, endpoint: &str)
            { format!("{model} at {endpoint}") }
            { format!("{endpoint} 的 {model}") }
    }
}

fn num(n: u64) -> String {
    I18n::of(Lang::En).number(n)
}

/// `1 response`, `2 responses`
fn responses(n: u64) -> String {
    if n == 1 { "1 response".into() } else { format!("{} responses", num(n)) }
}

/// `1 response is`, `2 responses are`
fn are(n: u64) -> String {
    format!("{} {}", responses(n), if n == 1 { "is" } else { "are" })
}

impl CollectionTexts {
    /// What to know of a collection's responses before anybody reads its results: those that are not whole answers.
    pub fn warnings(&self, row: &CollectionRow) -> Vec<String> {
        let empty = if row.judging.is_some() { self.empty } else { self.empty_outputs };
        let counts = [
            (row.empty, empty),
            (row.ended(End::Length), self.cut_off),
            (row.ended(End::Filter), self.filtered),
            (row.refused, self.refused),
            (row.ended(End::Tools), self.tool_calls),
            (row.ended(End::Other), self.other_ends),
            (row.other_parts, self.other_parts),
        ];
        counts.into_iter().filter(|(n, _)| *n > 0).map(|(n, sentence)| sentence(n)).collect()
    }

    /// Why a collection's responses ended: `stop 38, length 2`. Empty if there is no response.
    pub fn ends(&self, row: &CollectionRow) -> String {
        let of = |end: &EndCount| format!("{} {}", end.reason.as_deref().unwrap_or(self.no_end), num(end.responses));
        row.ends.iter().map(of).collect::<Vec<_>>().join(self.comma)
    }

    /// A way of asking in conversations.
    pub fn way_name(&self, way: Way) -> &'static str {
        match way {
            Way::Base => self.way_base,
            Way::Single => self.way_single,
            Way::Multi => self.way_multi,
            Way::N => self.way_n,
            Way::Dynamic => self.way_dynamic,
        }
    }

    /// An order of levels.
    pub fn order_name(&self, order: LevelOrder) -> &'static str {
        let (en, zh) = match order {
            LevelOrder::BestFirst => ("best first", "从好到差"),
            LevelOrder::WorstFirst => ("worst first", "从差到好"),
            LevelOrder::Drawn => ("drawn for each request", "每个请求随机"),
        };
        self.lang.pick(en, zh)
    }

    /// A request's state.
    pub fn request_name(&self, status: RequestStatus) -> &'static str {
        let (en, zh) = match status {
            RequestStatus::Sent => ("in progress", "进行中"),
            RequestStatus::Waiting => ("waiting", "等待发送"),
            RequestStatus::Answered => ("answered", "已响应"),
            RequestStatus::Failed => ("failed", "失败"),
        };
        self.lang.pick(en, zh)
    }
}

/// What to change in a new collection if an endpoint refuses a field: sentences without their full stops.
fn remedy(field: &str) -> (String, String) {
    let leave_out = |en: &str, zh: &str, option: &str| {
        (format!("Create a collection without the {en} ({option})"), format!("请新建不设置{zh}（{option}）的采集"))
    };
    match field {
        "temperature" => leave_out("temperature", "温度", "--temperature"),
        "top_p" => leave_out("top-p", " top-p", "--top-p"),
        "seed" => leave_out("seed", "随机种子", "--seed"),
        "max_tokens" | "max_completion_tokens" => (
            "Create a collection with another maximum of tokens per response (--response-tokens), or without one"
                .into(),
            "请新建采集，改用其他单个响应的最大词元数（--response-tokens），或不设置".into(),
        ),
        "stream" | "stream_options" => (
            "Create a collection that streams responses, or one that does not (--stream yes or no)".into(),
            "请新建采集，改用流式或非流式响应（--stream yes 或 no）".into(),
        ),
        _ => (
            "Create a collection without it in the additional fields (--parameters)".into(),
            "请新建采集，从其他字段（--parameters）中去掉它".into(),
        ),
    }
}

/// Why a collection stopped, as a sentence without its full stop.
pub fn stop_reason(reason: &StopReason) -> Message {
    match reason {
        StopReason::Admin => ("An admin stopped it", "由管理员停止").into(),
        StopReason::MaxRequests => ("Its limit of requests is reached", "已达到请求数上限").into(),
        StopReason::MaxTokens => {
            ("Another request could exceed its limit of tokens", "再发请求可能超过词元数上限").into()
        }
        StopReason::Refused(fault) => (
            format!("The endpoint refuses requests. {}", faults::request_fault(Lang::En, fault)),
            format!("端点拒绝请求。{}", faults::request_fault(Lang::Zh, fault)),
        )
            .into(),
        StopReason::RefusedField { field, fault } => {
            let (en, zh) = remedy(field);
            (
                format!(
                    "The endpoint refuses the field {field} of the request. {}. {en}",
                    faults::request_fault(Lang::En, fault).trim_end_matches('.')
                ),
                format!(
                    "端点拒绝请求中的字段 {field}。{}。{zh}",
                    faults::request_fault(Lang::Zh, fault).trim_end_matches(['.', '。'])
                ),
            )
                .into()
        }
        StopReason::Failing(fault) => (
            format!(
                "Several requests in a row failed, the last one as follows. {}",
                faults::request_fault(Lang::En, fault)
            ),
            format!("连续多个请求失败，最后一次的原因：{}", faults::request_fault(Lang::Zh, fault)),
        )
            .into(),
        StopReason::Internal(incident) => (
            format!("The server had an internal error. The log has it as {incident}"),
            format!("服务器内部错误，日志中的编号为 {incident}"),
        )
            .into(),
        StopReason::Tests(fault) => {
            let (en, zh) = (runs::EN.fault_line(fault), runs::ZH.fault_line(fault));
            (
                format!("Tests of answers could not run: {}", en.trim_end_matches('.')),
                format!("无法运行回答的测试：{}", zh.trim_end_matches('。')),
            )
                .into()
        }
    }
}
