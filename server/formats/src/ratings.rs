//! Ratings made by another tool, as CSV: a header, then one line per rating. A [`Mapping`] gives the
//! columns; files with the column names of our own export need none (docs/formats.md).

use std::{
    collections::{BTreeMap, HashMap},
    io::{self, BufRead as _, BufReader},
};

use model::{message::Message, problem::Problem, rubric::Rubric, table::TableField, time::Timestamp};

use base::formulas;

use super::{csv_lines::Lines, harness::table::listed, values::Rows};

/// Maximum number of problems that are listed.
pub const MOST_PROBLEMS: usize = 50;
/// Maximum length of comments and names, in characters, as on the grading page.
const LONGEST_COMMENT: usize = 10_000;
const LONGEST_NAME: usize = 80;
/// Maximum file size in bytes. Ratings are in memory until all are matched; a million ratings with short
/// comments have about 120 MB.
pub const LARGEST: u64 = 256 * 1024 * 1024;
/// Maximum number of ratings in a file.
const MOST_RATINGS: usize = 1_000_000;
const SEVERAL_FILES: (&str, &str) = ("Import it as several files", "请分成多个文件导入");

/// Our column names to the file's, where they differ.
pub type Mapping = BTreeMap<String, String>;

/// One rating in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// From 1, including the header.
    pub line: u64,
    /// The task's id in its source.
    pub task_id: String,
    /// The model's name; empty if the file has no such column.
    pub model: String,
    /// Counts from 0.
    pub sample: u32,
    /// The rater; empty if the file has no such column.
    pub rater: String,
    /// One score per dimension.
    pub scores: Vec<u8>,
    /// The rater's comment.
    pub comment: String,
    /// The time of the rating, if the file has it.
    pub at: Option<Timestamp>,
}

/// The content of a file.
#[derive(Debug, Default)]
pub struct Read {
    pub rows: Vec<Row>,
    /// Its problems; a file with problems is not imported.
    pub problems: Vec<Problem>,
    /// The number of problems, including those not listed.
    pub problem_count: u64,
    /// Superseded lines, which are skipped.
    pub replaced: u64,
    /// The file's columns, by name.
    pub columns: Vec<String>,
    /// Our columns, required ones first.
    pub fields: Vec<TableField>,
    /// Unused columns.
    pub unused: Vec<String>,
}

impl Read {
    fn wrong(&mut self, problem: Problem) {
        self.problem_count += 1;
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem);
        }
    }
}

/// Reads a file with a rubric. `judge`: the scores of one judge model, which need no column for the rater.
#[allow(clippy::too_many_lines, reason = "one pass over a file, whose checks share its position")]
pub fn read(name: &str, input: impl io::Read, rubric: &Rubric, mapping: &Mapping, judge: bool) -> Read {
    let mut found = Read::default();
    let mut limited = BufReader::new(input.take(LARGEST + 1));
    // Excel writes a byte order mark at the start of UTF-8 files.
    if limited.fill_buf().is_ok_and(|bytes| bytes.starts_with(b"\xef\xbb\xbf")) {
        limited.consume(3);
    }
    let lines = Lines::of(limited.fill_buf().unwrap_or_default());
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(Rows::of(limited, b','));
    let head = match reader.headers() {
        Ok(head) if !head.iter().all(str::is_empty) => head.clone(),
        Ok(_) => {
            found.wrong(Problem::new(
                name,
                ("the file is empty", "文件为空"),
                ("Upload a CSV file with a header and one line per rating", "请上传带表头、每行一条评分的 CSV 文件"),
            ));
            return found;
        }
        Err(e) => {
            found.wrong(Problem::new(
                name,
                (format!("the header cannot be read ({e})"), format!("无法读取表头（{e}）")),
                ("Save the file as CSV in UTF-8", "请保存为 UTF-8 编码的 CSV"),
            ));
            return found;
        }
    };
    let places: HashMap<&str, usize> = head.iter().enumerate().map(|(at, name)| (name.trim(), at)).collect();
    let keys: Vec<&str> = rubric.dimensions.iter().map(|d| d.key.as_str()).collect();
    let needed: Vec<&str> =
        ["task_id", "model"].into_iter().chain((!judge).then_some("rater")).chain(keys.iter().copied()).collect();
    let optional = ["rater", "sample", "comment", "rated_at", "replaced_at"];
    for own in mapping.keys() {
        if !needed.contains(&own.as_str()) && !optional.contains(&own.as_str()) {
            let known = needed.iter().chain(&optional).copied().collect::<Vec<_>>().join(", ");
            found.wrong(Problem::new(
                name,
                (format!("\"{own}\" is not a known column"), format!("“{own}”不是已知的列")),
                (format!("Choose from: {known}"), format!("请选择：{known}")),
            ));
        }
    }
    let column = |own: &str| places.get(mapping.get(own).map_or(own, String::as_str)).copied();
    found.columns = head.iter().map(|name| name.trim().to_owned()).collect();
    let others = optional.iter().filter(|own| !needed.contains(own));
    let fields = needed.iter().map(|own| (own, true)).chain(others.map(|own| (own, false)));
    found.fields = fields
        .map(|(own, needed)| TableField {
            name: (*own).to_owned(),
            needed,
            column: column(own).and_then(|at| found.columns.get(at).cloned()),
        })
        .collect();
    let known = listed(head.iter());
    for own in &needed {
        if column(own).is_none() {
            let called = mapping.get(*own).map_or(*own, String::as_str);
            found.wrong(
                Problem::new(
                    name,
                    (format!("the column \"{called}\" for {own} is missing"), format!("缺少对应 {own} 的列“{called}”")),
                    (format!("Choose one of the columns of the file: {known}"), format!("请从文件的列中选择：{known}")),
                )
                .at(1),
            );
        }
    }
    if found.problem_count > 0 {
        return found;
    }
    let used: Vec<usize> = needed.iter().chain(&optional).filter_map(|own| column(own)).collect();
    found.unused =
        head.iter().enumerate().filter(|(at, _)| !used.contains(at)).map(|(_, name)| name.to_owned()).collect();
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(e) => {
                let line = lines.at(e.position());
                let what = match e.is_io_error() {
                    true => (format!("the file cannot be read ({e})"), format!("无法读取文件（{e}）")),
                    false => ("the line is not valid CSV in UTF-8".into(), "该行不是有效的 UTF-8 CSV".into()),
                };
                let remedy =
                    ("Save the file as CSV in UTF-8 and upload it again", "请保存为 UTF-8 编码的 CSV 后重新上传");
                found.wrong(Problem::new(name, what, remedy).at(line));
                continue;
            }
        };
        let line = lines.at(record.position());
        if record.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        let field = |own: &str| column(own).and_then(|at| record.get(at)).unwrap_or("").trim();
        if !field("replaced_at").is_empty() {
            found.replaced += 1;
            continue;
        }
        if found.rows.len() == MOST_RATINGS {
            let what = (
                format!("the file has more than {MOST_RATINGS} ratings"),
                format!("文件中的评分超过 {MOST_RATINGS} 条"),
            );
            found.wrong(Problem::new(name, what, SEVERAL_FILES));
            break;
        }
        match row(line, rubric, &field, judge) {
            Ok(row) => found.rows.push(row),
            Err((what, remedy)) => found.wrong(Problem::new(name, what, remedy).at(line)),
        }
    }
    if reader.get_ref().inner.get_ref().limit() == 0 {
        let mib = LARGEST / 1024 / 1024;
        let what = (format!("the file is larger than {mib} MiB"), format!("文件超过 {mib} MiB"));
        found.wrong(Problem::new(name, what, SEVERAL_FILES));
    }
    if found.rows.is_empty() && found.problem_count == 0 {
        found.wrong(Problem::new(
            name,
            ("the file contains no ratings", "文件中没有评分"),
            ("Upload a CSV file with a header and one line per rating", "请上传带表头、每行一条评分的 CSV 文件"),
        ));
    }
    found
}

/// The problem of a row and its fix.
type Wrong = (Message, Message);

fn row<'a>(line: u64, rubric: &Rubric, field: &impl Fn(&str) -> &'a str, judge: bool) -> Result<Row, Wrong> {
    let text = |own: &str, longest: usize| -> Result<String, Wrong> {
        let text = field(own);
        let text = formulas::unguarded(text);
        if text.chars().count() > longest {
            return Err((
                (format!("{own} is longer than {longest} characters"), format!("{own} 超过 {longest} 字")).into(),
                ("Shorten it", "请缩短").into(),
            ));
        }
        Ok(text.to_owned())
    };
    let given = |own: &str| -> Result<String, Wrong> {
        match text(own, LONGEST_NAME)? {
            empty if empty.is_empty() => Err((
                (format!("{own} is empty"), format!("{own} 为空")).into(),
                ("Fill it in, or remove the line", "请填写，或删除该行").into(),
            )),
            text => Ok(text),
        }
    };
    let scores = rubric.dimensions.iter().map(|d| {
        let said = field(&d.key);
        let (low, high) = d.range();
        // Spreadsheets write 3 as 3.0.
        let score = said.strip_suffix(".0").unwrap_or(said).parse::<u8>().ok().filter(|score| d.has(*score));
        let remedy =
            || (format!("Enter a whole number from {low} to {high}"), format!("请填写 {low} 到 {high} 的整数")).into();
        score.ok_or_else(|| -> Wrong {
            (
                (format!("\"{said}\" is not a score of {}", d.key), format!("“{said}”不是 {} 的有效分数", d.key))
                    .into(),
                remedy(),
            )
        })
    });
    let sample = match field("sample") {
        "" => 0,
        said => said.parse().map_err(|_| -> Wrong {
            (
                (format!("\"{said}\" is not a sample number"), format!("“{said}”不是有效的样本编号")).into(),
                ("Enter a whole number, starting with 0", "请填写从 0 开始的整数").into(),
            )
        })?,
    };
    let at = match field("rated_at") {
        "" => None,
        said => Some(time(said).ok_or_else(|| -> Wrong {
            (
                (format!("\"{said}\" is not a valid time"), format!("“{said}”不是有效的时间")).into(),
                ("Write it as 2026-11-21T03:20:00Z, or leave it empty", "请写成 2026-11-21T03:20:00Z 的形式，或留空")
                    .into(),
            )
        })?),
    };
    Ok(Row {
        line,
        task_id: given("task_id")?,
        model: given("model")?,
        sample,
        rater: if judge { String::new() } else { given("rater")? },
        scores: scores.collect::<Result<_, _>>()?,
        comment: text("comment", LONGEST_COMMENT)?,
        at,
    })
}

/// `2026-11-21T03:20:00Z`, also with a space instead of the T, without seconds or the Z, or a day alone: all
/// in UTC.
fn time(text: &str) -> Option<Timestamp> {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (day, clock) = text.split_once(['T', ' ']).unwrap_or((text, "00:00"));
    let numbers = |text: &str, mark: char| text.split(mark).map(|n| n.parse::<u16>().ok()).collect::<Option<Vec<_>>>();
    let [year, month, day] = numbers(day, '-')?[..] else { return None };
    // Fractions of a second are dropped.
    let clock = numbers(clock.split('.').next()?, ':')?;
    let (hour, minute, second) = match clock[..] {
        [hour, minute] => (hour, minute, 0),
        [hour, minute, second] => (hour, minute, second),
        _ => return None,
    };
    let small = |n: u16| u8::try_from(n).ok();
    let month = time::Month::try_from(small(month)?).ok()?;
    let date = time::Date::from_calendar_date(i32::from(year), month, small(day)?).ok()?;
    let at = date.with_hms(small(hour)?, small(minute)?, small(second)?).ok()?;
    Some(Timestamp(at.assume_utc().unix_timestamp() * 1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, mapping: &[(&str, &str)], judge: bool) -> Read {
        let rubric: Rubric = crate::bundled::rubric().unwrap();
        let mapping = mapping.iter().map(|(own, theirs)| ((*own).to_owned(), (*theirs).to_owned())).collect();
        read("r.csv", text.as_bytes(), &rubric, &mapping, judge)
    }

    const HEAD: &str = "task_id,model,rater,correctness,code_quality,maintainability";

    #[test]
    fn columns_are_read_by_our_names_or_mapped() {
        let ours = of(&format!("\u{feff}{HEAD},comment\n7,m,ann,4,3.0,5,\"a, b\n中文\"\n"), &[], false);
        assert_eq!((ours.problem_count, ours.rows.len()), (0, 1), "{:?}", ours.problems);
        let row = &ours.rows[0];
        assert_eq!((row.line, row.scores.as_slice(), row.comment.as_str()), (2, [4, 3, 5].as_slice(), "a, b\n中文"));
        let theirs = of(
            "Nr,System,Who,Korrekt,Q,M,x\n7,m,ann,4,3,5,\n",
            &[
                ("task_id", "Nr"),
                ("model", "System"),
                ("rater", "Who"),
                ("correctness", "Korrekt"),
                ("code_quality", "Q"),
                ("maintainability", "M"),
            ],
            false,
        );
        assert_eq!((theirs.rows.len(), theirs.unused), (1, vec!["x".to_owned()]));
        // A judge needs no rater; replaced lines are skipped.
        let judged = of(
            "task_id,model,correctness,code_quality,maintainability,replaced_at\n1,m,1,1,1,\n1,m,2,2,2,2026-01-01T00:00:00Z\n",
            &[],
            true,
        );
        assert_eq!((judged.rows.len(), judged.replaced), (1, 1));
    }

    #[test]
    fn times_are_parsed_as_utc() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(time(text).map(Timestamp::rfc3339).as_deref(), expected, "{text}");
        };
        check("2026-11-21T03:20:00Z", Some("2026-11-21T03:20:00Z"));
        check("2026-11-21 03:20", Some("2026-11-21T03:20:00Z"));
        check("2026-11-21 03:20:07.25", Some("2026-11-21T03:20:07Z"));
        check("2026-11-21", Some("2026-11-21T00:00:00Z"));
        check("2026-02-30", None);
        check("21.11.2026", None);
        check("2026-11-21T25:00", None);
    }

    #[test]
    fn every_invalid_line_is_named() {
        let check = |text: String, mapping: &[(&str, &str)], word: &str| {
            let found = of(&text, mapping, false);
            let told: Vec<String> = found.problems.iter().map(ToString::to_string).collect();
            assert!(told.iter().any(|told| told.contains(word)), "{word}: {told:?}");
        };
        check(String::new(), &[], "empty");
        check(format!("{HEAD}\n"), &[], "no ratings");
        check("task_id,model\n1,m\n".into(), &[], "the column \"rater\" for rater is missing");
        check(format!("{HEAD}\n1,m,ann,5,3,5\n"), &[], "line 2: \"5\" is not a score of correctness");
        check(format!("{HEAD}\n1,m,ann,4,3,5\n2,m,,4,3,5\n"), &[], "line 3: rater is empty");
        check(format!("{HEAD},rated_at\n1,m,ann,4,3,5,yesterday\n"), &[], "not a valid time");
        check(format!("{HEAD},sample\n1,m,ann,4,3,5,-1\n"), &[], "not a sample number");
        check(format!("{HEAD}\n1,m,ann,4,3,5\n"), &[("beauty", "x")], "not a known column");
        check(format!("{HEAD}\n1,m,ann,4\n"), &[], "\"\" is not a score of code_quality");
        let many = format!("{HEAD}\n{}", "1,m,ann,9,9,9\n".repeat(80));
        let found = of(&many, &[], false);
        assert_eq!((found.problems.len(), found.problem_count), (MOST_PROBLEMS, 80));
    }
}
