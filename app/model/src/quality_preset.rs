//! Presets of quality settings, and how much work the settings add for a rater.

use serde::{Deserialize, Serialize};

use super::{
    error::AppError,
    names::names,
    patch::Patch,
    quality::{CalibrationMode, LimitAction, Policy, QualitySettings},
    rubric::Rubric,
};

names! {
    /// Quality settings to start from.
    pub enum QualityPreset as code {
        /// No calibration, hidden checks, limits or disagreements.
        Off = "off",
        /// Settings that need no known-score items: repeats, a warning for raters who are too fast, and disagreements of
        /// more than 2 levels.
        Light = "light",
        /// Also a calibration that raters must pass and hidden known-score items; raters who exceed a limit are paused, and
        /// ratings disagree from 2 levels on.
        Strict = "strict",
    }
}

impl QualityPreset {
    /// The settings after choosing this preset. The due date, breaks, and the figures that raters see are not part of a
    /// preset and stay. `calibration` is the number of items in the calibration.
    #[must_use]
    pub fn settings(self, before: &QualitySettings, rubric: &Rubric, calibration: usize) -> QualitySettings {
        // The widest spread and deviation that a setting may have with this rubric.
        let most = rubric.widest().saturating_sub(1);
        let own = QualitySettings {
            shown: before.shown,
            break_minutes: before.break_minutes,
            due: before.due,
            ..QualitySettings::default()
        };
        match self {
            QualityPreset::Off => own,
            QualityPreset::Light => QualitySettings {
                repeat_every: 20,
                repeat_apart: 20,
                spread: Some(2.min(most)),
                min_seconds: 3,
                fast_limit: 10,
                limit_window: 20,
                limit_action: LimitAction::Warn,
                ..own
            },
            QualityPreset::Strict => QualitySettings {
                calibration: CalibrationMode::MustPass,
                // Four of five.
                needed: u32::try_from((calibration * 4).div_ceil(5)).unwrap_or(u32::MAX).max(1),
                tolerance: 1.min(most),
                known_item_every: 15,
                repeat_every: 15,
                repeat_apart: 20,
                spread: Some(1.min(most)),
                min_seconds: 5,
                fast_limit: 5,
                missed_limit: 2,
                limit_window: 20,
                limit_action: LimitAction::Pause,
                ..own
            },
        }
    }

    /// The preset that these settings have the effect of, if any.
    pub fn of(settings: &QualitySettings, rubric: &Rubric, calibration: usize) -> Option<QualityPreset> {
        let now = effective(settings);
        QualityPreset::ALL.into_iter().find(|preset| effective(&preset.settings(settings, rubric, calibration)) == now)
    }
}

/// The settings, without those that have no effect because another one is off.
fn effective(settings: &QualitySettings) -> QualitySettings {
    let mut s = *settings;
    if s.calibration == CalibrationMode::None && s.known_item_every == 0 {
        s.tolerance = 0;
    }
    if s.repeat_every == 0 {
        s.repeat_apart = 0;
    }
    if s.min_seconds == 0 {
        s.fast_limit = 0;
    }
    if !s.has_limits() {
        (s.limit_window, s.limit_action) = (0, LimitAction::default());
    }
    if s.spread.is_none() && s.spread_correctness.is_none() {
        s.policy = Policy::default();
    }
    s
}

/// New values of single quality settings.
pub type QualitySettingsPatch = Patch<QualitySettings>;

/// A change of a study's quality settings, in whatever state it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct QualityChange {
    /// Settings to start from. Due date, breaks and the figures that raters see stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<QualityPreset>,
    /// Single settings, changed after the preset.
    #[serde(flatten)]
    pub settings: QualitySettingsPatch,
}

impl QualityChange {
    /// The settings after the change.
    ///
    /// # Errors
    ///
    /// Fails if there is no setting of a name, or it cannot have that value.
    pub fn apply(
        &self,
        before: &QualitySettings,
        rubric: &Rubric,
        calibration: usize,
    ) -> Result<QualitySettings, AppError> {
        let start = self.preset.map_or(*before, |preset| preset.settings(before, rubric, calibration));
        let after = self.settings.apply(&start)?;
        let needed = if after.calibration == CalibrationMode::MustPass { after.needed } else { 0 };
        Ok(QualitySettings { needed, ..after })
    }
}

impl From<QualitySettingsPatch> for QualityChange {
    fn from(settings: QualitySettingsPatch) -> QualityChange {
        QualityChange { preset: None, settings }
    }
}

/// What the work that quality settings add depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct Workload {
    /// Ratings of the study's outputs that a rater gives, on average; 0 without raters.
    pub ratings: u64,
    /// Whether outputs are rated side by side, where hidden checks do not exist.
    pub side_by_side: bool,
    /// Active known-score items that every rater gets in a calibration, those of both pools included.
    pub calibration: u64,
    /// Active known-score items that come as hidden checks only.
    pub hidden: u64,
    /// Active known-score items of both pools: hidden checks only where there is no calibration.
    pub both: u64,
}

/// Ratings for which the added work is estimated while a study has no raters.
const RATINGS_WITHOUT_RATERS: u64 = 100;

/// The work that quality settings add for a rater: what is expected, since the positions of hidden checks are random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
pub struct ExtraWork {
    /// Ratings of the study's outputs to which it is added.
    pub ratings: u64,
    /// Calibration items.
    pub calibration: u64,
    /// Hidden known-score items.
    pub known: f64,
    /// Repeated outputs.
    pub repeats: f64,
}

impl ExtraWork {
    /// What these settings add. It follows `schedule.rs` of the services, which draws the positions.
    pub fn of(settings: &QualitySettings, load: &Workload) -> ExtraWork {
        let ratings = if load.ratings == 0 { RATINGS_WITHOUT_RATERS } else { load.ratings };
        let (calibration, items) = match settings.calibration {
            CalibrationMode::None => (0, load.hidden + load.both),
            CalibrationMode::MustPass | CalibrationMode::Train => (load.calibration, load.hidden),
        };
        let mut extra = ExtraWork { ratings, calibration, ..ExtraWork::default() };
        if load.side_by_side || !settings.has_hidden_checks() {
            return extra;
        }
        let rate = |every: u32| if every > 1 { 1.0 / f64::from(every) } else { 0.0 };
        let (known_rate, repeat_rate) = (rate(settings.known_item_every), rate(settings.repeat_every));
        // The outputs rated up to each position.
        let mut rated: Vec<f64> = Vec::new();
        let mut work = 0.0;
        while work < ratings as f64 {
            let at = rated.len();
            let known = if at == 0 { 0.0 } else { known_rate.min(items as f64 - extra.known) };
            let old = at.checked_sub(settings.repeat_apart as usize + 1).map_or(0.0, |at| rated[at]);
            let repeat = ((1.0 - known) * repeat_rate).min(old - extra.repeats).max(0.0);
            extra.known += known;
            extra.repeats += repeat;
            work += 1.0 - known - repeat;
            rated.push(work);
        }
        extra
    }

    /// Everything that is added.
    pub fn total(&self) -> f64 {
        self.calibration as f64 + self.known + self.repeats
    }

    /// The added work in percent of the ratings.
    pub fn percent(&self) -> u64 {
        (100.0 * self.total() / self.ratings.max(1) as f64).round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        lang::Bilingual,
        quality::FeedbackLevel,
        rubric::{Dimension, Level},
    };

    fn rubric(highest: u8) -> Rubric {
        let text = Bilingual::default;
        let levels = (1..=highest).map(|score| Level { score, label: text(), text: text() }).collect();
        let key = "correctness".to_owned();
        let dimension = Dimension { key, checklist: false, name: text(), question: text(), levels };
        Rubric { slug: "one".into(), version: 1, instructions: false, dimensions: vec![dimension] }
    }

    #[test]
    fn presets_are_valid_and_recognized_with_every_rubric() {
        for highest in 2..=7 {
            let rubric = rubric(highest);
            for preset in QualityPreset::ALL {
                let settings = preset.settings(&QualitySettings::default(), &rubric, 5);
                settings.check().unwrap();
                assert!(settings.tolerance < rubric.widest() && settings.spread.is_none_or(|s| s < rubric.widest()));
                assert_eq!(QualityPreset::of(&settings, &rubric, 5), Some(preset));
            }
        }
    }

    #[test]
    fn a_preset_keeps_what_is_not_its_business() {
        let before = QualitySettings {
            shown: FeedbackLevel::Own,
            break_minutes: 50,
            due: "2026-12-24".parse().ok(),
            spread: Some(0),
            ..QualitySettings::default()
        };
        let after = QualityPreset::Strict.settings(&before, &rubric(5), 10);
        assert_eq!((after.shown, after.break_minutes, after.due), (before.shown, before.break_minutes, before.due));
        assert_eq!((after.needed, after.spread), (8, Some(1)));
        assert_eq!(QualityPreset::of(&before, &rubric(5), 10), None);
        // Numbers of what is off do not make a setting of its own.
        let off = QualitySettings { fast_limit: 10, limit_window: 20, repeat_apart: 20, ..QualitySettings::default() };
        assert_eq!(QualityPreset::of(&off, &rubric(5), 0), Some(QualityPreset::Off));
    }

    #[test]
    fn a_change_starts_from_the_preset_and_names_what_differs() {
        let change: QualityChange = serde_json::from_str(r#"{"preset": "light", "spread": 1, "due": null}"#).unwrap();
        let before = QualitySettings { tolerance: 1, due: "2026-12-24".parse().ok(), ..QualitySettings::default() };
        let after = change.apply(&before, &rubric(5), 0).unwrap();
        let light = QualityPreset::Light.settings(&before, &rubric(5), 0);
        assert_eq!(after, QualitySettings { spread: Some(1), due: None, ..light });
        let refused = serde_json::from_str::<QualityChange>(r#"{"preset": "harsh"}"#).unwrap_err();
        assert!(refused.to_string().contains("harsh"), "{refused}");
    }

    #[test]
    fn items_are_needed_in_a_calibration_that_must_be_passed_only() {
        let before =
            QualitySettings { calibration: CalibrationMode::MustPass, needed: 3, ..QualitySettings::default() };
        let after = |change: &str| {
            let change: QualityChange = serde_json::from_str(change).unwrap();
            change.apply(&before, &rubric(5), 5).unwrap().needed
        };
        assert_eq!(after(r#"{"tolerance": 1}"#), 3);
        assert_eq!(after(r#"{"calibration": "train"}"#), 0);
        assert_eq!(after(r#"{"calibration": "none", "needed": 4}"#), 0);
    }

    #[test]
    fn extra_work_counts_what_comes() {
        let load = Workload { ratings: 200, calibration: 5, hidden: 4, both: 2, side_by_side: false };
        let of = |settings: QualitySettings, load: Workload| ExtraWork::of(&settings, &load);
        assert_eq!(of(QualitySettings::default(), load).percent(), 0);
        let known = QualitySettings { known_item_every: 10, ..QualitySettings::default() };
        // One in ten of 222 positions, but there are six items; with a calibration, four.
        assert!((of(known, load).known - 6.0).abs() < 1e-9);
        let train = QualitySettings { calibration: CalibrationMode::Train, ..known };
        let extra = of(train, load);
        assert_eq!(extra.calibration, 5);
        assert!((extra.known - 4.0).abs() < 1e-9);
        assert_eq!(extra.percent(), 5);
        let repeats = QualitySettings { repeat_every: 5, ..QualitySettings::default() };
        assert_eq!(of(repeats, load).percent(), 25);
        assert_eq!(of(repeats, Workload { side_by_side: true, ..load }).percent(), 0);
        assert_eq!(of(repeats, Workload::default()).ratings, 100);
        // No output is old enough to come again.
        let far = QualitySettings { repeat_apart: 500, ..repeats };
        assert_eq!(of(far, load).percent(), 0);
    }
}
