//! Our own dataset format: datasets/README.md describes it.

use std::collections::{BTreeMap, BTreeSet};

use model::{
    code_lang::CodeLang,
    dataset::{Checks, TestKind},
    lang::{Bilingual, Lang},
    message::Message,
    problem::Problem,
};
use serde::Deserialize;
use serde_json::Value;

use super::{
    Found, FoundDataset, FoundTask, TestTree, aixbench, description,
    files::Files,
    humaneval,
    lines::{self, Fault},
    programs, read_tasks, signature,
};

/// The supported version of the format.
const FORMAT: u64 = 1;
/// Maximum size of a test class in bytes.
const LARGEST_TEST: usize = 256 * 1024;
/// Maximum size of the tests of all tasks, in bytes, besides twice that of the files: tasks that name the same file have a copy
/// each.
const MOST_SHARED: u64 = 48 * 1024 * 1024;

/// `dataset.json`
#[derive(Deserialize)]
struct Header {
    format: u64,
    slug: String,
    name: Text,
    #[serde(default)]
    description: Text,
    #[serde(default)]
    license: String,
    tests_package: Option<String>,
}

/// A text in one language or both.
#[derive(Default, Deserialize)]
struct Text {
    en: Option<String>,
    zh: Option<String>,
}

impl Text {
    /// In both languages: if one is missing, the other replaces it.
    fn both(self) -> Bilingual {
        let en = self.en.filter(|text| !text.trim().is_empty());
        let zh = self.zh.filter(|text| !text.trim().is_empty());
        Bilingual { en: en.clone().or(zh.clone()).unwrap_or_default(), zh: zh.or(en).unwrap_or_default() }
    }
}

/// Reads the dataset that has a `dataset.json`. `None` without one.
pub fn read(files: &Files) -> Option<Result<Found, Vec<Problem>>> {
    files.root_of("dataset.json").map(|root| read_folder(files, &root))
}

/// Reads the dataset in the folder `root` of `files`.
fn read_folder(files: &Files, root: &str) -> Result<Found, Vec<Problem>> {
    let (header, package) = header(files, &format!("{root}dataset.json"))?;
    let name = format!("{root}tasks.jsonl");
    let Some(bytes) = files.get(&name) else {
        return Err(vec![Problem::new(
            &files.name,
            ("tasks.jsonl is missing", "缺少 tasks.jsonl"),
            ("Put tasks.jsonl next to dataset.json", "请将 tasks.jsonl 放在 dataset.json 旁边"),
        )]);
    };
    let (mut tree, mut kinds, mut made) = (BTreeMap::new(), BTreeSet::new(), 0);
    let tasks = read_tasks("tasks.jsonl", bytes, |object| {
        let class = test_class(object)?;
        let lang = code_lang(object)?;
        if let Some(name) = class.as_ref().filter(|_| lang != CodeLang::Java) {
            let found = task(object, None)?;
            let setup = object.text("setup")?.unwrap_or_default();
            let of = (lang, found.signature.as_deref().unwrap_or_default());
            // Several tasks can name one file, and each has a copy.
            let body = programs::body(files, root, (found.task_id.as_str(), name.as_str()), of, setup)?;
            made += body.len() as u64;
            if made > MOST_SHARED + 2 * files.size() {
                return Err(too_much_shared());
            }
            kinds.insert(TestKind::Programs.name());
            one_kind(&kinds)?;
            return Ok(FoundTask { test_body: Some(body), ..found });
        }
        if let Some(class) = &class {
            kinds.insert(TestKind::Aixgrade.name());
            one_kind(&kinds)?;
            let path = format!("tests/{class}.java");
            let file = check_test(files.get(&format!("{root}{path}")), &path, package.as_deref())?;
            tree.insert(path, file);
        }
        task(object, class.and_then(|class| Some(format!("{}.{class}", package.as_deref()?))))
    })?;
    let kind = kinds.first().and_then(|name| TestKind::from_name(name));
    let tests = kind.map(|kind| TestTree { kind, files: tree });
    let dataset = FoundDataset {
        slug: header.slug,
        name: header.name.both(),
        description: header.description.both(),
        license: header.license,
        source: files.name.clone(),
        tasks,
        tests,
    };
    let notes = unused_tests(files, root, dataset.tests.as_ref());
    Ok(Found { datasets: vec![dataset], rubric: None, notes, bare: false })
}

fn header(files: &Files, path: &str) -> Result<(Header, Option<String>), Vec<Problem>> {
    let one = |what: Message, remedy: (&str, &str)| vec![Problem::new("dataset.json", what, remedy)];
    let text = match files.text(path) {
        Some(Ok(text)) => text,
        Some(Err(problem)) => return Err(vec![problem]),
        None => {
            return Err(one(
                ("the file is missing", "文件缺失").into(),
                ("Add a dataset.json that describes the dataset", "请添加描述数据集的 dataset.json"),
            ));
        }
    };
    let header: Header = serde_json::from_str(text).map_err(|e| {
        one(
            (format!("the file does not follow the format: {e}"), format!("文件不符合格式：{e}")).into(),
            ("See datasets/README.md for its fields", "字段说明见 datasets/README.md"),
        )
    })?;
    let mut problems = Vec::new();
    let mut wrong = |what: Message, remedy: (&str, &str)| problems.push(Problem::new("dataset.json", what, remedy));
    if header.format != FORMAT {
        wrong(
            (
                format!("the file has format {}, but this version reads {FORMAT}", header.format),
                format!("文件格式为 {}，而此版本只支持 {FORMAT}", header.format),
            )
                .into(),
            ("Use a newer version of AixGrade", "请使用更新版本的 AixGrade"),
        );
    }
    if !is_slug(&header.slug) {
        wrong(
            (format!("\"{}\" is not a valid slug", header.slug), format!("“{}”不是有效的短名称", header.slug)).into(),
            (
                "Use 1 to 40 lowercase letters, digits and hyphens, starting with a letter",
                "请使用 1 到 40 个小写字母、数字和连字符，以字母开头",
            ),
        );
    }
    if [aixbench::AUTO, aixbench::MANUAL].contains(&&*header.slug) || header.slug.starts_with(humaneval::SLUG) {
        wrong(
            (
                format!("the slug \"{}\" is reserved for a published benchmark", header.slug),
                format!("短名称“{}”已保留给公开的基准", header.slug),
            )
                .into(),
            ("Choose another slug", "请换一个短名称"),
        );
    }
    let names = [&header.name.en, &header.name.zh];
    if !names.iter().any(|name| name.as_deref().is_some_and(|n| !n.trim().is_empty())) {
        wrong(
            ("\"name\" is empty", "“name”为空").into(),
            ("Add a name in English, Chinese or both", "请填写英文名称、中文名称或两者"),
        );
    }
    let too_long =
        |texts: [&Option<String>; 2], most| texts.iter().any(|t| t.as_ref().is_some_and(|t| t.chars().count() > most));
    if too_long(names, 200) || header.license.chars().count() > 200 {
        wrong(
            ("\"name\" or \"license\" is longer than 200 characters", "“name”或“license”超过 200 字").into(),
            ("Shorten it", "请缩短"),
        );
    }
    if too_long([&header.description.en, &header.description.zh], 5000) {
        wrong(
            ("\"description\" is longer than 5,000 characters", "“description”超过 5,000 字").into(),
            ("Shorten it", "请缩短"),
        );
    }
    let package = header.tests_package.clone();
    if let Some(package) = package.as_deref().filter(|p| !is_package(p) || *p == "aixgrade.api") {
        wrong(
            (format!("\"{package}\" cannot be the package of the tests"), format!("“{package}”不能作为测试的包名"))
                .into(),
            ("Use a Java package of your own", "请使用自己的 Java 包名"),
        );
    }
    if problems.is_empty() { Ok((header, package)) } else { Err(problems) }
}

fn task(object: &lines::Object, test_class: Option<String>) -> Result<FoundTask, Fault> {
    let task_id = object.task_id()?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    if task_id.len() > 64 || !task_id.chars().all(allowed) {
        return Err(Fault(
            (format!("\"{task_id}\" is not a valid task ID"), format!("“{task_id}”不是有效的任务编号")).into(),
            (
                "Use 1 to 64 letters, digits, \".\", \"_\", \"-\" and \"/\"",
                "请使用 1 到 64 个字母、数字、“.”、“_”、“-”和“/”",
            )
                .into(),
        ));
    }
    let raw_nl = description(object)?;
    let signature = signature(object)?;
    let checks = checks(object)?;
    if checks.tests && signature.is_none() {
        return Err(Fault(
            ("the field \"signature\" is missing", "缺少“signature”字段").into(),
            ("Add the signature of the method; tasks with tests need it", "请补上方法签名，带测试的任务需要它").into(),
        ));
    }
    let lang = match object.text("nl_lang")? {
        None => Lang::detect(&raw_nl),
        Some(code) => code.parse().map_err(|_| {
            Fault(
                (format!("\"nl_lang\" is \"{code}\""), format!("“nl_lang”的值是“{code}”")).into(),
                ("Use \"en\" or \"zh\", or leave it out", "请写“en”或“zh”，或省略").into(),
            )
        })?,
    };
    let code_lang = code_lang(object)?;
    Ok(FoundTask {
        task_id,
        raw_nl,
        nl_lang: lang,
        signature,
        checks,
        code_lang,
        test_class,
        test_body: None,
        turns: Vec::new(),
    })
}

fn too_much_shared() -> Fault {
    let most = MOST_SHARED / 1024 / 1024;
    Fault(
        (
            format!("the tests of the tasks take more than {most} MiB, because several tasks name the same file"),
            format!("多个任务使用同一测试文件，测试总量超过 {most} MiB"),
        )
            .into(),
        ("Shorten the file, or give each task a test file of its own", "请缩短该文件，或让每个任务使用各自的测试文件")
            .into(),
    )
}

/// A run's tests are Java test classes or programs, not both.
fn one_kind(kinds: &BTreeSet<&str>) -> Result<(), Fault> {
    if kinds.len() < 2 {
        return Ok(());
    }
    Err(Fault(
        ("tests in Java and in other languages are in one dataset", "同一数据集中既有 Java 测试，又有其他语言的测试")
            .into(),
        ("Make a dataset of its own for Java", "请将 Java 任务放入单独的数据集").into(),
    ))
}

/// The programming language asked for; Java where the task names none.
fn code_lang(object: &lines::Object) -> Result<CodeLang, Fault> {
    let Some(code) = object.text("code_lang")? else { return Ok(CodeLang::Java) };
    code.parse().map_err(|_| {
        let known = CodeLang::ALL.map(CodeLang::code).join(", ");
        Fault(
            (format!("\"code_lang\" is \"{code}\""), format!("“code_lang”的值是“{code}”")).into(),
            (format!("Use one of: {known}"), format!("请使用其中之一：{known}")).into(),
        )
    })
}

fn checks(object: &lines::Object) -> Result<Checks, Fault> {
    let remedy = (
        "Write [\"human\"], [\"tests\"] or [\"human\", \"tests\"]",
        "请写成 [\"human\"]、[\"tests\"] 或 [\"human\", \"tests\"]",
    );
    let Some(Value::Array(words)) = object.get("checks") else {
        return Err(Fault(("\"checks\" is not an array", "“checks”不是数组").into(), remedy.into()));
    };
    let mut checks = Checks::default();
    for word in words {
        match word.as_str() {
            Some("human") => checks.human = true,
            Some("tests") => checks.tests = true,
            _ => {
                return Err(Fault(
                    (format!("\"checks\" contains {word}"), format!("“checks”包含 {word}")).into(),
                    remedy.into(),
                ));
            }
        }
    }
    if !checks.human && !checks.tests {
        return Err(Fault(("\"checks\" is empty", "“checks”为空").into(), remedy.into()));
    }
    Ok(checks)
}

/// The simple name of the task's test class, if its checks include tests.
fn test_class(object: &lines::Object) -> Result<Option<String>, Fault> {
    if !checks(object)?.tests {
        return Ok(None);
    }
    match object.text("tests")? {
        Some(class) if is_identifier(class) => Ok(Some(class.to_owned())),
        Some(class) => Err(Fault(
            (format!("\"{class}\" is not a valid class name"), format!("“{class}”不是有效的类名")).into(),
            ("Use the name of a class in tests/, without \".java\"", "请填写 tests/ 中的类名，不含“.java”").into(),
        )),
        None => Err(Fault(
            ("the field \"tests\" is missing", "缺少“tests”字段").into(),
            ("Add the name of the test class, without \".java\"", "请补上测试类的名称，不含“.java”").into(),
        )),
    }
}

fn check_test(file: Option<&[u8]>, path: &str, package: Option<&str>) -> Result<Vec<u8>, Fault> {
    let Some(package) = package else {
        return Err(Fault(
            (
                "the task has tests, but dataset.json has no \"tests_package\"",
                "任务带有测试，但 dataset.json 缺少“tests_package”",
            )
                .into(),
            ("Add the field to dataset.json", "请在 dataset.json 中补上").into(),
        ));
    };
    let Some(bytes) = file else {
        return Err(Fault(
            (format!("the file {path} is missing"), format!("缺少文件 {path}")).into(),
            ("Add the file, or correct its name", "请补上该文件，或改正名称").into(),
        ));
    };
    if bytes.len() > LARGEST_TEST {
        return Err(Fault(
            (
                format!("{path} is larger than {} KiB", LARGEST_TEST / 1024),
                format!("{path} 超过 {} KiB", LARGEST_TEST / 1024),
            )
                .into(),
            ("Shorten it", "请缩短").into(),
        ));
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(Fault(
            (format!("{path} is not UTF-8"), format!("{path} 不是 UTF-8 编码")).into(),
            ("Save it as UTF-8", "请保存为 UTF-8 编码").into(),
        ));
    };
    let declares = text.lines().any(|line| {
        let declared = line.trim().strip_prefix("package ").and_then(|rest| rest.split(';').next());
        declared.is_some_and(|declared| declared.trim() == package)
    });
    if !declares {
        return Err(Fault(
            (format!("{path} does not declare \"package {package};\""), format!("{path} 没有声明“package {package};”"))
                .into(),
            ("Declare the package", "请声明该包").into(),
        ));
    }
    Ok(bytes.to_vec())
}

/// A remark about test classes that no task names, which reveals misspelt names.
fn unused_tests(files: &Files, root: &str, tests: Option<&TestTree>) -> Vec<String> {
    let folder = format!("{root}tests/");
    let used = |name: &str| tests.is_some_and(|tree| tree.files.contains_key(&format!("tests/{name}")));
    let names = files.below(&folder).map(|(name, _)| name).filter(|name| name.ends_with(".java") && !used(name));
    let unused: Vec<&str> = names.collect();
    match unused.as_slice() {
        [] => Vec::new(),
        names => vec![format!("These test classes are not used by any task: {}.", names.join(", "))],
    }
}

fn is_slug(text: &str) -> bool {
    text.len() <= 40
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && text.len() <= 100
}

fn is_package(text: &str) -> bool {
    text.split('.').all(is_identifier)
}

#[cfg(test)]
#[path = "native_test.rs"]
mod tests;
