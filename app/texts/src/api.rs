//! Texts about the API, webhooks and public pages, both languages of each side by side.

use model::lang::Lang;

texts! {
    ApiTexts
    words {
        // The reference
        api: "REST API", "REST API";
        api_lead: "Programs can do everything that you can do on these pages. Set the two variables below to run the examples.", "您能在页面上完成的操作，程序也都能完成。设置好下面两个变量后，即可直接运行各示例。";
        api_begin: "Get started", "快速开始";
        api_english: "The descriptions come from the OpenAPI document.", "各操作的说明取自 OpenAPI 文档，为英文。";
        document: "OpenAPI document", "OpenAPI 文档";
        areas: "Areas", "分类";
        needs: "Required token scope", "所需的令牌权限范围";
        needs_none: "No token required.", "无需令牌。";
        parameters: "Parameters", "参数";
        parameter: "Parameter", "参数";
        place: "In", "位置";
        meaning: "Description", "说明";
        required: "required", "必填";
        body: "Request body", "请求体";
        example: "Example", "示例";
        a_token: "your token", "您的令牌";

        // Tokens
        tokens: "Access tokens", "访问令牌";
        tokens_lead: "A token lets a program act as you. Grant only the scopes that it needs, and revoke it when it is no longer used.", "令牌让程序以您的身份操作。只授予必要的权限，不再使用时请撤销。";
        new_token: "New token", "新建令牌";
        label: "Label", "标签";
        label_hint: "For example, \"nightly runs\".", "例如“每晚运行”。";
        scopes: "Scopes", "权限范围";
        scope_read: "Read everything that you can read", "读取您可以读取的全部内容";
        scope_data: "Import datasets and upload outputs", "导入数据集，上传模型输出";
        scope_runs: "Start, stop and re-run tests", "开始、停止和重新运行测试";
        scope_studies: "Create and manage studies, adjudicate disagreements", "创建和管理评分项目，裁定分歧";
        scope_admin: "Everything, including people, tokens and webhooks", "全部权限，包括成员、令牌和 Webhook";
        days: "Expires after (days)", "有效天数";
        make_token: "Create token", "创建令牌";
        token_once: "Copy the token now. It is not stored and not shown again.", "请立即复制令牌：系统不保存令牌，之后不再显示。";
        the_token: "Token", "令牌";
        no_tokens: "No tokens yet", "还没有令牌";
        no_tokens_hint: "Create one above.", "可在上方创建。";
        begins_with: "Prefix", "前缀";
        last_used: "Last used", "最近使用";
        never: "never", "从未使用";
        works: "active", "有效";
        revoked: "revoked", "已撤销";
        ran_out: "expired", "已过期";
        needs_script: "This form needs JavaScript because what is shown once must not appear in an address. Without JavaScript, use the REST API, or create tokens with the aixgrade token command.", "只显示一次的内容不能出现在网址中，因此该表单需要 JavaScript。未启用时可使用 REST API，或用 aixgrade token 命令创建令牌。";

        // Webhooks
        webhooks: "Webhooks", "Webhook";
        webhooks_lead: "The server sends a message to your address when a test run finishes or a study is closed.", "测试运行完成或评分项目结束时，服务器会通知您指定的地址。";
        allowed_hosts: "Allowed addresses", "允许的地址";
        no_hosts: "The operator of this server has not allowed any host yet. To allow one, start the server with --webhook-host and the address without its path, for example --webhook-host https://hooks.example.org.", "本服务器的运维人员尚未允许任何主机。启动时加上 --webhook-host 和不含路径的地址即可，例如 --webhook-host https://hooks.example.org。";
        new_webhook: "New webhook", "新建 Webhook";
        url: "URL", "URL";
        url_hint: "Must start with one of the addresses above.", "须以上述地址之一开头。";
        events: "Events", "事件";
        event_run: "test run finished", "测试运行完成";
        event_study: "study closed", "评分项目结束";
        event_test: "test", "测试";
        make_webhook: "Create webhook", "创建 Webhook";
        secret_once: "Copy the secret now. It signs the deliveries and is not shown again.", "请立即复制密钥：推送以它签名，之后不再显示。";
        the_secret: "Secret", "密钥";
        no_webhooks: "No webhooks yet", "还没有 Webhook";
        not_allowed: "The operator no longer allows this host, so nothing is sent to it.", "运维人员已不再允许该主机，不会向其发送推送。";
        test: "Send test", "发送测试";
        messages: "Deliveries", "推送记录";
        no_messages: "No deliveries yet", "还没有推送";
        remove: "Delete", "删除";
        remove_warning: "This also deletes its deliveries, including those that are still waiting.", "其推送记录（包括等待发送的）将一并删除。";
        remove_now: "Delete permanently", "确认删除";
        waiting: "waiting", "等待中";
        delivered: "delivered", "已送达";
        failed: "failed", "失败";
        newest: "Latest delivery", "最近推送";
        event: "Event", "事件";
        tries: "Attempts", "尝试次数";
        came_of_it: "Result", "结果";
        next_try: "Next attempt", "下次尝试";

        // Links to public pages
        public_page: "Public links", "公开链接";
        public_lead: "Anyone with a link can read this study's comparison. It never shows the names of raters.", "持有链接的任何人都可以查看本项目的模型比较，其中不显示评分者的姓名。";
        public_closed_only: "You can share the comparison with a public link after the study is closed.", "评分项目结束后，可在此创建公开链接，供他人查看模型比较。";
        with_code: "Also show the tasks and the models' code", "同时公开任务和模型的代码";
        link_days: "Expires after (days)", "有效天数";
        link_days_hint: "Leave empty for no expiry.", "留空则永不过期。";
        make_link: "Create link", "创建链接";
        link_once: "Copy the link now. It is not stored and not shown again.", "请立即复制链接：系统不保存链接，之后不再显示。";
        the_link: "Link", "链接";
        shows: "Shows", "内容";
        comparison_only: "comparison", "模型比较";
        comparison_and_code: "comparison and code", "模型比较和代码";
        ends: "Expires", "到期时间";
        for_good: "never", "永不过期";
        no_end: "no expiry", "永不过期";
        open: "active", "有效";

        // The public page itself
        planned_ratings: "Planned ratings", "计划评分数";
        public_note: "This study is closed. The results include all raters without their names.", "该评分项目已结束。结果涵盖全部评分者，不显示其姓名。";
        raters: "Raters", "评分者";
        raters_per_output: "Raters per output", "每个输出的评分人数";
        read_code: "Tasks and code of the models", "任务与模型的代码";
        public_created: "Study created", "项目创建于";
        public_published: "Published", "发布于";
        purpose: "Purpose", "研究目的";
        purpose_hint: "What the study is for, in a few sentences. Shown at the top of the page.", "用几句话说明本研究的目的，显示在页面顶部。";
        authors: "Authors or institution", "作者或机构";
        authors_hint: "Named in the citation.", "用于引用格式。";
        contact: "Contact", "联系方式";
        contact_hint: "Whom readers can ask, such as an e-mail address. Anyone with the link sees it.", "读者可以联系谁，例如电子邮箱。持有链接的人都能看到。";
        license: "License", "许可协议";
        license_hint: "Of figures and data, such as CC BY 4.0.", "图表和数据的许可协议，例如 CC BY 4.0。";
        publication: "On the page", "页面信息";
        cite: "Cite and reuse", "引用与使用";
        cite_text: "Citation", "引用格式";
        bibtex: "BibTeX", "BibTeX";
        no_license: "No license is stated: ask before you reuse figures or data.", "未说明许可协议：使用图表或数据前请先征得同意。";
        public_data: "Data", "数据";
        public_data_note: "Means of each output, without raters, times and comments.", "每个输出的均值，不含评分者、时间和评语。";
        file_outputs: "Outputs with mean scores and verdicts", "各输出的平均分与测试结果";
        file_means: "Means", "均值";
        file_pairs: "Differences between models", "模型差异";
        file_slices: "Slices of tasks", "任务分组";
        file_tables: "Tables for print", "排版用表格";
        figure_files: "Figures", "图表";
        embed: "Embed", "嵌入";
        embed_note: "One SVG file with its own font. It runs no script and loads nothing.", "单个 SVG 文件，自带字体，不运行脚本，也不加载其他内容。";
        embed_html: "HTML to copy", "可复制的 HTML";
        address_note: "Without JavaScript, put this server's address before the paths.", "未启用 JavaScript 时，请在路径前加上本服务器的地址。";
        public_how: "AixGrade's docs/statistics.md describes how the figures are computed and how to interpret them.", "统计方法及其解释见 AixGrade 的 docs/statistics.md。";
    }
    sentences {
        closed_before_the_end(done: &str, planned: &str)
            { format!("The study was closed after {done} of {planned} planned ratings.") }
            { format!("项目结束时只完成了计划的 {planned} 条评分中的 {done} 条。") }
        all_planned(done: &str) { format!("All {done} planned ratings were made.") } { format!("计划的 {done} 条评分已全部完成。") }
        cited_as(dataset: &str, ratings: &str, raters: &str)
            { format!("Human ratings of code by models on {dataset}: {ratings} ratings, {raters} raters. Made with AixGrade.") }
            { format!("{dataset} 上模型代码的人工评分：{ratings} 条评分，{raters} 位评分者。使用 AixGrade 完成。") }
        embed_alt(title: &str) { format!("Results of {title}") } { format!("{title}的结果") }
        revoke_which(label: &str) { format!("Revoke \"{label}\"") } { format!("撤销“{label}”") }
        revoke_link_of(when: &str) { format!("Revoke the link created {when}") } { format!("撤销 {when} 创建的链接") }
        messages_of(url: &str) { format!("Deliveries to {url}") } { format!("推送记录：{url}") }
        test_which(url: &str) { format!("Send test to {url}") } { format!("发送测试到 {url}") }
        remove_which(url: &str) { format!("Delete {url}") } { format!("删除 {url}") }
    }
}

impl ApiTexts {
    /// The name of an area of the reference, which is a tag of the OpenAPI document.
    pub fn area<'n>(&self, tag: &'n str) -> &'n str {
        match self.lang {
            Lang::En => tag,
            Lang::Zh => chinese(tag).unwrap_or(tag),
        }
    }
}

/// The Chinese name of a tag of the OpenAPI document.
pub fn chinese(tag: &str) -> Option<&'static str> {
    Some(match tag {
        "About the API" => "关于 API",
        "Audit log" => "审计日志",
        "Collections" => "采集",
        "Comparisons" => "模型比较",
        "Datasets" => "数据集",
        "Inbox" => "待办",
        "Model outputs" => "模型输出",
        "Objects" => "对象",
        "People" => "成员",
        "Quality" => "质量",
        "Rubrics" => "评分标准",
        "Runs" => "测试运行",
        "Studies" => "评分项目",
        "Tokens" => "访问令牌",
        "Webhooks" => "Webhook",
        _ => return None,
    })
}
