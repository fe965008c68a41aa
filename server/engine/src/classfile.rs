//! Reads the parts of a class file that the engine needs: constant pool (Java Virtual Machine Specification, 4.4),
//! methods and supertypes.

/// The constant pool of a class file, and the bytes that follow it.
pub struct Pool<'a> {
    /// Entries by index. Entry 0 is unused, as in the file.
    pub entries: Vec<Entry<'a>>,
    /// Where each entry begins, counted in bytes from the first one.
    pub starts: Vec<usize>,
    /// The file's content from the access flags on.
    pub rest: &'a [u8],
}

/// An entry of the pool.
#[derive(Clone, Copy)]
pub enum Entry<'a> {
    /// A UTF-8 text.
    Text(&'a [u8]),
    /// A class: the index of its name.
    Class(u16),
    /// A field or method: the indexes of its class and of its name and type.
    Member(u16, u16),
    /// A name and type: the indexes of both.
    NameAndType(u16, u16),
    /// Any other entry, and the second slot of an entry that takes two.
    Other,
}

impl<'a> Pool<'a> {
    /// Parses a class file's pool; `None` if the file is not a class file.
    pub fn read(bytes: &'a [u8]) -> Option<Pool<'a>> {
        let mut rest = Bytes(bytes.get(8..)?);
        let count = rest.number()?;
        let whole = rest.0.len();
        let (mut entries, mut starts) = (vec![Entry::Other], vec![0]);
        while entries.len() < usize::from(count) {
            let start = whole - rest.0.len();
            let entry = match rest.take(1)? {
                [1] => {
                    let length = rest.number()?;
                    Entry::Text(rest.take(length.into())?)
                }
                [3 | 4 | 17 | 18] => rest.take(4).map(|_| Entry::Other)?,
                [5 | 6] => {
                    rest.take(8)?;
                    // `long` and `double` entries take two slots.
                    entries.push(Entry::Other);
                    starts.push(start);
                    Entry::Other
                }
                [7] => Entry::Class(rest.number()?),
                [9..=11] => Entry::Member(rest.number()?, rest.number()?),
                [12] => Entry::NameAndType(rest.number()?, rest.number()?),
                [8 | 16 | 19 | 20] => rest.take(2).map(|_| Entry::Other)?,
                [15] => rest.take(3).map(|_| Entry::Other)?,
                _ => return None,
            };
            entries.push(entry);
            starts.push(start);
        }
        Some(Pool { entries, starts, rest: rest.0 })
    }

    /// The class's own methods: flags, name and descriptor of each; `None` if the file is damaged.
    pub fn methods(&self) -> Option<Vec<(u16, &'a str, &'a str)>> {
        let mut rest = Bytes(self.rest);
        rest.take(6)?;
        let interfaces = rest.number()?;
        rest.take(usize::from(interfaces) * 2)?;
        for _ in 0..rest.number()? {
            rest.take(6)?;
            rest.skip_attributes()?;
        }
        let count = rest.number()?;
        let mut methods = Vec::new();
        for _ in 0..count {
            let (flags, name, descriptor) = (rest.number()?, rest.number()?, rest.number()?);
            rest.skip_attributes()?;
            methods.push((flags, self.text(name)?, self.text(descriptor)?));
        }
        Some(methods)
    }

    /// The text at this index.
    pub fn text(&self, at: u16) -> Option<&'a str> {
        match self.entries.get(usize::from(at))? {
            Entry::Text(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    /// The name of the class at this index.
    pub fn class(&self, at: u16) -> Option<&'a str> {
        match self.entries.get(usize::from(at))? {
            Entry::Class(name) => self.text(*name),
            _ => None,
        }
    }

    /// The name in the name-and-type entry at this index.
    pub fn name(&self, at: u16) -> Option<&'a str> {
        match self.entries.get(usize::from(at))? {
            Entry::NameAndType(name, _) => self.text(*name),
            _ => None,
        }
    }

    /// The descriptor in the name-and-type entry at this index.
    pub fn descriptor(&self, at: u16) -> Option<&'a str> {
        match self.entries.get(usize::from(at))? {
            Entry::NameAndType(_, descriptor) => self.text(*descriptor),
            _ => None,
        }
    }

    /// The names of the class's superclass and interfaces; `None` if the file is damaged.
    pub fn supertypes(&self) -> Option<Vec<&'a str>> {
        let mut rest = Bytes(self.rest);
        rest.take(4)?;
        let superclass = rest.number()?;
        let interfaces = rest.number()?;
        let all = (0..interfaces).map(|_| rest.number()).chain([Some(superclass)]);
        all.map(|number| self.class(number?)).collect()
    }
}

/// The flag of what is public.
pub const PUBLIC: u16 = 0x0001;

/// Static, final, bridge, synthetic: no class overrides such a method.
const NOT_OVERRIDDEN: u16 = 0x0008 | 0x0010 | 0x0040 | 0x1000;

/// Whether a subclass in another package can override the method with these flags and this name.
pub fn can_be_overridden(flags: u16, name: &str) -> bool {
    flags & PUBLIC != 0 && flags & NOT_OVERRIDDEN == 0 && !name.starts_with('<')
}

/// Whether a class file's class is public. Unparsable files count as public.
pub fn is_public(bytes: &[u8]) -> bool {
    let flags = Pool::read(bytes).and_then(|pool| Bytes(pool.rest).number());
    flags.is_none_or(|flags| flags & PUBLIC != 0)
}

/// Reads bytes from the front.
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// The next `count` bytes; `None` if there are fewer.
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (part, after) = self.0.split_at_checked(count)?;
        self.0 = after;
        Some(part)
    }

    /// Skips a list of attributes.
    pub fn skip_attributes(&mut self) -> Option<()> {
        for _ in 0..self.number()? {
            self.take(2)?;
            let length = u32::from_be_bytes(self.take(4)?.try_into().ok()?);
            self.take(usize::try_from(length).ok()?)?;
        }
        Some(())
    }

    /// The next two-byte number.
    pub fn number(&mut self) -> Option<u16> {
        self.take(2)?.try_into().ok().map(u16::from_be_bytes)
    }
}
