//! Listener of builds while a bout is played: what became of a bot that is built
//! again stays under the picture until there is something newer to say of it.

use std::sync::Arc;

use joust_orchestrator::notices::{Listener, Notice};
use joust_orchestrator::progress::alarm;

use crate::terminal_session::TerminalSession;

/// Pins news of bots to the desk; everything else goes on to `others`.
pub(super) struct Pinned {
    pub(super) desk: TerminalSession,
    pub(super) others: Arc<dyn Listener>,
}

impl Listener for Pinned {
    fn notice(&self, notice: &Notice) {
        let bot = match notice {
            Notice::NotBuilt { bot, .. }
            | Notice::TookOver { bot }
            | Notice::BotEnded { bot, .. } => bot,
            other => return self.others.notice(other),
        };
        let Some(text) = alarm(notice) else { return };
        let rest = if matches!(notice, Notice::NotBuilt { .. }) {
            "; the one before plays on"
        } else {
            ""
        };
        let (first, why) = text.split_once('\n').unwrap_or((&text, ""));
        self.desk.note(bot, format!("{first}{rest}\n{why}").trim_end());
    }
}
