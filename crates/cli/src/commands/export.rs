//! A recorded bout as the replay folder of its game's original.

use joust_bots::BotSource;
use joust_model::{BotRow, BoutPlan, StoredBout, escaped};
use joust_referee::{Catalogue, PlayerInfo};
use joust_report::{OriginalReplay, RecordedInputs, ReplayUnavailable, bot_type};
use joust_store::Store;

use super::play_log::OwnFolder;
use super::shared;
use crate::args::ReplayArgs;
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;

/// Writes the replay folder that `args` asks for.
pub(super) async fn export(
    args: &ReplayArgs,
    store: &Store,
    stored: &StoredBout,
    screen: Screen,
) -> Result<(), Failure> {
    let [layout, folder] = &args.export[..] else { return Ok(()) };
    if layout != "entelect" {
        let message = format!("unknown layout `{}`", escaped(layout));
        return Err(Failure::new(Status::Usage, message).hint("the layouts are: entelect"));
    }
    let plan = &stored.plan;
    let rows = store.bots(&plan.event).await?;
    let players = plan.seats.iter().map(|seat| recorded_player(&seat.bot, &rows)).collect();
    let games = shared::playable_games(&args.source, screen)?;
    let mut replay = OriginalReplay::new(&games, plan, players, stored.result.started_at)
        .map_err(|error| no_replay(&error))?;
    let recorded = RecordedInputs::of(stored).map_err(|error| no_replay(&error))?;
    let folder = OwnFolder::create(folder.as_ref(), args.force)?;
    recorded.replay_into(&mut replay, &mut |name, bytes| folder.put(name, bytes))
}

fn recorded_player(bot: &str, rows: &[BotRow]) -> PlayerInfo {
    match rows.iter().find(|row| row.name == bot) {
        Some(row) => player(bot, &row.author, &row.language),
        None => PlayerInfo::named(bot),
    }
}

/// Returns what the originals tell of a player, but the address.
fn player(name: &str, author: &str, language: &str) -> PlayerInfo {
    PlayerInfo {
        author: author.to_owned(),
        nick_name: name.to_owned(),
        email: String::new(),
        bot_type: bot_type(language).to_owned(),
    }
}

/// Choice to show e-mail addresses in replays.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressPolicy {
    /// They stay out.
    Hidden,
    /// They were asked for.
    Shown,
}

/// Returns the players of a bout of `people` and then `bots`.
pub(super) fn players(
    people: &[String],
    bots: &[BotSource],
    addresses: AddressPolicy,
) -> Vec<PlayerInfo> {
    let bot = |source: &BotSource| {
        let manifest = &source.manifest;
        let author = manifest.author.as_deref().unwrap_or_default();
        let mut player = player(source.name(), author, &manifest.language);
        if let Some(project) = &manifest.project {
            player.bot_type.clone_from(&project.bot_type);
            if addresses == AddressPolicy::Shown {
                player.email.clone_from(&project.email);
            }
        }
        player
    };
    people.iter().map(|name| PlayerInfo::named(name)).chain(bots.iter().map(bot)).collect()
}

/// Begins the original's replay of a bout; `None` for games whose original had
/// none.
pub(super) fn begin(
    games: &Catalogue,
    plan: &BoutPlan,
    players: Vec<PlayerInfo>,
    now: i64,
) -> Result<Option<OriginalReplay>, Failure> {
    match OriginalReplay::new(games, plan, players, now) {
        Ok(replay) => Ok(Some(replay)),
        Err(ReplayUnavailable::NoLayout(_)) => Ok(None),
        Err(error) => Err(no_replay(&error)),
    }
}

fn no_replay(error: &ReplayUnavailable) -> Failure {
    let status = match error {
        ReplayUnavailable::NoLayout(_) => Status::Usage,
        _ => Status::NotInOrder,
    };
    Failure::from_error(status, error)
}
