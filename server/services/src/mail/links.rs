//! Links with which people end email, without an account and without an end: kind and address, signed by the database's key.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use hmac::{Hmac, Mac};
use model::mail::MailKind;
use sha2::Sha256;

use base::error::Failure;

/// Length of a signature in bytes.
const SIGNATURE: usize = 16;

fn mac(key: &[u8], kind: MailKind, address: &str) -> Result<Hmac<Sha256>, Failure> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(Failure::internal)?;
    mac.update(format!("{}:{}", kind.code(), address.to_lowercase()).as_bytes());
    Ok(mac)
}

/// The link's part after `/mail/`.
pub fn sign(key: &[u8], kind: MailKind, address: &str) -> Result<String, Failure> {
    let signature = mac(key, kind, address)?.finalize().into_bytes();
    let encoded = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
    Ok(format!("{}.{}.{}", kind.code(), encoded(address.as_bytes()), encoded(&signature[..SIGNATURE])))
}

/// The kind and the address of a link; `None` if the server did not sign it.
pub fn read(key: &[u8], token: &str) -> Option<(MailKind, String)> {
    let mut parts = token.split('.');
    let (kind, address, signature) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let kind = MailKind::from_name(kind)?;
    let address = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(address).ok()?).ok()?;
    let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).ok().filter(|bytes| bytes.len() == SIGNATURE)?;
    mac(key, kind, &address).ok()?.verify_truncated_left(&signature).ok()?;
    Some((kind, address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_links_are_read() {
        let (key, address) = ([7; 32], "ada@example.org");
        let token = sign(&key, MailKind::Due, address).unwrap();
        assert!(token.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)), "{token}");
        assert_eq!(read(&key, &token), Some((MailKind::Due, address.to_owned())));
        assert_eq!(read(&[8; 32], &token), None);
        let (_, rest) = token.split_once('.').unwrap();
        assert_eq!(read(&key, &format!("digest.{rest}")), None);
        let other = BASE64_URL_SAFE_NO_PAD.encode("eve@example.org");
        let (_, signature) = rest.split_once('.').unwrap();
        for wrong in
            [format!("due.{other}.{signature}"), format!("{token}.x"), "due..".into(), String::new(), "x".into()]
        {
            assert_eq!(read(&key, &wrong), None, "{wrong}");
        }
        // A shorter signature is not enough.
        assert_eq!(read(&key, &token[..token.len() - 4]), None);
    }
}
