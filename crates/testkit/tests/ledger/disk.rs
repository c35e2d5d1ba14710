//! A disk of one MiB, in memory, that ends with the test.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::support::works;

const FILLER: &str = "filler";

/// The disk. Another process holds it; programs see it where it is when they are started [`behind`](Self::behind).
pub struct SmallDisk {
    holder: Child,
    folder: TempDir,
}

impl SmallDisk {
    /// Nothing where it cannot be had, which is said.
    pub fn mount() -> Option<SmallDisk> {
        if !works("unshare", &["-rm", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/tmp"]) {
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let mount = r#"mount -t tmpfs -o size=1m,mode=700 tmpfs "$0" && echo mounted && exec cat"#;
        let mut holder = Command::new("unshare")
            .args(["-rm", "sh", "-c", mount])
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a holder");
        let mut line = String::new();
        let stdout = holder.stdout.take().expect("its words");
        BufReader::new(stdout).read_line(&mut line).expect("its words");
        assert_eq!(line, "mounted\n");
        Some(SmallDisk { holder, folder })
    }

    /// Words that start a program so that it sees the disk.
    pub fn behind(&self) -> Vec<String> {
        let holder = self.holder.id().to_string();
        ["nsenter", "--user", "--mount", "--preserve-credentials", "--target", &holder]
            .map(str::to_owned)
            .to_vec()
    }

    /// Where those programs see it.
    pub fn inside(&self) -> &Path {
        self.folder.path()
    }

    /// Where we see it.
    pub fn outside(&self) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", self.holder.id()));
        root.join(self.folder.path().strip_prefix("/").expect("from the root on"))
    }

    /// Fills it to the last byte.
    pub fn fill(&self) {
        let mut filler = fs::File::create(self.outside().join(FILLER)).expect("a file");
        for size in [4096, 512, 1] {
            while filler.write_all(&vec![1; size]).is_ok() {}
        }
    }

    /// There is room again.
    pub fn make_room(&self) {
        fs::remove_file(self.outside().join(FILLER)).expect("removed");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}
