//! What the operator's options about other servers have in common: secrets in files, and what is wrong with an option.

use std::{fmt, fs, path::Path, sync::Arc};

/// Maximum size of a file with a secret, in bytes.
const LARGEST_SECRET: u64 = 16 * 1024;

/// A secret that is never part of an error or the log.
#[derive(Clone)]
pub struct Secret(Arc<str>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Why the operator's options cannot be used: the option, what is wrong, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub option: &'static str,
    pub what: String,
    pub remedy: &'static str,
}

impl Secret {
    /// The secret itself.
    pub fn new(secret: &str) -> Secret {
        Secret(secret.into())
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Reads it from the file that an option names.
    ///
    /// # Errors
    /// The file cannot be read, or contains no secret.
    pub fn read(file: &Path, option: &'static str) -> Result<Secret, Fault> {
        let fault = |what: String| Fault { option, what, remedy: "Name a readable file that contains only the secret" };
        let size = fs::metadata(file).map_err(|e| fault(format!("{} cannot be read: {e}", file.display())))?.len();
        if size > LARGEST_SECRET {
            return Err(fault(format!("{} is larger than 16 KiB", file.display())));
        }
        let text = fs::read_to_string(file).map_err(|e| fault(format!("{} cannot be read: {e}", file.display())))?;
        match text.trim() {
            "" => Err(fault(format!("{} is empty", file.display()))),
            secret => Ok(Secret(secret.into())),
        }
    }
}
