//! Lints in the compilation that they share: clippy's compiler in place of rustc for the workspace's own crates.
//!
//! `cargo clippy` checks every crate, dependencies included, and a build compiles them all once more. A compiler that
//! lints as it compiles does both in one pass, and the dependencies are those of every other build.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, bail};

use crate::tools;

/// Lets a command of cargo's lint what it compiles of the workspace; a warning fails it.
pub fn with_lints(cargo: &mut Command) -> Result<&mut Command> {
    cargo.env("RUSTC_WORKSPACE_WRAPPER", driver()?);
    // As `cargo clippy` passes them on.
    Ok(cargo.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__"))
}

/// Clippy's compiler, next to rustc.
fn driver() -> Result<PathBuf> {
    let sysroot = tools::run_quietly(tools::command("rustc").args(["--print", "sysroot"]))?;
    let driver = Path::new(sysroot.trim()).join("bin/clippy-driver");
    if !driver.is_file() {
        bail!("{} is missing; rustup adds it with `rustup component add clippy`", driver.display());
    }
    Ok(driver)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_lint_fails_the_build_and_clean_code_passes() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("src")).unwrap();
        fs::write(root.join("Cargo.toml"), "[package]\nname = \"linted\"\nedition = \"2024\"\n[workspace]\n").unwrap();
        let built = |source: &str| {
            fs::write(root.join("src/lib.rs"), source).unwrap();
            let mut cargo = tools::cargo();
            cargo
                .args(["build", "--offline", "--quiet"])
                .current_dir(root)
                .env("CARGO_TARGET_DIR", root.join("target"));
            with_lints(&mut cargo).unwrap().output().unwrap()
        };
        let good = built("pub fn half(number: u32) -> u32 {\n    number / 2\n}\n");
        assert!(good.status.success(), "{}", String::from_utf8_lossy(&good.stderr));
        // Clippy's, not the compiler's.
        let bad = built("pub fn half(number: u32) -> u32 {\n    return number / 2;\n}\n");
        assert!(!bad.status.success());
        assert!(String::from_utf8_lossy(&bad.stderr).contains("needless_return"));
        assert!(!built("fn unused() {}\n").status.success());
    }
}
