//! Differences between the outputs of a task, for pages that show them side by side.

use model::{error::AppError, grading::GradingItem};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use base::error::Failure;

/// The most lines of all outputs of a task that are compared. Comparing any two takes time in proportion to the
/// product of their lengths, in the worst case.
const MOST_LINES: usize = 4000;

/// Marks the lines that only one of the outputs has. Off the async threads, because long outputs take a while.
pub async fn marked(items: Vec<GradingItem>) -> Result<Vec<GradingItem>, AppError> {
    tokio::task::spawn_blocking(move || mark(items)).await.map_err(|e| Failure::internal(e).into())
}

fn mark(mut items: Vec<GradingItem>) -> Vec<GradingItem> {
    let texts: Vec<Vec<String>> = items.iter().map(lines).collect();
    for (item, own) in items.iter_mut().zip(only_here(&texts)) {
        item.code.only_here = own;
    }
    items
}

/// The lines in the form that a page shows first, without whitespace: how a line is indented or spaced is no
/// difference.
fn lines(item: &GradingItem) -> Vec<String> {
    let lines = item.code.laid_out.as_ref().unwrap_or(&item.code.raw);
    lines.iter().map(|line| line.text().split_whitespace().collect()).collect()
}

/// For each text, the lines that correspond to no line of any other, counted from 0. Empty lines are no difference.
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

    #[test]
    fn very_long_outputs_are_not_compared() {
        let long = vec!["x".to_owned(); MOST_LINES];
        assert_eq!(only_here(&[long, vec!["y".to_owned()]]), vec![Vec::<u32>::new(); 2]);
    }
}
