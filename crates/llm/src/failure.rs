//! What goes wrong between a client and a model, whatever dialect tells it.

/// An error that a client is told, in its own dialect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The HTTP status.
    pub status: u16,
    /// What kind it is.
    pub kind: FailureKind,
    /// The words for people: the upstream's own where it said something.
    pub message: String,
    /// The parameter that it is about, where that is known.
    pub param: Option<String>,
    /// The upstream's own code, where it has one.
    pub code: Option<String>,
    /// What the upstream calls this kind of error, where it said so.
    pub upstream_type: Option<String>,
}

/// Kinds of errors, after Anthropic's list, which is the finest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// 400: the request is wrong.
    InvalidRequest,
    /// 401: the key is missing or wrong.
    Authentication,
    /// 402: somebody has to pay.
    Billing,
    /// 403: the key may not do that.
    Permission,
    /// 404: no such model or path.
    NotFound,
    /// 413: the request is too large.
    TooLarge,
    /// 429: too many requests.
    RateLimit,
    /// 500 and 502: something broke.
    Api,
    /// 504: it took too long.
    Timeout,
    /// 503 and 529: too much to do.
    Overloaded,
}

impl FailureKind {
    /// The kind that a status means.
    pub fn of_status(status: u16) -> FailureKind {
        match status {
            401 => FailureKind::Authentication,
            402 => FailureKind::Billing,
            403 => FailureKind::Permission,
            404 => FailureKind::NotFound,
            408 | 504 => FailureKind::Timeout,
            413 => FailureKind::TooLarge,
            429 => FailureKind::RateLimit,
            503 | 529 => FailureKind::Overloaded,
            400..=499 => FailureKind::InvalidRequest,
            _ => FailureKind::Api,
        }
    }

    /// The status that it has when nobody gave another.
    pub fn status(self) -> u16 {
        match self {
            FailureKind::InvalidRequest => 400,
            FailureKind::Authentication => 401,
            FailureKind::Billing => 402,
            FailureKind::Permission => 403,
            FailureKind::NotFound => 404,
            FailureKind::TooLarge => 413,
            FailureKind::RateLimit => 429,
            FailureKind::Api => 500,
            FailureKind::Timeout => 504,
            FailureKind::Overloaded => 529,
        }
    }
}

impl Failure {
    /// An error of this kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure {
            status: kind.status(),
            kind,
            message: message.into(),
            param: None,
            code: None,
            upstream_type: None,
        }
    }

    /// A request that cannot be understood.
    pub fn invalid(message: impl Into<String>) -> Failure {
        Failure::new(FailureKind::InvalidRequest, message)
    }

    /// The same, about this parameter.
    pub fn about(mut self, param: impl Into<String>) -> Failure {
        self.param = Some(param.into());
        self
    }

    /// The same, with the status that the upstream gave.
    pub fn with_status(mut self, status: u16) -> Failure {
        self.status = status;
        self
    }
}
