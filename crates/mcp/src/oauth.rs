//! Logins for servers that are reached over HTTP, by OAuth.
//!
//! [`login`] asks a person once, through a browser, and [`TokenStore`] keeps what comes of it.
//! [`OAuthAuthorizer`] gives the token to requests, renews it before it expires, and says what to do when
//! there is none. Discovery, registration and the exchange of codes are those of `rmcp`; what may be
//! opened, where tokens may go and how they are kept is decided here.

mod authorizer;
mod browser;
mod callback;
mod endpoints;
mod error;
mod flow;
mod login;
mod store;

pub use authorizer::{Browser, OAuthAuthorizer};
pub use browser::open_in_browser;
pub use error::LoginError;
pub use login::{LOGIN_WAIT, LoginOptions, login};
pub use reqwest::Url;
pub use store::{StoreError, TokenStore};

/// A server that wants logins, and who we are to its authorization server.
#[derive(Clone)]
pub struct OAuthTarget {
    /// The name that its user gave it.
    pub name: String,
    /// Its address.
    pub url: Url,
    /// Who we are.
    pub client: ClientIdentity,
    /// What to ask for; when empty, what the server says it needs.
    pub scopes: Vec<String>,
    /// The port that the browser comes back to, for authorization servers that know only one; any
    /// free one when absent.
    pub callback_port: Option<u16>,
    /// Whether the server and its authorization server may be at private addresses under public names.
    pub allows_private_addresses: bool,
}

impl OAuthTarget {
    /// A server of which nothing but its address is known.
    pub fn new(name: impl Into<String>, url: Url) -> OAuthTarget {
        OAuthTarget {
            name: name.into(),
            url,
            client: ClientIdentity::default(),
            scopes: Vec::new(),
            callback_port: None,
            allows_private_addresses: false,
        }
    }
}

/// What is known of us to an authorization server. The first that applies is used: an id that it gave
/// out before, the address of our description, a registration at the time of the login.
#[derive(Clone, Default)]
pub struct ClientIdentity {
    /// An id that was given out before.
    pub id: Option<String>,
    /// The secret that came with the id.
    pub secret: Option<String>,
    /// The https address of a document that describes us.
    pub document: Option<Url>,
}
