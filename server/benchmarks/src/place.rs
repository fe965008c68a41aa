//! Where a task of CodeIF-Bench's repository level belongs in its project.

use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

/// The function that a task asks for, in its project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The project's folder below the folder of the sources.
    pub project: String,
    /// The file, relative to the project.
    pub file: String,
    /// The function's name.
    pub function: String,
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

    /// Whether a file's text has the function where the task says.
    pub fn is_in(&self, text: &str) -> bool {
        let skipped = self.first_line.saturating_sub(1) as usize;
        let taken = self.last_line.saturating_sub(self.first_line).saturating_add(1) as usize;
        let starts = |line: &str| {
            let line = line.trim_start();
            let name = line.strip_prefix("async ").unwrap_or(line).trim_start().strip_prefix("def ");
            name.and_then(|rest| rest.trim_start().strip_prefix(&*self.function))
                .is_some_and(|rest| rest.trim_start().starts_with('('))
        };
        text.lines().count() >= self.last_line as usize && text.lines().skip(skipped).take(taken).any(starts)
    }
}

/// Whether a relative path names something below the folder at which it begins.
pub fn is_inside(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_inside_a_folder_are_told_from_others() {
        for (path, expected) in
            [("a/b.py", true), ("", false), ("../b", false), ("a/../../b", false), ("/etc", false), ("./a", false)]
        {
            assert_eq!(is_inside(path), expected, "{path}");
        }
    }
}
