//! Tests of replays: they show the contents of the database and the drawings of the terminal.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::played::{Bout, Clean, bout_of, bouts};

#[test]
fn every_replay_plays_to_its_end_and_shows_the_scores_of_the_database() {
    let clean = Clean::watch(&bouts()[0]);
    for bout in bouts() {
        clean.0.go(&bout.page());
        clean.await_replay();
        clean.0.run(
            "const speed = document.getElementById('replay-speed'); speed.value = '64'; \
             speed.dispatchEvent(new Event('change'))",
        );
        clean.0.click("#replay-play");
        clean.0.wait_for(
            "replay.dataset.frame === replay.dataset.last && !joustViewer.player.isPlaying",
        );
        assert_eq!(clean.frame(), bout.json["rounds"].as_u64().expect("rounds"));
        let shown = clean.0.run(
            "return [...document.querySelectorAll('.rv-seat')].map((card) => [\
             card.querySelector('strong').textContent, Number(card.dataset.rank), \
             card.querySelector('.rv-rank').hidden ? 'hidden' : card.querySelector('.rv-rank').textContent])",
        );
        assert_eq!(shown, json!(final_seats(bout)), "{}", bout.event());
        let label = clean
            .0
            .run("return document.getElementById('replay-slider').getAttribute('aria-valuetext')");
        let ended = bout.json["ended"].as_str().expect("a bout ends");
        assert!(label.as_str().is_some_and(|label| label.ends_with(ended)), "{label}");
    }
    clean.end();
}

#[test]
fn a_replay_in_one_file_plays_and_asks_for_no_other() {
    for bout in bouts() {
        let clean = Clean::open(&bout.alone());
        clean.await_replay();
        let last = clean.0.run("return Number(document.getElementById('replay').dataset.last)");
        assert_eq!(last, bout.json["rounds"], "{}", bout.event());
        let title = clean.0.run("return document.querySelector('h1').innerText");
        for seat in bout.json["seats"].as_array().expect("a bout has seats") {
            let bot = seat["bot"].as_str().expect("a name");
            assert!(title.as_str().is_some_and(|title| title.contains(bot)), "{title}");
        }
        assert_eq!(clean.0.requests(), [bout.alone()]);
        clean.end();
    }
}

fn final_seats(bout: &Bout) -> Vec<Value> {
    let seats = bout.json["seats"].as_array().expect("a bout has seats");
    let shown = |seat: &Value| {
        let rank = seat["rank"].as_u64().expect("a rank");
        let ordinal = ["1st", "2nd", "3rd"][rank as usize - 1];
        json!([seat["bot"], rank, format!("{ordinal} · score {}", seat["score"])])
    };
    seats.iter().map(shown).collect()
}

#[test]
fn every_position_is_the_one_the_terminal_draws() {
    let clean = Clean::watch(&bouts()[0]);
    for bout in bouts() {
        clean.0.go(&bout.page());
        clean.await_replay();
        let drawn =
            drawn_rounds(&bout.drawing, clean.0.run("return joustViewer.player.replay.height"));
        assert_eq!(
            drawn.len() as u64,
            bout.json["rounds"].as_u64().expect("rounds"),
            "{}",
            bout.event()
        );
        let shown = clean.0.run(
            "const {replay} = joustViewer.player; \
             return replay.doc.rounds.map((round) => replay.text(replay.frameOf(round), -1))",
        );
        for ((round, board), shown) in drawn.iter().zip(shown.as_array().expect("positions")) {
            let shown = shown.as_str().expect("a text");
            for (row, line) in shown.lines().take(board.len()).enumerate() {
                assert!(
                    begins_with(&board[row], line),
                    "{} round {round}:\n{shown}\n{}",
                    bout.event(),
                    board.join("\n")
                );
            }
        }
    }
    clean.end();
}

/// Beside the board the terminal writes the texts, after two blanks or more.
fn begins_with(drawn: &str, shown: &str) -> bool {
    drawn.strip_prefix(shown).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// The lines of the board after each round.
fn drawn_rounds(drawing: &str, height: Value) -> BTreeMap<u64, Vec<String>> {
    let height = height.as_u64().expect("a height") as usize;
    let lines: Vec<&str> = drawing.lines().collect();
    let mut rounds = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        let round = line.strip_prefix("round ").and_then(|rest| rest.split_once(": "));
        if let Some(round) = round.and_then(|(round, _)| round.parse().ok()) {
            let board = lines[at + 1..].iter().take(height).map(|line| (*line).to_owned());
            rounds.insert(round, board.collect());
        }
    }
    rounds
}

#[test]
fn every_turn_is_shown_with_its_action_verdict_and_time() {
    let bout = bout_of("battlebots");
    let clean = Clean::watch(bout);
    let shown = clean.0.run(
        "return joustViewer.player.replay.turns.map((turn) => [turn.round, turn.seat, turn.action, turn.verdict, turn.wallMs])",
    );
    let turns = bout.json["turns"].as_array().expect("turns");
    let kept = turns.iter().map(|turn| {
        json!([turn["round"], turn["seat"], turn["action"], turn["verdict"], turn["wall_ms"]])
    });
    let (shown, kept) = (shown.as_array().expect("turns").clone(), kept.collect::<Vec<_>>());
    assert_eq!(shown.len(), kept.len());
    for (shown, kept) in shown.iter().zip(&kept) {
        assert_eq!(
            (&shown[0], &shown[1], &shown[2], &shown[3]),
            (&kept[0], &kept[1], &kept[2], &kept[3])
        );
        let (shown, kept) = (shown[4].as_f64().expect("a time"), kept[4].as_f64().expect("a time"));
        assert!((shown - kept).abs() < 0.01, "{shown} {kept}");
    }
    clean.end();
}

#[test]
fn a_seat_is_shown_its_own_ships_and_no_others() {
    let clean = Clean::watch(bout_of("battleships-2017"));
    let ships = |eyes: i32| {
        clean.0.run(&format!(
            "const {{replay}} = joustViewer.player; const text = replay.text(2, {eyes}); \
             const rows = text.split('\\n').slice(0, replay.height); const left = replay.height * 2; \
             const count = (part) => part.replace(/[^BCDRS]/g, '').length; \
             return [rows.map((row) => count(row.slice(0, left))).reduce((a, b) => a + b), \
                     rows.map((row) => count(row.slice(left))).reduce((a, b) => a + b)]"
        ))
    };
    let all = ships(-1);
    let (left, right) = (&all[0], &all[1]);
    assert!(left.as_u64() > Some(10) && right.as_u64() > Some(10), "{all}");
    assert_eq!(ships(0), json!([left, 0]));
    assert_eq!(ships(1), json!([0, right]));
    clean.end();
}

#[test]
fn what_a_seat_was_shown_is_what_the_terminal_prints() {
    let clean = Clean::watch(bout_of("battlebots"));
    clean.0.run("location.hash = '#round=3&seat=1'");
    clean.0.wait_for("joustViewer.player.frame === 3 && joustViewer.player.eyes === 1");
    let view = clean.0.run("return document.querySelector('.rv-view pre').textContent");
    let view = view.as_str().expect("a text");
    assert_eq!(view.lines().take(10).filter(|line| line.len() == 10).count(), 10, "{view}");
    assert!(view.contains("Y hp=") && view.contains("X hp="), "{view}");
    clean.end();
}
