//! Results of the bouts of a change, and the reasons why bots were not built.

use std::collections::{BTreeSet, HashSet};
use std::iter;

use joust_bots::BotSource;
use joust_config::read_plain;
use joust_model::BoutSummary;
use joust_standings::standings::compare_tables;
use joust_store::{Access, Store, StoreError};
use joust_toolchain::NotBuilt;

use super::analysis::{ChangeAnalysis, top};
use super::base::{ratings, table_of};
use super::check::ChangeCheck;
use super::report::{BotState, BuildFault, ChangeReport, EventTable};
use super::repository_path::display_path;
use super::trial::trial;
use crate::pipeline::{RunReport, UnbuiltBot};

/// Lines of a failed build's log that are shown.
const LOG_LINES: usize = 40;
/// The longest log of a failed build that is read, bytes.
const LONGEST_LOG: u64 = 64 << 20;
/// Most folders that a compiler prints before a file's name.
const DEEPEST: usize = 64;
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
            let failed = failed.map(|one| one.not_built.as_slice()).unwrap_or_default();
            for (bot, entry) in reported.bots.iter_mut().zip(&event.entries) {
                let Some(head) = &entry.head else { continue };
                if let Some(failed) = failed.iter().find(|failed| failed.bot == bot.bot) {
                    bot.not_built = Some(self.fault(&head.source, failed));
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

    fn fault(&self, source: &BotSource, UnbuiltBot { reason, log, .. }: &UnbuiltBot) -> BuildFault {
        let log =
            log.as_ref().and_then(|file| read_plain(file, LONGEST_LOG).ok()).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        let last = &lines[lines.len().saturating_sub(LOG_LINES)..];
        let place = source.tree(self.machine.languages().sources()).ok().and_then(|tree| {
            let files: Vec<_> = tree.files.iter().map(|file| file.path.clone()).collect();
            let (file, line) = find_error_line(&log, &files)?;
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

/// Returns the file of `files` and the line that `log` names first, in the manner of `main.c:3:5`,
/// `main.py", line 3` or `Main.java(3,5)`. A log may have a million lines, and a bot thousands of
/// files, so a file is looked up and not searched for.
fn find_error_line(log: &str, files: &[String]) -> Option<(String, usize)> {
    let files: HashSet<&str> = files.iter().map(String::as_str).collect();
    log.lines().find_map(|line| {
        let ends = line.match_indices(|one: char| one.is_whitespace() || "\"':(".contains(one));
        let mut from = 0;
        ends.into_iter().find_map(|(at, end)| {
            let name = &line[from..at];
            from = at + end.len();
            let number = line_number(&line[at..])?;
            // A file in a folder is also named by its end: the longest name is meant.
            let inner = name.match_indices('/').map(|(at, _)| &name[at + 1..]);
            let mut names = iter::once(name).chain(inner.take(DEEPEST));
            Some((names.find(|name| files.contains(name))?.to_owned(), number))
        })
    })
}

fn line_number(rest: &str) -> Option<usize> {
    let rest =
        [":", "(", "\", line ", "', line "].iter().find_map(|mark| rest.strip_prefix(mark))?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|number| (1..10_000_000).contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(log: &str) -> Option<(String, usize)> {
        let files = ["main.c", "src/main.c", "bot.py", "Main.cs"].map(str::to_owned);
        find_error_line(log, &files)
    }

    #[test]
    fn the_places_of_compilers_are_found() {
        let place = |file: &str, line| Some((file.to_owned(), line));
        assert_eq!(found("$ gcc main.c\n  | main.c:3:5: error: x\n"), place("main.c", 3));
        assert_eq!(found("  | /bot/src/main.c:12: error"), place("src/main.c", 12));
        assert_eq!(found("  |   File \"/bot/bot.py\", line 7"), place("bot.py", 7));
        assert_eq!(found("Main.cs(4,2): error CS1002"), place("Main.cs", 4));
    }

    #[test]
    fn other_files_are_never_named() {
        assert_eq!(found("../../.github/workflows/ci.yml:1:1: error"), None);
        assert_eq!(found("domain.c:3: error"), None);
        assert_eq!(found("main.c:99999999999999999999"), None);
        assert_eq!(found("main.c:0"), None);
        assert_eq!(found("main.c: 3, bot.py 3, (main.c)"), None);
    }
}
