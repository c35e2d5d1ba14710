//! The database that several gateways share.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sqlx::{ConnectOptions, Connection};
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
    let options = options(address)?.options([("statement_timeout", STATEMENT_MILLISECONDS)]);
    let pool =
        PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(CONNECT).connect_lazy_with(options);
    Ok(Database::Postgres { pool, ready: OnceCell::new() })
}

/// Whether the database lets us in and answers. Nothing in it is made or changed.
pub(super) async fn answers(address: &str) -> Result<(), StoreError> {
    let options = options(address)?;
    let asked = async {
        let mut connection: PgConnection = options.connect().await?;
        connection.ping().await?;
        connection.close().await
    };
    match tokio::time::timeout(CONNECT, asked).await {
        Ok(answered) => answered.map_err(StoreError::from),
        Err(_) => Err(StoreError::Away(format!("no answer within {} s", CONNECT.as_secs()))),
    }
}

fn options(address: &str) -> Result<PgConnectOptions, StoreError> {
    let options =
        PgConnectOptions::from_str(address).map_err(|error| StoreError::Address(error.to_string()))?;
    Ok(options.application_name("toolwright"))
}
