//! The time zone in which a person reads times.

use std::fmt;

use super::time::Timestamp;

/// A time zone by its name in the IANA database, such as `Asia/Shanghai`; UTC by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeZone(Option<&'static str>);

impl TimeZone {
    /// The name; `UTC` for UTC.
    pub fn name(self) -> &'static str {
        self.0.unwrap_or("UTC")
    }

    /// The time zone with this name, if the server's database has it.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn of(name: &str) -> Option<TimeZone> {
        if name == "UTC" {
            return Some(TimeZone(None));
        }
        let names = database::names();
        let at = names.binary_search_by(|known| known.as_str().cmp(name)).ok()?;
        names.get(at).map(|known| TimeZone(Some(known.as_str())))
    }

    /// The time zone with this name. The server has checked it.
    #[cfg(target_arch = "wasm32")]
    pub fn of(name: &str) -> Option<TimeZone> {
        use std::cell::Cell;

        thread_local! {
            // A page has the visitor's time zone and no other, so that little is ever leaked.
            static LAST: Cell<&'static str> = const { Cell::new("UTC") };
        }
        match name {
            "" => return None,
            "UTC" => return Some(TimeZone(None)),
            _ => {}
        }
        if LAST.get() != name {
            LAST.set(String::leak(name.to_owned()));
        }
        Some(TimeZone(Some(LAST.get())))
    }

    /// Names of all time zones that a form offers, in alphabetical order, without UTC.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn all() -> &'static [String] {
        database::names()
    }

    /// Name of the time zone that the browser runs in; always absent on the server.
    pub fn of_device() -> Option<String> {
        of_device()
    }

    /// Minutes that clocks in this zone are ahead of UTC at that time; 0 if neither the server nor the browser knows.
    pub fn offset_minutes(self, at: Timestamp) -> i32 {
        self.0.and_then(|name| offset_minutes(name, at)).unwrap_or(0)
    }
}

impl fmt::Display for TimeZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(not(target_arch = "wasm32"))]
use database::offset_minutes;

#[cfg(not(target_arch = "wasm32"))]
fn of_device() -> Option<String> {
    None
}

#[cfg(target_arch = "wasm32")]
fn of_device() -> Option<String> {
    use js_sys::{Array, Intl::DateTimeFormat, Object, Reflect};

    let options = DateTimeFormat::new(&Array::new(), &Object::new()).resolved_options();
    Reflect::get(&options, &"timeZone".into()).ok()?.as_string()
}

#[cfg(not(target_arch = "wasm32"))]
mod database {
    use std::sync::LazyLock;

    use jiff::tz::TimeZoneDatabase;

    use super::Timestamp;

    // The database in the program, so that every machine has the same names.
    static DATABASE: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

    /// Zones of places, `Area/Place`: not `EST` or `Etc/GMT+5`.
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let mut names: Vec<String> = DATABASE
            .available()
            .map(|name| name.to_string())
            .filter(|name| name.contains('/') && !name.starts_with("Etc/"))
            .collect();
        names.sort_unstable();
        names
    });

    pub fn names() -> &'static [String] {
        &NAMES
    }

    pub fn offset_minutes(name: &str, at: Timestamp) -> Option<i32> {
        let zone = DATABASE.get(name).ok()?;
        let at = jiff::Timestamp::from_millisecond(at.0).ok()?;
        Some(zone.to_offset(at).seconds().div_euclid(60))
    }
}

/// From the browser's database: `GMT+08:00` at the end of a date that is formatted for it.
#[cfg(target_arch = "wasm32")]
fn offset_minutes(name: &str, at: Timestamp) -> Option<i32> {
    use wasm_bindgen::{JsCast, JsValue};

    let options = js_sys::Object::new();
    for (key, value) in [("timeZone", name), ("timeZoneName", "longOffset")] {
        js_sys::Reflect::set(&options, &key.into(), &value.into()).ok()?;
    }
    // Not by its own constructor: an older browser throws for a time zone or an option that it does not know.
    let intl = js_sys::Reflect::get(&js_sys::global(), &"Intl".into()).ok()?;
    let class: js_sys::Function = js_sys::Reflect::get(&intl, &"DateTimeFormat".into()).ok()?.dyn_into().ok()?;
    let arguments = js_sys::Array::of2(&"en".into(), &options);
    let format: js_sys::Intl::DateTimeFormat = js_sys::Reflect::construct(&class, &arguments).ok()?.unchecked_into();
    #[allow(clippy::cast_precision_loss, reason = "times are far below 2^53 ms")]
    let date = js_sys::Date::new(&JsValue::from_f64(at.0 as f64));
    let text = format.format().call1(&JsValue::UNDEFINED, date.unchecked_ref()).ok()?.as_string()?;
    read_offset(text.rsplit_once("GMT")?.1)
}

/// Minutes of `+08:00` or `−05:30`; nothing at all is 0.
#[cfg(any(target_arch = "wasm32", test))]
fn read_offset(text: &str) -> Option<i32> {
    if text.is_empty() {
        return Some(0);
    }
    let (sign, clock) = match text.strip_prefix('+') {
        Some(clock) => (1, clock),
        None => (-1, text.strip_prefix(['-', '\u{2212}'])?),
    };
    let mut parts = clock.split(':').map(|part| part.parse::<i32>().ok());
    let (hours, minutes) = (parts.next()??, parts.next().unwrap_or(Some(0))?);
    Some(sign * (hours * 60 + minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(target_arch = "wasm32"))]
    fn zone(name: &str) -> TimeZone {
        TimeZone::of(name).unwrap()
    }

    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn summer_time_counts() {
        let (january, july) = (Timestamp(1_768_478_400_000), Timestamp(1_784_116_800_000));
        let offsets = |name| (zone(name).offset_minutes(january), zone(name).offset_minutes(july));
        assert_eq!(offsets("Asia/Shanghai"), (480, 480));
        assert_eq!(offsets("Europe/Berlin"), (60, 120));
        assert_eq!(offsets("America/New_York"), (-300, -240));
        assert_eq!(offsets("Asia/Kolkata"), (330, 330));
        assert_eq!(offsets("UTC"), (0, 0));
    }

    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn only_places_of_the_database_are_known() {
        assert_eq!(zone("UTC"), TimeZone::default());
        assert_eq!(zone("Europe/Berlin").name(), "Europe/Berlin");
        for name in ["", "Berlin", "europe/berlin", "Etc/GMT+5", "../etc/passwd"] {
            assert_eq!(TimeZone::of(name), None, "{name}");
        }
        assert!(TimeZone::all().len() > 300);
    }

    #[test]
    fn offsets_of_browsers_are_read() {
        assert_eq!(read_offset("+08:00"), Some(480));
        assert_eq!(read_offset("-05:30"), Some(-330));
        assert_eq!(read_offset("\u{2212}03:00"), Some(-180));
        assert_eq!(read_offset("+5"), Some(300));
        assert_eq!(read_offset(""), Some(0));
        assert_eq!(read_offset("+x"), None);
        assert_eq!(read_offset("08:00"), None);
    }
}
