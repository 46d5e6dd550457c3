//! Tournament files that differ in the paths of their bots only.

use super::yaml;

/// Returns whether two tournament files are equal except for the `bots` of their events, so that
/// the later one adds a bot and changes nothing else. False when
/// one of them cannot be read.
pub fn differ_in_bots_only(one: &str, other: &str) -> bool {
    without_bots(one).is_some_and(|one| Some(one) == without_bots(other))
}

/// Returns whether two tournament files have the same comments in the same order: editors and
/// other tools obey some. A `#` within a text counts as one, and so does a directive.
pub fn have_equal_comments(one: &str, other: &str) -> bool {
    let comments = |text: &str| -> Vec<String> {
        let lines = yaml::plain_lines(text);
        let start = |line: &str| if line.starts_with('%') { Some(0) } else { line.find('#') };
        lines.lines().filter_map(|line| Some(line[start(line)?..].to_owned())).collect()
    };
    comments(one) == comments(other)
}

fn without_bots(text: &str) -> Option<serde_json::Value> {
    let mut root = yaml::read(&yaml::plain_lines(text)).ok()?.to_json();
    for event in root.get_mut("events")?.as_array_mut()? {
        event.as_object_mut()?.remove("bots");
    }
    Some(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_bots_of_an_event_may_differ() {
        let base = "name: a\nevents: [{ game: g, bots: [x] }]";
        assert!(differ_in_bots_only(base, "events: [{ bots: [x, y], game: g }]\nname: a"));
        assert!(!differ_in_bots_only(base, "name: b\nevents: [{ game: g, bots: [x] }]"));
        assert!(!differ_in_bots_only(base, "name: a\nevents: [{ game: h, bots: [x] }]"));
        assert!(!differ_in_bots_only(base, "name: [a"));
        assert!(!differ_in_bots_only("name: a", "name: a"), "no events, no tournament");
    }

    #[test]
    fn comments_count_wherever_they_stand() {
        let base = "# an editor's line\nevents: # all\n- bots: [x] # mine\n";
        assert!(have_equal_comments(base, &base.replace("[x]", "[x, y]")));
        assert!(!have_equal_comments(base, &base.replace("# all", "# none")));
        assert!(!have_equal_comments(base, &base.replace("# mine", "")));
        assert!(!have_equal_comments(base, &format!("{base}# vim: set modeline\n")));
        assert!(!have_equal_comments(base, &format!("%X vim: set modeline\n---\n{base}")));
    }
}
