//! Texts about conversations: CodeIF-Bench over its ways, turns and kinds of instructions.

use model::{
    conversation::{InstructionKind, TestProfile, Way},
    conversation_results::DifferenceReason,
};

texts! {
    ConversationTexts
    words {
        title: "Conversations", "对话结果";
        lead: "Each model's newest test run in each way of CodeIF-Bench; without a run, the verdicts that the authors published. Figures as published, with 95% intervals over tasks; below them the guarded figures, where they differ.", "各模型在 CodeIF-Bench 每种提问方式下最新的测试运行；没有运行时，采用作者公布的判定。按发布方式判定的结果及按任务计算的 95% 区间；与防篡改结果不同时，后者列于其下。";
        none: "No results of CodeIF-Bench yet", "CodeIF-Bench 尚无结果";
        authors_verdicts: "authors' verdicts", "作者公布的判定";
        untested: "No outputs of this dataset have been tested yet. Start a test run on a submission's page.", "该数据集的输出尚未测试。请在输出集页面开始测试运行。";
        none_hint: "Import CodeIF-Bench and a model's outputs, and run the tests.", "请导入 CodeIF-Bench 和模型输出，并运行测试。";
        model: "Model", "模型";
        way: "Way", "提问方式";
        kind: "Instruction", "指令类型";
        task: "Task", "任务";
        passes: "Answers that pass, by way", "各提问方式的通过率";
        authors_only: "The tests of this level need the sources of projects that CodeIF-Bench does not contain. The figures come from the verdicts that the authors published.", "该级别的测试需要 CodeIF-Bench 未包含的项目源码。以下数据来自作者公布的判定。";
        figures: "Conversations of all turns", "完整对话";
        figures_hint: "IA: answers that pass the tests of their own instruction. CA: answers that pass all tests so far. IFR: share of instructions followed earlier that a failing answer no longer follows. As coded, IFR counts the base prompt as forgotten whenever an answer fails, because the published program tests it with all tests so far.", "IA：通过自身指令测试的回答。CA：通过截至该轮全部测试的回答。IFR：未通过的回答不再遵循的先前指令所占比例。原代码在回答未通过时总把基础提示计为遗忘，因为发布的程序用截至该轮的全部测试来检验它。";
        instruction_accuracy: "IA", "IA";
        last_accuracy: "CA, all rounds", "CA（全部轮次）";
        forgotten: "IFR", "IFR";
        forgotten_as_coded: "IFR as coded", "IFR（原代码）";
        by_round: "CA by round", "各轮 CA";
        forgotten_by_round: "IFR by round", "各轮 IFR";
        dynamic: "Dynamic conversations", "动态对话";
        dynamic_hint: "Computed from runs by the definitions of the branch v1; no figures are published. CA: share of the instructions asked for so far that an answer follows. IFE: their number divided by the rounds so far. The table has means over all answers.", "依据 v1 分支的定义由测试运行计算；作者未公布此类数据。CA：截至该轮所问指令中回答所遵循的比例。IFE：所遵循的指令数除以截至该轮的轮数。表中为全部回答的平均值。";
        dynamic_accuracy: "CA", "CA";
        efficiency: "IFE", "IFE";
        dynamic_by_round: "CA by round, dynamic", "各轮 CA（动态对话）";
        efficiency_by_round: "IFE by round, dynamic", "各轮 IFE（动态对话）";
        share: "Share", "比例";
        differences: "Verdicts that differ from those of the authors", "与作者公布判定不同的结果";
        authors_passed: "Authors", "作者判定";
        reason: "Reason", "原因";
        leaderboard: "The leaderboard's column L-1", "排行榜 L-1 列";
        leaderboard_hint: "Function level and repository level 1 together. The published report does not count the first answer of each of the seven kinds at repository level, so that its denominators lack 7 and its shares are too high by less than one point. The base prompt is not affected.", "函数级与仓库级 1 合计。发布的报告在仓库级未计入七类指令各自的第一个回答，分母因此少 7，比例偏高不到一个百分点。基础提示不受影响。";
        function_level: "Function level", "函数级";
        repository_level: "Repository level 1", "仓库级 1";
        as_printed: "As printed", "公布值";
        all_answers: "Of all answers", "按全部回答";
        guarded: "guarded", "防篡改";
        export: "Export CSV", "导出 CSV";
        profile: "Tests of CodeIF-Bench", "CodeIF-Bench 的测试方案";
        profile_hint: "As run is the form that gives the published verdicts.", "“按原运行”可得出公布的判定。";
        nothing: "–", "–";
    }
    sentences {
        kinds_in(way: &str) { format!("Answers that pass, by instruction: {way}") } { format!("各类指令的通过率：{way}") }
        round(number: u32) { format!("Round {number}") } { format!("第 {number} 轮") }
        equal(equal: &str, compared: &str) { format!("{equal} of {compared} verdicts equal those that the authors published.") } { format!("{compared} 个判定中有 {equal} 个与作者公布的相同。") }
        equal_without_defects(equal: &str, compared: &str) { format!("Without answers that defects of the data leave without a verdict: {equal} of {compared}.") } { format!("不计因数据缺陷而无法判定的回答：{compared} 个中有 {equal} 个相同。") }
    }
}

impl ConversationTexts {
    /// The name of a way.
    pub fn way_name(&self, way: Way) -> &'static str {
        let (en, zh) = match way {
            Way::Base => ("base", "基础提示"),
            Way::Single => ("single", "单轮"),
            Way::Multi => ("multi", "两轮"),
            Way::N => ("n", "完整对话"),
            Way::Dynamic => ("dynamic", "动态对话"),
        };
        self.lang.pick(en, zh)
    }

    /// The name of a kind of instruction.
    pub fn kind_name(&self, kind: InstructionKind) -> &'static str {
        let (en, zh) = match kind {
            InstructionKind::Base => ("The function itself", "函数本身"),
            InstructionKind::InputOutput => ("Input and output", "输入与输出"),
            InstructionKind::ExceptionHandling => ("Exception handling", "异常处理"),
            InstructionKind::EdgeCase => ("Edge cases", "边界情况"),
            InstructionKind::FunctionalityExtension => ("Extended functionality", "功能扩展"),
            InstructionKind::AnnotationCoverage => ("Type annotations", "类型注解"),
            InstructionKind::CodeComplexity => ("Code complexity", "代码复杂度"),
            InstructionKind::CodeStandard => ("Code style", "代码规范"),
            InstructionKind::ContextUsage => ("Use of the context", "上下文使用"),
            InstructionKind::ContextUsageCorrectness => ("Correct use of the context", "上下文的正确使用"),
        };
        self.lang.pick(en, zh)
    }

    /// The name of a form of the tests.
    pub fn profile_name(&self, profile: TestProfile) -> &'static str {
        let (en, zh) = match profile {
            TestProfile::AsRun => ("As run by the authors", "按作者原运行"),
            TestProfile::AsReleased => ("As released", "按发布数据"),
            TestProfile::V1 => ("By the rules of v1", "按 v1 规则"),
        };
        self.lang.pick(en, zh)
    }

    /// Why a verdict differs from the one that the authors published.
    pub fn difference(&self, reason: DifferenceReason) -> &'static str {
        let (en, zh) = match reason {
            DifferenceReason::OtherText => (
                "The authors ran another text than the output that they published.",
                "作者运行的文本与其公布的输出不同。",
            ),
            DifferenceReason::Defect => {
                ("A defect of the data: the tests cannot judge this answer.", "数据存在缺陷：测试无法判定此回答。")
            }
            DifferenceReason::Profile => (
                "The run uses the tests as released; three of them did not parse when the authors ran them.",
                "该运行使用发布的测试；作者运行时其中三个测试无法解析。",
            ),
            DifferenceReason::Unknown => ("Unknown.", "未知。"),
        };
        self.lang.pick(en, zh)
    }
}
