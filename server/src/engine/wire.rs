//! Frames on the control socket, as docs/harness-protocol.md describes them: a length of four bytes
//! (big endian), a kind of one, then numbers of four bytes, strings and bytes with their length.

use std::{collections::BTreeMap, io, time::Instant};

use crate::sandbox::Child;

/// Raised with every change of a frame's layout; the same number stands in `Control.java`.
pub const PROTOCOL: u32 = 2;

/// No frame from inside is longer; a longer one is out of step or hostile.
const LONGEST: usize = 64 << 20;

/// Classes or files by name.
pub type Files = BTreeMap<String, Vec<u8>>;

/// A frame in the making.
#[derive(Debug)]
pub struct Frame(Vec<u8>);

impl Frame {
    /// A frame of this kind.
    pub fn new(kind: u8) -> Frame {
        Frame(vec![0, 0, 0, 0, kind])
    }

    /// Adds a number.
    pub fn number(mut self, value: usize) -> Frame {
        // A count or a length of ours; a frame that large would be refused anyway.
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

    /// The frame as it travels.
    pub fn done(mut self) -> Vec<u8> {
        let length = u32::try_from(self.0.len() - 4).unwrap_or(u32::MAX);
        self.0[..4].copy_from_slice(&length.to_be_bytes());
        self.0
    }
}

/// A frame that came.
#[derive(Debug)]
pub struct Reader {
    bytes: Vec<u8>,
    at: usize,
}

impl Reader {
    /// Waits for a frame until the deadline. A frame that is not whole by then can be waited for again.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`], [`io::ErrorKind::UnexpectedEof`] where the program ended, and
    /// [`io::ErrorKind::InvalidData`] for what is no frame.
    pub fn receive(child: &mut Child, deadline: Instant) -> io::Result<Reader> {
        let length = child.await_bytes(4, deadline)?.iter().fold(0, |sum, &b| sum << 8 | usize::from(b));
        if length == 0 || length > LONGEST {
            return Err(out_of_step());
        }
        Ok(Reader { bytes: child.receive(4 + length, deadline)?, at: 4 })
    }

    /// A frame's content that is in memory already.
    pub fn over(bytes: Vec<u8>) -> Reader {
        Reader { bytes, at: 0 }
    }

    /// The kind.
    pub fn kind(&mut self) -> io::Result<u8> {
        Ok(self.take(1)?[0])
    }

    /// A number.
    pub fn number(&mut self) -> io::Result<u32> {
        Ok(self.take(4)?.iter().fold(0, |sum, &b| sum << 8 | u32::from(b)))
    }

    /// Bytes.
    pub fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let length = self.number()? as usize;
        Ok(self.take(length)?.to_vec())
    }

    /// A string.
    pub fn string(&mut self) -> io::Result<String> {
        Ok(String::from_utf8_lossy(&self.bytes()?).into_owned())
    }

    /// A list of strings.
    pub fn strings(&mut self) -> io::Result<Vec<String>> {
        (0..self.number()?).map(|_| self.string()).collect()
    }

    /// Named bytes.
    pub fn files(&mut self) -> io::Result<Files> {
        (0..self.number()?).map(|_| Ok((self.string()?, self.bytes()?))).collect()
    }

    /// Whether everything was read.
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
    fn reads_what_was_written_and_refuses_what_is_cut_off() {
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
