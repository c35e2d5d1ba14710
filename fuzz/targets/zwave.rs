//! libFuzzer on topics and payloads of a Z-Wave house.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::zwave(data));
