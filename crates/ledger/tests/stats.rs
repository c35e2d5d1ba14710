//! Call statistics: counting, restarts, and the files on disk.

#[path = "stats/counting.rs"]
mod counting;
#[path = "stats/file.rs"]
mod file;
#[path = "stats/kill.rs"]
mod kill;
#[path = "stats/laws.rs"]
mod laws;
#[path = "stats/records.rs"]
mod records;
