//! A conversation as people read it, up to the answer that they rate: what each turn asked, the earlier answers folded,
//! and what changed from one answer to the next.
//!
//! Only the server draws it, so that raters who never see a conversation download nothing for it. It works without
//! JavaScript. **Nothing in it names a model or a submission.**

use leptos::prelude::*;

use crate::{i18n::I18n, model::conversation::InstructionKind};

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

/// The name of a kind of instruction.
pub fn kind_name(i: I18n, kind: InstructionKind) -> &'static str {
    i.conversations().kind_name(kind)
}

/// The conversation as HTML; the last of `turns` is the rated one, whose code the page shows itself.
pub fn html(i: I18n, turns: &[ShownTurn]) -> String {
    let t = i.turns();
    let last = turns.len().saturating_sub(1);
    let rows = turns.iter().enumerate().map(|(at, turn)| shown(i, turn, at == last)).collect_view();
    view! {
        <section class="conversation" aria-label=t.conversation>
            <p class="eyebrow">{t.conversation}</p>
            <ol>{rows}</ol>
        </section>
    }
    .to_html()
}

fn shown(i: I18n, turn: &ShownTurn, is_rated: bool) -> AnyView {
    let t = i.turns();
    let is_base = turn.kind == InstructionKind::Base;
    let kind = if is_base { t.base } else { kind_name(i, turn.kind) };
    // The description of the task is the base prompt.
    let instruction = match (turn.again, is_base) {
        (true, _) => Some(view! { <p class="turn-text muted">{t.again}</p> }.into_any()),
        (false, true) => None,
        (false, false) => Some(view! { <p class="turn-text">{turn.instruction.clone()}</p> }.into_any()),
    };
    let answer = match &turn.answer {
        _ if is_rated => None,
        _ if turn.is_joined => Some(view! { <p class="muted small">{t.joined}</p> }.into_any()),
        None => Some(view! { <p class="muted small">{t.no_answer}</p> }.into_any()),
        Some(code) => {
            let label = format!("{}: {}", (t.turn_n)(turn.turn), t.answer);
            let code = code.clone();
            Some(
                view! {
                    <details class="said">
                        <summary>{t.answer}<span class="visually-hidden">{format!(": {}", (t.turn_n)(turn.turn))}</span></summary>
                        <pre class="turn-code" translate="no" tabindex="0" role="region" aria-label=label><code>{code}</code></pre>
                    </details>
                }
                .into_any(),
            )
        }
    };
    let changes = turn.changes.as_ref().map(|changes| changes_view(i, turn.turn, changes, is_rated));
    let rated = is_rated.then(|| view! { " "<span class="badge tone-plain">{t.rated}</span> });
    view! {
        <li>
            <p class="turn-head"><b>{(t.turn_n)(turn.turn)}</b>" · "{kind}{rated}</p>
            {instruction}
            {answer}
            {changes}
        </li>
    }
    .into_any()
}

fn changes_view(i: I18n, turn: u32, changes: &Changes, is_open: bool) -> AnyView {
    let t = i.turns();
    let lines = match changes {
        Changes::TooLong => return view! { <p class="muted small">{t.too_long}</p> }.into_any(),
        Changes::Lines(lines) if lines.is_empty() => {
            return view! { <p class="muted small">{t.no_changes}</p> }.into_any();
        }
        Changes::Lines(lines) => lines,
    };
    let count = |of: fn(&ChangedLine) -> bool| lines.iter().filter(|line| of(line)).count();
    let (added, removed) =
        (count(|line| matches!(line, ChangedLine::Added(_))), count(|line| matches!(line, ChangedLine::Removed(_))));
    // Marked by a sign, an element and a word for screen readers, not by color alone.
    let rows = lines.iter().map(|line| match line.clone() {
        ChangedLine::Same(text) => view! { <span class="diff-line">"  "{text}"\n"</span> }.into_any(),
        ChangedLine::Added(text) => {
            view! { <ins class="diff-line"><span class="visually-hidden">{t.added}" "</span>"+ "{text}"\n"</ins> }
                .into_any()
        }
        ChangedLine::Removed(text) => {
            view! { <del class="diff-line"><span class="visually-hidden">{t.removed}" "</span>"− "{text}"\n"</del> }
                .into_any()
        }
        ChangedLine::LeftOut(n) => {
            view! { <span class="diff-line muted">{format!("⋯ {}\n", (t.unchanged_n)(n))}</span> }.into_any()
        }
    });
    let rows = rows.collect_view();
    let label = format!("{}: {}", (t.turn_n)(turn), t.changes);
    view! {
        <details class="said" open=is_open>
            <summary>{t.changes}" "<span class="muted small">{format!("({})", (t.summary)(added, removed))}</span></summary>
            <pre class="diff" translate="no" tabindex="0" role="region" aria-label=label>{rows}</pre>
        </details>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::lang::Lang;

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
                kind_name(i, InstructionKind::EdgeCase),
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
