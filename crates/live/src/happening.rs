//! Happenings: what spectators hear of a run's notices, without logs.

use std::sync::Arc;

use joust_model::notices::Notice;
use joust_model::{BoutId, RoundState};
use joust_referee::Scene;
use joust_report::site::{Finished, FinishedSeat};

/// One thing that happened.
#[derive(Clone, Debug)]
pub(crate) enum Happening {
    /// Bots are being built.
    Building { number: usize, of: usize },
    /// A language is being measured.
    Calibrating,
    /// An event begins.
    Scheduled { event: String, bouts: u64, finished: u64, round: Option<RoundState> },
    /// A bout begins.
    Started(Started),
    /// A round of a bout is over.
    Position { bout: BoutId, round: u32, scene: Arc<Scene> },
    /// A bout is over and stored. The event is the one that is scheduled.
    Finished { bout: Box<Finished>, machine: String },
    /// A bout was voided.
    Voided(BoutId),
    /// An event is over.
    EventFinished,
    /// Everything is played; bots that come are waited for.
    Waiting,
    /// The run is over.
    Over,
}

/// A bout that begins.
#[derive(Clone, Debug)]
pub(crate) struct Started {
    pub(crate) bout: BoutId,
    pub(crate) event: String,
    pub(crate) number: u32,
    pub(crate) bots: Vec<String>,
}

impl Happening {
    /// Returns what spectators hear of a notice.
    pub(crate) fn of(notice: &Notice) -> Option<Self> {
        Some(match notice {
            Notice::BuildStarted { number, of, .. } => Self::Building { number: *number, of: *of },
            Notice::Calibrating { .. } => Self::Calibrating,
            Notice::Scheduled { event, bouts, finished, round } => Self::Scheduled {
                event: event.clone(),
                bouts: *bouts,
                finished: *finished,
                round: *round,
            },
            Notice::BoutStarted(plan) => Self::Started(Started {
                bout: plan.bout,
                event: plan.event.clone(),
                number: plan.number + 1,
                bots: plan.seats.iter().map(|seat| seat.bot.clone()).collect(),
            }),
            Notice::Position { bout, round, scene } => {
                Self::Position { bout: *bout, round: *round, scene: Arc::clone(scene) }
            }
            Notice::BoutFinished(result) => Self::Finished {
                bout: Box::new(Finished {
                    bout: result.bout,
                    event: String::new(),
                    seats: result.seats.iter().map(seat).collect(),
                    ended: result.ended.clone(),
                    at: result.started_at,
                }),
                machine: result.machine.clone(),
            },
            Notice::BoutVoided { bout, .. } => Self::Voided(bout.bout),
            Notice::EventFinished { .. } => Self::EventFinished,
            Notice::Waiting { .. } => Self::Waiting,
            Notice::Closing => Self::Over,
            _ => return None,
        })
    }
}

fn seat(seat: &joust_model::SeatResult) -> FinishedSeat {
    FinishedSeat { bot: seat.bot.clone(), rank: seat.rank, score: seat.score }
}
