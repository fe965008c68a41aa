//! Frames on the control socket (docs/harness-protocol.md): a length of 4 bytes (big endian), a kind of 1 byte, then
//! numbers of 4 bytes, and strings and bytes with their length.

use std::{collections::BTreeMap, io, time::Instant};

use sandbox::Child;

/// Increase with every change of a frame's layout. `Control.java` has the same number.
pub const PROTOCOL: u32 = 3;

/// Maximum length of a received frame in bytes. A longer one is out of sync or hostile.
const LONGEST: usize = 64 << 20;

/// Classes or files by name.
pub type Files = BTreeMap<String, Vec<u8>>;

/// A frame being built.
#[derive(Debug)]
pub struct Frame(Vec<u8>);

impl Frame {
    /// A frame of this kind.
    pub fn new(kind: u8) -> Frame {
        Frame(vec![0, 0, 0, 0, kind])
    }

    /// Adds a number.
    pub fn number(mut self, value: usize) -> Frame {
        // A count or length of our own. A frame of that size would be rejected anyway.
        self.0.extend_from_slice(&u32::try_from(value).unwrap_or(u32::MAX).to_be_bytes());
        self
    }

    /// Adds bytes.
    pub fn bytes(mut self, value: &[u8]) -> Frame {
        self = self.number(value.len());
        self.0.extend_from_slice(value);
        self
    }

    /// Adds a string.
    pub fn string(self, value: &str) -> Frame {
        self.bytes(value.as_bytes())
    }

    /// Adds a list of strings.
    pub fn strings<'a>(self, values: impl ExactSizeIterator<Item = &'a str>) -> Frame {
        let frame = self.number(values.len());
        values.fold(frame, Frame::string)
    }

    /// Adds named bytes.
    pub fn files<'a>(self, files: impl ExactSizeIterator<Item = (&'a str, &'a [u8])>) -> Frame {
        let frame = self.number(files.len());
        files.fold(frame, |frame, (name, bytes)| frame.string(name).bytes(bytes))
    }

    /// The encoded frame.
    pub fn done(mut self) -> Vec<u8> {
        let length = u32::try_from(self.0.len() - 4).unwrap_or(u32::MAX);
        self.0[..4].copy_from_slice(&length.to_be_bytes());
        self.0
    }
}

/// A received frame.
#[derive(Debug)]
pub struct Reader {
    bytes: Vec<u8>,
    at: usize,
}

impl Reader {
    /// Waits for a frame until the deadline. If it is incomplete by then, the call can be repeated.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::TimedOut`], [`io::ErrorKind::UnexpectedEof`] if the program ended, and
    /// [`io::ErrorKind::InvalidData`] if it is not a frame.
    pub fn receive(child: &mut Child, deadline: Instant) -> io::Result<Reader> {
        Reader::receive_at_most(child, deadline, LONGEST)
    }

    /// Waits until the deadline for a frame of at most `longest` bytes. Nothing is allocated for a longer
    /// one.
    ///
    /// # Errors
    ///
    /// The same as [`Reader::receive`]; a longer frame is [`io::ErrorKind::InvalidData`].
    pub fn receive_at_most(child: &mut Child, deadline: Instant, longest: usize) -> io::Result<Reader> {
        let length = child.await_bytes(4, deadline)?.iter().fold(0, |sum, &b| sum << 8 | usize::from(b));
        if length == 0 || length > longest {
            return Err(out_of_step());
        }
        Ok(Reader { bytes: child.receive(4 + length, deadline)?, at: 4 })
    }

    /// Reads the content of a frame that is already in memory.
    pub fn over(bytes: Vec<u8>) -> Reader {
        Reader { bytes, at: 0 }
    }

    /// Reads the kind.
    pub fn kind(&mut self) -> io::Result<u8> {
        Ok(self.take(1)?[0])
    }

    /// Reads a number.
    pub fn number(&mut self) -> io::Result<u32> {
        Ok(self.take(4)?.iter().fold(0, |sum, &b| sum << 8 | u32::from(b)))
    }

    /// Reads bytes.
    pub fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let length = self.number()? as usize;
        Ok(self.take(length)?.to_vec())
    }

    /// Reads a string.
    pub fn string(&mut self) -> io::Result<String> {
        Ok(String::from_utf8_lossy(&self.bytes()?).into_owned())
    }

    /// Reads a string of at most `longest` characters.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::InvalidData`] for a longer one, and for one that is not UTF-8.
    pub fn text(&mut self, longest: usize) -> io::Result<String> {
        let length = self.number()? as usize;
        let text = std::str::from_utf8(self.take(length)?).map_err(|_| out_of_step())?;
        if text.chars().nth(longest).is_some() {
            return Err(out_of_step());
        }
        Ok(text.to_owned())
    }

    /// Reads a number that is at most `most`.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::InvalidData`] for a larger one.
    pub fn number_at_most(&mut self, most: u32) -> io::Result<u32> {
        self.number().and_then(|number| if number <= most { Ok(number) } else { Err(out_of_step()) })
    }

    /// Reads a list of strings.
    pub fn strings(&mut self) -> io::Result<Vec<String>> {
        (0..self.number()?).map(|_| self.string()).collect()
    }

    /// Reads named bytes.
    pub fn files(&mut self) -> io::Result<Files> {
        (0..self.number()?).map(|_| Ok((self.string()?, self.bytes()?))).collect()
    }

    /// Whether all bytes have been read.
    pub fn is_done(&self) -> bool {
        self.at == self.bytes.len()
    }

    fn take(&mut self, length: usize) -> io::Result<&[u8]> {
        let end = self.at.checked_add(length).filter(|&end| end <= self.bytes.len()).ok_or_else(out_of_step)?;
        let part = &self.bytes[self.at..end];
        self.at = end;
        Ok(part)
    }
}

fn out_of_step() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "not a frame")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_bounds_of_texts_and_numbers() {
        let frame = Frame::new(b'X').string("né").number(7).bytes(&[0xff]).done();
        let reader = || Reader { bytes: frame[5..].to_vec(), at: 0 };
        assert_eq!(reader().text(2).unwrap(), "né");
        assert_eq!(reader().text(1).unwrap_err().kind(), io::ErrorKind::InvalidData);
        let mut rest = reader();
        rest.text(2).unwrap();
        assert_eq!(rest.number_at_most(7).unwrap(), 7);
        assert!(rest.text(9).is_err(), "not UTF-8");
        let mut rest = reader();
        rest.text(2).unwrap();
        assert!(rest.number_at_most(6).is_err());
    }

    #[test]
    fn round_trips_and_rejects_truncated_frames() {
        let classes = Files::from([("A".into(), vec![1, 2, 3])]);
        let frame =
            Frame::new(b'X').number(7).string("né").files(classes.iter().map(|(n, b)| (n.as_str(), b.as_slice())));
        let bytes = frame.done();
        assert_eq!(bytes[..4], u32::try_from(bytes.len() - 4).unwrap().to_be_bytes());
        for cut in 4..=bytes.len() {
            let mut reader = Reader::over(bytes[4..cut].to_vec());
            let mut all = || Ok::<_, io::Error>((reader.kind()?, reader.number()?, reader.string()?, reader.files()?));
            match all() {
                Ok(read) => assert_eq!((read, cut), ((b'X', 7, "né".into(), classes.clone()), bytes.len())),
                Err(e) => assert!(cut < bytes.len() && e.kind() == io::ErrorKind::InvalidData),
            }
        }
    }
}
