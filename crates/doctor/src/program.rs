//! Programs as the system finds them: on the search path, with permission, with what runs them.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;
use toolwright_base::closest_name;

/// How many files of one folder of the search path are looked at for a name that was meant.
const LOOKED_AT: usize = 5_000;
/// How long a program may take to tell its version.
const VERSION: Duration = Duration::from_secs(5);
/// How much of a script is read for the program that runs it.
const FIRST_LINE_BYTES: u64 = 256;

/// How a program was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// It is this file.
    There(PathBuf),
    /// This file may not be run.
    NotExecutable(PathBuf),
    /// It is this folder.
    Folder(PathBuf),
    /// It is nowhere; a name that may have been meant.
    Nowhere { near: Option<String> },
}

/// Looks for a program as the system does.
pub(crate) fn find(program: &Path, path: &OsString) -> Found {
    if program.components().count() > 1 || program.is_absolute() {
        return match std::fs::metadata(program) {
            Ok(seen) if seen.is_dir() => Found::Folder(program.to_owned()),
            Ok(_) if is_executable(program) => Found::There(program.to_owned()),
            Ok(_) => Found::NotExecutable(program.to_owned()),
            Err(_) => Found::Nowhere { near: near_file(program).map(|near| near.display().to_string()) },
        };
    }
    let places =
        || std::env::split_paths(path).map(|folder| folder.join(program)).filter(|file| file.is_file());
    match (places().find(|file| is_executable(file)), places().next()) {
        (Some(file), _) => Found::There(file),
        (None, Some(file)) => Found::NotExecutable(file),
        (None, None) => Found::Nowhere { near: near_program(&program.to_string_lossy(), path) },
    }
}

/// The program that a script names in its first line, when that is not there.
pub(crate) fn missing_interpreter(file: &Path, path: &OsString) -> Option<String> {
    let mut bytes = Vec::new();
    std::fs::File::open(file).ok()?.take(FIRST_LINE_BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut words = text.lines().next()?.strip_prefix("#!")?.split_whitespace();
    let first = words.next()?;
    if !Path::new(first).exists() {
        return Some(first.to_owned());
    }
    let named = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    let is_env = Path::new(first).file_name().is_some_and(|name| name == "env");
    (is_env && !matches!(find(Path::new(named), path), Found::There(_))).then(|| named.to_owned())
}

/// A file beside one that is not there, whose name is nearly the same.
pub(crate) fn near_file(missing: &Path) -> Option<PathBuf> {
    let wanted = missing.file_name()?.to_string_lossy().into_owned();
    let folder = missing.parent().filter(|folder| !folder.as_os_str().is_empty())?;
    let names = std::fs::read_dir(folder).ok()?.flatten().take(LOOKED_AT);
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    most_alike(&wanted, names).map(|name| folder.join(name))
}

fn near_program(wanted: &str, path: &OsString) -> Option<String> {
    let names = std::env::split_paths(path).flat_map(|folder| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(LOOKED_AT);
        entries.map(|entry| entry.path()).filter(|file| is_executable(file))
    });
    let names = names.filter_map(|file| Some(file.file_name()?.to_string_lossy().into_owned()));
    most_alike(wanted, names)
}

/// The name that is most like another one, when it is like enough.
pub(crate) fn most_alike(wanted: &str, names: impl IntoIterator<Item = String>) -> Option<String> {
    let names: Vec<String> = names.into_iter().filter(|name| name != wanted).collect();
    closest_name(wanted, names.iter().map(String::as_str)).map(str::to_owned)
}

/// What a program says its version is.
pub(crate) async fn version(program: &Path, path: &OsString) -> Option<String> {
    let asked = Command::new(program)
        .arg("--version")
        .env("PATH", path)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = timeout(VERSION, asked).await.ok()?.ok()?;
    let text = String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then(|| text.chars().take(60).collect())
}

/// The first number of a version such as `v18.20.4` or `uvx 0.7.3`.
pub(crate) fn major(version: &str) -> Option<u32> {
    let digits = version.split_whitespace().find_map(|word| {
        let word = word.trim_start_matches('v');
        word.starts_with(|char: char| char.is_ascii_digit()).then_some(word)
    })?;
    digits.split('.').next()?.parse().ok()
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|seen| seen.is_file() && seen.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        for (text, number) in
            [("v18.20.4", Some(18)), ("uvx 0.7.3 (x)", Some(0)), ("10.2.0", Some(10)), ("none", None)]
        {
            assert_eq!(major(text), number, "{text}");
        }
    }

    #[test]
    fn a_name_that_was_meant_is_found_and_another_is_not() {
        let names = || ["npx", "node", "python3", "uvx", "sh"].map(str::to_owned);
        for (wanted, meant) in [
            ("npxx", Some("npx")),
            ("python", Some("python3")),
            ("nodee", Some("node")),
            ("no-such-program", None),
            ("ls", None),
        ] {
            assert_eq!(most_alike(wanted, names()).as_deref(), meant, "{wanted}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_program_is_found_as_the_system_finds_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let path = OsString::from(folder.path());
        let put = |name: &str, text: &str, mode: u32| {
            let file = folder.path().join(name);
            std::fs::write(&file, text).expect("written");
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("changed");
            file
        };
        let good = put("server", "#!/bin/sh\n", 0o755);
        let closed = put("closed", "", 0o644);
        assert_eq!(find(Path::new("server"), &path), Found::There(good.clone()));
        assert_eq!(find(Path::new("closed"), &path), Found::NotExecutable(closed));
        assert_eq!(find(Path::new("serverr"), &path), Found::Nowhere { near: Some("server".into()) });
        assert_eq!(find(folder.path(), &path), Found::Folder(folder.path().to_owned()));
        assert_eq!(missing_interpreter(&good, &path), None);
        let lost = put("lost", "#!/no/such/python\n", 0o755);
        assert_eq!(missing_interpreter(&lost, &path).as_deref(), Some("/no/such/python"));
        let lost = put("lost", "#!/usr/bin/env -S no-such-python -u\n", 0o755);
        assert_eq!(missing_interpreter(&lost, &path).as_deref(), Some("no-such-python"));
    }
}
