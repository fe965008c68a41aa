//! JSON is always read from bytes. A second way (from text) would add a second reader of every type to the
//! client.

use leptos::server::codee::{Decoder, Encoder};
use serde::{Serialize, de::DeserializeOwned};

/// Parses JSON.
///
/// # Errors
///
/// Fails for invalid JSON or another type.
pub fn read<T: DeserializeOwned>(json: impl AsRef<[u8]>) -> Result<T, serde_json::Error> {
    serde_json::from_slice(json.as_ref())
}

/// The encoding of values in a page.
pub struct Json;

impl<T: Serialize> Encoder<T> for Json {
    type Error = serde_json::Error;
    type Encoded = String;

    fn encode(value: &T) -> Result<String, serde_json::Error> {
        serde_json::to_string(value)
    }
}

impl<T: DeserializeOwned> Decoder<T> for Json {
    type Error = serde_json::Error;
    type Encoded = str;

    fn decode(text: &str) -> Result<T, serde_json::Error> {
        read(text)
    }
}
