//! Reading an uploaded file: as long as somebody waits for it, and within a limit for the code of all its lines.

use std::{
    fs::File,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use base::error::Failure;
use formats::outputs::{self, Asked, OutputLine};
use model::problem::Problem;

/// CPU time that parsing the code of a file may take.
#[derive(Clone, Copy)]
pub(super) struct ParsingLimit {
    /// For the file.
    free: Duration,
    /// More with each of its outputs. The longest published outputs take less.
    an_output: Duration,
}

impl ParsingLimit {
    pub(super) const FILE: ParsingLimit =
        ParsingLimit { free: Duration::from_secs(30), an_output: Duration::from_millis(100) };

    fn of(self, outputs: u32) -> Duration {
        self.free.saturating_add(self.an_output.saturating_mul(outputs))
    }
}

/// Calls `each` for every output and every problem of a file, until `stop` is set. Returns whether the file was read to its
/// end.
///
/// # Errors
///
/// Fails if reading was stopped, or parsing exceeds the limit.
pub(super) fn each_line(
    name: &str,
    file: File,
    asked: &Asked,
    (limit, stop): (ParsingLimit, &Arc<AtomicBool>),
    mut each: impl FnMut(Result<OutputLine, Problem>),
) -> Result<bool, Failure> {
    let (before, mut lines, mut too_long) = (parsers::spent(), 0u32, None);
    let is_complete = parsers::until(stop, || {
        outputs::read_upload(name, file, asked, |line| {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            lines = lines.saturating_add(1);
            if parsers::spent().saturating_sub(before) > limit.of(lines) {
                too_long = Some(lines);
                // What is left is read without being parsed, which takes little time.
                stop.store(true, Ordering::Relaxed);
                return;
            }
            each(line);
        })
    });
    if let Some(lines) = too_long {
        let what = (
            format!("the code of its first {lines} outputs takes too long to parse"),
            format!("前 {lines} 条输出中的代码解析时间过长"),
        );
        let remedy = (
            "Leave out outputs with hundreds of code blocks or unbalanced brackets",
            "请去掉含有数百个代码块或括号不配对的输出",
        );
        return Err(Failure::invalid(name, what, remedy));
    }
    match stop.load(Ordering::Relaxed) {
        true => Err(Failure::internal("the request for the file's content has ended")),
        false => Ok(is_complete),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Seek, Write},
        ops::ControlFlow,
    };

    use model::{code_lang::CodeLang, error::AppError};

    use super::*;

    /// Reads three outputs; `stop_at` is the number of the line after which nobody waits any more. Returns the numbers of the
    /// lines that were read, and the result.
    fn read(limit: ParsingLimit, stop_at: u32) -> (Vec<u64>, Result<bool, Failure>, Duration) {
        let mut file = tempfile::tempfile().unwrap();
        for task in 0..3 {
            writeln!(file, r#"{{"task_id": "{task}", "code": "```java\nint f() {{ return 1; }}\n```"}}"#).unwrap();
        }
        file.rewind().unwrap();
        let asked = Asked { langs: vec![CodeLang::Java], ..Asked::default() };
        let (stop, mut found) = (Arc::new(AtomicBool::new(stop_at == 0)), Vec::new());
        let waiting = Arc::clone(&stop);
        let before = parsers::spent();
        let result = each_line("x.jsonl", file, &asked, (limit, &stop), |line| {
            let line = line.unwrap();
            // As what looks for warnings does.
            let watch = &mut || ControlFlow::Continue(());
            parsers::parse(&line.code, CodeLang::Java, Duration::from_secs(60), watch).unwrap();
            found.push(line.line);
            waiting.store(found.len() >= stop_at as usize, Ordering::Relaxed);
        });
        (found, result, parsers::spent() - before)
    }

    #[test]
    fn a_file_is_read_while_somebody_waits() {
        let (lines, result, spent) = read(ParsingLimit::FILE, 9);
        assert_eq!((lines, result.unwrap()), (vec![1, 2, 3], true));
        assert!(spent > Duration::ZERO);
        let (lines, result, _) = read(ParsingLimit::FILE, 2);
        assert!(matches!(result, Err(Failure::Internal(_))), "{result:?}");
        assert_eq!(lines, [1, 2]);
        let (lines, _, spent) = read(ParsingLimit::FILE, 0);
        assert_eq!((lines, spent), (vec![], Duration::ZERO), "nothing is parsed that nobody waits for");
    }

    #[test]
    fn parsing_a_file_has_a_limit() {
        let none = ParsingLimit { free: Duration::ZERO, an_output: Duration::ZERO };
        let (lines, result, _) = read(none, 9);
        // The first output exceeds it, which is known at the second at the latest.
        assert!(lines.len() < 2, "{lines:?}");
        let Err(Failure::App(AppError::Invalid(problems))) = result else { panic!("{result:?}") };
        assert!(problems[0].to_string().contains("takes too long to parse"), "{}", problems[0]);
    }
}
