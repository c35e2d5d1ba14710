//! PostgreSQL: the database that several gateways share.

use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions, PgSslMode};
use sqlx::{ConnectOptions, Connection};
use tokio::sync::OnceCell;

use super::database::Database;
use super::error::StoreError;

/// Connections of a gateway, including the one that listens.
const CONNECTIONS: u32 = 6;
/// Timeout for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Timeout of a statement in the database itself.
const STATEMENT_MILLISECONDS: &str = "30000";

/// Parameters of an address that name a certificate authority.
const AUTHORITY_KEYS: [&str; 3] = ["sslrootcert", "ssl-root-cert", "ssl-ca"];

/// Certificate bundles of systems: Debian and Alpine, Fedora, openSUSE, macOS and BSD.
const AUTHORITIES: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// Parses the address; the first query connects, so the database may be unavailable now.
pub(super) fn open(address: &str) -> Result<Database, StoreError> {
    let options = options(address)?.options([("statement_timeout", STATEMENT_MILLISECONDS)]);
    let pool = PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(CONNECT_TIMEOUT)
        .connect_lazy_with(options);
    Ok(Database::Postgres { pool, ready: OnceCell::new() })
}

/// Checks that the database accepts the credentials and responds. Nothing in it is changed.
pub(super) async fn ping(address: &str) -> Result<(), StoreError> {
    let options = options(address)?;
    let attempt = async {
        let mut connection: PgConnection = options.connect().await?;
        connection.ping().await?;
        connection.close().await
    };
    match tokio::time::timeout(CONNECT_TIMEOUT, attempt).await {
        Ok(answered) => answered.map_err(StoreError::from),
        Err(_) => Err(StoreError::Away(format!("no answer within {} s", CONNECT_TIMEOUT.as_secs()))),
    }
}

fn options(address: &str) -> Result<PgConnectOptions, StoreError> {
    let options =
        PgConnectOptions::from_str(address).map_err(|error| StoreError::Address(error.to_string()))?;
    if let Some((file, error)) = unreadable_authority(address) {
        return Err(StoreError::Away(format!("sslrootcert names {file}, which cannot be read: {error}")));
    }
    Ok(with_tls(options, address, &|name| std::env::var_os(name)).application_name("toolwright"))
}

/// The certificate file of the address when it cannot be read: sqlx only reports that a file is missing.
fn unreadable_authority(address: &str) -> Option<(&str, std::io::Error)> {
    let (_, query) = address.split_once('?')?;
    let value = |pair| AUTHORITY_KEYS.iter().find_map(|key| str::strip_prefix(pair, key)?.strip_prefix('='));
    let file = query.split('&').find_map(value)?;
    // A percent-encoded path is left to sqlx.
    let error = std::fs::File::open(file).err().filter(|_| !file.contains('%'))?;
    Some((file, error))
}

/// Requires TLS with a verified certificate, unless the address or the environment says otherwise, or the database is
/// on this machine. The default of sqlx accepts any certificate, and no TLS where the server offers none. The
/// authorities are those of the system in addition to Mozilla's, unless others are configured.
fn with_tls(
    options: PgConnectOptions,
    address: &str,
    environment: &dyn Fn(&str) -> Option<OsString>,
) -> PgConnectOptions {
    let is_set = |keys: &[&str], variable: &str| {
        let query = address.split_once('?').map(|(_, query)| query).unwrap_or_default();
        let has = |key: &&str| query.split('&').any(|pair| pair.split('=').next() == Some(*key));
        keys.iter().any(has) || environment(variable).is_some_and(|value| !value.is_empty())
    };
    let options = match is_set(&["sslmode", "ssl-mode"], "PGSSLMODE") || is_local(&options) {
        true => options,
        false => options.ssl_mode(PgSslMode::VerifyFull),
    };
    match is_set(&AUTHORITY_KEYS, "PGSSLROOTCERT") {
        true => options,
        false => match system_authorities(environment) {
            Some(file) => options.ssl_root_cert(file),
            None => options,
        },
    }
}

/// Whether the connection stays on this machine.
fn is_local(options: &PgConnectOptions) -> bool {
    let host = options.get_host();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    let is_loopback = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    options.get_socket().is_some() || host.starts_with('/') || is_loopback
}

/// The certificate bundle of the system, which includes authorities that a company added.
fn system_authorities(environment: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let named = environment("SSL_CERT_FILE").map(PathBuf::from);
    named.into_iter().chain(AUTHORITIES.map(PathBuf::from)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remote_database_requires_verified_tls_by_default() {
        let mode = |address: &str, set: &[&str]| {
            let environment = |name: &str| set.contains(&name).then(|| OsString::from("prefer"));
            // Independent of the environment of the test.
            let options = PgConnectOptions::from_str(address).expect("an address");
            let before = format!("{:?}", options.get_ssl_mode());
            let after = format!("{:?}", with_tls(options, address, &environment).get_ssl_mode());
            if after == "VerifyFull" {
                after
            } else if after == before {
                "as said".to_owned()
            } else {
                after
            }
        };
        for address in [
            "postgres://ann:x@db.example/calls",
            "postgres://10.0.0.7/calls",
            "postgres://ann@db/calls?application_name=sslmode",
            "postgres://ann@localhost.example/calls",
            "postgres://ann@db/calls?sslrootcert=/nowhere.pem",
        ] {
            assert_eq!(mode(address, &[]), "VerifyFull", "{address}");
        }
        for address in [
            "postgres://ann@db.example/calls?sslmode=disable",
            "postgres://ann@db.example/calls?application_name=x&sslmode=require",
            "postgres://ann@127.0.0.1/calls",
            "postgres://ann@127.9.9.9/calls",
            "postgres://ann@localhost:5433/calls",
            "postgres://ann@[::1]/calls",
            "postgres:///calls?host=/run/pg",
        ] {
            assert_eq!(mode(address, &[]), "as said", "{address}");
        }
        assert_eq!(mode("postgres://ann@db.example/calls", &["PGSSLMODE"]), "as said");
    }

    #[test]
    fn system_certificates_respect_ssl_cert_file() {
        let scratch = tempfile::tempdir().expect("a folder");
        let file = scratch.path().join("authorities.pem");
        std::fs::write(&file, "").expect("written");
        let named = |path: &std::path::Path| {
            let path = path.to_owned();
            system_authorities(&move |name| (name == "SSL_CERT_FILE").then(|| path.clone().into_os_string()))
        };
        assert_eq!(named(&file), Some(file.clone()));
        assert_ne!(named(&scratch.path().join("gone")), Some(scratch.path().join("gone")));
    }
}
