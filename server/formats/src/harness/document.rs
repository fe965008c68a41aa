//! JSON documents of any size, read item by item.

use std::{
    cell::{Cell, RefCell},
    fmt,
    io::{self, BufReader, Read},
    marker::PhantomData,
    rc::Rc,
};

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Sink, fault};
use crate::values;

/// Maximum size of one item in bytes, and of what stands between items: an item is held in memory. The transcript of an
/// agent has a few MiB.
pub const LONGEST_ITEM: u64 = 64 * 1024 * 1024;

/// Maximum size of a document in bytes, unpacked.
const LONGEST: u64 = 2 * 1024 * 1024 * 1024;

/// The bytes that may still be read for the current item, and the values that were.
#[derive(Clone)]
pub struct Budget(Rc<(Cell<u64>, RefCell<values::Counter>)>);

impl Budget {
    fn new() -> Budget {
        Budget(Rc::new((Cell::new(LONGEST_ITEM), RefCell::default())))
    }

    /// Another item begins.
    pub fn refill(&self) {
        self.0.0.set(LONGEST_ITEM);
        self.0.1.borrow_mut().reset();
    }
}

/// A reader that fails where an item or the document is too long.
pub struct Bounded<R> {
    reader: BufReader<R>,
    item: Budget,
    document: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (bytes, values) = &*self.item.0;
        let left = bytes.get();
        let (most, limit) = match left <= self.document {
            true => (left, "one item is longer than 64 MiB"),
            false => (self.document, "the document is longer than 2 GiB"),
        };
        if most == 0 && !buffer.is_empty() {
            return Err(io::Error::other(limit));
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.reader.read(buffer.get_mut(..most).unwrap_or_default())?;
        bytes.set(left - read as u64);
        let mut values = values.borrow_mut();
        values.add(buffer.get(..read).unwrap_or_default());
        if values.is_above_limit() {
            return Err(io::Error::other(format!("one item has more than {} values", values::MOST)));
        }
        self.document -= read as u64;
        Ok(read)
    }
}

/// JSON in which Python's numbers that are none (`NaN`, `Infinity`, `-Infinity`) are null.
pub struct Nulls<R> {
    reader: R,
    in_string: bool,
    is_escaped: bool,
    /// What stands for a word, and the byte after it.
    waiting: std::collections::VecDeque<u8>,
}

impl<R: io::BufRead> Nulls<R> {
    pub fn new(reader: R) -> Nulls<R> {
        Nulls { reader, in_string: false, is_escaped: false, waiting: Default::default() }
    }

    fn next(&mut self) -> io::Result<Option<u8>> {
        let Some(byte) = self.reader.fill_buf()?.first().copied() else { return Ok(None) };
        self.reader.consume(1);
        Ok(Some(byte))
    }

    /// Takes the rest of a word.
    fn word(&mut self) -> io::Result<()> {
        while self.reader.fill_buf()?.first().is_some_and(u8::is_ascii_alphabetic) {
            self.reader.consume(1);
        }
        self.waiting.extend(b"null");
        Ok(())
    }

    fn step(&mut self) -> io::Result<()> {
        let Some(byte) = self.next()? else { return Ok(()) };
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.in_string => self.is_escaped = true,
            b'"' => self.in_string = !self.in_string,
            _ if self.in_string => {}
            b'N' | b'I' => return self.word(),
            b'-' if self.reader.fill_buf()?.first() == Some(&b'I') => return self.word(),
            _ => {}
        }
        self.waiting.push_back(byte);
        Ok(())
    }
}

impl<R: io::BufRead> Read for Nulls<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut read = 0;
        while let Some(place) = buffer.get_mut(read) {
            if self.waiting.is_empty() {
                self.step()?;
            }
            let Some(byte) = self.waiting.pop_front() else { break };
            *place = byte;
            read += 1;
        }
        Ok(read)
    }
}

/// JSON that is read from a file with bounded memory.
pub type Json<R> = serde_json::Deserializer<serde_json::de::IoRead<Bounded<R>>>;

/// Reads a document at a place of the file with `walk`. Reports a document that cannot be read. Returns whether it was
/// read to its end.
pub fn read<R: Read>(
    place: &str,
    text: R,
    sink: &mut Sink<'_>,
    walk: impl FnOnce(&mut Json<R>, &Budget, &mut Sink<'_>) -> serde_json::Result<()>,
) -> bool {
    let (mut bounded, budget) = bounded(text);
    skip_mark(&mut bounded.reader);
    let mut json = serde_json::Deserializer::from_reader(bounded);
    let walked = walk(&mut json, &budget, sink).and_then(|()| json.end());
    let Err(e) = walked else { return true };
    let what = (format!("the JSON document cannot be read: {e}"), format!("无法读取该 JSON 文档：{e}"));
    let remedy = match e.is_eof() {
        true => ("Upload the complete file", "请上传完整的文件"),
        false => ("Use the file as the tool wrote it", "请使用该工具写出的原始文件"),
    };
    sink.put(place, Err(fault(what, remedy)));
    false
}

/// A text whose items are bounded by the budget. Its reader refills the budget for each item.
pub fn bounded<R: Read>(text: R) -> (Bounded<R>, Budget) {
    let budget = Budget::new();
    (Bounded { reader: BufReader::new(text), item: budget.clone(), document: LONGEST }, budget)
}

/// Skips a byte order mark. A file that cannot be read fails where it is parsed.
fn skip_mark(reader: &mut BufReader<impl Read>) {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    if io::BufRead::fill_buf(reader).is_ok_and(|start| start.starts_with(MARK)) {
        io::BufRead::consume(reader, MARK.len());
    }
}

/// The items of an array, each with its place.
pub struct Items<'i, T, F> {
    budget: &'i Budget,
    each: F,
    item: PhantomData<T>,
}

impl<'i, T, F: FnMut(usize, T)> Items<'i, T, F> {
    pub fn new(budget: &'i Budget, each: F) -> Self {
        Items { budget, each, item: PhantomData }
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(usize, T)> DeserializeSeed<'de> for Items<'_, T, F> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(usize, T)> Visitor<'de> for Items<'_, T, F> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }
    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        let mut at = 0;
        self.budget.refill();
        while let Some(item) = seq.next_element()? {
            (self.each)(at, item);
            at += 1;
            self.budget.refill();
        }
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Reads a field of an object.
pub trait Members {
    /// Reads the value of the field `name`.
    fn member<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A, budget: &Budget) -> Result<(), A::Error>;
}

/// An object whose fields are read by `M`.
pub struct Whole<'m, M>(pub &'m mut M, pub &'m Budget);

impl<'de, M: Members> DeserializeSeed<'de> for Whole<'_, M> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, M: Members> Visitor<'de> for Whole<'_, M> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            self.1.refill();
            self.0.member(&name, &mut map, self.1)?;
            self.1.refill();
        }
        Ok(())
    }
}

/// The names of the fields of an object whose text may be cut off.
pub fn names(start: &[u8]) -> Vec<String> {
    struct Names(Vec<String>);
    impl Members for Names {
        fn member<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A, _: &Budget) -> Result<(), A::Error> {
            self.0.push(name.to_owned());
            map.next_value::<IgnoredAny>().map(|_| ())
        }
    }
    let mut names = Names(Vec::new());
    let budget = Budget::new();
    // The names before the end of a text that is cut off are known.
    let _ = Whole(&mut names, &budget).deserialize(&mut serde_json::Deserializer::from_slice(start));
    names.0
}

/// A text, or something else that is no output, which is passed over.
pub enum MaybeText {
    Text(String),
    Other,
}

impl<'de> Deserialize<'de> for MaybeText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<MaybeText, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = MaybeText;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }
            fn visit_str<E>(self, text: &str) -> Result<MaybeText, E> {
                Ok(MaybeText::Text(text.to_owned()))
            }
            fn visit_string<E>(self, text: String) -> Result<MaybeText, E> {
                Ok(MaybeText::Text(text))
            }
            fn visit_bool<E>(self, _: bool) -> Result<MaybeText, E> {
                Ok(MaybeText::Other)
            }
            fn visit_i64<E>(self, _: i64) -> Result<MaybeText, E> {
                Ok(MaybeText::Other)
            }
            fn visit_u64<E>(self, _: u64) -> Result<MaybeText, E> {
                Ok(MaybeText::Other)
            }
            fn visit_f64<E>(self, _: f64) -> Result<MaybeText, E> {
                Ok(MaybeText::Other)
            }
            fn visit_unit<E>(self) -> Result<MaybeText, E> {
                Ok(MaybeText::Other)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<MaybeText, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(MaybeText::Other)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<MaybeText, A::Error> {
                while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(MaybeText::Other)
            }
        }
        deserializer.deserialize_any(Any)
    }
}
