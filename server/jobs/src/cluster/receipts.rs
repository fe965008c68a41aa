//! Receipts: a worker that repeats one received the job.
//!
//! Each job contains its receipt, which only the server can compute. A worker repeats it when it says that it holds the
//! attempt, and when it reports it. The key is a file, so that jobs that are in the broker count after a restart of the
//! server, too.

use std::{fs, io, path::Path};

use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::messages::Claim;
use base::{clock, error::Failure};
use db::runs::Ticket;

/// The key's file, below the engine's folder. Without it, a new one is made, and jobs that are in the broker are published
/// again.
const FILE: &str = "jobs.key";

/// The length of a key, in hexadecimal digits.
const DIGITS: usize = 64;

/// Bytes of a receipt. They cannot be guessed, and a worker sends many of them.
const BYTES: usize = 16;

/// Makes receipts for attempts at items of one database, and checks them.
pub struct Receipts {
    mac: Hmac<Sha256>,
    instance: String,
}

impl Receipts {
    /// Reads the key below a folder, or makes one.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written.
    pub fn open(folder: &Path, instance: &str) -> Result<Receipts, Failure> {
        let file = folder.join(FILE);
        let key = match fs::read_to_string(&file) {
            Ok(key) if key.len() == DIGITS => Ok(key),
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
            Ok(_) | Err(_) => create(folder, &file),
        };
        let key = key.map_err(|e| Failure::from(e).writing(&file))?;
        let mac = <Hmac<Sha256> as Mac>::new_from_slice(key.as_bytes()).map_err(Failure::internal)?;
        Ok(Receipts { mac, instance: instance.to_owned() })
    }

    /// The receipt of an attempt.
    pub fn of(&self, attempt: Ticket) -> String {
        hex::encode(&self.sign(attempt).finalize().into_bytes()[..BYTES])
    }

    /// Whether a receipt is that of this attempt.
    pub fn is_of(&self, attempt: Ticket, receipt: &str) -> bool {
        let receipt = hex::decode(receipt).unwrap_or_default();
        receipt.len() == BYTES && self.sign(attempt).verify_truncated_left(&receipt).is_ok()
    }

    /// The attempts whose receipts are right.
    pub fn attempts(&self, claims: &[Claim]) -> Vec<Ticket> {
        let valid = claims.iter().filter(|claim| self.is_of(claim.attempt(), &claim.receipt));
        valid.map(Claim::attempt).collect()
    }

    fn sign(&self, attempt: Ticket) -> Hmac<Sha256> {
        let mut mac = self.mac.clone();
        mac.update(format!("{}.{}.{}", self.instance, attempt.item, attempt.attempt).as_bytes());
        mac
    }
}

/// Writes a new key that only this account can read.
fn create(folder: &Path, file: &Path) -> io::Result<String> {
    let key = format!("{}{}", clock::token().0, clock::token().0);
    fs::create_dir_all(folder)?;
    let temporary = tempfile::NamedTempFile::new_in(folder)?;
    fs::write(temporary.path(), &key)?;
    temporary.persist(file).map_err(|e| e.error)?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_is_of_one_attempt_in_one_database_and_lasts() {
        let folder = tempfile::tempdir().unwrap();
        let open = |instance: &str| Receipts::open(&folder.path().join("engine"), instance).unwrap();
        let (receipts, attempt) = (open("a"), Ticket { item: 12, attempt: 3 });
        let receipt = receipts.of(attempt);
        assert!(receipts.is_of(attempt, &receipt) && open("a").is_of(attempt, &receipt));
        assert!(!open("b").is_of(attempt, &receipt));
        for other in [Ticket { item: 12, attempt: 4 }, Ticket { item: 1, attempt: 23 }] {
            assert!(!receipts.is_of(other, &receipt));
        }
        for wrong in ["", "00", &receipt[2..], "x", &format!("{receipt}00")] {
            assert!(!receipts.is_of(attempt, wrong), "{wrong}");
        }
        let claim = |receipt: String| Claim { item: 12, attempt: 3, receipt };
        assert_eq!(receipts.attempts(&[claim(String::new()), claim(receipt.clone())]), [attempt]);
        // Another data folder has another key.
        let other = tempfile::tempdir().unwrap();
        assert!(!Receipts::open(other.path(), "a").unwrap().is_of(attempt, &receipt));
    }
}
