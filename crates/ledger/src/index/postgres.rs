//! The database that several gateways share.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use tokio::sync::OnceCell;

use super::database::Database;
use super::error::StoreError;

/// How many connections a gateway has, with the one that listens.
const CONNECTIONS: u32 = 6;
/// How long a connection is waited for.
const CONNECT: Duration = Duration::from_secs(3);
/// How long the database works on one statement before it gives up by itself.
const STATEMENT_MILLISECONDS: &str = "30000";

/// Takes the address; the database itself is looked for with the first question, and may be away now.
pub(super) fn open(address: &str) -> Result<Database, StoreError> {
    let options = PgConnectOptions::from_str(address)
        .map_err(|error| StoreError::Address(error.to_string()))?
        .application_name("toolwright")
        .options([("statement_timeout", STATEMENT_MILLISECONDS)]);
    let pool =
        PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(CONNECT).connect_lazy_with(options);
    Ok(Database::Postgres { pool, ready: OnceCell::new() })
}
