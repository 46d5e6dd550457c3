//! The leaderboard's columns, as texts that need no more escaping.

use super::timestamp::format_with;
use super::{Leaderboard, ratings};
use joust_model::{RoundState, TieBreak, Verdict, counted};
use joust_standings::ratings::event::EventRatings;
use joust_standings::standings::{PairRecord, Record, Standings, StandingsRow, Status};

/// One column after rank and bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Matches,
    Bouts,
    Points,
    /// The rating with its interval.
    Rating,
    Score,
    /// Faults, each verdict with its count.
    FaultsByVerdict,
    /// Faults, all in one.
    Faults,
    /// The tie-break at this place of the event's list.
    TieBreak(usize),
}

/// Every column after rank and bot.
pub(super) fn all(board: &Leaderboard<'_>) -> Vec<Column> {
    let mut columns = first(board);
    columns.push(Column::FaultsByVerdict);
    columns.extend(extra(board.standings));
    columns
}

/// Ratings stand beside the points, where there are any.
fn first(board: &Leaderboard<'_>) -> Vec<Column> {
    let mut columns = vec![Column::Matches, Column::Bouts, Column::Points];
    columns.extend(board.ratings.map(|_| Column::Rating));
    columns.push(Column::Score);
    columns
}

/// Returns the columns for narrow places, each time fewer.
pub(super) fn narrower(board: &Leaderboard<'_>) -> Vec<Vec<Column>> {
    let mut second = first(board);
    second.push(Column::Faults);
    let mut widest = second.clone();
    widest.extend(extra(board.standings));
    let mut choices = vec![widest, second];
    if board.ratings.is_some() {
        choices.push(vec![Column::Matches, Column::Points, Column::Rating, Column::Faults]);
    }
    // Points are what people look for.
    choices.push(vec![Column::Matches, Column::Bouts, Column::Points, Column::Faults]);
    choices.push(vec![Column::Matches, Column::Points, Column::Faults]);
    choices
}

fn extra(standings: &Standings) -> impl Iterator<Item = Column> {
    extra_tie_breaks(standings).map(Column::TieBreak)
}

/// Places of the tie-breaks that no other column shows and that decided a rank.
pub(super) fn extra_tie_breaks(standings: &Standings) -> impl Iterator<Item = usize> {
    let extra = [TieBreak::HeadToHead, TieBreak::SonnebornBerger, TieBreak::Koya];
    let places =
        standings.tie_breaks.iter().enumerate().filter(move |(_, one)| extra.contains(one));
    places.map(|(place, _)| place).filter(|place| standings.decided(*place))
}

impl Column {
    /// Returns the column's header.
    pub(super) fn header(self, standings: &Standings) -> &'static str {
        match self {
            Self::Matches => "matches",
            Self::Bouts => "bouts",
            Self::Points => "points",
            Self::Rating => "rating",
            Self::Score => "score",
            Self::FaultsByVerdict | Self::Faults => "faults",
            Self::TieBreak(place) => standings.tie_breaks[place].name(),
        }
    }

    /// Returns the column's value in the row at `place`, which needs no more escaping.
    pub(super) fn rated(
        self,
        row: &StandingsRow,
        place: usize,
        ratings: Option<&EventRatings>,
    ) -> String {
        match self {
            Self::Rating => rating(place, ratings),
            _ => self.value(row),
        }
    }

    /// Returns the column's value, which needs no more escaping; empty for ratings, which are not
    /// in the row.
    pub(super) fn value(self, row: &StandingsRow) -> String {
        match self {
            Self::Matches => record(&row.matches),
            Self::Bouts => record(&row.bouts),
            Self::Points => row.points.to_string(),
            Self::Rating => String::new(),
            Self::Score => row.score.to_string(),
            Self::FaultsByVerdict => faults(row),
            Self::Faults => row.verdicts.faults().to_string(),
            Self::TieBreak(place) => tie_break(row, place),
        }
    }
}

fn rating(place: usize, ratings: Option<&EventRatings>) -> String {
    ratings.map(|all| ratings::value(all.model, all.rows.get(place))).unwrap_or_default()
}

fn tie_break(row: &StandingsRow, place: usize) -> String {
    let value = row.tie_breaks.get(place).copied().flatten();
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

fn record(record: &Record) -> String {
    let mark = if record.unfinished > 0 { "*" } else { "" };
    format!("{}-{}-{}{mark}", record.won, record.drawn, record.lost)
}

/// `0`, or `5: 3 timeout, 2 crash`.
fn faults(row: &StandingsRow) -> String {
    let total = row.verdicts.faults();
    if total == 0 { "0".to_owned() } else { format!("{total}: {}", fault_counts(row)) }
}

/// Returns `3 timeout, 2 crash`.
pub(super) fn fault_counts(row: &StandingsRow) -> String {
    let counted = row.verdicts.iter().filter(|(verdict, _)| *verdict != Verdict::Ok);
    let parts: Vec<_> = counted.map(|(verdict, count)| format!("{count} {verdict}")).collect();
    parts.join(", ")
}

/// A bot's rank, or nothing.
pub(super) fn rank(row: &StandingsRow) -> String {
    row.rank.map(|rank| rank.to_string()).unwrap_or_default()
}

/// Returns `3-1-0`, with a mark when bouts are missing; empty when there are none.
pub(super) fn cell(cell: &PairRecord) -> String {
    let mark = if cell.unfinished { "*" } else { "" };
    if cell.bouts() == 0 {
        return String::new();
    }
    format!("{}-{}-{}{mark}", cell.won, cell.drawn, cell.lost)
}

/// True if any match is unfinished, so that the mark needs words.
pub(super) fn is_unfinished(standings: &Standings) -> bool {
    standings.cross.is_unfinished() || standings.rows.iter().any(|row| row.matches.unfinished > 0)
}

/// `ranked by matches won, then bouts won, …`: the event's tie-breaks in their order.
pub(super) fn ranked(standings: &Standings) -> String {
    let words: Vec<_> = standings.tie_breaks.iter().map(|one| in_words(*one)).collect();
    // Where rounds are drawn, some have a match more than others.
    let each = if standings.rounds.is_some() { ", for each match or bout played" } else { "" };
    match words.split_first() {
        None => "ranked by name".to_owned(),
        Some((first, [])) => format!("ranked by {first}{each}"),
        Some((first, others)) => format!("ranked by {first}, then {}{each}", others.join(", ")),
    }
}

/// Returns a criterion in words.
pub(super) fn in_words(criterion: TieBreak) -> &'static str {
    match criterion {
        TieBreak::MatchWins => "matches won",
        TieBreak::Points => "points",
        TieBreak::BoutWins => "bouts won",
        TieBreak::HeadToHead => "results against level bots",
        TieBreak::SonnebornBerger => "Sonneborn–Berger",
        TieBreak::Koya => "Koya",
        TieBreak::Score => "score",
        TieBreak::FewerFaults => "fewer faults",
    }
}

/// The words of the mark.
pub(super) const MARK: &str = "* unfinished: a match counts once all of its bouts are played";

/// `45 of 45 bouts`, or `45 bouts`; with a mark when bots were not isolated.
pub(super) fn progress(standings: &Standings) -> String {
    let mut text = match standings.expected {
        Some(expected) => format!("{} of {}", standings.bouts, counted(expected, "bout")),
        None => counted(standings.bouts, "bout"),
    };
    if let Some(rounds) = standings.rounds {
        text.push_str(&format!(", {}", self::rounds(rounds)));
    }
    if standings.unisolated > 0 {
        text.push_str(&format!(", {} of them without isolation (tier D)", standings.unisolated));
    }
    if standings.referee_errors > 0 {
        let count = standings.referee_errors;
        text.push_str(&format!(", {count} ended as referee-error, without points"));
    }
    if standings.unrepeatable {
        text.push_str(", not re-judgeable");
    }
    text
}

/// `round 3 of 7 is open`, or `all 7 rounds are over`.
pub(crate) fn rounds(rounds: RoundState) -> String {
    let RoundState { open, of, is_over } = rounds;
    match (is_over, open >= of) {
        (true, true) => format!("all {} over", counted(of, "round")),
        (true, false) => format!("{open} of {} over, nobody is left to meet", counted(of, "round")),
        (false, _) => format!("round {open} of {of} is open"),
    }
}

/// A status in one word, and its reason as it was given.
pub(super) fn status(status: &Status) -> (&'static str, String) {
    match status {
        Status::Playing => ("playing", String::new()),
        Status::NotBuilt { reason } => ("not built", reason.to_string()),
        Status::NotRun { reason } => ("not run", reason.to_string()),
        Status::Withdrawn { reason, .. } => ("withdrawn", reason.clone()),
        Status::Disqualified { reason, .. } => ("disqualified", reason.clone()),
    }
}

/// Date of a decision; nothing for other states.
pub(super) fn date(status: &Status) -> Option<String> {
    let (Status::Withdrawn { at, .. } | Status::Disqualified { at, .. }) = status else {
        return None;
    };
    Some(format_with(*at, "%Y-%m-%d"))
}
