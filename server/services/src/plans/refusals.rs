//! Texts that say why a study or a plan is impossible.

use model::lang::Lang;

use base::error::Failure;
use db::plan::Input;
use plan::{
    Impossible,
    rows::{Gradable, Member, Planned, whole},
};

/// Maximum length of a title.
pub const TITLE_MAX: usize = 120;
/// The highest number of raters per output; the schema has the same limit.
const RATERS_PER_OUTPUT_MAX: u32 = 100;

/// A study's title without spaces around it.
///
/// # Errors
///
/// Fails if it is empty or too long.
pub fn checked_title(title: &str) -> Result<String, Failure> {
    let title = title.trim();
    if title.is_empty() || title.chars().count() > TITLE_MAX {
        return Err(Failure::invalid(
            "title",
            ("a title has 1 to 120 characters", "标题为 1 到 120 个字符"),
            ("Enter a title", "请填写标题"),
        ));
    }
    Ok(title.to_owned())
}

/// The whole plan of a draft.
///
/// # Errors
/// Fails if there is no such plan.
pub fn planned(input: &Input, outputs: &[Gradable], raters: &[Member]) -> Result<Vec<Planned>, Failure> {
    if raters.is_empty() {
        return Err(Failure::invalid(
            "raters",
            ("no rater is selected", "未选择评分者"),
            ("Select at least one", "请至少选择一位"),
        ));
    }
    fits(input.settings.raters_per_output, raters.len())?;
    whole(input.settings.presentation, input.settings.raters_per_output, input.seed, outputs, raters)
        .map_err(impossible)
}

/// Checks that so many raters can be different for each output.
///
/// # Errors
/// Fails if they cannot.
pub fn fits(raters_per_output: u32, raters: usize) -> Result<(), Failure> {
    if raters_per_output < 1 || raters_per_output as usize > raters || raters_per_output > RATERS_PER_OUTPUT_MAX {
        let most = raters.min(RATERS_PER_OUTPUT_MAX as usize);
        return Err(Failure::invalid(
            "raters_per_output",
            (
                format!("{raters_per_output} different raters per output are not possible with {raters} raters"),
                format!("{raters} 位评分者无法满足每个输出 {raters_per_output} 位评分者"),
            ),
            (format!("Choose 1 to {most}"), format!("请选择 1 到 {most}")),
        ));
    }
    Ok(())
}

/// The refusal in words.
pub fn impossible(why: Impossible) -> Failure {
    match why {
        Impossible::TooFewReaders { nl_lang: lang, readers } => {
            let name = match lang {
                Lang::En => "English",
                Lang::Zh => "Chinese",
            };
            Failure::invalid(
                "raters",
                (
                    format!("only {readers} of the raters read {name}, fewer than the raters per output"),
                    format!("只有 {readers} 位评分者能阅读 {name}，少于每个输出的评分人数"),
                ),
                (
                    "Add raters who read it, lower the raters per output, or assign the work evenly",
                    "请添加能阅读该语言的评分者、减少每个输出的评分人数，或改为平均分配",
                ),
            )
        }
        Impossible::SharesTooSmall { shares, wanted } => Failure::invalid(
            "shares",
            (
                format!("the shares add up to {shares}, but the study needs {wanted}"),
                format!("份额合计为 {shares}，而项目需要 {wanted}"),
            ),
            (
                "Raise some shares. A share cannot exceed the outputs in the languages that the rater reads",
                "请提高部分份额；份额不能超过评分者所能阅读语言的输出数",
            ),
        ),
    }
}
