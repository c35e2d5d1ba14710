//! A separate process that writes a journal: this test program, started again.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use toolwright_ledger::journal::{Durability, Journal, JournalOptions, State, Why, verify};

use crate::support::{options, read, record, small_segments, torn};

const WHAT: &str = "TOOLWRIGHT_TEST_JOURNAL_CHILD";
const FOLDER: &str = "TOOLWRIGHT_TEST_JOURNAL_FOLDER";

/// A child process that is killed with the test.
pub struct ChildProcess {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl ChildProcess {
    /// Starts it, optionally under another program.
    pub fn start(before: &[&str], what: &str, folder: &Path) -> ChildProcess {
        let own = std::env::current_exe().expect("this program");
        let own = own.to_str().expect("a name");
        let words: Vec<&str> =
            before.iter().copied().chain([own, "child::child", "--exact", "--nocapture"]).collect();
        let mut child = Command::new(words[0])
            .args(&words[1..])
            .env(WHAT, what)
            .env(FOLDER, folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a child");
        let out = BufReader::new(child.stdout.take().expect("its words"));
        ChildProcess { child, out }
    }

    /// The next line of the protocol.
    pub fn line(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            // A line that was cut by a kill does not count.
            if self.out.read_line(&mut line).expect("its words") == 0 || !line.ends_with('\n') {
                return None;
            }
            // The test harness prints the name of the test first, without a newline.
            if let Some(at) = line.find("> ") {
                return Some(line[at + 2..].trim().to_owned());
            }
        }
    }

    pub fn kill(&mut self) {
        self.child.kill().expect("killed");
    }

    /// All remaining lines, and whether it exited successfully.
    pub fn end(mut self) -> (Vec<String>, bool) {
        drop(self.child.stdin.take());
        let lines = std::iter::from_fn(|| self.line()).collect();
        (lines, self.child.wait().expect("an end").success())
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn say(text: &str) {
    // One write, so that lines of threads do not mix.
    let mut out = std::io::stdout().lock();
    out.write_all(format!("> {text}\n").as_bytes()).expect("said");
    out.flush().expect("said");
}

/// Does nothing in the test program itself.
#[test]
fn child() {
    let (Ok(what), Some(folder)) = (std::env::var(WHAT), std::env::var_os(FOLDER)) else { return };
    let folder = PathBuf::from(folder);
    match what.as_str() {
        "load" => load(&folder),
        "hold" => hold(&folder),
        "six" => six(&folder, options()),
        "six-power" => six(&folder, JournalOptions { durability: Durability::Power, ..options() }),
        "group" => group(&folder),
        "full" => full(&folder),
        "full-torn" => full_torn(&folder),
        other => panic!("there is no {other}"),
    }
}

/// Eight threads that write until they are killed, and print each acknowledged record.
fn load(folder: &Path) {
    let (journal, recovered) =
        Journal::open(folder, JournalOptions { segment_bytes: 256 << 10, ..options() }).expect("it works");
    say(&format!("open {}", recovered.last_seq));
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let own = std::process::id();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let journal = &journal;
            scope.spawn(move || {
                for number in 0.. {
                    if std::time::Instant::now() > deadline {
                        return;
                    }
                    let call = format!("{own}-{thread}-{number}");
                    let seq = journal.append(record(&call)).expect("written");
                    say(&format!("{seq} {call}"));
                }
            });
        }
    });
}

fn hold(folder: &Path) {
    let _journal = Journal::open(folder, options()).expect("it works");
    say("held");
    let _ = std::io::stdin().read(&mut [0]);
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime")
}

/// Six records, one after the other.
fn six(folder: &Path, options: JournalOptions) {
    let (journal, _) = Journal::open(folder, options).expect("it works");
    for number in 1..=6 {
        let appended = runtime().block_on(journal.append_durable(record(&format!("c{number}"))));
        let (how, health) = (if appended.is_ok() { "ok" } else { "failed" }, journal.health());
        say(&format!("c{number} {how} {}", health.state.word()));
    }
    let health = journal.health();
    say(&format!("end {} lost {} unsynced {}", health.state.word(), health.lost, health.unsynced));
}

/// Many that wait at once.
fn group(folder: &Path) {
    let power = JournalOptions { durability: Durability::Power, segment_bytes: 8192, ..options() };
    let (journal, _) = Journal::open(folder, power).expect("it works");
    let waiting: Vec<_> =
        (0..64).map(|number| journal.append_durable(record(&format!("c{number}")))).collect();
    for (number, waiting) in waiting.into_iter().enumerate() {
        let how = if runtime().block_on(waiting).is_ok() { "ok" } else { "failed" };
        say(&format!("c{number} {how}"));
    }
    runtime().block_on(journal.append_durable(record("last"))).expect("it works");
    assert_eq!(journal.health().state, State::Ok);
}

/// On a disk of one MiB: writes until it is full, continues, gets space, continues.
fn full(disk: &Path) {
    let folder = disk.join("journal");
    fs::write(disk.join("filler"), vec![1; 700 << 10]).expect("it works");
    let (journal, _) = Journal::open(&folder, options()).expect("it works");
    let (mut taken, mut lost) = (0_u64, 0_u64);
    for round in 0..3 {
        let mut number = 0;
        while lost < (round + 1) * 50 {
            number += 1;
            assert!(number < 10_000, "the disk does not become full");
            let health_before = journal.health();
            match journal.append(record(&format!("c{round}-{number}"))) {
                Ok(seq) => {
                    taken += 1;
                    assert_eq!(seq, taken, "numbers go on");
                    assert_eq!(journal.health().state, State::Ok);
                }
                Err(why) => {
                    lost += 1;
                    let health = journal.health();
                    assert_eq!((health.state, health.lost), (State::Degraded, health_before.lost + 1));
                    assert!(health.last_error.expect("it works").contains(&why.to_string()));
                }
            }
        }
        // No partial line is left while it is full.
        let verified = verify(&folder).expect("it works");
        assert_eq!((verified.records, verified.bad), (taken, 0));
        fs::write(disk.join("filler"), vec![1; (600 - 100 * round as usize) << 10]).expect("it works");
        journal.append(record("room")).expect("it works");
        taken += 1;
        let health = journal.health();
        assert_eq!(
            (health.state, health.lost),
            (State::Ok, lost),
            "it goes on by itself, and the count stays"
        );
    }
    drop(journal);
    let verified = verify(&folder).expect("it works");
    assert_eq!(
        (verified.records, verified.lost, verified.bad),
        (taken, lost, 0),
        "every one is there or counted"
    );
    say(&format!("done {taken} {lost}"));
}

/// On a full disk of one MiB: the end is torn, and there is no space to set it aside.
fn full_torn(disk: &Path) {
    let folder = disk.join("journal");
    let (journal, _) = Journal::open(&folder, small_segments()).expect("it works");
    for number in 0..20 {
        journal.append(record(&format!("c{number}"))).expect("it works");
    }
    drop(journal);
    let mut filler = fs::File::create(disk.join("filler")).expect("it works");
    while filler.write_all(&[1; 512]).is_ok() {}
    drop(filler);
    let last = crate::support::segments(&folder).pop().expect("it works");
    let file = fs::OpenOptions::new().write(true).open(&last).expect("it works");
    file.set_len(file.metadata().expect("it works").len() - 5).expect("it works");
    let (journal, recovered) = Journal::open(&folder, small_segments()).expect("it works");
    assert_eq!(recovered.last_seq, 19);
    assert_eq!(recovered.damage.map(|damage| damage.why), Some(Why::Torn), "told, and not cut off");
    assert!(journal.append(record("no room")).is_err());
    fs::remove_file(disk.join("filler")).expect("it works");
    assert_eq!(journal.append(record("room")).expect("it works"), 20);
    let (records, damage) = read(&folder);
    assert_eq!((records.len(), damage.len()), (20, 1));
    assert!(torn(&folder).iter().all(|(_, bytes)| bytes.is_empty()));
    say("done");
}
