//! Lists of libraries of a stranger, of every package manager.
#![no_main]

use joust_bots::lock::{Form, Texts};
use libfuzzer_sys::fuzz_target;

const FORMS: [Form; 6] =
    [Form::Pip, Form::Npm, Form::Cargo, Form::Go, Form::Maven, Form::Nuget];

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let Ok(text) = str::from_utf8(rest) else { return };
    // Go has two files: what stands after a line of one dash is the second.
    let (list, beside) = text.split_once("\n-\n").unwrap_or((text, ""));
    let form = FORMS[usize::from(*first) % FORMS.len()];
    if let Ok(list) = form.read(Texts { list, beside }) {
        let addresses = ["://", "git+"];
        let own = |text: &String| {
            let text = text.replace("http://maven.apache.org/POM/4.0.0", "");
            text.replace("registry+https://github.com/rust-lang/crates.io-index", "")
        };
        for text in list.folder.values().map(own) {
            assert!(addresses.iter().all(|address| !text.contains(address)), "{text}");
        }
    }
});
