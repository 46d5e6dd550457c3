//! File names of a site. They are made from ids and hashes, never from a bot's name, so that no
//! name can reach another folder, collide with another name, or have a special meaning to an
//! operating system.

use joust_model::{BoutId, digest_text};

/// The longest event id that is used unchanged as a folder's name.
const LONGEST: usize = 40;

/// Digits of a hash that stand for a name.
const DIGITS: usize = 16;

/// Folders at the top that belong to no event.
pub(super) const RESERVED: [&str; 2] = ["assets", "replays"];

/// The picture that chats show beside a link, at the top and within an event's folder.
pub(super) const PREVIEW: &str = "preview.png";

/// The cross table of a big field as a picture, within the event's folder.
pub(super) const CROSS_PICTURE: &str = "cross.png";

/// Returns an event's folder: its id where that is plain, otherwise a hash.
pub(super) fn event_folder(id: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let letters = id.bytes().any(|byte| byte.is_ascii_lowercase());
    let plain = letters && id.len() <= LONGEST && id.bytes().all(is_plain);
    if plain && !id.starts_with(['-']) && !RESERVED.contains(&id) && !is_device(id) {
        return id.to_owned();
    }
    format!("event-{}", digest_text("joust-site-event-1", &[id.as_bytes()], DIGITS))
}

/// Returns whether a name is reserved by Windows.
fn is_device(id: &str) -> bool {
    matches!(id, "con" | "prn" | "aux" | "nul")
        || (id.len() == 4 && (id.starts_with("com") || id.starts_with("lpt")))
}

/// Returns the file of a bot within its event's folder.
pub(super) fn bot_file(bot: &str) -> String {
    format!("bots/{}.html", digest_text("joust-site-bot-1", &[bot.as_bytes()], DIGITS))
}

/// Returns the file of the match between `bots`, in whatever order they are.
pub(super) fn match_file(bots: &[&str]) -> String {
    let mut sorted = bots.to_vec();
    sorted.sort_unstable();
    let fields: Vec<_> = sorted.iter().map(|bot| bot.as_bytes()).collect();
    format!("matches/{}.html", digest_text("joust-site-match-1", &fields, DIGITS))
}

/// Returns the file of a bout within its event's folder.
pub(super) fn bout_file(bout: BoutId) -> String {
    format!("bouts/{bout}.html")
}

/// Returns the file of a bout's replay, from the top of the site.
pub fn replay_file(bout: BoutId) -> String {
    format!("replays/{bout}.js")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_event_keeps_its_id() {
        assert_eq!(event_folder("bomberman-2016"), "bomberman-2016");
    }

    #[test]
    fn every_other_event_has_a_hash() {
        let evil = ["", ".", "..", "a/b", "League", "con", "com1", "assets", "-x", "2016", "é"];
        for id in evil {
            let folder = event_folder(id);
            assert!(folder.starts_with("event-") && folder.len() == 22, "{id}: {folder}");
        }
        assert!(event_folder(&"x".repeat(41)).starts_with("event-"));
        assert_ne!(event_folder("League"), event_folder("LEAGUE"));
    }

    #[test]
    fn a_match_has_one_file_whoever_is_named_first() {
        assert_eq!(match_file(&["a", "b"]), match_file(&["b", "a"]));
        assert_ne!(match_file(&["a", "b"]), match_file(&["ab"]));
        assert_eq!(bot_file("../../x").len(), "bots/0123456789abcdef.html".len());
    }
}
