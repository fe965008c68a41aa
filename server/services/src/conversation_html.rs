//! A conversation as people read it, up to the answer that they rate: what each turn asked, the earlier answers folded,
//! and what changed from one answer to the next.
//!
//! Only the server draws it, so that raters who never see a conversation download nothing for it. It works without
//! JavaScript. **Nothing in it names a model or a submission.**

use chart::bars::escape;
use model::conversation::InstructionKind;
use texts::I18n;

/// A turn to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownTurn {
    pub turn: u32,
    pub kind: InstructionKind,
    pub instruction: String,
    /// Whether the model was told that its last answer fails the instruction's tests.
    pub again: bool,
    /// The code of the answer; absent if there is none.
    pub answer: Option<String>,
    /// Whether it was asked in one message with the next turn, so that it has no answer of its own.
    pub is_joined: bool,
    /// How it differs from the answer before it; absent for the first one.
    pub changes: Option<Changes>,
}

/// How the code of an answer differs from that of the previous one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changes {
    /// The lines, without longer stretches that are equal. Empty if nothing differs.
    Lines(Vec<ChangedLine>),
    /// Too long to compare.
    TooLong,
}

/// A line of a comparison of two answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangedLine {
    Same(String),
    Added(String),
    Removed(String),
    /// So many equal lines are left out.
    LeftOut(usize),
}

/// The conversation as HTML; the last of `turns` is the rated one, whose code the page shows itself.
pub fn html(i: I18n, turns: &[ShownTurn]) -> String {
    let label = escape(i.turns().conversation);
    let last = turns.len().saturating_sub(1);
    let rows: String = turns.iter().enumerate().map(|(at, turn)| turn_html(i, turn, at == last)).collect();
    format!(
        r#"<section class="conversation" aria-label="{label}"><p class="eyebrow">{label}</p><ol>{rows}</ol></section>"#
    )
}

fn turn_html(i: I18n, turn: &ShownTurn, is_rated: bool) -> String {
    let t = i.turns();
    let is_base = turn.kind == InstructionKind::Base;
    let kind = if is_base { t.base } else { i.conversations().kind_name(turn.kind) };
    // The description of the task is the base prompt.
    let instruction = match (turn.again, is_base) {
        (true, _) => format!(r#"<p class="turn-text muted">{}</p>"#, escape(t.again)),
        (false, true) => String::new(),
        (false, false) => format!(r#"<p class="turn-text">{}</p>"#, escape(&turn.instruction)),
    };
    let note = |text: &str| format!(r#"<p class="muted small">{}</p>"#, escape(text));
    let number = (t.turn_n)(turn.turn);
    let answer = match &turn.answer {
        _ if is_rated => String::new(),
        _ if turn.is_joined => note(t.joined),
        None => note(t.no_answer),
        Some(code) => {
            let (name, turn) = (escape(t.answer), escape(&number));
            format!(
                r#"<details class="said"><summary>{name}<span class="visually-hidden">: {turn}</span></summary><pre class="turn-code" translate="no" tabindex="0" role="region" aria-label="{turn}: {name}"><code>{}</code></pre></details>"#,
                escape(code)
            )
        }
    };
    let changes =
        turn.changes.as_ref().map(|changes| changes_html(i, turn.turn, changes, is_rated)).unwrap_or_default();
    let rated =
        if is_rated { format!(r#" <span class="badge tone-plain">{}</span>"#, escape(t.rated)) } else { String::new() };
    let (number, kind) = (escape(&number), escape(kind));
    format!(r#"<li><p class="turn-head"><b>{number}</b> · {kind}{rated}</p>{instruction}{answer}{changes}</li>"#)
}

fn changes_html(i: I18n, turn: u32, changes: &Changes, is_open: bool) -> String {
    let t = i.turns();
    let note = |text: &str| format!(r#"<p class="muted small">{}</p>"#, escape(text));
    let lines = match changes {
        Changes::TooLong => return note(t.too_long),
        Changes::Lines(lines) if lines.is_empty() => return note(t.no_changes),
        Changes::Lines(lines) => lines,
    };
    let count = |of: fn(&ChangedLine) -> bool| lines.iter().filter(|line| of(line)).count();
    let (added, removed) =
        (count(|line| matches!(line, ChangedLine::Added(_))), count(|line| matches!(line, ChangedLine::Removed(_))));
    let marked = |element: &str, word: &str, sign: char, text: &str| {
        let (word, text) = (escape(word), escape(text));
        format!(
            "<{element} class=\"diff-line\"><span class=\"visually-hidden\">{word} </span>{sign} {text}\n</{element}>"
        )
    };
    // Marked by a sign, an element and a word for screen readers, not by color alone.
    let rows = lines.iter().map(|line| match line {
        ChangedLine::Same(text) => format!("<span class=\"diff-line\">  {}\n</span>", escape(text)),
        ChangedLine::Added(text) => marked("ins", t.added, '+', text),
        ChangedLine::Removed(text) => marked("del", t.removed, '−', text),
        ChangedLine::LeftOut(n) => {
            format!("<span class=\"diff-line muted\">⋯ {}\n</span>", escape(&(t.unchanged_n)(*n)))
        }
    });
    let rows: String = rows.collect();
    let (name, summary) = (escape(t.changes), escape(&(t.summary)(added, removed)));
    let label = format!("{}: {name}", escape(&(t.turn_n)(turn)));
    let open = if is_open { " open" } else { "" };
    format!(
        r#"<details class="said"{open}><summary>{name} <span class="muted small">({summary})</span></summary><pre class="diff" translate="no" tabindex="0" role="region" aria-label="{label}">{rows}</pre></details>"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::lang::Lang;

    fn turns() -> Vec<ShownTurn> {
        let turn = |turn, kind, answer: Option<&str>, changes| ShownTurn {
            turn,
            kind,
            instruction: format!("Ask <{turn}>"),
            again: false,
            answer: answer.map(str::to_owned),
            is_joined: false,
            changes,
        };
        let lines = vec![
            ChangedLine::LeftOut(4),
            ChangedLine::Same("a".into()),
            ChangedLine::Removed("b < c".into()),
            ChangedLine::Added("b <= c".into()),
        ];
        vec![
            turn(0, InstructionKind::Base, Some("def f(): pass"), None),
            turn(1, InstructionKind::EdgeCase, None, None),
            turn(2, InstructionKind::CodeStandard, Some("rated"), Some(Changes::Lines(lines))),
        ]
    }

    #[test]
    fn a_conversation_is_drawn_in_both_languages_without_the_rated_code() {
        for lang in Lang::ALL {
            let i = I18n::of(lang);
            let html = html(i, &turns());
            for text in [
                i.conversations().kind_name(InstructionKind::EdgeCase),
                i.turns().no_answer,
                "def f(): pass",
                "Ask &lt;2&gt;",
                "b &lt;= c",
            ] {
                assert!(html.contains(text), "{text}: {html}");
            }
            // The base prompt is the description, and the page shows the rated code.
            assert!(!html.contains("Ask &lt;0&gt;") && !html.contains(">rated<"), "{html}");
            assert_eq!((html.matches("<ins").count(), html.matches("<del").count()), (1, 1), "{html}");
            assert!(html.contains(&(i.turns().unchanged_n)(4)) && html.contains(i.turns().removed), "{html}");
        }
    }
}
