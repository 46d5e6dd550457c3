//! Quirks of the original: where the server differs from its README, one switch each.
//!
//! Nothing else differs between the two rule sets. The README's example game
//! is of yet another mind; a third value of [`Quirks`] plays it literally (see
//! `tests/uwcs_bomberman_bout.rs`).

/// The switches in which the rule sets differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quirks {
    /// A bomb explodes when its age exceeds this many turns.
    ///
    /// README: a bomb stays for 4 turns. Server: 5.
    ///
    /// Source: [Bombs and blasts](crate::docs::uwcs_bomberman#bombs-and-blasts),
    /// [README against server](crate::docs::uwcs_bomberman#readme-against-server).
    pub fuse_turns: u32,
    /// The number in the first `TICK`.
    ///
    /// README, example: 1. Server: 0.
    ///
    /// Source: [Life of a game](crate::docs::uwcs_bomberman#life-of-a-game),
    /// [README against server](crate::docs::uwcs_bomberman#readme-against-server).
    pub first_tick: u32,
    /// Number of living players at which, or below which, the game ends.
    ///
    /// README: one. Server: none; the test for one is there but commented out.
    ///
    /// Source: [End and scores](crate::docs::uwcs_bomberman#end-and-scores),
    /// [README against server](crate::docs::uwcs_bomberman#readme-against-server).
    pub end_at_living: usize,
    /// Time of the test for the end of the game.
    ///
    /// README, example: `END` follows the last `DEAD` with no `TICK` between.
    /// Server: before a turn only, so one more `TICK` is announced, and the game
    /// ends one tick after `TICK 1000`.
    ///
    /// Source: [End and scores](crate::docs::uwcs_bomberman#end-and-scores),
    /// [README against server](crate::docs::uwcs_bomberman#readme-against-server).
    pub end_test: EndTest,
    /// Points the only living player of a game that ends gets on top.
    ///
    /// README, text: 1. Server, and the README's example: none.
    ///
    /// Source: [End and scores](crate::docs::uwcs_bomberman#end-and-scores),
    /// [README against server](crate::docs::uwcs_bomberman#readme-against-server).
    pub survivor_points: i64,
    /// Answer to a turn without actions.
    ///
    /// README, text, and server: `ACTIONS 0`. README, example: nothing.
    ///
    /// Source: [One turn](crate::docs::uwcs_bomberman#one-turn),
    /// [README against server](crate::docs::uwcs_bomberman#readme-against-server).
    pub idle_turns: IdleTurns,
    /// Limits of one command in the stream.
    ///
    /// README: messages end with a newline. Server: whatever one read of the
    /// socket returns.
    ///
    /// Source: [Framing](crate::docs::uwcs_bomberman#framing).
    pub framing: Framing,
    /// Form of names in `DEAD`.
    ///
    /// README: no difference to other lines. Server: not escaped there.
    ///
    /// Source: [Commands and answers](crate::docs::uwcs_bomberman#commands-and-answers).
    pub dead_names: DeadNames,
    /// Effect of names that need escaping, or that every JavaScript object has as
    /// a property.
    ///
    /// README: silent. Server: the former make it repeat `END` for ever, the
    /// latter always have the wrong password.
    ///
    /// Source: [Commands and answers](crate::docs::uwcs_bomberman#commands-and-answers).
    pub odd_names: OddNames,
}

/// Time of the test for the end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndTest {
    /// Only before a turn.
    BeforeTurn,
    /// Before a turn and after it.
    BeforeAndAfterTurn,
}

/// Answer to a turn without actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleTurns {
    /// `ACTIONS 0`.
    Announced,
    /// Nothing.
    Silent,
}

/// Limits of one command in the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// A line; or bytes without a line end, after a while.
    Lines,
    /// Whatever one read returned.
    Reads,
}

/// Form of names in `DEAD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadNames {
    /// As everywhere else.
    Escaped,
    /// As the client gave them.
    AsGiven,
}

/// Effect of odd names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OddNames {
    /// Nothing.
    Harmless,
    /// Break the server at END, or have the wrong password.
    BreakTheServer,
}

impl Quirks {
    /// Rules of the README; where it is silent, the rules of the server.
    pub const DOCUMENTED: Self = Self {
        fuse_turns: 4,
        first_tick: 1,
        end_at_living: 1,
        end_test: EndTest::BeforeAndAfterTurn,
        survivor_points: 1,
        idle_turns: IdleTurns::Announced,
        framing: Framing::Lines,
        dead_names: DeadNames::Escaped,
        odd_names: OddNames::Harmless,
    };

    /// Rules of the server.
    pub const ORIGINAL: Self = Self {
        fuse_turns: 5,
        first_tick: 0,
        end_at_living: 0,
        end_test: EndTest::BeforeTurn,
        survivor_points: 0,
        idle_turns: IdleTurns::Announced,
        framing: Framing::Reads,
        dead_names: DeadNames::AsGiven,
        odd_names: OddNames::BreakTheServer,
    };
}
