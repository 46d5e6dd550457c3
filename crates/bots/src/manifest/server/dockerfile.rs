//! `Dockerfile`: the last command, and build steps that compile. Docker never runs.

use super::start::StartLine;
use super::words;
use crate::manifest::Command;

/// Programs that compile what no project file of a language describes.
const COMPILERS: [&str; 8] = ["make", "cmake", "gcc", "g++", "cc", "c++", "clang", "clang++"];

/// Returns the last `ENTRYPOINT` with the last `CMD`, and the `RUN` lines that compile.
pub(super) fn read(text: &str) -> Option<StartLine> {
    let (mut entry_point, mut command, mut build) = (None, None, Vec::new());
    // Comments may stand between the lines of a continued command.
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let text = lines.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
    for line in text.lines() {
        let Some((instruction, rest)) = line.trim().split_once(char::is_whitespace) else {
            continue;
        };
        match instruction.to_ascii_uppercase().as_str() {
            "ENTRYPOINT" => entry_point = Some(words_of(rest)?),
            "CMD" => command = Some(words_of(rest)?),
            "RUN" => build.extend(rest.split("&&").filter_map(words::plain).filter(compiles)),
            _ => {}
        }
    }
    let run: Command = entry_point.into_iter().chain(command).flatten().collect();
    (!run.is_empty()).then_some(StartLine { run, build })
}

/// Reads a list of words in JSON, or a line.
fn words_of(text: &str) -> Option<Command> {
    match serde_json::from_str::<Vec<String>>(text) {
        Ok(list) => words::list(&list),
        Err(_) => words::line(text),
    }
}

fn compiles(command: &Command) -> bool {
    COMPILERS.contains(&command[0].as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_command_counts_as_list_and_as_line() {
        let list = read("FROM a\nCMD sleep 1\ncmd [ \"python\", \"main.py\" ]\n").unwrap();
        assert_eq!(list.run, ["python", "main.py"]);
        let line = read("CMD exec gunicorn --bind :$PORT \\\n  main:app").unwrap();
        assert_eq!(line.run, ["gunicorn", "--bind", ":$PORT", "main:app"]);
        let commented = read("CMD python \\\r\n  # the port\r\n  main.py").unwrap();
        assert_eq!(commented.run, ["python", "main.py"]);
        let both = read("ENTRYPOINT [\"node\"]\nCMD [\"index.js\"]\n").unwrap();
        assert_eq!(both.run, ["node", "index.js"]);
    }

    #[test]
    fn steps_that_compile_are_the_build() {
        let text = "RUN apt-get install g++ && cmake -B out . && make -C out\nCMD ./out/snake\n";
        let line = read(text).unwrap();
        assert_eq!(line.build, [vec!["cmake", "-B", "out", "."], vec!["make", "-C", "out"]]);
    }

    #[test]
    fn lines_of_several_commands_are_none() {
        for text in
            ["CMD cd a && ./b", "CMD [\"sh\", \"-c\", \"a; b\"]", "RUN make", "CMD", "CMD []"]
        {
            assert_eq!(read(text), None, "{text}");
        }
        let simple = read("ENTRYPOINT [\"sh\", \"-c\", \"node a.js\"]").unwrap();
        assert_eq!(simple.run, ["node", "a.js"]);
        assert_eq!(read("CMD [").unwrap().run, ["["]);
    }
}
