//! How many decimals the tables for print have.

use super::error::AppError;

/// The decimals of the numbers in tables for print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimals {
    /// Of mean scores, their differences, and coefficients of agreement.
    pub scores: u8,
    /// Of percentages.
    pub percent: u8,
}

impl Default for Decimals {
    fn default() -> Self {
        Decimals { scores: 2, percent: 1 }
    }
}

impl Decimals {
    /// Most decimals: far more than the figures are certain of.
    pub const MOST: u8 = 6;
    /// The fields of an address.
    pub const SCORES: &str = "score_decimals";
    pub const PERCENT: &str = "percent_decimals";

    /// Reads an address's query; absent and empty fields have the default.
    ///
    /// # Errors
    ///
    /// A field is not a number from 0 to [`Decimals::MOST`].
    pub fn read(get: impl Fn(&str) -> Option<String>) -> Result<Decimals, AppError> {
        let number = |key: &str, default: u8| match get(key).filter(|text| !text.is_empty()) {
            None => Ok(default),
            Some(text) => text.parse().ok().filter(|decimals| *decimals <= Self::MOST).ok_or_else(|| {
                let what = format!("\"{text}\" is not a number of decimals");
                AppError::invalid(key, what, format!("Use a number from 0 to {}", Self::MOST))
            }),
        };
        let default = Decimals::default();
        Ok(Decimals { scores: number(Self::SCORES, default.scores)?, percent: number(Self::PERCENT, default.percent)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_or_refused() {
        let read = |scores: &str, percent: &str| {
            let of = |key: &str| Some(if key == Decimals::SCORES { scores } else { percent }.to_owned());
            Decimals::read(of).ok().map(|d| (d.scores, d.percent))
        };
        assert_eq!(Decimals::read(|_| None).ok(), Some(Decimals { scores: 2, percent: 1 }));
        assert_eq!(read("", ""), Some((2, 1)));
        assert_eq!(read("4", "0"), Some((4, 0)));
        for wrong in ["7", "-1", "two", "1.5"] {
            assert_eq!(read(wrong, ""), None, "{wrong}");
            assert_eq!(read("", wrong), None, "{wrong}");
        }
    }
}
