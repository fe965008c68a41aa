//! The compiled source, line by line, next to the model's code.
//!
//! Assembling keeps the model's lines: additions are before the first or after the last of them, and changes
//! stay on their line (`engine::assemble`). The origin of each line can therefore be derived from the two
//! texts, for every stored outcome.

use std::collections::HashMap;

use model::{
    code::Line,
    code_lang::CodeLang,
    reason::{Flag, Sign},
    run::{Diagnostic, Origin, Outcome, SourceLine},
};

/// Maximum number of lines before the model's text: package, imports, a class.
const LONGEST_HEAD: usize = 400;

/// The lines of an outcome's source, each with its origin in `code`, the compiler's messages and the
/// warnings.
pub fn listing(outcome: &Outcome, code: &str, lang: CodeLang) -> Vec<SourceLine> {
    let code = code.replace("\r\n", "\n").replace(['\r', '\0'], " ");
    let (theirs, ours): (Vec<&str>, Vec<&str>) = (code.lines().collect(), outcome.source.lines().collect());
    let head = head(&ours, &theirs);
    let shown = super::lines(&outcome.source, lang);
    let (mut messages, mut flags) = (HashMap::<u32, Vec<String>>::new(), HashMap::<u32, Vec<Sign>>::new());
    for Diagnostic { line, message } in &outcome.diagnostics {
        if let Some(line) = *line {
            messages.entry(line).or_default().push(message.clone());
        }
    }
    for Flag { line, sign } in &outcome.flags {
        if let Some(line) = *line {
            flags.entry(line).or_default().push(sign.clone());
        }
    }
    let mut line = |at: usize, text: &&str| {
        let theirs = at.checked_sub(head).and_then(|at| Some((at + 1, theirs.get(at)?)));
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let origin = match theirs {
            None => Origin::Added,
            Some((n, wrote)) if wrote.trim() == text.trim() => Origin::Same(number(n)),
            Some((n, wrote)) => Origin::Changed(number(n), (*wrote).to_owned()),
        };
        let here = match origin {
            Origin::Added => None,
            Origin::Same(n) | Origin::Changed(n, _) => Some(n),
        };
        SourceLine {
            code: shown.get(at).cloned().unwrap_or_else(|| Line(Vec::new())),
            messages: here.and_then(|line| messages.remove(&line)).unwrap_or_default(),
            flags: here.and_then(|line| flags.remove(&line)).unwrap_or_default(),
            origin,
        }
    };
    ours.iter().enumerate().map(|(at, text)| line(at, text)).collect()
}

/// Number of lines before the model's first: the offset at which most of its lines match.
fn head(ours: &[&str], theirs: &[&str]) -> usize {
    // Numbers are compared faster than texts, and at each offset. Blank lines have none.
    let mut numbers = HashMap::from([("", 0)]);
    let mut all = ours.iter().chain(theirs).map(|line| {
        let next = numbers.len();
        *numbers.entry(line.trim()).or_insert(next)
    });
    let ours: Vec<usize> = all.by_ref().take(ours.len()).collect();
    let theirs: Vec<(usize, usize)> = all.enumerate().filter(|(_, number)| *number > 0).collect();
    let same = |head: usize| theirs.iter().filter(|(at, number)| ours.get(head + at) == Some(number)).count();
    // The first of equally good ones, because few lines are added.
    (0..=ours.len().min(LONGEST_HEAD)).rev().max_by_key(|head| same(*head)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use model::run::Verdict;

    use super::*;

    #[test]
    fn every_line_has_its_origin() {
        let code = "public static int f() {\r\n    return g();\r\n}\r\n";
        let outcome = Outcome {
            source: "package p;\nimport java.util.List;\npublic class C {\npublic  int f() {\n    return g();\n}\n}\n"
                .into(),
            diagnostics: vec![
                Diagnostic { line: Some(2), message: "no g".into() },
                Diagnostic { line: None, message: "elsewhere".into() },
            ],
            flags: vec![Flag { line: Some(1), sign: Sign::Exit }],
            ..Outcome::new(Verdict::CompileError)
        };
        let lines = listing(&outcome, code, CodeLang::Java);
        let found: Vec<_> = lines.iter().map(|l| (l.code.text(), l.origin.clone())).collect();
        let text = |text: &str| text.to_owned();
        assert_eq!(
            found,
            [
                (text("package p;"), Origin::Added),
                (text("import java.util.List;"), Origin::Added),
                (text("public class C {"), Origin::Added),
                (text("public  int f() {"), Origin::Changed(1, text("public static int f() {"))),
                (text("    return g();"), Origin::Same(2)),
                (text("}"), Origin::Same(3)),
                (text("}"), Origin::Added),
            ]
        );
        assert_eq!(lines[4].messages, ["no g"]);
        assert_eq!(lines[3].flags, [Sign::Exit]);
        assert!(lines[2].messages.is_empty() && lines[0].flags.is_empty());
    }

    /// If each line looked through all messages, this would be two billion comparisons.
    #[test]
    fn long_listings_have_their_messages() {
        let code = "x\n".repeat(60_000);
        let diagnostics = (1..=30_000).map(|line| Diagnostic { line: Some(line), message: "m".into() }).collect();
        let outcome = Outcome { source: format!("head\n{code}"), diagnostics, ..Outcome::new(Verdict::CompileError) };
        let lines = listing(&outcome, &code, CodeLang::Java);
        assert_eq!((lines.len(), &lines[0].origin), (60_001, &Origin::Added));
        assert!((1..=30_000).all(|at| lines[at].messages == ["m"]) && lines[30_001].messages.is_empty());
    }

    #[test]
    fn blanked_lines_count_as_changed() {
        let outcome = |source: &str| Outcome { source: source.into(), ..Outcome::new(Verdict::Passed) };
        let origins = |source: &str, code: &str| -> Vec<Origin> {
            listing(&outcome(source), code, CodeLang::Java).into_iter().map(|l| l.origin).collect()
        };
        assert_eq!(origins("class A {\n}", "class A {\n}"), [Origin::Same(1), Origin::Same(2)]);
        assert_eq!(
            origins("package q;\n \nclass A {}", "package p;\nclass A {}"),
            [Origin::Added, Origin::Changed(1, "package p;".into()), Origin::Same(2)]
        );
        assert_eq!(origins("", "int f() {}"), []);
    }
}
