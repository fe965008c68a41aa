//! Puts a method of ours in front of one in a class file.
//!
//! The edit is the same for every JDK version: it renames the method and adds one under the old name. It changes no
//! existing instruction.

use super::classfile::{Bytes, Pool};

const NATIVE_OR_ABSTRACT: u16 = 0x0100 | 0x0400;
const SYNCHRONIZED: u16 = 0x0020;

/// Entries that are appended to a constant pool. Each method returns the new entry's number; `None` if there are too
/// many.
pub struct Names {
    next: u16,
    bytes: Vec<u8>,
}

impl Names {
    /// After a pool with this many entries, the unused one included.
    pub fn after(entries: usize) -> Option<Names> {
        Some(Names { next: u16::try_from(entries).ok()?, bytes: Vec::new() })
    }

    /// The number of the next entry, and the bytes of all.
    pub fn done(self) -> (u16, Vec<u8>) {
        (self.next, self.bytes)
    }

    /// An entry of these parts.
    pub fn entry(&mut self, parts: &[&[u8]]) -> Option<u16> {
        let number = self.next;
        self.next = number.checked_add(1)?;
        self.bytes.extend(parts.concat());
        Some(number)
    }

    /// A text.
    pub fn text(&mut self, text: &str) -> Option<u16> {
        let length = u16::try_from(text.len()).ok()?.to_be_bytes();
        self.entry(&[&[1], &length, text.as_bytes()])
    }

    /// A string constant.
    pub fn string(&mut self, text: &str) -> Option<u16> {
        let text = self.text(text)?;
        self.entry(&[&[8], &text.to_be_bytes()])
    }

    /// A class.
    pub fn class(&mut self, name: &str) -> Option<u16> {
        let name = self.text(name)?;
        self.entry(&[&[7], &name.to_be_bytes()])
    }

    /// A method of a class, by the numbers of its class, name and descriptor.
    pub fn method(&mut self, class: u16, name: u16, descriptor: u16) -> Option<u16> {
        self.member(10, class, name, descriptor)
    }

    /// The same of an interface.
    pub fn interface_method(&mut self, class: u16, name: u16, descriptor: u16) -> Option<u16> {
        self.member(11, class, name, descriptor)
    }

    fn member(&mut self, kind: u8, class: u16, name: u16, descriptor: u16) -> Option<u16> {
        let both = self.entry(&[&[12], &name.to_be_bytes(), &descriptor.to_be_bytes()])?;
        self.entry(&[&[kind], &class.to_be_bytes(), &both.to_be_bytes()])
    }
}

/// A method that was renamed.
pub struct Renamed<'a> {
    /// Its flags.
    pub flags: u16,
    /// Its descriptor.
    pub descriptor: &'a str,
    /// The number of its entry, to call it by.
    pub original: u16,
}

/// A method's code without jumps, exceptions and attributes.
pub struct Code {
    /// The most values on its stack.
    pub stack: u16,
    /// Its local variables, the parameters included.
    pub locals: u16,
    /// Its instructions.
    pub bytes: Vec<u8>,
}

/// A class file in which each method that `is_meant` chooses by name and descriptor got `suffix` to its name, with a
/// method of `code` under its old one; `None` if there is no such method, or one that has no code or gets none.
pub fn in_front(
    class: &[u8],
    suffix: &str,
    is_meant: impl Fn(&str, &str) -> bool,
    code: impl Fn(&mut Names, &Renamed<'_>) -> Option<Code>,
) -> Option<Vec<u8>> {
    let pool = Pool::read(class)?;
    let mut names = Names::after(pool.entries.len())?;
    let attribute = names.text("Code")?;

    let mut rest = Bytes(pool.rest);
    rest.take(2)?;
    let this = rest.number()?;
    rest.take(2)?;
    let interfaces = rest.number()?;
    rest.take(usize::from(interfaces) * 2)?;
    for _ in 0..rest.number()? {
        rest.take(6)?;
        rest.skip_attributes()?;
    }
    let head = &pool.rest[..pool.rest.len() - rest.0.len()];
    let count = rest.number()?;
    let (mut methods, mut added) = (Vec::new(), Vec::new());
    let mut number_added: u16 = 0;
    for _ in 0..count {
        let begin = rest.0;
        let (flags, name, kind) = (rest.number()?, rest.number()?, rest.number()?);
        rest.skip_attributes()?;
        let whole = &begin[..begin.len() - rest.0.len()];
        let (old, descriptor) = match (pool.text(name), pool.text(kind)) {
            (Some(old), Some(descriptor)) if is_meant(old, descriptor) => (old, descriptor),
            _ => {
                methods.extend_from_slice(whole);
                continue;
            }
        };
        if flags & NATIVE_OR_ABSTRACT != 0 {
            return None;
        }
        let renamed = names.text(&format!("{old}{suffix}"))?;
        let original = names.method(this, renamed, kind)?;
        let code = code(&mut names, &Renamed { flags, descriptor, original })?;
        methods.extend([&flags.to_be_bytes()[..], &renamed.to_be_bytes(), &whole[4..]].concat());
        let length = u32::try_from(code.bytes.len()).ok()?.to_be_bytes();
        // No exception table, no attributes: without a jump no stack map is needed.
        let body = [&code.stack.to_be_bytes()[..], &code.locals.to_be_bytes(), &length, &code.bytes, &[0; 4]].concat();
        let flags = flags & !SYNCHRONIZED;
        added.extend([flags, name, kind, 1, attribute].map(u16::to_be_bytes).concat());
        added.extend(u32::try_from(body.len()).ok()?.to_be_bytes());
        added.extend(body);
        number_added = number_added.checked_add(1)?;
    }
    if number_added == 0 {
        return None;
    }
    let old_names = class.get(10..class.len() - pool.rest.len())?;
    let count = count.checked_add(number_added)?;
    let (next, new_names) = names.done();
    let parts = [&class[..8], &next.to_be_bytes(), old_names, &new_names, head, &count.to_be_bytes(), &methods, &added];
    Some([&parts.concat()[..], rest.0].concat())
}
