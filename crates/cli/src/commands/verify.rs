//! `joust verify`: judge recorded bouts again without running a bot.

use joust_orchestrator::dispute::{self, Difference};
use joust_orchestrator::model::{BoutId, StoredBout, escaped};
use joust_orchestrator::store::{Access, Filter, Store};
use serde_json::json;

use super::shared;
use crate::args::{TextFormat, VerifyArgs};
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;

/// What came of one bout.
enum Verified {
    Sound,
    Differs(Vec<Difference>),
    Unreadable(String),
}

pub(super) async fn execute(args: VerifyArgs, screen: Screen) -> Result<Status, Failure> {
    let store = shared::store(&args.source, Access::ReadOnly, screen).await?;
    let mut tally = Tally::default();
    for bout in wanted(&store, &args.bouts).await? {
        let stored = shared::bout(&store, &bout).await?;
        tally.take(&stored, judge(&stored), args.format, screen);
    }
    Ok(tally.close(args.format, screen))
}

async fn wanted(store: &Store, given: &[String]) -> Result<Vec<String>, Failure> {
    if !given.is_empty() {
        return Ok(given.to_vec());
    }
    let all = store.bouts(&Filter::default()).await.map_err(|error| shared::database(&error))?;
    Ok(all.iter().map(BoutId::to_string).collect())
}

fn judge(stored: &StoredBout) -> Verified {
    match dispute::verify(stored) {
        Ok(differences) if differences.is_empty() => Verified::Sound,
        Ok(differences) => Verified::Differs(differences),
        Err(error) => Verified::Unreadable(Failure::from_error(Status::NotInOrder, &error).message),
    }
}

#[derive(Default)]
struct Tally {
    sound: u64,
    unsound: u64,
    bouts: Vec<serde_json::Value>,
}

impl Tally {
    fn take(
        &mut self,
        stored: &StoredBout,
        verified: Verified,
        format: TextFormat,
        screen: Screen,
    ) {
        let bout = stored.plan.bout;
        let bots: Vec<_> = stored.plan.seats.iter().map(|seat| escaped(&seat.bot)).collect();
        let problems = match verified {
            Verified::Sound => Vec::new(),
            Verified::Differs(differences) => {
                differences.iter().map(|difference| escaped(&difference.to_string())).collect()
            }
            Verified::Unreadable(reason) => vec![reason],
        };
        if problems.is_empty() {
            self.sound += 1;
        } else {
            self.unsound += 1;
        }
        match format {
            TextFormat::Json => self.bouts.push(json!({
                "bout": bout.to_string(), "sound": problems.is_empty(), "problems": problems,
            })),
            TextFormat::Text => {
                for problem in problems {
                    screen.result(&format!("bout {bout} ({}): {problem}\n", bots.join(" vs ")));
                }
            }
        }
    }

    fn close(self, format: TextFormat, screen: Screen) -> Status {
        let Self { sound, unsound, bouts } = self;
        match format {
            TextFormat::Json => {
                let report = json!({ "sound": sound, "unsound": unsound, "bouts": bouts });
                screen.result(&format!("{report:#}\n"));
            }
            TextFormat::Text => {
                screen
                    .result(&format!("{sound} bouts agree with their record, {unsound} do not\n"));
            }
        }
        if unsound == 0 { Status::Done } else { Status::NotInOrder }
    }
}
