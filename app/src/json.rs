//! JSON is read in one way everywhere: from bytes. A second way (from text) would bring a second reader of
//! every type into the client.

use leptos::server::codee::{Decoder, Encoder};
use serde::{Serialize, de::DeserializeOwned};

/// Reads JSON.
///
/// # Errors
/// For what is no JSON of a `T`.
pub fn read<T: DeserializeOwned>(json: impl AsRef<[u8]>) -> Result<T, serde_json::Error> {
    serde_json::from_slice(json.as_ref())
}

/// How values travel with a page.
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
