//! `cargo xtask bench growth`: a data folder after five years of a busy laboratory: 100 datasets, 50 studies, 200 raters,
//! 2,000,000 ratings and 20,000,000 verdicts. Measures the start, every page, a backup, `prune` and archiving.
//!
//! `server/benches/fill.rs` fills the folder. Pages are found as a person finds them, by following the links of others,
//! up to [`INSTANCES`] of each route; routes that no link leads to are listed.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use clap::Args;

use super::{
    Report, Target,
    results::{Person, Server},
};
use crate::{server, tools};

/// Options of the benchmark.
#[derive(Args)]
pub struct Options {
    /// A data folder that an earlier measurement filled, to save filling it again; it is changed by `prune` and archiving
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The program to measure [default: an optimized build of this checkout]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Datasets
    #[arg(long, default_value_t = 100)]
    datasets: u32,
    /// Tasks of each dataset; with 80 instead of 800, everything is a tenth
    #[arg(long, default_value_t = 800)]
    tasks: u32,
    /// Studies, each with five ratings of every output of a dataset
    #[arg(long, default_value_t = 50)]
    studies: u32,
    /// Raters
    #[arg(long, default_value_t = 200)]
    raters: u32,
    /// Models
    #[arg(long, default_value_t = 10)]
    models: u32,
    /// Runs of each model on each dataset
    #[arg(long, default_value_t = 25)]
    runs: u32,
}

/// Pages of one route that are measured.
const INSTANCES: usize = 3;
/// Requests per page.
const TIMES: usize = 5;

/// Measures.
pub fn run(options: &Options) -> Result<Report> {
    let program = match &options.program {
        Some(program) => program.canonicalize().with_context(|| program.display().to_string())?,
        None => super::release_server()?,
    };
    let scratch = tempfile::tempdir()?;
    let data = options.data.clone().unwrap_or_else(|| scratch.path().join("data"));
    let mut report = Report::new("Five years of a busy laboratory");
    if !data.join(DATABASE).is_file() {
        fill(options, &data, &mut report)?;
    }
    report.figure("database", fs::metadata(data.join(DATABASE))?.len() as f64 / 1e6, "MB");
    let mut starts = Vec::new();
    for _ in 0..3 {
        let begun = Instant::now();
        let server = Server::start(&program, &data)?;
        server.get("/healthz", "")?;
        starts.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    report.promised("start until the first answer, slowest of 3", max(&starts), "ms", Target::AtMost(1000.0));
    let unreached = {
        let server = Server::start(&program, &data)?;
        let patterns = patterns()?;
        let mut pages = Pages::new(&patterns);
        pages.crawl(&server, Person::Admin, "/admin")?;
        pages.crawl(&server, Person::Rater, "/my-studies")?;
        for (pattern, seen) in &pages.seen {
            let Slow { median, first, address } = seen;
            report.promised(format!("{pattern}: median"), *median, "ms", Target::AtMost(100.0));
            if *first > 100.0 {
                report.figure(format!("{pattern}: first answer, {address}"), *first, "ms");
            }
        }
        patterns.iter().filter(|pattern| !pages.seen.contains_key(*pattern)).cloned().collect::<Vec<_>>()
    };
    let file = scratch.path().join("backup.tar");
    let shown = file.to_string_lossy().into_owned();
    let took = timed(&program, &data, &["backup", &shown])?;
    report.promised("backup to a file, read back", took.as_secs_f64(), "s", Target::AtMost(600.0));
    fs::remove_file(&file)?;
    report.figure("prune --dry-run", timed(&program, &data, &["prune", "--dry-run"])?.as_secs_f64(), "s");
    report.figure("prune", timed(&program, &data, &["prune"])?.as_secs_f64(), "s");
    for object in [["study", "2"], ["submission", "4"], ["dataset", "bench"]] {
        let [kind, key] = object;
        let took = timed(&program, &data, &["objects", "archive", kind, key])?.as_secs_f64();
        report.promised(format!("archive a {kind}"), took, "s", Target::AtMost(1.0));
        timed(&program, &data, &["objects", "unarchive", kind, key])?;
    }
    report.note(format!(
        "The pages are whole HTML pages over HTTP on loopback, uncompressed; of each route up to {INSTANCES} pages were \
         requested {TIMES} times after the first, and the slowest page counts."
    ));
    report.note(format!("Routes that no link of these pages leads to: {}", unreached.join(", ")));
    Ok(report)
}

const DATABASE: &str = "aixgrade.sqlite3";

fn fill(options: &Options, data: &Path, report: &mut Report) -> Result<()> {
    tools::say_aside("Filling a database (minutes)");
    let begun = Instant::now();
    let Options { datasets, tasks, studies, raters, models, runs, .. } = options;
    let sizes = [
        ("--datasets", datasets),
        ("--tasks", tasks),
        ("--studies", studies),
        ("--raters", raters),
        ("--models", models),
        ("--runs", runs),
    ];
    let mut fill = Command::new(server::bench("fill")?);
    fill.arg("--data").arg(data).args(sizes.iter().flat_map(|(name, size)| [(*name).to_owned(), size.to_string()]));
    let said = tools::run_quietly(&mut fill).context("filling failed")?;
    tools::say_aside(said.trim());
    report.note(format!("{}, inserted in {:.0} s", said.trim(), begun.elapsed().as_secs_f64()));
    Ok(())
}

fn max(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NAN, f64::max)
}

/// Time of a command.
fn timed(program: &Path, data: &Path, args: &[&str]) -> Result<Duration> {
    let begun = Instant::now();
    tools::run_quietly(Command::new(program).arg("--data").arg(data).args(args))?;
    Ok(begun.elapsed())
}

/// The addresses of all pages as the application lists them, with `:name` for a part that varies.
fn patterns() -> Result<Vec<String>> {
    let text = fs::read_to_string(tools::root().join("app/src/routes.rs"))?;
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix('"')?.split_once("\" => "));
    Ok(lines.map(|(pattern, _)| pattern.to_owned()).collect())
}

/// The route of an address.
fn pattern_of<'a>(patterns: &'a [String], address: &str) -> Option<&'a String> {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    if let Some(exact) = patterns.iter().find(|pattern| *pattern == path) {
        return Some(exact);
    }
    let fits = |pattern: &&String| {
        let (known, given): (Vec<_>, Vec<_>) = (pattern.split('/').collect(), path.split('/').collect());
        known.len() == given.len() && known.iter().zip(&given).all(|(k, g)| k == g || k.starts_with(':'))
    };
    patterns.iter().find(fits)
}

/// The slowest page of a route.
struct Slow {
    median: f64,
    first: f64,
    address: String,
}

struct Pages<'a> {
    patterns: &'a [String],
    seen: BTreeMap<String, Slow>,
}

impl<'a> Pages<'a> {
    fn new(patterns: &'a [String]) -> Pages<'a> {
        Pages { patterns, seen: BTreeMap::new() }
    }

    /// Follows links from a page, and measures what it finds.
    fn crawl(&mut self, server: &Server, person: Person, from: &str) -> Result<()> {
        let cookie = server.log_in(person)?;
        let (mut queue, mut known) = (VecDeque::from([from.to_owned()]), BTreeSet::from([from.to_owned()]));
        let mut instances: BTreeMap<&String, usize> = BTreeMap::new();
        while let Some(address) = queue.pop_front() {
            let Some(pattern) = pattern_of(self.patterns, &address) else { continue };
            let count = instances.entry(pattern).or_default();
            *count += 1;
            if *count > INSTANCES {
                continue;
            }
            // Pages that redirect, such as the one with the next output, lead to others.
            let Ok((first, body)) = server.get(&address, &cookie) else { continue };
            let mut times = Vec::new();
            for _ in 0..TIMES {
                times.push(server.get(&address, &cookie)?.0.as_secs_f64() * 1e3);
            }
            times.sort_by(f64::total_cmp);
            let (median, first) = (times[times.len() / 2], first.as_secs_f64() * 1e3);
            match self.seen.get_mut(pattern) {
                Some(slow) if slow.median >= median => slow.first = slow.first.max(first),
                _ => {
                    let first = self.seen.get(pattern).map_or(first, |slow| slow.first.max(first));
                    self.seen.insert(pattern.clone(), Slow { median, first, address: address.clone() });
                }
            }
            for link in links(&body) {
                if known.insert(link.clone()) {
                    queue.push_back(link);
                }
            }
        }
        if self.seen.is_empty() {
            bail!("{from} cannot be opened");
        }
        Ok(())
    }
}

/// The addresses on this server that a page links to.
fn links(body: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(body);
    let hrefs = text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    hrefs.filter(|href| href.starts_with('/')).map(|href| href.replace("&amp;", "&")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_the_route_of_the_application() {
        let patterns = patterns().unwrap();
        assert!(patterns.len() > 50, "{}", patterns.len());
        let check = |address, pattern: Option<&str>| {
            assert_eq!(pattern_of(&patterns, address).map(String::as_str), pattern, "{address}");
        };
        check("/admin", Some("/admin"));
        check("/admin/studies?sort=title", Some("/admin/studies"));
        check("/admin/studies/new", Some("/admin/studies/new"));
        check("/admin/studies/7", Some("/admin/studies/:id"));
        check("/admin/studies/7/ratings#top", Some("/admin/studies/:id/ratings"));
        check("/admin/runs/3/results.csv", None);
        check("/log-out", None);
    }

    #[test]
    fn links_are_addresses_on_this_server() {
        let page = br#"<a href="/admin">x</a><a href="https://example.org">y</a><a href="/a?b=1&amp;c=2">z</a>"#;
        assert_eq!(links(page), ["/admin", "/a?b=1&c=2"]);
    }
}
