//! libFuzzer on events of Wyoming.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::voice_wyoming(data));
