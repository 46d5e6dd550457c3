//! All an executor needs to play a bout.

use joust_referee::{Game, GameKind, Outputs, Seed, Setup, StartError};
use serde::{Deserialize, Serialize};

use super::{BoutId, BuildHash, GameOptions, Limits, Pace, PlanKey};

/// One seat of a planned bout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatPlan {
    /// The bot's name, or the person's.
    pub bot: String,
    /// What is run.
    pub build: BuildHash,
}

/// All an executor needs to play a bout: plain data that can be written to a
/// file or a wire. The machine that plays adds its own calibration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoutPlan {
    /// The bout's identity.
    pub bout: BoutId,
    /// The event's id.
    pub event: String,
    /// The game's id.
    pub game: String,
    /// The game's rules revision.
    pub revision: u32,
    /// The rule set.
    pub rules: String,
    /// The game's options, complete.
    pub options: GameOptions,
    /// The bout's seed.
    pub seed: u64,
    /// The match, counted from 0 in schedule order.
    pub match_number: u64,
    /// The bout's number within its match, from 0.
    pub number: u32,
    /// The bots, in seat order.
    pub seats: Vec<SeatPlan>,
    /// What each bot may use.
    pub limits: Limits,
    /// How the clock strikes; `None` for games that ask and wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Pace>,
}

impl SeatPlan {
    /// Makes the seat of a person.
    #[must_use]
    pub fn person(name: &str) -> Self {
        Self { bot: name.to_owned(), build: no_build() }
    }

    /// Says whether a person sits here.
    #[must_use]
    pub fn is_person(&self) -> bool {
        self.build == no_build()
    }
}

/// What stands for the build of a seat where nothing is run.
fn no_build() -> BuildHash {
    BuildHash::of("joust-person-1", &[])
}

impl BoutPlan {
    /// Starts the bout as a game of `kind` and appends the first outputs to `out`.
    ///
    /// # Errors
    ///
    /// [`StartError`] when rules, options or the number of seats do not fit the game.
    pub fn start(
        &self,
        kind: &dyn GameKind,
        out: &mut Outputs,
    ) -> Result<Box<dyn Game>, StartError> {
        let names: Vec<String> = self.seats.iter().map(|seat| seat.bot.clone()).collect();
        let setup = Setup {
            rules: &self.rules,
            options: &self.options.to_referee(),
            seed: Seed(self.seed),
            seats: u8::try_from(names.len()).unwrap_or(u8::MAX),
            names: &names,
        };
        kind.start(&setup, out)
    }

    /// Returns the identity of bout `number` of the match between `bots`.
    ///
    /// The order of `bots` plays no part: seats follow from the number.
    #[must_use]
    pub fn id(tournament: &str, event: &str, bots: &[&str], number: u32) -> BoutId {
        let mut sorted = bots.to_vec();
        sorted.sort_unstable();
        let number = number.to_le_bytes();
        let mut fields: Vec<&[u8]> = vec![tournament.as_bytes(), event.as_bytes()];
        fields.extend(sorted.iter().map(|bot| bot.as_bytes()));
        fields.push(&number);
        BoutId::of("joust-bout-1", &fields)
    }

    /// Returns the key under which a result counts for this plan.
    #[must_use]
    pub fn key(&self) -> PlanKey {
        let builds: Vec<_> = self.seats.iter().map(|seat| (&seat.bot, &seat.build)).collect();
        let decisive = (
            &self.game,
            self.revision,
            &self.rules,
            &self.options,
            self.seed,
            builds,
            &self.limits,
        );
        let text = match self.clock {
            None => serde_json::to_vec(&decisive),
            Some(clock) => serde_json::to_vec(&(decisive, clock)),
        };
        let text = text.expect("plain data is JSON");
        PlanKey::of("joust-plan-1", &[&text])
    }

    /// Returns the number a seat finds in `JOUST_SEED`: different for every
    /// bout, seat and bot, and telling nothing about the bout's seed.
    #[must_use]
    pub fn seat_seed(&self, seat: usize) -> u64 {
        let (seed, seat) = (self.seed.to_le_bytes(), (seat as u64).to_le_bytes());
        let hash = PlanKey::of("joust-seat-seed-1", &[&seed, &seat]);
        u64::from_le_bytes(*hash.0.first_chunk().expect("a hash has 32 bytes"))
    }
}
