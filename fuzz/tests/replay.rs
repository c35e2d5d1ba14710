//! Every seed and every past find, run once without a fuzzer.

use std::fs;
use std::path::Path;

/// Runs every file of the target's folders; a target without seeds is a mistake.
fn replay(name: &str, target: fn(&[u8])) {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(replay_folder(&fuzz.join("seeds").join(name), target) > 0, "{name} has no seeds");
    replay_folder(&fuzz.join("finds").join(name), target);
}

fn replay_folder(folder: &Path, target: fn(&[u8])) -> usize {
    let Ok(files) = fs::read_dir(folder) else { return 0 };
    let mut count = 0;
    for file in files {
        let path = file.unwrap().path();
        println!("{}", path.display());
        target(&fs::read(&path).unwrap());
        count += 1;
    }
    count
}

#[test]
fn text() {
    replay("text", toolwright_fuzz::text);
}

#[test]
fn rules() {
    replay("rules", toolwright_fuzz::rules);
}

#[test]
fn schema_arguments() {
    replay("schema_arguments", toolwright_fuzz::schema_arguments);
}

#[test]
fn lines() {
    replay("lines", toolwright_fuzz::lines);
}

#[test]
fn config() {
    replay("config", toolwright_fuzz::config);
}

#[test]
fn clients() {
    replay("clients", toolwright_fuzz::clients);
}

#[test]
fn stream_anthropic() {
    replay("stream_anthropic", toolwright_fuzz::stream_anthropic);
}

#[test]
fn stream_chat() {
    replay("stream_chat", toolwright_fuzz::stream_chat);
}

#[test]
fn stream_responses() {
    replay("stream_responses", toolwright_fuzz::stream_responses);
}

#[test]
fn stream_ollama() {
    replay("stream_ollama", toolwright_fuzz::stream_ollama);
}

#[test]
fn zwave() {
    replay("zwave", toolwright_fuzz::zwave);
}

#[test]
fn voice_payload() {
    replay("voice_payload", toolwright_fuzz::voice_payload);
}

#[test]
fn voice_wyoming() {
    replay("voice_wyoming", toolwright_fuzz::voice_wyoming);
}
