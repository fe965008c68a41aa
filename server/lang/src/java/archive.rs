//! Compiled classes as files and in frames.

use std::{
    fs,
    io::{self, Read, Write},
    path::Path,
};

use zip::{ZipArchive, ZipWriter, write::SimpleFileOptions};

use crate::{RunContext, native};
use engine::{EngineError, wire::Files};

/// Writes classes to an archive in a temporary folder: the file [`native::PROGRAM`].
///
/// # Errors
/// Fails if the disk is full.
pub fn archived(context: &RunContext, classes: &Files) -> Result<tempfile::TempDir, EngineError> {
    let files = context.temporary()?;
    archive(&files.path().join(native::PROGRAM), classes)?;
    Ok(files)
}

/// Writes classes, by their binary names, to an archive for the class path.
fn archive(file: &Path, classes: &Files) -> io::Result<()> {
    let mut zip = ZipWriter::new(fs::File::create(file)?);
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, bytes) in classes {
        zip.start_file(format!("{}.class", name.replace('.', "/")), stored)?;
        zip.write_all(bytes)?;
    }
    zip.finish()?;
    Ok(())
}

/// Reads the classes of an archive.
///
/// # Errors
/// Fails if the file is not such an archive.
pub fn read_archive(file: &Path) -> io::Result<Files> {
    let mut zip = ZipArchive::new(fs::File::open(file)?)?;
    let mut classes = Files::new();
    for at in 0..zip.len() {
        let mut entry = zip.by_index(at)?;
        let name = entry.name()?.trim_end_matches(".class").replace('/', ".");
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        classes.insert(name, bytes);
    }
    Ok(classes)
}

/// Classes as `Classes.java` reads them from a frame.
pub fn frame(classes: &Files) -> Vec<u8> {
    let number = |length: usize| u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes();
    let mut content = number(classes.len()).to_vec();
    for bytes in classes.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes]) {
        content.extend(number(bytes.len()));
        content.extend(bytes);
    }
    content
}
