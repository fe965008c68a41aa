//! The admin's pages: each text with both its languages side by side, so that who changes one sees
//! the other. `words` are fixed; `sentences` have figures or names in them.

#![allow(missing_docs, reason = "each field's English text, below, says what it is for")]

use super::I18n;
use crate::model::lang::Lang;

texts! {
    /// The texts of the admin's pages.
    Admin
    words {
        // Everywhere
        actions: "Actions", "操作";
        any: "Any", "不限";
        check_human: "For people", "人工评分";
        check_tests: "With tests", "自动测试";
        checks: "Check", "检验方式";
        dataset: "Dataset", "数据集";
        datasets: "Datasets", "数据集";
        description: "Description", "任务描述";
        dimension: "Dimension", "评分维度";
        file: "File", "文件";
        filter: "Filter", "筛选";
        filter_text: "Find", "查找";
        language: "Language", "语言";
        lines: "Lines", "行数";
        model: "Model", "模型";
        models: "Models", "模型";
        name: "Name", "名称";
        new_study: "New study", "新建评分项目";
        no_ratings: "no ratings", "暂无评分";
        no_ratings_yet: "No ratings yet", "还没有评分";
        where_raters_begin: "Raters find the study on their desk after logging in.", "评分者登录后即可在工作台看到该项目。";
        none_match: "Nothing fits the filter", "没有符合筛选条件的内容";
        outputs: "Outputs", "输出";
        ratings: "Ratings", "评分";
        sample: "Sample", "样本";
        samples: "Samples", "样本";
        signature: "Signature", "方法签名";
        studies: "Studies", "评分项目";
        submissions: "Submissions", "模型输出";
        task: "Task", "任务";
        tasks: "Tasks", "任务";
        tasks_answered: "Tasks answered", "已覆盖任务";
        version: "Version", "版本";
        when: "When", "时间";

        // Overview
        home: "Overview", "总览";
        next_step: "Next step", "下一步";
        next_import: "Nothing is here yet. Begin with a dataset: the tasks that models answer.", "这里还没有内容。请先导入数据集，也就是模型要完成的任务。";
        next_upload: "The tasks are here. Now upload what models answered.", "任务已经就绪，接下来请上传模型的输出。";
        next_study: "Outputs are waiting. Set up a study, and people can grade them.", "模型输出已经就绪。新建一个评分项目，就可以请人评分了。";
        open_study: "Open the study", "打开评分项目";
        read_comparison: "Read the comparison", "查看比较结果";
        no_studies: "No study yet", "还没有评分项目";
        all_studies: "All studies", "全部评分项目";

        // Datasets
        no_datasets: "No dataset yet", "还没有数据集";
        graded_by_people: "For people", "人工评分";
        with_tests: "With tests", "带测试";
        imported_at: "Imported", "导入时间";
        import_dataset: "Import a dataset", "导入数据集";
        import_what: "Choose any of these:", "可以选择以下任意一种：";
        import_checkout: "a checkout of the published AixBench as an archive (.zip or .tar.gz): both datasets, their tests, and the rubric in its own words;", "已发布的 AixBench 仓库压缩包（.zip 或 .tar.gz）：包含两个数据集、测试和原文的评分标准；";
        import_bare: "its bare files (dataset_autotest_nl.jsonl, dataset_manual_nl.jsonl), with the two README files where you want the rubric's own words;", "单独的数据文件（dataset_autotest_nl.jsonl、dataset_manual_nl.jsonl）；如需使用原文的评分标准，请一并选择两个 README 文件；";
        import_own: "a dataset in our own format, as an archive of its folder.", "本程序自有格式的数据集，将其文件夹打包即可。";
        import_again: "Importing the same again changes nothing. A changed file becomes a new version, and whatever was graded stays.", "重复导入相同内容不会产生任何改变。内容有变化的文件会成为新版本，已有的评分全部保留。";
        import_files: "Files or archive", "文件或压缩包";
        import_files_hint: "Several files at once are fine.", "可以一次选择多个文件。";
        import_button: "Import", "导入";
        short_name: "Short name", "短名称";
        source: "Source", "来源";
        license: "License", "许可证";
        versions: "Versions", "历史版本";
        changed: "Changed tasks", "变动的任务";

        // Submissions
        no_submissions: "No model outputs yet", "还没有模型输出";
        upload_outputs: "Upload outputs", "上传模型输出";
        show_all: "Show all", "显示全部";
        taken_at: "Taken", "接收时间";
        only_empty: "Only without code", "只看没有代码的";
        no_code: "no code", "无代码";

        // Upload
        upload_lead: "Send one model's outputs for one dataset. You will first see what the file holds; nothing is taken before you say so.", "上传一个模型在一个数据集上的输出。系统会先显示文件内容供您核对，确认之前不会写入任何数据。";
        upload_needs_dataset: "There is no dataset to match outputs against yet", "还没有可供匹配的数据集";
        upload_form: "Choose a file", "选择文件";
        upload_file: "Outputs", "输出文件";
        upload_file_hint: "JSON Lines, plain or gzip, one output a line; or an archive with a Java class a task. Large files are fine.", "JSON Lines 格式，可用 gzip 压缩，每行一个输出；或每个任务一个 Java 类的压缩包。文件较大也没有问题。";
        upload_button: "Upload and preview", "上传并预览";
        shapes_head: "What a line looks like", "每一行的格式";
        shapes_lead: "Each line is a JSON object in one of the first three shapes; an archive holds classes instead.", "每一行是一个 JSON 对象，格式为前三种之一；压缩包则存放 Java 类。";
        shape_classes: "in a .zip or .tar.gz: one class a task, its name ending in the task's id, such as", "放在 .zip 或 .tar.gz 中：每个任务一个类，类名以任务编号结尾，例如";
        shapes_note: "Several lines for one task are several samples. Code inside a chat answer loses its fences; what was said around it is kept.", "同一任务有多行，表示多个样本。对话式回答中的代码会去掉围栏标记，其余文字予以保留。";
        stop_sending: "Stop", "停止";
        sending_label: "Upload", "上传进度";
        server_reads: "All is sent; the server is reading it.", "已全部发送，服务器正在读取。";

        // Preview
        preview: "Preview", "预览";
        preview_none_matched: "No line found its task: nothing can be taken. Choose another dataset, or match in another way.", "没有一行能匹配到任务，无法接收。请换一个数据集，或改用其他匹配方式。";
        preview_same: "This very file has been taken before.", "这个文件之前已经接收过。";
        open_submission: "Open that submission", "查看那次提交";
        size: "Size", "大小";
        shape: "Shape", "格式";
        matched: "Lines matched", "匹配的行";
        one_sample_each: "one a task", "每个任务一个";
        matching: "Matching", "匹配方式";
        matched_by_id: "Lines found their tasks by task_id.", "各行按 task_id 匹配到任务。";
        matched_by_description: "Lines found their tasks by the description's text.", "各行按描述文本匹配到任务。";
        match_label: "Match lines to tasks", "将各行匹配到任务";
        match_auto: "as the file suggests", "由文件内容决定";
        match_task_id: "by task_id", "按 task_id";
        match_description: "by the description's text", "按描述文本";
        match_again: "Match again", "重新匹配";
        bad_lines: "Lines that cannot be read", "无法读取的行";
        line: "Line", "行号";
        what: "What is wrong", "问题";
        remedy: "What to do", "处理方法";
        findings: "What was found", "检查结果";
        missing: "Tasks without an output", "没有输出的任务";
        missing_what: "They count as unanswered: the model scores nothing there.", "这些任务视为没有作答。";
        unknown: "Unknown ids", "未知的编号";
        unknown_what: "The dataset has no such task. These lines are left out.", "数据集中没有对应的任务，这些行会被忽略。";
        duplicates: "Duplicate lines", "重复的行";
        duplicates_what: "The same task with the same code again. Taken once; where the file has different samples of a task, a repeat is a sample too.", "任务和代码都相同，只接收一次；若文件中同一任务有不同的样本，则重复的也算一个样本。";
        empty_outputs: "Outputs without code", "没有代码的输出";
        empty_what: "They are taken, and count as no answer.", "照常接收，视为没有给出答案。";
        telltales: "May name a model", "可能透露模型名称";
        telltales_what: "A rater would see this text and could guess who wrote it. Have a look before you take the file.", "评分者会看到这些文字，并可能猜出模型。接收之前请先检查。";
        take: "Take these outputs", "接收这些输出";
        take_lead: "All lines are taken together, or none.", "所有行一并接收，否则一行也不接收。";
        model_name: "Model", "模型名称";
        model_name_hint: "Whose outputs these are. Raters never see it. A name used before adds to that model.", "这些输出来自哪个模型。评分者不会看到。使用已有的名称则归入同一模型。";
        other_file: "Send another file instead", "改为上传其他文件";

        // New study
        choose_dataset: "Which dataset?", "选择数据集";
        study_needs_outputs: "There are no outputs to grade here yet", "这里还没有可供评分的模型输出";
        other_dataset: "Choose another dataset", "换一个数据集";
        study_title: "Title", "名称";
        study_title_hint: "Raters read it, so leave models' names out of it.", "评分者会看到这个名称，请勿包含模型名。";
        study_submissions: "Outputs to grade", "要评分的模型输出";
        study_submissions_hint: "One or more, all of the same dataset version.", "至少一项，须属于数据集的同一版本。";
        study_raters: "Raters", "评分者";
        study_raters_hint: "Who grades. People may join and leave later.", "由谁评分。之后仍可增减人员。";
        invite_people: "Invite people", "邀请成员";
        overlap: "Raters per output", "每个输出的评分人数";
        overlap_hint: "With two or more, the comparison also says how far raters agree.", "两人或以上时，还可以得到评分者之间的一致程度。";
        study_more: "More settings", "更多设置";
        study_tasks: "Only so many tasks", "只取部分任务";
        study_tasks_hint: "For a pilot: so many tasks, drawn by the seed. Leave empty for all.", "用于试评：按随机种子抽取若干任务。留空则取全部。";
        seed: "Seed", "随机种子";
        seed_hint: "What the order is drawn from, a whole number. Leave empty to have one drawn and recorded.", "决定评分顺序的整数。留空则自动生成并记录。";
        estimate_open: "Choose outputs and raters to see how many ratings that makes.", "选好模型输出和评分者后，这里会显示共需多少次评分。";

        // A study
        status_running: "Running", "进行中";
        status_paused: "Paused", "已暂停";
        status_closed: "Closed", "已结束";
        pause: "Pause", "暂停";
        resume: "Resume", "继续";
        close_study: "Close …", "结束…";
        close_warning: "A closed study takes no more ratings and cannot be opened again. What was given stays.", "结束后不再接受评分，也无法重新开启。已有的评分全部保留。";
        close_for_good: "Close for good", "确认结束";
        closed_note: "This study is over; its ratings stay.", "该项目已结束，评分全部保留。";
        created_at: "Made", "创建时间";
        rubric: "Rubric", "评分标准";
        ratings_csv: "Ratings as CSV", "下载评分（CSV）";
        comparison_csv: "Comparison as CSV", "下载比较结果（CSV）";
        progress: "Progress", "进度";
        rater: "Rater", "评分者";
        rated: "Rated", "已评";
        skipped: "Skipped", "已跳过";
        handed_out: "On the desk", "手头未评";
        median_time: "Median time", "用时中位数";
        last_rating: "Last rating", "最近评分";
        flags: "Raised by raters", "评分者的提示";
        flag: "Flag", "提示";
        flag_unclear: "The description is unclear", "任务描述不清楚";
        flag_cannot_judge: "Cannot judge it", "无法判断";
        flag_truncated: "The code stops in the middle", "代码在中途截断";

        // Comparison
        comparison: "Comparison", "模型比较";
        means_caption: "Mean score with its 95 % interval", "平均分及 95 % 置信区间";
        means_desc: "A point for each model's mean, a line for its 95 % interval. The table above holds the same figures.", "圆点为各模型的平均分，横线为 95 % 置信区间。上方表格列有相同的数据。";
        differences_desc: "A point for the difference of two models' means, a line for its 95 % interval. Where the line crosses zero, the data do not separate the two. The sentences above say the same.", "圆点为两个模型平均分之差，横线为 95 % 置信区间。横线跨过零，则数据不能区分二者。上方文字说明了同样的内容。";
        distribution_desc: "One bar for each model, cut into the shares of the scores, lowest left. The table beside it holds the counts.", "每个模型一条，按各分数所占比例分段，低分在左。旁边的表格列有次数。";
        counts_caption: "Number of ratings by score", "各分数的评分次数";
        score: "Score", "分数";
        sum: "Sum", "合计";
        agreement: "Agreement between raters", "评分者一致性";
        agreement_lead: "Over pairs of ratings of one output. Alpha is 1 where raters always agree and about 0 where they agree no more than chance.", "按同一输出的两两评分计算。完全一致时 α 为 1，仅有偶然一致时约为 0。";
        agreement_none: "No output has been rated by two people yet, so agreement cannot be told.", "还没有输出得到两人评分，无法计算一致性。";
        alpha: "Krippendorff’s alpha", "Krippendorff α";
        alpha_undefined: "undefined: no variation", "无法定义：分数没有差异";
        exact: "Equal", "完全相同";
        within_one: "Within one", "相差不超过 1";
        pairs: "Pairs", "评分对数";
        show: "Show", "显示";
        all_tasks: "All tasks", "全部任务";
        rated_tasks: "With ratings", "已有评分";
        unrated_tasks: "Without ratings", "尚无评分";
        disputed_tasks: "Raters apart", "评分有分歧";
        order: "Order", "排序";
        order_dataset: "As in the dataset", "按数据集顺序";
        order_spread: "Widest spread first", "分歧大的在前";
        spread: "Spread", "分歧";
        tasks_legend: "Each model’s mean scores in the rubric’s order. Spread: the widest distance between two ratings of one output.", "各模型的平均分按评分标准的维度顺序排列。分歧：同一输出两次评分的最大差距。";
        superseded: "replaced", "已被替换";

        // People
        people: "People", "人员";
        accounts: "Accounts", "账户";
        role: "Role", "角色";
        role_admin: "Admin", "管理员";
        role_rater: "Rater", "评分者";
        state: "State", "状态";
        enabled: "May log in", "可以登录";
        disabled: "Switched off", "已停用";
        enable: "Switch on", "启用";
        disable: "Switch off", "停用";
        disable_hint: "Switching an account off ends its sessions; its ratings stay.", "停用账户会使其登录失效，已有的评分全部保留。";
        since: "Since", "创建时间";
        thats_you: "That is you", "这是您自己";
        invite_lead: "An invitation is a link by which one person makes an account. Send it yourself, by mail or chat. Whom it is for is a note for you; the person may choose any name.", "邀请链接可供一人创建账户，请自行通过邮件或聊天工具发送。“邀请对象”仅供您备忘，对方可以自选用户名。";
        invite_label: "For whom", "邀请对象";
        invite_days: "Works for (days)", "有效天数";
        invite_button: "Make a link", "生成链接";
        invite_once: "This link is shown once. Copy it now and send it to the person.", "此链接只显示一次，请立即复制并发送给对方。";
        invite_link: "Invitation link", "邀请链接";
        copy: "Copy", "复制";
        copied: "Copied", "已复制";
        copy_by_hand: "The text is selected; copy it by hand.", "文字已选中，请手动复制。";
        invitations: "Invitations", "邀请";
        no_invitations: "No invitation yet", "还没有邀请";
        open: "Open", "有效";
        ended: "Ended", "已失效";
        ends_at: "Ends", "失效时间";
        revoke: "Revoke", "撤销";
    }
    sentences {
        done_of(done: &str, wanted: &str, share: u64)
            { format!("{done} of {wanted} ({share} %)") }
            { format!("{done} / {wanted}（{share} %）") }
        shown_of(shown: u64, all: u64)
            { format!("{} of {} shown", num(shown), num(all)) }
            { format!("显示 {} / {}", num(shown), num(all)) }
        ratings_n(n: u64) { some(n, "rating", "ratings") } { format!("{} 次评分", num(n)) }
        tasks_n(n: u64) { some(n, "task", "tasks") } { format!("{} 个任务", num(n)) }
        submissions_n(n: u64) { some(n, "submission", "submissions") } { format!("{} 份模型输出", num(n)) }
        version_n(n: u32) { format!("version {n}") } { format!("版本 {n}") }
        sample_n(n: u32) { format!("sample {n}") } { format!("样本 {n}") }
        task_n(id: &str) { format!("Task {id}") } { format!("任务 {id}") }
        line_n(n: u64) { format!("line {}", num(n)) } { format!("第 {} 行", num(n)) }
        and_more(n: u64) { format!("and {} more", num(n)) } { format!("另有 {} 项", num(n)) }
        range(low: &str, high: &str) { format!("[{low}, {high}]") } { format!("[{low}, {high}]") }

        tasks_in_all(n: u64) { format!("{} in all", some(n, "task", "tasks")) } { format!("共 {} 个任务", num(n)) }
        outputs_in_all(n: u64) { format!("{} in all", some(n, "output", "outputs")) } { format!("共 {} 个输出", num(n)) }
        running_now(n: u64) { format!("{} running", num(n)) } { format!("{} 个进行中", num(n)) }
        next_watch(title: &str, left: u64)
            { format!("“{title}” wants {} more.", some(left, "rating", "ratings")) }
            { format!("“{title}”还需要 {} 次评分。", num(left)) }
        next_read(title: &str)
            { format!("“{title}” has all its ratings. Read what they say about the models.") }
            { format!("“{title}”的评分已经完成，可以查看模型比较了。") }
        study_line(dataset: &str, raters: u64, at: &str)
            { format!("{dataset} · {} · {at}", some(raters, "rater", "raters")) }
            { format!("{dataset} · {} 位评分者 · {at}", num(raters)) }

        upload_for(slug: &str) { format!("Upload outputs for {slug}") } { format!("为 {slug} 上传模型输出") }
        only_dataset(slug: &str) { format!("Only those for {slug}.") } { format!("仅显示 {slug} 的模型输出。") }
        sending(done: &str, whole: &str) { format!("{done} of {whole} sent") } { format!("已发送 {done} / {whole}") }
        output_of(model: &str, task: &str)
            { format!("{model} on task {task}") }
            { format!("{model}：任务 {task}") }
        import_new(slug: &str, number: u32, tasks: u64)
            { format!("{slug} was imported: version {number} with {} is the newest now.", some(tasks, "task", "tasks")) }
            { format!("{slug} 已导入：最新版本为 {number}，共 {} 个任务。", num(tasks)) }
        import_same(slug: &str, number: u32)
            { format!("{slug} has nothing new: version {number} holds all of it.") }
            { format!("{slug} 没有新内容：版本 {number} 已包含全部任务。") }

        preview_bad(n: u64)
            { format!("{} cannot be read. Mend the file and upload it again: nothing is taken while there is a bad line.", some(n, "line", "lines")) }
            { format!("有 {} 行无法读取。请修正文件后重新上传：只要还有坏行，就不会接收任何内容。", num(n)) }
        preview_good(matched: u64, covered: u64, total: u64)
            { format!("{} found their task; {} of {} get an output.", some(matched, "output", "outputs"), num(covered), some(total, "task", "tasks")) }
            { format!("{} 行匹配到任务，{} / {} 个任务有输出。", num(matched), num(covered), num(total)) }
        samples_line(tasks: u64, most: u64)
            { format!("{} with several, at most {most}", some(tasks, "task", "tasks")) }
            { format!("{} 个任务有多个样本，最多 {most} 个", num(tasks)) }
        take_button(n: u64) { format!("Take {}", some(n, "output", "outputs")) } { format!("接收 {} 个输出", num(n)) }

        study_of(slug: &str) { format!("Dataset: {slug}.") } { format!("数据集：{slug}。") }
        submission_line(outputs: u64, tasks: u64, file: &str)
            { format!("{} for {} from {file}", some(outputs, "output", "outputs"), some(tasks, "task", "tasks")) }
            { format!("{} 个输出，覆盖 {} 个任务，来自 {file}", num(outputs), num(tasks)) }
        estimate(outputs: u64, ratings: u64, each: u64)
            { format!("{} to grade: {} in all, about {} for each rater.", some(outputs, "output", "outputs"), some(ratings, "rating", "ratings"), num(each)) }
            { format!("共 {} 个输出，需要 {} 次评分，每位评分者约 {} 次。", num(outputs), num(ratings), num(each)) }
        overlap_short(overlap: u64, raters: u64)
            { format!("{overlap} raters per output need {overlap} raters; {} chosen.", num(raters)) }
            { format!("每个输出需 {overlap} 位评分者，目前只选了 {} 位。", num(raters)) }

        seconds(s: u64) { format!("{s} s") } { format!("{s} 秒") }
        minutes(m: u64, s: u64) { format!("{m} min {s} s") } { format!("{m} 分 {s} 秒") }

        how_computed(resamples: &str, seed: &str)
            { format!("Mean over tasks of the mean over raters. Intervals: bootstrap over tasks, raters nested, {resamples} resamples, seed {seed}.") }
            { format!("先对每个任务的评分者取平均，再对任务取平均。置信区间：按任务有放回抽样（嵌套评分者），{resamples} 次，随机种子 {seed}。") }
        means_title(dimension: &str) { format!("{dimension}: means") } { format!("{dimension}：平均分") }
        differences_title(dimension: &str) { format!("{dimension}: differences") } { format!("{dimension}：平均分之差") }
        distribution_title(dimension: &str) { format!("{dimension}: how often each score was given") } { format!("{dimension}：各分数的分布") }
        counts_of(dimension: &str) { format!("{dimension}: number of ratings by score") } { format!("{dimension}：各分数的评分次数") }
        part_tip(model: &str, score: u64, count: u64, whole: u64)
            { format!("{model}: score {score} in {} of {}", num(count), some(whole, "rating", "ratings")) }
            { format!("{model}：{} 次评分中有 {} 次为 {score} 分", num(whole), num(count)) }

        enable_whom(name: &str) { format!("Switch {name} on") } { format!("启用 {name}") }
        disable_whom(name: &str) { format!("Switch {name} off") } { format!("停用 {name}") }
        used_by(name: &str) { format!("used by {name}") } { format!("已由 {name} 使用") }
        revoke_whose(label: &str) { format!("Revoke the invitation for {label}") } { format!("撤销给“{label}”的邀请") }
    }
}

/// A whole number with its thousands apart, the same in both languages.
fn num(n: u64) -> String {
    I18n::of(Lang::En).number(n)
}

/// A number with its noun.
fn some(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", num(n), if n == 1 { one } else { many })
}
