//! The actions of a rater and an admin: the random sequences of `hidden_checks.rs`.

use model::{
    flag::{Flag, FlagReason},
    grading::Draft,
    note::{LineNote, Position},
};
use proptest::prelude::*;

/// A rater's draft for an item.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    Plain(u8),
    Everything(u8),
    Incomplete,
    OffScale,
    NoteBeyondTheCode,
}

impl Content {
    /// The draft for a rubric of three dimensions and so many items of a checklist.
    pub fn draft(self, items: usize) -> Draft {
        let scores = |score: u8| [vec![Some(score); 3], vec![Some(score % 2); items]].concat();
        let note = |line| LineNote { at: Position { line, column: 1 }, text: "here".into() };
        match self {
            Content::Plain(score) => Draft { scores: scores(score), ..Draft::default() },
            Content::Everything(score) => Draft {
                scores: scores(score),
                comment: "why 为什么".into(),
                flag: Some(Flag::plain(FlagReason::CannotJudge)),
                active_ms: Some(5000),
                notes: vec![note(1)],
            },
            Content::Incomplete => {
                Draft { scores: [vec![Some(1)], vec![None; 2 + items]].concat(), ..Draft::default() }
            }
            Content::OffScale => Draft { scores: vec![Some(9); 3 + items], ..Draft::default() },
            Content::NoteBeyondTheCode => Draft { scores: scores(2), notes: vec![note(9999)], ..Draft::default() },
        }
    }
}

/// A request of a rater, or an event of the study. Items are counted back from the newest assigned one.
#[derive(Clone, Debug)]
pub enum Step {
    /// Requests the next item; the page has these.
    Next(Vec<usize>),
    /// Requests the next item; the page has it, and rates it.
    RateNext(Content),
    Item(usize),
    Draft(usize, Content),
    Submit(usize, Content, u8),
    Skip(usize),
    Undo(usize),
    /// Bookmarks an item, or removes the bookmark.
    Bookmark(usize, bool),
    /// The form without JavaScript.
    Form(usize, &'static str, u8),
    /// The page of an item.
    Page(usize),
    /// Confirms that the result of a calibration item was read.
    GoOn(usize),
    Lists,
    Pause,
    Resume,
    Close,
    /// Minutes pass; a lease lasts 30.
    Wait(u8),
    /// An admin answers the rater's flag on an item.
    ReplyToFlag(usize),
    /// Confirms that a warning was read.
    ReadWarning,
    /// An admin pauses the rater, or lets them continue.
    PauseRater(bool),
    /// An admin hides the names of models in the outputs, or shows them again.
    Mask(bool),
}

fn content() -> impl Strategy<Value = Content> {
    prop_oneof![
        6 => (1u8..4).prop_map(Content::Plain),
        3 => (1u8..4).prop_map(Content::Everything),
        1 => Just(Content::Incomplete),
        1 => Just(Content::OffScale),
        1 => Just(Content::NoteBeyondTheCode),
    ]
}

pub fn step() -> impl Strategy<Value = Step> {
    // Most requests concern the newest few items.
    let item = || prop_oneof![8 => 0usize..3, 1 => 0usize..20];
    prop_oneof![
        8 => prop::collection::vec(item(), 0..4).prop_map(Step::Next),
        8 => content().prop_map(Step::RateNext),
        4 => item().prop_map(Step::Item),
        4 => (item(), content()).prop_map(|(i, c)| Step::Draft(i, c)),
        8 => (item(), content(), 0u8..3).prop_map(|(i, c, k)| Step::Submit(i, c, k)),
        5 => item().prop_map(Step::Skip),
        6 => item().prop_map(Step::Undo),
        4 => (item(), any::<bool>()).prop_map(|(i, on)| Step::Bookmark(i, on)),
        4 => (item(), prop::sample::select(vec!["submit", "skip", "draft", "bookmark", "unbookmark"]), 1u8..5)
            .prop_map(|(i, action, score)| Step::Form(i, action, score)),
        1 => item().prop_map(Step::Page),
        1 => item().prop_map(Step::GoOn),
        3 => Just(Step::Lists),
        2 => Just(Step::Pause),
        3 => Just(Step::Resume),
        // A closed study stays closed, so most sequences never close it.
        1 => prop_oneof![1 => Just(Step::Close), 9 => Just(Step::Lists)],
        2 => (1u8..60).prop_map(Step::Wait),
        3 => item().prop_map(Step::ReplyToFlag),
        2 => Just(Step::ReadWarning),
        3 => prop_oneof![1 => Just(true), 4 => Just(false)].prop_map(Step::PauseRater),
        1 => any::<bool>().prop_map(Step::Mask),
    ]
}
