//! One upstream: where it is, who we are to it, and one request to it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, CONTENT_TYPE, LOCATION};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use reqwest::Url;
use tokio::time::timeout;
use toolwright_base::IgnorePoison;
use toolwright_config::{UpstreamKey, UpstreamSettings};
use toolwright_llm::{Dialect, Failure, FailureKind, Target, Thinks, dialects, quirks};

use crate::carrier::{Carried, CarriedBody, Carrier, CarryError};
use crate::router::UpstreamError;
use crate::said;

/// How much of an answer that is not a stream is taken.
const MOST_BYTES: usize = 64 << 20;
/// Shorter keys are no secrets: they would hide half of every text.
const SHORTEST_KEY: usize = 6;
/// How many models are remembered with what they take, and how long their names may be: clients make names up.
const MOST_TARGETS: usize = 256;
const LONGEST_REMEMBERED: usize = 256;
/// What stands where a key was.
const HIDDEN: &str = "[redacted]";

/// An upstream.
pub(crate) struct Upstream {
    settings: UpstreamSettings,
    base: Url,
    carrier: Carrier,
    headers: HeaderMap,
    /// What models take that were asked before.
    targets: Mutex<HashMap<String, Arc<Target>>>,
    /// The key that was sent last: no answer shows it.
    sent_key: Mutex<Option<Arc<SentKey>>>,
}

/// A key that was sent, ready to be looked for.
struct SentKey {
    key: String,
    finder: memchr::memmem::Finder<'static>,
}

/// What is asked of an upstream.
pub(crate) struct Ask<'a> {
    pub method: Method,
    /// Behind the base: `/v1/messages`.
    pub path: &'a str,
    pub query: Option<&'a str>,
    pub headers: HeaderMap,
    /// The client's own key.
    pub own_key: &'a HeaderMap,
    pub body: Option<String>,
}

impl Upstream {
    /// Fails with a reason when the address or a header is none.
    pub fn new(settings: &UpstreamSettings) -> Result<Upstream, UpstreamError> {
        let wrong = |reason: String| UpstreamError { upstream: settings.name.clone(), reason };
        let base = Url::parse(&settings.url).ok().filter(|url| url.has_host());
        let base = base.ok_or_else(|| wrong("its url is no address".to_owned()))?;
        let mut headers = HeaderMap::new();
        for (name, value) in &settings.headers {
            let name = HeaderName::try_from(name.as_str()).ok();
            let value = HeaderValue::from_str(value.expose()).ok();
            let (name, value) =
                name.zip(value).ok_or_else(|| wrong("one of its headers is none".to_owned()))?;
            headers.append(name, value);
        }
        let carrier = Carrier::new(&base).map_err(|error| wrong(error.to_string()))?;
        Ok(Upstream {
            settings: settings.clone(),
            base,
            carrier,
            headers,
            targets: Mutex::default(),
            sent_key: Mutex::default(),
        })
    }

    pub fn name(&self) -> &str {
        &self.settings.name
    }

    pub fn dialect(&self) -> Dialect {
        self.settings.dialect
    }

    /// How long a stream may be silent.
    pub fn idle(&self) -> Duration {
        self.settings.idle
    }

    /// The address without what may be secret in it.
    pub fn place(&self) -> String {
        let mut url = self.base.clone();
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.set_query(None);
        url.to_string()
    }

    /// What requests for this model are written for.
    pub fn target(&self, model: &str) -> Arc<Target> {
        if model.len() > LONGEST_REMEMBERED {
            return Arc::new(self.new_target(model));
        }
        let mut targets = self.targets.lock().ignore_poison();
        if let Some(target) = targets.get(model) {
            return Arc::clone(target);
        }
        if targets.len() >= MOST_TARGETS {
            targets.clear();
        }
        let target = Arc::new(self.new_target(model));
        targets.insert(model.to_owned(), Arc::clone(&target));
        target
    }

    /// Remembers whether a model thinks. False where it cannot be remembered: the configuration says otherwise, or the
    /// name is too long.
    pub fn learn(&self, model: &str, thinks: Thinks) -> bool {
        let target = self.target(model);
        if self.settings.quirks.think.is_some() || model.len() > LONGEST_REMEMBERED {
            return false;
        }
        if target.thinks != thinks {
            let target = Arc::new(Target { thinks, ..(*target).clone() });
            self.targets.lock().ignore_poison().insert(model.to_owned(), target);
        }
        true
    }

    fn new_target(&self, model: &str) -> Target {
        let mut target = quirks::target(self.dialect(), self.base.host_str().unwrap_or_default(), model);
        super::router::overrides(&self.settings).apply(&mut target);
        target
    }

    /// Sends a request and waits for the head of the answer.
    pub async fn send(&self, ask: Ask<'_>) -> Result<Carried, Failure> {
        let base = self.base.path().trim_end_matches('/');
        let mut place = dialects::of(self.dialect()).upstream_path(base, ask.path);
        if let Some(query) = ask.query {
            let before = self.base.query().map(|own| format!("{own}&")).unwrap_or_default();
            place = format!("{place}?{before}{query}");
        } else if let Some(own) = self.base.query() {
            place = format!("{place}?{own}");
        }
        let mut headers = ask.headers;
        for (name, value) in &self.headers {
            headers.insert(name, value.clone());
        }
        self.sign(&mut headers, ask.own_key)?;
        // Answers are read and repaired: nothing here unpacks them.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        if ask.body.is_some() {
            headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
        }
        let first_byte = self.settings.first_byte;
        match timeout(first_byte, self.carrier.send(ask.method, &place, headers, ask.body)).await {
            Ok(Ok(response)) => match said::encoding(response.headers()) {
                None => Ok(response),
                Some(encoding) => Err(self.encoded(encoding)),
            },
            Ok(Err(error)) => Err(self.unreachable(&error)),
            Err(_) => Err(self.silent(first_byte)),
        }
    }

    /// The whole body of an answer.
    pub async fn whole(&self, response: Carried) -> Result<Bytes, Failure> {
        let mut response = response.into_body();
        let mut first: Option<Bytes> = None;
        let mut body = Vec::new();
        loop {
            match self.piece(&mut response).await? {
                None => break,
                Some(piece) if first.is_none() && body.is_empty() => first = Some(piece),
                Some(piece) => {
                    body.extend_from_slice(&first.take().unwrap_or_default());
                    body.extend_from_slice(&piece);
                }
            }
            if body.len() > MOST_BYTES {
                let what =
                    format!("the answer of upstream \"{}\" has more than {MOST_BYTES} bytes", self.name());
                return Err(Failure::new(FailureKind::Api, what).with_status(502));
            }
        }
        Ok(self.hide(first.unwrap_or_else(|| body.into())))
    }

    /// The next piece of an answer; nothing at its end.
    pub async fn piece(&self, response: &mut CarriedBody) -> Result<Option<Bytes>, Failure> {
        match timeout(self.settings.idle, response.piece()).await {
            Ok(Ok(piece)) => Ok(piece),
            Ok(Err(error)) => Err(self.broken(&error)),
            Err(_) => Err(self.silent(self.settings.idle)),
        }
    }

    /// The upstream broke off.
    pub fn broken(&self, error: &CarryError) -> Failure {
        let what = format!("the upstream \"{}\" broke off its answer: {error}", self.name());
        Failure::new(FailureKind::Api, what).with_status(502)
    }

    /// The upstream has been silent for too long.
    pub fn silent(&self, time: Duration) -> Failure {
        let what = format!("the upstream \"{}\" was silent for {} s", self.name(), time.as_secs_f32());
        Failure::new(FailureKind::Timeout, what)
    }

    /// The upstream wants to be asked elsewhere. Nobody follows: a key could go to somebody else.
    pub fn redirects(&self, status: u16, headers: &HeaderMap) -> Failure {
        let place = headers.get(LOCATION).and_then(|place| place.to_str().ok()).unwrap_or("nowhere");
        let what = format!(
            "the upstream \"{name}\" at {} redirects to {place} ({status}); set llm.upstreams.{name}.url to the address that answers",
            self.place(),
            name = self.name(),
        );
        Failure::new(FailureKind::Api, what).with_status(502)
    }

    fn encoded(&self, encoding: &str) -> Failure {
        let what = format!(
            "the upstream \"{}\" answers with content-encoding: {encoding}, though it was asked not to; switch that off in the server or in a proxy before it",
            self.name()
        );
        Failure::new(FailureKind::Api, what).with_status(502)
    }

    fn unreachable(&self, error: &CarryError) -> Failure {
        let what = format!(
            "the upstream \"{}\" at {} cannot be reached: {}; check llm.upstreams.{}.url, and whether it runs",
            self.name(),
            self.place(),
            error,
            self.name()
        );
        Failure::new(FailureKind::Api, what).with_status(502)
    }

    /// Says who asks.
    fn sign(&self, headers: &mut HeaderMap, own_key: &HeaderMap) -> Result<(), Failure> {
        let Some(key) = self.key()? else {
            for (name, value) in own_key {
                headers.insert(name, value.clone());
            }
            return Ok(());
        };
        if key.is_empty() {
            return Err(self.bad_key("is empty"));
        }
        self.remember(&key);
        let (name, scheme) = dialects::of(self.dialect()).authentication();
        let mut value = HeaderValue::from_str(&format!("{scheme}{key}"))
            .map_err(|_| self.bad_key("is no text for a header"))?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
        Ok(())
    }

    fn key(&self) -> Result<Option<String>, Failure> {
        match &self.settings.key {
            UpstreamKey::Client => Ok(None),
            UpstreamKey::Text(text) => Ok(Some(text.expose().to_owned())),
            // Read each time: keys are changed without telling.
            UpstreamKey::File(file) => std::fs::read_to_string(file)
                .map(|text| Some(text.trim().to_owned()))
                .map_err(|error| self.bad_key(&format!("cannot be read: {error}"))),
        }
    }

    fn bad_key(&self, why: &str) -> Failure {
        let what = format!("the key of upstream \"{}\" {why}; mend it in the configuration", self.name());
        Failure::new(FailureKind::Api, what)
    }

    /// Whether there is a key of ours for it.
    pub fn has_key(&self) -> bool {
        !matches!(self.settings.key, UpstreamKey::Client)
    }

    fn remember(&self, key: &str) {
        let mut sent = self.sent_key.lock().ignore_poison();
        if sent.as_ref().is_none_or(|sent| sent.key != key) {
            let finder = memchr::memmem::Finder::new(key).into_owned();
            *sent = Some(Arc::new(SentKey { key: key.to_owned(), finder }));
        }
    }

    /// The key that must not be shown.
    fn secret(&self) -> Option<Arc<SentKey>> {
        let sent = self.sent_key.lock().ignore_poison().clone();
        sent.filter(|sent| sent.key.len() >= SHORTEST_KEY)
    }

    /// What the upstream told, without our key in it.
    pub fn hide(&self, body: Bytes) -> Bytes {
        match self.secret() {
            Some(secret) if secret.finder.find(&body).is_some() => {
                String::from_utf8_lossy(&body).replace(&secret.key, HIDDEN).into()
            }
            _ => body,
        }
    }

    /// The same of the head of an answer.
    pub fn hide_in_head(&self, headers: &mut HeaderMap) {
        let Some(secret) = self.secret() else { return };
        for value in headers.values_mut() {
            if secret.finder.find(value.as_bytes()).is_some() {
                *value = HeaderValue::from_static(HIDDEN);
            }
        }
    }
}

/// Upstreams are shared by the exchanges that use them.
pub(crate) type Shared = Arc<Upstream>;
