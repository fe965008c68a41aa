//! How pages look to a person: colors, size of text, spacing, wrapped code, time zone.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::time_zone::TimeZone;

/// Defines a setting with a fixed list of values, the first of which is the default.
macro_rules! setting {
    ($(#[$doc:meta])* $name:ident { $($value:ident = $code:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name { #[default] $($value),+ }

        impl $name {
            /// Every value, in the order in which a form offers them.
            pub const ALL: &[$name] = &[$($name::$value),+];

            /// The value in forms, in the database and in the document's attributes.
            pub fn code(self) -> &'static str {
                match self { $($name::$value => $code),+ }
            }

            /// The value with this code.
            pub fn of(code: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|value| value.code() == code)
            }
        }
    };
}

setting! {
    /// The colors.
    Theme { System = "system", Light = "light", Dark = "dark" }
}

setting! {
    /// The size of all text.
    TextSize { Normal = "normal", Small = "small", Large = "large", Largest = "largest" }
}

setting! {
    /// The space around things.
    Density { Comfortable = "comfortable", Compact = "compact" }
}

setting! {
    /// How a line of code that is wider than its box is shown.
    Wrap { Scroll = "scroll", Wrap = "wrap" }
}

/// A person's display settings. The default is what pages look like to visitors without an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Display {
    pub theme: Theme,
    pub text: TextSize,
    pub density: Density,
    pub wrap: Wrap,
    pub zone: TimeZone,
}

impl Display {
    /// Whether nothing differs from the default.
    pub fn is_default(&self) -> bool {
        *self == Display::default()
    }
}

/// The four codes and the name of the time zone, with a space between them.
impl fmt::Display for Display {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Display { theme, text, density, wrap, zone } = self;
        for (place, code) in
            [theme.code(), text.code(), density.code(), wrap.code(), zone.name()].into_iter().enumerate()
        {
            f.write_str(if place == 0 { "" } else { " " })?;
            f.write_str(code)?;
        }
        Ok(())
    }
}

impl From<Display> for String {
    fn from(display: Display) -> String {
        display.to_string()
    }
}

/// Reads what [`Display`]'s `fmt` writes.
impl FromStr for Display {
    type Err = String;

    fn from_str(text: &str) -> Result<Display, String> {
        fn value<T>(code: &str, of: fn(&str) -> Option<T>) -> Result<T, String> {
            of(code).ok_or_else(|| format!("`{code}` is not a known display setting"))
        }
        let codes: Vec<&str> = text.split(' ').collect();
        let [theme, size, density, wrap, zone] = codes[..] else {
            return Err(format!("`{text}` does not have five display settings"));
        };
        Ok(Display {
            theme: value(theme, Theme::of)?,
            text: value(size, TextSize::of)?,
            density: value(density, Density::of)?,
            wrap: value(wrap, Wrap::of)?,
            zone: value(zone, TimeZone::of)?,
        })
    }
}

impl TryFrom<String> for Display {
    type Error = String;

    fn try_from(text: String) -> Result<Display, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        for theme in Theme::ALL {
            for text in TextSize::ALL {
                for density in Density::ALL {
                    for wrap in Wrap::ALL {
                        let zone = TimeZone::of("Asia/Shanghai").unwrap();
                        let display = Display { theme: *theme, text: *text, density: *density, wrap: *wrap, zone };
                        assert_eq!(display.to_string().parse(), Ok(display));
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_unknown_or_missing_is_an_error() {
        let dark = Display { theme: Theme::Dark, ..Display::default() };
        let written = "\"dark normal comfortable scroll UTC\"";
        assert_eq!(serde_json::to_string(&dark).unwrap(), written);
        assert_eq!(serde_json::from_str::<Display>(written).unwrap(), dark);
        for text in ["", "dark", "dark enormous comfortable scroll UTC", "dark normal comfortable scroll UTC more"] {
            assert!(text.parse::<Display>().is_err(), "{text}");
        }
    }
}
