//! `aixgrade studies known`, `limits`, `pause-rater` and `resume-rater`

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use model::{
    caller::{Admin, System},
    day::Day,
    ids::{OutputId, StudyId},
    lang::{Bilingual, Lang},
    patch::Patch,
    quality::{
        CalibrationMode, KnownItemChange, KnownItemRecord, KnownItemSource, LimitAction, NewKnownItem, Policy, Pool,
        QualityPage, QualitySettings, RaterLimits,
    },
    quality_preset::{QualityChange, QualityPreset},
};
use port::quality::Quality as _;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Global, studies::named};
use base::error::Failure;
use command::table;
use services::Services;

/// Known-score items of a study.
#[derive(Subcommand)]
pub enum Known {
    /// List the items with their pools
    List(One),
    /// Add an output; of the study's own outputs, with its final scores and an explanation
    Add(Add),
    /// Use an item in the calibration, as a hidden check, or both
    Pool(SetPool),
    /// Deactivate an item: raters no longer get it
    Deactivate(Item),
    /// Activate an item
    Activate(Item),
    /// Remove an item that no rater has had
    Remove(Item),
    /// Print the active items as JSON Lines
    Export(One),
    /// Add the items of a JSON Lines file, all or none
    Import(Import),
}

/// A study.
#[derive(Args)]
pub struct One {
    /// Number of the study
    id: StudyId,
}

/// `studies known add`
#[derive(Args)]
pub struct Add {
    /// Number of the study
    id: StudyId,
    /// Number of an output for the study's dataset
    #[arg(long)]
    output: OutputId,
    /// Where it is used: `calibration`, `hidden` or `both`
    #[arg(long)]
    pool: Pool,
    /// A known score; repeat for each dimension, in the rubric's order [default: the final scores]
    #[arg(long = "score", value_name = "N")]
    scores: Vec<u8>,
    /// Explanation, shown to raters in training; repeat for each dimension, in the rubric's order
    #[arg(long = "reason", value_name = "TEXT")]
    reasons: Vec<String>,
}

/// `studies known pool`
#[derive(Args)]
pub struct SetPool {
    /// Number of the study
    id: StudyId,
    /// Number of the item
    item: i64,
    /// `calibration`, `hidden` or `both`
    pool: Pool,
}

/// An item.
#[derive(Args)]
pub struct Item {
    /// Number of the study
    id: StudyId,
    /// Number of the item
    item: i64,
}

/// `studies known import`
#[derive(Args)]
pub struct Import {
    /// Number of the study
    id: StudyId,
    /// File of items, as `export` prints them
    file: PathBuf,
}

/// `studies limits`
#[derive(Args)]
pub struct Limits {
    /// Number of the study
    id: StudyId,
    #[command(flatten)]
    settings: Settings,
}

/// `studies quality`
#[derive(Args)]
pub struct Quality {
    /// Number of the study
    id: StudyId,
    /// Settings to use: `off`, `light` (repeats, a warning for raters who are too fast, disagreements) or `strict` (also a
    /// calibration to pass, hidden known-score items, and pauses). Due date, breaks and what raters see stay
    #[arg(long)]
    preset: Option<QualityPreset>,
}

/// The settings that `studies limits` changes, under the names of [`QualitySettings`].
#[derive(Args, Serialize)]
struct Settings {
    /// Minimum time for an output, in seconds; 0 for no limit
    #[arg(long, value_name = "SECONDS")]
    min_seconds: Option<u32>,
    /// Number of outputs below the minimum time in a window that exceeds the limit
    #[arg(long = "fast", value_name = "N")]
    fast_limit: Option<u32>,
    /// Number of missed hidden checks in a window that exceeds the limit, at least 2; 0 for no limit
    #[arg(long = "missed", value_name = "N")]
    missed_limit: Option<u32>,
    /// Length of a window, in rated outputs, at least 10
    #[arg(long = "window", value_name = "N")]
    limit_window: Option<u32>,
    /// What happens then: `note` (only the inbox shows it), `warn` (the rater reads a warning) or `pause` (until an admin
    /// decides)
    #[arg(long = "then", value_name = "ACTION")]
    limit_action: Option<LimitAction>,
    /// Minutes of work after which raters read that a break helps; 0 for never
    #[arg(long = "break", value_name = "MINUTES")]
    break_minutes: Option<u32>,
    /// Day by which ratings are due, such as 2026-11-30; raters see it. "none" removes it
    #[arg(long, value_name = "DAY", value_parser = due)]
    #[serde(skip)]
    due: Option<Due>,
}

/// `--due`
#[derive(Clone, Copy)]
struct Due(Option<Day>);

fn due(text: &str) -> Result<Due, String> {
    match text {
        "none" => Ok(Due(None)),
        day => day.parse().map(|day| Due(Some(day))),
    }
}

/// The options that were passed, as a change of the settings with their names.
pub(super) fn change_of<T>(options: &impl Serialize) -> Result<Patch<T>, Failure> {
    let fields: Map<String, Value> = serde_json::from_value(serde_json::to_value(options)?)?;
    Ok(Patch::of(fields.into_iter().filter(|(_, value)| !value.is_null()).collect()))
}

/// A rater of a study.
#[derive(Args)]
pub struct Rater {
    /// Number of the study
    id: StudyId,
    /// Username of the rater
    name: String,
}

/// Runs `studies known`.
pub async fn run(global: &Global, services: &Services, command: Known) -> Result<(), Failure> {
    let (quality, admin) = (&services.quality, System.admin());
    let (id, item, change) = match command {
        Known::List(One { id }) => return global.show(&quality.page(&admin, id).await?, list),
        Known::Add(Add { id, output, pool, scores, reasons }) => {
            let reasons = reasons.into_iter().map(reason).collect();
            let new = NewKnownItem { source: KnownItemSource::Output(output), scores, reasons, pool };
            let item = quality.add_known_item(&admin, id, new).await?;
            return global.show(&item, |item| {
                format!("Added item {item}. Raters who have this output as work do not get it as an item, and nobody does while a rating of it is missing.")
            });
        }
        Known::Export(One { id }) => {
            let records = quality.known_items(&admin, id).await?;
            let lines = records.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
            return global.show(&records, |_| lines.join("\n"));
        }
        Known::Import(Import { id, file }) => {
            let items = read(&file)?;
            let count = quality.import_known_items(&admin, id, items).await?;
            return global.show(&count, |count| format!("Imported {count} items."));
        }
        Known::Remove(Item { id, item }) => {
            quality.remove_known_item(&admin, id, item).await?;
            return global.show(&item, |item| format!("Removed item {item}."));
        }
        Known::Pool(SetPool { id, item, pool }) => (id, item, KnownItemChange { pool: Some(pool), deactivated: None }),
        Known::Deactivate(Item { id, item }) => (id, item, KnownItemChange { deactivated: Some(true), pool: None }),
        Known::Activate(Item { id, item }) => (id, item, KnownItemChange { deactivated: Some(false), pool: None }),
    };
    quality.change_known_item(&admin, id, item, change).await?;
    global.show(&quality.page(&admin, id).await?, list)
}

/// Runs `studies quality`.
pub async fn quality(global: &Global, services: &Services, of: Quality) -> Result<(), Failure> {
    let (quality, admin) = (&services.quality, System.admin());
    if let Some(preset) = of.preset {
        let change = QualityChange { preset: Some(preset), ..QualityChange::default() };
        quality.set(&admin, of.id, change).await?;
    }
    let QualityPage { settings, preset, workload, extra_work, .. } = quality.page(&admin, of.id).await?;
    let shown = json!({"preset": preset, "settings": settings, "workload": workload, "extra_work": extra_work});
    global.show(&shown, |_| {
        let preset = preset.map_or_else(|| "none; the settings are custom".to_owned(), |preset| preset.to_string());
        let extra = (texts::quality::EN.extra_work)(extra_work.percent());
        format!("Preset: {preset}\n{}\n{extra}", quality_text(&settings))
    })
}

/// The settings in sentences.
fn quality_text(s: &QualitySettings) -> String {
    let mut text = Vec::new();
    match s.calibration {
        CalibrationMode::None => {}
        CalibrationMode::MustPass => text.push(format!("Raters must get {} calibration items right.", s.needed)),
        CalibrationMode::Train => text.push("Raters practice on the calibration items.".to_owned()),
    }
    if s.known_item_every > 0 {
        text.push(format!("A known-score item comes about every {} outputs.", s.known_item_every));
    }
    if s.repeat_every > 0 {
        text.push(format!(
            "An earlier output comes again about every {} outputs, at least {} outputs later.",
            s.repeat_every, s.repeat_apart
        ));
    }
    if let Some(spread) = s.spread {
        let then = match s.policy {
            Policy::Adjudicator => "an adjudicator decides",
            Policy::ExtraRater => "one more rater rates the output",
        };
        text.push(format!("Ratings more than {spread} levels apart are a disagreement: {then}."));
    }
    text.push(limits_sentence(s));
    text.join("\n")
}

/// Runs `studies limits`.
pub async fn limits(global: &Global, services: &Services, of: Limits) -> Result<(), Failure> {
    let (quality, admin) = (&services.quality, System.admin());
    let mut change: Patch<QualitySettings> = change_of(&of.settings)?;
    if let Some(Due(day)) = of.settings.due {
        change = change.and("due", serde_json::to_value(day)?);
    }
    if !change.is_empty() {
        quality.set(&admin, of.id, change.into()).await?;
    }
    show_limits(global, services, &admin, of.id).await
}

/// Runs `studies pause-rater` and `studies resume-rater`.
pub async fn pause(global: &Global, services: &Services, of: Rater, paused: bool) -> Result<(), Failure> {
    let (admin, user) = (System.admin(), named(services, "NAME", &of.name).await?);
    services.quality.pause_rater(&admin, of.id, user, paused).await?;
    show_limits(global, services, &admin, of.id).await
}

async fn show_limits(global: &Global, services: &Services, admin: &Admin, id: StudyId) -> Result<(), Failure> {
    let page = services.quality.page(admin, id).await?;
    global.show(&(page.settings, page.limits), |(settings, raters)| limits_text(settings, raters))
}

/// The limits, breaks and the due date in sentences.
fn limits_sentence(s: &QualitySettings) -> String {
    let then = match s.limit_action {
        LimitAction::Note => "the inbox shows it",
        LimitAction::Warn => "the rater reads a warning",
        LimitAction::Pause => "the rater is paused until an admin decides",
    };
    let mut limits = Vec::new();
    if s.min_seconds > 0 {
        limits.push(format!("{} below {} seconds", s.fast_limit, s.min_seconds));
    }
    if s.missed_limit > 0 {
        limits.push(format!("{} missed hidden checks", s.missed_limit));
    }
    let mut text = match limits.as_slice() {
        [] => "No limits.".to_owned(),
        some => format!("Of {} outputs, {}: {then}.", s.limit_window, some.join(" or ")),
    };
    if s.break_minutes > 0 {
        text.push_str(&format!("\nA break is suggested after {} minutes of work.", s.break_minutes));
    }
    if let Some(day) = s.due {
        text.push_str(&format!("\nRatings are due {day}."));
    }
    text
}

fn limits_text(s: &QualitySettings, raters: &[RaterLimits]) -> String {
    let text = limits_sentence(s);
    let rows: Vec<_> = raters
        .iter()
        .map(|r| {
            let state = match (r.paused_at, r.warned) {
                (Some(_), _) => "paused",
                (None, true) => "warned",
                (None, false) => "-",
            };
            vec![r.name.clone(), state.into(), format!("{}/{}", r.fast, r.items), format!("{}/{}", r.missed, r.checks)]
        })
        .collect();
    format!("{text}\n\n{}", table(&["RATER", "STATE", "TOO FAST", "MISSED"], &rows))
}

fn list(page: &QualityPage) -> String {
    let rows: Vec<_> = page
        .known_items
        .iter()
        .map(|item| {
            let scores: Vec<_> = item.scores.iter().map(u8::to_string).collect();
            let state = if item.deactivated { "deactivated" } else { "active" };
            let right = format!("{}/{}", item.right, item.asked);
            vec![
                item.id.to_string(),
                item.pool.to_string(),
                state.into(),
                item.task_id.clone(),
                scores.join(" "),
                right,
            ]
        })
        .collect();
    let (calibration, hidden) = page.pool_sizes();
    format!(
        "Calibration: {calibration} items. Hidden checks: {hidden} items.\n\n{}",
        table(&["ID", "POOL", "STATE", "TASK", "SCORES", "CORRECT"], &rows)
    )
}

fn reason(text: String) -> Bilingual {
    match Lang::detect(&text) {
        Lang::En => Bilingual { en: text, zh: String::new() },
        Lang::Zh => Bilingual { en: String::new(), zh: text },
    }
}

fn read(file: &Path) -> Result<Vec<KnownItemRecord>, Failure> {
    let text = std::fs::read_to_string(file)
        .map_err(|e| Failure::invalid("FILE", e.to_string(), "Name a file that can be read"))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let item = |(at, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|e| Failure::invalid(&format!("line {}", at + 1), e.to_string(), "See docs/formats.md"))
    };
    lines.map(item).collect()
}
