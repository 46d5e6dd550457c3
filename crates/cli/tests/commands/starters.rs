//! `bot new`: in every language whose tools are here the starter builds, plays
//! legally and beats a bot that does nothing.

use joust_testkit::env::TestEnv;
use joust_testkit::league::bot;

use super::small;

/// Plays the bots at these seats and returns whether `winner` alone wins.
fn wins(env: &TestEnv, seats: [&str; 2], winner: usize) -> bool {
    let arguments =
        ["play", "battlebots", seats[0], seats[1], "-f", "tournament.yaml", "--format", "json"];
    let options = ["--option", "max_rounds=100"];
    let bout = env.run(arguments.into_iter().chain(options)).expect(0).json();
    let rank = |seat: usize| bout["seats"][seat]["rank"].as_u64();
    rank(winner) == Some(1) && rank(1 - winner) == Some(2)
}

fn starter_of(language: &str) {
    let env = small();
    env.run(["bot", "new", "battlebots", language, "mine/starter"]).expect(0);
    let check = env.run(["bot", "check", "battlebots", "mine/starter", "-f", "tournament.yaml"]);
    if check.stderr.contains("install it with") {
        assert_eq!(check.status, Some(1), "{}", check.stderr);
        return;
    }
    assert_eq!(check.status, Some(0), "{}\n{}", check.stdout, check.stderr);
    bot(&env, "idle", "echo NO");
    assert!(wins(&env, ["mine/starter", "bots/idle"], 0), "{language} does not win from seat 0");
    assert!(wins(&env, ["bots/idle", "mine/starter"], 1), "{language} does not win from seat 1");
}

macro_rules! languages {
    ($($(#[$long:meta])? $language:ident),*) => {
        const TESTED: &[&str] = &[$(stringify!($language)),*];
        $(#[test]
        $(#[$long])?
        fn $language() {
            starter_of(stringify!($language));
        })*
    };
}

languages!(
    bash,
    c,
    cpp,
    #[ignore = "long: a virtual machine and its compiler"]
    csharp,
    fsharp,
    go,
    #[ignore = "long: a virtual machine and its compiler"]
    java,
    javascript,
    julia,
    kotlin,
    python,
    python2,
    ruby,
    rust,
    scala
);

#[test]
fn every_shipped_language_has_its_test() {
    let report = small().run(["doctor", "--format", "json"]).expect(0).json();
    let shipped = report["toolchains"].as_array().expect("a list");
    let shipped: Vec<_> =
        shipped.iter().map(|entry| entry["language"].as_str().expect("an id")).collect();
    assert_eq!(shipped, TESTED);
}
