//! Enums whose values have names: one list gives the values, their order, and their names on the wire, in the database, in
//! addresses and on the command line.

/// Defines an enum of named values. `as code` or `as name` is what the method that returns a value's name is called.
///
/// The enum gets `ALL`, every value in the order of the list; `from_name`; `Display` and `FromStr`, which reads a name with `-`
/// for `_`, too, as it is written on the command line; and serde's and `OpenAPI`'s forms with the same names. (A name is a `tt`:
/// utoipa does not read attributes with a `literal` of a macro.)
macro_rules! names {
    ($(
        $(#[$meta:meta])*
        $vis:vis enum $Enum:ident as $name:ident {
            $($(#[$on:meta])* $Value:ident = $text:tt),+ $(,)?
        }
    )+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(not(target_arch = "wasm32"), derive(utoipa::ToSchema))]
        $vis enum $Enum {
            $($(#[$on])* #[serde(rename = $text)] $Value),+
        }

        impl $Enum {
            /// Every value, in display order.
            pub const ALL: [$Enum; [$($text),+].len()] = [$($Enum::$Value),+];

            /// Its name in data, in addresses, in the database and on the command line.
            pub fn $name(self) -> &'static str {
                match self {
                    $($Enum::$Value => $text),+
                }
            }

            /// The value of that name.
            pub fn from_name(name: &str) -> Option<$Enum> {
                match name {
                    $($text => Some($Enum::$Value),)+
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.$name())
            }
        }

        impl std::str::FromStr for $Enum {
            type Err = String;

            fn from_str(text: &str) -> Result<$Enum, String> {
                let found = $Enum::from_name(text).or_else(|| $Enum::from_name(&text.replace('-', "_")));
                found.ok_or_else(|| {
                    let names = $Enum::ALL.map(|value| format!("`{value}`")).join(", ");
                    format!("\"{text}\" is none of {names}")
                })
            }
        }
    )+};
}

pub(crate) use names;

#[cfg(test)]
mod tests {
    use crate::{api::Scope, inbox::InboxAct, run::Verdict};

    #[test]
    fn a_value_has_one_name_everywhere() {
        for act in InboxAct::ALL {
            let name = act.code();
            assert_eq!(InboxAct::from_name(name), Some(act));
            assert_eq!((act.to_string(), name.parse()), (name.to_owned(), Ok(act)));
            assert_eq!(serde_json::to_value(act).unwrap(), name);
        }
    }

    #[test]
    fn the_api_describes_the_names() {
        let schema = serde_json::to_value(<Verdict as utoipa::PartialSchema>::schema()).unwrap();
        assert_eq!(schema["enum"], serde_json::json!(Verdict::ALL));
        let schema = serde_json::to_value(<Scope as utoipa::PartialSchema>::schema()).unwrap();
        assert_eq!(schema["enum"], serde_json::json!(["read", "write:data", "write:runs", "write:studies", "admin"]));
    }

    #[test]
    fn names_of_several_words_are_read_as_the_command_line_writes_them() {
        assert_eq!("compile-error".parse(), Ok(Verdict::CompileError));
        let unknown = "add rater".parse::<InboxAct>().unwrap_err();
        assert!(unknown.starts_with("\"add rater\" is none of `resolve`, `add_rater`"), "{unknown}");
    }
}
