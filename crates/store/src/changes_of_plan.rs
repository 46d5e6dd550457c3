//! Changes of a plan: the reasons to play a bout again that has a result.

use joust_model::BoutPlan;

/// Names the inputs of a bout's result that differ between two of its plans.
pub(super) fn changes(before: &BoutPlan, now: &BoutPlan) -> Vec<String> {
    let of_game = [
        ("the game", before.game != now.game),
        ("the game's rules", before.rules != now.rules || before.revision != now.revision),
        ("the referee", before.referee != now.referee),
        ("the options", before.options.json() != now.options.json()),
        ("the limits", before.limits.json() != now.limits.json()),
        ("the clock", before.clock != now.clock),
        ("the seed", before.seed != now.seed),
        (
            "who plays",
            !before.seats.iter().map(|it| &it.bot).eq(now.seats.iter().map(|it| &it.bot)),
        ),
    ];
    let of_game = of_game.into_iter().filter(|(_, is_new)| *is_new);
    let builds = now.seats.iter().filter(|seat| {
        let was = before.seats.iter().find(|was| was.bot == seat.bot);
        was.is_some_and(|was| was.occupant != seat.occupant)
    });
    of_game
        .map(|(name, _)| name.to_owned())
        .chain(builds.map(|seat| format!("the build of `{}`", seat.bot)))
        .collect()
}

#[cfg(test)]
mod tests {
    use joust_model::{BuildHash, Limits, Occupant, Seed};
    use joust_testkit::fixtures;

    use super::*;

    #[test]
    fn every_change_is_named() {
        let (before, _) = fixtures::bout("league", ["anna", "bert"], 1);
        assert_eq!(changes(&before, &before), [""; 0]);
        let mut now = before.clone();
        now.seed = Seed(77);
        now.limits = Limits { processes: 3, ..*now.limits }.into();
        now.referee = Some(BuildHash([3; 32]));
        now.seats[1].occupant = Occupant::Build(BuildHash([9; 32]));
        let expected = ["the referee", "the limits", "the seed", "the build of `bert`"];
        assert_eq!(changes(&before, &now), expected);
        now = before.clone();
        now.seats[0].bot = "carl".to_owned();
        assert_eq!(changes(&before, &now), ["who plays"]);
    }
}
