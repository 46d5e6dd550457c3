//! Results of the bouts of a change.

use std::collections::BTreeSet;

use super::analysis::{ChangeAnalysis, top};
use super::before::{ratings, table_of};
use super::check::ChangeCheck;
use super::place;
use super::report::{BotState, BuildFault, ChangeReport, EventTable};
use super::repository_path::display_path;
use super::trial::trial;
use crate::pipeline::RunReport;
use joust_bots::BotSource;
use joust_config::Event;
use joust_model::BoutSummary;
use joust_standings::standings::compare_tables;
use joust_store::{Access, Store, StoreError};
use joust_toolchain::NotBuilt;

/// Lines of a failed build's log that are shown.
const LOG_LINES: usize = 40;
/// Characters of one of these lines.
const LINE_WIDTH: usize = 300;

impl ChangeCheck<'_> {
    /// Adds to the report the bots without a build and the reasons.
    pub(super) fn add_not_built(
        &self,
        survey: &ChangeAnalysis<'_>,
        run: &RunReport,
        report: &mut ChangeReport,
    ) {
        for (reported, event) in report.events.iter_mut().zip(&survey.events) {
            let failed = run.events.iter().find(|one| one.event == event.event.id);
            let failed = failed.map(|one| one.failed.as_slice()).unwrap_or_default();
            for (bot, entry) in reported.bots.iter_mut().zip(&event.entries) {
                let Some(head) = &entry.head else { continue };
                if let Some((_, reason)) = failed.iter().find(|(name, _)| *name == bot.bot) {
                    bot.not_built = Some(self.fault(&head.source, event.event, reason));
                    bot.state = BotState::Broken;
                }
            }
        }
    }

    /// Reads the results: what moved, and what each bot did.
    pub(super) async fn add_results(
        &self,
        survey: &ChangeAnalysis<'_>,
        tables: &[Option<EventTable>],
        report: &mut ChangeReport,
    ) -> Result<(), StoreError> {
        let store = Store::open(&self.tournament.database, Access::ReadOnly).await?;
        for (place, event) in survey.events.iter().enumerate() {
            let reported = &mut report.events[place];
            let Some(after) = table_of(&store, &event.event.id).await? else { continue };
            let (before, renamed) = (tables[place].as_ref(), event.renamed());
            let earlier = before.map(|table| &table.standings);
            reported.movement = compare_tables(earlier, &after.standings, &renamed);
            reported.ratings = ratings(before, &after, &reported.movement, &renamed);
            reported.table = Some(after);
            let changed: BTreeSet<String> =
                reported.bots.iter().map(|bot| bot.bot.clone()).collect();
            let is_theirs = move |bout: &BoutSummary| {
                bout.seats.iter().any(|seat| changed.contains(&*seat.bot))
            };
            let results = store.results_that(&event.event.id, is_theirs).await?;
            for (bot, entry) in reported.bots.iter_mut().zip(&event.entries) {
                if entry.head.is_none() || bot.not_built.is_some() {
                    continue;
                }
                let trial = trial(&self.machine.games, &store, &results, &bot.bot).await?;
                bot.state = BotState::of(&trial, self.request.max_faults);
                bot.trial = Some(trial).filter(|trial| trial.bouts > 0);
            }
        }
        store.close().await;
        Ok(())
    }

    fn fault(&self, source: &BotSource, event: &Event, reason: &NotBuilt) -> BuildFault {
        let log = self.machine.failed_log(source, event).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        let last = &lines[lines.len().saturating_sub(LOG_LINES)..];
        let place = source.tree(self.machine.languages().sources()).ok().and_then(|tree| {
            let files: Vec<_> = tree.files.iter().map(|file| file.path.clone()).collect();
            let (file, line) = place::find(&log, &files)?;
            Some((display_path(&tree.root.join(file), &top(&self.base)), line))
        });
        BuildFault {
            word: reason.word(),
            reason: reason.to_string(),
            log: last.iter().map(|line| line.chars().take(LINE_WIDTH).collect()).collect(),
            line: place.as_ref().map(|(_, line)| *line),
            file: place.map(|(file, _)| file),
            ours: matches!(
                reason,
                NotBuilt::Infrastructure(_) | NotBuilt::MissingToolchain(_) | NotBuilt::Stopped
            ),
        }
    }
}
