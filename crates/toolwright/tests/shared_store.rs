//! Two gateways, each with a home of its own, on one PostgreSQL: what they share, and what an outage changes.

#![cfg(unix)]

#[path = "../../ledger/tests/store/cluster.rs"]
pub mod cluster;
use crate::gateway;
use crate::notes;

use std::time::Duration;

use cluster::Cluster;
use gateway::{Gateway, Home, until};
use serde_json::{Value, json};

const DATABASE: &str = "shared";

struct Machine {
    home: Home,
    gateway: Gateway,
}

impl Machine {
    fn start(address: &str) -> Machine {
        let home = Home::new();
        home.put("toolwright.json", &notes::configuration(&json!({ "store": address })));
        let gateway = Gateway::start(&home, &[]);
        Machine { home, gateway }
    }

    fn suggestions(&self) -> Vec<Value> {
        let (_, told, _) = self.home.run(&["rules", "suggest", "--json"]);
        serde_json::from_str(&told).unwrap_or_default()
    }
}

/// The calls of all gateways in the database, and how many of them are there twice.
fn calls(cluster: &Cluster) -> (u64, u64) {
    let sql = "SELECT count(*), count(*) - count(DISTINCT (node, call_id)) FROM calls WHERE kind = 0";
    let told = cluster.run_sql(DATABASE, sql);
    let (all, double) = told.split_once('|').expect("two numbers");
    (all.parse().expect("a number"), double.parse().expect("a number"))
}

#[test]
fn two_gateways_share_calls_suggestions_and_decisions_through_an_outage() {
    let mut cluster = Cluster::start();
    let address = cluster.database(DATABASE);
    let (one, two) = (Machine::start(&address), Machine::start(&address));

    // One conversation at each: none of the two gateways could know by itself.
    notes::correct_itself(&one.gateway, "buy milk");
    notes::correct_itself(&two.gateway, "feed the cat");
    until("both suggest it", || one.suggestions().len() == 1 && two.suggestions().len() == 1);
    let suggestion = one.suggestions().remove(0);
    assert_eq!(suggestion["id"], two.suggestions()[0]["id"], "it is the same one");
    assert_eq!(suggestion["evidence"]["observations"], json!(2));
    assert_eq!(suggestion["evidence"]["sessions"], json!(2));
    until("all calls are there", || calls(&cluster) == (4, 0));
    let nodes = cluster.run_sql(DATABASE, "SELECT count(*) FROM nodes");
    assert_eq!(nodes, "2", "gateways of the same name on two machines are two");

    // Accepted here, in force there.
    let id = suggestion["id"].as_str().expect("an id");
    let (code, _, error) = one.home.run(&["rules", "accept", id, "--by", "anna"]);
    assert_eq!(code, 0, "{error}");
    until("it is in force here", || notes::send(&one.gateway, "payload", "here"));
    until("it is in force there", || notes::send(&two.gateway, "payload", "there"));
    let (_, history, _) = two.home.run(&["rules", "history"]);
    assert!(history.contains("accepted") && history.contains("by anna"), "{history}");

    // The database goes away: no call is lost, none waits, and decisions hold where they are made.
    until("nothing is on its way", || {
        let before = calls(&cluster);
        std::thread::sleep(Duration::from_millis(300));
        before == calls(&cluster)
    });
    let before = calls(&cluster).0;
    cluster.end();
    for number in 0..20 {
        assert!(notes::send(&one.gateway, "prose", &format!("away {number}")));
        assert!(notes::send(&two.gateway, "payload", &format!("away {number}")));
    }
    let (code, _, error) = two.home.run(&["rules", "undo", id, "--by", "ben"]);
    assert_eq!(code, 0, "{error}");
    until("it is undone there", || !notes::send(&two.gateway, "payload", "undone"));
    assert!(notes::send(&one.gateway, "payload", "not heard of yet"));

    // It comes back: everything arrives, once.
    cluster.begin();
    until("the other one hears of it", || !notes::send(&one.gateway, "payload", "undone"));
    until("all calls are there", || calls(&cluster).0 >= before + 40);
    let in_journals = |machine: &Machine| {
        let (_, exported, _) = machine.home.run(&["audit", "export"]);
        exported.lines().filter(|line| line.contains("\"kind\":\"call\"")).count() as u64
    };
    until("not one is missing", || calls(&cluster).0 == in_journals(&one) + in_journals(&two));
    assert_eq!(calls(&cluster).1, 0, "none is there twice");

    // What was learned once is known to a gateway that comes later.
    let (code, _, error) = one.home.run(&["rules", "accept", id, "--by", "anna"]);
    assert_eq!(code, 0, "{error}");
    let late = Machine::start(&address);
    until("the third one has the rule", || notes::send(&late.gateway, "payload", "hello"));
}

#[test]
fn a_database_that_is_not_there_at_the_start_costs_no_call() {
    let mut cluster = Cluster::start();
    let address = cluster.database(DATABASE);
    cluster.end();
    let machine = Machine::start(&address);
    for number in 0..5 {
        assert!(notes::send(&machine.gateway, "prose", &format!("early {number}")));
    }
    cluster.begin();
    until("all calls are there", || {
        let tables = "SELECT count(*) FROM information_schema.tables WHERE table_name = 'calls'";
        cluster.run_sql(DATABASE, tables) == "1" && calls(&cluster) == (5, 0)
    });
}
