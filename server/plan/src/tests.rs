//! Properties that every plan must have.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

/// Tasks with outputs of some models; every third task is Chinese.
fn study(tasks: i64, models: i64, holes: &[bool]) -> Vec<Unit> {
    let mut hole = holes.iter().cycle();
    (0..tasks)
        .flat_map(|task| (0..models).map(move |model| (task, model)))
        .filter(|_| !hole.next().copied().unwrap_or(false))
        .map(|(task, model)| Unit {
            id: task * 100 + model,
            task,
            model,
            nl_lang: if task % 3 == 2 { Lang::Zh } else { Lang::En },
        })
        .collect()
}

fn rater(id: i64, reads: Reads, share: Option<u32>) -> Rater {
    Rater { id, reads, share }
}

/// Each rater's number of units of each kind, 0 included.
fn counts<K: Ord>(
    given: &[Given],
    units: &[Unit],
    raters: &[Rater],
    kind: impl Fn(&Unit) -> K,
) -> BTreeMap<K, Vec<u64>> {
    let known: HashMap<i64, &Unit> = units.iter().map(|unit| (unit.id, unit)).collect();
    let at: HashMap<i64, usize> = raters.iter().enumerate().map(|(at, rater)| (rater.id, at)).collect();
    let mut counts: BTreeMap<K, Vec<u64>> = BTreeMap::new();
    for one in given {
        counts.entry(kind(known[&one.unit])).or_insert_with(|| vec![0; raters.len()])[at[&one.rater]] += 1;
    }
    counts
}

fn widest<K: Ord>(counts: &BTreeMap<K, Vec<u64>>) -> u64 {
    counts.values().map(|row| row.iter().max().unwrap() - row.iter().min().unwrap()).max().unwrap_or(0)
}

/// Every unit has `raters_per_output` different raters in slots 0.., who read its language; orders have no gaps.
fn sound(given: &[Given], units: &[Unit], raters: &[Rater], raters_per_output: u32) {
    let mut slots: BTreeMap<i64, BTreeSet<u32>> = BTreeMap::new();
    let mut pairs = BTreeSet::new();
    let mut places: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for one in given {
        assert!(pairs.insert((one.unit, one.rater)), "{one:?} twice");
        assert!(slots.entry(one.unit).or_default().insert(one.slot), "slot of {one:?} twice");
        places.entry(one.rater).or_default().push(one.place);
        let unit = units.iter().find(|unit| unit.id == one.unit).unwrap();
        assert!(raters.iter().find(|r| r.id == one.rater).unwrap().reads.has(unit.nl_lang), "{one:?} is not read");
    }
    for unit in units {
        let all: BTreeSet<u32> = (0..raters_per_output).collect();
        assert_eq!(slots.get(&unit.id), Some(&all), "{unit:?}");
    }
    for mut order in places.into_values() {
        order.sort_unstable();
        assert_eq!(order, (1..=order.len() as i64).collect::<Vec<_>>());
    }
}

/// What is compared before the end is mostly paired: while raters go on at the same pace, few tasks have ratings of some
/// of their outputs only. If every rater had the outputs in any order, nearly all tasks would.
#[test]
fn tasks_are_completed_a_few_at_a_time() {
    let (units, k) = (study(90, 3, &[false]), 2);
    let task: HashMap<i64, i64> = units.iter().map(|unit| (unit.id, unit.task)).collect();
    for (n, seed) in (2..6).flat_map(|n| (0..6).map(move |seed| (n, seed))) {
        let raters: Vec<_> = (1..=n).map(|id| rater(id, Reads::BOTH, None)).collect();
        let given = make(&units, &raters, k, seed).unwrap();
        let (mut load, mut all) = (HashMap::<i64, i64>::new(), HashMap::<i64, usize>::new());
        for one in &given {
            *load.entry(one.rater).or_default() += 1;
            *all.entry(task[&one.unit]).or_default() += 1;
        }
        for percent in 1..100 {
            let mut done: HashMap<i64, usize> = HashMap::new();
            for one in given.iter().filter(|one| one.place * 100 <= load[&one.rater] * percent) {
                *done.entry(task[&one.unit]).or_default() += 1;
            }
            let begun = done.iter().filter(|(task, done)| **done < all[task]).count();
            assert!(begun <= 90 / 3, "{begun} tasks are begun at {percent} %, {n} raters, seed {seed}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn equal_raters_differ_by_at_most_one(
        tasks in 1_i64..30, models in 1_i64..6, holes in prop::collection::vec(prop::bool::weighted(0.2), 1..30),
        n in 1_i64..9, k in 1_u32..5, seed: u64,
    ) {
        let units = study(tasks, models, &holes);
        let raters: Vec<_> = (1..=n).map(|id| rater(id, Reads::BOTH, None)).collect();
        let raters_per_output = k.min(n as u32);
        let given = make(&units, &raters, raters_per_output, seed).unwrap();
        sound(&given, &units, &raters, raters_per_output);
        prop_assert!(widest(&counts(&given, &units, &raters, |_| ())) <= 1);
        prop_assert!(widest(&counts(&given, &units, &raters, |unit| unit.model)) <= 1);
        prop_assert!(widest(&counts(&given, &units, &raters, |unit| place(unit.nl_lang))) <= 1);
        prop_assert!(widest(&counts(&given, &units, &raters, |unit| unit.task)) <= 1);
        // The order of the arguments does not matter.
        let (mut units, mut raters) = (units, raters);
        units.reverse();
        raters.reverse();
        prop_assert_eq!(make(&units, &raters, raters_per_output, seed).unwrap(), given);
    }

    #[test]
    fn raters_get_only_languages_they_read(
        tasks in 3_i64..30, models in 1_i64..5, en in 0_usize..4, zh in 0_usize..4, both in 0_usize..4,
        raters_per_output in 1_u32..4, seed: u64,
    ) {
        let units = study(tasks, models, &[false]);
        let langs = [Reads::of(&[Lang::En]).unwrap(), Reads::of(&[Lang::Zh]).unwrap(), Reads::BOTH];
        let all = [en, zh, both].into_iter().zip(langs).flat_map(|(n, reads)| std::iter::repeat_n(reads, n));
        let raters: Vec<_> = (1..).zip(all).map(|(id, reads)| rater(id, reads, None)).collect();
        let made = make(&units, &raters, raters_per_output, seed);
        let short = (en + both).min(zh + both) < raters_per_output as usize;
        prop_assert_eq!(made.is_err(), short);
        if let Ok(given) = made {
            sound(&given, &units, &raters, raters_per_output);
            // Raters who read the same languages differ by at most one, in total and per language.
            for reads in langs {
                let alike: Vec<_> = raters.iter().filter(|r| r.reads == reads).copied().collect();
                let theirs: Vec<_> = given.iter().filter(|g| alike.iter().any(|r| r.id == g.rater)).copied().collect();
                prop_assert!(widest(&counts(&theirs, &units, &alike, |_| ())) <= 1);
                prop_assert!(widest(&counts(&theirs, &units, &alike, |unit| place(unit.nl_lang))) <= 1);
            }
        }
    }

    #[test]
    fn manual_shares_are_respected(
        tasks in 2_i64..20, models in 1_i64..4, shares in prop::collection::vec(0_u32..60, 1..7),
        raters_per_output in 1_u32..4, seed: u64,
    ) {
        let units = study(tasks, models, &[false]);
        let raters: Vec<_> = (1..).zip(&shares).map(|(id, share)| rater(id, Reads::BOTH, Some(*share))).collect();
        let wanted = units.len() as u64 * u64::from(raters_per_output);
        let room: u64 = shares.iter().map(|share| u64::from(*share).min(units.len() as u64)).sum();
        match make(&units, &raters, raters_per_output, seed) {
            Ok(given) => {
                sound(&given, &units, &raters, raters_per_output);
                for rater in &raters {
                    let has = given.iter().filter(|g| g.rater == rater.id).count() as u64;
                    prop_assert!(has <= u64::from(rater.share.unwrap()));
                    if room == wanted {
                        prop_assert_eq!(has, u64::from(rater.share.unwrap()).min(units.len() as u64));
                    }
                }
            }
            Err(Impossible::SharesTooSmall { .. }) => prop_assert!(room < wanted),
            Err(Impossible::TooFewReaders { readers, .. }) => prop_assert!(readers < raters_per_output as usize),
        }
    }

    #[test]
    fn free_units_go_to_eligible_raters(
        tasks in 1_i64..20, models in 1_i64..4, n in 2_i64..7, k in 1_u32..4, gone in 0_usize..7, seed: u64,
    ) {
        let units = study(tasks, models, &[false]);
        let known: HashMap<i64, Unit> = units.iter().map(|unit| (unit.id, *unit)).collect();
        let raters: Vec<_> = (1..=n).map(|id| rater(id, Reads::BOTH, None)).collect();
        let raters_per_output = k.min(n as u32);
        let given = make(&units, &raters, raters_per_output, seed).unwrap();
        let gone = raters[gone % raters.len()].id;
        let free: Vec<Unit> = given.iter().filter(|g| g.rater == gone).map(|g| known[&g.unit]).collect();
        let mut standings: Vec<Standing> = raters.iter().filter(|r| r.id != gone).map(|rater| {
            let has: HashSet<i64> = given.iter().filter(|g| g.rater == rater.id).map(|g| g.unit).collect();
            Standing { rater: *rater, open: has.len() as u64, has }
        }).collect();
        let before: Vec<_> = standings.clone();
        let found = share_out(&free, &known, &mut standings, seed);
        for (unit, to) in free.iter().zip(&found) {
            let may = before.iter().filter(|s| !s.has.contains(&unit.id)).count();
            prop_assert_eq!(to.is_some(), may > 0);
        }
        let all: u64 = standings.iter().map(|s| s.open).sum();
        let placed = found.iter().flatten().count() as u64;
        prop_assert_eq!(all, before.iter().map(|s| s.open).sum::<u64>() + placed);

        // A new rater takes over until they have as much as the others, and no unit twice.
        let waiting: Vec<(Unit, Option<i64>)> = standings.iter()
            .flat_map(|s| { let mut has: Vec<_> = s.has.iter().copied().collect(); has.sort_unstable(); has.into_iter().map(|id| (known[&id], Some(s.rater.id))).collect::<Vec<_>>() })
            .chain(free.iter().zip(&found).filter(|(_, to)| to.is_none()).map(|(unit, _)| (*unit, None)))
            .collect();
        let open: HashMap<i64, u64> = standings.iter().map(|s| (s.rater.id, s.open)).collect();
        let joins = Standing { rater: rater(99, Reads::BOTH, None), has: HashSet::new(), open: 0 };
        let taken = newcomer(&waiting, &open, &joins, seed);
        let different: BTreeSet<i64> = taken.iter().map(|at| waiting[*at].0.id).collect();
        prop_assert_eq!(different.len(), taken.len());
        let mut after = open;
        for at in &taken {
            if let Some(whose) = waiting[*at].1 {
                *after.get_mut(&whose).unwrap() -= 1;
            }
        }
        // No rater with units to give has two more than the new rater.
        for (whose, theirs) in &after {
            let could = waiting.iter().enumerate().any(|(at, (unit, w))| *w == Some(*whose) && !taken.contains(&at) && !different.contains(&unit.id));
            prop_assert!(!could || *theirs <= taken.len() as u64 + 1);
        }
    }
}

#[test]
fn large_study_is_planned() {
    let units = study(2000, 5, &[false]);
    let raters: Vec<_> = (1..=20).map(|id| rater(id, Reads::BOTH, None)).collect();
    let given = make(&units, &raters, 3, 7).unwrap();
    assert_eq!(given.len(), 30_000);
    assert!(widest(&counts(&given, &units, &raters, |unit| unit.model)) <= 1);
    // Units of one task are never close for any rater.
    for who in &raters {
        let mut own: Vec<_> = given.iter().filter(|g| g.rater == who.id).collect();
        own.sort_unstable_by_key(|g| g.place);
        for pair in own.windows(APART) {
            let tasks: BTreeSet<i64> = pair.iter().map(|g| g.unit / 100).collect();
            assert_eq!(tasks.len(), APART);
        }
    }
}
