//! A PostgreSQL with TLS and its own certificate authority.

use std::process::Command;

use toolwright_ledger::index::Store;

use crate::cluster::Cluster;

/// A PostgreSQL with a local port that only accepts TLS. Its certificate is for 127.0.0.1, by the authority in
/// `ca.pem`; the one in `other.pem` is unrelated.
fn start_with_tls() -> (Cluster, u16) {
    let mut cluster = Cluster::make();
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let port = free.expect("a port").port();
    let authority = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2";
    let script = format!(
        "set -e; {authority} -subj /CN=Test-CA -keyout ca.key -out ca.pem
         {authority} -subj /CN=Other-CA -keyout other.key -out other.pem
         openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=db -keyout data/server.key -out db.csr
         printf 'subjectAltName=IP:127.0.0.1' > db.ext
         openssl x509 -req -in db.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile db.ext -out data/server.crt
         chmod 600 data/server.key
         printf 'local all all trust\\nhostssl all all 127.0.0.1/32 trust\\n' > data/pg_hba.conf"
    );
    let made = cluster.as_account(Command::new("sh")).args(["-c", &script]).output().expect("sh runs");
    assert!(made.status.success(), "no certificates: {}", String::from_utf8_lossy(&made.stderr));
    cluster.tls_port = Some(port);
    cluster.begin();
    (cluster, port)
}

/// The result of connecting to an address.
async fn ping(address: &str) -> Result<(), String> {
    Store::postgres_answers(address).await.map_err(|error| error.to_string())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_certificate_is_refused_with_a_fix() {
    let (cluster, port) = start_with_tls();
    let at = |host: &str, query: &str| format!("postgres://test@{host}:{port}/postgres?{query}");
    let file = |name: &str| cluster.folder.path().join(name).display().to_string();
    let (ours, other) = (file("ca.pem"), file("other.pem"));

    let verified = format!("sslmode=verify-full&sslrootcert={ours}");
    assert_eq!(ping(&at("127.0.0.1", &verified)).await, Ok(()));
    let store = Store::postgres(&at("127.0.0.1", &verified)).expect("an address");
    assert_eq!(store.rules_version().await.expect("an answer"), 0);
    store.close().await;

    // The default of an address on another machine: no authority of the system knows this certificate.
    let unknown = at("127.0.0.1", "sslmode=verify-full");
    let foreign = at("127.0.0.1", &format!("sslmode=verify-full&sslrootcert={other}"));
    for address in [unknown, foreign] {
        let why = ping(&address).await.expect_err("nobody vouches for it");
        assert!(why.contains("certificate") && why.contains("sslrootcert="), "{why}");
        // The index reports the same error, and not a timeout.
        let store = Store::postgres(&address).expect("an address");
        let why = store.rules_version().await.expect_err("nobody vouches for it").to_string();
        assert!(why.contains("certificate") && why.contains("sslrootcert="), "{why}");
    }

    // The certificate is for 127.0.0.1 and not for localhost.
    let why = ping(&at("localhost", &verified)).await.expect_err("another name");
    assert!(why.contains("certificate") && why.contains("sslmode="), "{why}");
    let by_authority = format!("sslmode=verify-ca&sslrootcert={ours}");
    assert_eq!(ping(&at("localhost", &by_authority)).await, Ok(()));
    assert_eq!(ping(&at("127.0.0.1", "sslmode=require")).await, Ok(()));

    let why = ping(&at("127.0.0.1", "sslmode=disable")).await.expect_err("TLS only");
    assert!(why.contains("no encryption"), "{why}");
    let why = ping(&at("127.0.0.1", "sslmode=verify-full&sslrootcert=/nowhere/ca.pem")).await;
    let why = why.expect_err("there is no such file");
    assert!(why.contains("sslrootcert names /nowhere/ca.pem, which cannot be read"), "{why}");
}
