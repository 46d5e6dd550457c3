//! A small tournament of bash bots, for tests of the real binary.

use std::path::Path;

use crate::env::TestEnv;

/// A tournament of three bash bots, small enough for a test.
pub const SMALL: &str = "\
name: Small
seed: 7
database: results.db
defaults:
  calibration: { runs: 2 }
events:
  - id: league
    game: battlebots
    bots: [bots/*]
    bouts: 2
    options: { max_rounds: 6 }
";

/// Makes a folder with [`SMALL`] and bots that shoot, walk and wait, for tests
/// of `binary` that share the builds in `cache`.
pub fn small(binary: &str, cache: &Path) -> TestEnv {
    let env = TestEnv::new(binary).with_cache(cache);
    env.write("tournament.yaml", SMALL);
    bot(&env, "shooter", "echo 'B SE'");
    bot(&env, "walker", "echo E");
    bot(&env, "waiter", "echo NO");
    env
}

/// Writes a bash bot of these lines.
pub fn bot(env: &TestEnv, name: &str, source: &str) {
    env.write(
        &format!("bots/{name}/bot.yaml"),
        &format!("name: {name}\nlanguage: bash\nentry: main.sh\n"),
    );
    env.write(&format!("bots/{name}/main.sh"), &format!("{source}\n"));
}

/// Returns the id of every bout in the database.
///
/// # Panics
///
/// When `joust verify` does not answer as documented.
pub fn bout_ids(env: &TestEnv) -> Vec<String> {
    let verified = env.run(["verify", "--format", "json"]).expect(0).json();
    let bouts = verified["bouts"].as_array().expect("a list of bouts");
    bouts.iter().map(|bout| bout["bout"].as_str().expect("an id").to_owned()).collect()
}
