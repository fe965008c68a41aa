//! Folders that only their owner may read.

use std::{fs::DirBuilder, io, os::unix::fs::DirBuilderExt, path::Path};

/// Creates a folder, and those above it, where they are missing. An existing folder keeps its permissions.
///
/// # Errors
/// It cannot be created.
pub fn create_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}
