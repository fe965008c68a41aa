//! Limits on what an archive makes its reader keep in memory before it hands over an entry: the names and other headers of
//! tar, the list of entries of zip. Both can be gigabytes in a file of kilobytes. What the entries contain is bounded by
//! those who read them.
//!
//! Every archive that comes from outside is opened with [`tar()`] or [`zip()`]. This crate may not know what the archives
//! are for.

use std::{
    io::{self, Read, Seek, SeekFrom},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use zip::{ZipArchive, result::ZipResult};

/// Most bytes of headers between two entries of a tar archive: long names, and attributes that are not used.
const LARGEST_HEADERS: u64 = 256 << 10;

/// Most bytes of the list of entries of a zip archive. An entry has at least 46 and takes some hundreds in memory.
const LARGEST_LIST: u64 = 16 << 20;

/// A reader of at most as many bytes as its [`Limit`] allows.
#[derive(Debug)]
pub struct Limited<R> {
    inner: R,
    limit: Limit,
}

/// How many bytes a [`Limited`] may still read.
#[derive(Clone, Debug)]
pub struct Limit(Arc<AtomicU64>);

impl Limit {
    fn new(bytes: u64) -> Limit {
        Limit(Arc::new(AtomicU64::new(bytes)))
    }

    /// Lets an entry be read or skipped, and the headers of the next one be read. Must be called with each entry.
    pub fn allow<R: Read>(&self, entry: &tar::Entry<'_, R>) {
        // The size of a sparse file counts what is not stored.
        let stored = match entry.header().entry_type() {
            tar::EntryType::GNUSparse => entry.header().entry_size().unwrap_or_default(),
            _ => entry.size(),
        };
        self.0.store(stored.saturating_add(LARGEST_HEADERS), Ordering::Relaxed);
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.limit.0.load(Ordering::Relaxed);
        if left == 0 && !buffer.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "its names and other headers are too long"));
        }
        let most = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let read = self.inner.read(&mut buffer[..most])?;
        self.limit.0.store(left - read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl<R: Seek> Seek for Limited<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

/// A tar archive, and its limit, which must [`Limit::allow`] each entry.
pub fn tar<R: Read>(archive: R) -> (tar::Archive<Limited<R>>, Limit) {
    let limit = Limit::new(LARGEST_HEADERS);
    (tar::Archive::new(Limited { inner: archive, limit: limit.clone() }), limit)
}

/// A zip archive.
///
/// # Errors
/// Fails if it is damaged, or if the list of its entries is larger than 16 MiB.
pub fn zip<R: Read + Seek>(archive: R) -> ZipResult<ZipArchive<Limited<R>>> {
    let limit = Limit::new(LARGEST_LIST);
    let archive = ZipArchive::new(Limited { inner: archive, limit: limit.clone() })?;
    limit.0.store(u64::MAX, Ordering::Relaxed);
    Ok(archive)
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::*;

    fn header(kind: tar::EntryType, bytes: u64) -> tar::Header {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(bytes);
        header.set_path("file").unwrap();
        header.set_cksum();
        header
    }

    /// The paths and sizes of an archive's entries, which are skipped.
    fn listed(archive: impl Read) -> io::Result<Vec<(String, u64)>> {
        let (mut archive, limit) = tar(archive);
        let entries = archive.entries()?.map(|entry| {
            let entry = entry?;
            limit.allow(&entry);
            Ok((String::from_utf8_lossy(&entry.path_bytes()).into_owned(), entry.size()))
        });
        entries.collect()
    }

    #[test]
    fn ordinary_archives_are_read_whole() {
        let mut archive = tar::Builder::new(Vec::new());
        let (large, long) = (vec![7; 3 << 20], format!("{}/file", "folder/".repeat(500)));
        archive.append_data(&mut header(tar::EntryType::Regular, large.len() as u64), "large", &*large).unwrap();
        archive.append_data(&mut header(tar::EntryType::Regular, 1), &long, &b"1"[..]).unwrap();
        archive.append_pax_extensions([("comment", &b"c"[..]), ("path", b"of a header")]).unwrap();
        archive.append_data(&mut header(tar::EntryType::Regular, large.len() as u64), "x", &*large).unwrap();
        let archive = archive.into_inner().unwrap();
        let size = large.len() as u64;
        let expected = [("large".to_owned(), size), (long.replace("//", "/"), 1), ("of a header".to_owned(), size)];
        let found: Vec<_> =
            listed(&*archive).unwrap().into_iter().map(|(path, size)| (path.replace("//", "/"), size)).collect();
        assert_eq!(found, expected);
        // Read instead of skipped.
        let (mut archive, limit) = tar(&*archive);
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            limit.allow(&entry);
            assert_eq!(io::copy(&mut entry, &mut io::sink()).unwrap(), entry.size());
        }
    }

    #[test]
    fn headers_without_end_are_refused_before_they_are_in_memory() {
        for kind in [tar::EntryType::GNULongName, tar::EntryType::GNULongLink, tar::EntryType::XHeader] {
            for before in [0, 2] {
                let mut archive = tar::Builder::new(Vec::new());
                for _ in 0..before {
                    archive.append(&header(tar::EntryType::Regular, 5), &b"12345"[..]).unwrap();
                }
                let start = archive.into_inner().unwrap();
                // Two blocks of zeros end an archive.
                let start = &start[..start.len() - 1024];
                let bytes: u64 = 1 << 40;
                let header = header(kind, bytes);
                let archive = start.chain(&header.as_bytes()[..]).chain(io::repeat(b'a').take(bytes));
                let error = listed(archive).unwrap_err();
                assert!(error.to_string().contains("too long"), "{kind:?}: {error}");
            }
        }
        // A sparse file of a terabyte, of which nothing is stored, allows no headers of a terabyte.
        let mut sparse = header(tar::EntryType::GNUSparse, 0);
        sparse.as_gnu_mut().unwrap().set_real_size(1 << 40);
        sparse.set_cksum();
        let long = header(tar::EntryType::GNULongName, 1 << 39);
        let archive = sparse.as_bytes().chain(&long.as_bytes()[..]);
        assert!(listed(archive.chain(io::repeat(b'a').take(1 << 39))).is_err());
    }

    #[test]
    fn a_list_of_millions_of_entries_is_refused() {
        let archive = |entries: u32| {
            let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
            archive.start_file("a", zip::write::SimpleFileOptions::default()).unwrap();
            archive.write_all(b"content").unwrap();
            let bytes = archive.finish().unwrap().into_inner();
            let list = bytes.windows(4).position(|at| at == b"PK\x01\x02").unwrap();
            let end = bytes.windows(4).position(|at| at == b"PK\x05\x06").unwrap();
            let (content, entry) = (&bytes[..list], &bytes[list..end]);
            // The same entry again and again, and the end of the format for more than 65,535.
            let mut many = content.to_vec();
            for at in 0..entries {
                many.extend(&entry[..46]);
                let name = many.len() - 46 + 28;
                many[name..name + 2].copy_from_slice(&8_u16.to_le_bytes());
                many.extend(format!("{at:08}").bytes());
                many.extend(&entry[47..]);
            }
            let (at, start) = (many.len() as u64, content.len() as u64);
            many.extend(b"PK\x06\x06");
            many.extend(44_u64.to_le_bytes());
            many.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
            for number in [u64::from(entries), u64::from(entries), at - start, start] {
                many.extend(number.to_le_bytes());
            }
            many.extend(b"PK\x06\x07\0\0\0\0");
            many.extend(at.to_le_bytes());
            many.extend(1_u32.to_le_bytes());
            many.extend(b"PK\x05\x06\0\0\0\0");
            many.extend([0xff; 12]);
            many.extend([0, 0]);
            Cursor::new(many)
        };
        let mut few = zip(archive(70_000)).unwrap();
        assert_eq!(few.len(), 70_000);
        let mut content = String::new();
        few.by_index(69_999).unwrap().read_to_string(&mut content).unwrap();
        assert_eq!(content, "content");
        let error = zip(archive(400_000)).unwrap_err();
        assert!(error.to_string().contains("too long"), "{error}");
    }
}
