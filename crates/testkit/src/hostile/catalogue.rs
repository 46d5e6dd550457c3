//! Every line of the catalogue of hostile and broken bots, and where those are tested
//! that have no row here.

/// One line of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatalogueLine {
    /// Its id, for instance `P01`.
    pub id: &'static str,
    /// In which ways of running a bot it applies: T, P, F, N, B, A, or `-` for
    /// the tournament as a whole.
    pub modes: &'static str,
    /// Description of the bot.
    pub bot: &'static str,
    /// Expected observation.
    pub observed: &'static str,
}

/// Returns the lines, in the order of the catalogue.
pub fn lines() -> Vec<CatalogueLine> {
    include_str!("catalogue.txt").lines().filter_map(line).collect()
}

fn line(text: &'static str) -> Option<CatalogueLine> {
    let mut fields = text.splitn(4, " | ");
    Some(CatalogueLine {
        id: fields.next()?,
        modes: fields.next()?,
        bot: fields.next()?,
        observed: fields.next()?,
    })
}

const SERVER: &str = "clients of the standing server: test `serve` of `joust` (its file `hostile`)";
const WEB_SERVERS: &str = "bots that are web servers: test `channels` of `joust-play` (its file `http`), by `web_servers`";
const BUILDS: &str = "builds and submissions: tests `builds` and `bots` of `joust-orchestrator`";
const TEXTS: &str =
    "names and pages, not processes: with reports and names in `joust-orchestrator`";
const WHOLE: &str = "the tournament as a whole: with the program `joust`";
const DOCUMENTED: &str = "a remaining side channel, documented, nothing to enforce";

/// Returns the place of the test of a line that has no row in this suite; `None` when it must have
/// one.
pub fn elsewhere(id: &str) -> Option<&'static str> {
    match id {
        "N06" | "N07" | "N08" | "N09" => Some(SERVER),
        "J02" | "J04" | "J05" | "J06" => Some(TEXTS),
        "R07" => Some(DOCUMENTED),
        _ => match id.as_bytes().first() {
            Some(b'B' | b'Z') => Some(BUILDS),
            Some(b'H') => Some(WEB_SERVERS),
            Some(b'X') => Some(WHOLE),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hostile::rows;

    #[test]
    fn the_catalogue_is_complete() {
        assert_eq!(lines().len(), include_str!("catalogue.txt").lines().count());
        assert!(lines().iter().all(|line| line.id.len() == 3 && !line.observed.is_empty()));
    }

    #[test]
    fn every_line_has_a_row_or_a_place_elsewhere_and_never_both() {
        let rows = rows::all();
        for line in lines() {
            let has_row = rows.iter().any(|row| row.line() == line.id);
            assert_ne!(has_row, elsewhere(line.id).is_some(), "{}", line.id);
        }
    }

    #[test]
    fn every_row_belongs_to_a_line_and_has_a_name_of_its_own() {
        let lines = lines();
        let mut ids: Vec<_> = rows::all().iter().map(|row| row.id).collect();
        assert!(rows::all().iter().all(|row| lines.iter().any(|line| line.id == row.line())));
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }
}
