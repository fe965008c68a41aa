//! A document of tokens and possible line breaks, and its printer.
//!
//! The document is a flat list of events, with groups as brackets. A group is printed on one
//! line if it fits and has no forced break; otherwise each [`Event::Line`] directly in it becomes a
//! line break. Nothing recurses, because model output can nest to any depth.

/// An element of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A token, printed unchanged. It may contain line breaks (a text block, a comment).
    Text(String),
    /// A possible line break: printed flat as a space (`true`) or as nothing.
    Line(bool),
    /// A possible line break, used only if the text up to the next one does not fit.
    Fill(bool),
    /// A forced line break.
    Hard,
    /// A line break and an empty line.
    Blank,
    /// Indents the following lines by this many columns.
    Indent(usize),
    /// Undoes the latest [`Event::Indent`].
    Dedent,
    /// Opens a group.
    Begin,
    /// Closes the innermost group.
    End,
}

/// Target width of a line, in columns.
pub const WIDTH: usize = 100;

/// Prints the document without a trailing line break.
pub fn print(events: &[Event]) -> String {
    let forced = forced_breaks(events);
    let mut out = String::new();
    let mut column = 0;
    let mut indents = vec![0];
    // A line's indentation is the one in force at the line break, not the one that its first
    // token opens.
    let mut margin = Some(0);
    // Whether each open group is broken; outside of groups, lines break.
    let mut broken = vec![true];
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Text(text) => {
                if let Some(margin) = margin.take() {
                    column = margin;
                    out.extend(std::iter::repeat_n(' ', margin));
                }
                out.push_str(text);
                column = match text.rsplit_once('\n') {
                    Some((_, last)) => width(last),
                    None => column + width(text),
                };
            }
            Event::Fill(space) if piece_fits(&events[at + 1..], margin.unwrap_or(column) + usize::from(*space)) => {
                if *space {
                    out.push(' ');
                    column += 1;
                }
            }
            Event::Line(space) if !broken.last().unwrap_or(&true) => {
                if *space {
                    out.push(' ');
                    column += 1;
                }
            }
            Event::Line(_) | Event::Fill(_) | Event::Hard => {
                out.push('\n');
                margin = indents.last().copied();
            }
            Event::Blank => {
                out.push_str("\n\n");
                margin = indents.last().copied();
            }
            Event::Indent(by) => indents.push(indents.last().unwrap_or(&0) + by),
            Event::Dedent => {
                indents.pop();
            }
            Event::Begin => {
                let from = margin.unwrap_or(column);
                broken.push(forced[at] || !fits(&events[at..], &forced[at..], from, &broken));
            }
            Event::End => {
                broken.pop();
            }
        }
    }
    out
}

/// For every event that opens a group, whether the group contains a forced break.
fn forced_breaks(events: &[Event]) -> Vec<bool> {
    let mut forced = vec![false; events.len()];
    let mut open = Vec::new();
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Begin => open.push(at),
            Event::End => {
                if let Some(begin) = open.pop()
                    && forced[begin]
                    && let Some(outer) = open.last()
                {
                    forced[*outer] = true;
                }
            }
            Event::Hard | Event::Blank => {
                if let Some(begin) = open.last() {
                    forced[*begin] = true;
                }
            }
            _ => {}
        }
    }
    forced
}

/// Whether the group at the start of `events` fits on the line, with what must follow it.
fn fits(events: &[Event], forced: &[bool], column: usize, enclosing: &[bool]) -> bool {
    let mut room = match WIDTH.checked_sub(column) {
        Some(room) => room,
        None => return false,
    };
    // Groups opened here; negative after leaving enclosing ones.
    let mut depth = 0_usize;
    let mut left = 0_usize;
    let mut inner_broken: Vec<bool> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let need = match event {
            Event::Text(text) => match text.split_once('\n') {
                Some((first, _)) => return width(first) <= room,
                None => width(text),
            },
            Event::Hard | Event::Blank => return true,
            Event::Line(space) | Event::Fill(space) => {
                let breaks = match inner_broken.last() {
                    Some(broken) => *broken,
                    None => {
                        enclosing.len().checked_sub(left + 1).and_then(|i| enclosing.get(i)).copied().unwrap_or(true)
                    }
                };
                if breaks {
                    return true;
                }
                usize::from(*space)
            }
            Event::Begin => {
                depth += 1;
                inner_broken.push(forced[at]);
                0
            }
            Event::End => {
                match depth.checked_sub(1) {
                    Some(less) => {
                        depth = less;
                        inner_broken.pop();
                    }
                    None => left += 1,
                }
                0
            }
            Event::Indent(_) | Event::Dedent => 0,
        };
        match room.checked_sub(need) {
            Some(rest) => room = rest,
            None => return false,
        }
    }
    true
}

/// Whether the text up to the next possible line break on the same level fits on the line.
fn piece_fits(events: &[Event], column: usize) -> bool {
    let Some(mut room) = WIDTH.checked_sub(column) else { return false };
    let mut depth = 0_usize;
    for event in events {
        let need = match event {
            Event::Text(text) => width(text.lines().next().unwrap_or_default()),
            Event::Hard | Event::Blank => return true,
            Event::Line(_) | Event::Fill(_) if depth == 0 => return true,
            Event::Line(space) | Event::Fill(space) => usize::from(*space),
            Event::Begin => {
                depth += 1;
                0
            }
            Event::End => match depth.checked_sub(1) {
                Some(less) => {
                    depth = less;
                    0
                }
                None => return true,
            },
            Event::Indent(_) | Event::Dedent => 0,
        };
        match room.checked_sub(need) {
            Some(rest) => room = rest,
            None => return false,
        }
    }
    true
}

/// Width of a text in columns; a Han character takes two in a fixed-width font.
fn width(text: &str) -> usize {
    text.chars().map(|c| if ('\u{1100}'..='\u{115f}').contains(&c) || c >= '\u{2e80}' { 2 } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: &[&str]) -> Vec<Event> {
        let mut events =
            vec![Event::Text(format!("{name}(")), Event::Begin, Event::Indent(8), Event::Line(false), Event::Begin];
        for (i, argument) in arguments.iter().enumerate() {
            if i > 0 {
                events.extend([Event::Text(",".into()), Event::Line(true)]);
            }
            events.push(Event::Text((*argument).into()));
        }
        events.extend([Event::End, Event::Dedent, Event::End, Event::Text(");".into())]);
        events
    }

    #[test]
    fn breaks_only_what_does_not_fit() {
        let check = |length: usize, expected: usize| {
            let argument = "a".repeat(length);
            let printed = print(&call("fourteen_chars", &[&argument, &argument]));
            assert_eq!(printed.lines().count(), expected, "{printed}");
            assert_eq!(
                printed.split_whitespace().collect::<String>(),
                format!("fourteen_chars({argument},{argument});")
            );
        };
        check(40, 1);
        check(42, 2);
        check(50, 3);
    }
}
