//! Files that only their owner can read, replaced as a whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// How large a login may be: larger than any that was written.
const MAX_BYTES: u64 = 1 << 20;

/// How much of a host's name stands in the name of a file.
const HOST: usize = 60;

/// The name of a server's file: its host for people, and a number that differs for every address.
pub(super) fn name(host: &str, address: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '.' { letter } else { '-' };
    let host: String = host.chars().take(HOST).map(plain).collect();
    format!("{}-{:016x}.json", host.trim_start_matches('.'), fnv(address.as_bytes()))
}

/// FNV-1a: the same number on every machine and in every release. Two addresses that share it are told
/// apart by what the file says.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Reads a file.
pub(super) fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let count = File::open(path)?.take(MAX_BYTES).read_to_string(&mut text)?;
    if count as u64 == MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is too large"));
    }
    Ok(text)
}

/// Writes a file beside the old one, then puts it in its place.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    make_folder(path)?;
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let beside = path.with_extension(format!("{}-{count}.new", std::process::id()));
    let written =
        private(OpenOptions::new().write(true).create_new(true)).open(&beside).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
    let placed = written.and_then(|()| fs::rename(&beside, path));
    if placed.is_err() {
        // What is left behind holds a token. That it may not be there is no second error.
        let _ = fs::remove_file(&beside);
    }
    placed
}

/// Waits for a lock; it ends with the file that is given back.
pub(super) fn lock(path: &Path) -> io::Result<File> {
    make_folder(path)?;
    let file = private(OpenOptions::new().write(true).create(true).truncate(false)).open(path)?;
    file.lock()?;
    Ok(file)
}

fn make_folder(path: &Path) -> io::Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_with_the_address_and_stay_the_same_for_ever() {
        assert_eq!(
            name("mcp.example", "https://mcp.example/mcp"),
            name("mcp.example", "https://mcp.example/mcp")
        );
        assert_ne!(
            name("mcp.example", "https://mcp.example/a"),
            name("mcp.example", "https://mcp.example/b")
        );
        assert_eq!(name("../x", ""), "-x-cbf29ce484222325.json");
        assert_eq!(fnv(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
