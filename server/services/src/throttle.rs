//! Slows down password guessing without locking anybody out.
//!
//! Guesses from unknown browsers count against the account on their network, against that network, and
//! against the account as a whole. The wait for the whole account is short, because anybody can cause it. A
//! browser that logged in to the account before has its own count, so other guesses do not slow it down.
//!
//! A clock that was set back makes no wait longer than it would have been when the failure happened.

use std::net::IpAddr;

use model::{
    ids::UserId,
    time::{DAY_MS, Timestamp},
};
use rusqlite::Transaction;
use sha2::{Digest, Sha256};

use base::error::Failure;
use db::throttle;

/// Failures without a wait: everybody mistypes.
const FREE_FAILURES: u32 = 4;
/// The longest wait for one network or browser, in milliseconds, which makes guessing pointless.
const LONGEST_WAIT_MS: i64 = 5 * 60 * 1000;
/// The longest wait for an account as a whole, in milliseconds. It limits guesses from many networks to
/// 43,200 a day, hopeless against ten characters, and its owner on a new browser gets a turn every two
/// seconds.
const LONGEST_ACCOUNT_WAIT_MS: i64 = 2_000;
/// Failures are forgotten after a day.
const FORGET_MS: i64 = DAY_MS;
/// An office shares an address, and an account is used from several networks: this multiplies the failures
/// that they may have.
const SHARED_ALLOWANCE: u32 = 5;

/// The subject that an attempt counts against.
#[derive(Clone, Debug)]
pub struct Subject {
    /// SHA-256, so that its length is bounded and a password typed as a name is not stored.
    key: String,
    allowance: u32,
    longest_ms: i64,
    /// Whether others' failures count here, too; a success then clears one failure instead of all.
    shared: bool,
}

impl Subject {
    /// A browser that logged in to the account before.
    pub fn device(token_hash: &str, user: UserId) -> Subject {
        Subject::new(&["device", token_hash, &user.0.to_string()], 1, LONGEST_WAIT_MS, false)
    }

    /// A logged-in person who enters their password again.
    pub fn owner(user: UserId) -> Subject {
        Subject::new(&["owner", &user.0.to_string()], 1, LONGEST_WAIT_MS, false)
    }

    /// A link that creates an account or sets a password, by the hash of its secret.
    pub fn link(secret_hash: &str) -> Subject {
        Subject::new(&["link", secret_hash], SHARED_ALLOWANCE, LONGEST_WAIT_MS, false)
    }

    /// An unknown browser: what an attempt to log in as `name` from `network` counts against.
    pub fn stranger(name: &str, network: &str) -> [Subject; 3] {
        let name = name.to_lowercase();
        [
            Subject::new(&["account-network", &name, network], 1, LONGEST_WAIT_MS, false),
            Subject::new(&["network", network], SHARED_ALLOWANCE, LONGEST_WAIT_MS, true),
            Subject::new(&["account", &name], SHARED_ALLOWANCE, LONGEST_ACCOUNT_WAIT_MS, true),
        ]
    }

    fn new(parts: &[&str], allowance: u32, longest_ms: i64, shared: bool) -> Subject {
        let mut hash = Sha256::new();
        for part in parts {
            // The length first, so that different lists of parts have different bytes.
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Subject { key: hex::encode(hash.finalize()), allowance, longest_ms, shared }
    }

    /// The wait after this many failures, in milliseconds: none at first, then 1 s, doubling.
    fn wait_after(&self, failures: u32) -> i64 {
        match (failures / self.allowance).checked_sub(FREE_FAILURES) {
            None | Some(0) => 0,
            Some(more) => 2_i64.saturating_pow(more - 1).saturating_mul(1000).min(self.longest_ms),
        }
    }
}

/// Counts an attempt as failed and allows it, or returns the milliseconds to wait. It counts first, so that
/// a hundred simultaneous attempts do not all see the same count; [`succeeded`] corrects the count of a
/// success.
pub fn attempt(tx: &Transaction<'_>, subjects: &[Subject], now: Timestamp) -> Result<i64, Failure> {
    let mut wait = 0;
    let mut counted = Vec::with_capacity(subjects.len());
    for subject in subjects {
        let (failures, last) = throttle::failures(tx, &subject.key)?;
        let elapsed = now.0 - last.0;
        if elapsed < 0 {
            // The clock was set back. Counting from now bounds the wait to one full wait.
            throttle::set_failures(tx, &subject.key, failures, now)?;
        }
        let failures = if elapsed > FORGET_MS { 0 } else { failures };
        wait = wait.max(subject.wait_after(failures) - elapsed.max(0));
        counted.push((subject, failures));
    }
    if wait > 0 {
        return Ok(wait);
    }
    for (subject, failures) in counted {
        throttle::set_failures(tx, &subject.key, failures.saturating_add(1), now)?;
    }
    Ok(0)
}

/// Corrects the count of [`attempt`] after the password proved right.
pub fn succeeded(tx: &Transaction<'_>, subjects: &[Subject]) -> Result<(), Failure> {
    subjects.iter().try_for_each(|subject| match subject.shared {
        true => throttle::uncount_failure(tx, &subject.key),
        false => throttle::forget(tx, &subject.key),
    })
}

/// Deletes failures that no longer count.
pub fn sweep(tx: &Transaction<'_>, now: Timestamp) -> Result<usize, Failure> {
    throttle::forget_outside(tx, Timestamp(now.0 - FORGET_MS), Timestamp(now.0 + FORGET_MS))
}

/// The network that an address counts as: an IPv6 subscriber has at least a /64 to choose addresses from.
pub fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use db::Db;

    const HOUR: i64 = 60 * 60 * 1000;

    fn stranger(name: &str, network: &str) -> Vec<Subject> {
        Subject::stranger(name, network).to_vec()
    }

    #[test]
    fn wait_doubles_up_to_its_limit() {
        let subject = Subject::owner(UserId(1));
        let check = |failures, ms| assert_eq!(subject.wait_after(failures), ms, "{failures} failures");
        check(0, 0);
        check(4, 0);
        check(5, 1000);
        check(6, 2000);
        check(8, 8000);
        check(14, LONGEST_WAIT_MS);
        check(80, LONGEST_WAIT_MS);
        check(u32::MAX, LONGEST_WAIT_MS);
    }

    #[test]
    fn clock_set_back_does_not_extend_waits() {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(folder.path()).unwrap();
        let at = |now, subjects: &[Subject]| db.write_blocking(|tx| attempt(tx, subjects, Timestamp(now))).unwrap();
        let start = 1_700_000_000_000;
        // No failures, no wait, whenever the last attempt was.
        let good = stranger("ada", "198.51.100.1");
        assert_eq!(at(start, &good), 0);
        db.write_blocking(|tx| succeeded(tx, &good)).unwrap();
        assert_eq!(at(start - 2 * HOUR, &good), 0);
        // With failures: the wait that was due, counted from the first attempt at the new time.
        let bad = stranger("bo", "198.51.100.2");
        for _ in 0..5 {
            assert_eq!(at(start, &bad), 0);
        }
        let back = start - 48 * HOUR;
        assert_eq!(at(back, &bad), 1000);
        assert_eq!(at(back + 1000, &bad), 0);
    }

    #[test]
    fn guesses_from_many_networks_delay_only_unknown_browsers() {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(folder.path()).unwrap();
        let at = |now, subjects: &[Subject]| db.write_blocking(|tx| attempt(tx, subjects, Timestamp(now))).unwrap();
        let start = 1_700_000_000_000;
        let mut now = start;
        for n in 0..200 {
            let guess = stranger("ada", &format!("203.0.113.{n}"));
            let wait = at(now, &guess);
            if wait > 0 {
                now += wait;
                assert_eq!(at(now, &guess), 0);
            }
        }
        assert!((1..=LONGEST_ACCOUNT_WAIT_MS).contains(&at(now, &stranger("ADA", "198.51.100.1"))));
        assert_eq!(at(now + LONGEST_ACCOUNT_WAIT_MS, &stranger("ada", "198.51.100.1")), 0);
        assert_eq!(at(now, &[Subject::device("hash", UserId(1))]), 0);
        assert_eq!(at(now, &stranger("bo", "198.51.100.1")), 0, "another account");
    }

    #[test]
    fn failures_are_bounded_and_expire_after_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(folder.path()).unwrap();
        let count = |db: &Db| {
            db.read_blocking(|c| Ok(c.query_row("SELECT count(*) FROM login_failures", [], |r| r.get::<_, i64>(0))?))
                .unwrap()
        };
        let start = Timestamp(1_700_000_000_000);
        let names: Vec<String> = (0..throttle::MOST_SUBJECTS + 100).map(|n| n.to_string()).collect();
        db.write_blocking(|tx| {
            for name in &names {
                attempt(tx, &[Subject::new(&[name], 1, LONGEST_WAIT_MS, false)], start)?;
            }
            assert_eq!(
                tx.query_row("SELECT max(length(subject)) FROM login_failures", [], |r| r.get::<_, i64>(0))?,
                64
            );
            Ok(())
        })
        .unwrap();
        assert_eq!(count(&db), throttle::MOST_SUBJECTS);
        db.write_blocking(|tx| sweep(tx, Timestamp(start.0 + 25 * HOUR))).unwrap();
        assert_eq!(count(&db), 0);
    }

    #[test]
    fn an_ipv6_network_is_one_subject() {
        let check = |address: &str, expected: &str| assert_eq!(network(address.parse().unwrap()), expected);
        check("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64");
        check("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64");
        check("203.0.113.7", "203.0.113.7");
        check("::ffff:203.0.113.7", "203.0.113.7");
    }
}
