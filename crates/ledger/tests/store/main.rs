//! The store of calls and rules: one contract on SQLite and on PostgreSQL, and the specifics of each.

mod cluster;
mod contract;
mod indexing;
mod postgres;
mod records;
mod sqlite;
mod tls;
