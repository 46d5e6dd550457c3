//! Parts of the game for a standing server: its server without seats, and its spectator.

use super::super::score::{NO_PLAYERS, STUCK};
use super::super::{GameOptions, QUIET_MS, quirks_of};
use super::{Admission, Effect, Mirror, Phase, Report, Series, Server};
use crate::games::uwcs_bomberman::UwcsBomberman;
use crate::{
    Connection, GameServer, Options, Seed, ServedGame, ServerEffect, ServerPace, ServerReport,
    ServerScore, Spectator, StartError,
};

/// Why a name that needs escaping stops everything; under the rules `original` only.
const WHY_STUCK: &str = "a name that needs escaping broke the game, as it breaks the original's \
                         server: END is repeated until its client leaves or the server is restarted";

/// A game of one is over at once under rules that end it when one is left.
const LONELY: &str = "`--rules original` lets a lone player play on";

impl ServedGame for UwcsBomberman {
    fn server(
        &self,
        rules: &str,
        options: &Options,
        seed: Seed,
    ) -> Result<Box<dyn GameServer>, StartError> {
        let quirks = quirks_of(rules).ok_or_else(|| StartError::UnknownRules(rules.to_owned()))?;
        let options = GameOptions::read(quirks, options).map_err(StartError::Options)?;
        Ok(Box::new(ContinuousServer(Server::new(
            options,
            Admission::Anyone,
            Series::BackToBack,
            seed,
        ))))
    }

    fn spectator(&self) -> Box<dyn Spectator> {
        Box::new(Mirror::default())
    }
}

/// A server that admits every connection and continues with the next game.
struct ContinuousServer(Server);

impl ContinuousServer {
    /// Gives the server an input and passes on its effects.
    fn run(
        &mut self,
        out: &mut Vec<ServerEffect>,
        call: impl FnOnce(&mut Server, &mut Vec<Effect>),
    ) {
        let mut effects = Vec::new();
        call(&mut self.0, &mut effects);
        out.extend(effects.into_iter().filter_map(|effect| self.server_effect(effect)));
    }

    fn server_effect(&self, effect: Effect) -> Option<ServerEffect> {
        Some(match effect {
            Effect::Send { to, bytes } => ServerEffect::Send { to, bytes },
            Effect::Check { connection, name, password } => {
                ServerEffect::Check { connection, name, password }
            }
            Effect::Close { connection } => ServerEffect::Close { connection },
            Effect::Turn(_) => return None,
            Effect::Over(report) if report.ended == STUCK => ServerEffect::Stuck { why: WHY_STUCK },
            Effect::Over(report) => ServerEffect::Over(self.report(report)),
        })
    }

    fn report(&self, report: Report) -> Option<ServerReport> {
        if report.scores.is_empty() && report.ended == NO_PLAYERS {
            return None;
        }
        let is_lonely = report.scores.len() == 1 && self.0.options().quirks.end_at_living > 0;
        let score = |score: super::super::Score| ServerScore {
            name: score.name,
            shown: score.shown,
            points: score.points,
        };
        Some(ServerReport {
            ended: report.ended,
            turns: report.turns,
            scores: report.scores.into_iter().map(score).collect(),
            note: is_lonely.then_some(LONELY),
        })
    }
}

impl GameServer for ContinuousServer {
    fn begin(&mut self, out: &mut Vec<ServerEffect>) {
        self.run(out, Server::begin);
    }

    fn pace(&self) -> ServerPace {
        let clock = self.0.options().clock;
        let is_registration = self.0.phase() == Phase::Window;
        let until_next_ms = if is_registration { clock.first_ms } else { clock.tick_ms };
        ServerPace { until_next_ms, is_registration }
    }

    fn quiet_ms(&self) -> u32 {
        QUIET_MS
    }

    fn open(&mut self, connection: Connection) {
        self.0.open(connection, None);
    }

    fn close(&mut self, connection: Connection) {
        self.0.close(connection);
    }

    fn receive(&mut self, connection: Connection, bytes: &[u8], out: &mut Vec<ServerEffect>) {
        self.run(out, |server, effects| server.receive(connection, bytes, effects));
    }

    fn quiet(&mut self, connection: Connection, out: &mut Vec<ServerEffect>) {
        self.run(out, |server, effects| server.quiet(connection, effects));
    }

    fn checked(&mut self, connection: Connection, is_right: bool, out: &mut Vec<ServerEffect>) {
        self.run(out, |server, effects| server.checked(connection, is_right, effects));
    }

    fn flush(&mut self, out: &mut Vec<ServerEffect>) {
        self.run(out, Server::flush);
    }

    fn strike(&mut self, out: &mut Vec<ServerEffect>) {
        self.run(out, Server::strike);
    }
}
