//! libFuzzer on the files of clients.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::clients(data));
