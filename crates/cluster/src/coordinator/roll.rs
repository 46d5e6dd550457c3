//! Roll of a coordinator: which workers are there, what they play, and what is said of them.

use std::sync::Arc;
use std::time::Duration;

use joust_play::executor::ExecutorEvent;

use super::{Desk, Inspect, LONELY};
use crate::message::{Announcement, Position, State};
use crate::news::News;
use crate::transport::CoordinatorSide;

/// Longest reason why a worker cannot play that is reported, characters.
const MOST_CHARACTERS: usize = 2000;

impl<T: CoordinatorSide, I: Inspect> Desk<T, I> {
    pub(super) fn hear(&mut self, said: &Announcement) {
        let is_elsewhere = said.tournament.as_ref().is_some_and(|it| *it != self.stage.tournament);
        if is_elsewhere {
            return;
        }
        if let State::Refused(why) = &said.state {
            let why = why.chars().take(MOST_CHARACTERS).collect();
            let news = News::Refused { worker: said.worker.clone(), why };
            return self.inspect.news(news);
        }
        if said.state == State::Playing {
            self.offers.insert(said.worker.clone(), said.offer.clone());
        }
        let now = self.now();
        if self.ledger.heard(said, now) {
            let (worker, cores, clock) = (said.worker.clone(), said.offer.cores, said.clock);
            self.inspect.news(News::Came { worker, cores, clock });
        }
        self.lonely_since = None;
    }

    /// Tells what a worker plays.
    pub(super) async fn show(&mut self, said: Announcement) {
        let is_ours = said.epoch == self.stage.epoch
            && said.tournament.as_ref() == Some(&self.stage.tournament);
        if !is_ours {
            return;
        }
        self.begun.retain(|bout| self.ledger.is_asked_for(*bout));
        for bout in said.playing {
            if self.ledger.is_asked_for(bout) && self.begun.insert(bout) {
                self.say(ExecutorEvent::BoutStarted(bout)).await;
            }
        }
        for Position { bout, round, scene } in said.positions {
            if self.begun.contains(&bout) {
                let scene = Arc::new(scene);
                self.say(ExecutorEvent::Position { bout, round, scene }).await;
            }
        }
    }

    pub(super) fn complain_of_loneliness(&mut self, now: Duration) {
        if self.ledger.workers() > 0 || self.ledger.is_empty() {
            self.lonely_since = self.lonely_since.filter(|_| self.ledger.workers() == 0);
        } else if self.lonely_since.is_some_and(|since| since + LONELY < now) {
            self.inspect.news(News::Lonely);
            self.lonely_since = None;
        }
    }

    /// Reports the bouts that wait for a machine that is not there.
    pub(super) fn complain_of_unfit_workers(&mut self, now: Duration) {
        for class in self.ledger.untaken(now, LONELY) {
            let mut reasons = self.offers.values().map(|offer| class.needs.unmet_by(offer));
            let Some(Some(why)) = reasons.next() else { continue };
            if reasons.all(|reason| reason.is_some()) && self.unfit.insert(class.id.clone()) {
                self.inspect.news(News::Unfit(why));
            }
        }
    }
}
