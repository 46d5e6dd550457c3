//! A disputed bout on a clock is played again exactly as it was.

use std::time::Duration;

use joust_model::{ClockMode, Round};
use joust_orchestrator::dispute::compare;
use joust_referee::Verdict;

use crate::fixtures::*;
use crate::scripted::ScriptedLive;

/// Answers every request it takes notice of with a word that depends on nothing
/// else, as an agent does that looks at the state alone; `busy` is how long it
/// thinks about every third.
fn thinker(busy: Duration) -> ScriptedLive {
    let mut free_at = std::time::Instant::now();
    bot(move |request, _| {
        let now = std::time::Instant::now();
        if now < free_at {
            // Still busy with an earlier one, it never sees this.
            return Vec::new();
        }
        let after = if request.0 % 3 == 0 { busy } else { NOW };
        free_at = now + after;
        let word = ["u", "r", "d", "l"][request.0 as usize % 4];
        vec![(after, answer(request, word))]
    })
}

#[test]
fn a_bout_with_late_answers_is_reproduced_by_faster_bots() {
    let dungeon = Dungeon { pace: ClockMode::Realtime, tick_ms: 20, ..Dungeon::default() };
    let busy = Duration::from_millis(50);
    let recorded = dungeon.play([thinker(busy), thinker(busy)]);
    assert!(recorded.seat(0).answers_late > 0, "{:?}", recorded.actions(0));
    let again = dungeon.again([thinker(NOW), thinker(NOW)], &recorded);
    assert_eq!(again.stored.result.action_log, recorded.stored.result.action_log);
    assert_eq!(again.seat(0).answers_late, recorded.seat(0).answers_late);
    let comparison =
        compare(&joust_referee::Catalogue::built_in(), &recorded.stored, &again.stored)
            .expect("both can be judged");
    assert!(comparison.is_reproduced(), "{comparison:?}");
}

#[test]
fn faults_are_reproduced_too() {
    let dying = || {
        let mut asked = 0;
        bot(move |request, _| {
            asked += 1;
            if asked == 4 { vec![(NOW, crash())] } else { vec![(NOW, answer(request, "u"))] }
        })
    };
    let dungeon = Dungeon { tick_ms: 20, ..Dungeon::default() };
    let recorded = dungeon.play([dying(), silent()]);
    let again = dungeon.again([dying(), silent()], &recorded);
    assert_eq!(again.stored.result.action_log, recorded.stored.result.action_log);
    assert_eq!(again.faults(0), recorded.faults(0));
    assert_eq!(again.faults(0), [(4, Verdict::Crash)]);
}

#[test]
fn a_bot_that_chooses_otherwise_is_found_out() {
    let dungeon = Dungeon::default();
    let recorded = dungeon.play([instant(), instant()]);
    let mut asked = 0;
    let other = bot(move |request, _| {
        asked += 1;
        let word = if asked == 7 { "p" } else { ["u", "r", "d", "l", "p"][(asked - 1) % 5] };
        vec![(NOW, answer(request, word))]
    });
    let again = dungeon.again([other, instant()], &recorded);
    let comparison =
        compare(&joust_referee::Catalogue::built_in(), &recorded.stored, &again.stored)
            .expect("both can be judged");
    let divergence = comparison.divergence.expect("the seventh answer differs");
    assert_eq!((divergence.round, divergence.seat), (Round(7), 0), "{divergence}");
}
