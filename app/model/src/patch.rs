//! A change of stored settings: some fields with their new values, merged with the present ones.

use std::{collections::BTreeMap, marker::PhantomData};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::error::AppError;

/// A change of a `T` that is a JSON object: the new values of some of its fields, as in a JSON Merge Patch (RFC 7396).
/// Fields that it does not have stay; `null` sets a field to its default.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch<T> {
    fields: Map<String, Value>,
    of: PhantomData<fn() -> T>,
}

impl<T> Patch<T> {
    /// A change of these fields.
    pub fn of(fields: Map<String, Value>) -> Patch<T> {
        Patch { fields, of: PhantomData }
    }

    /// A change from the fields of a form, whose values are texts. An empty text is `null`, and digits are a number.
    pub fn of_texts(texts: BTreeMap<String, String>) -> Patch<T> {
        let value = |text: &str| match text.trim() {
            "" => Value::Null,
            text => text.parse::<u64>().map_or_else(|_| Value::from(text), Value::from),
        };
        Patch::of(texts.iter().map(|(field, text)| (field.clone(), value(text))).collect())
    }

    /// The same change with another field.
    #[must_use]
    pub fn and(mut self, field: &str, value: impl Into<Value>) -> Patch<T> {
        self.fields.insert(field.to_owned(), value.into());
        self
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Whether it changes this field.
    pub fn has(&self, field: &str) -> bool {
        self.fields.contains_key(field)
    }
}

impl<T> Default for Patch<T> {
    fn default() -> Patch<T> {
        Patch::of(Map::new())
    }
}

impl<T: Serialize + DeserializeOwned> Patch<T> {
    /// The value after the change.
    ///
    /// # Errors
    ///
    /// Fails if `T` has no field of that name, or the field cannot have that value.
    pub fn apply(&self, before: &T) -> Result<T, AppError> {
        let mut fields = object(before)?;
        let known = fields.keys().cloned().collect::<Vec<_>>();
        // One field at a time, so that an error names the field.
        let mut after = None;
        for (field, value) in &self.fields {
            if !known.contains(field) {
                return Err(unknown(field, &known));
            }
            match value {
                Value::Null => fields.remove(field),
                value => fields.insert(field.clone(), value.clone()),
            };
            after = Some(serde_json::from_value(Value::Object(fields.clone())).map_err(|e| refused(field, value, &e))?);
        }
        match after {
            Some(after) => Ok(after),
            None => serde_json::from_value(Value::Object(fields)).map_err(|_| AppError::Internal("-".into())),
        }
    }
}

fn object<T: Serialize>(value: &T) -> Result<Map<String, Value>, AppError> {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => Ok(fields),
        // No incident is logged here.
        Ok(_) | Err(_) => Err(AppError::Internal("-".into())),
    }
}

fn unknown(field: &str, known: &[String]) -> AppError {
    let known = known.join(", ");
    AppError::invalid(
        field,
        (format!("there is no setting named \"{field}\""), format!("没有名为“{field}”的设置")),
        (format!("Use one of {known}"), format!("可用的设置：{known}")),
    )
}

fn refused(field: &str, value: &Value, cause: &serde_json::Error) -> AppError {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let cause = cause.to_string();
    if ["expected u", "expected i"].iter().any(|number| cause.contains(number)) {
        return AppError::invalid(
            field,
            (format!("\"{text}\" is not a whole number"), format!("“{text}”不是整数")),
            ("Enter 0, 1, 2 …, or leave it empty", "请输入 0、1、2……，或留空"),
        );
    }
    AppError::invalid(
        field,
        (format!("\"{text}\" is not possible here: {cause}"), format!("“{text}”不可用于此处：{cause}")),
        ("Enter another value, or leave it empty for the default", "请输入其他值，或留空以使用默认值"),
    )
}

impl<T> Serialize for Patch<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fields.serialize(serializer)
    }
}

impl<'de, T> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(Patch::of)
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl<T: utoipa::ToSchema> utoipa::PartialSchema for Patch<T> {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        use utoipa::openapi::{RefOr, Schema};

        fn without_required(schema: &mut RefOr<Schema>) {
            match schema {
                RefOr::T(Schema::Object(object)) => object.required.clear(),
                RefOr::T(Schema::AllOf(all)) => all.items.iter_mut().for_each(without_required),
                _ => {}
            }
        }

        let mut schema = T::schema();
        without_required(&mut schema);
        schema
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl<T: utoipa::ToSchema> utoipa::ToSchema for Patch<T> {
    fn name() -> std::borrow::Cow<'static, str> {
        format!("{}Patch", T::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::Schema>)>) {
        T::schemas(schemas);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        quality::{FeedbackLevel, QualitySettings},
        study::{NewStudy, StudyChange, StudySettings},
    };

    type QualityChange = Patch<QualitySettings>;

    fn message(result: Result<impl std::fmt::Debug, AppError>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn what_a_change_does_not_name_stays() {
        let before = QualitySettings { tolerance: 1, spread: Some(2), needed: 3, ..QualitySettings::default() };
        assert_eq!(QualityChange::of(Map::new()).apply(&before).unwrap(), before);
        let whole = QualityChange::of(object(&before).unwrap());
        assert_eq!(whole.apply(&QualitySettings::default()).unwrap(), before);
        let change = QualityChange::of(Map::new()).and("spread", Value::Null).and("shown", "own");
        let after = QualitySettings { spread: None, shown: FeedbackLevel::Own, ..before };
        assert_eq!(change.apply(&before).unwrap(), after);
    }

    #[test]
    fn fields_of_a_form_are_numbers_names_days_or_nothing() {
        let texts = [("spread", " 2 "), ("due", "2026-11-30"), ("break_minutes", ""), ("policy", "extra_rater")];
        let texts = texts.map(|(field, text)| (field.to_owned(), text.to_owned())).into();
        let before = QualitySettings { break_minutes: 50, spread_correctness: Some(1), ..QualitySettings::default() };
        let after = QualityChange::of_texts(texts).apply(&before).unwrap();
        assert_eq!((after.spread, after.spread_correctness, after.break_minutes), (Some(2), Some(1), 0));
        assert_eq!(after.due.map(|day| day.to_string()).as_deref(), Some("2026-11-30"));
    }

    #[test]
    fn settings_that_stand_beside_others_are_changed_by_name() {
        let before = NewStudy { title: "Pilot".into(), dataset: "starter".into(), ..NewStudy::default() };
        let change = StudyChange::of(Map::new()).and("raters_per_output", 2).and("break_minutes", 30);
        let quality = QualitySettings { break_minutes: 30, ..QualitySettings::default() };
        let settings = StudySettings { raters_per_output: 2, quality, ..StudySettings::default() };
        assert_eq!(change.apply(&before).unwrap(), NewStudy { settings, ..before });
    }

    #[test]
    fn an_error_names_the_field() {
        let refused = |field: &str, value: Value| {
            message(
                QualityChange::of(Map::new()).and("tolerance", 1).and(field, value).apply(&QualitySettings::default()),
            )
        };
        assert!(refused("spread", "wide".into()).contains("spread: \"wide\" is not a whole number"));
        assert!(refused("spread", 300.into()).contains("spread: \"300\" is not"));
        assert!(refused("policy", "vote".into()).contains("policy: \"vote\" is not possible here: unknown variant"));
        assert!(refused("due", "soon".into()).contains("due: \"soon\" is not possible here"));
        assert!(refused("sprad", 1.into()).contains("there is no setting named \"sprad\""));
    }
}
