//! Q23: clocks jump, sequence numbers define the order.

use tempfile::tempdir;
use toolwright_ledger::Record;
use toolwright_ledger::journal::verify;

use crate::support::{open, read, record};

#[test]
fn q23_sequence_numbers_define_the_order() {
    let folder = tempdir().unwrap();
    let (journal, _) = open(folder.path());
    let now = 1_790_000_000_000_000_i64;
    let hour = 3_600_000_000;
    // 1970, 2038, an hour back, a day ahead, before 1970, and the limits of the type.
    let clocks = [now, 0, 2_145_916_800_000_000, now - hour, now + 24 * hour, -hour, i64::MIN, i64::MAX];
    for (number, ts) in clocks.into_iter().enumerate() {
        let seq = journal.append(Record { ts, ..record("c") }).unwrap();
        assert_eq!(seq, number as u64 + 1);
    }
    let (records, damage) = read(folder.path());
    assert_eq!(damage, []);
    assert_eq!(records.iter().map(|record| record.ts).collect::<Vec<i64>>(), clocks);
    assert_eq!(verify(folder.path()).unwrap().records, clocks.len() as u64);
}
