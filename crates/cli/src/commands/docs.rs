//! `joust docs`: a page of the manual, or the list of pages.

use std::borrow::Cow;

use clap::ValueEnum;

use crate::args::{DocsArgs, Topic};
use crate::error::{Failure, Status};
use crate::home::with_address;
use crate::option_table::option_table;
use crate::output::Screen;

/// Line that stands for the table of all options; the rest of it is read where pages are files.
const OPTIONS: &str =
    "`joust docs reference` prints a table of all options of all commands here.\n";

pub(super) fn execute(args: &DocsArgs, screen: Screen) -> Result<Status, Failure> {
    match args.topic {
        None => screen.result(&list()),
        Some(topic) => screen.result(&with_address(&with_options(page(topic)))),
    }
    Ok(Status::Done)
}

/// Returns a page with the table of all options in place of the line that stands for it.
fn with_options(page: &str) -> Cow<'_, str> {
    match page.contains(OPTIONS) {
        true => page.replace(OPTIONS, &option_table()).into(),
        false => page.into(),
    }
}

/// Returns the page in Markdown.
fn page(topic: Topic) -> &'static str {
    match topic {
        Topic::Tournament => include_str!("../../docs/tournament.md"),
        Topic::Authors => include_str!("../../../../bots/README.md"),
        Topic::Limits => include_str!("../../../../bots/limits.md"),
        Topic::Languages => include_str!("../../../../bots/languages.md"),
        Topic::Battlebots => include_str!("../../../../bots/battlebots/README.md"),
        Topic::Entelect => include_str!("../../../../bots/entelect.md"),
        Topic::CoderoneDungeon => include_str!("../../../../bots/coderone-dungeon/README.md"),
        Topic::UwcsBomberman => include_str!("../../../../bots/uwcs-bomberman/README.md"),
        Topic::ConnectFour => include_str!("../../../../bots/connect-four/README.md"),
        Topic::Battlesnake => include_str!("../../../../bots/battlesnake/README.md"),
        Topic::Games => include_str!("../../docs/games.md"),
        Topic::Protocol => include_str!("../../../gamekit/PROTOCOL.md"),
        Topic::Adapters => include_str!("../../docs/adapters.md"),
        Topic::Play => include_str!("../../docs/play.md"),
        Topic::Workers => include_str!("../../docs/workers.md"),
        Topic::Site => include_str!("../../docs/site.md"),
        Topic::PullRequests => include_str!("../../docs/pull-requests.md"),
        Topic::Disputes => include_str!("../../docs/disputes.md"),
        Topic::Schedules => include_str!("../../docs/schedules.md"),
        Topic::Ratings => include_str!("../../docs/ratings.md"),
        Topic::Server => include_str!("../../docs/server.md"),
        Topic::Reference => include_str!("../../docs/reference.md"),
    }
}

fn list() -> String {
    let topics = Topic::value_variants().iter().filter_map(Topic::to_possible_value);
    topics
        .map(|topic| {
            let help = topic.get_help().map(ToString::to_string).unwrap_or_default();
            format!("{:16} {help}\n", topic.get_name())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_in_the_readme_with_its_line() {
        let readme = include_str!("../../../../README.md");
        for topic in Topic::value_variants() {
            let value = topic.to_possible_value().expect("every page is a value");
            let link = format!("[{}](", value.get_name());
            let row = readme.lines().find(|line| line.starts_with("| [") && line.contains(&link));
            assert!(row.is_some(), "{} is not in the README", value.get_name());
            assert!(page(*topic).starts_with("# "), "{} has no title", value.get_name());
        }
    }

    #[test]
    fn the_readme_is_short_enough_to_be_read() {
        let bytes = include_str!("../../../../README.md").len();
        assert!(bytes <= 8 << 10, "{bytes} bytes");
    }

    /// `scripts/picture` draws it.
    #[test]
    fn the_readme_s_picture_is_there_and_small() {
        let readme = include_str!("../../../../README.md");
        assert!(readme.contains("(.github/pictures/replay.svg)"));
        let picture = include_str!("../../../../.github/pictures/replay.svg");
        assert!(picture.starts_with("<svg ") && picture.len() <= 16 << 10, "{}", picture.len());
    }

    /// Files that lie beside a page are not in the program.
    #[test]
    fn the_handbook_for_games_names_the_protocol_as_a_page() {
        assert!(page(Topic::Protocol).starts_with("# Protocol between Joust and a referee"));
        let games = page(Topic::Games);
        assert!(games.contains("`joust docs protocol`") && !games.contains("PROTOCOL.md"));
        assert!(
            list().contains("\nprotocol         Lines between Joust and a referee"),
            "{}",
            list()
        );
    }

    /// Pages name pages by `joust docs TOPIC`.
    #[test]
    fn pages_that_are_named_are_there() {
        for topic in Topic::value_variants() {
            for named in page(*topic).split("`joust docs ").skip(1) {
                let name = named.split('`').next().unwrap_or_default();
                assert!(
                    name == "TOPIC" || Topic::from_str(name, false).is_ok(),
                    "{topic:?}: {name}"
                );
            }
        }
    }
}
