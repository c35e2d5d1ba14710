//! Answers questions about calls: SQLite on one machine, PostgreSQL for several.
