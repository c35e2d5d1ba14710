//! libFuzzer on streams of Ollama.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::stream_ollama(data));
