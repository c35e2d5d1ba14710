//! What a journal has no longer goes from the index too.

use super::Store;
use super::error::StoreError;
use super::insert::delete;
use super::rows::signed;

/// How many calls go at once: others write between.
const AT_ONCE: i64 = 1_000;

impl Store {
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
        loop {
            let mut work = self.begin().await?;
            let ids: Vec<i64> = work.rows(pick()).await?.iter_mut().map(|row| row.int()).collect();
            if ids.is_empty() {
                return Ok(gone);
            }
            delete(&mut work, &ids).await?;
            work.commit().await?;
            gone += ids.len() as u64;
        }
    }
}
