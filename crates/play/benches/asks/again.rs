//! A recorded bout judged again, beside its referee fed with the same lines.

use std::error::Error;
use std::time::Duration;

use joust_gamekit::{Answer, AnswerVerdict, Answers, StartMessage, ToReferee};
use joust_model::Fold;
use joust_model::{BoutPlan, BoutResult, recorded_inputs};
use joust_play::executor::Equipment;
use joust_referee::{Input, Outputs};

use super::cpu::Spent;

/// Judges a bout again; returns what each answer took.
pub(crate) fn judge(
    equipment: &Equipment,
    plan: &BoutPlan,
    result: &BoutResult,
) -> Result<Spent, Box<dyn Error>> {
    let inputs = recorded_inputs(&result.action_log)?;
    let mut fold = Fold::start(&equipment.games, plan, Outputs::without_views())?;
    let warm_up = inputs.len() / 10;
    let mut before = Spent::default();
    for (number, input) in inputs.iter().enumerate() {
        if number == warm_up {
            before = Spent::now();
        }
        fold.apply_input(input)?;
    }
    let after = Spent::now();
    if fold.state_hash()?.to_string() != result.state_hash {
        return Err("the bout is not the same when it is judged again".into());
    }
    Ok((after - before).of_one(u32::try_from(inputs.len() - warm_up)?))
}

/// Returns the lines of the runner to a referee in a bout.
pub(crate) fn lines(
    result: &BoutResult,
    game: &str,
    asks: u32,
) -> Result<Vec<String>, Box<dyn Error>> {
    let start = StartMessage {
        b: 1,
        seed: "1".to_owned(),
        seats: 2,
        options: [("asks".to_owned(), asks.into())].into_iter().collect(),
        scene: false,
    };
    let mut lines =
        vec![ToReferee::hello("bench", game).to_line(), ToReferee::Start(start).to_line()];
    for (input, n) in recorded_inputs(&result.action_log)?.iter().zip(1..) {
        let Input::Answer { seat, parts, .. } = input else { continue };
        let text = String::from_utf8_lossy(parts.get("").unwrap_or_default()).into_owned();
        let us = u64::try_from(Duration::as_micros(&parts.took()))?;
        let (verdict, files) = (AnswerVerdict::Ok, Default::default());
        let answer = Answer { seat: seat.0, verdict, text, files, us };
        lines.push(ToReferee::Answers(Answers { b: 1, n, of: vec![answer] }).to_line());
    }
    Ok(lines)
}
