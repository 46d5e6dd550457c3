//! Playing of an event, and the choice of bouts that count.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use joust_cluster::RequiredReferee;
use joust_config::Event;
use joust_model::notices::Notice;
use joust_model::{BoutId, ScheduleKind};
use joust_play::executor::{CoreLoad, Equipment, Executor, Local, available};
use joust_sandbox::{MemoryRoom, memory_room};
use joust_store::{BoutSet, Committer, Reconciled, Scheduled as _};

use super::prepared::TimedComparison;
use super::{BoutSelection, PreparedEvent, Run, RunError};
use crate::pipeline::league::{ExecutorTimeouts, League, RunOutcome};
use crate::pipeline::plans::{EventPlans, Player, ScheduleProgress, in_one_go};
use crate::pipeline::rounds::RoundRecord;
use crate::workers::{EventDispatch, needed_referee};

/// Time for which the load of the machine is observed: some ticks of the kernel, which counts time
/// in hundredths of a second.
const SHARED_LOOK: Duration = Duration::from_millis(60);

impl Run<'_> {
    /// Plays an event until `enough` is true; round by round, where its schedule draws rounds.
    pub(super) async fn play(
        &self,
        ready: &mut PreparedEvent<'_>,
        committer: Committer,
        enough: &(dyn Fn() -> bool + Sync),
    ) -> Result<RunOutcome, RunError> {
        let players = ready.field.players();
        let mut ended = self.play_round(ready, &players, committer.clone(), enough).await?;
        while ended == RunOutcome::Complete && self.opens_round(ready, &players).await? {
            if self.announces {
                self.announce(ready).await?;
            }
            ended = self.play_round(ready, &players, committer.clone(), enough).await?;
        }
        Ok(ended)
    }

    /// Returns whether the played bouts open another round.
    async fn opens_round(
        &self,
        ready: &mut PreparedEvent<'_>,
        players: &[Player],
    ) -> Result<bool, RunError> {
        let before = self.plans(ready, players);
        let Some(state) = before.round_state() else { return Ok(false) };
        // A recorded round may be in another order.
        let planned: Option<HashSet<BoutId>> = (self.options.replay == BoutSelection::Everything)
            .then(|| before.all().map(|plan| plan.bout).collect());
        ready.record = RoundRecord::of(&self.store, ready.event).await?;
        let there = self.store.done(&ready.event.id, &self.all_plans(ready, players)).await?;
        let plans = self.plans(ready, players);
        let after = plans.round_state();
        let Some(planned) = planned else {
            ready.finished = there;
            return Ok(after.is_some_and(|after| after.open > state.open));
        };
        let mut finished = BoutSet::new(plans.bouts_per_match());
        for plan in plans.all().filter(|plan| planned.contains(&plan.bout)) {
            if there.contains(plan.match_number, plan.number) {
                finished.insert(plan.match_number, plan.number);
            }
        }
        ready.finished = finished;
        ready.still_replaced(&there);
        Ok(after.is_some_and(|after| after.open > state.open))
    }

    /// Plays the missing bouts of an event, in the rounds that are drawn.
    async fn play_round(
        &self,
        ready: &mut PreparedEvent<'_>,
        players: &[Player],
        committer: Committer,
        enough: &(dyn Fn() -> bool + Sync),
    ) -> Result<RunOutcome, RunError> {
        self.begin_event(ready, players).await?;
        let plans = self.plans(ready, players);
        let mut replaced = ready.replaced.clone();
        replaced.extend(&plans.played_again(&ready.finished));
        let equipment = Arc::new(self.equip(ready));
        let self_test = || self.machine.host.self_test().map_err(|error| error.to_string());
        let league = League {
            store: &self.store,
            committer,
            listener: &self.listener,
            cancel: &self.cancel,
            self_test: &self_test,
            until: self.until,
            enough,
            replaced: &replaced,
            logs: ready.event.logs,
            patience: ExecutorTimeouts::USUAL,
        };
        let executor = self.player(ready, &equipment)?;
        let missing = ready.field.playable(plans.unfinished(&ready.finished));
        let spec = ready.event.game.spec();
        let missing = in_one_go(missing).filter_map(|plans| equipment.assign_whole(spec, plans));
        Ok(league.play_all(&*executor, missing).await?)
    }

    /// Makes the scheduled bouts count, and reports their number.
    async fn begin_event(
        &self,
        ready: &mut PreparedEvent<'_>,
        players: &[Player],
    ) -> Result<(), RunError> {
        self.warn_of_too_few(ready.event, players.len());
        self.warn_of_no_gauntlet(ready.event, players);
        if self.coordinator.is_none()
            && let Some(text) = memory_shortage(ready.event, self.options.jobs)
        {
            self.listener.warn(text);
        }
        let compared: Option<TimedComparison> = ready.compared.take();
        let found = match compared.and_then(|compared| compared.still_of(players)) {
            Some(comparison) => self.store.reconcile_as(&ready.event.id, comparison).await?,
            None => {
                let plans = self.all_plans(ready, players);
                self.store.reconcile(&ready.event.id, &plans).await?
            }
        };
        let share = self.share(ready, players, &found);
        let plans = self.plans(ready, players);
        let again = plans.played_again(&ready.finished).len();
        let finished = match ready.replaced.is_empty() {
            true => share.finished.saturating_sub(again),
            false => 0,
        };
        self.listener.notice(&Notice::Scheduled {
            event: ready.event.id.clone(),
            bouts: share.scheduled,
            finished,
            round: plans.round_state(),
        });
        Ok(())
    }

    fn warn_of_too_few(&self, event: &Event, players: usize) {
        let wanted = usize::from(event.players_per_match);
        if players < wanted {
            let id = &event.id;
            self.listener.warn(format!(
                "`{id}`: a match takes {wanted} bots and {players} can play: no bouts"
            ));
        }
    }

    fn warn_of_no_gauntlet(&self, event: &Event, players: &[Player]) {
        let ScheduleKind::Gauntlet { bots: named } = &event.schedule else { return };
        if !players.iter().any(|player| named.contains(&player.name)) {
            let (id, named) = (&event.id, named.join("`, `"));
            self.listener
                .warn(format!("`{id}`: of the gauntlet's bots (`{named}`) none plays: no bouts"));
        }
    }

    /// Warns if other programs use the cores of this machine, at a moment when the run itself is
    /// idle.
    pub(super) async fn warn_of_shared_cores(&self) {
        if self.coordinator.is_some() {
            return;
        }
        let before = CoreLoad::look();
        tokio::time::sleep(SHARED_LOOK).await;
        let shared = CoreLoad::look().shared_since(&before, &available());
        if shared.is_empty() {
            return;
        }
        let cores: Vec<String> = shared.iter().map(usize::to_string).collect();
        self.listener.warn(format!(
            "other programs work on the cores that bots play on ({}): bots will wait for a processor; that is taken off \
             their clocks, but bouts take longer, and one in which they wait too long has no result",
            cores.join(", ")
        ));
    }

    /// Returns the part of an event's bouts that this run plays: all that were `found`, its
    /// shard's, or those of the only bots that play.
    pub(super) fn share(
        &self,
        ready: &PreparedEvent<'_>,
        players: &[Player],
        found: &Reconciled,
    ) -> ScheduleProgress {
        let trial = self.trial(ready.event);
        if self.options.selection.shard.is_none() && trial.is_none() {
            return ScheduleProgress { scheduled: found.scheduled, finished: found.finished() };
        }
        let all = self.all_plans(ready, players);
        all.of_shard(self.options.selection.shard).of_bots(trial).progress(&found.done)
    }

    /// Returns the only bots whose matches are played in an event, if it is limited to some.
    fn trial(&self, event: &Event) -> Option<&[String]> {
        self.options.selection.only_in.get(&event.id).map(Vec::as_slice)
    }

    /// Returns the plans of all scheduled bouts.
    pub(super) fn all_plans<'b>(
        &'b self,
        ready: &PreparedEvent<'b>,
        players: &'b [Player],
    ) -> EventPlans<'b> {
        let event = ready.event;
        let mut plans =
            EventPlans::new(self.tournament, event, players).under(self.machine.limits(event));
        plans.trial = self.trial(event);
        plans.with_record(&ready.record)
    }

    /// Returns the plans that this run plays.
    pub(super) fn plans<'b>(
        &'b self,
        ready: &PreparedEvent<'b>,
        players: &'b [Player],
    ) -> EventPlans<'b> {
        let selection = &self.options.selection;
        let only = Some(&selection.only[..]).filter(|only| !only.is_empty());
        let plans = self.all_plans(ready, players).of_shard(selection.shard);
        plans.of_bots(self.trial(ready.event).or(only))
    }

    pub(super) fn equip(&self, ready: &PreparedEvent<'_>) -> Equipment {
        self.machine.equip(
            ready.field.builds().cloned(),
            ready.calibrations.iter().cloned(),
            self.cancel.clone(),
        )
    }

    /// Returns the executor of an event's bouts: this machine, or workers.
    fn player(
        &self,
        ready: &PreparedEvent<'_>,
        equipment: &Arc<Equipment>,
    ) -> Result<Box<dyn Executor>, RunError> {
        let Some(coordinator) = &self.coordinator else {
            return Ok(Box::new(self.executor(equipment)));
        };
        let event = ready.event;
        let referee = self.travelling_referee(event);
        if event.game.spec().external.is_some() && referee.is_none() {
            let id = &event.id;
            self.listener.warn(format!(
                "`{id}`: its `game.yaml` reads further files, which do not travel to workers: this \
                 machine plays it"
            ));
            return Ok(Box::new(self.executor(equipment)));
        }
        let dispatch = EventDispatch {
            event,
            referee,
            builds: ready.field.builds().cloned().collect(),
            machine: &self.machine,
            listener: Arc::clone(&self.listener),
            cancel: self.cancel.clone(),
        };
        coordinator.executor(dispatch).map_err(RunError::Builds)
    }

    /// Returns the files of an event's referee that workers need, if it is an external program.
    pub(super) fn travelling_referee(&self, event: &Event) -> Option<RequiredReferee> {
        let id = event.game.id();
        let brought = self.tournament.external.iter().find(|one| one.game.id() == id)?;
        needed_referee(brought, self.machine.referee_build(id)?)
    }

    pub(super) fn executor(&self, equipment: &Arc<Equipment>) -> Local {
        Local::new(Arc::clone(equipment), self.options.jobs, self.options.sharing)
            .watched_by(Arc::clone(&self.listener))
    }
}

/// Returns a message if the seats of so many bouts of an event (`None` for as many as there are
/// cores) were promised more memory than the machine, or the control group around Joust, has.
pub fn memory_shortage(event: &Event, jobs: Option<usize>) -> Option<String> {
    let bouts = jobs.unwrap_or_else(|| available().len());
    let seats = (bouts as u64).saturating_mul(event.players_per_match.into());
    let room = memory_room()?;
    describe(seats, event.limits.memory.0, &room).map(|text| format!("`{}`: {text}", event.id))
}

fn describe(seats: u64, limit: u64, room: &MemoryRoom) -> Option<String> {
    const MIB: u64 = 1 << 20;
    let promised = seats.saturating_mul(limit);
    let there = room.bytes.0;
    (promised > there).then(|| {
        let whose = match &room.group {
            None => "this machine has".to_owned(),
            Some(group) => format!("the control group `{}` allows", group.display()),
        };
        let (limit, promised, there) = (limit / MIB, promised / MIB, there / MIB);
        format!(
            "{seats} bots at once may use {limit} MiB each, {promised} MiB in all, and {whose} {there} MiB; \
             a bout that it ends because memory ran out is played again: lower `memory` under `limits`, or play fewer \
             bouts at once (`--jobs`)"
        )
    })
}

#[cfg(test)]
mod tests {
    use joust_sandbox::Bytes;

    use super::*;

    #[test]
    fn more_than_there_is_is_told_with_what_to_do() {
        let room = MemoryRoom { bytes: Bytes::from_mib(420), group: Some("/sys/fs/x".into()) };
        assert_eq!(describe(4, 100 << 20, &room), None);
        let text = describe(4, 512 << 20, &room).expect("it is too much");
        let start = "4 bots at once may use 512 MiB each, 2048 MiB in all, and the control group \
                     `/sys/fs/x` allows 420 MiB";
        assert!(text.starts_with(start), "{text}");
    }
}
