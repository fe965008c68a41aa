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

/// A gzipped tar archive of one entry of this type, whose name a dataset uses.
fn tar_of(kind: tar::EntryType, link: Option<&str>) -> Vec<u8> {
    let mut tar = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.as_old_mut().name[.."x/tasks.jsonl".len()].copy_from_slice(b"x/tasks.jsonl");
    if let Some(link) = link {
        header.as_old_mut().linkname[..link.len()].copy_from_slice(link.as_bytes());
    }
    header.set_size(0);
    header.as_gnu_mut().unwrap().set_real_size(0);
    header.set_cksum();
    tar.append(&header, &[][..]).unwrap();
    tar.into_inner().unwrap().finish().unwrap()
}

/// A link is neither followed nor silently ignored.
#[test]
fn links_and_special_files_are_refused() {
    let expected = "\"x/tasks.jsonl\" is a link or a special file";
    for (kind, link) in [
        (tar::EntryType::Symlink, Some("/etc/passwd")),
        (tar::EntryType::Symlink, Some("dataset.json")),
        (tar::EntryType::Link, Some("/etc/passwd")),
        (tar::EntryType::Link, Some("x/dataset.json")),
        (tar::EntryType::Char, None),
        (tar::EntryType::Block, None),
        (tar::EntryType::Fifo, None),
        (tar::EntryType::GNUSparse, None),
        (tar::EntryType::Continuous, None),
    ] {
        let problem = Files::tar_gz("a.tar.gz", Cursor::new(tar_of(kind, link))).unwrap_err().to_string();
        assert!(problem.contains(expected), "{kind:?}: {problem}");
    }
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.add_symlink("x/tasks.jsonl", "/etc/passwd", zip::write::SimpleFileOptions::default()).unwrap();
    let zip = zip.finish().unwrap().into_inner();
    let problem = Files::zip("a.zip", Cursor::new(zip)).unwrap_err().to_string();
    assert!(problem.contains(expected), "{problem}");
    // One that nobody reads does no harm.
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.add_symlink("x/latest", "/etc", zip::write::SimpleFileOptions::default()).unwrap();
    let zip = zip.finish().unwrap().into_inner();
    assert!(Files::zip("a.zip", Cursor::new(zip)).unwrap().files.is_empty());
}

/// Whatever an archive says of its sizes, no more is unpacked than the limits allow.
#[test]
fn archives_that_unpack_to_too_much_are_stopped() {
    let zeros = vec![0; 1024 * 1024];
    // One file in a tar archive.
    let mut tar = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    let size = LARGEST_FILE + zeros.len() as u64;
    let mut header = tar::Header::new_gnu();
    header.set_size(size);
    header.set_path("a.json").unwrap();
    header.set_cksum();
    tar.append(&header, std::io::repeat(0).take(size)).unwrap();
    let tar = tar.into_inner().unwrap().finish().unwrap();
    assert!(tar.len() < 1_000_000);
    let problem = Files::tar_gz("bomb.tgz", Cursor::new(tar)).unwrap_err().to_string();
    assert!(problem.contains("exceeds the size limit"), "{problem}");
    // Many files that are each small enough.
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for at in 0..=LARGEST_TREE / (16 * zeros.len() as u64) {
        zip.start_file(format!("{at}.json"), zip::write::SimpleFileOptions::default()).unwrap();
        (0..16).for_each(|_| zip.write_all(&zeros).unwrap());
    }
    let zip = zip.finish().unwrap().into_inner();
    let problem = Files::zip("bomb.zip", Cursor::new(zip)).unwrap_err().to_string();
    assert!(problem.contains("exceeds the size limit") || problem.contains("unpacked size"), "{problem}");
    // More files than any dataset has.
    let mut tar = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    for at in 0..=MOST_FILES {
        let mut header = tar::Header::new_gnu();
        header.set_size(0);
        header.set_path(format!("{at}.json")).unwrap();
        header.set_cksum();
        tar.append(&header, &[][..]).unwrap();
    }
    let tar = tar.into_inner().unwrap().finish().unwrap();
    let problem = Files::tar_gz("many.tgz", Cursor::new(tar)).unwrap_err().to_string();
    assert!(problem.contains("more than 20000 files"), "{problem}");
}

/// A size in the list of entries that is not that of the file changes nothing: reading ends at the file's own end or
/// fails.
#[test]
fn sizes_that_lie_are_no_way_around_the_limits() {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("a.json", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(&vec![b' '; 4096]).unwrap();
    let bytes = zip.finish().unwrap().into_inner();
    let place = bytes.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    for size in [0_u32, 1, 4095, 4097, u32::MAX - 1] {
        let mut lying = bytes.clone();
        lying[place + 24..place + 28].copy_from_slice(&size.to_le_bytes());
        match Files::zip("a.zip", Cursor::new(lying)) {
            Ok(files) => assert_eq!(files.get("a.json").map(<[u8]>::len), Some(4096), "{size}"),
            Err(problem) => assert!(problem.to_string().contains("cannot be read"), "{problem}"),
        }
    }
}
