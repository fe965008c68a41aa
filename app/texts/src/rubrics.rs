//! Rubrics, for admins: each text with both its languages side by side.

use super::I18n;
use model::rubric::RubricSummary;

texts! {
    /// The texts about rubrics.
    RubricTexts
    words {
        title: "Rubrics", "评分标准";
        lead: "What raters score: dimensions, each with a scale and a description for every level, and a checklist. A saved version never changes, so ratings keep their meaning.", "评分者打分的依据：若干维度（每个等级都有说明）和检查表。已保存的版本不会改变，因此评分的含义始终不变。";
        none: "Every rubric is archived", "所有评分标准均已归档";
        new: "New rubric", "新建评分标准";
        name: "Rubric", "评分标准";
        slug: "Short name", "短名称";
        slug_hint: "Lowercase letters, digits and -. Exports contain it, so it cannot be changed later.", "小写字母、数字和 -。导出文件会用到它，之后不能修改。";
        version: "Version", "版本";
        versions: "Versions", "版本";
        dimensions: "Dimensions", "维度";
        studies: "Studies", "评分项目";
        import: "Import a rubric", "导入评分标准";
        import_lead: "A JSON file exported from a rubric's page. It becomes the next version under its short name.", "由评分标准页面导出的 JSON 文件。导入后成为该短名称的下一个版本。";
        import_file: "File", "文件";
        import_file_hint: "A file such as aixbench-1.json.", "例如 aixbench-1.json。";
        import_button: "Import", "导入";
        edit: "Edit", "编辑";
        copy: "Duplicate", "复制";
        export: "Export JSON", "导出 JSON";
        archived: "This rubric is archived, so forms do not offer it.", "该评分标准已归档，不再出现在表单中。";
        keys: "Names in exports", "导出名称";
        as_raters_see: "As raters see it", "评分者看到的效果";
        preview_hint: "Try it: nothing is saved.", "可以试着选择，不会保存。";
        saved_at: "Saved", "保存时间";
        saved_by: "By", "保存者";
        key: "Name in exports", "导出名称";
        key_hint: "Lowercase letters and _, such as code_quality. Keep it in later versions.", "小写字母和 _，如 code_quality。后续版本请保持不变。";
        dimension_name: "Name", "名称";
        question: "Question to the rater (optional)", "给评分者的问题（可选）";
        levels: "Levels, the highest score first", "等级（最高分在前）";
        label: "Name (optional)", "名称（可选）";
        text: "Description", "说明";
        languages_hint: "Write at least one language. Where a text is missing in one language, raters see the other.", "请至少填写一种语言。缺少某种语言时，评分者会看到另一种语言的文字。";
        checklist: "Checklist", "检查表";
        checklist_hint: "Statements that raters answer with yes or no, after the dimensions. Yes is stored as 1, no as 0.", "评分者在各维度之后用“是”或“否”回答的陈述。“是”记为 1，“否”记为 0。";
        instructions: "One item for each instruction of a conversation", "对话中的每条指令各有一项";
        instructions_hint: "For each instruction up to the rated answer, raters say whether the answer follows it. Tasks that are not conversations have no such items.", "对所评回答之前（含当轮）的每条指令，评分者回答是否遵循。非对话任务没有这些项。";
        statement: "Statement (optional)", "陈述（可选）";
        add_item: "Add a checklist item", "添加检查项";
        yes_no: "yes/no", "是/否";
        add_level: "Add a level", "添加等级";
        add_dimension: "Add a dimension", "添加维度";
        up: "Move up", "上移";
        down: "Move down", "下移";
        remove: "Remove", "移除";
        save: "Save version", "保存为新版本";
        keeps: "Studies and datasets that use an earlier version keep it. Choose the new version when you create a study, or as a dataset's default.", "使用旧版本的评分项目和数据集保持不变。可在新建评分项目时选择新版本，或设为数据集的默认评分标准。";
        not_merged: "Scores by different rubrics, or by different versions of one, cannot be merged in a comparison.", "不同评分标准（或同一标准的不同版本）的分数不能合并对比。";
        dataset_default: "Rubric of new studies", "新项目的评分标准";
        set_default: "Set", "设置";
        without_scripts: "Adding, moving and removing dimensions and levels needs JavaScript. Without it, export the rubric, change the file and import it.", "添加、移动和移除维度或等级需要启用 JavaScript。否则请导出评分标准，修改文件后再导入。";
    }
    sentences {
        saved(version: &str) { format!("Saved as version {version}.") } { format!("已保存为第 {version} 版。") }
        same(version: &str) { format!("Nothing to save: it is identical to version {version}.") } { format!("内容与第 {version} 版相同，无需保存。") }
        editing(slug: &str) { format!("Edit {slug}") } { format!("编辑 {slug}") }
        dimension_n(n: usize) { format!("Dimension {n}") } { format!("维度 {n}") }
        level_n(score: u8) { format!("Score {score}") } { format!("{score} 分") }
        item_n(n: usize) { format!("Checklist item {n}") } { format!("检查项 {n}") }
        of_item(what: &str, n: usize) { format!("{what}: checklist item {n}") } { format!("{what}：检查项 {n}") }
        of_dimension(what: &str, n: usize) { format!("{what}: dimension {n}") } { format!("{what}：维度 {n}") }
        of_level(what: &str, n: usize, score: u8) { format!("{what}: score {score} of dimension {n}") } { format!("{what}：维度 {n} 的 {score} 分") }
        in_language(what: &str, lang: &str) { format!("{what} ({lang})") } { format!("{what}（{lang}）") }
        is_default(name: &str) { format!("{name} (default)") } { format!("{name}（默认）") }
        left_out(names: &str) { format!("Not included, because scores by different rubrics cannot be merged: {names}.") } { format!("不同评分标准的分数不能合并，因此未包括：{names}。") }
    }
}

impl RubricTexts {
    /// A rubric's dimensions with their ranges: `Correctness 1–4, Code Quality 1–3, Tested yes/no`.
    pub fn dimension_list(&self, rubric: &RubricSummary) -> String {
        let each = rubric.dimensions.iter().map(|d| match d.checklist {
            true => format!("{} {}", d.name.get(self.lang), self.yes_no),
            false => format!("{} {}–{}", d.name.get(self.lang), d.low, d.high),
        });
        crate::list(self.lang, &each.collect::<Vec<_>>())
    }
}

impl I18n {
    /// Rubrics, for admins.
    pub fn rubrics(&self) -> &'static RubricTexts {
        self.lang.pick(&EN, &ZH)
    }
}
