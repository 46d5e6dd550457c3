//! Plan of a bout: everything that an executor needs to play it.

use std::time::Duration;

use joust_referee::{
    Allowance, AnswerForm, Clocks, Game, GameSpec, Judge, Outputs, Seed, Setup, StartError,
};
use serde::{Deserialize, Serialize};

use super::{
    BoutId, BoutIds, BuildHash, Calibration, ClockMode, GameOptions, Limits, ProgramLifetime,
    Shared, digest_number,
};

/// One seat of a planned bout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatPlan {
    /// The bot's name, or the person's.
    pub bot: String,
    /// Occupant of the seat.
    #[serde(rename = "build")]
    pub occupant: Occupant,
}

/// Occupant of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "BuildHash", into = "BuildHash")]
pub enum Occupant {
    /// A bot, by its build.
    Build(BuildHash),
    /// A person, who has no build.
    Person,
}

impl Occupant {
    /// Returns the build; `None` for a person.
    pub fn build(&self) -> Option<BuildHash> {
        match self {
            Self::Build(build) => Some(*build),
            Self::Person => None,
        }
    }

    /// Returns the hash of the occupant for keys and records. All persons share one hash, which no
    /// build has.
    pub fn identity(&self) -> BuildHash {
        self.build().unwrap_or_else(|| BuildHash::of("joust-person-1", &[]))
    }
}

impl From<BuildHash> for Occupant {
    fn from(identity: BuildHash) -> Self {
        if identity == Self::Person.identity() { Self::Person } else { Self::Build(identity) }
    }
}

impl From<Occupant> for BuildHash {
    fn from(occupant: Occupant) -> Self {
        occupant.identity()
    }
}

/// Everything that an executor needs to play a bout, as plain data that can be written to a file or
/// sent. The machine that plays it adds its own calibration.
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
    /// Hash of the referee's source, if it is an external program. The hash replaces the revision
    /// of the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referee: Option<BuildHash>,
    /// The rule set.
    pub rules: String,
    /// The game's options, complete.
    pub options: Shared<GameOptions>,
    /// The bout's seed.
    #[serde(with = "crate::numbers::PlainSeed")]
    pub seed: Seed,
    /// The match, counted from 0 in schedule order.
    pub match_number: u64,
    /// The bout's number within its match, from 0.
    pub number: u32,
    /// The bots, in seat order.
    pub seats: Vec<SeatPlan>,
    /// Limits of each bot.
    pub limits: Shared<Limits>,
    /// Clock of the bout; `None` for turn-based games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockMode>,
}

impl SeatPlan {
    /// Makes the seat of a person.
    pub fn person(name: &str) -> Self {
        Self { bot: name.to_owned(), occupant: Occupant::Person }
    }

    /// Returns whether a person sits here.
    pub fn is_person(&self) -> bool {
        self.occupant == Occupant::Person
    }
}

impl BoutPlan {
    /// Returns the hash of the source of `game`'s referee for plans; `None` for a built-in one.
    pub fn referee_of(game: &GameSpec) -> Option<BuildHash> {
        game.referee().map(|hash| BuildHash(hash.0))
    }

    /// Starts the bout as one of `game` and appends the first outputs to `out`.
    ///
    /// # Errors
    ///
    /// [`StartError`] when rules, options or the number of seats do not fit the game.
    pub fn start(&self, game: &Game, out: &mut Outputs) -> Result<Box<dyn Judge>, StartError> {
        let names: Vec<String> = self.seats.iter().map(|seat| seat.bot.clone()).collect();
        let setup = Setup {
            rules: &self.rules,
            options: &self.options.to_referee(),
            seed: self.seed,
            seats: u8::try_from(names.len()).unwrap_or(u8::MAX),
            names: &names,
        };
        game.start(&setup, out)
    }

    /// Returns the wall clock that an answer may take, of a bot with that calibration.
    pub fn answer_limit(&self, game: Option<&GameSpec>, calibration: &Calibration) -> Duration {
        let turn = self.limits.turn;
        let own = game.and_then(|game| game.answer_limit(&self.options.to_referee()));
        own.map_or(turn.saturating_add(calibration.wall), |own| own.min(turn))
    }

    /// Returns the clocks of the bout before its first answer, as one of `game`.
    pub fn clocks(&self, game: &GameSpec) -> Clocks {
        let external = game.external.as_ref();
        // A web server has started before it is asked.
        let has_started = external.is_some_and(|external| external.answer == AnswerForm::Response);
        let turn = self.limits.turn;
        let first = if has_started { turn } else { self.limits.start };
        let rule = external.map(|external| external.times).unwrap_or_default();
        let clocks = Clocks::new(rule, Allowance { first, turn }, self.seats.len());
        match self.limits.programs {
            _ if has_started => clocks.without_starts(),
            ProgramLifetime::Match if self.number > 0 => clocks.without_starts(),
            ProgramLifetime::Match | ProgramLifetime::Bout => clocks,
        }
    }

    /// Returns the identity of bout `number` of the match between `bots`.
    ///
    /// The order of `bots` has no effect; the seats follow from the number.
    pub fn id(tournament: &str, event: &str, bots: &[&str], number: u32) -> BoutId {
        BoutIds::of(tournament, event, bots).id(number)
    }

    /// Returns the number that a seat gets in `JOUST_SEED`. It differs for every bout, seat and
    /// bot, and reveals nothing about the bout's seed.
    pub fn seat_seed(&self, seat: usize) -> u64 {
        let (seed, seat) = (self.seed.0.to_le_bytes(), (seat as u64).to_le_bytes());
        digest_number("joust-seat-seed-1", &[&seed, &seat])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PlanKeys, Setting};

    fn json(value: &impl Serialize) -> String {
        serde_json::to_string(value).expect("plain data is JSON")
    }

    fn key_text(plan: &BoutPlan) -> String {
        let seats: Vec<String> = plan.seats.iter().map(PlanKeys::seat).collect();
        let seats: Vec<&str> = seats.iter().map(String::as_str).collect();
        PlanKeys::of(plan).key_text(plan.seed, &seats)
    }

    fn plan(clock: Option<ClockMode>) -> BoutPlan {
        let options =
            [("size".to_owned(), Setting::Int(-9)), ("a \"b\"".to_owned(), Setting::Bool(true))];
        let seat = |bot: &str| SeatPlan {
            bot: bot.to_owned(),
            occupant: Occupant::Build(BuildHash([7; 32])),
        };
        BoutPlan {
            bout: BoutId([1; 8]),
            event: "league".to_owned(),
            game: "battle\nbots".to_owned(),
            revision: 3,
            referee: None,
            rules: "\u{e9}t\u{e9}".to_owned(),
            options: GameOptions(options.into_iter().collect()).into(),
            seed: Seed(u64::MAX),
            match_number: 5,
            number: 6,
            seats: vec![seat("anna"), seat("\\")],
            limits: Limits::default().into(),
            clock,
        }
    }

    #[test]
    fn what_decides_is_written_as_the_list_that_keys_have_always_had() {
        for clock in [None, Some(ClockMode::Eager)] {
            let plan = plan(clock);
            let identity = |seat: &SeatPlan| (seat.bot.clone(), seat.occupant.identity());
            let builds: Vec<_> = plan.seats.iter().map(identity).collect();
            let (game, rules) = (&plan.game, &plan.rules);
            let (options, limits) = (&plan.options, &plan.limits);
            let list = (game, plan.revision, rules, options, plan.seed.0, builds, limits);
            let expected = match clock {
                None => serde_json::to_string(&list),
                Some(clock) => serde_json::to_string(&(list, clock)),
            };
            assert_eq!(key_text(&plan), expected.expect("plain data"));
        }
    }

    #[test]
    fn identities_are_the_same_as_ever() {
        let id = BoutPlan::id("cup", "league", &["bob", "ann"], 3);
        assert_eq!(id.to_string(), "684306ffe5bfbc69");
        let keys = [None, Some(ClockMode::Eager)].map(|clock| plan(clock).key().to_string());
        assert_eq!(
            keys,
            [
                "36e9bc889a9f3050d5fe5889cf48b4f5d7ccaaf39526850261807486e6bf9be2",
                "4425875aa2fd9644a28d5cf47abe7ddf8c237094e1a5d73888f57bb375b696eb"
            ]
        );
        assert_eq!(plan(None).seat_seed(1), 6_768_889_959_095_870_776);
        let person = "28a0b84f4020edd356b272bda83e5d2f104b60f46069fb64f34b858b67de5da9";
        assert_eq!(SeatPlan::person("x").occupant.identity().to_string(), person);
        let mut of_person = plan(None);
        of_person.seats[1] = SeatPlan::person("eve");
        assert!(key_text(&of_person).contains(&format!("[\"eve\",\"{person}\"]")));
    }

    #[test]
    fn keys_of_one_plan_are_those_of_bouts_with_other_seeds_and_seats() {
        for (clock, referee) in [(None, None), (Some(ClockMode::Eager), Some(BuildHash([4; 32])))] {
            let first = BoutPlan { referee, ..plan(clock) };
            let seats = vec![SeatPlan::person("eve"), first.seats[0].clone()];
            let other = BoutPlan { seed: Seed(7), seats, ..first.clone() };
            let seats: Vec<String> = other.seats.iter().map(PlanKeys::seat).collect();
            let seats: Vec<&str> = seats.iter().map(String::as_str).collect();
            let key = PlanKeys::of(&first).key(other.seed, &seats);
            assert_eq!(key, other.key());
            assert_ne!(key, first.key());
        }
    }

    #[test]
    fn another_referee_is_another_key() {
        let of = |referee| BoutPlan { referee, ..plan(None) }.key();
        let (one, two) = (Some(BuildHash([1; 32])), Some(BuildHash([2; 32])));
        assert!(of(one) != of(two) && of(one) != of(None));
    }

    #[test]
    fn whether_bots_may_think_between_asks_is_part_of_the_key() {
        let limits = Limits { pondering: crate::Pondering::Stop, ..Limits::default() };
        let stopped = BoutPlan { limits: limits.into(), ..plan(None) };
        assert_ne!(stopped.key(), plan(None).key());
        assert_eq!(
            serde_json::from_str::<Limits>(&json(&*stopped.limits)).expect("limits"),
            *stopped.limits
        );
    }

    #[test]
    fn whether_programs_stay_for_a_match_is_part_of_the_key() {
        let limits = Limits { programs: crate::ProgramLifetime::Match, ..Limits::default() };
        let kept = BoutPlan { limits: limits.into(), ..plan(None) };
        assert_ne!(kept.key(), plan(None).key());
        assert!(json(&*kept.limits).contains("\"programs\":\"match\""));
        assert!(!json(&Limits::default()).contains("programs"));
    }

    #[test]
    fn an_occupant_is_written_and_read_as_its_hash() {
        for occupant in [Occupant::Person, Occupant::Build(BuildHash([7; 32]))] {
            let text = json(&occupant);
            assert_eq!(text, format!("\"{}\"", occupant.identity()));
            assert_eq!(serde_json::from_str::<Occupant>(&text).expect("an occupant"), occupant);
        }
    }
}
