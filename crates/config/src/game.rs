//! Keys of an event whose values depend on its game.

use joust_referee::{ClockSpec, Game, GameSpec, SeatRange, Thinking};
use serde_json::json;

use super::event::{CLOCKS, Event};
use super::section::Section;
use super::shape::words;
use super::suggest::did_you_mean;
use super::table::{Kind, OwnKind, word_of};
use joust_model::{Pace, Pondering, Programs, Starts};

/// Game of the event: [`read_game`] has read it before the other keys, and its schema
/// is filled in with the games there are.
pub(super) const GAME: Kind<Event> = Kind::Own(OwnKind {
    read: |_, _| true,
    show: |event| Some(event.game.id().into()),
    schema: || json!({}),
});

/// Reads which game an event is of; `None` when it is none that is known.
pub(super) fn read_game(section: &Section<'_>) -> Option<Game> {
    let games = section.reading.games();
    let known = games.ids();
    let Some(item) = section.item("game") else {
        section.missing("game", &format!("games are `{}`", known.join("`, `")));
        return None;
    };
    let text = item.text()?;
    let game = games.find(&text).cloned();
    if game.is_none() && !section.reading.is_left_out(&text) {
        let hint = did_you_mean(&text, &known, "games are");
        item.refuse(format!("unknown game `{text}`"), Some(hint));
    }
    game
}

/// One of the game's rule sets.
pub(super) const RULES: Kind<Event> = Kind::Own(OwnKind {
    read: |item, event| {
        let sets = event.game.spec().rule_sets.iter();
        let words: Vec<(&str, &str)> = sets.map(|name| (name.as_str(), name.as_str())).collect();
        let written = item.word("rule set", &words).map(str::to_owned);
        written.map(|rules| event.rules = rules).is_some()
    },
    show: |event| Some(event.rules.as_str().into()),
    schema: || json!({ "type": ["string", "null"] }),
});

pub(super) fn take_first_rules(event: &mut Event) {
    event.rules = event.game.spec().default_rules().to_owned();
}

/// Pace of the clock of a game on a clock.
pub(super) const CLOCK: Kind<Event> = Kind::Own(OwnKind {
    read: |item, event| {
        if clock_of(event).is_none() {
            let hint = "its bots are asked and waited for; `limits` bound how long".to_owned();
            item.refuse(format!("`{}` is not a game on a clock", event.game.id()), Some(hint));
            return false;
        }
        event.clock = item.word("clock", &CLOCKS);
        event.clock.is_some()
    },
    show: |event| event.clock.map(|clock| word_of(&clock, &CLOCKS).into()),
    schema: || words(CLOCKS.map(|(word, _)| word)),
});

pub(super) fn be_eager(event: &mut Event) {
    event.clock = clock_of(event).map(|_| Pace::default());
}

/// Treatment of a bot that thinks while it is not asked.
pub(super) const PONDERING: Kind<Event> = Kind::Own(OwnKind {
    read: |item, event| {
        let Some(pondering) = item.word("choice", &Pondering::WORDS) else { return false };
        if !pondering.is_allowed() && !has_bots_that_wait(event.game.spec()) {
            let hint = "the setting is for games with a referee of their own".to_owned();
            let text = format!("no bot of `{}` waits for its next turn", event.game.id());
            item.refuse(text, Some(hint));
            return false;
        }
        event.limits.pondering = pondering;
        true
    },
    show: |event| {
        let word = || word_of(&event.limits.pondering, &Pondering::WORDS).into();
        has_bots_that_wait(event.game.spec()).then(word)
    },
    schema: || words(Pondering::WORDS.map(|(word, _)| word)),
});

/// Life of programs: a bout or a match.
pub(super) const PROGRAMS: Kind<Event> = Kind::Own(OwnKind {
    read: |item, event| {
        let Some(programs) = item.word("choice", &Programs::WORDS) else { return false };
        if !programs.are_for_a_bout() && !has_bots_that_stay(event.game.spec()) {
            let hint = "the setting is for games with a referee of their own whose bots are asked \
                        by lines"
                .to_owned();
            let text = format!("no bot of `{}` can stay for a match", event.game.id());
            item.refuse(text, Some(hint));
            return false;
        }
        event.limits.programs = programs;
        true
    },
    show: |event| {
        let word = || word_of(&event.limits.programs, &Programs::WORDS).into();
        has_bots_that_stay(event.game.spec()).then(word)
    },
    schema: || words(Programs::WORDS.map(|(word, _)| word)),
});

/// Returns whether bots of the game can stay for more than an answer.
pub(super) fn has_bots_that_stay(game: &GameSpec) -> bool {
    has_bots_that_wait(game) && game.external.as_ref().is_some_and(|external| external.stays)
}

/// Start of programs of one turn.
pub(super) const START: Kind<Event> = Kind::Own(OwnKind {
    read: |item, event| {
        let Some(starts) = item.word("choice", &Starts::WORDS) else { return false };
        event.limits.starts = starts;
        true
    },
    show: |event| Some(word_of(&event.limits.starts, &Starts::WORDS).into()),
    schema: || words(Starts::WORDS.map(|(word, _)| word)),
});

/// Bots that are asked one after the other share the cores of one.
pub(super) fn let_ponder_with_a_core(event: &mut Event) {
    let spec = event.game.spec();
    event.limits.pondering = match spec.thinking {
        Thinking::OneAfterAnother if has_bots_that_wait(spec) => Pondering::Stop,
        _ => Pondering::Allow,
    };
}

/// Returns whether bots of the game can stay for a bout and be asked.
pub(super) fn has_bots_that_wait(game: &GameSpec) -> bool {
    game.external.is_some() && game.clock.is_none()
}

/// Returns when the clock strikes by its own measure; `None` for games without.
pub(super) fn clock_of(event: &Event) -> Option<ClockSpec> {
    event.game.spec().clock(&event.options.to_referee())
}

/// Bots in a match.
pub(super) const PLAYERS: Kind<Event> = Kind::Own(OwnKind {
    read: |item, event| {
        let SeatRange { fewest, most } = event.game.spec().seats;
        let written = item.integer(fewest.max(2).into()..=most.into());
        let written = written.and_then(|players| u8::try_from(players).ok());
        written.map(|players| event.players_per_match = players).is_some()
    },
    show: |event| Some(u64::from(event.players_per_match).into()),
    schema: || json!({ "type": ["integer", "null"] }),
});

/// Returns the number of bots in a match when none is written.
pub(super) fn fewest_players(game: &GameSpec) -> u8 {
    let SeatRange { fewest, most } = game.seats;
    fewest.max(2).min(most)
}
