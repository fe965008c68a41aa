//! Fields of an address that choose how a file is made.

use model::{error::AppError, lang::Lang};

/// The value of a field, by its name; `None` for a field that is absent or empty.
///
/// # Errors
///
/// Fails if no value has that name. The error lists `names`.
pub fn choice<T>(
    get: impl Fn(&str) -> Option<String>,
    field: &str,
    names: &str,
    named: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, AppError> {
    let Some(name) = get(field).filter(|name| !name.is_empty()) else { return Ok(None) };
    let value = named(&name);
    let refused = || AppError::invalid(field, format!("unknown {field} \"{name}\""), format!("Use {names}"));
    value.map(Some).ok_or_else(refused)
}

/// The language of a file's words.
///
/// # Errors
///
/// Fails for a language that the program does not have.
pub fn words(get: impl Fn(&str) -> Option<String>) -> Result<Option<Lang>, AppError> {
    choice(get, "words", "en or zh", |name| name.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_read_or_refused() {
        let of = |value: Option<&str>| words(|_| value.map(str::to_owned));
        assert_eq!(of(None), Ok(None));
        assert_eq!(of(Some("")), Ok(None));
        assert_eq!(of(Some("zh")), Ok(Some(Lang::Zh)));
        let refused = of(Some("fr")).unwrap_err();
        assert!(format!("{refused:?}").contains("unknown words \\\"fr\\\""), "{refused:?}");
    }
}
