//! A PostgreSQL with TLS and a certificate authority of its own.

use std::process::Command;

use toolwright_ledger::index::Store;

use crate::cluster::Cluster;

/// A PostgreSQL with a port of this machine that speaks TLS only. Its certificate is for 127.0.0.1, by the authority in
/// `ca.pem`; that in `other.pem` has nothing to do with it.
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

/// What an address leads to: nothing, or the error.
async fn asked(address: &str) -> Result<(), String> {
    Store::postgres_answers(address).await.map_err(|error| error.to_string())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_is_verified_and_a_wrong_one_is_refused_with_the_fix() {
    let (cluster, port) = start_with_tls();
    let at = |host: &str, query: &str| format!("postgres://test@{host}:{port}/postgres?{query}");
    let file = |name: &str| cluster.folder.path().join(name).display().to_string();
    let (ours, other) = (file("ca.pem"), file("other.pem"));

    let verified = format!("sslmode=verify-full&sslrootcert={ours}");
    assert_eq!(asked(&at("127.0.0.1", &verified)).await, Ok(()));
    let store = Store::postgres(&at("127.0.0.1", &verified)).expect("an address");
    assert_eq!(store.rules_version().await.expect("an answer"), 0);
    store.close().await;

    // What an address on another machine asks for without a word: no authority of the system knows this one.
    let unknown = at("127.0.0.1", "sslmode=verify-full");
    let foreign = at("127.0.0.1", &format!("sslmode=verify-full&sslrootcert={other}"));
    for address in [unknown, foreign] {
        let why = asked(&address).await.expect_err("nobody vouches for it");
        assert!(why.contains("certificate") && why.contains("sslrootcert="), "{why}");
        // The index that is in use says the same, and not that it ran out of time.
        let store = Store::postgres(&address).expect("an address");
        let why = store.rules_version().await.expect_err("nobody vouches for it").to_string();
        assert!(why.contains("certificate") && why.contains("sslrootcert="), "{why}");
    }

    // The certificate is for 127.0.0.1 and not for localhost.
    let why = asked(&at("localhost", &verified)).await.expect_err("another name");
    assert!(why.contains("certificate") && why.contains("sslmode="), "{why}");
    let by_authority = format!("sslmode=verify-ca&sslrootcert={ours}");
    assert_eq!(asked(&at("localhost", &by_authority)).await, Ok(()));
    assert_eq!(asked(&at("127.0.0.1", "sslmode=require")).await, Ok(()));

    let why = asked(&at("127.0.0.1", "sslmode=disable")).await.expect_err("TLS only");
    assert!(why.contains("no encryption"), "{why}");
    let why = asked(&at("127.0.0.1", "sslmode=verify-full&sslrootcert=/nowhere/ca.pem")).await;
    let why = why.expect_err("there is no such file");
    assert!(why.contains("sslrootcert names /nowhere/ca.pem, which cannot be read"), "{why}");
}
