//! The list of files in a backup.

use model::time::Timestamp;
use serde::{Deserialize, Serialize};

use base::{clock, error::Failure};
use db::migrations;

/// Number of the format. Increase when an older program could not restore a backup.
const FORMAT: u32 = 1;

/// Maximum size of a manifest in bytes: a database of 300 GB has one of 100 MB.
pub const LARGEST: u64 = 512 << 20;

/// The file that marks a data folder with published passwords; a restored one must be marked, too.
pub const DEMO: &str = "demo";

const UPLOADS: &str = "uploads/";

/// The contents of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// Version of the program that wrote it.
    pub program: String,
    /// Schema of the database.
    pub schema: u32,
    /// Identity of the database.
    pub instance: String,
    /// When the backup began. It has everything that was acknowledged before.
    pub created_at: Timestamp,
    pub files: Vec<Entry>,
}

/// A file of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Path in the data folder, with slashes.
    pub path: String,
    pub bytes: u64,
    /// SHA-256 of its content, in hexadecimal.
    pub sha256: String,
    /// SHA-256 of its parts, in order, if they are stored one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chunks: Vec<String>,
}

impl Manifest {
    /// A backup that begins now. Schema, identity and files are added when they are known.
    pub fn begin() -> Manifest {
        let program = env!("CARGO_PKG_VERSION").to_owned();
        let created_at = clock::now();
        Manifest { format: FORMAT, program, schema: 0, instance: String::new(), created_at, files: Vec::new() }
    }

    /// Reads and checks a manifest. `from` names it in errors.
    ///
    /// # Errors
    /// Refuses text that is no manifest, a newer format or schema, and paths that no data folder has.
    pub fn parse(text: &[u8], from: &str) -> Result<Manifest, Failure> {
        #[derive(Deserialize)]
        struct Head {
            format: u32,
            program: String,
            schema: u32,
        }
        let broken = |why: serde_json::Error| {
            Failure::invalid(from, format!("this is not the list of a backup ({why})"), "Use another backup")
        };
        let head: Head = serde_json::from_slice(text).map_err(broken)?;
        if head.format > FORMAT || head.schema > migrations::newest() {
            return Err(Failure::invalid(
                from,
                format!(
                    "the backup was made by AixGrade {} (format {}, schema {}), and this version reads up to format {FORMAT} \
                     and schema {}",
                    head.program,
                    head.format,
                    head.schema,
                    migrations::newest()
                ),
                "Use that version or a newer one",
            ));
        }
        let manifest: Manifest = serde_json::from_slice(text).map_err(broken)?;
        let strange = manifest.files.iter().find(|entry| {
            !is_part_of_a_data_folder(&entry.path) || !entry.chunks.iter().all(|chunk| is_checksum(chunk))
        });
        if let Some(entry) = strange {
            let what = format!("{:?} is not a file of a data folder", entry.path);
            return Err(Failure::invalid(from, what, "Use another backup"));
        }
        if !manifest.files.iter().any(|entry| entry.path == db::FILE) {
            return Err(Failure::invalid(from, "the backup has no database", "Use another backup"));
        }
        Ok(manifest)
    }

    /// Size of all files in bytes.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|entry| entry.bytes).sum()
    }
}

/// The path of an upload.
pub fn upload(checksum: &str) -> String {
    format!("{UPLOADS}{checksum}")
}

/// Whether a backup may contain a file with this path. Anything else could be written anywhere on the disk.
pub fn is_part_of_a_data_folder(path: &str) -> bool {
    path == db::FILE || path == DEMO || path.strip_prefix(UPLOADS).is_some_and(is_checksum)
}

/// Whether this is a SHA-256 in lower-case hexadecimal.
pub fn is_checksum(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_cannot_name_files_outside_a_data_folder() {
        let hash = "0".repeat(64);
        let upload = format!("uploads/{hash}");
        for path in ["../x", "/etc/passwd", "uploads/../x", "uploads/", "serve.lock", &format!("{upload}/x"), ""] {
            assert!(!is_part_of_a_data_folder(path), "{path}");
        }
        let entry = |path: &str| Entry { path: path.into(), bytes: 1, sha256: hash.clone(), chunks: Vec::new() };
        let mut manifest = Manifest { files: vec![entry(db::FILE), entry(&upload)], schema: 1, ..Manifest::begin() };
        let parse = |manifest: &Manifest| Manifest::parse(&serde_json::to_vec(manifest).unwrap(), "list");
        assert_eq!(parse(&manifest).unwrap(), manifest);
        manifest.files.push(entry("uploads/../../x"));
        assert!(format!("{:?}", parse(&manifest)).contains("is not a file of a data folder"));
        manifest.files = vec![Entry { chunks: vec!["../../x".into()], ..entry(db::FILE) }];
        assert!(parse(&manifest).is_err());
        manifest.files = vec![entry(&upload)];
        assert!(format!("{:?}", parse(&manifest)).contains("no database"));
        let newer_schema = Manifest { schema: migrations::newest() + 1, ..Manifest::begin() };
        for newer in [Manifest { format: FORMAT + 1, ..Manifest::begin() }, newer_schema] {
            assert!(format!("{:?}", parse(&newer)).contains("that version or a newer one"));
        }
        assert!(Manifest::parse(b"{\"format\": 1}", "list").is_err());
    }
}
