//! Files that only their owner can read, replaced as a whole.

use std::fs::File;
use std::io;
use std::path::Path;

use toolwright_base::{lock_private, make_private_folder, read_bounded, replace_private};

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
    read_bounded(path, MAX_BYTES)
}

/// Replaces a file as a whole. What is left of a write that fails would hold a token: nothing is.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    make_folder(path)?;
    replace_private(path, text.as_bytes())
}

/// Waits for a lock; it ends with the file that is given back.
pub(super) fn lock(path: &Path) -> io::Result<File> {
    make_folder(path)?;
    lock_private(path)
}

fn make_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), make_private_folder)
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
