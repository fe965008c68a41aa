//! Tests of `files.rs`.

use std::io::{Cursor, Write};

use super::*;

#[test]
fn paths_stay_in_their_folder() {
    let check = |path, expected: Option<&str>| assert_eq!(checked(path).as_deref(), expected, "{path}");
    check("./a//b.java", Some("a/b.java"));
    check("a/../b.java", None);
    check("../b.java", None);
    check("/etc/passwd", None);
    check("C:\\b.java", None);
    check("a\\..\\b.java", None);
    check("", None);
}

#[test]
fn relevant_files_are_read_and_escaping_paths_refused() {
    let check = |entries: &[(&str, &str)], expected: Result<&[&str], &str>| {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let mut tar = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
        for (path, text) in entries {
            zip.start_file(*path, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(text.as_bytes()).unwrap();
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            // Not through the library, which refuses to write such entries.
            header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_cksum();
            tar.append(&header, text.as_bytes()).unwrap();
        }
        let zip = zip.finish().unwrap().into_inner();
        let tar = tar.into_inner().unwrap().finish().unwrap();
        for read in [Files::zip("a.zip", Cursor::new(&zip)), Files::tar_gz("a.tar.gz", Cursor::new(&tar))] {
            match (read, expected) {
                (Ok(files), Ok(expected)) => assert_eq!(files.files.keys().collect::<Vec<_>>(), expected),
                (Err(problem), Err(expected)) => assert!(problem.to_string().contains(expected), "{problem}"),
                (read, _) => panic!("{read:?} instead of {expected:?}"),
            }
        }
    };
    check(&[("x/dataset.json", "{}"), ("x/.git/a.json", ""), ("x/b.exe", "")], Ok(&["x/dataset.json"]));
    check(&[("a.json", ""), ("../evil.json", "")], Err("\"../evil.json\" points outside the archive"));
    check(&[("/evil.json", "")], Err("points outside the archive"));
}

#[test]
fn different_files_with_one_name_are_refused() {
    let zip = |entries: &[(&str, &str)]| {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in entries {
            zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(text.as_bytes()).unwrap();
        }
        let mut bytes = zip.finish().unwrap().into_inner();
        // The library does not write a name twice, so the second is renamed afterwards.
        for (second, first) in [("b.json", b'a'), ("y.data", b'x')] {
            while let Some(at) = bytes.windows(6).position(|window| window == second.as_bytes()) {
                bytes[at] = first;
            }
        }
        Files::zip("x.zip", Cursor::new(bytes))
    };
    assert!(zip(&[("a.json", "{}"), ("b.json", "{}")]).is_ok());
    let problem = zip(&[("a.json", "{}"), ("b.json", "[]")]).unwrap_err().to_string();
    assert!(problem.contains("x.zip: two files with different content have the name \"a.json\""), "{problem}");
    // Also if the names are equal only after normalization.
    let problem = zip(&[("a.json", "{}"), ("./b.json", "[]")]).unwrap_err().to_string();
    assert!(problem.contains("the name \"a.json\""), "{problem}");
    // A file that a dataset does not use may be there twice, and hides none that it uses.
    let irrelevant = [("x.data", "1"), ("y.data", "2")];
    assert!(zip(&irrelevant).is_ok());
    let problem = zip(&[irrelevant[0], irrelevant[1], ("a.json", "{}"), ("b.json", "[]")]).unwrap_err().to_string();
    assert!(problem.contains("the name \"a.json\""), "{problem}");
}

#[test]
fn a_long_path_is_shortened() {
    let path = format!("../{}.json", "x/".repeat(3000));
    let problem = Files::named("x.zip").add(&path, Vec::new()).unwrap_err().to_string();
    assert!(problem.chars().count() < 400 && problem.contains(".json"), "{problem}");
}

#[test]
fn damaged_archives_are_reported() {
    let zip = Files::zip("a.zip", Cursor::new(b"PK no zip")).unwrap_err().to_string();
    assert!(zip.starts_with("a.zip: the zip archive cannot be read"), "{zip}");
    let tar = Files::tar_gz("a.tgz", Cursor::new(b"\x1f\x8bnothing")).unwrap_err().to_string();
    assert!(tar.starts_with("a.tgz: the tar archive cannot be read"), "{tar}");
}

#[test]
fn archive_bomb_is_stopped() {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("a.json", zip::write::SimpleFileOptions::default()).unwrap();
    let zeros = vec![0; 1024 * 1024];
    for _ in 0..=LARGEST_FILE / 1024 / 1024 {
        zip.write_all(&zeros).unwrap();
    }
    let zip = zip.finish().unwrap().into_inner();
    assert!(zip.len() < 100_000);
    let problem = Files::zip("bomb.zip", Cursor::new(zip)).unwrap_err().to_string();
    assert!(problem.contains("exceeds the size limit"), "{problem}");
}
