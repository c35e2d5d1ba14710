//! From what is said on MQTT to the published answer, without a model.
//!
//! `voice-bench TOOLWRIGHT [--config FILE] [--broker PORT] [--say TEXT]… [--times N]` starts `toolwright voice` over a small house (or
//! over the configuration, whose broker is at PORT when it is not the one inside), says the texts in turn, waits for each answer by its id, and prints percentiles.
//! `cargo xtask bench voice` runs it with what is released.

#![allow(clippy::print_stdout, reason = "its stdout is its report")]

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use mqtt_v5::{AsyncClient, Event, MqttOptions, NetworkOptions, Packet, PublishOptions, QoS};
use serde_json::{Value, json};

/// How often something is said when nobody says how often.
const TIMES: usize = 500;
/// What is not counted: the first calls wake servers.
const WARM: usize = 20;
const PATIENCE: Duration = Duration::from_secs(30);
/// How long is waited while its server begins.
const AGAIN: Duration = Duration::from_millis(200);
const IN: &str = "voice/transcription";
const OUT: &str = "voice/ai-response";

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

struct Wanted {
    toolwright: PathBuf,
    config: Option<PathBuf>,
    broker: Option<u16>,
    texts: Vec<String>,
    times: usize,
}

/// Ends the voice with this program.
struct Voice(Child);

impl Drop for Voice {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() -> ExitCode {
    let done = wanted(std::env::args().skip(1)).and_then(|wanted| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(measure(&wanted))
    });
    match done {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn wanted(mut words: impl Iterator<Item = String>) -> Result<Wanted> {
    let toolwright = words
        .next()
        .ok_or("usage: voice-bench TOOLWRIGHT [--config FILE] [--broker PORT] [--say TEXT] [--times N]")?;
    let mut wanted =
        Wanted { toolwright: toolwright.into(), config: None, broker: None, texts: Vec::new(), times: TIMES };
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--config" => wanted.config = Some(value.into()),
            "--broker" => wanted.broker = Some(value.parse()?),
            "--say" => wanted.texts.push(value),
            "--times" => wanted.times = value.parse()?,
            _ => return Err(format!("{word} was not expected here").into()),
        }
    }
    if wanted.texts.is_empty() {
        wanted.texts = vec!["turn on switch one".to_owned(), "turn off switch one".to_owned()];
    }
    Ok(wanted)
}

async fn measure(wanted: &Wanted) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let config = match &wanted.config {
        Some(config) => config.clone(),
        None => {
            let server = wanted.toolwright.with_file_name("switch-server");
            let house = json!({
                "mcpServers": { "house": { "command": server, "args": ["--house"] } },
                "voice": { "mqtt": { "port": 0 }, "wyoming": false },
            });
            let file = folder.path().join("toolwright.json");
            std::fs::write(&file, house.to_string())?;
            file
        }
    };
    let mut command = Command::new(&wanted.toolwright);
    command.args(["voice", "--json", "--config"]).arg(config).env("XDG_STATE_HOME", folder.path());
    let mut voice = Voice(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?);
    let mut line = String::new();
    BufReader::new(voice.0.stdout.take().ok_or("no output")?).read_line(&mut line)?;
    let said: Value = serde_json::from_str(&line)?;
    let port =
        wanted.broker.or_else(|| inside(&said)).ok_or("no broker was told; name its port with --broker")?;
    let mut times = say_all(port, wanted).await?;
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize].as_secs_f64() * 1000.0;
    Ok(format!(
        "from transcript to published answer, {} times, one after the other:\n  p50 {:.2} ms  p90 {:.2} ms  p99 {:.2} ms  slowest {:.2} ms",
        times.len(),
        at(0.5),
        at(0.9),
        at(0.99),
        at(1.0)
    ))
}

/// The port of the broker inside.
fn inside(said: &Value) -> Option<u16> {
    let fronts = said["fronts"].as_array()?;
    let broker = fronts.iter().find(|front| front["name"] == "broker")?;
    let digits = broker["detail"].as_str()?.split_once("127.0.0.1:")?.1;
    digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

async fn say_all(port: u16, wanted: &Wanted) -> Result<Vec<Duration>> {
    let mut options = MqttOptions::new("voice-bench", ("127.0.0.1", port));
    let mut network = NetworkOptions::new();
    network.set_tcp_nodelay(true);
    options.set_network_options(network);
    let (client, mut events) = AsyncClient::builder(options).capacity(16).build();
    client.subscribe(OUT, QoS::AtLeastOnce).await?;
    loop {
        if let Event::Incoming(Packet::SubAck(_)) = events.poll().await? {
            break;
        }
    }
    let mut times = Vec::with_capacity(wanted.times);
    let (mut number, mut asked, started) = (0, 0_u64, Instant::now());
    while number < WARM + wanted.times {
        let text = &wanted.texts[number % wanted.texts.len()];
        asked += 1;
        let id = asked.to_string();
        let message = json!({ "text": text, "id": id, "source": "voice-bench" }).to_string();
        let begun = Instant::now();
        client.publish(IN, message, PublishOptions::new(QoS::AtLeastOnce)).await?;
        let answer = tokio::time::timeout(PATIENCE, async {
            loop {
                if let Event::Incoming(Packet::Publish(publish)) = events.poll().await? {
                    let answer: Value = serde_json::from_slice(&publish.payload)?;
                    if answer["id"] == id.as_str() {
                        return Ok::<Value, Box<dyn std::error::Error>>(answer);
                    }
                }
            }
        })
        .await??;
        let took = begun.elapsed();
        match (answer["kind"] == "done", number >= WARM) {
            (true, true) => times.push(took),
            (true, false) => {}
            // The server may still begin.
            (false, false) if started.elapsed() < PATIENCE => tokio::time::sleep(AGAIN).await,
            (false, _) => return Err(format!("{text:?} was answered with {answer}").into()),
        }
        number += usize::from(answer["kind"] == "done");
    }
    Ok(times)
}
