//! How long an endpoint asks to wait before the next request. Pure.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// Longest wait that an endpoint can ask for.
const LONGEST: Duration = Duration::from_secs(60 * 60);
/// Headers with a number of milliseconds, of OpenAI and Azure.
const MILLISECONDS: [&str; 2] = ["retry-after-ms", "x-ms-retry-after-ms"];

/// The wait that the headers of an answer ask for, as of `now`: milliseconds, else `Retry-After` in seconds or as a date.
/// A time that has passed is no wait.
pub fn of_headers(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let milliseconds = MILLISECONDS.iter().find_map(|name| text(name)?.parse::<f64>().ok());
    if let Some(wait) = milliseconds.and_then(|milliseconds| of_seconds(milliseconds / 1000.0)) {
        return Some(wait);
    }
    let text = text(RETRY_AFTER.as_str())?;
    if let Some(wait) = seconds(text) {
        return Some(wait);
    }
    let until = httpdate::parse_http_date(text).ok()?;
    Some(until.duration_since(now).unwrap_or_default().min(LONGEST))
}

/// A number of seconds, such as "7" or "0.5".
pub fn seconds(text: &str) -> Option<Duration> {
    text.trim().parse().ok().and_then(of_seconds)
}

/// A number of seconds as a wait, at most [`LONGEST`].
pub fn of_seconds(seconds: f64) -> Option<Duration> {
    seconds.is_finite().then(|| Duration::from_secs_f64(seconds.clamp(0.0, LONGEST.as_secs_f64())))
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn waits_are_seconds_milliseconds_or_dates() {
        // Wednesday, 21 October 2015, 07:28:00 UTC.
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_445_412_480);
        let check = |headers: &[(&'static str, &str)], milliseconds: Option<u64>| {
            let of = |(name, value): &(&'static str, &str)| {
                (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
            };
            let map = HeaderMap::from_iter(headers.iter().map(of));
            assert_eq!(of_headers(&map, now), milliseconds.map(Duration::from_millis), "{headers:?}");
        };
        check(&[], None);
        for (text, milliseconds) in [
            ("7", Some(7000)),
            (" 7 ", Some(7000)),
            ("1.5", Some(1500)),
            ("-7", Some(0)),
            ("0", Some(0)),
            ("1e9", Some(3_600_000)),
            ("99999999999999999999", Some(3_600_000)),
            ("Wed, 21 Oct 2015 07:28:30 GMT", Some(30_000)),
            ("Wednesday, 21-Oct-15 07:28:30 GMT", Some(30_000)),
            ("Wed Oct 21 07:28:30 2015", Some(30_000)),
            ("Wed, 21 Oct 2015 07:20:00 GMT", Some(0)),
            ("Fri, 21 Oct 2095 07:28:00 GMT", Some(3_600_000)),
            ("soon", None),
            ("", None),
            ("NaN", None),
            ("inf", None),
        ] {
            check(&[("retry-after", text)], milliseconds);
        }
        check(&[("retry-after-ms", "250")], Some(250));
        check(&[("x-ms-retry-after-ms", "1200"), ("retry-after", "2")], Some(1200));
        check(&[("retry-after-ms", "soon"), ("retry-after", "2")], Some(2000));
    }
}
