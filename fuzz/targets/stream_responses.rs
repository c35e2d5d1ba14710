//! libFuzzer on streams of OpenAI Responses.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::stream_responses(data));
