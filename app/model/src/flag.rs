//! A rater's flag on an output.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, IgnoredAny, MapAccess, Visitor},
    ser::SerializeMap,
};

use super::names::names;

names! {
    /// Why a rater flags an output.
    pub enum FlagReason as code {
        /// The description is unclear.
        DescriptionUnclear = "description_unclear",
        /// The rater cannot judge it.
        CannotJudge = "cannot_judge",
        /// The code is truncated.
        CodeTruncated = "code_truncated",
        /// Another reason; the flag's text says which.
        Other = "other",
    }
}

/// A rater's flag on an output. JSON: the reason's code, or an object with the code as its only key and the text as its
/// value: `"cannot_judge"`, `{"cannot_judge": "What is a trie?"}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    pub reason: FlagReason,
    /// What the rater wrote about it; empty if nothing. [`FlagReason::Other`] needs it.
    pub text: String,
}

impl Flag {
    /// A flag without text.
    pub fn plain(reason: FlagReason) -> Flag {
        Flag { reason, text: String::new() }
    }
}

impl Serialize for Flag {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.text.is_empty() {
            return serializer.serialize_str(self.reason.code());
        }
        let mut object = serializer.serialize_map(Some(1))?;
        object.serialize_entry(self.reason.code(), &self.text)?;
        object.end()
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Flag, D::Error> {
        struct Form;

        fn reason<E: de::Error>(code: &str) -> Result<FlagReason, E> {
            FlagReason::from_name(code).ok_or_else(|| E::custom(format_args!("unknown flag `{code}`")))
        }

        impl<'de> Visitor<'de> for Form {
            type Value = Flag;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a flag's code, or an object with the code and a text")
            }

            fn visit_str<E: de::Error>(self, code: &str) -> Result<Flag, E> {
                reason(code).map(Flag::plain)
            }

            fn visit_map<M: MapAccess<'de>>(self, mut object: M) -> Result<Flag, M::Error> {
                let Some((code, text)) = object.next_entry::<Cow<'_, str>, String>()? else {
                    return Err(de::Error::invalid_length(0, &"one key"));
                };
                match object.next_key::<IgnoredAny>()? {
                    None => Ok(Flag { reason: reason(&code)?, text }),
                    Some(_) => Err(de::Error::invalid_length(2, &"one key")),
                }
            }
        }

        deserializer.deserialize_any(Form)
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl utoipa::PartialSchema for Flag {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};

        let codes =
            ObjectBuilder::new().schema_type(Type::String).enum_values(Some(FlagReason::ALL.map(FlagReason::code)));
        let with_text = FlagReason::ALL.into_iter().fold(ObjectBuilder::new(), |object, reason| {
            object.property(reason.code(), ObjectBuilder::new().schema_type(Type::String))
        });
        let with_text = with_text.max_properties(Some(1)).min_properties(Some(1));
        OneOfBuilder::new().item(codes).item(with_text).into()
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl utoipa::ToSchema for Flag {
    fn name() -> Cow<'static, str> {
        "RaterFlag".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Flag, serde_json::Error> {
        serde_json::from_str(json)
    }

    #[test]
    fn reads_what_it_writes() {
        for reason in FlagReason::ALL {
            for text in ["", "Is `null` allowed?\n\"No\""] {
                let flag = Flag { reason, text: text.to_owned() };
                assert_eq!(read(&serde_json::to_string(&flag).unwrap()).unwrap(), flag);
            }
        }
        assert_eq!(serde_json::to_string(&Flag::plain(FlagReason::CodeTruncated)).unwrap(), r#""code_truncated""#);
    }

    #[test]
    fn reads_flags_of_earlier_versions() {
        assert_eq!(read(r#""cannot_judge""#).unwrap(), Flag::plain(FlagReason::CannotJudge));
        let other = |text: &str| Flag { reason: FlagReason::Other, text: text.to_owned() };
        assert_eq!(read(r#"{"other":"Two readings."}"#).unwrap(), other("Two readings."));
        assert_eq!(read(r#"{"other":""}"#).unwrap(), other(""));
    }

    #[test]
    fn refuses_anything_else() {
        for json in [r#""none""#, "{}", r#"{"cannot_judge":"a","other":"b"}"#, r#"{"cannot_judge":1}"#, "1", "null"] {
            assert!(read(json).is_err(), "{json}");
        }
    }
}
