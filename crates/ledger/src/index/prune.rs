//! Deletes records from the index that the journal no longer contains.

use super::Store;
use super::call_rows::signed;
use super::error::StoreError;
use super::insert::delete;
use super::sql::RecordTable;

/// Records that are deleted at once: others write in between.
const DELETE_BATCH: i64 = 1_000;

impl Store {
    /// Deletes all records of a node, so that the journal is indexed again.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses. Deleted records return with the journal.
    pub async fn forget(&self, node: &str) -> Result<u64, StoreError> {
        let mut transaction = self.begin().await?;
        // First: after an interruption everything is indexed again anyway.
        let progress = transaction.statement(|sql| sql.forget_progress).with(node);
        transaction.rows(progress).await?;
        transaction.commit().await?;
        self.delete_while(|| self.statement(|sql| sql.ids_of_node).with(node).with(DELETE_BATCH)).await
    }

    /// Deletes the records of a node beyond a sequence number: its journal lost them.
    pub(super) async fn forget_beyond(&self, node: &str, number: u64) -> Result<u64, StoreError> {
        let beyond =
            || self.statement(|sql| sql.ids_beyond).with(node).with(signed(number)).with(DELETE_BATCH);
        self.delete_while(beyond).await
    }

    /// Deletes the records of a node before a sequence number: its journal no longer contains them.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses. Records deleted until then are gone.
    pub async fn forget_before(&self, node: &str, number: u64) -> Result<u64, StoreError> {
        let before =
            || self.statement(|sql| sql.ids_below).with(node).with(signed(number)).with(DELETE_BATCH);
        let gone = self.delete_while(before).await?;
        if gone > 0 {
            self.release_free_pages().await?;
        }
        Ok(gone)
    }

    async fn delete_while(&self, pick: impl Fn() -> super::database::Statement) -> Result<u64, StoreError> {
        let mut gone = 0;
        for table in RecordTable::ALL {
            loop {
                let mut transaction = self.begin().await?;
                let mut query = pick();
                query.fill("table", table.name());
                let ids: Vec<i64> = transaction.rows(query).await?.iter_mut().map(|row| row.int()).collect();
                if ids.is_empty() {
                    break;
                }
                delete(&mut transaction, table, &ids).await?;
                transaction.commit().await?;
                gone += ids.len() as u64;
            }
        }
        Ok(gone)
    }
}
