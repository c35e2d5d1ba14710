//! `/api/operations`: calls, newest first, and one call by its id.
//!
//! They are looked up in the index. While there is none, or it does not answer or takes no records, the last files of
//! this gateway's own journal are read; the header `x-toolwright-source` says which it was, and
//! `x-toolwright-index-lag` how many records the index is behind.

use std::sync::Arc;

use http::header::LINK;
use http::{HeaderName, HeaderValue, Response};
use toolwright_base::unix_micros;
use toolwright_ledger::Ledger;
use toolwright_ledger::index::{Filter, FoundCall, Status, Store};

use super::journal_page::{self, Page};
use super::operation::{Operation, state_of};
use super::query::Query;
use super::{Api, aside, json, json_text};
use crate::inside::InsideBody;
use crate::refusal::Refusal;

/// How many calls come when nobody says how many, and at most.
const USUAL: usize = 100;
const MOST: usize = 1_000;
/// How many calls are asked for at once: each may have two megabytes.
const AT_ONCE: usize = 100;
/// After so many bytes an answer ends; the next page goes on.
const ANSWER_BYTES: usize = 8 << 20;

const NEXT: HeaderName = HeaderName::from_static("x-next-cursor");
const SOURCE: HeaderName = HeaderName::from_static("x-toolwright-source");
const LAG: HeaderName = HeaderName::from_static("x-toolwright-index-lag");

const PARAMETERS: &[&str] = &[
    "limit", "cursor", "tool", "server", "client", "session", "node", "rule", "code", "outcome", "since",
    "until", "q",
];

/// Where a page goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cursor {
    Index(i64),
    Journal(u64),
}

impl Cursor {
    fn read(text: &str) -> Option<Cursor> {
        match text.split_at_checked(1)? {
            ("i", id) => id.parse().ok().map(Cursor::Index),
            ("j", seq) => seq.parse().ok().map(Cursor::Journal),
            _ => None,
        }
    }

    fn text(self) -> String {
        match self {
            Cursor::Index(id) => format!("i{id}"),
            Cursor::Journal(seq) => format!("j{seq}"),
        }
    }
}

/// A list in the making.
struct List {
    text: Vec<u8>,
    count: usize,
}

impl List {
    fn new() -> List {
        List { text: vec![b'['], count: 0 }
    }

    fn add(&mut self, operation: &Operation<'_>) -> Result<(), Refusal> {
        if self.count > 0 {
            self.text.push(b',');
        }
        self.count += 1;
        serde_json::to_writer(&mut self.text, operation).map_err(|error| Refusal::broken(&error))
    }

    fn is_long(&self) -> bool {
        self.text.len() > ANSWER_BYTES
    }

    fn finish(
        mut self,
        query: &Query,
        ledger: &Ledger,
        source: &'static str,
        next: Option<Cursor>,
    ) -> Response<InsideBody> {
        self.text.extend_from_slice(b"]");
        let mut response = json_text(self.text);
        let headers = response.headers_mut();
        headers.insert(SOURCE, HeaderValue::from_static(source));
        if let Some(lag) = ledger.index_lag() {
            headers.insert(LAG, HeaderValue::from(lag));
        }
        if let Some(next) = next.map(Cursor::text) {
            let link = format!("</api/operations?{}>; rel=\"next\"", query.with("cursor", &next));
            for (name, value) in [(NEXT, next), (LINK, link)] {
                if let Ok(value) = HeaderValue::from_str(&value) {
                    headers.insert(name, value);
                }
            }
        }
        response
    }
}

pub(super) async fn list(api: &Api, query: &Query) -> Result<Response<InsideBody>, Refusal> {
    query.allow(PARAMETERS)?;
    let limit = query.number("limit", USUAL, MOST)?;
    let filter = filter(query)?;
    let cursor =
        query.text("cursor").map(|text| Cursor::read(text).ok_or_else(|| bad_cursor(text))).transpose()?;
    let ledger = api.ledger()?;
    let found = match (ledger.store(), cursor) {
        (_, Some(Cursor::Journal(_))) | (None, None) => None,
        (None, Some(Cursor::Index(_))) => return Err(Refusal::no_index("the index is not open yet")),
        // It answers, and lacks the newest calls; those of other gateways only it knows.
        (Some(_), None) if filter.node.is_none() && ledger.index_problem().is_some() => None,
        (Some(store), cursor) => match from_index(&store, &filter, cursor, limit).await {
            Ok(found) => Some(found?),
            // Without a cursor the journal can answer; with one only the index knows what comes next.
            Err(_) if cursor.is_none() => None,
            Err(why) => return Err(Refusal::no_index(&why)),
        },
    };
    if let Some((list, next)) = found {
        return Ok(list.finish(query, ledger, "index", next.map(Cursor::Index)));
    }
    let before = match cursor {
        Some(Cursor::Journal(seq)) => Some(seq),
        _ => None,
    };
    let (folder, last_before) = (ledger.journal().folder().to_path_buf(), ledger.last_before());
    let page = aside(move || journal_page::read(&folder, &filter, before, limit, last_before)).await?;
    let Page { records, mut next } = page.map_err(|why| Refusal::no_index(&why.to_string()))?;
    let mut list = List::new();
    for record in &records {
        list.add(&Operation::of(record, state_of(record, record.seq > last_before)))?;
        if list.is_long() && list.count < records.len() {
            next = Some(record.seq);
            break;
        }
    }
    Ok(list.finish(query, ledger, "journal", next.map(Cursor::Journal)))
}

/// The outer error is the index's, the inner one ours.
async fn from_index(
    store: &Store,
    filter: &Filter,
    cursor: Option<Cursor>,
    limit: usize,
) -> Result<Result<(List, Option<i64>), Refusal>, String> {
    let mut after = match cursor {
        Some(Cursor::Index(id)) => Some(id),
        _ => None,
    };
    let mut list = List::new();
    loop {
        let wanted = (limit - list.count).min(AT_ONCE);
        let page = store.calls(filter, after, wanted).await.map_err(|error| error.to_string())?;
        let count = page.calls.len();
        for (number, FoundCall { id, state, record }) in page.calls.iter().enumerate() {
            if let Err(refusal) = list.add(&Operation::of(record, *state)) {
                return Ok(Err(refusal));
            }
            if list.is_long() {
                let is_last = number + 1 == count && page.next.is_none();
                return Ok(Ok((list, (!is_last).then_some(*id))));
            }
        }
        after = page.next;
        if after.is_none() || list.count >= limit {
            return Ok(Ok((list, after)));
        }
    }
}

pub(super) async fn one(api: &Api, query: &Query, call: &str) -> Result<Response<InsideBody>, Refusal> {
    query.allow(&[])?;
    let ledger = api.ledger()?;
    if let Some(store) = ledger.store()
        && let Ok(Some(found)) = store.call(call).await
        && found.state != toolwright_ledger::index::State::Running
    {
        return json(&Operation::of(&found.record, found.state));
    }
    // It may be so new that the index does not have it, or not its end.
    let record = recorded(ledger, call).await?.ok_or_else(|| Refusal::no_call(call))?;
    json(&Operation::of(&record, state_of(&record, record.seq > ledger.last_before())))
}

async fn recorded(ledger: &Arc<Ledger>, call: &str) -> Result<Option<toolwright_ledger::Record>, Refusal> {
    let (folder, call) = (ledger.journal().folder().to_path_buf(), call.to_owned());
    let found = aside(move || journal_page::find(&folder, &call)).await?;
    found.map_err(|why| Refusal::no_index(&why.to_string()))
}

fn filter(query: &Query) -> Result<Filter, Refusal> {
    let now = unix_micros();
    let text = |name: &str| query.text(name).map(str::to_owned);
    let (mut server, mut tool) = (text("server"), text("tool"));
    if server.is_none()
        && let Some((of, name)) = query.text("tool").and_then(|tool| tool.rsplit_once('/'))
    {
        (server, tool) = (Some(of.to_owned()), Some(name.to_owned()));
    }
    let status = query.text("outcome").map(|word| {
        word.parse::<Status>().map_err(|_| {
            let why = format!("\"{word}\" is not known");
            Refusal::parameter("outcome", &why, "use ok, error, changed, interrupted or running")
        })
    });
    Ok(Filter {
        tool,
        server,
        client: text("client"),
        session: text("session"),
        node: text("node"),
        status: status.transpose()?,
        code: text("code"),
        rule: text("rule"),
        from: query.moment("since", now)?,
        to: query.moment("until", now)?,
        text: text("q"),
    })
}

fn bad_cursor(text: &str) -> Refusal {
    let why = format!("\"{text}\" was not given by this gateway");
    Refusal::parameter("cursor", &why, "take it from the header x-next-cursor, or leave it out to begin anew")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_come_back_as_they_went() {
        for cursor in [Cursor::Index(-5), Cursor::Index(i64::MAX), Cursor::Journal(u64::MAX)] {
            assert_eq!(Cursor::read(&cursor.text()), Some(cursor));
        }
        for wrong in ["", "i", "x5", "j-1", "i5x", "5", "ü5"] {
            assert_eq!(Cursor::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_tool_may_be_given_with_its_server() {
        let read = |text: &str| filter(&Query::read(text).expect("parameters"));
        let both = read("tool=a/b/read_file&outcome=error&q=milk").expect("a filter");
        assert_eq!((both.server.as_deref(), both.tool.as_deref()), (Some("a/b"), Some("read_file")));
        assert_eq!((both.status, both.text.as_deref()), (Some(Status::Error), Some("milk")));
        let own = read("tool=a/b&server=s").expect("a filter");
        assert_eq!((own.server.as_deref(), own.tool.as_deref()), (Some("s"), Some("a/b")));
        assert!(read("outcome=fine").expect_err("no outcome").message.contains("use ok, error"));
    }
}
