//! Calls from the files of a journal, newest first, where there is no index to ask.

use std::path::Path;

use toolwright_ledger::index::{Filter, Status};
use toolwright_ledger::journal::{Journal, JournalError, begins, interrupted};
use toolwright_ledger::{Kind, Record};

/// How many files are read for one answer. The next page goes on with older ones.
const FILES: usize = 4;

/// Some calls.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// The newest first.
    pub records: Vec<Record>,
    /// The number before which the next page begins; nothing when this was the last.
    pub next: Option<u64>,
}

/// The newest calls before a number. Calls without an end are given only when they are asked for, and are running
/// when they were begun after `last_before`.
pub(super) fn read(
    folder: &Path,
    filter: &Filter,
    before: Option<u64>,
    limit: usize,
    last_before: u64,
) -> Result<Page, JournalError> {
    let mut upper = before.unwrap_or(u64::MAX);
    if let Some(status @ (Status::Running | Status::Interrupted)) = filter.status {
        let mut records = interrupted(folder)?;
        records.retain(|record| (record.seq > last_before) == (status == Status::Running));
        records.retain(|record| record.seq < upper && fits(record, filter));
        return Ok(newest(records, limit));
    }
    let mut page = Page::default();
    let older: Vec<u64> = begins(folder)?.into_iter().rev().filter(|from| *from < upper).collect();
    for (number, from) in older.into_iter().enumerate() {
        if number == FILES {
            page.next = Some(upper);
            return Ok(page);
        }
        let records = Journal::read(folder, from).filter_map(Result::ok);
        let wanted = records.take_while(|record| record.seq < upper);
        let found: Vec<Record> =
            wanted.filter(|record| record.kind == Kind::Call && fits(record, filter)).collect();
        let room = limit - page.records.len();
        let older = newest(found, room);
        page.records.extend(older.records);
        upper = from;
        if older.next.is_some() || page.records.len() >= limit {
            page.next = older.next.or(Some(from).filter(|from| *from > 1));
            return Ok(page);
        }
    }
    Ok(page)
}

/// The last so many, the newest first.
fn newest(mut records: Vec<Record>, limit: usize) -> Page {
    let rest = records.len().saturating_sub(limit);
    let mut kept = records.split_off(rest);
    kept.reverse();
    let next = if rest > 0 { kept.last().map(|record| record.seq) } else { None };
    Page { records: kept, next }
}

/// One call: its end, or its begin while it has none.
pub(super) fn find(folder: &Path, call: &str) -> Result<Option<Record>, JournalError> {
    let (mut upper, mut begin) = (u64::MAX, None);
    for from in begins(folder)?.into_iter().rev() {
        let records = Journal::read(folder, from).filter_map(Result::ok);
        for record in records.take_while(|record| record.seq < upper).filter(|record| record.call == call) {
            match record.kind {
                Kind::Call => return Ok(Some(record)),
                Kind::InProgress => begin = Some(record),
                Kind::Exchange => {}
            }
        }
        // An end never is in an older file than its begin.
        if begin.is_some() {
            break;
        }
        upper = from;
    }
    Ok(begin)
}

/// Whether a call is meant. Words are looked for as parts of words here.
fn fits(record: &Record, filter: &Filter) -> bool {
    let is = |wanted: &Option<String>, had: Option<&str>| match wanted {
        Some(wanted) => had == Some(wanted.as_str()),
        None => true,
    };
    let has_status = match filter.status {
        None | Some(Status::Running | Status::Interrupted) => true,
        Some(Status::Ok) => record.is_ok(),
        Some(Status::Error) => record.error.is_some(),
        Some(Status::Changed) => !record.changes.is_empty(),
    };
    let has_rule = filter.rule.as_ref().is_none_or(|rule| {
        record.changes.iter().any(|change| change.rule.as_ref().unwrap_or(&change.code) == rule)
    });
    has_status
        && has_rule
        && is(&filter.tool, Some(&record.tool))
        && is(&filter.server, record.server.as_deref())
        && is(&filter.client, record.client.as_deref())
        && is(&filter.session, record.session.as_deref())
        && is(&filter.node, Some(&record.node))
        && is(&filter.code, record.error.as_ref().map(|error| error.code.as_str()))
        && filter.from.is_none_or(|from| record.ts >= from)
        && filter.to.is_none_or(|to| record.ts < to)
        && filter.text.as_ref().is_none_or(|text| has_words(record, text))
}

fn has_words(record: &Record, text: &str) -> bool {
    let json = |json: &Option<Box<serde_json::value::RawValue>>| {
        json.as_ref().map(|json| json.get().to_lowercase()).unwrap_or_default()
    };
    let error = record.error.as_ref().map(|error| format!("{} {}", error.code, error.message).to_lowercase());
    let parts = [
        record.tool.to_lowercase(),
        json(&record.arguments),
        json(&record.normalized),
        error.unwrap_or_default(),
    ];
    let mut words = text.split_whitespace().map(|word| word.trim_end_matches('*').to_lowercase());
    words.all(|word| parts.iter().any(|part| part.contains(&word)))
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;
    use toolwright_ledger::Failure;
    use toolwright_ledger::journal::JournalOptions;

    use super::*;

    /// Calls of which every third fails, in many files, with one that never ended.
    fn written(count: u64) -> (TempDir, Journal) {
        let folder = tempfile::tempdir().expect("a folder");
        let options =
            JournalOptions { node: Some("n".into()), segment_bytes: 4_096, ..JournalOptions::default() };
        let (journal, _) = Journal::open(folder.path(), options).expect("a journal");
        let cut =
            Record { kind: Kind::InProgress, call: "cut".into(), tool: "write".into(), ..Record::default() };
        journal.append(cut).expect("written");
        for number in 0..count {
            let error = Failure { code: "busy".into(), message: "Come later".into(), ..Failure::default() };
            let tool = if number % 2 == 0 { "even" } else { "odd" };
            journal
                .append(Record {
                    ts: number as i64 * 1_000,
                    call: format!("c{number}"),
                    tool: tool.into(),
                    error: (number % 3 == 0).then_some(error),
                    ..Record::default()
                })
                .expect("written");
        }
        (folder, journal)
    }

    fn all(folder: &Path, filter: &Filter, limit: usize) -> Vec<String> {
        let (mut calls, mut before) = (Vec::new(), None);
        loop {
            let page = read(folder, filter, before, limit, 0).expect("a page");
            assert!(page.records.len() <= limit);
            calls.extend(page.records.into_iter().map(|record| record.call));
            before = page.next;
            if before.is_none() {
                return calls;
            }
        }
    }

    #[test]
    fn pages_come_newest_first_over_all_files_without_a_gap() {
        let (folder, _journal) = written(200);
        assert!(begins(folder.path()).expect("files").len() > FILES, "more files than one answer reads");
        let wanted: Vec<String> = (0..200).rev().map(|number| format!("c{number}")).collect();
        for limit in [1, 7, 200, 1_000] {
            assert_eq!(all(folder.path(), &Filter::default(), limit), wanted, "{limit}");
        }
        let odd_failures =
            Filter { tool: Some("odd".into()), status: Some(Status::Error), ..Filter::default() };
        let wanted: Vec<String> =
            (0..200).rev().filter(|it| it % 2 == 1 && it % 3 == 0).map(|it| format!("c{it}")).collect();
        assert_eq!(all(folder.path(), &odd_failures, 5), wanted);
        let none = Filter { rule: Some("r".into()), ..Filter::default() };
        assert!(all(folder.path(), &none, 5).is_empty());
        let words = Filter { text: Some("LATER bus* odd".into()), ..Filter::default() };
        assert_eq!(all(folder.path(), &words, 50), wanted);
        let time = Filter { from: Some(10_000), to: Some(12_000), ..Filter::default() };
        assert_eq!(all(folder.path(), &time, 50), ["c11", "c10"]);
    }

    #[test]
    fn calls_without_an_end_are_given_when_they_are_asked_for() {
        let (folder, _journal) = written(20);
        let read = |status, last_before| {
            let filter = Filter { status: Some(status), ..Filter::default() };
            let page = super::read(folder.path(), &filter, None, 10, last_before).expect("a page");
            page.records.into_iter().map(|record| record.call).collect::<Vec<_>>()
        };
        assert_eq!(read(Status::Interrupted, 1), ["cut"]);
        assert!(read(Status::Running, 1).is_empty() && read(Status::Interrupted, 0).is_empty());
        assert_eq!(read(Status::Running, 0), ["cut"]);
        let kind = |call| find(folder.path(), call).expect("read").map(|record| record.kind);
        assert_eq!(
            (kind("cut"), kind("c0"), kind("c19")),
            (Some(Kind::InProgress), Some(Kind::Call), Some(Kind::Call))
        );
        assert_eq!(kind("c20"), None);
    }
}
