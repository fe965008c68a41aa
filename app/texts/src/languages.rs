//! Texts of the page with HumanEval-X over its languages.

use model::failure_class::FailureClass;

texts! {
    LanguageTexts
    words {
        title: "Models by language", "各语言结果";
        lead: "Each model's newest test run in each language of HumanEval-X. Guarded figures with 95% intervals over tasks; below them the figures as published, where they differ.", "各模型在 HumanEval-X 各语言中最新的测试运行。为防篡改结果及按任务计算的 95% 区间；与按发布方式的结果不同时，后者列于其下。";
        none: "No test runs in HumanEval-X yet", "HumanEval-X 尚无测试运行";
        none_hint: "Import HumanEval-X, upload a model's outputs and run the tests.", "请导入 HumanEval-X，上传模型输出并运行测试。";
        model: "Model", "模型";
        mean: "Mean", "平均";
        mean_hint: "The mean covers the languages in the table. It is shown only for models with a run in all of them.", "平均值为表中各语言的平均，仅对在所有语言中都有运行的模型给出。";
        verdicts: "Verdicts by language", "各语言的测试结果";
        failures: "Failures by class", "按类别统计的失败";
        failures_hint: "Failures as published, in the classes of the benchmark's inspect_result.py.", "按发布方式判定的失败，类别同基准的 inspect_result.py。";
        language: "Language", "语言";
        translation: "Translation", "翻译";
        source: "From", "源语言";
        export: "Export CSV", "导出 CSV";
    }
    sentences {
        failures_in(language: &str) { format!("Failures in {language}") } { format!("{language} 的失败") }
        pass_in(language: &str, k: u32) { format!("{language}, pass@{k}") } { format!("{language}，pass@{k}") }
        generation(k: u32) { format!("pass@{k}, code generation") } { format!("pass@{k}，代码生成") }
        translated(model: &str, k: u32) { format!("{model}, pass@{k} by source and target language") } { format!("{model}，各语言对的 pass@{k}") }
    }
}

impl LanguageTexts {
    /// The name of a class of failures.
    pub fn failure_class(&self, class: FailureClass) -> &'static str {
        let (en, zh) = match class {
            FailureClass::AssertionError => ("assertion error", "断言失败"),
            FailureClass::CompilationError => ("compilation error", "编译错误"),
            FailureClass::SyntaxError => ("syntax error", "语法错误"),
            FailureClass::UndefinedError => ("undefined name", "名称未定义"),
            FailureClass::TypeError => ("type error", "类型错误"),
            FailureClass::UnusedError => ("unused import or variable", "未使用的导入或变量"),
            FailureClass::TimeoutError => ("timeout", "超时"),
            FailureClass::IndexError => ("index out of bounds", "下标越界"),
            FailureClass::RangeError => ("out of range", "超出范围"),
            FailureClass::ClassCastError => ("class cast error", "类型转换错误"),
            FailureClass::NullPointerError => ("null pointer", "空指针"),
            FailureClass::PointerError => ("pointer error", "指针错误"),
            FailureClass::InvalidArgument => ("invalid argument", "无效参数"),
            FailureClass::NumberFormatError => ("number format error", "数字格式错误"),
            FailureClass::NoSuchElement => ("no such element", "元素不存在"),
            FailureClass::UnsupportedOperation => ("unsupported operation", "不支持的操作"),
            FailureClass::ArithmeticError => ("arithmetic error", "算术错误"),
            FailureClass::StackOverflow => ("stack overflow", "栈溢出"),
            FailureClass::OutOfMemory => ("out of memory", "内存不足"),
            FailureClass::UncaughtException => ("uncaught exception", "未捕获的异常"),
            FailureClass::RuntimeError => ("runtime error", "运行时错误"),
            FailureClass::Other => ("other", "其他"),
        };
        self.lang.pick(en, zh)
    }
}
