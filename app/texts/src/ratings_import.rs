//! Texts about the import of ratings, both languages of each side by side.

texts! {
    RatingsImportTexts
    words {
        import_ratings: "Import ratings", "导入评分";
        lead: "Ratings from another tool become a separate, closed study. Scores of a judge model are shown next to human scores and never mixed with them. Nothing is imported until you confirm.", "用其他工具完成的评分会成为一个独立的已结束项目；评判模型的打分与人工评分对照显示，不会混入其中。确认之前不会导入任何数据。";
        file_form: "File", "文件";
        whose: "Source of the ratings", "评分来源";
        people: "People", "人工";
        judge: "A judge model", "评判模型";
        csv: "CSV file", "CSV 文件";
        csv_hint: "A header row, then one row per rating: task, model, rater, and one column per dimension. UTF-8.", "首行为列名，之后每行一条评分：任务、模型、评分者，每个维度一列。UTF-8 编码。";
        send: "Upload and preview", "上传并预览";
        export_note: "You can import an exported ratings.csv without changes.", "此处导出的 ratings.csv 可以直接重新导入。";
        columns: "Columns", "列的含义";
        no_column: "None", "无";
        by_name: "by name", "按列名";
        needed: "required", "必填";
        read_again: "Update preview", "更新预览";
        first: "Preview of the first ratings", "前几条评分预览";
        scores: "Scores", "分数";
        line: "Line", "行";
        rater: "Rater", "评分者";
        raters: "Raters", "评分者";
        outputs: "Outputs", "输出";
        replaced: "Lines replaced by a later rating", "已被后来评分替换的行";
        unused: "Unused columns", "未使用的列";
        import: "Import ratings", "导入评分";
        import_people_lead: "The ratings become a closed study. Its raters are listed under the names in the file and cannot log in.", "这些评分将成为一个已结束的评分项目。评分者按文件中的名称列出，不能登录。";
        import_judge_lead: "The comparison shows the scores next to human scores, with the agreement between them.", "模型比较会将这些分数与人工评分对照显示，并给出两者的一致性。";
        title: "Title of the study", "项目标题";
        judge_name: "Name of the judge model", "评判模型名称";
        judge_name_hint: "Include the version to tell it apart from others.", "请注明版本，以便区分。";
        other_file: "Upload another file", "改为上传其他文件";
    }
    sentences {
        good(ratings: &str, outputs: &str) { format!("{ratings} ratings of {outputs} outputs can be imported.") } { format!("可以导入 {outputs} 个输出的 {ratings} 条评分。") }
        bad(problems: &str) { format!("Nothing can be imported until these problems are fixed: {problems}.") } { format!("暂时无法导入：请先修正下面列出的 {problems} 个问题。") }
        import_button(ratings: &str) { format!("Import {ratings} ratings") } { format!("导入 {ratings} 条评分") }
        with_ratings(name: &str, n: &str) { format!("{name} ({n})") } { format!("{name}（{n}）") }
    }
}
