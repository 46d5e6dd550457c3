//! Tier of the suite, and the place that it needs.

use joust_sandbox::{Enforcement, Feature, Host, Tier};
use joust_testkit::clean_state::Surroundings;
use joust_testkit::hostile::{Partial, Row, Setting};

/// Tells a worker that it is alone in its name spaces.
pub(crate) const PRIVATE: &str = "JOUST_TEST_PRIVATE";

/// The tier asked for; `None` for the best of this host.
pub(crate) fn wanted() -> Result<Option<Tier>, String> {
    match std::env::var("JOUST_TIER").ok().as_deref() {
        None | Some("") => Ok(None),
        Some("A") => Ok(Some(Tier::A)),
        Some("B") => Ok(Some(Tier::B)),
        Some("C") => Ok(Some(Tier::C)),
        Some(other) => Err(format!("`JOUST_TIER` is A, B, C or none, not `{other}`")),
    }
}

/// Returns whether this host is to refuse everything.
pub(crate) fn is_refusal_wanted() -> bool {
    std::env::var("JOUST_TIER").is_ok_and(|tier| tier == "none")
}

/// Returns the surroundings of this process: private where the stage could give it a network and
/// objects of its own, which needs a superuser.
pub(crate) fn surroundings() -> Surroundings {
    let private = std::env::var_os(PRIVATE).is_some();
    if private { Surroundings::Private } else { Surroundings::Shared }
}

/// The letter of a tier.
pub(crate) fn letter(tier: Tier) -> char {
    match tier {
        Tier::A => 'A',
        Tier::B => 'B',
        Tier::C => 'C',
        Tier::D => 'D',
    }
}

/// Returns the part of `row` that `tier` cannot enforce, if there is one.
pub(crate) fn shortfall(row: &Row, tier: Tier) -> Option<Partial> {
    row.partial.iter().find(|partial| partial.tier == letter(tier)).copied()
}

/// Returns the reason why the seats of a host are one user for the kernel, where they are.
pub(crate) fn shared_user(host: &Host) -> Option<String> {
    let own = host.features().iter().find(|feature| feature.name == "user of its own")?;
    (own.enforced != Enforcement::Full).then(|| own.reason.clone())
}

/// Returns whether the host keeps programs from the server that they are copies of.
pub(crate) fn keeps_servers(host: &Host) -> bool {
    let is_kept =
        |feature: &Feature| feature.name == "warm starts" && feature.enforced == Enforcement::Full;
    host.features().iter().any(is_kept)
}

/// Returns the words that tell the stage what to make of the worker of `row`.
pub(crate) fn stage_words(row: &Row, tier: Option<Tier>) -> Vec<&'static str> {
    let root = nix::unistd::geteuid().is_root();
    let mut words = Vec::new();
    if root {
        words.push("private");
    }
    words.extend(row.setting.iter().filter_map(|setting| stage_word(*setting, root)));
    match tier {
        Some(Tier::B) if root => words.push("user"),
        Some(Tier::C) if root => words.push("container"),
        _ => {}
    }
    words
}

fn stage_word(setting: Setting, root: bool) -> Option<&'static str> {
    match setting {
        Setting::Init if root => Some("init"),
        Setting::ClosedStreams => Some("closed"),
        Setting::IgnoredChildren => Some("ignore-child"),
        Setting::OddMask => Some("odd-umask"),
        Setting::FewDescriptors => Some("few-files"),
        Setting::OddProcess => Some("odd-process"),
        Setting::SmallGroup if root => Some("small-group"),
        Setting::LowPriority => Some("low-priority"),
        _ => None,
    }
}
