//! libFuzzer on streams of OpenAI Chat.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::stream_chat(data));
