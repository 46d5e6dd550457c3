//! Boards of bouts that are being played, which only a server shows.

use std::sync::Arc;

use data_encoding::BASE64;
use joust_model::{BoutId, Round, public_text};
use joust_referee::Scene;
use serde::Serialize;

use super::{TournamentInput, names};
use crate::paint::{StillPicture, Theme, animation};

/// A bout in its current position.
#[derive(Clone, Debug)]
pub struct Board {
    /// The bout.
    pub bout: BoutId,
    /// Its event's id.
    pub event: String,
    /// Its bots by seat.
    pub bots: Vec<String>,
    /// The newest round that is known.
    pub round: Round,
    /// The position after it.
    pub scene: Arc<Scene>,
    /// True if it has ended since.
    pub is_over: bool,
}

/// A board in the form that browsers receive.
#[derive(Debug, Serialize)]
pub struct DrawnBoard {
    /// The title of the event.
    pub event: String,
    /// The bots by seat.
    pub bots: Vec<String>,
    /// The round.
    pub round: Round,
    /// A PNG file in base64; empty when the board cannot be drawn.
    pub picture: String,
    /// The bout's page, once it has ended.
    pub page: Option<String>,
}

/// Draws the boards of bouts of a tournament that are being played, for a theme.
pub fn draw_boards(
    tournament: &TournamentInput,
    boards: &[Board],
    theme: Theme,
) -> Vec<DrawnBoard> {
    boards.iter().map(|board| draw(tournament, board, theme)).collect()
}

fn draw(tournament: &TournamentInput, board: &Board, theme: Theme) -> DrawnBoard {
    let bots: Vec<String> = board.bots.iter().map(|bot| public_text(bot)).collect();
    let still = StillPicture { scene: Scene::clone(&board.scene), names: bots.clone() };
    let picture = animation::picture(&still, board.round, theme).unwrap_or_default();
    let page = format!("{}/{}", names::event_folder(&board.event), names::bout_file(board.bout));
    DrawnBoard {
        event: tournament.title_of(&board.event),
        bots,
        round: board.round,
        picture: BASE64.encode(&picture),
        page: board.is_over.then_some(page),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_is_a_picture_and_leads_to_the_bout_once_that_has_ended() {
        let scene = Scene { width: 4, height: 3, ..Scene::default() };
        let mut board = Board {
            bout: BoutId([7; 8]),
            event: "league".to_owned(),
            bots: vec!["me@mail.example".to_owned(), "bob".to_owned()],
            round: Round(12),
            scene: Arc::new(scene),
            is_over: false,
        };
        let tournament = TournamentInput::default();
        let shown = draw(&tournament, &board, Theme::Light);
        assert_eq!(shown.bots[0], "[e-mail]");
        let picture = BASE64.decode(shown.picture.as_bytes()).expect("base64");
        assert!(picture.starts_with(b"\x89PNG") && shown.page.is_none());
        assert_ne!(draw(&tournament, &board, Theme::Dark).picture, shown.picture);
        board.is_over = true;
        let page = draw(&tournament, &board, Theme::Dark).page.expect("it has ended");
        assert_eq!(page, format!("league/bouts/{}.html", board.bout));
    }
}
