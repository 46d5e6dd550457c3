//! Bots on clocks that run in real time, one test after the other: the program has the machine for
//! itself.

mod dungeon_clock;
mod naive;

use std::ops::Deref;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use joust_testkit::env::TestEnv;

/// Folder of the one test that is running.
struct Alone {
    env: TestEnv,
    _turn: MutexGuard<'static, ()>,
}

impl Deref for Alone {
    type Target = TestEnv;

    fn deref(&self) -> &TestEnv {
        &self.env
    }
}

/// Makes an empty folder, after the other tests have ended.
fn env() -> Alone {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let cache = Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/joust-cache"));
    let env = TestEnv::new(env!("CARGO_BIN_EXE_joust")).with_cache(cache);
    Alone { env, _turn: turn }
}
