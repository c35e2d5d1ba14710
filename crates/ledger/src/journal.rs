//! The journal: one line per call, written before its reply, chained by hashes.
