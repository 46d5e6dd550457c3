//! Settings that decide results and are not what they were: stored bouts do not count under them.

use joust_config::Tournament;
use joust_model::notices::Notice;
use joust_model::{EventSettings, counted, escaped};
use joust_store::{StoreError, TournamentRow};

use super::ready::Ready;
use super::{Run, event_settings};

impl Run<'_> {
    /// Warns of bouts that will stop counting because a setting of the tournament or the event is
    /// another than the one they were played with.
    pub(super) async fn warn_of_changes(
        &self,
        ready: &Ready<'_>,
        stops_counting: u64,
    ) -> Result<(), StoreError> {
        if stops_counting == 0 {
            return Ok(());
        }
        let Some(before) = self.store.event(&ready.event.id).await? else { return Ok(()) };
        let mut changes = of_tournament(self.before.as_ref(), self.tournament);
        let now = event_settings(self.tournament, ready.event);
        changes.extend(of_event(&before.settings, &now));
        if !changes.is_empty() {
            self.listener.notice(&Notice::Warning(text(&now.id, stops_counting, &changes)));
        }
        Ok(())
    }
}

fn text(event: &str, bouts: u64, changes: &[String]) -> String {
    let (do_not, them) = if bouts == 1 { ("does not", "it") } else { ("do not", "them") };
    format!(
        "{}: {} {do_not} count any more, because {}; put it back to have {them} again",
        escaped(event),
        counted(bouts, "stored bout"),
        changes.join(" and ")
    )
}

fn of_tournament(before: Option<&TournamentRow>, now: &Tournament) -> Vec<String> {
    let Some(before) = before else { return Vec::new() };
    let mut changes = Vec::new();
    if before.name != now.name {
        changes.push(change("the tournament's name", &before.name, &now.name));
    }
    if before.seed != now.seed {
        // One that was drawn is nobody's to know.
        changes.push("the seed is another".to_owned());
    }
    changes
}

fn of_event(before: &EventSettings, now: &EventSettings) -> Vec<String> {
    let mut changes = Vec::new();
    if before.game != now.game {
        changes.push(change("the game", &before.game, &now.game));
        return changes;
    }
    if before.revision != now.revision {
        changes.push("the game's version is another".to_owned());
    }
    if before.rules != now.rules {
        changes.push(change("`rules`", &before.rules, &now.rules));
    }
    let names = before.options.0.keys().chain(now.options.0.keys());
    let names: std::collections::BTreeSet<_> = names.collect();
    for name in names {
        let [was, is] = [before, now].map(|of| of.options.0.get(name));
        if was != is {
            changes.push(format!("option `{}` is another", escaped(name)));
        }
    }
    changes
}

fn change(what: &str, before: &str, now: &str) -> String {
    format!("{what} is `{}`, and was `{}`", escaped(now), escaped(before))
}

#[cfg(test)]
mod tests {
    use joust_model::Setting;
    use joust_testkit::made_up;

    use super::*;

    #[test]
    fn every_setting_that_decides_results_is_named() {
        let before = made_up::event("league");
        let mut now = before.clone();
        assert!(of_event(&before, &now).is_empty());
        now.options.0.insert("size".to_owned(), Setting::Int(9));
        now.rules = "other".to_owned();
        let expected = ["`rules` is `other`, and was `documented`", "option `size` is another"];
        assert_eq!(of_event(&before, &now), expected);
        now.revision += 1;
        assert_eq!(of_event(&before, &now)[0], "the game's version is another");
    }

    #[test]
    fn a_warning_says_what_to_do() {
        let changes = [change("the tournament's name", "cup", "Cup"), "the seed is another".into()];
        assert_eq!(
            text("connect-four", 6, &changes),
            "connect-four: 6 stored bouts do not count any more, because the tournament's name is \
             `Cup`, and was `cup` and the seed is another; put it back to have them again"
        );
    }
}
