//! Warnings about changed settings that decide results: bouts stored under the old ones no longer
//! count.

use joust_config::{Event, Tournament};
use joust_model::{BoutPlan, EventSettings, counted, escaped};
use joust_store::{ScheduleComparison, StoreError, TournamentRow};

use super::{Run, event_settings};

impl Run<'_> {
    /// Warns of bouts that will stop counting because a setting of the tournament or the event has
    /// changed since they were played.
    pub(super) async fn warn_of_changes(
        &self,
        event: &Event,
        comparison: &ScheduleComparison,
    ) -> Result<(), StoreError> {
        let now = event_settings(self.tournament, event);
        let Some(before) = self.store.event(&event.id).await? else {
            return self.warn_of_a_new_id(&now).await;
        };
        let Some(stops) = comparison.one_that_stops_counting() else { return Ok(()) };
        let mut changes = of_tournament(self.before.as_ref(), self.tournament);
        changes.extend(of_event(&before.settings, &now));
        if let Some(bout) = self.store.bout(&stops.to_string()).await? {
            changes.extend(of_bouts(&bout.plan, event));
        }
        self.warn(&now.id, comparison.stops_counting(), &changes);
        Ok(())
    }

    /// Warns of a new event if an event of the same game is no longer in the tournament.
    async fn warn_of_a_new_id(&self, now: &EventSettings) -> Result<(), StoreError> {
        let stored = self.store.events().await?;
        let is_gone = |event: &&EventSettings| {
            event.game == now.game && self.tournament.event(&event.id).is_none()
        };
        for gone in stored.iter().filter(is_gone) {
            let count = |bouts: &mut u64, _| *bouts += 1;
            let bouts = self.store.fold_results(&gone.id, 0_u64, count).await?;
            self.warn(&now.id, bouts, &[change("the event's `id`", &gone.id, &now.id)]);
        }
        Ok(())
    }

    fn warn(&self, event: &str, bouts: u64, changes: &[String]) {
        if bouts > 0 && !changes.is_empty() {
            self.listener.warn(text(event, bouts, changes));
        }
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
        // A drawn seed stays secret.
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
    let places = [
        ("bouts", before.bouts_per_match != now.bouts_per_match),
        ("players_per_match", before.bots_per_match != now.bots_per_match),
        ("schedule", before.schedule != now.schedule),
        ("mirror", before.mirror != now.mirror),
        ("seats", before.seats != now.seats),
    ];
    let places = places.into_iter().filter(|(_, is_another)| *is_another);
    changes.extend(places.map(|(key, _)| format!("`{key}` is another")));
    changes
}

/// Names the differences between an earlier plan and the event that concern every bout.
fn of_bouts(before: &BoutPlan, now: &Event) -> Vec<String> {
    let others = [
        ("`limits` are others", *before.limits != now.limits),
        ("`clock` is another", before.clock != now.clock),
        (
            "the game's referee is another",
            before.game == now.game.id() && before.referee != BoutPlan::referee_of(now.game.spec()),
        ),
    ];
    let others = others.into_iter().filter(|(_, is_another)| *is_another);
    others.map(|(text, _)| text.to_owned()).collect()
}

fn change(what: &str, before: &str, now: &str) -> String {
    format!("{what} is `{}`, and was `{}`", escaped(now), escaped(before))
}

#[cfg(test)]
mod tests {
    use joust_model::Setting;
    use joust_testkit::fixtures;

    use super::*;

    #[test]
    fn every_setting_that_decides_results_is_named() {
        let before = fixtures::event("league");
        let mut now = before.clone();
        assert!(of_event(&before, &now).is_empty());
        now.options.0.insert("size".to_owned(), Setting::Int(9));
        now.rules = "other".to_owned();
        let expected = ["`rules` is `other`, and was `documented`", "option `size` is another"];
        assert_eq!(of_event(&before, &now), expected);
        now.revision += 1;
        assert_eq!(of_event(&before, &now)[0], "the game's version is another");
        now = before.clone();
        now.bouts_per_match += 2;
        now.mirror = joust_model::Mirror::Off;
        assert_eq!(of_event(&before, &now), ["`bouts` is another", "`mirror` is another"]);
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
