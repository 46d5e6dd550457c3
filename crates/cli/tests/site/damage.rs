//! Damaged data files: the viewer reports the damage and draws nothing.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::played::{Clean, address, bout_of, pages};

/// A copy of a bout's page with another replay file. Both are removed with it.
struct Copy {
    name: &'static str,
}

impl Copy {
    /// Writes the page and, if there is one, the data file.
    fn of_page(name: &'static str, data: Option<&str>) -> Self {
        let bout = bout_of("battlebots");
        let page = fs::read_to_string(pages().join(format!("battlebots/bouts/{}.html", bout.id())));
        let page = page
            .expect("the page is there")
            .replace(&format!("{}.js", bout.id()), &format!("{name}.js"));
        let copy = Self { name };
        fs::write(copy.page(), page).expect("a page can be written");
        if let Some(data) = data {
            fs::write(copy.data(), data).expect("a data file can be written");
        }
        copy
    }

    fn page(&self) -> PathBuf {
        pages().join(format!("battlebots/bouts/{}.html", self.name))
    }

    fn data(&self) -> PathBuf {
        pages().join(format!("replays/{}.js", self.name))
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = (fs::remove_file(self.page()), fs::remove_file(self.data()));
    }
}

/// Opens a page with this data file and returns the viewer's message.
fn said(clean: &Clean, name: &'static str, data: Option<&str>) -> String {
    let _copy = Copy::of_page(name, data);
    clean.0.go(&address(&format!("battlebots/bouts/{name}.html")));
    clean.0.wait_for("document.querySelector('.rv-error[role=alert]')");
    assert_eq!(
        clean.0.run("return document.querySelectorAll('#replay canvas').length"),
        0,
        "{name}"
    );
    let said = clean.0.run("return document.querySelector('.rv-error').textContent");
    said.as_str().expect("a text").to_owned()
}

fn file_of(base64: &str) -> String {
    format!("joustReplay(\"{base64}\");\n")
}

/// The data file of a bout, packed by the browser after a change to it.
fn changed(clean: &Clean, change: &str) -> String {
    let pack = "const doc = structuredClone(joustViewer.player.replay.doc); CHANGE; \
         const packed = new Blob([JSON.stringify(doc)]).stream().pipeThrough(new CompressionStream('deflate')); \
         return new Response(packed).arrayBuffer().then((bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))))";
    let base64: Value = clean.0.run(&pack.replace("CHANGE", change));
    file_of(base64.as_str().expect("base64"))
}

#[test]
fn a_damaged_data_file_is_said_plainly() {
    let bout = bout_of("battlebots");
    let clean = Clean::watch(bout);
    let file = fs::read_to_string(pages().join(format!("replays/{}.js", bout.id()))).expect("data");
    let half = file_of(&file[13..file.len() / 8 * 4 + 1]);
    let (foreign, format, less) = (
        changed(&clean, "doc.format = 99"),
        changed(&clean, "doc.deltas[3][1] = [0, 0, 1, 0, 9999, 0, 0]"),
        changed(&clean, "doc.deltas.pop()"),
    );
    let cases = [
        ("broken-base64", file_of("no%base64"), "its data file is damaged: it is not base64"),
        ("broken-zlib", file_of("bm8gemxpYg=="), "its data file is damaged: it does not inflate"),
        ("broken-half", half, "its data file is damaged: it does not inflate"),
        ("broken-empty", "\n".to_owned(), "its data file is damaged: it holds no replay"),
        ("broken-version", foreign, "its data file is of another version of Joust"),
        ("broken-marks", format, "its data file is damaged: its parts do not fit together"),
        ("broken-rounds", less, "its data file is damaged: its parts do not fit together"),
    ];
    for (name, data, why) in cases {
        let said = said(&clean, name, Some(&data));
        assert_eq!(said, format!("This recording cannot be drawn: {why}."), "{name}");
    }
    clean.end();
}

#[test]
fn a_missing_data_file_is_said() {
    let clean = Clean::watch(bout_of("battlebots"));
    let said = said(&clean, "broken-missing", None);
    assert!(said.starts_with("This recording cannot be drawn: its data file "), "{said}");
    assert!(said.ends_with("broken-missing.js cannot be loaded."), "{said}");
    // The browser itself notes that, and nothing else is on the console.
    let console = clean.0.console();
    assert!(console.len() == 1 && console[0].contains("broken-missing.js"), "{console:?}");
}

#[test]
fn a_whole_data_file_is_drawn_from_its_copy() {
    let clean = Clean::watch(bout_of("battlebots"));
    let data = changed(&clean, "");
    let _copy = Copy::of_page("whole-copy", Some(&data));
    clean.0.go(&address("battlebots/bouts/whole-copy.html"));
    clean.await_replay();
    assert_eq!(clean.0.run("return document.querySelectorAll('#replay-board').length"), json!(1));
    clean.end();
}
