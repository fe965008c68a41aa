//! The number of units per language for each rater when not every rater can be assigned every unit.
//!
//! First in fractions: proportional to the shares set by hand, otherwise equal, capped at what each rater can be
//! assigned. Then in integers, each rounded up or down, as a flow through a network of languages and raters.

use model::{lang::Lang, plan::Reads};

use super::{Impossible, Rater, Unit, flow::Network, place};

/// Each rater's number of English and Chinese units, in the order of `raters`.
///
/// # Errors
/// [`Impossible`] if the raters cannot be assigned all units.
pub fn quotas(units: &[Unit], raters: &[Rater], raters_per_output: u32) -> Result<Vec<[i64; 2]>, Impossible> {
    let mut there = [0_i64; 2];
    for unit in units {
        there[place(unit.nl_lang)] += 1;
    }
    let wanted = there.map(|units| units * i64::from(raters_per_output));
    let readable = |rater: &Rater| -> i64 {
        Lang::ALL.iter().filter(|lang| rater.reads.has(**lang)).map(|lang| there[place(*lang)]).sum()
    };
    let most: Vec<i64> =
        raters.iter().map(|rater| rater.share.map_or(i64::MAX, i64::from).min(readable(rater))).collect();
    let ideal = fractions(raters, &most, wanted);
    for step in 0..3 {
        if let Some(found) = whole(raters, &most, there, wanted, &ideal, step) {
            return Ok(found);
        }
    }
    let shares = most.iter().map(|most| u64::try_from(*most).unwrap_or(0)).sum();
    Err(Impossible::SharesTooSmall { shares, wanted: u64::try_from(wanted.iter().sum::<i64>()).unwrap_or(0) })
}

/// The ideal fractional numbers: every rater's number rises in proportion to their weight, up to their maximum,
/// until all units are assigned.
fn fractions(raters: &[Rater], most: &[i64], wanted: [i64; 2]) -> Vec<[f64; 2]> {
    let only = |lang: Lang| -> Vec<usize> {
        (0..raters.len()).filter(|at| raters[*at].reads == Reads::of(&[lang]).unwrap_or_default()).collect()
    };
    let (en, zh) = (only(Lang::En), only(Lang::Zh));
    let both: Vec<usize> = (0..raters.len()).filter(|at| raters[*at].reads == Reads::BOTH).collect();
    let all: Vec<usize> = (0..raters.len()).collect();
    let risen = rise(raters, most, &all, (wanted[0] + wanted[1]) as f64);
    let asked = |who: &[usize]| who.iter().map(|at| risen[*at]).sum::<f64>();
    let mut given = vec![[0.0; 2]; raters.len()];
    // If raters who read only one language can cover all of it, they share it, and raters who read both get the
    // other language only.
    for (lang, theirs, other) in [(0, &en, &zh), (1, &zh, &en)] {
        if asked(theirs) > wanted[lang] as f64 {
            let first = rise(raters, most, theirs, wanted[lang] as f64);
            let rest: Vec<usize> = other.iter().chain(&both).copied().collect();
            let second = rise(raters, most, &rest, wanted[1 - lang] as f64);
            for at in all {
                given[at][lang] = first[at];
                given[at][1 - lang] = second[at];
            }
            return given;
        }
    }
    let english = (wanted[0] as f64 - asked(&en)) / asked(&both).max(1e-9);
    for at in en {
        given[at][0] = risen[at];
    }
    for at in zh {
        given[at][1] = risen[at];
    }
    for at in both {
        given[at] = [risen[at] * english, risen[at] * (1.0 - english)];
    }
    given
}

/// The numbers at which `who` reach `wanted` together; 0 for the other raters.
fn rise(raters: &[Rater], most: &[i64], who: &[usize], wanted: f64) -> Vec<f64> {
    let at_level = |level: f64, at: usize| (level * raters[at].share.map_or(1.0, f64::from)).min(most[at] as f64);
    let (mut low, mut high) = (0.0, wanted + 1.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if who.iter().map(|at| at_level(middle, *at)).sum::<f64>() < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    let mut given = vec![0.0; raters.len()];
    for at in who {
        given[*at] = at_level(high, *at);
    }
    given
}

/// Integers near `ideal`. Step 0 rounds every number up or down; step 1 rounds only each rater's sum; step 2
/// keeps only the hard bounds.
fn whole(
    raters: &[Rater],
    most: &[i64],
    there: [i64; 2],
    wanted: [i64; 2],
    ideal: &[[f64; 2]],
    step: u32,
) -> Option<Vec<[i64; 2]>> {
    // Tolerance, so that 3.0000001 is not rounded up to 4.
    let near = |x: f64| ((x + 1e-6).floor().max(0.0) as i64, (x - 1e-6).ceil().max(0.0) as i64);
    let (all, langs) = (0, [1, 2]);
    let mut network = Network::new(3 + raters.len());
    let mut cells = Vec::new();
    for (at, rater) in raters.iter().enumerate() {
        for lang in [0, 1] {
            let high = if rater.reads.has(Lang::ALL[lang]) { there[lang] } else { 0 };
            let (low, high) = match near(ideal[at][lang]) {
                (low, most) if step == 0 => (low.min(high), most.min(high)),
                _ => (0, high),
            };
            cells.push(network.edge(langs[lang], 3 + at, low, high));
        }
        let (low, high) = match near(ideal[at][0] + ideal[at][1]) {
            (low, high) if step < 2 => (low.min(most[at]), high.min(most[at])),
            _ => (0, most[at]),
        };
        network.edge(3 + at, all, low, high);
    }
    for lang in [0, 1] {
        network.edge(all, langs[lang], wanted[lang], wanted[lang]);
    }
    let carried = network.circulation()?;
    Some(cells.chunks(2).map(|cell| [carried[cell[0].0], carried[cell[1].0]]).collect())
}
