//! The prompts that models are asked with: a template, filled in for a task.

use model::{
    code_lang::CodeLang,
    collection::{ChatMessage, ChatRole},
    dataset::TaskRow,
    lang::{Bilingual, Lang},
    problem::Problem,
};

use super::humaneval;
use syntax::display::display;

/// The default template of tasks that HumanEval-X asks to continue.
const CONTINUE: &str = "Complete this {language} function:

```{fence}
{prompt}
```

Answer with one Markdown code block that contains the complete function, with the imports and the signature above. Leave \
                        out tests, examples and a main function.";

/// The default template of HumanEval-X's translation task.
const TRANSLATE: &str = "{description}

Use this declaration:
```{fence}
{declaration}
```

Answer with one Markdown code block that contains the complete function, with the imports that it needs. Leave out tests, \
                         examples and a main function.";

/// The default template of other tasks.
const IMPLEMENT: (&str, &str) = (
    "Implement this in {language}:

{description}

Use this signature:
```{fence}
{signature}
```

Answer with one Markdown code block that contains the complete implementation, with the imports that it needs. Leave out \
     tests, examples and a main function.",
    "请用 {language} 实现以下功能：

{description}

请使用以下签名：
```{fence}
{signature}
```

请只用一个 Markdown 代码块作答，其中包含完整的实现和所需的导入。不要包含测试、示例或 main 函数。",
);

/// The default template of an instruction in a conversation.
const INSTRUCT: (&str, &str) = (
    "Change the code so that it also meets this requirement:

{instruction}

Answer with one Markdown code block that contains the complete implementation.",
    "请修改代码，使其同时满足以下要求：

{instruction}

请只用一个 Markdown 代码块作答，其中包含完整的实现。",
);

/// The default template that says that an answer in a dynamic conversation fails.
const REPAIR: (&str, &str) = (
    "The code does not meet this requirement yet:

{instruction}

Its tests ended with:
```
{failure}
```

Fix the code so that it also meets this requirement. Answer with one Markdown code block that contains the complete \
     implementation.",
    "代码尚未满足以下要求：

{instruction}

其测试的结果：
```
{failure}
```

请修正代码，使其同时满足该要求。请只用一个 Markdown 代码块作答，其中包含完整的实现。",
);

/// A task, as prompts are made of it.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub row: &'a TaskRow,
    /// What HumanEval-X has of it besides.
    pub humaneval: Option<&'a humaneval::Task>,
    /// The instruction of a turn, in a conversation.
    pub instruction: &'a str,
    /// Why the last answer fails the tests of that instruction, in a dynamic conversation.
    pub failure: &'a str,
}

/// The template of a conversation's instructions if nobody chose one.
pub fn default_turn_template() -> Bilingual {
    Bilingual { en: INSTRUCT.0.into(), zh: INSTRUCT.1.into() }
}

/// The template that says in a dynamic conversation that an answer fails, used by default.
pub fn default_feedback_template() -> Bilingual {
    Bilingual { en: REPAIR.0.into(), zh: REPAIR.1.into() }
}

/// The template for a dataset's tasks if nobody chose one.
pub fn default_template(first: Subject<'_>) -> Bilingual {
    let one = |text: &str| Bilingual { en: text.into(), zh: String::new() };
    match first.humaneval {
        Some(task) if task.source.is_some() => one(TRANSLATE),
        Some(_) => one(CONTINUE),
        None => Bilingual { en: IMPLEMENT.0.into(), zh: IMPLEMENT.1.into() },
    }
}

/// The messages for a task. A paragraph of the template is left out where a placeholder in it has no value for the task,
/// such as a missing signature.
///
/// # Errors
///
/// The template has an unknown placeholder, or says nothing of the task.
pub fn messages(system: &str, template: &Bilingual, of: Subject<'_>) -> Result<Vec<ChatMessage>, Problem> {
    let user = text(template, of)?;
    let system = (!system.is_empty()).then(|| ChatMessage { role: ChatRole::System, content: system.to_owned() });
    Ok(system.into_iter().chain([ChatMessage { role: ChatRole::User, content: user }]).collect())
}

/// A template in the language of the task's description, filled in.
///
/// # Errors
///
/// As [`messages`].
pub fn text(template: &Bilingual, of: Subject<'_>) -> Result<String, Problem> {
    let chosen = match of.row.nl_lang {
        Lang::Zh if !template.zh.is_empty() => &template.zh,
        _ => &template.en,
    };
    fill(chosen, of)
}

/// An estimate of a text's tokens, for plans and budgets: a token for four ASCII characters, or for one other character.
pub fn tokens(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    let others = text.chars().filter(|c| !c.is_ascii()).count() as u64;
    ascii.div_ceil(4) + others
}

/// [`tokens`] of a request, where every message takes a few of its own.
pub fn prompt_tokens(messages: &[ChatMessage]) -> u64 {
    messages.iter().map(|message| tokens(&message.content) + 4).sum()
}

fn fill(template: &str, of: Subject<'_>) -> Result<String, Problem> {
    let template = template.replace("\r\n", "\n");
    let (mut paragraphs, mut says_something) = (Vec::new(), false);
    for paragraph in template.split("\n\n") {
        let mut text = String::new();
        let mut is_whole = true;
        let mut rest = paragraph;
        while let Some(at) = rest.find('{') {
            text.push_str(&rest[..at]);
            rest = &rest[at..];
            let name = rest[1..].split_once('}').map(|(name, _)| name).filter(|name| is_name(name));
            let Some(name) = name else {
                text.push('{');
                rest = &rest[1..];
                continue;
            };
            let value = value(name, of).ok_or_else(|| {
                let what = (
                    format!("the template has the unknown placeholder {{{name}}}"),
                    format!("模板中有未知的占位符 {{{name}}}"),
                );
                let known = "{description}, {signature}, {language}, {fence}, {prompt}, {declaration}, {instruction}, {failure}";
                Problem::new("template", what, (format!("Use {known}"), format!("可用的占位符：{known}")))
            })?;
            says_something |= !value.is_empty() && !matches!(name, "language" | "fence");
            is_whole &= !value.is_empty();
            text.push_str(&value);
            rest = &rest[name.len() + 2..];
        }
        text.push_str(rest);
        if is_whole {
            paragraphs.push(text);
        }
    }
    if !says_something {
        let id = &of.row.task_id;
        let what = (format!("the template says nothing of the task {id}"), format!("模板没有包含任务 {id} 的任何内容"));
        let remedy = ("Add {description} or {prompt}", "请加入 {description} 或 {prompt}");
        return Err(Problem::new("template", what, remedy));
    }
    Ok(paragraphs.join("\n\n"))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase())
}

/// The value of a placeholder, empty if the task has none; `None` if there is no such placeholder.
fn value(name: &str, of: Subject<'_>) -> Option<String> {
    let row = of.row;
    Some(match name {
        "description" => row.raw_nl.trim().to_owned(),
        "signature" => row.signature.clone().unwrap_or_default().trim().to_owned(),
        "language" => row.code_lang.name().to_owned(),
        "fence" => fence(row.code_lang).to_owned(),
        "instruction" => of.instruction.trim().to_owned(),
        "failure" => of.failure.trim().to_owned(),
        "prompt" => of.humaneval.map(|task| task.beginning().trim().to_owned()).unwrap_or_default(),
        "declaration" => of.humaneval.map(|task| task.declaration.trim().to_owned()).unwrap_or_default(),
        _ => return None,
    })
}

fn fence(lang: CodeLang) -> &'static str {
    display(lang).fences.first().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use model::{
        dataset::Checks,
        ids::{TaskId, TaskRevisionId},
    };

    use super::*;

    fn row(nl_lang: Lang, signature: Option<&str>) -> TaskRow {
        TaskRow {
            id: TaskId(1),
            revision: TaskRevisionId(1),
            task_id: "7".into(),
            raw_nl: "adds {two} numbers\n\nand {signature}".into(),
            nl_lang,
            signature: signature.map(str::to_owned),
            checks: Checks { human: true, tests: true },
            code_lang: CodeLang::Java,
        }
    }

    fn user(template: &str, row: &TaskRow) -> Result<String, String> {
        let template = Bilingual { en: template.into(), zh: String::new() };
        let made = messages("", &template, Subject { row, humaneval: None, instruction: "", failure: "" })
            .map_err(|problem| problem.to_string())?;
        Ok(made.into_iter().map(|message| message.content).collect())
    }

    #[test]
    fn a_template_is_filled_in_once() {
        let row = row(Lang::En, Some("int f()"));
        let made = user("{language}: {description}\n\nkeep {this one} and {\"json\": 1}\n\n`{signature}`", &row);
        let expected = "Java: adds {two} numbers\n\nand {signature}\n\nkeep {this one} and {\"json\": 1}\n\n`int f()`";
        assert_eq!(made.as_deref(), Ok(expected));
    }

    #[test]
    fn paragraphs_without_a_value_are_left_out() {
        let row = row(Lang::En, None);
        let made = default_template(Subject { row: &row, humaneval: None, instruction: "", failure: "" });
        let text = user(&made.en, &row).unwrap();
        assert!(text.contains("adds {two} numbers") && !text.contains("signature:"), "{text}");
    }

    #[test]
    fn the_template_follows_the_language_of_the_description() {
        let row = row(Lang::Zh, None);
        let of = Subject { row: &row, humaneval: None, instruction: "", failure: "" };
        let made = messages("Be brief.", &default_template(of), of).unwrap();
        assert_eq!((made.len(), made[0].role, made[1].role), (2, ChatRole::System, ChatRole::User));
        assert!(made[1].content.starts_with("请用 Java"), "{made:?}");
    }

    #[test]
    fn templates_that_cannot_be_filled_in_are_refused() {
        let row = row(Lang::En, None);
        assert!(user("{decription}", &row).unwrap_err().contains("unknown placeholder {decription}"));
        assert!(user("Hello {language}", &row).unwrap_err().contains("says nothing of the task 7"));
        assert!(user("{prompt}", &row).unwrap_err().contains("says nothing"));
    }

    #[test]
    fn a_failure_is_told_as_it_is_and_left_out_where_there_is_none() {
        let row = row(Lang::Zh, None);
        let of = |failure| Subject { row: &row, humaneval: None, instruction: "Sort it.", failure };
        let told = text(&default_feedback_template(), of("Error: {instruction}\n\n{x}")).unwrap();
        assert!(told.contains("Sort it.") && told.contains("```\nError: {instruction}\n\n{x}\n```"), "{told}");
        assert!(!text(&default_feedback_template(), of("")).unwrap().contains("```"));
    }

    #[test]
    fn tokens_are_estimated_by_characters() {
        assert_eq!((tokens(""), tokens("abcde"), tokens("数字abcd")), (0, 2, 3));
    }
}
