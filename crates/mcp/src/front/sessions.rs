//! The sessions that are remembered. One that was forgotten, or began elsewhere, comes back with its token.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use super::client::{Client, SessionId};
use super::fronts::Place;
use super::limits::FrontLimits;
use super::seal::Purpose;
use super::session::Session;
use super::task::lock;
use super::token::{SessionToken, is_older};

/// How often sessions that rest are looked for.
const SWEEP: Duration = Duration::from_secs(60);

pub(super) struct Sessions {
    limit: usize,
    ended_limit: usize,
    idle: Duration,
    age: Duration,
    table: Mutex<Table>,
}

struct Table {
    live: HashMap<SessionId, Arc<Session>>,
    /// Ended by their clients, with the time of their token.
    ended: HashMap<SessionId, u64>,
    swept: Instant,
}

impl Sessions {
    pub fn new(limits: &FrontLimits) -> Sessions {
        let table = Table { live: HashMap::new(), ended: HashMap::new(), swept: Instant::now() };
        Sessions {
            limit: limits.sessions.max(1),
            ended_limit: limits.ended_sessions,
            idle: limits.session_idle,
            age: limits.session_age,
            table: Mutex::new(table),
        }
    }

    pub fn len(&self) -> usize {
        lock(&self.table).live.len()
    }

    /// Begins a session; gives its token.
    pub fn begin(&self, place: Place<'_>, client: Arc<Client>, id: SessionId) -> Option<String> {
        let token = SessionToken::of(&client, id, place.endpoint);
        let sealed = place.shared.sealer.seal(Purpose::Session, &token.to_bytes())?;
        self.insert(place, client, id);
        Some(sealed)
    }

    fn insert(&self, place: Place<'_>, client: Arc<Client>, id: SessionId) -> Arc<Session> {
        let (service, shared) = (Arc::clone(place.service), Arc::clone(place.shared));
        let session = Session::new(client, id, service, shared, None);
        let mut table = lock(&self.table);
        // Two requests may bring the same session back at once.
        if let Some(known) = table.live.get(&id) {
            return Arc::clone(known);
        }
        let mut gone = self.sweep(&mut table);
        if table.live.len() >= self.limit {
            gone.extend(least_used(&mut table));
        }
        table.live.insert(id, Arc::clone(&session));
        drop(table);
        gone.iter().for_each(|session| session.end());
        session
    }

    /// The session of a token: `None` when it is not ours, of another endpoint or visitor, too old or ended.
    pub fn open(&self, place: Place<'_>, token: &str) -> Option<Arc<Session>> {
        let bytes = place.shared.sealer.open(Purpose::Session, token)?;
        let token = SessionToken::head(&bytes)?;
        let is_meant =
            token.endpoint == place.endpoint.as_bytes() && token.visitor == place.visitor.name.as_bytes();
        if !is_meant || is_older(token.issued, self.age) {
            return None;
        }
        let known = {
            let mut table = lock(&self.table);
            if table.ended.contains_key(&token.id) {
                return None;
            }
            let gone = if table.swept.elapsed() > SWEEP { self.sweep(&mut table) } else { Vec::new() };
            let known = table.live.get(&token.id).cloned();
            drop(table);
            gone.iter().for_each(|session| session.end());
            known
        };
        let session = match known {
            Some(session) => session,
            None => {
                let client = Arc::new(SessionToken::from_bytes(&bytes)?.to_client(place.visitor.clone()));
                self.insert(place, client, token.id)
            }
        };
        session.touch(place.visitor, place.service);
        Some(session)
    }

    /// The client ends its session.
    pub fn end(&self, session: &Session) {
        let mut table = lock(&self.table);
        let age = self.age;
        if table.ended.len() >= self.ended_limit {
            table.ended.retain(|_, issued| !is_older(*issued, age));
        }
        if table.ended.len() < self.ended_limit {
            // Not older than now, so it is remembered for as long as any token is taken.
            table.ended.insert(session.id, toolwright_base::unix_seconds());
        }
        let known = table.live.remove(&session.id);
        drop(table);
        if let Some(known) = known {
            known.end();
        }
    }

    /// Ends the streams of all sessions that only wait for news.
    pub fn finish_streams(&self) {
        let sessions: Vec<Arc<Session>> = lock(&self.table).live.values().cloned().collect();
        sessions.iter().for_each(|session| session.finish_streams());
    }

    /// Takes out what rests for too long.
    fn sweep(&self, table: &mut Table) -> Vec<Arc<Session>> {
        if table.swept.elapsed() < SWEEP {
            return Vec::new();
        }
        table.swept = Instant::now();
        table.live.values().for_each(|session| session.forget_streams());
        table
            .live
            .extract_if(|_, session| session.idle() > self.idle && !session.is_busy())
            .map(|(_, s)| s)
            .collect()
    }
}

/// Takes out the session that was not used for the longest time; one that somebody waits for last.
fn least_used(table: &mut Table) -> Option<Arc<Session>> {
    let idlest = table.live.values().max_by_key(|session| (!session.is_busy(), session.idle()))?.id;
    table.live.remove(&idlest)
}
