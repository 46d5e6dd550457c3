//! V01 to V11: answers by a file.

use joust_referee::Limit::AnswerFile;
use joust_referee::Verdict::{IllegalOutput, NoOutput, OutputLimit, ProtocolViolation, Timeout};

use crate::hostile::row::{ExpectedEnd, Row, SiteSecret, Turn, behaves, ends, row, says};
use crate::hostile::{AnswerFileState, Observation, TestSite};

pub(super) fn rows() -> Vec<Row> {
    [links(), odd_files(), contents(), moments()].concat()
}

/// A turn that answers by a file.
fn leaves(name: &'static str) -> Turn {
    behaves(name).by_file()
}

fn link(id: &'static str, target: &[&str]) -> Row {
    let turn = leaves("move_link").may(&["link"]).earns(&[ProtocolViolation]);
    let turn = target.iter().fold(turn, |turn, word| turn.with(*word));
    row(id).then(turn.check("no secret", no_secret))
}

fn links() -> Vec<Row> {
    let secret = || says(&["did link", "did read through it"]).revealing(SiteSecret::Secret);
    vec![
        link("V01", &["{secret-file}"]).control(secret()),
        link("V01-opponent", &["{opponent}", "state"]).control(secret()),
        link("V01-dangling", &["nowhere"]).control(says(&["did link"])),
        link("V01-loop", &["move.txt"]).control(says(&["did link"])),
        row("V02")
            .then(leaves("move_hard_link").may(&["link"]).earns(&[ProtocolViolation]))
            .control(says(&["did link"])),
    ]
}

fn odd_files() -> Vec<Row> {
    let odd = |id, name, deed: &'static str, said: &'static str| {
        row(id).then(leaves(name).may(&[deed]).earns(&[ProtocolViolation])).control(says(&[said]))
    };
    vec![
        odd("V03-pipe", "move_pipe", "make a pipe", "did make a pipe"),
        odd("V03-socket", "move_socket", "make a socket", "did make a socket").partial(
            "C",
            "there are no sockets",
            NoOutput,
        ),
        odd("V04", "move_folder", "make a folder", "did make a folder"),
        row("V05")
            .then(
                leaves("move_big")
                    .may(&["write 1 MiB"])
                    .earns(&[OutputLimit])
                    .hits(&[AnswerFile])
                    .check("none of it read", nothing_read),
            )
            .control(says(&["did write 1 MiB"])),
        row("V05-sparse")
            .then(
                leaves("move_sparse")
                    .may(&["make it 1 GiB"])
                    .earns(&[OutputLimit])
                    .hits(&[AnswerFile])
                    .check("none of it read", nothing_read),
            )
            .control(says(&["did make it 1 GiB"]))
            .partial("C", "a file cannot get so long there", NoOutput),
    ]
}

fn writes(id: &'static str, bytes: &'static str) -> Turn {
    leaves("move_bytes").with(bytes).may(&["write the move"]).check(id, unchanged)
}

fn contents() -> Vec<Row> {
    let content = |id, bytes, verdict: Option<joust_referee::Verdict>| {
        let turn = writes("the bytes as they are", bytes);
        let turn = match verdict {
            Some(verdict) => turn.earns(&[verdict]),
            None => turn,
        };
        row(id).then(turn).control(says(&["did write the move"]))
    };
    vec![
        content("V06-nul", "0033", Some(IllegalOutput)),
        content("V06-bad-utf8", "ff33", Some(IllegalOutput)),
        content("V06-bom", "efbbbf33", None),
        content("V06-cr-lf", "330d0a", None),
        content("V06-lines", "330a34", None),
        content("V06-empty", "", Some(NoOutput)),
    ]
}

fn moments() -> Vec<Row> {
    vec![
        row("V07")
            .then(leaves("move_bytes").with("33").may(&["write the move"]))
            .then(leaves("find_move").earns(&[NoOutput]))
            .control(says(&["did find the move"])),
        row("V08")
            .then(leaves("move_changed_later").check("the file as it was at the end", is_three))
            .control(says(&["did change the move"])),
        row("V09")
            .then(
                leaves("move_closed")
                    .may(&["take the rights"])
                    .check("the file is read all the same", is_three),
            )
            .control(says(&["did take the rights"])),
        row("V10")
            .then(leaves("move_and_stay").may(&["write the move"]).earns(&[Timeout]))
            .control(ends(ExpectedEnd::Never).saying(&["did write the move"])),
        row("V11")
            .then(
                leaves("move_swapped")
                    .with("{secret-file}")
                    .may(&["link", "see a link where the file was", "read through it: 3"])
                    .earns(&[ProtocolViolation])
                    .check("no secret", no_secret),
            )
            .control(ends(ExpectedEnd::Status(0)).saying(&["did see a link where the file was"])),
    ]
}

fn no_secret(seen: &Observation, place: &TestSite) -> Result<(), String> {
    let left = match &seen.left {
        Some(AnswerFileState::Bytes(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    };
    match left.contains(&place.secret) || seen.said().contains(&place.secret) {
        true => Err("the secret was found".to_owned()),
        false => Ok(()),
    }
}

fn nothing_read(seen: &Observation, _: &TestSite) -> Result<(), String> {
    match &seen.left {
        Some(AnswerFileState::TooLong) => Ok(()),
        // Where a limit kept the program from writing.
        Some(AnswerFileState::Bytes(bytes)) if bytes.is_empty() => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

fn is_three(seen: &Observation, _: &TestSite) -> Result<(), String> {
    match &seen.left {
        Some(AnswerFileState::Bytes(bytes)) if bytes == b"3" => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

/// Every row of contents writes at most one `3` beside what is odd.
fn unchanged(seen: &Observation, _: &TestSite) -> Result<(), String> {
    let known: [&[u8]; 6] = [b"\x003", b"\xff3", b"\xef\xbb\xbf3", b"3\r\n", b"3\n4", b""];
    match &seen.left {
        Some(AnswerFileState::Bytes(bytes)) if known.contains(&bytes.as_slice()) => Ok(()),
        other => Err(format!("{other:?}")),
    }
}
