//! Uploads: previewing files, importing their valid lines, previous uploads. Each text has both its languages side by
//! side.

use super::I18n;
use model::{
    lang::Lang,
    reading::{BlockRole, Why},
};

texts! {
    /// The texts about uploads.
    UploadTexts
    words {
        // Choosing a file
        drop_one: "Or drop the file here.", "也可以将文件拖放到此处。";
        drop_several: "Or drop the files here.", "也可以将文件拖放到此处。";
        drop_only_one: "Drop one file only.", "请只拖放一个文件。";

        other_tools: "Files of other tools are recognized by their content. Folders are uploaded as .zip or .tar.gz.", "其他工具的文件按内容识别。文件夹请打包成 .zip 或 .tar.gz 上传。";
        batches: "output of a batch", "批处理的输出";
        tables: "Tables", "表格";

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
        columns_unknown: "Choose the columns that have the IDs of the tasks and the code. Nothing has been read yet.", "请选择包含任务编号和代码的列。目前尚未读取任何内容。";
        their_verdicts: "Verdicts in the file", "文件中的判定";
        column_task_id: "The ID of the task, as in the dataset", "任务编号，与数据集中的一致";
        column_code: "The code, or the whole response of the model", "代码，或模型的完整回答";
        column_passed: "Whether the other tool says that the output passes: true or false, 1 or 0, passed or failed", "其他工具判定该输出是否通过：true 或 false、1 或 0、passed 或 failed";
        column_result: "What the other tool says of the output, in its own words", "其他工具对该输出的说明原文";
        column_model: "The name of the model, which only admins see", "模型名称，仅管理员可见";
        column_reasoning: "The reasoning of the model, which only admins see", "模型的推理过程，仅管理员可见";
        other_datasets: "These outputs may belong to another dataset", "这些输出可能属于另一个数据集";
        read_for_it: "Preview for this dataset", "按该数据集预览";
        differing: "Different descriptions", "描述不同的行";
        differing_what: "The description in these lines differs from the description of the task with their ID. They are imported; check that their IDs are right.", "这些行的任务描述与其编号对应任务的描述不同。它们仍会导入，请确认编号无误。";
        warn_does_not_parse: "Code that does not parse", "无法解析的代码";
        warn_does_not_parse_what: "The code is not valid in the language of its task, so it will not compile. Perhaps it is cut off, or it contains words of the answer.", "代码在任务的编程语言中语法无效，因此无法编译。可能被截断，或混入了回答中的文字。";
        warn_other_language: "Code in another language", "其他语言的代码";
        warn_other_language_what: "The code is valid in another programming language than that of its task. Perhaps these outputs belong to another dataset.", "代码属于与任务不同的编程语言。这些输出可能属于另一个数据集。";
        warn_lacks_definition: "Code without the function that the task asks for", "缺少任务所要求函数的代码";
        warn_lacks_definition_what: "The code defines no function or class of the name in the signature, so the tests cannot call it.", "代码没有定义签名中名称的函数或类，因此测试无法调用。";
        warn_cut_off: "Outputs that are cut off", "被截断的输出";
        warn_cut_off_what: "The response ended within its code or its reasoning, or at a limit of tokens. Ask the model again with a higher limit.", "回答在代码或推理过程中结束，或达到词元上限。请提高上限后重新请求模型。";
        warn_fenced_generation: "Code fences in “generation”", "“generation”中的代码围栏";
        warn_fenced_generation_what: "The published evaluator reads a fence as code, so these outputs will fail as published. The guarded verdict is for the code in the fence.", "已发布的评测程序会把围栏当作代码，因此这些输出按发布方式会失败。防篡改结果针对围栏中的代码。";
        warn_reasoning: "Responses with reasoning", "含推理过程的回答";
        warn_reasoning_what: "The reasoning is set apart: it is not run, and raters do not see it. Where it does not end, the output has no code.", "推理过程会单独保存：不会运行，评分者也看不到。若推理没有结束，则该输出没有代码。";
        warn_several: "Responses with several versions of the code", "含多个版本代码的回答";
        warn_several_what: "Of several blocks that define what the task asks for, the last complete one is the code.", "如果多个代码块都定义了任务所要求的内容，则以最后一个完整的为准。";
        warn_repeated: "The same code for many tasks", "多个任务的代码相同";
        warn_repeated_what: "The same text answers three tasks or more. Perhaps the model refused, or the file was put together wrongly.", "同一段文字用于三个或更多任务。可能是模型拒绝作答，或文件拼接有误。";

        columns_lead: "The file is a table. Choose the columns that are not found by their names.", "该文件是表格。请为未能按名称找到的列选择对应的列。";

        // What a file says of an output
        reported: "What the file says", "文件中的信息";
        format: "Format", "格式";
        in_their_words: "In their words", "对方的原文";
        of_other_text: "of another text", "针对另一段文本";
        model_in_file: "Model in the file", "文件中的模型";
        sample_in_file: "Sample", "样本";
        input_tokens: "Input tokens", "输入词元数";
        output_tokens: "Output tokens", "输出词元数";

        // How an output was read
        early: "Early results", "试运行结果";
        early_lead: "Outputs of up to ten tasks were run with their tests. The results are not stored.", "已用测试运行了最多十个任务的输出。结果不会保存。";
        early_running: "Up to ten outputs are being run with their tests.", "正在用测试运行最多十个输出。";
        early_begin: "Run up to ten outputs now", "现在运行最多十个输出";
        early_outputs: "Outputs that were run", "已运行的输出";
        reading: "How the response was read", "回答的读取方式";
        blocks: "Code blocks of the response", "回答中的代码块";
        role_code: "The code", "所采用的代码";
        role_helper: "Needed by the code", "代码所需";
        role_left: "Not used", "未使用";
        block_cut_off: "cut off", "被截断";
        why_whole: "The answer has no code block, so all of it is the code.", "回答中没有代码块，因此全部内容即为代码。";
        why_no_answer: "The reasoning does not end, so there is no code.", "推理过程没有结束，因此没有代码。";
        why_only: "The answer has one code block.", "回答中只有一个代码块。";
        why_chosen: "An admin chose this block as the code.", "该代码块由管理员选定。";
        choose_block: "Use this block", "采用该代码块";
        choose_by_rules: "Let the rules choose again", "重新按规则选取";
        published_unread: "The published evaluator judges the response as it stands; the guarded verdict is for this code.", "已发布的评测程序按原样评判该回答；防篡改结果针对此代码。";
        why_first: "No block defines what the task asks for. The code is the first block that may be a solution, or its last version.", "没有代码块定义任务所要求的内容。代码取第一个可能是解答的代码块，或其最后一个版本。";
        good_lead: "The file has invalid lines. By default, nothing is imported until they are fixed.", "文件中有无效的行。默认情况下，修正之前不会导入任何内容。";

        // A submission
        original: "Download original file", "下载原始文件";
    }
    sentences {
        dropped(names: &str) { format!("Chosen: {names}") } { format!("已选择：{names}") }
        importing(stored: u64, total: u64)
            { format!("Importing: {} of {} outputs", num(stored), num(total)) }
            { format!("正在导入：{} / {} 个输出", num(stored), num(total)) }
        early_line(passed: u64, ran: u64)
            { format!("{passed} of {} that were run {} tests.", some(ran, "output", "outputs"), if passed == 1 { "passes its" } else { "pass their" }) }
            { format!("所运行的 {ran} 个输出中有 {passed} 个通过测试。") }
        early_usual(what: &str)
            { format!("The usual failure: {what}") }
            { format!("最常见的失败：{what}") }
        their_verdicts_of(passed: u64, of: u64)
            { format!("{} of {} passed", num(passed), num(of)) }
            { format!("{} 个中有 {} 个通过", num(of), num(passed)) }
        other_dataset(dataset: &str, known: u64, of: u64)
            { format!("{dataset} has tasks for {} of the {} listed below.", num(known), some(of, "unknown ID", "unknown IDs")) }
            { format!("下方列出的 {} 个未知编号中，有 {} 个在 {dataset} 中有对应任务。", num(of), num(known)) }
        why_defines(name: &str)
            { format!("Only this block defines {name}, which the task asks for.") }
            { format!("只有该代码块定义了任务所要求的 {name}。") }
        why_last_version(name: &str)
            { format!("Of several blocks that define {name}, the last complete one is the code.") }
            { format!("有多个代码块定义了 {name}，以最后一个完整的为准。") }
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

impl UploadTexts {
    /// What a column of a table of outputs has, by our name of it; absent for a name that this program does not know.
    pub fn column(&self, name: &str) -> Option<&'static str> {
        match name {
            "task_id" => Some(self.column_task_id),
            "code" => Some(self.column_code),
            "passed" => Some(self.column_passed),
            "result" => Some(self.column_result),
            "model" => Some(self.column_model),
            "reasoning" => Some(self.column_reasoning),
            _ => None,
        }
    }

    /// Why the code of a response is the output.
    pub fn why(&self, why: &Why) -> String {
        match why {
            Why::Whole => self.why_whole.to_owned(),
            Why::NoAnswer => self.why_no_answer.to_owned(),
            Why::Only => self.why_only.to_owned(),
            Why::Defines(name) => (self.why_defines)(name),
            Why::LastVersion(name) => (self.why_last_version)(name),
            Why::Chosen => self.why_chosen.to_owned(),
            Why::First => self.why_first.to_owned(),
        }
    }

    /// What a block is to the output.
    pub fn role(&self, role: BlockRole) -> &'static str {
        match role {
            BlockRole::Code => self.role_code,
            BlockRole::Helper => self.role_helper,
            BlockRole::Left => self.role_left,
        }
    }
}
