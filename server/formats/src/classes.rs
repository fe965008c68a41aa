//! Model outputs as packaged by the published benchmark: one Java class per task in a folder
//! (`generate/<model>/<Prefix>N.java`), where N is the task's id.
//!
//! Called by [`super::outputs`] for an archive, and by the command line, which packs a folder first. Classes
//! are imported unchanged; `assemble` makes them fit the tests, as with any output.

use std::{
    collections::BTreeMap,
    io::{Cursor, Write},
};

use model::{problem::Problem, reading::Reading, submission::Shape};

use super::{
    files::Files,
    harness,
    outputs::{LONGEST_CODE, OutputLine},
};

/// Reads the classes of one folder, ordered by number. Other files in the archive are skipped, but a Java
/// file that is not a task's class is an error, because leaving it out would be a guess.
pub fn read(files: &Files, mut each: impl FnMut(Result<OutputLine, Problem>)) {
    let mut folders: BTreeMap<&str, Vec<(&str, &[u8])>> = BTreeMap::new();
    for (path, bytes) in files.below("") {
        if path.ends_with(".java") {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            folders.entry(folder).or_default().push((name, bytes));
        }
    }
    let example = (
        "Pack one folder with one class per task, such as generate/copilot with GenerateMethod12.java",
        "请打包一个文件夹，每个任务一个类，例如含 GenerateMethod12.java 的 generate/copilot",
    );
    let (folder, classes) = match (folders.pop_first(), folders.len()) {
        (Some(one), 0) => one,
        (None, _) => {
            return each(Err(Problem::new(
                &files.name,
                (
                    "the archive contains no Java class and no file of another tool",
                    "压缩包中没有 Java 类，也没有其他工具的文件",
                ),
                example,
            )));
        }
        (Some((first, _)), _) => {
            let mut names = vec![first];
            names.extend(folders.keys().take(2));
            let names = names.join(", ");
            let what = (
                format!("the archive contains Java files in several folders ({names}, …), so the model is ambiguous"),
                format!("压缩包的多个文件夹（{names}……）中都有 Java 文件，无法确定属于哪个模型"),
            );
            return each(Err(Problem::new(&files.name, what, example)));
        }
    };
    let mut numbered: BTreeMap<u64, (&str, &[u8])> = BTreeMap::new();
    for (name, bytes) in classes {
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let Some(number) = number(name) else {
            let remedy = (
                "End the file name with the task ID, as in GenerateMethod12.java, or remove the file",
                "文件名须以任务编号结尾，例如 GenerateMethod12.java，或删除该文件",
            );
            each(Err(Problem::new(
                &path,
                ("the file name does not end with a task ID", "文件名未以任务编号结尾"),
                remedy,
            )));
            continue;
        };
        // The first one stays: the file with the problem is the one that is left out.
        let (other, _) = *numbered.entry(number).or_insert((name, bytes));
        if other != name {
            let what = (
                format!("a second class for task {number}, besides {other}"),
                format!("任务 {number} 已有类 {other}，此为重复的类"),
            );
            each(Err(Problem::new(&path, what, ("Keep only the one that the model wrote", "请只保留模型生成的那个"))));
        }
    }
    for (number, (name, bytes)) in numbered {
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        each(output(number, name, &path, bytes));
    }
}

fn output(number: u64, name: &str, path: &str, bytes: &[u8]) -> Result<OutputLine, Problem> {
    if bytes.len() > LONGEST_CODE {
        let what = (
            format!("the class is longer than {} KiB", LONGEST_CODE / 1024),
            format!("类的代码超过 {} KiB", LONGEST_CODE / 1024),
        );
        return Err(Problem::new(path, what, ("Shorten it, or remove the file", "请缩短，或删除该文件")));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let code = std::str::from_utf8(bytes).map_err(|e| {
        let what = (
            format!("byte {} is not UTF-8", e.valid_up_to() + 1),
            format!("第 {} 个字节不是 UTF-8", e.valid_up_to() + 1),
        );
        Problem::new(path, what, ("Save the file as UTF-8", "请保存为 UTF-8 编码"))
    })?;
    Ok(OutputLine {
        line: 0,
        file: Some(name.to_owned()),
        shape: Shape::Classes,
        task_id: number.to_string(),
        raw_nl: None,
        code: code.to_owned(),
        surrounding_text: String::new(),
        raw: None,
        reading: Reading::default(),
        is_cut_off: false,
        end_by: None,
        reasoning: None,
        prompt: None,
        published_text: None,
        elsewhere: false,
        turn: None,
        reported: None,
    })
}

/// The number at the end of a class's name: 12 of `GenerateMethod12.java`.
fn number(name: &str) -> Option<u64> {
    let stem = name.strip_suffix(".java")?;
    let letters = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    stem.strip_prefix(letters)?.parse().ok()
}

/// Packs a folder of outputs into an archive that is byte-identical whenever the files are, because it is
/// stored under its checksum.
///
/// # Errors
///
/// Writing to memory failed, which happens only if memory runs out.
pub fn pack(files: &Files) -> std::io::Result<Vec<u8>> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    // Without a time of day.
    let options = zip::write::SimpleFileOptions::default().last_modified_time(zip::DateTime::default());
    for (path, bytes) in files.below("").filter(|(path, _)| harness::is_relevant(path)) {
        archive.start_file(path, options)?;
        archive.write_all(bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(entries: &[(&str, &str)]) -> Files {
        let mut files = Files::named("copilot.zip");
        for (path, text) in entries {
            files.add(path, text.as_bytes().to_vec()).unwrap();
        }
        files
    }

    fn read_all(files: &Files) -> (Vec<OutputLine>, Vec<String>) {
        let (mut outputs, mut problems) = (Vec::new(), Vec::new());
        read(files, |line| match line {
            Ok(output) => outputs.push(output),
            Err(problem) => problems.push(problem.to_string()),
        });
        (outputs, problems)
    }

    #[test]
    fn class_number_is_the_task() {
        let entries = [
            ("generate/m/Gen10.java", "class Gen10 {}\r\n"),
            ("generate/m/Gen2.java", "class Gen2 {}"),
            ("generate/m/README.md", "not Java"),
        ];
        let (outputs, problems) = read_all(&files(&entries));
        assert_eq!(problems, [""; 0]);
        let found: Vec<_> =
            outputs.iter().map(|o| (o.task_id.as_str(), o.file.as_deref().unwrap(), o.code.as_str())).collect();
        assert_eq!(found, [("2", "Gen2.java", "class Gen2 {}"), ("10", "Gen10.java", "class Gen10 {}\r\n")]);
    }

    #[test]
    fn invalid_file_is_named() {
        let check = |entries: &[(&str, &str)], expected: &[&str]| {
            let (_, problems) = read_all(&files(entries));
            assert_eq!(problems.len(), expected.len(), "{problems:?}");
            for (problem, expected) in problems.iter().zip(expected) {
                assert!(problem.contains(expected), "{problem} does not say {expected}");
            }
        };
        check(&[("a.md", "")], &["copilot.zip: the archive contains no Java class"]);
        check(&[("x/A1.java", ""), ("y/B1.java", "")], &["several folders (x, y, …)"]);
        check(
            &[("x/Helper.java", ""), ("x/A1.java", "")],
            &["x/Helper.java: the file name does not end with a task ID"],
        );
        check(&[("A01.java", ""), ("B1.java", "")], &["B1.java: a second class for task 1, besides A01.java"]);
        check(&[("A1.java", &"x".repeat(LONGEST_CODE + 1))], &["A1.java: the class is longer than 256 KiB"]);
        let mut odd = Files::named("m");
        odd.add("A1.java", b"class \xff".to_vec()).unwrap();
        assert!(read_all(&odd).1[0].starts_with("A1.java: byte 7 is not UTF-8"));
    }

    #[test]
    fn a_packed_folder_is_the_same_every_time() {
        let entries = files(&[("B2.java", "class B2 {}"), ("A1.java", "class A1 {}"), ("notes.md", "x")]);
        let packed = pack(&entries).unwrap();
        assert_eq!(packed, pack(&entries).unwrap());
        let again = Files::zip("m.zip", Cursor::new(packed)).unwrap();
        assert_eq!(again.below("").map(|(path, _)| path).collect::<Vec<_>>(), ["A1.java", "B2.java"]);
    }
}
