//! From sound to a switch: a sentence is spoken, understood and done, without a model of language.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use toolwright_testkit::house::{House, device};

use crate::brokers::Listener;
use crate::installed;
use crate::spoken::{DONE_ON, configuration, port, say, serve, until_ready, zwave};

/// What is said. The voice is the one that is understood.
const SENTENCE: &str = "turn on switch one";
const VOICE: [&str; 4] = ["-v", "en-us+m3", "-s", "110"];

fn ran(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text").trim().to_owned()
}

/// Speaks into a file, and what is understood of it.
fn spoken_and_understood(folder: &Path, python: &Path) -> String {
    let (said, heard) = (folder.join("said.wav"), folder.join("heard.wav"));
    ran(Command::new("espeak-ng").args(VOICE).arg("-w").arg(&said).arg(SENTENCE));
    let sox = ["-r", "16000", "-c", "1", "-b", "16"];
    ran(Command::new("sox").arg(&said).args(sox).arg(&heard).args(["pad", "0.4", "0.6"]));
    ran(Command::new(python).arg(installed::client_script("voice_listen.py")).arg(&heard))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sentence_that_is_spoken_aloud_turns_the_switch_on() {
    let python = match installed::speech() {
        Ok(python) => python,
        Err(reason) => {
            eprintln!("SKIPPED: nothing was spoken, for what speaks and listens cannot be had: {reason}");
            return;
        }
    };
    let house = House::begin().await;
    let gateway = serve(&configuration(&house, &zwave(&house), &json!({})));
    until_ready(&gateway, 1).await;
    tokio::task::block_in_place(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let text = spoken_and_understood(folder.path(), &python);
        assert_eq!(text, SENTENCE);
        let listener = Listener::start(port(&house), &["voice/#"], &[]);
        assert_eq!(say(&house, &listener, &text)["answer"], DONE_ON);
        assert_eq!(house.state(device::SWITCH_ONE), json!(true));
    });
}
