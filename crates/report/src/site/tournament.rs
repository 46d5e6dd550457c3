//! Tournament of a site: its name, its words, the titles of its events.

use std::collections::BTreeMap;

use joust_model::{Publication, Seed, SiteLabels, TieBreak, public_text};
use joust_referee::Catalogue;

/// Description of a tournament for its site.
#[derive(Clone, Debug, Default)]
pub struct TournamentInput {
    /// Its name.
    pub name: String,
    /// The seed that every bout's seed derives from; `None` when it was drawn and is kept to
    /// itself.
    pub seed: Option<Seed>,
    /// The file name of the database, for the commands that check it.
    pub database: String,
    /// The hash of the last bout in the chain; empty when there is none.
    pub head: String,
    /// Words of its organisers.
    pub words: SiteLabels,
    /// The picture at the top of every page.
    pub logo: Option<Logo>,
    /// Titles of its events, by their ids; see [`event_titles`].
    pub titles: BTreeMap<String, String>,
}

/// Contents of a site, beside the database.
#[derive(Clone, Debug)]
pub struct SiteOptions {
    /// The games there are.
    pub games: Catalogue,
    /// Only these events; all when it is empty.
    pub events: Vec<String>,
    /// Parts that are public.
    pub publication: Publication,
    /// Words of the organisers.
    pub words: SiteLabels,
    /// The picture at the top of every page.
    pub logo: Option<Logo>,
    /// Criteria of the ranks by event; an event that is not there has those of its last run.
    pub rankings: BTreeMap<String, Vec<TieBreak>>,
}

impl SiteOptions {
    /// Makes the options of a site with all events of these games and everything public.
    pub fn new(games: Catalogue) -> Self {
        Self {
            games,
            events: Vec::new(),
            publication: Publication::default(),
            words: SiteLabels::default(),
            logo: None,
            rankings: BTreeMap::new(),
        }
    }
}

/// A picture for the top of every page.
#[derive(Clone, Debug)]
pub struct Logo {
    /// Ending of its file's name, one of [`SiteLabels::LOGOS`].
    pub ending: &'static str,
    /// The file.
    pub bytes: Vec<u8>,
}

impl Logo {
    /// Returns its file from the top of the site.
    pub(super) fn file(&self) -> String {
        format!("assets/logo.{}", self.ending)
    }
}

impl TournamentInput {
    /// Returns the heading of the first page.
    pub(super) fn title(&self) -> String {
        public_text(self.words.title.as_ref().unwrap_or(&self.name))
    }

    /// Returns what an event is called by people.
    pub fn title_of(&self, event: &str) -> String {
        public_text(self.titles.get(event).map_or(event, String::as_str))
    }

    /// Returns an event's title for a list of all `events`: that of a game without what follows a
    /// colon or stands in parentheses, unless two events would be called the same.
    pub(super) fn short_title_of(&self, event: &str, events: &[&str]) -> String {
        let short = |event: &str| {
            let whole = self.title_of(event);
            match whole.split_once(": ").or_else(|| whole.split_once(" (")) {
                Some((short, _)) if !self.words.titles.contains_key(event) => short.to_owned(),
                _ => whole,
            }
        };
        let own = short(event);
        let alike = events.iter().filter(|other| short(other) == own).count();
        if alike > 1 { self.title_of(event) } else { own }
    }
}

/// Returns what events, given with their games, are called by people: as the organisers wrote it,
/// otherwise as their games are called; of several events of one game, with the event's id.
pub fn event_titles(
    games: &Catalogue,
    events: &[(&str, &str)],
    words: &SiteLabels,
) -> BTreeMap<String, String> {
    let title = |id: &str, of: &str| {
        let Some(game) = games.find(of) else { return id.to_owned() };
        let title = &game.spec().title;
        match events.iter().filter(|(_, other)| *other == of).count() {
            1 => title.clone(),
            _ => format!("{title}: {id}"),
        }
    };
    let titled = |(id, game): &(&str, &str)| {
        let written = words.titles.get(*id).cloned();
        ((*id).to_owned(), written.unwrap_or_else(|| title(id, game)))
    };
    events.iter().map(titled).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_games_are_shortened_where_they_stay_different() {
        let titles = [
            ("dungeon", "Coder One: Dungeons"),
            ("ships", "Battleships (Entelect 2017)"),
            ("a", "Arena: a"),
            ("b", "Arena: b"),
            ("final", "Final (at last)"),
        ];
        let owned = |(id, title): (&str, &str)| (id.to_owned(), title.to_owned());
        let words = SiteLabels { titles: [owned(titles[4])].into(), ..SiteLabels::default() };
        let titles_by_id = titles.map(owned).into();
        let tournament = TournamentInput { titles: titles_by_id, words, ..Default::default() };
        let ids = titles.map(|(id, _)| id);
        let short = ids.map(|id| tournament.short_title_of(id, &ids));
        assert_eq!(short, ["Coder One", "Battleships", "Arena: a", "Arena: b", "Final (at last)"]);
    }
}
