//! The little that we read of class files: their constant pools (Java Virtual Machine Specification, 4.4), and
//! where what follows them begins.

/// What a class file names, and the rest of it.
pub struct Pool<'a> {
    /// By number; the first is none, as in the file.
    pub entries: Vec<Entry<'a>>,
    /// The file from its access flags on.
    pub rest: &'a [u8],
}

/// An entry of the pool, as far as somebody here asks for it.
#[derive(Clone, Copy)]
pub enum Entry<'a> {
    /// A text.
    Text(&'a [u8]),
    /// A class: the number of its name.
    Class(u16),
    /// A field or method: its class, its name and type.
    Member(u16, u16),
    /// A name with a type: the number of the name.
    NameAndType(u16),
    /// Any other, and the second place of one that takes two.
    Other,
}

impl<'a> Pool<'a> {
    /// Reads a class file's pool; `None` where it is no class file.
    pub fn read(bytes: &'a [u8]) -> Option<Pool<'a>> {
        let mut rest = Bytes(bytes.get(8..)?);
        let count = rest.number()?;
        let mut entries = vec![Entry::Other];
        while entries.len() < usize::from(count) {
            let entry = match rest.take(1)? {
                [1] => {
                    let length = rest.number()?;
                    Entry::Text(rest.take(length.into())?)
                }
                [3 | 4 | 17 | 18] => rest.take(4).map(|_| Entry::Other)?,
                [5 | 6] => {
                    rest.take(8)?;
                    // These two take two places.
                    entries.push(Entry::Other);
                    Entry::Other
                }
                [7] => Entry::Class(rest.number()?),
                [9..=11] => Entry::Member(rest.number()?, rest.number()?),
                [12] => {
                    let name = rest.number()?;
                    rest.take(2)?;
                    Entry::NameAndType(name)
                }
                [8 | 16 | 19 | 20] => rest.take(2).map(|_| Entry::Other)?,
                [15] => rest.take(3).map(|_| Entry::Other)?,
                _ => return None,
            };
            entries.push(entry);
        }
        Some(Pool { entries, rest: rest.0 })
    }

    /// The text with this number.
    pub fn text(&self, at: u16) -> Option<&'a str> {
        match self.entries.get(usize::from(at))? {
            Entry::Text(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    /// The name of the class with this number.
    pub fn class(&self, at: u16) -> Option<&'a str> {
        match self.entries.get(usize::from(at))? {
            Entry::Class(name) => self.text(*name),
            _ => None,
        }
    }

    /// The name of the member's name and type with this number.
    pub fn name(&self, at: u16) -> Option<&'a str> {
        match self.entries.get(usize::from(at))? {
            Entry::NameAndType(name) => self.text(*name),
            _ => None,
        }
    }
}

/// Whether a class file's class is public. What is no class file counts as public: nothing is known to hide it.
pub fn is_public(bytes: &[u8]) -> bool {
    let flags = Pool::read(bytes).and_then(|pool| Bytes(pool.rest).number());
    flags.is_none_or(|flags| flags & 1 != 0)
}

/// Bytes that are read from the front.
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// The next so many, where there are as many.
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (part, after) = self.0.split_at_checked(count)?;
        self.0 = after;
        Some(part)
    }

    /// The next number of two bytes.
    pub fn number(&mut self) -> Option<u16> {
        self.take(2)?.try_into().ok().map(u16::from_be_bytes)
    }
}
