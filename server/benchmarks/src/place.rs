//! Where a task of CodeIF-Bench's repository level belongs in its project.

use std::path::{Component, Path};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The function that a task asks for, in its project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The project's folder below the folder of the sources.
    pub project: String,
    /// The file, relative to the project.
    pub file: String,
    /// First line of the signature and last line of the body, from 1.
    pub first_line: u32,
    pub last_line: u32,
    /// Blanks before each line of a completion.
    pub indent: u32,
}

impl Place {
    /// Whether the paths stay below the folders to which they are relative.
    pub fn is_inside(&self) -> bool {
        is_inside(&self.project) && is_inside(&self.file)
    }

    /// Where a file's text has the task's code.
    pub fn find(&self, text: &str, code: &Code) -> Found {
        let lines: Vec<&str> = text.lines().collect();
        let count = self.last_line.saturating_sub(self.first_line) as usize + 1;
        let first = self.first_line.saturating_sub(1) as usize;
        let is_at = |at: usize| lines.get(at..at + count).is_some_and(|part| Code::of(&part.concat()) == *code);
        if is_at(first) {
            return Found::InPlace;
        }
        // The nearest one, because a file can have the same code twice.
        let others = (0..lines.len()).filter(|at| is_at(*at));
        let nearest = others.min_by_key(|at| at.abs_diff(first));
        let offset = nearest.and_then(|at| i32::try_from(at as i64 - first as i64).ok());
        offset.map_or(Found::Absent, Found::Moved)
    }
}

/// A task's code without whitespace, as a hash: the authors' files and those of a release can differ in line ends and
/// trailing spaces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code(String);

impl Code {
    pub fn of(text: &str) -> Code {
        let mut hash = Sha256::new();
        for part in text.split_whitespace() {
            hash.update(part);
        }
        Code(hex::encode(hash.finalize()))
    }
}

/// Where a file has a task's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// In the task's lines.
    InPlace,
    /// This many lines further down; up if negative.
    Moved(i32),
    Absent,
}

/// Whether a relative path names something below the folder at which it begins.
pub fn is_inside(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_with_its_offset() {
        let place = |first_line, last_line| Place {
            project: "a/b".into(),
            file: "f.py".into(),
            first_line,
            last_line,
            indent: 0,
        };
        let text = "import a\r\n\ndef f(n):\r\n    return n\n\n\ndef g():\n    pass\n";
        let code = Code::of("def f(n):\n    return n\n");
        let cases = [
            ((3, 4), Found::InPlace),
            ((1, 2), Found::Moved(2)),
            ((7, 8), Found::Moved(-4)),
            // Longer than the file's rest.
            ((30, 31), Found::Moved(-27)),
            // Of another length: without the blank line that would make it equal.
            ((3, 3), Found::Absent),
        ];
        for ((first, last), expected) in cases {
            assert_eq!(place(first, last).find(text, &code), expected, "{first} {last}");
        }
        // A function of the same name is not enough.
        assert_eq!(place(3, 4).find(text, &Code::of("def f(n):\n    return -n\n")), Found::Absent);
        let twice = "x = 1\nx = 2\nx = 1\n";
        assert_eq!(place(2, 2).find(twice, &Code::of("x = 1")), Found::Moved(-1));
    }

    #[test]
    fn paths_inside_a_folder_are_told_from_others() {
        for (path, expected) in
            [("a/b.py", true), ("", false), ("../b", false), ("a/../../b", false), ("/etc", false), ("./a", false)]
        {
            assert_eq!(is_inside(path), expected, "{path}");
        }
    }
}
