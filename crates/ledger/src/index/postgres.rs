//! The database that several gateways share.

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

/// How many connections a gateway has, with the one that listens.
const CONNECTIONS: u32 = 6;
/// How long a connection is waited for.
const CONNECT: Duration = Duration::from_secs(3);
/// How long the database works on one statement before it gives up by itself.
const STATEMENT_MILLISECONDS: &str = "30000";

/// How an address names a certificate authority.
const AUTHORITY_KEYS: [&str; 3] = ["sslrootcert", "ssl-root-cert", "ssl-ca"];

/// Where systems have their certificate authorities in one file: Debian and Alpine, Fedora, openSUSE, macOS and BSD.
const AUTHORITIES: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

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
    if let Some((file, error)) = unreadable_authority(address) {
        return Err(StoreError::Away(format!("sslrootcert names {file}, which cannot be read: {error}")));
    }
    Ok(with_tls(options, address, &|name| std::env::var_os(name)).application_name("toolwright"))
}

/// The file of a certificate authority that the address names and that cannot be read: sqlx only says that some file is
/// missing.
fn unreadable_authority(address: &str) -> Option<(&str, std::io::Error)> {
    let (_, query) = address.split_once('?')?;
    let value = |pair| AUTHORITY_KEYS.iter().find_map(|key| str::strip_prefix(pair, key)?.strip_prefix('='));
    let file = query.split('&').find_map(value)?;
    // An escaped one is left to sqlx.
    let error = std::fs::File::open(file).err().filter(|_| !file.contains('%'))?;
    Some((file, error))
}

/// TLS with a verified certificate, unless the address or the environment says otherwise, or the database is on this
/// machine. sqlx would take any certificate, and no TLS at all where the server offers none. The authorities are
/// those of the system besides Mozilla's, unless others are named.
fn with_tls(
    options: PgConnectOptions,
    address: &str,
    environment: &dyn Fn(&str) -> Option<OsString>,
) -> PgConnectOptions {
    let is_said = |keys: &[&str], variable: &str| {
        let query = address.split_once('?').map(|(_, query)| query).unwrap_or_default();
        let has = |key: &&str| query.split('&').any(|pair| pair.split('=').next() == Some(*key));
        keys.iter().any(has) || environment(variable).is_some_and(|value| !value.is_empty())
    };
    let options = match is_said(&["sslmode", "ssl-mode"], "PGSSLMODE") || is_local(&options) {
        true => options,
        false => options.ssl_mode(PgSslMode::VerifyFull),
    };
    match is_said(&AUTHORITY_KEYS, "PGSSLROOTCERT") {
        true => options,
        false => match system_authorities(environment) {
            Some(file) => options.ssl_root_cert(file),
            None => options,
        },
    }
}

/// Whether what is sent stays on this machine.
fn is_local(options: &PgConnectOptions) -> bool {
    let host = options.get_host();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    let is_loopback = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    options.get_socket().is_some() || host.starts_with('/') || is_loopback
}

/// The file with the certificate authorities of the system, also those that a company added.
fn system_authorities(environment: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let named = environment("SSL_CERT_FILE").map(PathBuf::from);
    named.into_iter().chain(AUTHORITIES.map(PathBuf::from)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_elsewhere_is_asked_with_verified_tls_unless_something_else_is_said() {
        let mode = |address: &str, set: &[&str]| {
            let environment = |name: &str| set.contains(&name).then(|| OsString::from("prefer"));
            // Without what the environment of the test says.
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
    fn the_authorities_of_the_system_are_taken_from_where_it_says() {
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
