//! The files of a folder or an archive that an import may need.
//!
//! They are read into memory within limits; nothing of an archive is written to disk here. Paths are
//! relative with forward slashes and never leave their folder, since the tests' paths are later written
//! below a scratch folder.

use std::{
    collections::BTreeMap,
    io::{Read, Seek, SeekFrom},
    path::Path,
};

use model::problem::Problem;

use super::{humaneval, programs};

/// Maximum number of files; the published checkout has 556.
const MOST_FILES: usize = 20_000;
/// Maximum size of a file in bytes; the largest of the published checkout is a jar of 1.5 MB.
const LARGEST_FILE: u64 = 32 * 1024 * 1024;
/// Maximum total size in bytes: an import is held in memory, and an archive can expand to a thousand times
/// its size.
const LARGEST_TREE: u64 = 128 * 1024 * 1024;

/// Files by their path.
#[derive(Debug, Default)]
pub struct Files {
    /// The name of the file or folder, without a path.
    pub name: String,
    files: BTreeMap<String, Vec<u8>>,
    total: u64,
}

impl Files {
    /// The total size of the files in bytes.
    pub fn size(&self) -> u64 {
        self.total
    }

    /// No files yet, under this name.
    pub fn named(name: impl Into<String>) -> Files {
        Files { name: name.into(), ..Files::default() }
    }

    /// Adds a file.
    ///
    /// # Errors
    ///
    /// Fails if its path leaves the folder or a limit is exceeded.
    pub fn add(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), Problem> {
        let path = checked(path).ok_or_else(|| {
            Problem::new(
                &self.name,
                (
                    format!("the path \"{}\" points outside the archive", shortened(path).escape_debug()),
                    format!("路径“{}”指向压缩包之外", shortened(path).escape_debug()),
                ),
                ("Pack the archive again with relative paths", "请用相对路径重新打包"),
            )
        })?;
        if self.files.get(&path).is_some_and(|other| *other != bytes) {
            return Err(self.twice(&path));
        }
        self.total += bytes.len() as u64;
        if self.files.len() >= MOST_FILES {
            return Err(self.too_much((format!("more than {MOST_FILES} files"), format!("文件超过 {MOST_FILES} 个"))));
        }
        if self.total > LARGEST_TREE {
            return Err(self.too_much((
                format!("unpacked size is more than {} MiB", LARGEST_TREE / 1024 / 1024),
                format!("解压后超过 {} MiB", LARGEST_TREE / 1024 / 1024),
            )));
        }
        self.files.insert(path, bytes);
        Ok(())
    }

    /// Adds a file that may be gzip-compressed, under its name without `.gz`. A file of HumanEval-X stays compressed,
    /// because its SHA-256 is recorded.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read or a limit is exceeded.
    pub fn add_plain(&mut self, name: &str, file: impl Read) -> Result<(), Problem> {
        let mut file = std::io::BufReader::new(file);
        if humaneval::is_own_file(name) {
            let bytes = self.bounded(name, file)?;
            return self.add(name, bytes);
        }
        let packed = std::io::BufRead::fill_buf(&mut file).is_ok_and(|start| start.starts_with(&[0x1f, 0x8b]));
        let bytes = match packed {
            true => self.bounded(name, flate2::bufread::MultiGzDecoder::new(file))?,
            false => self.bounded(name, file)?,
        };
        self.add(name.strip_suffix(".gz").unwrap_or(name), bytes)
    }

    /// The files of a folder that a dataset can use. Links are not followed.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be read or a limit is exceeded.
    pub fn folder(folder: &Path) -> Result<Files, Problem> {
        Files::folder_of(folder, is_relevant)
    }

    /// The files of a folder whose path is wanted.
    ///
    /// # Errors
    ///
    /// As [`Files::folder`].
    pub fn folder_of(folder: &Path, is_relevant: fn(&str) -> bool) -> Result<Files, Problem> {
        let name = folder.canonicalize().ok().and_then(|f| f.file_name().map(|n| n.to_string_lossy().into_owned()));
        let mut files = Files::named(name.unwrap_or_else(|| folder.display().to_string()));
        let failed = |path: &Path, e: &std::io::Error| {
            Problem::new(
                path.display().to_string(),
                (format!("the file cannot be read: {e}"), format!("无法读取文件：{e}")),
                ("Check its name and permissions", "请检查文件名和权限"),
            )
        };
        let mut open = vec![(folder.to_path_buf(), String::new())];
        while let Some((folder, prefix)) = open.pop() {
            for entry in std::fs::read_dir(&folder).map_err(|e| failed(&folder, &e))? {
                let entry = entry.map_err(|e| failed(&folder, &e))?;
                let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
                let kind = entry.file_type().map_err(|e| failed(&entry.path(), &e))?;
                if kind.is_dir() && !is_hidden(&path) && open.len() < MOST_FILES {
                    open.push((entry.path(), format!("{path}/")));
                } else if kind.is_file() && is_relevant(&path) {
                    let file = std::fs::File::open(entry.path()).map_err(|e| failed(&entry.path(), &e))?;
                    let bytes = files.bounded(&path, file)?;
                    files.add(&path, bytes)?;
                }
            }
        }
        Ok(files)
    }

    /// The files of a zip archive that a dataset can use.
    ///
    /// # Errors
    ///
    /// Fails if it is damaged, a path leaves its folder, or a limit is exceeded.
    pub fn zip(name: &str, archive: impl Read + Seek) -> Result<Files, Problem> {
        Files::zip_of(name, archive, is_relevant)
    }

    /// The files of a zip archive whose path is wanted.
    ///
    /// # Errors
    ///
    /// As [`Files::zip`].
    pub fn zip_of(name: &str, archive: impl Read + Seek, is_relevant: fn(&str) -> bool) -> Result<Files, Problem> {
        let mut files = Files::named(name);
        let damaged = |e: zip::result::ZipError| {
            Problem::new(
                name,
                (format!("the zip archive cannot be read ({e})"), format!("无法读取 zip 压缩包（{e}）")),
                ("Pack it again, without a password", "请重新打包，不要设置密码"),
            )
        };
        let mut archive = archive;
        // The library keeps the last of several entries with the same name.
        let start = archives::zip(&mut archive).map_err(damaged)?.central_directory_start();
        let repeated = repeated_name(&mut archive, start, is_relevant);
        if let Some(path) = repeated.map_err(|e| damaged(e.into()))? {
            return Err(files.twice(&path));
        }
        let mut archive = archives::zip(archive).map_err(damaged)?;
        if archive.len() > MOST_FILES {
            return Err(files.too_much((format!("more than {MOST_FILES} files"), format!("文件超过 {MOST_FILES} 个"))));
        }
        for i in 0..archive.len() {
            let entry = archive.by_index(i).map_err(damaged)?;
            let path = entry.name().map_err(damaged)?.into_owned();
            if entry.is_dir() || !is_relevant(&path) {
                continue;
            }
            if !entry.is_file() {
                return Err(files.not_a_file(&path));
            }
            let bytes = files.bounded(&path, entry)?;
            files.add(&path, bytes)?;
        }
        Ok(files)
    }

    /// The files of a gzipped tar archive that a dataset can use.
    ///
    /// # Errors
    ///
    /// Fails if it is damaged, a path leaves its folder, or a limit is exceeded.
    pub fn tar_gz(name: &str, archive: impl Read) -> Result<Files, Problem> {
        Files::tar_gz_of(name, archive, is_relevant)
    }

    /// The files of a gzipped tar archive whose path is wanted.
    ///
    /// # Errors
    ///
    /// As [`Files::tar_gz`].
    pub fn tar_gz_of(name: &str, archive: impl Read, is_relevant: fn(&str) -> bool) -> Result<Files, Problem> {
        let mut files = Files::named(name);
        let damaged = |e: std::io::Error| {
            Problem::new(
                name,
                (format!("the tar archive cannot be read ({e})"), format!("无法读取 tar 压缩包（{e}）")),
                ("Pack it again with tar czf", "请用 tar czf 重新打包"),
            )
        };
        // Skipped files take time, so they count too.
        let plain = flate2::read::MultiGzDecoder::new(archive).take(4 * LARGEST_TREE);
        let (mut archive, limit) = archives::tar(plain);
        for (i, entry) in archive.entries().map_err(damaged)?.enumerate() {
            if i > 4 * MOST_FILES {
                return Err(files.too_much((
                    format!("more than {} entries", 4 * MOST_FILES),
                    format!("条目超过 {} 个", 4 * MOST_FILES),
                )));
            }
            let entry = entry.map_err(damaged)?;
            limit.allow(&entry);
            let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            if entry.header().entry_type().is_dir() || !is_relevant(&path) {
                continue;
            }
            if !entry.header().entry_type().is_file() {
                return Err(files.not_a_file(&path));
            }
            let bytes = files.bounded(&path, entry)?;
            files.add(&path, bytes)?;
        }
        Ok(files)
    }

    /// A file's bytes.
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// A file's text.
    ///
    /// # Errors
    ///
    /// Fails if it is not UTF-8.
    pub fn text(&self, path: &str) -> Option<Result<&str, Problem>> {
        let bytes = self.get(path)?;
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Some(std::str::from_utf8(bytes).map_err(|e| {
            Problem::new(
                path,
                (
                    format!("byte {} is not UTF-8", e.valid_up_to() + 1),
                    format!("第 {} 个字节不是 UTF-8", e.valid_up_to() + 1),
                ),
                ("Save the file as UTF-8", "请保存为 UTF-8 编码"),
            )
        }))
    }

    /// Every file below a folder (given with its slash, or empty for all), by its path in it.
    pub fn below<'f>(&'f self, folder: &'f str) -> impl Iterator<Item = (&'f str, &'f [u8])> {
        self.files.iter().filter_map(move |(path, bytes)| Some((path.strip_prefix(folder)?, bytes.as_slice())))
    }

    /// The folder (with its slash, or empty) that contains `path`; the topmost if there are several.
    pub fn root_of(&self, path: &str) -> Option<String> {
        let roots = self.files.keys().filter_map(|p| p.strip_suffix(path));
        roots.filter(|root| root.is_empty() || root.ends_with('/')).min_by_key(|root| root.len()).map(str::to_owned)
    }

    fn bounded(&self, path: &str, file: impl Read) -> Result<Vec<u8>, Problem> {
        let mut bytes = Vec::new();
        let limit = LARGEST_FILE.min(LARGEST_TREE.saturating_sub(self.total));
        file.take(limit + 1).read_to_end(&mut bytes).map_err(|e| {
            let path = shortened(path);
            Problem::new(
                format!("{}: {path}", self.name),
                (format!("the file cannot be read ({e})"), format!("无法读取文件（{e}）")),
                ("Pack the archive again", "请重新打包"),
            )
        })?;
        let path = shortened(path);
        match bytes.len() as u64 > limit {
            true => Err(self.too_much((format!("\"{path}\" exceeds the size limit"), format!("“{path}”超出大小限制")))),
            false => Ok(bytes),
        }
    }

    /// The problem with a link, a device or a sparse file where an ordinary file is expected.
    fn not_a_file(&self, path: &str) -> Problem {
        let path = shortened(path);
        Problem::new(
            &self.name,
            (format!("\"{path}\" is a link or a special file"), format!("“{path}”是链接或特殊文件")),
            (
                "Pack the file itself: with tar, add --dereference --hard-dereference, and no --sparse",
                "请打包文件本身：使用 tar 时加上 --dereference --hard-dereference，不要用 --sparse",
            ),
        )
    }

    fn twice(&self, path: &str) -> Problem {
        let path = shortened(path);
        Problem::new(
            &self.name,
            (
                format!("two files with different content have the name \"{path}\""),
                format!("有两个内容不同的文件同名：“{path}”"),
            ),
            ("Keep one of them, or rename the other", "请只保留其中一个，或将另一个改名"),
        )
    }

    fn too_much(&self, what: (String, String)) -> Problem {
        let (file, tree) = (LARGEST_FILE / 1024 / 1024, LARGEST_TREE / 1024 / 1024);
        let remedy = (
            format!("The limits are {MOST_FILES} files, {file} MiB per file and {tree} MiB in total"),
            format!("上限为 {MOST_FILES} 个文件，每个 {file} MiB，共 {tree} MiB"),
        );
        Problem::new(&self.name, what, remedy)
    }
}

/// Maximum length of a path in a message, in characters.
const LONGEST_SHOWN: usize = 200;

/// A path for a message: printable, and shortened in the middle, because its end is the most informative
/// part.
fn shortened(path: &str) -> String {
    let half = LONGEST_SHOWN / 2;
    let (start, end) = (path.char_indices().nth(half), path.char_indices().nth_back(half - 1));
    match (start, end) {
        (Some((start, _)), Some((end, _))) if end > start => format!("{}…{}", &path[..start], &path[end..]),
        _ => path.to_owned(),
    }
    .escape_debug()
    .to_string()
}

/// The first relevant name of two entries with different content, in a zip archive whose list of entries begins at
/// `start`.
fn repeated_name(
    archive: &mut (impl Read + Seek),
    start: u64,
    is_relevant: impl Fn(&str) -> bool,
) -> std::io::Result<Option<String>> {
    /// The fixed part of an entry, which begins with its signature (APPNOTE 4.3.12).
    const ENTRY: usize = 46;
    archive.seek(SeekFrom::Start(start))?;
    let mut reader = std::io::BufReader::new(archive);
    let mut seen: BTreeMap<Vec<u8>, [u8; 4]> = BTreeMap::new();
    let mut head = [0; ENTRY];
    while seen.len() <= MOST_FILES && reader.read_exact(&mut head).is_ok() && head.starts_with(b"PK\x01\x02") {
        let length = |at: usize| usize::from(u16::from_le_bytes([head[at], head[at + 1]]));
        let crc = [head[16], head[17], head[18], head[19]];
        let mut name = vec![0; length(28)];
        reader.read_exact(&mut name)?;
        reader.seek_relative((length(30) + length(32)) as i64)?;
        let path = String::from_utf8_lossy(&name).into_owned();
        if seen.insert(name, crc).is_some_and(|other| other != crc) && is_relevant(&path) {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// Whether a dataset can use the file: everything below a resource folder, and these kinds of file. Jars
/// only in `lib/`, test programs only in `tests/`, hidden folders never.
fn is_relevant(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let by_ending = [".java", ".jsonl", ".json", ".md"].iter().any(|ending| name.ends_with(ending));
    !is_hidden(path)
        && (by_ending
            || path.contains("src/main/resources/")
            || name.ends_with(".jar") && path.contains("lib/")
            || path.contains("tests/") && programs::is_test_file(name)
            || humaneval::is_own_file(name)
            || name == "LICENSE")
}

pub(super) fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.') && part != "." && part != ".." || part == "__MACOSX")
}

/// The normalized path; `None` if it leaves its folder.
fn checked(path: &str) -> Option<String> {
    if path.starts_with('/') || path.contains(['\\', '\0', ':']) || path.chars().any(char::is_control) {
        return None;
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    (!parts.is_empty() && !parts.contains(&"..") && path.len() <= 1024).then(|| parts.join("/"))
}

#[cfg(test)]
#[path = "files_test.rs"]
mod tests;
