//! Renaming, archiving, deleting: each text with both its languages side by side.

use super::I18n;
use model::upkeep::{Dependent, DependentKind};

texts! {
    /// The texts about upkeep.
    UpkeepTexts
    words {
        link: "Rename, archive or delete", "重命名、归档或删除";
        archive_title: "Archive", "归档";
        archived_lead: "Archived objects keep all their data and links, but lists and forms leave them out.", "归档的对象保留全部数据和链接，但不再出现在列表和选项中。";
        none_archived: "No archived objects", "没有归档的对象";
        object: "Object", "对象";
        name: "Name", "名称";
        archived_at: "Archived", "归档时间";
        rename: "Rename", "重命名";
        title_of_study: "Title", "标题";
        model_of_submission: "Model", "模型";
        rename_model_note: "If other submissions have the same model, they keep its name.", "若其他输出集也属于该模型，它们保留原名称。";
        archive: "Archive", "归档";
        archive_what: "Keeps all data, results and links, and leaves the object out of lists, forms and default selections.", "保留全部数据、结果和链接，但不再出现在列表、表单和默认选项中。";
        archived: "Archived.", "已归档。";
        unarchived: "No longer archived.", "已取消归档。";
        unarchive: "Unarchive", "取消归档";
        is_archived: "This object is archived, so lists and forms leave it out.", "该对象已归档，不再出现在列表和表单中。";
        delete: "Delete", "删除";
        delete_with: "This also deletes:", "同时删除：";
        delete_confirm: "Delete permanently", "永久删除";
        delete_undo_note: "You can undo this for 15 seconds.", "删除后 15 秒内可以撤销。";
        delete_no_undo_note: "This cannot be undone.", "此操作无法撤销。";
        in_use_studies: "The studies are:", "这些评分项目是：";
        archive_instead: "Archive it instead.", "可以改为归档。";
        deleted: "Deleted. The data will be removed in a few seconds.", "已删除，数据将在几秒后清除。";
        undo: "Undo", "撤销";
    }
    sentences {
        in_use(object: &str) { format!("{object} cannot be deleted, because it is used by:") } { format!("{object}不能删除，因为以下内容引用了它：") }
        of(object: &str, name: &str) { format!("{object}: {name}") } { format!("{object}：{name}") }
        adjudications(n: &str) { format!("adjudicated outputs: {n}") } { format!("已裁定的输出：{n}") }
        datasets(n: &str) { format!("datasets: {n}") } { format!("数据集：{n}") }
        drafts(n: &str) { format!("unsubmitted ratings: {n}") } { format!("未提交的评分：{n}") }
        collections(n: &str) { format!("collections of outputs: {n}") } { format!("采集：{n}") }
        judgings(n: &str) { format!("sets of a judge model's scores: {n}") } { format!("评审模型的评分集：{n}") }
        known_items(n: &str) { format!("known-score items: {n}") } { format!("标准题：{n}") }
        outputs(n: &str) { format!("outputs: {n}") } { format!("输出：{n}") }
        planned_ratings(n: &str) { format!("planned ratings: {n}") } { format!("计划的评分：{n}") }
        ratings(n: &str) { format!("ratings: {n}") } { format!("评分：{n}") }
        runs(n: &str) { format!("test runs: {n}") } { format!("测试运行：{n}") }
        running_runs(n: &str) { format!("unfinished test runs: {n}") } { format!("未完成的测试运行：{n}") }
        studies(n: &str) { format!("studies: {n}") } { format!("评分项目：{n}") }
        submissions(n: &str) { format!("submissions: {n}") } { format!("输出集：{n}") }
        tasks(n: &str) { format!("tasks: {n}") } { format!("任务：{n}") }
    }
}

impl UpkeepTexts {
    /// Objects that depend on another, with their number.
    pub fn dependent(&self, dependent: Dependent) -> String {
        let count = I18n::of(self.lang).number(dependent.count);
        let text = match dependent.kind {
            DependentKind::Adjudications => self.adjudications,
            DependentKind::Collections => self.collections,
            DependentKind::Datasets => self.datasets,
            DependentKind::Drafts => self.drafts,
            DependentKind::Judgings => self.judgings,
            DependentKind::KnownItems => self.known_items,
            DependentKind::Outputs => self.outputs,
            DependentKind::PlannedRatings => self.planned_ratings,
            DependentKind::Ratings => self.ratings,
            DependentKind::Runs => self.runs,
            DependentKind::RunningRuns => self.running_runs,
            DependentKind::Studies => self.studies,
            DependentKind::Submissions => self.submissions,
            DependentKind::Tasks => self.tasks,
        };
        text(&count)
    }
}
