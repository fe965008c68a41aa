//! Ratings that were made elsewhere: each text with both its languages side by side.

#![allow(missing_docs, reason = "each field's English text, below, says what it is for")]

texts! {
    /// The texts about ratings that were made elsewhere.
    RatingsImportTexts
    words {
        import_ratings: "Import ratings", "导入评分";
        lead: "Ratings that were made with another tool become a closed study of their own; a judge model's scores are set beside people's and never mixed in. Nothing is taken before you have seen what the file holds.", "用其他工具完成的评分会成为一个独立的已结束项目；评判模型的打分与人工评分对照显示，不会混入其中。在您查看文件内容之前，不会导入任何数据。";
        file_form: "The file", "文件";
        whose: "Whose ratings", "评分来源";
        people: "People's", "人工";
        judge: "A judge model's", "评判模型";
        csv: "CSV file", "CSV 文件";
        csv_hint: "A header, then a line for each rating: task, model, rater, a column for each dimension. UTF-8.", "首行为列名，之后每行一条评分：任务、模型、评分者，每个维度一列。UTF-8 编码。";
        send: "Send and look at it", "上传并预览";
        export_note: "What you export here as ratings.csv can be sent back as it is.", "此处导出的 ratings.csv 可以直接重新导入。";
        columns: "Which column holds what", "列的含义";
        no_column: "none", "无";
        by_name: "by its name", "按列名";
        needed: "needed", "必填";
        read_again: "Read it again", "重新读取";
        first: "The first ratings, as they were understood", "前几条评分的读取结果";
        scores: "Scores", "分数";
        line: "Line", "行";
        rater: "Rater", "评分者";
        raters: "Raters", "评分者";
        outputs: "Outputs", "输出";
        replaced: "Lines that a later rating replaced", "已被后来评分取代的行";
        unused: "Columns that nothing is read from", "未使用的列";
        take: "Take these ratings", "导入这些评分";
        take_people_lead: "They become a closed study. Its raters are listed under the names in the file and cannot log in.", "将成为一个已结束的评分项目。评分者按文件中的名字列出，不能登录。";
        take_judge_lead: "They stand in the comparison beside people's, with how far the two agree.", "将在比较页面中与人工评分对照显示，并给出一致程度。";
        title: "The study's title", "项目标题";
        judge_name: "The judge's name", "评判模型名称";
        judge_name_hint: "With its version, so that another one can be told apart.", "请注明版本，以便区分。";
        other_file: "Choose another file", "选择其他文件";
        other_tool: "Made with another tool?", "用其他工具完成的评分？";
    }
    sentences {
        good(ratings: &str, outputs: &str) { format!("{ratings} ratings of {outputs} outputs can be taken.") } { format!("可以导入 {outputs} 个输出的 {ratings} 条评分。") }
        bad(problems: &str) { format!("Nothing can be taken yet. Problems, named below: {problems}.") } { format!("暂时无法导入：下面列出了 {problems} 个问题。") }
        take_button(ratings: &str) { format!("Take {ratings} ratings") } { format!("导入 {ratings} 条评分") }
        with_ratings(name: &str, n: &str) { format!("{name} ({n})") } { format!("{name}（{n}）") }
    }
}
