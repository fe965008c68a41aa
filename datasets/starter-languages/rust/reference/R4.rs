use std::collections::BTreeSet;

fn second_largest(numbers: Vec<i32>, missing: i32) -> i32 {
    let different: BTreeSet<i32> = numbers.into_iter().collect();
    different.into_iter().rev().nth(1).unwrap_or(missing)
}
