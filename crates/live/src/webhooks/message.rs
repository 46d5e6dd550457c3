//! Messages of webhooks, and how each kind of address wants them.

use joust_model::{escaped, shortened, without_addresses};
use serde::Serialize;
use serde_json::{Value, json};

use super::address::Kind;

/// The longest name that a message repeats, characters.
const LONGEST_NAME: usize = 60;

/// Most leaders that a message names.
const LEADERS: usize = 5;

/// Message to a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Message {
    /// A run has ended.
    RunFinished {
        /// The tournament.
        tournament: String,
        /// The end: `complete`, `budget used up`, `interrupted` or `machine failed`.
        ended: &'static str,
        /// Each of its events.
        events: Vec<EventOutcome>,
    },
    /// Others lead than before the run.
    NewLeader {
        /// The tournament.
        tournament: String,
        /// The event's id.
        event: String,
        /// Its title for people.
        title: String,
        /// The leaders, several when they are level.
        leaders: Vec<String>,
        /// The leaders before.
        before: Vec<String>,
    },
    /// A bot was not built, or failed in every turn.
    BotBroken {
        /// The tournament.
        tournament: String,
        /// The bot.
        bot: String,
        /// The problem: `not built` or `failed in every turn`.
        problem: &'static str,
    },
}

/// Outcome of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventOutcome {
    /// The event's id.
    pub event: String,
    /// Its title for people.
    pub title: String,
    /// The leaders, several when they are level.
    pub leaders: Vec<String>,
    /// Bouts that count.
    pub bouts: u64,
    /// Bouts without a result.
    pub missing: u64,
}

impl Message {
    /// Returns the body for an address of this kind.
    pub(super) fn body(&self, kind: Kind) -> Value {
        match kind {
            // Mentions are disabled, so that a bot's name notifies no one.
            Kind::Discord => json!({
                "content": self.text(|name| format!("`{}`", name.replace('`', "'"))),
                "allowed_mentions": { "parse": [] },
            }),
            Kind::Slack => json!({ "text": self.text(slack) }),
            Kind::Json => {
                let mut body = serde_json::to_value(self).expect("plain data is JSON");
                body["text"] = self.text(str::to_owned).into();
                body
            }
        }
    }

    /// Returns the message in a line or several, with names as `named` writes them.
    fn text(&self, named: impl Fn(&str) -> String) -> String {
        let name = |text: &str| named(&harmless(text));
        let all = |names: &[String]| -> String {
            let shown: Vec<_> = names.iter().take(LEADERS).map(|one| name(one)).collect();
            shown.join(", ")
        };
        let called = |title: &str, event: &str| match has_id(title, event) {
            true => name(title),
            false => format!("{} ({})", name(title), name(event)),
        };
        match self {
            Self::RunFinished { tournament, ended, events } => {
                let event = |event: &EventOutcome| {
                    let leaders = match &event.leaders[..] {
                        [] => "nobody leads".to_owned(),
                        leaders => format!("{} in front", all(leaders)),
                    };
                    let missing = match event.missing {
                        0 => String::new(),
                        missing => format!(", {missing} to come"),
                    };
                    format!(
                        "\n{}: {leaders} after {} bouts{missing}",
                        called(&event.title, &event.event),
                        event.bouts
                    )
                };
                let lines: String = events.iter().map(event).collect();
                format!("{}: the run has ended ({ended}){lines}", name(tournament))
            }
            Self::NewLeader { tournament, event, title, leaders, before } => {
                let before = match &before[..] {
                    [] => String::new(),
                    before => format!(" (before: {})", all(before)),
                };
                let (tournament, event) = (name(tournament), called(title, event));
                format!("{tournament}: {} in front of {event} now{before}", all(leaders))
            }
            Self::BotBroken { tournament, bot, problem } => {
                format!("{}: {} is broken: {problem}", name(tournament), name(bot))
            }
        }
    }
}

/// Returns whether a title is the event's id or ends with it, as titles do where a game has several
/// events.
fn has_id(title: &str, event: &str) -> bool {
    let before = title.strip_suffix(event);
    before.is_some_and(|before| before.is_empty() || before.ends_with(": "))
}

/// Returns a stranger's text without anything invisible and without e-mail addresses, not too
/// long.
fn harmless(text: &str) -> String {
    shortened(&without_addresses(&escaped(text), "[e-mail]"), LONGEST_NAME).into_owned()
}

/// Slack reads `<!channel>` as a call and `*` as weight.
fn slack(name: &str) -> String {
    let plain = name.replace('`', "'").replace('&', "&amp;");
    format!("`{}`", plain.replace('<', "&lt;").replace('>', "&gt;"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(leader: &str) -> Message {
        let leaders = vec![leader.to_owned()];
        let (event, title) = ("league".to_owned(), "Arena".to_owned());
        let event = EventOutcome { event, title, leaders, bouts: 12, missing: 3 };
        let tournament = "Cup".to_owned();
        Message::RunFinished { tournament, ended: "budget used up", events: vec![event] }
    }

    #[test]
    fn each_kind_gets_what_it_understands() {
        let text = "Cup: the run has ended (budget used up)\nArena (league): ann in front after 12 bouts, 3 to come";
        let json = finished("ann").body(Kind::Json);
        assert_eq!(
            (json["text"].as_str(), json["kind"].as_str()),
            (Some(text), Some("run-finished"))
        );
        assert_eq!(json["events"][0]["leaders"][0], "ann");
        assert_eq!(
            (&json["events"][0]["event"], &json["events"][0]["title"]),
            (&"league".into(), &"Arena".into())
        );
        let discord = finished("ann").body(Kind::Discord);
        assert!(discord["content"].as_str().expect("text").contains("`ann` in front"), "{discord}");
    }

    #[test]
    fn a_name_calls_nobody_and_brings_no_mark_up() {
        let name = "<!channel> @everyone `x` me@mail.example \u{202e}";
        let slack = finished(name).body(Kind::Slack);
        let text = slack["text"].as_str().expect("text");
        assert!(text.contains("`&lt;!channel&gt; @everyone 'x' [e-mail] \\u{202e}`"), "{text}");
        let discord = finished(name).body(Kind::Discord);
        assert_eq!(discord["allowed_mentions"]["parse"], json!([]));
        assert!(harmless(&"x".repeat(100)).chars().count() == LONGEST_NAME + 1);
    }

    #[test]
    fn who_leads_now_and_who_is_broken_is_told() {
        let tournament = "Cup".to_owned();
        let text = |title: &str| {
            let (tournament, event) = (tournament.clone(), "league".to_owned());
            let (leaders, before) = (vec!["ann".to_owned()], vec!["bob".to_owned()]);
            let title = title.to_owned();
            let message = Message::NewLeader { tournament, event, title, leaders, before };
            message.text(str::to_owned)
        };
        assert_eq!(text("Arena"), "Cup: ann in front of Arena (league) now (before: bob)");
        // The same is reported once.
        assert_eq!(text("league"), "Cup: ann in front of league now (before: bob)");
        let of_two = "Cup: ann in front of BattleBots: league now (before: bob)";
        assert_eq!(text("BattleBots: league"), of_two);
        let other = "Cup: ann in front of Superleague (league) now (before: bob)";
        assert_eq!(text("Superleague"), other);
        let message =
            Message::BotBroken { tournament, bot: "eve".to_owned(), problem: "not built" };
        assert_eq!(message.text(str::to_owned), "Cup: eve is broken: not built");
    }
}
