//! The store of calls and rules: one suite on SQLite and on PostgreSQL, and what is particular to each.

mod cluster;
mod contract;
mod indexing;
mod postgres;
mod records;
mod sqlite;
mod tls;
