//! Texts of the page with HumanEval-X over its languages.

#![allow(missing_docs, reason = "each text says what it is for")]

texts! {
    LanguageTexts
    words {
        title: "Models by language", "各语言结果";
        lead: "Each model's newest test run in each language of HumanEval-X. Guarded figures with 95% intervals over tasks; below them the figures as published, where they differ.", "各模型在 HumanEval-X 各语言中最新的测试运行。为防篡改结果及按任务计算的 95% 区间；与按发布方式的结果不同时，后者列于其下。";
        none: "No test runs in HumanEval-X yet", "HumanEval-X 尚无测试运行";
        none_hint: "Import HumanEval-X, upload a model's outputs and run the tests.", "请导入 HumanEval-X，上传模型输出并运行测试。";
        model: "Model", "模型";
        mean: "Mean", "平均";
        mean_hint: "The mean is over the languages of the table and given only for models with a run in all of them.", "平均值为表中各语言的平均，仅对在所有语言中都有运行的模型给出。";
        verdicts: "Verdicts by language", "各语言的测试结果";
        language: "Language", "语言";
        translation: "Translation", "翻译";
        source: "From", "源语言";
        export: "Export CSV", "导出 CSV";
    }
    sentences {
        generation(k: u32) { format!("pass@{k}, code generation") } { format!("pass@{k}，代码生成") }
        translated(model: &str, k: u32) { format!("{model}, pass@{k} by source and target language") } { format!("{model}，各语言对的 pass@{k}") }
    }
}
