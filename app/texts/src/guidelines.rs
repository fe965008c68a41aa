//! Guidelines: each text with both its languages side by side.

use super::I18n;

texts! {
    /// The texts of the editor of guidelines.
    GuidelineTexts
    words {
        title: "Guidelines", "评分指南";
        lead_study: "What raters should know beyond the rubric. They open it from the grading page and from My studies, and see when it has changed.", "评分标准之外评分者需要了解的内容。评分者可从评分页面和“我的评分项目”打开，内容更新时会有提示。";
        lead_dataset: "Each new study of this dataset starts with a copy of this text. Existing studies keep theirs.", "此数据集的每个新项目都会以此文字的副本开始，已有项目保持不变。";
        english: "English", "英文";
        chinese: "Chinese", "中文";
        markdown: "Markdown: # heading, **bold**, - list, [link](https://…), tables. HTML and images are not shown. Where one language is empty, raters see the other.", "支持 Markdown：# 标题、**粗体**、- 列表、[链接](https://…)、表格。不显示 HTML 和图片。某种语言留空时，评分者会看到另一种语言。";
        save: "Save version", "保存为新版本";
        preview: "Preview", "预览";
        as_raters_see: "As raters see it", "评分者看到的效果";
        none: "No guidelines yet", "尚无评分指南";
        versions: "Versions", "版本";
        version: "Version", "版本";
        saved_at: "Saved", "保存时间";
        saved_by: "By", "保存者";
        older: "This is an earlier version. Saving makes it the newest.", "这是较早的版本，保存后成为最新版本。";
    }
    sentences {
        of(name: &str) { format!("Guidelines: {name}") } { format!("评分指南：{name}") }
    }
}

impl I18n {
    /// The editor of guidelines.
    pub fn guidelines(&self) -> &'static GuidelineTexts {
        self.lang.pick(&EN, &ZH)
    }
}
