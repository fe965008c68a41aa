//! Measures the bootstrap, without a database, and prints the figures as JSON. Built and run by
//! `cargo xtask bench results`.

use std::time::Instant;

use clap::Parser;
use serde::Serialize;
use stats::{
    bootstrap::{Cell, KeyedCells, joint},
    random::Draws,
};

/// Size of the invented study.
#[derive(Parser)]
struct Bench {
    /// Tasks
    #[arg(long, default_value_t = 161)]
    tasks: usize,
    /// Models
    #[arg(long, default_value_t = 5)]
    models: usize,
    /// Ratings of each output
    #[arg(long, default_value_t = 3)]
    raters: usize,
    /// Dimensions
    #[arg(long, default_value_t = 3)]
    dimensions: u64,
    /// Resamples
    #[arg(long, default_value_t = 10_000)]
    resamples: u32,
}

#[derive(Serialize)]
struct Measured {
    tasks: usize,
    models: usize,
    raters: usize,
    dimensions: u64,
    resamples: u32,
    threads: usize,
    seconds: f64,
    /// The first interval, which prevents the compiler from removing the work and lets runs be compared.
    low: f64,
    high: f64,
}

/// Resamples every mean and every difference of every dimension, and prints the duration.
fn main() -> Result<(), serde_json::Error> {
    let bench = Bench::parse();
    // Scores 1 to 4 by a fixed rule; their values do not affect the duration.
    let score = |m: usize, t: usize, r: usize| 1.0 + ((m * 7 + t * 13 + r * 5 + t * t) % 4) as f64;
    let cell = |m: usize, t: usize| -> Cell { (0..bench.raters).map(|r| score(m, t, r)).collect() };
    let cells: Vec<Vec<Cell>> = (0..bench.models).map(|m| (0..bench.tasks).map(|t| cell(m, t)).collect()).collect();
    let scores: Vec<KeyedCells> = cells.iter().zip(1..).map(|(tasks, key)| KeyedCells { key, tasks }).collect();
    let begun = Instant::now();
    let all: Vec<_> = (0..bench.dimensions)
        .map(|figure| joint(&scores, Draws { seed: 1, figure, resamples: bench.resamples }))
        .collect();
    let seconds = begun.elapsed().as_secs_f64();
    let first = all.first().and_then(|j| j.means.first().copied()?.ok()?.interval.ok());
    let (low, high) = first.map_or((0.0, 0.0), |i| (i.low, i.high));
    let measured = Measured {
        tasks: bench.tasks,
        models: bench.models,
        raters: bench.raters,
        dimensions: bench.dimensions,
        resamples: bench.resamples,
        threads: rayon::current_num_threads(),
        seconds,
        low,
        high,
    };
    println!("{}", serde_json::to_string(&measured)?);
    Ok(())
}
