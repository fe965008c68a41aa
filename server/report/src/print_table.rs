//! Tables for print: cells that are formatted once, and written as Markdown, LaTeX (booktabs, siunitx) or CSV. Pure.

use std::fmt::Write;

use model::{lang::Lang, ratings::Interval};

use super::csv;
use base::error::Failure;

/// A table with its caption.
#[derive(Debug)]
pub struct Table {
    /// Label in LaTeX.
    pub label: &'static str,
    pub caption: String,
    pub columns: Vec<Column>,
    /// One cell per column.
    pub rows: Vec<Vec<Cell>>,
}

/// A column of a table.
#[derive(Debug)]
pub struct Column {
    pub head: String,
    pub kind: Kind,
}

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text, from the left.
    Text,
    /// Text with figures, from the right.
    Figures,
    /// One number, at the decimal point.
    Number,
    /// The interval of the number before it.
    Interval,
}

/// A cell, as printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    Text(String),
    /// With a hyphen as its minus sign. `bold` is for the best of a column, or what is significant.
    Number {
        text: String,
        bold: bool,
    },
    /// Its ends.
    Interval(String, String),
    /// No figure.
    Missing,
}

impl Cell {
    /// A number, not bold.
    pub fn number(text: impl Into<String>) -> Cell {
        Cell::Number { text: text.into(), bold: false }
    }

    /// A number with these decimals.
    pub fn fixed(value: Option<f64>, decimals: u8) -> Cell {
        value.map_or(Cell::Missing, |value| Cell::number(fixed(value, decimals)))
    }

    /// An interval whose ends have these decimals.
    pub fn interval(interval: Option<Interval>, decimals: u8) -> Cell {
        interval.map_or(Cell::Missing, |i| Cell::Interval(fixed(i.low, decimals), fixed(i.high, decimals)))
    }
}

/// A number with these decimals. Nothing is −0.
fn fixed(value: f64, decimals: u8) -> String {
    let text = format!("{value:.*}", usize::from(decimals));
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| matches!(c, '0' | '.')) => rest.to_owned(),
        _ => text,
    }
}

impl Table {
    /// Adds a column of text.
    pub fn text(&mut self, head: impl Into<String>) {
        self.columns.push(Column { head: head.into(), kind: Kind::Text });
    }

    /// Makes the highest values of a column bold: all that are printed alike. A single value is not compared.
    pub fn mark_best(&mut self, column: usize) {
        let value = |row: &Vec<Cell>| match row.get(column) {
            Some(Cell::Number { text, .. }) => text.parse::<f64>().ok(),
            _ => None,
        };
        let values: Vec<f64> = self.rows.iter().filter_map(value).collect();
        let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if values.len() < 2 {
            return;
        }
        for row in &mut self.rows {
            if let Some(Cell::Number { text, bold }) = row.get_mut(column) {
                *bold = text.parse::<f64>().is_ok_and(|value| value >= highest);
            }
        }
    }
}

/// The tables in Markdown.
pub fn markdown(tables: &[Table]) -> String {
    let mut out = String::new();
    for table in tables {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let heads = table.columns.iter().map(|column| escape_markdown(&column.head)).collect();
        let left = |kind: Kind| if kind == Kind::Text { "---" } else { "---:" };
        let rule = table.columns.iter().map(|column| left(column.kind).to_owned()).collect();
        _ = write!(out, "**{}**\n\n{}{}", escape_markdown(&table.caption), line(heads), line(rule));
        for row in &table.rows {
            out += &line(row.iter().map(in_markdown).collect());
        }
        out.push('\n');
    }
    out
}

fn in_markdown(cell: &Cell) -> String {
    let minus = |text: &str| text.replace('-', "−");
    match cell {
        Cell::Text(text) => escape_markdown(text),
        Cell::Number { text, bold: true } => format!("**{}**", minus(text)),
        Cell::Number { text, bold: false } => minus(text),
        Cell::Interval(low, high) => escape_markdown(&format!("[{}, {}]", minus(low), minus(high))),
        Cell::Missing => "–".to_owned(),
    }
}

/// The tables in LaTeX. `more` says what else the text needs.
pub fn latex(tables: &[Table], more: &str) -> String {
    let mut out = format!(
        "% Needs \\usepackage{{booktabs,adjustbox,siunitx}}{more}.\n\
         % For bold numbers in columns of siunitx: \\sisetup{{detect-weight=true}}\n"
    );
    for table in tables {
        let columns: Vec<String> = (0..table.columns.len()).map(|at| column_type(table, at)).collect();
        let heads = table.columns.iter().map(|column| match column.kind {
            // Braces keep siunitx from reading a head as a number.
            Kind::Number => format!("{{{}}}", escape_latex(&column.head)),
            _ => escape_latex(&column.head),
        });
        let line = |cells: Vec<String>| format!("    {} \\\\\n", cells.join(" & "));
        _ = write!(
            out,
            "\n\\begin{{table}}\n  \\centering\n  \\caption{{{}}}\n  \\label{{tab:{}}}\n  \\begin{{adjustbox}}{{max width=\\textwidth}}\n  \\begin{{tabular}}{{{}}}\n    \\toprule\n{}    \\midrule\n",
            escape_latex(&table.caption),
            table.label,
            columns.join(" "),
            line(heads.collect())
        );
        for row in &table.rows {
            let cells = row.iter().zip(&table.columns);
            out += &line(cells.map(|(cell, column)| in_latex(cell, column.kind)).collect());
        }
        out += "    \\bottomrule\n  \\end{tabular}\n  \\end{adjustbox}\n\\end{table}\n";
    }
    out
}

/// `l`, `r`, or a column of siunitx that is as wide as its longest number.
fn column_type(table: &Table, at: usize) -> String {
    match table.columns.get(at).map(|column| column.kind) {
        Some(Kind::Number) => {}
        Some(Kind::Text) => return "l".to_owned(),
        Some(Kind::Figures | Kind::Interval) | None => return "r".to_owned(),
    }
    let (mut whole, mut decimals, mut sign) = (1, 0, "");
    for row in &table.rows {
        let Some(Cell::Number { text, .. }) = row.get(at) else { continue };
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.len() < text.len() {
            sign = "-";
        }
        let (before, after) = digits.split_once('.').unwrap_or((digits, ""));
        whole = whole.max(before.len());
        decimals = decimals.max(after.len());
    }
    format!("S[table-format={sign}{whole}.{decimals}]")
}

fn in_latex(cell: &Cell, kind: Kind) -> String {
    match cell {
        Cell::Text(text) => escape_latex(text),
        Cell::Number { text, bold: true } => format!("\\bfseries {text}"),
        Cell::Number { text, bold: false } => text.clone(),
        Cell::Interval(low, high) => escape_latex(&format!("[{low}, {high}]").replace('-', "−")),
        Cell::Missing if kind == Kind::Number => "{--}".to_owned(),
        Cell::Missing => "--".to_owned(),
    }
}

/// A table as CSV, with the same decimals. An interval is two columns, a missing figure an empty cell.
pub fn csv(table: &Table, lang: Lang) -> Result<Vec<u8>, Failure> {
    let heads = table.columns.iter().flat_map(|column| match column.kind {
        Kind::Interval => {
            [lang.pick("low", "下限"), lang.pick("high", "上限")].map(|end| format!("{} {end}", column.head)).to_vec()
        }
        _ => vec![column.head.clone()],
    });
    let heads: Vec<String> = heads.collect();
    let mut bytes = Vec::new();
    let mut out = csv::Table::new(&mut bytes, heads.iter().map(String::as_str))?;
    for row in &table.rows {
        for (cell, column) in row.iter().zip(&table.columns) {
            match cell {
                Cell::Text(text) => out.text(text)?,
                Cell::Number { text, .. } => out.value(text)?,
                Cell::Interval(low, high) => {
                    out.value(low)?;
                    out.value(high)?;
                }
                Cell::Missing => {
                    out.value("")?;
                    if column.kind == Kind::Interval {
                        out.value("")?;
                    }
                }
            }
        }
        out.end_line()?;
    }
    out.finish()?;
    Ok(bytes)
}

/// Escapes text for a Markdown table's cell, so that a model's name cannot end the cell or start markup.
pub fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Escapes text for LaTeX and BibTeX: what would be markup there is escaped, and a control character becomes a space.
pub(super) fn escape_latex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out += "\\textless{}",
            '>' => out += "\\textgreater{}",
            '−' => out += "$-$",
            'α' => out += "$\\alpha$",
            '–' => out += "--",
            // Brackets after `\\` would be its optional argument.
            '[' => out += "{[}",
            ']' => out += "{]}",
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out += "\\textbackslash{}",
            '~' => out += "\\textasciitilde{}",
            '^' => out += "\\textasciicircum{}",
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        let check = |text, markdown, latex| {
            assert_eq!((escape_markdown(text), escape_latex(text)), (String::from(markdown), String::from(latex)))
        };
        check("a|b_c", "a\\|b\\_c", "a|b\\_c");
        check(
            "50 % & $x^2$ \\end{table}",
            "50 % & $x^2$ \\\\end{table}",
            "50 \\% \\& \\$x\\textasciicircum{}2\\$ \\textbackslash{}end\\{table\\}",
        );
        check("通义\n[1] −", "通义 \\[1\\] −", "通义 {[}1{]} $-$");
    }

    fn table(values: &[&str]) -> Table {
        let cell = |text: &&str| if text.is_empty() { Cell::Missing } else { Cell::number(*text) };
        Table {
            label: "t",
            caption: "c".into(),
            columns: vec![Column { head: "v".into(), kind: Kind::Number }],
            rows: values.iter().map(|text| vec![cell(text)]).collect(),
        }
    }

    #[test]
    fn every_value_printed_as_the_highest_is_bold() {
        let check = |values: &[&str], expected: &[bool]| {
            let mut table = table(values);
            table.mark_best(0);
            let bold = table.rows.iter().map(|row| matches!(row[0], Cell::Number { bold: true, .. }));
            assert_eq!(bold.collect::<Vec<_>>(), expected, "{values:?}");
        };
        check(&["3.47", "2.21", ""], &[true, false, false]);
        check(&["3.47", "3.47", "10.00", "10.00"], &[false, false, true, true]);
        check(&["-0.40", "-1.20"], &[true, false]);
        check(&["3.47", ""], &[false, false]);
        check(&["", ""], &[false, false]);
        check(&[], &[]);
    }

    #[test]
    fn columns_of_numbers_are_as_wide_as_their_longest() {
        let check = |values: &[&str], expected| assert_eq!(column_type(&table(values), 0), expected);
        check(&["3.47", "10.2", ""], "S[table-format=2.2]");
        check(&["-0.4"], "S[table-format=-1.1]");
        check(&["7", "120"], "S[table-format=3.0]");
        check(&[""], "S[table-format=1.0]");
    }

    #[test]
    fn zero_has_no_sign() {
        let check = |value: f64, decimals, expected| assert_eq!(fixed(value, decimals), expected);
        check(-0.001, 2, "0.00");
        check(-0.0, 0, "0");
        check(-0.005, 3, "-0.005");
        check(99.96, 1, "100.0");
    }

    #[test]
    fn all_forms_have_the_same_figures() {
        let mut table = table(&["3.47", "-2.21"]);
        table.text("name");
        table.columns.push(Column { head: "95% CI".into(), kind: Kind::Interval });
        table.rows[0].extend([Cell::Text("=a".into()), Cell::Interval("-1.00".into(), "4.00".into())]);
        table.rows[1].extend([Cell::Text("b&c".into()), Cell::Missing]);
        table.mark_best(0);
        let tables = [table];
        let text = markdown(&tables);
        assert!(text.contains("| **3.47** | =a | \\[−1.00, 4.00\\] |\n| −2.21 | b&c | – |"), "{text}");
        let text = latex(&tables, "");
        assert!(
            text.contains("\\bfseries 3.47 & =a & {[}$-$1.00, 4.00{]} \\\\\n    -2.21 & b\\&c & -- \\\\"),
            "{text}"
        );
        assert!(text.contains("\\begin{tabular}{S[table-format=-1.2] l r}"), "{text}");
        let text = String::from_utf8(csv(&tables[0], Lang::En).unwrap()).unwrap();
        assert_eq!(text, "v,name,95% CI low,95% CI high\n3.47,'=a,-1.00,4.00\n-2.21,b&c,,\n");
    }
}
