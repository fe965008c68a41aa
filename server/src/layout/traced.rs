//! The source that was compiled, line by line, beside what the model wrote.
//!
//! Assembling keeps the model's lines: what is added stands before the first or after the last of
//! them, and what is changed stays on its line (`crate::assemble`). So where each line comes from can
//! be read off the two texts, for every outcome, whenever it was made.

use app::model::{
    code::Line,
    run::{Diagnostic, Flag, Origin, Outcome, SourceLine},
};

/// More lines than this are hardly ever put before the model's text: package, imports, a class.
const LONGEST_HEAD: usize = 400;

/// The lines of an outcome's source, each with its origin in `code`, with what the compiler said of it
/// and what a person should look at.
pub fn listing(outcome: &Outcome, code: &str) -> Vec<SourceLine> {
    let code = code.replace("\r\n", "\n").replace(['\r', '\0'], " ");
    let (theirs, ours): (Vec<&str>, Vec<&str>) = (code.lines().collect(), outcome.source.lines().collect());
    let head = head(&ours, &theirs);
    let shown = super::lines(&outcome.source);
    let line = |at: usize, text: &&str| {
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
        let said = |d: &&Diagnostic| here.is_some() && d.line == here;
        let seen = |f: &&Flag| here.is_some() && f.line == here;
        SourceLine {
            code: shown.get(at).cloned().unwrap_or_else(|| Line(Vec::new())),
            messages: outcome.diagnostics.iter().filter(said).map(|d| d.message.clone()).collect(),
            flags: outcome.flags.iter().filter(seen).map(|f| f.detail.clone()).collect(),
            origin,
        }
    };
    ours.iter().enumerate().map(|(at, text)| line(at, text)).collect()
}

/// How many lines stand before the model's first: the number by which most of its lines are found
/// again.
fn head(ours: &[&str], theirs: &[&str]) -> usize {
    let same = |head: usize| {
        let pairs = theirs.iter().zip(ours.iter().skip(head));
        pairs.filter(|(a, b)| !a.trim().is_empty() && a.trim() == b.trim()).count()
    };
    // Of equally good ones the first: a head is short.
    (0..=ours.len().min(LONGEST_HEAD)).rev().max_by_key(|head| same(*head)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use app::model::run::Verdict;

    use super::*;

    #[test]
    fn every_line_says_where_it_comes_from() {
        let code = "public static int f() {\r\n    return g();\r\n}\r\n";
        let outcome = Outcome {
            source: "package p;\nimport java.util.List;\npublic class C {\npublic  int f() {\n    return g();\n}\n}\n"
                .into(),
            diagnostics: vec![
                Diagnostic { line: Some(2), message: "no g".into() },
                Diagnostic { line: None, message: "elsewhere".into() },
            ],
            flags: vec![Flag { kind: "exit".into(), line: Some(1), detail: "ends the JVM".into() }],
            ..Outcome::new(Verdict::CompileError)
        };
        let lines = listing(&outcome, code);
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
        assert_eq!(lines[3].flags, ["ends the JVM"]);
        assert!(lines[2].messages.is_empty() && lines[0].flags.is_empty());
    }

    #[test]
    fn what_is_blanked_is_changed_and_what_is_whole_is_not() {
        let outcome = |source: &str| Outcome { source: source.into(), ..Outcome::new(Verdict::Passed) };
        let origins = |source: &str, code: &str| -> Vec<Origin> {
            listing(&outcome(source), code).into_iter().map(|l| l.origin).collect()
        };
        assert_eq!(origins("class A {\n}", "class A {\n}"), [Origin::Same(1), Origin::Same(2)]);
        assert_eq!(
            origins("package q;\n \nclass A {}", "package p;\nclass A {}"),
            [Origin::Added, Origin::Changed(1, "package p;".into()), Origin::Same(2)]
        );
        assert_eq!(origins("", "int f() {}"), []);
    }
}
