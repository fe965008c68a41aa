//! Texts that every page may show: navigation, buttons, errors, code.

texts! {
    Common
    words {
        more: "More", "更多";
        skip_to_content: "Skip to content", "跳到正文";
        main_navigation: "Main navigation", "主导航";
        nav_overview: "Overview", "总览";
        nav_results: "Results", "结果";
        nav_my_studies: "My studies", "我的评分项目";
        nav_inbox: "Inbox", "待办";
        nav_studies: "Studies", "评分项目";
        nav_runs: "Test runs", "测试运行";
        nav_data: "Data", "数据";
        nav_datasets: "Datasets", "数据集";
        nav_people: "People", "成员";
        nav_models: "Models", "模型";
        nav_settings: "Settings", "设置";
        find: "Search or go to", "搜索或前往";
        you_are_here: "Breadcrumb", "当前位置";
        account: "Account", "账户";
        log_out: "Log out", "退出登录";
        log_in: "Log in", "登录";
        language: "Language", "语言";
        loading: "Loading", "正在加载";
        pages: "Pages", "分页";
        next_page: "Next page", "下一页";
        previous_page: "Previous page", "上一页";
        try_again: "Try again", "重试";
        close: "Close", "关闭";
        yes: "Yes", "是";
        no: "No", "否";
        back_to_start: "Go to the home page", "返回首页";
        // Between a name and its value.
        colon: ": ", "：";

        failed: "Your changes were not saved", "修改未能保存";
        unauthenticated: "Log in to continue", "请先登录";
        unauthenticated_hint: "You are not logged in, or your session has expired.", "您尚未登录，或登录已过期。";
        forbidden: "You do not have access", "您没有访问权限";
        forbidden_hint: "Your account does not have permission to view this page or to do this. Ask an admin for access.", "您的账户无权查看此页面或执行此操作。如需权限，请联系管理员。";
        not_found: "Not found", "未找到内容";
        not_found_hint: "It may have been removed, or the address may be wrong.", "内容可能已被移除，或地址有误。";
        page_not_found: "Page not found", "页面不存在";
        page_not_found_hint: "Check the address for typos, or go to the home page.", "请检查地址是否有误，或返回首页。";
        invalid: "Check the following", "请检查以下内容";
        accepting_page: "Go to the page for this file", "前往可接收该文件的页面";
        conflict: "This action is not possible", "无法执行此操作";
        too_many: "Too many attempts", "尝试次数过多";
        too_many_sentence: "Too many attempts.", "尝试次数过多。";
        busy: "The server is busy", "服务器繁忙";
        malformed: "The server could not read the request", "服务器无法识别此请求";
        malformed_hint: "This page may be out of date. Reload it and try again.", "页面版本可能已过期，请刷新后重试。";
        unreachable: "The server cannot be reached", "无法连接服务器";
        unreachable_hint: "Check your network connection. Everything saved so far is safe.", "请检查网络连接。已保存的内容不会丢失。";
        internal: "Something went wrong on the server", "服务器出现错误";
        too_long: "The comment or the text of the flag is longer than 4,000 characters. Shorten it.", "评语或标记说明超过 4,000 字，请缩短。";
        no_reason: "Describe the problem with this output, or choose another flag.", "请说明该输出的问题，或选择其他标记。";
        time_wrong: "The time spent on this output is longer than a week. Reload the page and try again.", "在该输出上所用的时间超过一周，请重新加载页面后重试。";
        notes_wrong: "A rating can have up to 100 line notes of up to 1,000 characters each, and each note must belong to a line of the code.", "每条评分最多 100 条行注，每条不超过 1,000 字，且须对应代码中存在的行。";
        off_scale: "A score is outside its scale.", "有分数超出评分范围。";
        other_rubric: "The rubric has changed since you opened this page. Reload the page.", "此页面打开后评分标准已更换，请刷新页面。";
        score_missing: "A score is missing.", "有维度尚未评分。";

        code: "Code", "代码";
        code_laid_out: "Formatted", "格式化代码";
        only_here: "only in this output", "仅此输出有";
        code_raw: "Original", "原始代码";
        code_empty: "The model returned no code for this task.", "模型未给出此任务的代码。";
        code_does_not_parse: "This does not parse as Java, so it is shown unformatted.", "这段文本无法按 Java 解析，因此未做格式化。";
        code_truncated: "The code is cut off: a bracket or a string is never closed.", "代码不完整：有括号或字符串没有闭合。";
        code_said: "Text outside the code", "代码以外的文字";
    }
    sentences {
        of(part: u64, whole: u64) { format!("{part} of {whole}") } { format!("{part} / {whole}") }
        wait(seconds: u64) {
            match seconds {
                1 => "Try again in 1 second.".into(),
                s if s < 120 => format!("Try again in {s} seconds."),
                s => format!("Try again in {} minutes.", s.div_ceil(60)),
            }
        } {
            match seconds {
                s if s < 120 => format!("请在 {s} 秒后重试。"),
                s => format!("请在 {} 分钟后重试。", s.div_ceil(60)),
            }
        }
        internal_hint(incident: &str)
            { format!("The problem was logged as incident {incident}. Report this number to the operator of the server.") }
            { format!("问题已记录，编号为 {incident}。请将此编号告知运维人员。") }
        lines(n: u64) { if n == 1 { "1 line".into() } else { format!("{n} lines") } } { format!("{n} 行") }
    }
}
