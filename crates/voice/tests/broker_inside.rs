//! The built-in broker: its protocol behaviour and its resistance to hostile clients.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolwright_voice::broker::Broker;

use crate::support::brokers::{Listener, program, publish};

struct Inside {
    port: u16,
    stop: CancellationToken,
    task: tokio::task::JoinHandle<()>,
}

impl Inside {
    async fn start() -> Inside {
        let stop = CancellationToken::new();
        let broker = Broker::bind(0).await.expect("a port").stopped_by(stop.clone());
        let port = broker.address().expect("an address").port();
        Inside { port, stop, task: tokio::spawn(broker.run()) }
    }

    async fn end(self) {
        self.stop.cancel();
        tokio::time::timeout(crate::support::PATIENCE, self.task)
            .await
            .expect("it ends")
            .expect("in good order");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_both_revisions_hear_each_other() {
    let inside = Inside::start().await;
    for (hears, speaks) in
        [("mqttv311", "mqttv5"), ("mqttv5", "mqttv311"), ("mqttv311", "mqttv311"), ("mqttv5", "mqttv5")]
    {
        let listener = Listener::start(inside.port, &["a/+/c", "b/#"], &["-V", hears]);
        for (topic, qos) in [("a/b/c", "0"), ("b", "1"), ("b/c/d", "2")] {
            let sent = publish(inside.port, &["-V", speaks, "-q", qos, "-t", topic, "-m", "hello there"]);
            assert!(sent.status.success(), "{sent:?}");
            assert_eq!(listener.next(), format!("0 {topic} hello there"), "{speaks} to {hears}");
        }
        publish(inside.port, &["-V", speaks, "-t", "a/c", "-m", "not for it"]);
        assert_eq!(listener.within(Duration::from_millis(200)), None);
    }
    inside.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn empty_message_deletes_retained_one() {
    let inside = Inside::start().await;
    publish(inside.port, &["-r", "-t", "kept/a", "-m", "one"]);
    publish(inside.port, &["-r", "-t", "kept/a", "-m", "two"]);
    let listener = Listener::start(inside.port, &["kept/#"], &[]);
    assert_eq!(listener.next(), "1 kept/a two");
    drop(listener);
    publish(inside.port, &["-r", "-t", "kept/a", "-n"]);
    let listener = Listener::start(inside.port, &["kept/#"], &[]);
    assert_eq!(listener.within(Duration::from_millis(200)), None);
    inside.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_will_is_done_when_its_client_is_lost_and_not_when_it_goes() {
    let inside = Inside::start().await;
    let listener = Listener::start(inside.port, &["will"], &[]);
    let mut lost = std::process::Command::new(program("mosquitto_sub"))
        .args([
            "-h",
            "127.0.0.1",
            "-p",
            &inside.port.to_string(),
            "-t",
            "x",
            "--will-topic",
            "will",
            "--will-payload",
            "gone",
        ])
        .spawn()
        .expect("mosquitto_sub runs");
    std::thread::sleep(Duration::from_millis(300));
    lost.kill().expect("killed");
    lost.wait().expect("its end");
    assert_eq!(listener.next(), "0 will gone");
    let port = inside.port.to_string();
    let went = [
        "-h",
        "127.0.0.1",
        "-p",
        &port,
        "-t",
        "x",
        "-m",
        "y",
        "--will-topic",
        "will",
        "--will-payload",
        "gone",
    ];
    std::process::Command::new(program("mosquitto_pub")).args(went).status().expect("mosquitto_pub runs");
    assert_eq!(listener.within(Duration::from_millis(300)), None);
    inside.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_client_affects_no_other() {
    let inside = Inside::start().await;
    let connect_3 = b"\x10\x0d\x00\x04MQTT\x04\x02\x00\x3c\x00\x01a";
    let hostile: [&[u8]; 9] = [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x10\xff\xff\xff\xff\xff",
        b"\x10\x0c\x00\x06MQIsdp\x03\x02\x00\x3c",
        b"\xc0\x00",
        b"\x10\x0d\x00\x04MQTT\x09\x02\x00\x3c\x00\x01a",
        b"\x10\xff\xff\xff\x7f\x00\x04MQTT\x04",
        &[0; 64],
        &[0xff; 64],
        b"\x10",
    ];
    for bytes in hostile {
        let mut stream = TcpStream::connect(("127.0.0.1", inside.port)).expect("connected");
        let _ = stream.write_all(bytes);
        stream.set_read_timeout(Some(Duration::from_millis(200))).expect("a time");
        let mut answer = [0; 16];
        // The broker may close the connection or wait; it must not accept it.
        let count = stream.read(&mut answer).unwrap_or(0);
        assert!(count == 0 || answer[0] != 0x20 || answer[3] != 0, "{bytes:?} was let in");
    }
    // A client that sends garbage after its handshake.
    for garbage in [
        &b"\x30\x02\x00\x05"[..],
        b"\x82\x05\x00\x01\x00\x00\x00",
        b"\x32\x08\x00\x03a/#\x00\x01x",
        &[0xff; 32],
    ] {
        let mut stream = TcpStream::connect(("127.0.0.1", inside.port)).expect("connected");
        stream.write_all(connect_3).expect("written");
        let mut answer = [0; 4];
        stream.set_read_timeout(Some(crate::support::PATIENCE)).expect("a time");
        stream.read_exact(&mut answer).expect("a welcome");
        assert_eq!(answer, [0x20, 2, 0, 0]);
        let _ = stream.write_all(garbage);
        let _ = stream.read(&mut answer);
    }
    let listener = Listener::start(inside.port, &["x"], &[]);
    publish(inside.port, &["-t", "x", "-m", "still here"]);
    assert_eq!(listener.next(), "0 x still here");
    inside.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn more_clients_than_there_is_room_for_are_turned_away_and_room_comes_back() {
    let inside = Inside::start().await;
    let many: Vec<TcpStream> =
        (0..200).map(|_| TcpStream::connect(("127.0.0.1", inside.port)).expect("connected")).collect();
    drop(many);
    let listener = Listener::start(inside.port, &["x"], &[]);
    publish(inside.port, &["-t", "x", "-m", "room again"]);
    assert_eq!(listener.next(), "0 x room again");
    inside.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_connections_do_not_block_new_clients() {
    let inside = Inside::start().await;
    let silent: Vec<TcpStream> =
        (0..600).map(|_| TcpStream::connect(("127.0.0.1", inside.port)).expect("connected")).collect();
    // A client that sends at once is accepted, regardless of the silent ones: CONNECT of MQTT 3.1.1 and its
    // response.
    let mut client = TcpStream::connect(("127.0.0.1", inside.port)).expect("connected");
    client.write_all(b"\x10\x0d\x00\x04MQTT\x04\x02\x00\x3c\x00\x01a").expect("sent");
    let mut welcome = [0; 4];
    client.read_exact(&mut welcome).expect("an answer");
    assert_eq!(welcome, [0x20, 2, 0, 0]);
    drop((silent, client));
    inside.end().await;
}

/// A client that connects and then stays silent: CONNECT of MQTT 3.1.1 without keep-alive.
fn idle(port: u16, number: u16) -> TcpStream {
    let mut client = TcpStream::connect(("127.0.0.1", port)).expect("connected");
    let [high, low] = number.to_be_bytes();
    let name = [b'a' + high, b'a' + (low >> 4), b'a' + (low & 15)];
    client.write_all(b"\x10\x0f\x00\x04MQTT\x04\x02\x00\x00\x00\x03").expect("sent");
    client.write_all(&name).expect("sent");
    let mut welcome = [0; 4];
    client.read_exact(&mut welcome).expect("an answer");
    assert_eq!(welcome, [0x20, 2, 0, 0], "client {number}");
    client
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_clients_are_evicted_and_subscribers_stay() {
    let inside = Inside::start().await;
    let first = Listener::start(inside.port, &["x"], &[]);
    let idle: Vec<TcpStream> = (0..600).map(|number| idle(inside.port, number)).collect();
    let last = Listener::start(inside.port, &["x"], &[]);
    publish(inside.port, &["-t", "x", "-m", "all the same"]);
    assert_eq!(first.next(), "0 x all the same");
    assert_eq!(last.next(), "0 x all the same");
    drop(idle);
    inside.end().await;
}

/// Clients that subscribe and ping are not evicted: a late client is rejected, and a returning one gets its
/// slot back.
#[tokio::test(flavor = "multi_thread")]
async fn active_clients_keep_their_places_and_come_back_to_them() {
    let inside = Inside::start().await;
    let mut active: Vec<TcpStream> = (0..64).map(|number| idle(inside.port, number)).collect();
    for client in &mut active {
        client.write_all(b"\x82\x06\x00\x01\x00\x01x\x00").expect("sent");
        let mut granted = [0; 5];
        client.read_exact(&mut granted).expect("an answer");
        assert_eq!(granted, [0x90, 3, 0, 1, 0]);
    }
    let mut late = TcpStream::connect(("127.0.0.1", inside.port)).expect("connected");
    late.write_all(b"\x10\x0d\x00\x04MQTT\x04\x02\x00\x3c\x00\x01z").expect("sent");
    assert_eq!(late.read(&mut [0; 4]).unwrap_or(0), 0, "it was let in");
    let back = idle(inside.port, 7);
    drop((active, back));
    inside.end().await;
}
