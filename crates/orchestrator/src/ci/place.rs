//! The line of a bot's source that a build complains about.
//!
//! What a compiler prints is the bot's text: only a file that the source has is
//! ever named.

/// Returns the file of `files` and the line that `log` names first, in the manner
/// of `main.c:3:5`, `main.py", line 3` or `Main.java(3,5)`.
pub(super) fn find(log: &str, files: &[String]) -> Option<(String, usize)> {
    log.lines().find_map(|line| {
        let places = files.iter().filter_map(|file| Some((file, line_of(line, file)?)));
        // A file in a folder is also named by its end: the longest name is meant.
        let (file, number) = places.max_by_key(|(file, _)| file.len())?;
        Some((file.clone(), number))
    })
}

fn line_of(line: &str, file: &str) -> Option<usize> {
    line.match_indices(file).find_map(|(at, _)| {
        let before = line[..at].chars().next_back();
        if before.is_some_and(|one| one.is_alphanumeric() || "_-.".contains(one)) {
            return None;
        }
        let rest = &line[at + file.len()..];
        let rest =
            [":", "(", "\", line ", "', line "].iter().find_map(|mark| rest.strip_prefix(mark))?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok().filter(|number| (1..10_000_000).contains(number))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(log: &str) -> Option<(String, usize)> {
        let files = ["main.c", "src/main.c", "bot.py", "Main.cs"].map(str::to_owned);
        find(log, &files)
    }

    #[test]
    fn the_places_of_compilers_are_found() {
        let place = |file: &str, line| Some((file.to_owned(), line));
        assert_eq!(found("$ gcc main.c\n  | main.c:3:5: error: x\n"), place("main.c", 3));
        assert_eq!(found("  | /bot/src/main.c:12: error"), place("src/main.c", 12));
        assert_eq!(found("  |   File \"/bot/bot.py\", line 7"), place("bot.py", 7));
        assert_eq!(found("Main.cs(4,2): error CS1002"), place("Main.cs", 4));
    }

    #[test]
    fn other_files_are_never_named() {
        assert_eq!(found("../../.github/workflows/ci.yml:1:1: error"), None);
        assert_eq!(found("domain.c:3: error"), None);
        assert_eq!(found("main.c:99999999999999999999"), None);
        assert_eq!(found("main.c:0"), None);
    }
}
