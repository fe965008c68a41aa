//! Programs and public pages: each text with both its languages side by side.

#![allow(missing_docs, reason = "each field's English text, below, says what it is for")]

texts! {
    /// The texts about programs and public pages.
    ApiTexts
    words {
        // The reference
        api: "REST API", "REST API";
        api_lead: "Everything that you do here, a program can do too. Each example works once you have set the two variables.", "您在这里能做的一切，程序也能做到。设置好下面两个变量后，每个示例都可以直接运行。";
        api_begin: "Begin like this", "从这里开始";
        api_english: "Each operation is described as in the OpenAPI document.", "各操作的说明取自 OpenAPI 文档，为英文。";
        document: "OpenAPI document", "OpenAPI 文档";
        areas: "Areas", "分类";
        needs: "Needs a token for", "所需令牌权限";
        needs_none: "Needs no token.", "无需令牌。";
        parameters: "Parameters", "参数";
        parameter: "Parameter", "参数";
        place: "Stands in", "位置";
        meaning: "Meaning", "含义";
        required: "required", "必填";
        body: "Body", "请求体";
        example: "Example", "示例";
        a_token: "the token that you made", "您创建的令牌";

        // Tokens
        tokens: "Access tokens", "访问令牌";
        tokens_lead: "A token lets a program act as you. Give it no more than it needs, and revoke it when the program is gone.", "令牌让程序以您的身份操作。只授予必要的权限，程序不再使用时请撤销。";
        new_token: "New token", "新建令牌";
        label: "What it is for", "用途";
        label_hint: "Such as “nightly runs”.", "例如“每晚运行”。";
        scopes: "What it may do", "权限";
        scope_read: "Read everything that you can read", "读取您可以读取的一切";
        scope_data: "Import datasets, send model outputs", "导入数据集，上传模型输出";
        scope_runs: "Start, stop and repeat runs", "启动、停止和重复运行";
        scope_studies: "Make and lead studies, decide disagreements", "创建和管理评分项目，裁定分歧";
        scope_admin: "Everything, with people, tokens and webhooks", "全部权限，包括成员、令牌和网络回调";
        days: "Works for, in days", "有效天数";
        make_token: "Make the token", "创建令牌";
        token_once: "Copy the token now: it is not kept and will not be shown again.", "请立即复制令牌：系统不保存令牌，之后不再显示。";
        the_token: "The token", "令牌";
        no_tokens: "No token yet", "还没有令牌";
        no_tokens_hint: "The first one takes a few seconds.", "创建第一个只需几秒钟。";
        begins_with: "Begins with", "开头";
        last_used: "Last used", "最近使用";
        never: "never", "从未使用";
        works: "works", "有效";
        revoked: "revoked", "已撤销";
        ran_out: "ran out", "已过期";
        needs_script: "What is shown once cannot travel in an address, so this form needs JavaScript. Without it, the REST API does the same, and aixgrade token makes tokens.", "只显示一次的内容不能放在网址中，因此该表单需要 JavaScript。也可以使用 REST API；令牌还可用命令行 aixgrade token 创建。";

        // Webhooks
        webhooks: "Webhooks", "网络回调";
        webhooks_lead: "The server tells an address of yours when a run ends or a study is closed.", "运行结束或评分项目关闭时，服务器会通知您指定的地址。";
        allowed_hosts: "Messages may go to", "允许发送到";
        no_hosts: "The operator of this server allows no host yet. They start it with --webhook-host and the address up to its port, such as --webhook-host https://hooks.example.org.", "本服务器的运维人员尚未允许任何主机。启动时加上 --webhook-host 和地址（到端口为止）即可，例如 --webhook-host https://hooks.example.org。";
        new_webhook: "New webhook", "新建网络回调";
        url: "Address", "地址";
        url_hint: "It begins with one of the addresses above.", "须以上述地址之一开头。";
        events: "Hears of", "通知内容";
        event_run: "the end of a run", "运行结束";
        event_study: "a study being closed", "评分项目关闭";
        event_test: "a test", "测试";
        make_webhook: "Make the webhook", "创建网络回调";
        secret_once: "Copy the secret now: messages are signed with it, and it will not be shown again.", "请立即复制密钥：消息以它签名，之后不再显示。";
        the_secret: "The secret", "密钥";
        no_webhooks: "No webhook yet", "还没有网络回调";
        not_allowed: "The operator does not allow this host any more: nothing is sent there.", "运维人员已不再允许该主机：不会向其发送消息。";
        test: "Send a test", "发送测试";
        messages: "Messages", "消息";
        no_messages: "No message yet", "还没有消息";
        remove: "Remove", "删除";
        remove_warning: "Its messages go with it, those that wait too.", "其消息（包括等待发送的）将一并删除。";
        remove_now: "Remove for good", "确认删除";
        waiting: "waiting", "等待中";
        delivered: "delivered", "已送达";
        failed: "failed", "失败";
        newest: "Newest message", "最近消息";
        event: "About", "内容";
        tries: "Tries", "尝试次数";
        came_of_it: "What came of it", "结果";
        next_try: "Next try", "下次尝试";

        // Links to public pages
        public_page: "Public page", "公开页面";
        public_lead: "Anybody with the link reads this study's comparison. Raters are never named.", "持有链接的任何人都可以查看本项目的比较结果，评分者不会具名。";
        public_closed_only: "Once the study is closed, you can make a link here for others to read its comparison.", "评分项目关闭后，可在此创建链接供他人查看比较结果。";
        with_code: "Show the tasks with the models' code too", "同时公开任务和模型的代码";
        link_days: "Works for, in days", "有效天数";
        link_days_hint: "For good where empty.", "留空则长期有效。";
        make_link: "Make a link", "创建链接";
        link_once: "Copy the link now: it is not kept and will not be shown again.", "请立即复制链接：系统不保存链接，之后不再显示。";
        the_link: "The link", "链接";
        shows: "Shows", "内容";
        comparison_only: "the comparison", "比较结果";
        comparison_and_code: "comparison and code", "比较结果和代码";
        ends: "Ends", "截止";
        for_good: "never", "长期有效";
        no_end: "no end", "不限";
        open: "open", "有效";

        // The public page itself
        public_note: "A closed study. The figures are over all raters; nobody is named.", "已结束的评分项目。统计涵盖全部评分者，不具名。";
        raters: "Raters", "评分者";
        overlap: "Raters per output", "每个输出的评分者";
        read_code: "The tasks and what the models wrote", "任务与模型的代码";
        public_how: "How the figures are computed, and what they allow to say, stands in AixGrade's docs/statistics.md.", "统计方法及其解释见 AixGrade 的 docs/statistics.md。";
    }
    sentences {
        revoke_which(label: &str) { format!("Revoke “{label}”") } { format!("撤销“{label}”") }
        revoke_link_of(when: &str) { format!("Revoke the link of {when}") } { format!("撤销 {when} 创建的链接") }
        messages_of(url: &str) { format!("Messages to {url}") } { format!("发往 {url} 的消息") }
        test_which(url: &str) { format!("Send a test to {url}") } { format!("向 {url} 发送测试") }
        remove_which(url: &str) { format!("Remove {url}") } { format!("删除 {url}") }
    }
}
