//! The outputs that CodeIF-Bench's authors published, with their verdicts: the folders `Experiments` of a checkout.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use model::{
    conversation::{InstructionKind, Way},
    problem::Problem,
};
use serde_json::{Map, Value};

use super::{
    codeif::SLUG,
    conversations::{cut_out, is_cut_out},
    files::Files,
    values,
};

/// A model's outputs in one way, ready to be uploaded.
#[derive(Debug, PartialEq, Eq)]
pub struct PublishedOutputs {
    /// Short name of the dataset to which they belong.
    pub dataset: String,
    /// The model's name; the same at all levels.
    pub model: String,
    pub way: Way,
    /// A name for the file.
    pub file: String,
    /// JSON Lines: the published lines with `way`, and with `passed` and `judged` where a verdict was published.
    pub lines: String,
}

/// Models that have other names at function level, or at some levels, than at repository level 2.
const OTHER_NAMES: [(&str, &str); 5] = [
    ("claude", "claude-3-5-sonnet-20241022"),
    ("deepseek-instruct-7b", "deepseekcoder-instruct-7b"),
    ("qwen2.5-7b-instruct", "qwen2.5-coder-7b-instruct"),
    ("qwen2.5-14b-instruct", "qwen2.5-coder-14b-instruct"),
    ("qwen2.5-32b-instruct", "qwen2.5-coder-32b-instruct"),
];

/// The folders of a level and the ends of its dataset's short name. The outputs at function level belong to the first
/// release.
const LEVELS: [(&str, &str); 4] =
    [("level_1", "l-1-part-2"), ("level_2_part1", "l-2-part-1"), ("level_2_part2", "l-2-part-2"), ("level_3", "l-3")];

/// Reads the published outputs. Files that are no JSON are reported.
///
/// # Errors
/// Lists every file that cannot be read.
pub fn read(files: &Files) -> Result<Vec<PublishedOutputs>, Vec<Problem>> {
    let mut groups: BTreeMap<(String, String, Way), Vec<&str>> = BTreeMap::new();
    for (path, _) in files.below("") {
        if let Some(of) = place(path).filter(|_| path.ends_with(".jsonl")) {
            groups.entry(of).or_default().push(path);
        }
    }
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for ((dataset, model, way), paths) in groups {
        match outputs(files, &paths, way) {
            Ok(Some(lines)) => {
                let file = format!("{model}-{}.jsonl", way.name());
                found.push(PublishedOutputs { dataset, model, way, file, lines });
            }
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(found) } else { Err(problems) }
}

/// The dataset, model and way of a file's folder: `Experiments/n_round/gpt-4o/file`, `Experiments/lora/qwen/195/n/file`,
/// or below a level's folder `gpt-4o/n_round/file`.
fn place(path: &str) -> Option<(String, String, Way)> {
    let parts: Vec<&str> = path.split('/').collect();
    let below = &parts[parts.iter().position(|part| *part == "Experiments")? + 1..];
    let level = below.first().and_then(|first| LEVELS.into_iter().find(|(folder, _)| folder == first));
    let (below, end) = match level {
        Some((_, end)) => (below.get(1..)?, end),
        None => (below, "v0"),
    };
    let at = below.iter().position(|part| Way::from_name(part).is_some())?;
    let way = Way::from_name(below[at])?;
    let before = below.get(..at)?;
    let after = below.get(at + 1..below.len().checked_sub(1)?)?;
    let model = [before, after].concat().join("-");
    let model = OTHER_NAMES.into_iter().find(|(name, _)| *name == model).map_or(model, |(_, known)| known.to_owned());
    (!model.is_empty()).then(|| (format!("{SLUG}{end}"), model, way))
}

/// The task of an output, and the kind of the instruction that it answers.
type Key = (String, Option<InstructionKind>);

/// The lines of the files of one folder: the outputs, and the results beside them.
fn outputs(files: &Files, paths: &[&str], way: Way) -> Result<Option<String>, Problem> {
    let is_result = |path: &&&str| path.contains("_result");
    let results: Vec<&&str> = paths.iter().filter(is_result).collect();
    let sources = paths.iter().filter(|path| !is_result(path));
    // Of two files with the same outputs, the one with results beside it.
    let has_results = |path: &&&str| results.iter().any(|result| result.starts_with(**path));
    let source = sources.clone().find(has_results).or_else(|| sources.clone().next());
    // At repository level, the results have the outputs as well.
    let Some(source) = source.or_else(|| results.first().copied()) else { return Ok(None) };
    let mut verdicts: HashMap<Key, VecDeque<(bool, String)>> = HashMap::new();
    for path in &results {
        for row in objects(files, path)? {
            let passed = match (row.get("passed"), row.get("Result")) {
                (Some(Value::Bool(passed)), _) => *passed,
                (_, Some(Value::String(result))) => result == "Pass",
                _ => continue,
            };
            let judged = row.get("completion").and_then(Value::as_str).unwrap_or_default().to_owned();
            verdicts.entry(key(&row, way)).or_default().push_back((passed, judged));
        }
    }
    let mut lines = String::new();
    let mut seen = HashSet::new();
    for mut row in objects(files, source)? {
        let is_repeated = row.contains_key("namespace") && !seen.insert(Value::Object(row.clone()).to_string());
        if is_repeated {
            continue;
        }
        row.remove("Result");
        row.remove("result");
        row.insert("way".into(), way.name().into());
        if let Some((passed, judged)) = verdicts.get_mut(&key(&row, way)).and_then(VecDeque::pop_front) {
            row.insert("passed".into(), passed.into());
            let own = row.get("completion").and_then(Value::as_str).unwrap_or_default();
            if !is_cut_out(&cut_out(own).code, &judged) {
                row.insert("judged".into(), judged.into());
            }
        }
        lines.push_str(&Value::Object(row).to_string());
        lines.push('\n');
    }
    Ok((!lines.is_empty()).then_some(lines))
}

/// What a verdict and its output have in common.
fn key(row: &Map<String, Value>, way: Way) -> Key {
    let id = row.get("namespace").or_else(|| row.get("task_id"));
    let id = id.map_or_else(String::new, |id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
    let kind = row.get("requirement").or_else(|| row.get("type")).and_then(Value::as_str);
    (id, kind.filter(|_| way != Way::Base).and_then(InstructionKind::from_title))
}

/// The objects of a file of lines or of one array.
fn objects(files: &Files, path: &str) -> Result<Vec<Map<String, Value>>, Problem> {
    let bytes = files.get(path).unwrap_or_default();
    if values::are_too_many(bytes) {
        let (most, zh) = values::most();
        return Err(Problem::new(
            path,
            (format!("the file has more than {most}"), format!("文件超过{zh}")),
            ("Use the file as the benchmark publishes it", "请使用基准发布的原始文件"),
        ));
    }
    let stream = serde_json::Deserializer::from_slice(bytes).into_iter::<Value>();
    let mut found = Vec::new();
    for value in stream {
        let value = value.map_err(|e| {
            Problem::new(
                path,
                (format!("the file is not valid JSON: {e}"), format!("文件不是有效的 JSON：{e}")),
                ("Use the file as the benchmark publishes it", "请使用基准发布的原始文件"),
            )
        })?;
        match value {
            Value::Array(items) => found.extend(items),
            value => found.push(value),
        }
    }
    Ok(found.into_iter().filter_map(|value| if let Value::Object(row) = value { Some(row) } else { None }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(all: &[(&str, &str)]) -> Files {
        let mut files = Files::named("x");
        for (path, text) in all {
            files.add(path, text.as_bytes().to_vec()).unwrap();
        }
        files
    }

    #[test]
    fn folders_name_dataset_model_and_way() {
        let check = |path: &str, expected: Option<(&str, &str, Way)>| {
            let found = place(path);
            let found = found.as_ref().map(|(dataset, model, way)| (&**dataset, &**model, *way));
            assert_eq!(found, expected, "{path}");
        };
        let v0 = "codeif-bench-v0";
        check("function/Experiments/n_round/gpt-4o/gpt4o_n.jsonl", Some((v0, "gpt-4o", Way::N)));
        check("function/Experiments/lora/qwen/195/n/x.jsonl", Some((v0, "lora-qwen-195", Way::N)));
        check("function/Experiments/base/claude/c.jsonl", Some((v0, "claude-3-5-sonnet-20241022", Way::Base)));
        let level = "codeif-bench-l-1-part-2";
        check("repo/Experiments/level_1/gpt-4o/multi_round/result.jsonl", Some((level, "gpt-4o", Way::Multi)));
        check("repo/Experiments/level_1/lora/qwen/390/base/result.jsonl", Some((level, "lora-qwen-390", Way::Base)));
        check("function/L_1_part_1.jsonl", None);
    }

    #[test]
    fn verdicts_join_their_outputs() {
        let folder = "function/Experiments/single_round/m";
        let outputs = r#"{"task_id": 1, "requirement": "Code Standard", "completion": "```python\na\n```"}
{"task_id": 1, "requirement": "Edge Case Handling", "completion": "b"}
{"task_id": 2, "requirement": "Code Standard", "completion": "c"}"#;
        let standard = r#"{"task_id": 1, "requirement": "Code Standard", "completion": "a\n", "result": "passed", "passed": true}
{"task_id": 2, "requirement": "Code Standard", "completion": "other", "result": "failed: ", "passed": false}"#;
        let files = files(&[
            (&format!("{folder}/m020.jsonl"), outputs),
            (&format!("{folder}/m020.jsonl_Code Standard_results.jsonl"), standard),
        ]);
        let found = read(&files).unwrap();
        assert_eq!((found.len(), found[0].way, &*found[0].file), (1, Way::Single, "m-single.jsonl"));
        let lines: Vec<Value> = found[0].lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let verdicts: Vec<_> =
            lines.iter().map(|line| (line.get("passed").cloned(), line.get("judged").cloned())).collect();
        let (yes, no) = (Some(Value::Bool(true)), Some(Value::Bool(false)));
        assert_eq!(verdicts, [(yes, None), (None, None), (no, Some("other".into()))]);
        assert!(lines.iter().all(|line| line["way"] == "single"));
    }

    #[test]
    fn a_verdict_at_repository_level_is_of_the_text_that_the_pattern_matches() {
        let folder = "repo/Experiments/level_1/m/single_round";
        let line = |completion: &str| serde_json::json!({ "namespace": "a.b", "type": "Code Standard", "completion": completion });
        let own = |text: &str| line(&format!("Here it is:\n```python\n{text}\n```")).to_string();
        let judged = |text: &str| {
            let mut line = line(text);
            line["Result"] = "Error".into();
            line.to_string()
        };
        let with_judged = |judged: String| {
            let files = files(&[
                (&format!("{folder}/result.jsonl"), &own("def b(): pass")),
                (&format!("{folder}/result_result.jsonl"), &judged),
            ]);
            let found = read(&files).unwrap();
            let line: Value = serde_json::from_str(found[0].lines.trim()).unwrap();
            assert_eq!(line["passed"], false);
            line.get("judged").cloned()
        };
        assert_eq!(with_judged(judged("\ndef b(): pass\n")), None);
        assert_eq!(with_judged(judged("def b(): pass\n")), None);
        assert_eq!(with_judged(judged("\ndef b(): return\n")), Some("\ndef b(): return\n".into()));
    }

    #[test]
    fn arrays_and_results_alone_are_read() {
        let array = r#"[{"task_id": 1, "completion": "a"}]"#;
        let base = "function/Experiments/lora/qwen/195/base";
        let repository = r#"{"namespace": "a.b", "type": "Code Standard", "completion": "x", "Result": "Error"}
{"namespace": "a.b", "type": "Code Standard", "completion": "x", "Result": "Error"}"#;
        let files = files(&[
            (&format!("{base}/q_base.jsonl"), array),
            ("repo/Experiments/level_3/m/single_round/result_result.jsonl", repository),
            ("repo/Experiments/level_3/n/single_round/result.jsonl", ""),
        ]);
        let found = read(&files).unwrap();
        let shown: Vec<_> = found.iter().map(|of| (&*of.dataset, &*of.model, of.lines.lines().count())).collect();
        assert_eq!(shown, [("codeif-bench-l-3", "m", 1), ("codeif-bench-v0", "lora-qwen-195", 1)]);
        assert!(found[0].lines.contains("\"passed\":false"), "{}", found[0].lines);
        let broken = files_of_broken();
        assert!(read(&broken).unwrap_err()[0].to_string().contains("not valid JSON"));
    }

    fn files_of_broken() -> Files {
        files(&[("repo/Experiments/level_3/m/single_round/result.jsonl", "{]")])
    }
}
