//! Differences between the outputs of a task, for pages that show them side by side.

use model::{
    code::{CodeView, Line, ONLY_WORD, Run},
    error::AppError,
    grading::GradingItem,
};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use base::error::Failure;

/// The most lines of all outputs of a task that are compared. Comparing any two takes time in proportion to the
/// product of their lengths, in the worst case.
const MOST_LINES: usize = 4000;

/// The most words of all outputs of a task that are compared, for the same reason.
const MOST_WORDS: usize = 6000;

/// Marks the lines that only one of the outputs has, and the words in them. Off the async threads, because long outputs take a while.
pub async fn marked(items: Vec<GradingItem>) -> Result<Vec<GradingItem>, AppError> {
    tokio::task::spawn_blocking(move || mark(items)).await.map_err(|e| Failure::internal(e).into())
}

fn mark(mut items: Vec<GradingItem>) -> Vec<GradingItem> {
    mark_codes(&mut items.iter_mut().map(|item| &mut item.code).collect::<Vec<_>>());
    items
}

fn mark_codes(codes: &mut [&mut CodeView]) {
    let texts: Vec<Vec<String>> = codes.iter().map(|code| lines(code)).collect();
    for (code, own) in codes.iter_mut().zip(only_here(&texts)) {
        code.only_here = own;
    }
    let words: Vec<Vec<Word>> = codes.iter().map(|code| words(shown(code))).collect();
    let texts: Vec<Vec<String>> =
        words.iter().map(|words| words.iter().map(|word| word.text.clone()).collect()).collect();
    if texts.iter().map(Vec::len).sum::<usize>() <= MOST_WORDS {
        for ((code, words), own) in codes.iter_mut().zip(words).zip(only_here(&texts)) {
            mark_words(code, &words, &own);
        }
    }
}

/// The form of the code that a page shows first.
fn shown(code: &CodeView) -> &[Line] {
    code.laid_out.as_ref().unwrap_or(&code.raw)
}

/// A word of a line: a name, a number, or one other character that is no whitespace.
struct Word {
    line: usize,
    run: usize,
    /// Its bytes in the text of the run.
    from: usize,
    to: usize,
    text: String,
}

fn words(lines: &[Line]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for (line, Line(runs)) in lines.iter().enumerate() {
        for (run, Run(_, text)) in runs.iter().enumerate() {
            for (from, c) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
                let to = from + c.len_utf8();
                match words.last_mut() {
                    Some(last)
                        if (last.line, last.run, last.to) == (line, run, from)
                            && is_part_of_name(c)
                            && last.text.ends_with(is_part_of_name) =>
                    {
                        last.to = to;
                        last.text.push(c);
                    }
                    _ => words.push(Word { line, run, from, to, text: c.into() }),
                }
            }
        }
    }
    words
}

fn is_part_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Splits the runs of the lines that only this output has at its own words, and marks these words. A line of which no word
/// is in another output has its mark already.
fn mark_words(code: &mut CodeView, words: &[Word], own: &[u32]) {
    let is_own = |n: usize| u32::try_from(n).is_ok_and(|n| own.binary_search(&n).is_ok());
    let lines = code.laid_out.as_mut().unwrap_or(&mut code.raw);
    for line in &code.only_here {
        let Ok(line) = usize::try_from(*line) else { continue };
        let in_line = words.iter().enumerate().filter(|(_, word)| word.line == line);
        let (of_own, others): (Vec<_>, Vec<_>) = in_line.partition(|(n, _)| is_own(*n));
        let Some(Line(runs)) = lines.get_mut(line).filter(|_| !of_own.is_empty() && !others.is_empty()) else {
            continue;
        };
        let whole = std::mem::take(runs);
        for (at, Run(kind, text)) in whole.into_iter().enumerate() {
            let mut rest = 0;
            for (_, word) in of_own.iter().filter(|(_, word)| word.run == at) {
                runs.extend((word.from > rest).then(|| Run(kind.clone(), text[rest..word.from].to_owned())));
                let kind = if kind.is_empty() { "plain" } else { &kind };
                runs.push(Run(format!("{kind}{ONLY_WORD}"), text[word.from..word.to].to_owned()));
                rest = word.to;
            }
            runs.extend((rest < text.len()).then(|| Run(kind, text[rest..].to_owned())));
        }
    }
}

/// The lines in the form that a page shows first, without whitespace: how a line is indented or spaced is no
/// difference.
fn lines(code: &CodeView) -> Vec<String> {
    shown(code).iter().map(|line| line.text().split_whitespace().collect()).collect()
}

/// For each text, the lines (or words) that correspond to none of any other, counted from 0. Empty ones are no difference.
fn only_here(texts: &[Vec<String>]) -> Vec<Vec<u32>> {
    if texts.len() < 2 || texts.iter().map(Vec::len).sum::<usize>() > MOST_LINES {
        return vec![Vec::new(); texts.len()];
    }
    let mut shared: Vec<Vec<bool>> = texts.iter().map(|text| text.iter().map(String::is_empty).collect()).collect();
    for (a, one) in texts.iter().enumerate() {
        for (b, other) in texts.iter().enumerate().skip(a + 1) {
            for op in capture_diff_slices(Algorithm::Myers, one, other) {
                if let DiffOp::Equal { old_index, new_index, len } = op {
                    shared[a][old_index..old_index + len].fill(true);
                    shared[b][new_index..new_index + len].fill(true);
                }
            }
        }
    }
    let own = |shared: Vec<bool>| (0..).zip(shared).filter(|(_, shared)| !shared).map(|(n, _)| n).collect();
    shared.into_iter().map(own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[&str], expected: &[&[u32]]) {
        let texts: Vec<Vec<String>> = texts.iter().map(|text| text.lines().map(str::to_owned).collect()).collect();
        assert_eq!(only_here(&texts), expected);
    }

    #[test]
    fn a_line_is_marked_if_no_other_output_has_it() {
        check(&["a\nb\nc", "a\nx\nc"], &[&[1], &[1]]);
        check(&["a\nb", "a\nb"], &[&[], &[]]);
        check(&["a\nb\nc", "a\nb", "a\nc\nd"], &[&[], &[], &[2]]);
        // A line that moved corresponds to nothing at its new place.
        check(&["a\nb\nc\nd", "d\na\nb\nc"], &[&[3], &[0]]);
    }

    #[test]
    fn empty_lines_and_single_outputs_have_no_marks() {
        check(&["a\n\nb", "a\nb"], &[&[], &[]]);
        check(&["a\nb"], &[&[]]);
        check(&[], &[]);
        check(&["", "a"], &[&[], &[0]]);
    }

    fn plain(text: &str) -> CodeView {
        let line = |line: &str| Line(vec![Run(String::new(), line.to_owned())]);
        CodeView { raw: text.lines().map(line).collect(), ..CodeView::default() }
    }

    fn marked(texts: &[&str]) -> Vec<CodeView> {
        let mut codes: Vec<CodeView> = texts.iter().map(|text| plain(text)).collect();
        mark_codes(&mut codes.iter_mut().collect::<Vec<_>>());
        codes
    }

    fn marked_words(texts: &[&str]) -> Vec<Vec<String>> {
        let of = |code: CodeView| {
            let runs = code.raw.into_iter().flat_map(|Line(runs)| runs);
            runs.filter(|Run(kind, _)| kind.ends_with(ONLY_WORD)).map(|Run(_, text)| text).collect()
        };
        marked(texts).into_iter().map(of).collect()
    }

    #[test]
    fn words_are_marked_in_lines_that_have_others_words_too() {
        let check = |texts: &[&str], expected: &[&[&str]]| assert_eq!(marked_words(texts), expected);
        check(&["int a = b + 1;", "int a = b - 1;"], &[&["+"], &["-"]]);
        check(&["return list.size() > 0;", "return !list.isEmpty();"], &[&["size", ">", "0"], &["!", "isEmpty"]]);
        // The same words, spaced differently, and a line with nothing in common.
        check(&["f( x );", "f(x);"], &[&[], &[]]);
        check(&["a\nb\nc", "a\nx\nc"], &[&[], &[]]);
    }

    #[test]
    fn the_text_of_a_line_stays() {
        let line = "        if (größe_1 != null && !\"a b\".equals(größe_2)) {";
        let marked = marked(&[line, "if (size != null) {"]);
        assert_eq!(marked[0].raw[0].text(), line);
        assert!(marked[0].raw[0].0.len() > 3);
    }

    #[test]
    fn very_long_outputs_are_not_compared() {
        let long = vec!["x".to_owned(); MOST_LINES];
        assert_eq!(only_here(&[long, vec!["y".to_owned()]]), vec![Vec::<u32>::new(); 2]);
    }
}
