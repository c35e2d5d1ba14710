//! What is too old or too much goes, the oldest first. The journal has its own retention.

use super::Store;
use super::error::StoreError;
use super::insert::delete;
use super::rows::{id_behind, signed};
use super::sql::Table;

/// How many records go at once: others write between.
const AT_ONCE: i64 = 1_000;

/// How much may stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// Nothing from before this time, in microseconds since 1970.
    pub since: Option<i64>,
    /// Not more calls and exchanges than this.
    pub calls: Option<u64>,
    /// Not more than this, counted as the text of the records; indexes come on top.
    pub bytes: Option<u64>,
}

impl Store {
    /// Takes out what may not stay. How many calls and exchanges went.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses. What went until then is gone.
    pub async fn prune(&self, keep: Keep) -> Result<u64, StoreError> {
        let mut gone = 0;
        if let Some(since) = keep.since {
            let before =
                || self.statement(|sql| sql.ids_before).with(since).with(id_behind(since)).with(AT_ONCE);
            gone += self.delete_while(before).await?;
        }
        let by_count = keep.calls.map(|calls| self.statement(|sql| sql.cut_by_count).with(signed(calls)));
        let by_size = keep.bytes.map(|bytes| self.statement(|sql| sql.cut_by_size).with(signed(bytes)));
        for cut in [by_count, by_size].into_iter().flatten() {
            let newest = self.rows(cut).await?.first_mut().and_then(super::database::Row::maybe_int);
            if let Some(newest) = newest {
                let up_to = || self.statement(|sql| sql.ids_up_to).with(newest).with(AT_ONCE);
                gone += self.delete_while(up_to).await?;
            }
        }
        if gone > 0 {
            self.give_room_back().await?;
        }
        Ok(gone)
    }

    /// Takes out everything of a node, so that it is read from the journal anew.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses. What went until then comes back with the journal.
    pub async fn forget(&self, node: &str) -> Result<u64, StoreError> {
        let mut work = self.begin().await?;
        // First: if this ends in the middle, everything is read anew all the same.
        let progress = work.statement(|sql| sql.forget_progress).with(node);
        work.rows(progress).await?;
        work.commit().await?;
        self.delete_while(|| self.statement(|sql| sql.ids_of_node).with(node).with(AT_ONCE)).await
    }

    /// Takes out what a node has here beyond a number: its journal lost that.
    pub(super) async fn forget_beyond(&self, node: &str, number: u64) -> Result<u64, StoreError> {
        let beyond = || self.statement(|sql| sql.ids_beyond).with(node).with(signed(number)).with(AT_ONCE);
        self.delete_while(beyond).await
    }

    /// Takes out what a node has here before a number: its journal has it no longer.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses. What went until then is gone.
    pub async fn forget_before(&self, node: &str, number: u64) -> Result<u64, StoreError> {
        let before = || self.statement(|sql| sql.ids_below).with(node).with(signed(number)).with(AT_ONCE);
        let gone = self.delete_while(before).await?;
        if gone > 0 {
            self.give_room_back().await?;
        }
        Ok(gone)
    }

    async fn delete_while(&self, pick: impl Fn() -> super::database::Statement) -> Result<u64, StoreError> {
        let mut gone = 0;
        for table in Table::ALL {
            loop {
                let mut work = self.begin().await?;
                let mut ask = pick();
                ask.fill("table", table.name());
                let ids: Vec<i64> = work.rows(ask).await?.iter_mut().map(|row| row.int()).collect();
                if ids.is_empty() {
                    break;
                }
                delete(&mut work, table, &ids).await?;
                work.commit().await?;
                gone += ids.len() as u64;
            }
        }
        Ok(gone)
    }
}
