//! Chains the rows of a database that was made before there was a chain.

use super::super::bouts::{bout_id, id_number};
use super::super::row::Reader;
use super::super::writing::Writing;
use super::super::{Store, StoreError, pages};
use super::records::{decision_link, history_digest};
use super::states::State;
use super::{PENDING, Tail, first_link, history_link, result_link};

impl Store {
    /// Gives every row its link, all in one change, unless that was done.
    pub(crate) async fn chain_what_is_there(&self) -> Result<(), StoreError> {
        if !self.is_pending().await? {
            return Ok(());
        }
        let mut change = self.begin().await?;
        let first = first_link();
        let begun = sqlx::query(
            "UPDATE chain SET kind = ?, digest = ?, hash = ? WHERE number = 0 AND kind = ?",
        )
        .bind(first.new.kind.name())
        .bind(first.new.digest.as_slice())
        .bind(first.hash.0.as_slice())
        .bind(PENDING)
        .execute(&mut *change)
        .await
        .map_err(|error| self.error(error))?;
        if begun.rows_affected() == 0 {
            // Another process was faster.
            return Ok(());
        }
        let chain = Tail::read(&mut change).await.map_err(|error| self.error(error))?;
        let mut writing =
            Writing { change, documents: super::super::documents::Documents::default(), chain };
        self.chain_states(&mut writing).await?;
        self.chain_history(&mut writing).await?;
        self.chain_bouts(&mut writing).await?;
        self.chain_decisions(&mut writing).await?;
        self.finish(writing).await
    }

    async fn is_pending(&self) -> Result<bool, StoreError> {
        let kind: Option<String> = sqlx::query_scalar("SELECT kind FROM chain WHERE number = 0")
            .fetch_optional(self.readers())
            .await
            .map_err(|error| self.error(error))?;
        Ok(kind.is_some_and(|kind| kind == PENDING))
    }

    async fn chain_states(&self, writing: &mut Writing) -> Result<(), StoreError> {
        let events: Vec<String> = sqlx::query_scalar("SELECT id FROM events ORDER BY position")
            .fetch_all(&mut *writing.change)
            .await
            .map_err(|error| self.error(error))?;
        let builds: Vec<String> = sqlx::query_scalar(
            "SELECT hex(hash) FROM builds UNION SELECT hex(build) FROM sources ORDER BY 1",
        )
        .fetch_all(&mut *writing.change)
        .await
        .map_err(|error| self.error(error))?;
        let of_builds = builds.iter().flat_map(|hash| [State::Build(hash), State::Source(hash)]);
        let of_events = events.iter().flat_map(|id| [State::Event(id), State::Field(id)]);
        for state in std::iter::once(State::Tournament).chain(of_events).chain(of_builds) {
            state.link_if_changed(writing, None).await.map_err(|error| self.error(error))?;
        }
        Ok(())
    }

    /// Rows of the history came before the results of their bouts.
    async fn chain_history(&self, writing: &mut Writing) -> Result<(), StoreError> {
        let mut last = i64::MIN;
        loop {
            let row = sqlx::query("SELECT * FROM history WHERE number > ? ORDER BY number LIMIT 1")
                .bind(last)
                .fetch_optional(&mut *writing.change)
                .await
                .map_err(|error| self.error(error))?;
            let Some(row) = row else { return Ok(()) };
            let reader = Reader::new("history", "number", &row);
            last = reader.get("number")?;
            let bout = bout_id(reader.get("bout")?);
            writing.chain.push(history_link(bout, last, history_digest(&row)?, 0));
        }
    }

    async fn chain_bouts(&self, writing: &mut Writing) -> Result<(), StoreError> {
        let mut last = i64::MIN;
        loop {
            let page = pages::read(self, &mut writing.change, last).await?;
            let Some(newest) = page.last() else { return Ok(()) };
            last = newest.number;
            for recorded in &page {
                let link = writing
                    .chain
                    .push(result_link(recorded.mark.digest.clone()?, recorded.mark.placing));
                sqlx::query("UPDATE bouts SET link = ? WHERE id = ?")
                    .bind(link)
                    .bind(id_number(recorded.bout()))
                    .execute(&mut *writing.change)
                    .await
                    .map_err(|error| self.error(error))?;
            }
            writing.chain.write(&mut writing.change).await.map_err(|error| self.error(error))?;
        }
    }

    async fn chain_decisions(&self, writing: &mut Writing) -> Result<(), StoreError> {
        let rows = sqlx::query("SELECT * FROM decisions ORDER BY number")
            .fetch_all(&mut *writing.change)
            .await
            .map_err(|error| self.error(error))?;
        for row in &rows {
            writing.chain.push(decision_link(row)?);
        }
        Ok(())
    }
}
