//! `aixgrade inbox`

use clap::{Args, Subcommand};
use model::{
    caller::System,
    ids::StudyId,
    inbox::{InboxAct, InboxDone, InboxFilter, InboxItem, InboxKind, InboxRequest, InboxRow},
    lang::Lang,
};
use port::inbox::Inbox as _;
use texts::faults::{request_fault, routine_fault};

use super::{Global, Rows};
use base::error::Failure;
use command::table;

/// `inbox`
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Inbox {
    #[command(flatten)]
    list: List,
    #[command(subcommand)]
    act: Option<Act>,
}

#[derive(Args)]
struct List {
    /// List only items of this kind: `flag`, `disagreement`, `calibration`, `pace`, `checks`, `plan`, `run`, `engine`,
    /// `delivery`, `backup` or `integrity`
    #[arg(long)]
    kind: Option<InboxKind>,
    /// List only items of this study
    #[arg(long, value_name = "ID")]
    study: Option<StudyId>,
    /// Print only the number of items of each kind
    #[arg(long)]
    count: bool,
    #[command(flatten)]
    rows: Rows,
}

#[derive(Subcommand)]
enum Act {
    /// Resolve flags without a reply
    Resolve(Items),
    /// Have one more rater rate outputs with a disagreement
    AddRater(Items),
    /// Restart the calibration of raters
    Restart(Items),
    /// Let raters rate regardless of the calibration
    Admit(Items),
    /// Let paused raters continue
    Resume(Items),
    /// Run or send again
    Retry(Items),
    /// Take items out of the inbox until they happen again
    Dismiss(Items),
}

#[derive(Args)]
struct Items {
    /// Number of an item; repeat for each
    #[arg(required = true, value_name = "ID")]
    items: Vec<i64>,
}

/// Runs the command.
pub async fn run(global: &Global, Inbox { list, act }: Inbox) -> Result<(), Failure> {
    let inbox = global.open()?.inbox;
    let admin = System.admin();
    let (act, Items { items }) = match act {
        None => {
            let List { kind, study, count, rows } = list;
            let filter = InboxFilter { kind, study };
            if count {
                return global.show(&inbox.counts(&admin, filter).await?, |counts| {
                    let rows = counts.iter().map(|one| vec![one.kind.to_string(), one.waiting.to_string()]);
                    table(&["KIND", "WAITING"], &rows.collect::<Vec<_>>())
                });
            }
            let rows = rows.read(async |of| inbox.list(&admin, filter, of).await).await?;
            return global.show(&rows, |rows| match rows.as_slice() {
                [] => "The inbox is empty.".into(),
                rows => table(&["ID", "KIND", "STUDY", "SINCE", "ABOUT"], &rows.iter().map(line).collect::<Vec<_>>()),
            });
        }
        Some(Act::Resolve(items)) => (InboxAct::Resolve, items),
        Some(Act::AddRater(items)) => (InboxAct::AddRater, items),
        Some(Act::Restart(items)) => (InboxAct::Restart, items),
        Some(Act::Admit(items)) => (InboxAct::Admit, items),
        Some(Act::Resume(items)) => (InboxAct::Resume, items),
        Some(Act::Retry(items)) => (InboxAct::Retry, items),
        Some(Act::Dismiss(items)) => (InboxAct::Dismiss, items),
    };
    let done = inbox.act(&admin, InboxRequest { act, items }).await?;
    global.show(&done, |InboxDone { done, gone, refused, .. }| {
        format!("{done} done, {gone} already resolved, {refused} do not allow this action.")
    })
}

fn line(row: &InboxRow) -> Vec<String> {
    let study = row.study.map_or_else(|| "-".into(), |study| study.to_string());
    vec![row.id.to_string(), row.kind.to_string(), study, row.since.rfc3339(), about(row)]
}

fn about(row: &InboxRow) -> String {
    match &row.item {
        InboxItem::Flag { task_id, rater, comment, .. } => format!("task {task_id}, by {rater} {comment}"),
        InboxItem::Disagreement { task_id, spread, .. } => format!("task {task_id}, spread {spread}"),
        InboxItem::Rater { name, .. } if row.kind == InboxKind::Calibration => name.clone(),
        InboxItem::Rater { name, count, of, paused, .. } => {
            format!("{name}: {count} of {of}{}", if *paused { ", paused" } else { "" })
        }
        InboxItem::Plan { unassigned, inactive, .. } => {
            format!("{unassigned} ratings without a rater; deactivated: {}", inactive.join(", "))
        }
        InboxItem::Run { run, dataset, errors, .. } => format!("run {run} of {dataset}, {errors} engine errors"),
        InboxItem::Routine { failures, why, .. } => format!("{failures} attempts: {}", routine_fault(why)),
        InboxItem::Delivery { url, attempts, error, .. } => {
            let why = error.as_ref().map(|fault| request_fault(Lang::En, fault)).unwrap_or_default();
            format!("{url}, {attempts} attempts. {why}")
        }
    }
}
