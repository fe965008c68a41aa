//! The rubric in the published wording, read from the two READMEs of an AixBench checkout.
//!
//! Tolerates layout but never guesses: if a dimension, a level or a language is missing, the bundled rubric
//! is used, and the reason is reported.

use model::{
    lang::Bilingual,
    rubric::{Dimension, Level, Rubric},
};

/// Slug of a rubric that was read from a checkout: its versions differ from those of the bundled rubric,
/// whose wording differs.
pub const SLUG: &str = "aixbench-published";

/// The dimensions: key, then the headings in English and Chinese.
const DIMENSIONS: [(&str, &str, &str); 3] = [
    ("correctness", "Correctness", "正确性"),
    ("code_quality", "Code Quality", "代码质量"),
    ("maintainability", "Maintainability", "可维护性"),
];

/// The rubric of a checkout's READMEs.
///
/// # Errors
///
/// The missing part, as a sentence without its full stop.
pub fn read(english: &str, chinese: &str) -> Result<Rubric, String> {
    let mut dimensions = Vec::new();
    for (key, en, zh) in DIMENSIONS {
        let english = levels(english, en).map_err(|why| format!("{why} in the English README"))?;
        let chinese = levels(chinese, zh).map_err(|why| format!("{why} in the Chinese README"))?;
        if english.iter().map(|(score, _)| score).ne(chinese.iter().map(|(score, _)| score)) {
            return Err(format!("the levels of \"{en}\" differ between the two READMEs"));
        }
        let levels = english.into_iter().zip(chinese).map(|((score, en), (_, zh))| Level {
            score,
            label: Bilingual::default(),
            text: Bilingual { en, zh },
        });
        dimensions.push(Dimension {
            checklist: false,
            key: key.into(),
            name: Bilingual { en: en.into(), zh: zh.into() },
            question: Bilingual::default(),
            levels: levels.collect(),
        });
    }
    let rubric = Rubric { slug: SLUG.into(), version: 1, instructions: false, dimensions };
    match rubric.problems().into_iter().next() {
        Some(problem) => Err(problem.what),
        None => Ok(rubric),
    }
}

/// The levels under a heading, in order.
fn levels(readme: &str, heading: &str) -> Result<Vec<(u8, String)>, String> {
    let mut levels: Vec<(u8, String)> = Vec::new();
    let mut inside = false;
    for line in readme.lines() {
        if is_heading(line, heading) {
            if !levels.is_empty() {
                return Err(format!("the heading \"{heading}\" appears twice"));
            }
            inside = true;
        } else if inside {
            let continued = line.starts_with([' ', '\t']) && !line.trim().is_empty();
            match (level(line), levels.last_mut()) {
                (Some(level), _) => levels.push(level),
                (None, Some((_, text))) if continued => {
                    text.push(' ');
                    text.push_str(line.trim());
                }
                // Blank lines may separate levels; anything else ends the list.
                (None, _) if line.trim().is_empty() => {}
                (None, _) => inside = false,
            }
        }
    }
    if levels.is_empty() { Err(format!("no level of \"{heading}\" was found")) } else { Ok(levels) }
}

/// `Correctness:`, on a line of its own, as a heading or in bold.
fn is_heading(line: &str, heading: &str) -> bool {
    let text = line.trim().trim_matches(|c: char| matches!(c, '#' | '*' | '_' | ' '));
    text.trim_end_matches([':', '：', '*', ' ']).eq_ignore_ascii_case(heading)
}

/// `* 4 points: The specified …`
fn level(line: &str) -> Option<(u8, String)> {
    let text = line.trim_start().strip_prefix(['*', '-', '+'])?.trim_start();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let score = text[..digits].parse().ok()?;
    let text = text[digits..].trim_start();
    let rest = ["points", "point", "分"].iter().find_map(|unit| text.strip_prefix(unit))?;
    let text = rest.trim_start().strip_prefix([':', '：'])?.trim();
    (!text.is_empty()).then(|| (score, text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGLISH: &str = "# Standard\n\nCorrectness:\n\n* 2 points: All of it.\n* 1 point: None of it.\n\n**Code Quality**:\n- 2 points : Neat,\n  and tidy.\n- 1 point: Not.\n\n### Maintainability\n* 2 points: Good.\n* 1 point: Bad.\n\nMore text.\n* 7 points: not ours\n";
    const CHINESE: &str = "正确性：\n* 2分：全部。\n* 1分：没有。\n\n代码质量：\n* 2 分: 好。\n* 1分：差。\n\n可维护性:\n* 2分：好。\n* 1分：差。\n";

    #[test]
    fn reads_the_levels_of_both_languages() {
        let rubric = read(ENGLISH, CHINESE).unwrap();
        assert_eq!(rubric.dimensions.len(), 3);
        let quality = &rubric.dimensions[1];
        assert_eq!((quality.key.as_str(), quality.range()), ("code_quality", (1, 2)));
        assert_eq!(quality.levels[0].text, Bilingual { en: "Neat, and tidy.".into(), zh: "好。".into() });
        assert_eq!(rubric.dimensions[2].levels.len(), 2);
    }

    #[test]
    fn never_guesses() {
        let check = |english: &str, chinese: &str, why: &str| {
            let error = read(english, chinese).unwrap_err();
            assert!(error.contains(why), "{error}");
        };
        check("", CHINESE, "no level of \"Correctness\" was found in the English README");
        check(ENGLISH, "", "in the Chinese README");
        check(&ENGLISH.replace("1 point: Bad", "One point: Bad"), CHINESE, "the levels of \"Maintainability\" differ");
        check(
            &ENGLISH.replace("2 points: Good", "3 points: Good"),
            &CHINESE.replace("可维护性:\n* 2", "可维护性:\n* 3"),
            "without a gap",
        );
        check(&format!("{ENGLISH}{ENGLISH}"), CHINESE, "appears twice");
    }

    #[test]
    fn reads_the_published_wording() {
        let Some(checkout) = prerequisites::aixbench_checkout() else { return };
        let readme = |name| std::fs::read_to_string(checkout.join(name)).unwrap();
        let (english, chinese) = (readme("README.md"), readme("README-zh.md"));
        let rubric = read(&english, &chinese).unwrap();
        assert_eq!(rubric.dimensions.iter().map(Dimension::range).collect::<Vec<_>>(), [(1, 4), (1, 3), (1, 5)]);
        for level in rubric.dimensions.iter().flat_map(|d| &d.levels) {
            assert!(english.contains(&level.text.en) && chinese.contains(&level.text.zh), "{level:?}");
        }
    }
}
