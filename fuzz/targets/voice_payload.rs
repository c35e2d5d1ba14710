//! libFuzzer on messages that are spoken to the house.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::voice_payload(data));
