//! Uploads: previewing files, importing their valid lines, previous uploads. Each text has both its languages side by
//! side.

use super::I18n;
use model::lang::Lang;

texts! {
    /// The texts about uploads.
    UploadTexts
    words {
        // Choosing a file
        drop_one: "Or drop the file here.", "也可以将文件拖放到此处。";
        drop_several: "Or drop the files here.", "也可以将文件拖放到此处。";
        drop_only_one: "Drop one file only.", "请只拖放一个文件。";

        // Previous uploads
        previous: "Previous uploads", "之前的上传";
        previous_lead: "A file that is not imported is deleted a day after its upload.", "未导入的文件会在上传一天后删除。";
        no_uploads: "No uploads yet", "还没有上传过文件";
        by: "Uploaded by", "上传者";
        uploaded: "Uploaded", "上传时间";
        state: "State", "状态";
        waiting: "Not imported", "未导入";
        open_preview: "Open preview", "打开预览";
        imported: "Imported:", "已导入：";

        // Preview
        first: "First outputs", "前几个输出";
        first_lead: "As raters see the task and the code. The name of the model is never shown to them.", "任务与代码均以评分者看到的形式显示，评分者不会看到模型名称。";
        first_none: "No line matches a task, so there is nothing to show.", "没有一行匹配到任务，因此没有可显示的输出。";
        names_seen: "This output names a model. Raters see the name unless you choose to mask names when you import.", "该输出提到了模型名称。除非导入时选择隐去模型名称，否则评分者会看到。";
        names_masked: "With masked names", "隐去名称后";
        bad_head: "Lines that are not imported", "不会导入的行";
        bad_lead: "Invalid lines and lines without a task. You can download them, correct them and upload them again.", "包括无效的行和没有对应任务的行。可以下载、修正后重新上传。";
        bad_lines_file: "Download these lines (JSON Lines)", "下载这些行（JSON Lines）";
        bad_list_file: "Download list of problems (CSV)", "下载问题列表（CSV）";
        cut_short: "The end of the file could not be read, so its valid lines cannot be imported on their own.", "文件未能读到末尾，因此无法只导入其中有效的行。";
        differing: "Different descriptions", "描述不同的行";
        differing_what: "The description in these lines differs from the description of the task with their ID. They are imported; check that their IDs are right.", "这些行的任务描述与其编号对应任务的描述不同。它们仍会导入，请确认编号无误。";
        good_lead: "The file has invalid lines. By default, nothing is imported until they are fixed.", "文件中有无效的行。默认情况下，修正之前不会导入任何内容。";

        // A submission
        original: "Download original file", "下载原始文件";
    }
    sentences {
        dropped(names: &str) { format!("Chosen: {names}") } { format!("已选择：{names}") }
        importing(stored: u64, total: u64)
            { format!("Importing: {} of {} outputs", num(stored), num(total)) }
            { format!("正在导入：{} / {} 个输出", num(stored), num(total)) }
        output_heading(line: u64, task: &str)
            { if line == 0 { format!("Task {task}") } else { format!("Line {}: task {task}", num(line)) } }
            { if line == 0 { format!("任务 {task}") } else { format!("第 {} 行：任务 {task}", num(line)) } }
        preview_part(n: u64)
            { format!("{} invalid. Fix {} and upload the file again, or choose below to import only the valid lines.", if n == 1 { "1 line is".into() } else { format!("{} lines are", num(n)) }, if n == 1 { "this line" } else { "these lines" }) }
            { format!("有 {} 行无效。请修正后重新上传，或在下方选择只导入有效的行。", num(n)) }
        good_only(n: u64)
            { format!("Import only the valid lines and leave out {}", some(n, "invalid line", "invalid lines")) }
            { format!("只导入有效的行，略去 {} 个无效行", num(n)) }
        good_only_hint(missing: u64, total: u64)
            { format!("{} of {} then {} no output. A task without an output counts as failed: 0 in AvgPassRatio and in pass@k. People cannot rate it. The submission records how many lines were left out.", num(missing), some(total, "task", "tasks"), if missing == 1 { "has" } else { "have" }) }
            { format!("届时 {} 个任务中有 {} 个没有输出。没有输出的任务视为未通过，在 AvgPassRatio 和 pass@k 中按 0 计，也无法人工评分。输出集会记录略去的行数。", num(total), num(missing)) }
        good_only_samples(most: u64)
            { format!("Tasks have up to {} samples. A line that is left out is a missing sample, and pass@k is computed only up to the smallest number of samples.", num(most)) }
            { format!("任务最多有 {} 个样本。略去一行即缺少一个样本，而 pass@k 中的 k 不超过最少的样本数。", num(most)) }
        left_out(n: u64, missing: u64)
            { format!("{} of the file {} left out of this submission. {} of its dataset {} no output and count as failed in every figure of tests.", some(n, "invalid line", "invalid lines"), if n == 1 { "was" } else { "were" }, some(missing, "task", "tasks"), if missing == 1 { "has" } else { "have" }) }
            { format!("导入时略去了文件中的 {} 个无效行。数据集中有 {} 个任务没有输出，在自动测试的各项指标中视为未通过。", num(n), num(missing)) }
    }
}

fn num(n: u64) -> String {
    I18n::of(Lang::En).number(n)
}

/// A number with its noun.
fn some(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", num(n), if n == 1 { one } else { many })
}
