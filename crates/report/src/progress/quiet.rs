//! Progress without any output but warnings, bots that were not built and voided bouts.

use std::io::Write;

use super::label::describe_alarm;
use joust_model::notices::{Listener, Notice};
use parking_lot::Mutex;

/// Writes warnings, bots that were not built and bouts that were voided; nothing
/// else.
#[derive(Debug)]
pub struct Quiet<W>(Mutex<W>);

impl<W: Write + Send> Quiet<W> {
    /// Makes a listener that writes to `out`. What cannot be written is lost.
    pub fn new(out: W) -> Self {
        Self(Mutex::new(out))
    }
}

impl<W: Write + Send> Listener for Quiet<W> {
    fn notice(&self, notice: &Notice) {
        if let Some(text) = describe_alarm(notice) {
            let mut out = self.0.lock();
            _ = out.write_all(format!("{text}\n").as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_person_must_know_is_written() {
        let quiet = Quiet::new(Vec::new());
        quiet.notice(&Notice::BuildStarted { bot: "ann".to_owned(), number: 1, of: 2 });
        quiet.notice(&Notice::Warning("the disk is nearly full".to_owned()));
        let written = quiet.0.into_inner();
        assert_eq!(String::from_utf8(written).unwrap(), "warning: the disk is nearly full\n");
    }
}
