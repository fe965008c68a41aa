//! How to cite a published study.

use model::{
    api::{Citation, Publication},
    lang::{Bilingual, Lang},
    time::Timestamp,
};
use texts::I18n;

use super::print_table::escape_latex;

/// What a citation says about a study.
#[derive(Clone, Copy, Debug)]
pub struct Cited<'a> {
    pub title: &'a str,
    /// Short name of the dataset.
    pub dataset: &'a str,
    pub about: &'a Publication,
    /// Ratings that the figures count, of all models.
    pub ratings: u64,
    pub raters: u64,
    /// When the link was created. Its year is the citation's.
    pub published_at: Timestamp,
}

impl Cited<'_> {
    /// The citation in both languages.
    pub fn citation(self) -> Citation {
        let both = |of: fn(Self, Lang) -> String| Bilingual { en: of(self, Lang::En), zh: of(self, Lang::Zh) };
        Citation { text: both(Self::text), bibtex: both(Self::bibtex) }
    }

    fn year(self) -> String {
        self.published_at.rfc3339().chars().take(4).collect()
    }

    fn note(self, lang: Lang) -> String {
        let i = I18n::of(lang);
        (i.api().cited_as)(self.dataset, &i.number(self.ratings), &i.number(self.raters))
    }

    fn text(self, lang: Lang) -> String {
        let by = match self.about.authors.as_str() {
            "" => String::new(),
            authors => format!("{authors}. "),
        };
        format!("{by}{} ({}). {}", self.title, self.year(), self.note(lang))
    }

    fn bibtex(self, lang: Lang) -> String {
        let author = match self.about.authors.as_str() {
            "" => String::new(),
            // Braces keep the name of an institution together.
            authors => format!("  author = {{{{{}}}}},\n", escape_latex(authors)),
        };
        let (year, title, note) = (self.year(), escape_latex(self.title), escape_latex(&self.note(lang)));
        let key = self.dataset;
        format!("@misc{{{key}-{year},\n{author}  title = {{{title}}},\n  year = {{{year}}},\n  note = {{{note}}},\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citation_names_authors_and_has_no_markup_of_a_title() {
        let about = Publication { authors: "A & B".into(), ..Publication::default() };
        let published_at = Timestamp(1_795_953_600_000);
        let cited =
            Cited { title: "50% {a_b} \\x", dataset: "d", about: &about, ratings: 1200, raters: 3, published_at };
        let Citation { text, bibtex } = cited.citation();
        assert!(text.en.starts_with("A & B. 50% {a_b} \\x (2026). ") && text.en.contains("1,200 ratings"), "{text:?}");
        let begins = "@misc{d-2026,\n  author = {{A \\& B}},\n  title = {50\\% \\{a\\_b\\} \\textbackslash{}x},\n";
        assert!(bibtex.en.starts_with(begins), "{}", bibtex.en);
        let unsigned = Cited { about: &Publication::default(), ..cited }.citation();
        assert!(unsigned.text.zh.starts_with("50%") && !unsigned.bibtex.zh.contains("author"), "{unsigned:?}");
    }
}
