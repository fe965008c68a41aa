//! Lists: search, order, number of rows; each text with both its languages side by side.

texts! {
    /// The texts of every list.
    ListTexts
    words {
        search: "Search", "搜索";
        apply: "Apply", "应用";
        any: "Any", "不限";
        status: "Status", "状态";
        dataset: "Dataset", "数据集";
        waiting: "In the inbox", "待办";
        progress: "Progress", "进度";
        raters: "Raters", "评分者";
        models: "Models", "模型";
        title: "Title", "标题";
        created: "Created", "创建时间";
        active: "Active", "启用中";
        inactive: "Deactivated", "已停用";
        no_match: "No matches", "没有匹配的内容";
        no_match_hint: "Nothing in this list matches your search and filters.", "此列表中没有符合搜索词和筛选条件的内容。";
        no_match_yet: "No matches so far", "暂未找到匹配内容";
        no_match_yet_hint: "Only part of this long list has been searched. The next page continues the search.", "列表较长，目前只搜索了一部分。下一页会继续搜索。";
        newest: "Newest submission", "最新输出集";
        no_models: "No models yet", "还没有模型";
        no_models_hint: "A model appears here with the first upload of its outputs.", "上传某个模型的输出后，它就会出现在这里。";
        about_audit: "Who changed what, when and from where.", "谁在何时、从何处做了哪些修改。";
        about_archive: "Datasets, submissions, studies and rubrics that lists and forms leave out.", "不再出现在列表中的数据集、输出集、评分项目和评分标准。";
        about_tokens: "Access for scripts and other programs.", "供脚本和其他程序访问。";
        about_webhooks: "Addresses that are notified when a run finishes or a study closes.", "测试运行完成或评分项目结束时通知的地址。";
        about_api: "Every operation of the REST API, with examples.", "REST API 的全部操作及示例。";
        about_account: "Your password, language and display.", "您的密码、语言和显示设置。";
        // Tabs of the places in the navigation.
        tab_leaderboard: "Leaderboard", "排行榜";
        tab_languages: "Models by language", "各语言结果";
        tab_conversations: "Conversations", "对话结果";
        tab_runs: "Test runs", "测试运行";
        tab_studies: "All studies", "全部评分项目";
        tab_rubrics: "Rubrics", "评分标准";
        tab_datasets: "Datasets", "数据集";
        tab_models: "Models", "模型";
        tab_submissions: "Submissions", "输出集";
        tab_collections: "Collections", "采集";
        tab_accounts: "Accounts", "账户";
        tab_groups: "Groups", "分组";
        tab_announcements: "Announcements", "公告";
        tab_settings: "All settings", "全部设置";
        tab_server: "Server", "服务器";
        tab_audit: "Audit log", "审计日志";
        tab_archive: "Archive", "归档";
        tab_tokens: "Access tokens", "访问令牌";
        tab_webhooks: "Webhooks", "Webhook";
        tab_api: "REST API", "REST API";
        kind_study: "Studies", "评分项目";
        kind_dataset: "Datasets", "数据集";
        kind_model: "Models", "模型";
        kind_run: "Test runs", "测试运行";
        kind_task: "Tasks", "任务";
        kind_person: "People", "成员";
        kind_page: "Pages", "页面";
        kind_action: "Actions", "操作";
        theme_dark: "Dark theme", "深色主题";
        theme_light: "Light theme", "浅色主题";
        theme_system: "Theme of the device", "跟随设备的主题";
        use_language: "Switch to English", "切换到中文";
        kind_recent: "Recent", "最近访问";
        find_hint: "A page, an action or a name, such as \"rubric\", \"invite\" or a model; or the number of a run", "页面、操作或名称，例如“评分标准”“邀请”或某个模型；也可输入运行编号";
        find_none: "Nothing found. Check the spelling, or search for part of the name.", "没有找到。请检查拼写，或只搜索名称的一部分。";
        find_keys: "↑ ↓ to choose, Enter to open, Esc to close", "↑ ↓ 选择，Enter 打开，Esc 关闭";
        study_pages: "Pages of this study", "此项目的页面";
        clear: "Clear search and filters", "清除搜索和筛选";
    }
    sentences {
        found(rows: &str) { if rows == "1" { "1 result".into() } else { format!("{rows} results") } }
            { format!("共 {rows} 条") }
        found_more(rows: &str) { format!("More than {rows} results") } { format!("超过 {rows} 条") }
        waiting_n(items: &str)
            { if items == "1" { "1 item in the inbox".into() } else { format!("{items} items in the inbox") } }
            { format!("待办中有 {items} 项") }
        sort_by(column: &str) { format!("Sort by {column}") } { format!("按{column}排序") }
    }
}
