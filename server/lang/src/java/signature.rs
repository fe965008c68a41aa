//! The signature of the method that a task asks for.

use benchmarks::humaneval::Task;
use engine::EngineError;

/// A method's signature.
#[derive(Debug, PartialEq, Eq)]
pub struct Signature {
    pub result: String,
    pub name: String,
    /// The names of the parameters.
    pub parameters: Vec<String>,
}

/// The method that a task asks for: the last one that its prompt begins.
///
/// # Errors
/// Fails if the prompt begins none.
pub fn signature(task: &Task) -> Result<Signature, EngineError> {
    let read = read_signature(&task.prompt);
    read.ok_or_else(|| EngineError::Tests(format!("no method signature found in the prompt of {}", task.task_id)))
}

fn read_signature(prompt: &str) -> Option<Signature> {
    let line = prompt.lines().rev().find_map(|line| line.trim().strip_prefix("public "))?;
    let (head, rest) = line.split_once('(')?;
    let (inside, _) = rest.split_once(')')?;
    let (result, name) = head.trim().rsplit_once(' ')?;
    let (mut parameters, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in inside.char_indices().chain([(inside.len(), ',')]) {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            ',' if depth == 0 => {
                parameters.extend(inside.get(start..at)?.split_whitespace().last().map(str::to_owned));
                start = at + 1;
            }
            _ => {}
        }
    }
    Some(Signature { result: result.trim().to_owned(), name: name.to_owned(), parameters })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_last_signature_of_a_prompt() {
        let check = |prompt: &str, result: &str, name: &str, parameters: &[&str]| {
            let parameters = parameters.iter().map(|name| (*name).to_owned()).collect();
            let expected = Signature { result: result.into(), name: name.into(), parameters };
            assert_eq!(read_signature(prompt), Some(expected), "{prompt}");
        };
        check("class Solution {\n    public int f() {\n", "int", "f", &[]);
        let generic = "    public Optional<String> g(Map<Object, Object> dict, int n) throws Exception {\n    /* x */";
        check(generic, "Optional<String>", "g", &["dict", "n"]);
        assert_eq!(read_signature("class A {"), None);
    }
}
