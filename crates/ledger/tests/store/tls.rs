//! A PostgreSQL with TLS and a certificate authority of its own.

use toolwright_ledger::index::Store;

use crate::cluster::Cluster;

/// What an address leads to: nothing, or the error.
async fn asked(address: &str) -> Result<(), String> {
    Store::postgres_answers(address).await.map_err(|error| error.to_string())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_is_verified_and_a_wrong_one_is_refused_with_the_fix() {
    let (cluster, port) = Cluster::start_with_tls();
    let at = |host: &str, query: &str| format!("postgres://test@{host}:{port}/postgres?{query}");
    let (ours, other) = (cluster.file("ca.pem"), cluster.file("other.pem"));

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
