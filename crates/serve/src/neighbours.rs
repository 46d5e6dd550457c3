//! Neighbours: the connections of one origin, with the number of their checks that a window waits
//! for.

use std::collections::BTreeMap;

use super::checks::Urgency;
use super::newcomers::Origin;

/// Number of wrong passwords of an origin in a window from which its checks are no longer awaited.
const MOST_WRONG: u32 = 20;

/// The connections of every origin.
#[derive(Default)]
pub(super) struct Neighbours(BTreeMap<Origin, Origins>);

/// The connections of one origin.
#[derive(Clone, Copy, Debug, Default)]
struct Origins {
    connections: usize,
    /// The most that were open at once in this window.
    at_once: usize,
    awaited: usize,
    wrong: u32,
}

impl Neighbours {
    /// Returns how many connections an origin has.
    pub(super) fn count(&self, origin: Origin) -> usize {
        self.0.get(&origin).map_or(0, |one| one.connections)
    }

    /// Adds a connection.
    pub(super) fn come(&mut self, origin: Origin) {
        let one = self.0.entry(origin).or_default();
        one.connections += 1;
        one.at_once = one.at_once.max(one.connections);
    }

    /// Removes a connection. Its counts of this window stay.
    pub(super) fn go(&mut self, origin: Origin) {
        let Some(one) = self.0.get_mut(&origin) else { return };
        one.connections = one.connections.saturating_sub(1);
        if one.connections == 0 && one.awaited == 0 && one.wrong == 0 {
            self.0.remove(&origin);
        }
    }

    /// Returns the urgency of the first check of a connection in this window. An origin has as many
    /// awaited checks as it has had simultaneous connections, so that it gains nothing by
    /// reconnecting.
    pub(super) fn first_check(&mut self, origin: Origin) -> Urgency {
        let Some(one) = self.0.get_mut(&origin) else { return Urgency::Spare };
        if one.awaited >= one.at_once || one.wrong >= MOST_WRONG {
            return Urgency::Spare;
        }
        one.awaited += 1;
        Urgency::Awaited
    }

    /// Counts a wrong password.
    pub(super) fn was_wrong(&mut self, origin: Origin) {
        if let Some(one) = self.0.get_mut(&origin) {
            one.wrong = one.wrong.saturating_add(1);
        }
    }

    /// Begins a window and resets the counts of the last one.
    pub(super) fn begin_window(&mut self) {
        self.0.retain(|_, one| one.connections > 0);
        for one in self.0.values_mut() {
            let connections = one.connections;
            *one = Origins { connections, at_once: connections, awaited: 0, wrong: 0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    fn origin() -> Origin {
        "192.0.2.1".parse::<IpAddr>().expect("an address").into()
    }

    fn urgent(neighbours: &mut Neighbours) -> bool {
        neighbours.first_check(origin()) == Urgency::Awaited
    }

    #[test]
    fn whoever_comes_again_is_waited_for_no_more_often() {
        let mut neighbours = Neighbours::default();
        for _ in 0..3 {
            neighbours.come(origin());
        }
        let urgent: Vec<bool> = (0..5)
            .map(|_| {
                let is_urgent = urgent(&mut neighbours);
                neighbours.go(origin());
                neighbours.come(origin());
                is_urgent
            })
            .collect();
        assert_eq!(urgent, [true, true, true, false, false]);
        neighbours.begin_window();
        assert!(neighbours.first_check(origin()) == Urgency::Awaited);
    }

    #[test]
    fn whoever_guesses_is_waited_for_again_in_the_next_window_only() {
        let mut neighbours = Neighbours::default();
        neighbours.come(origin());
        (0..MOST_WRONG).for_each(|_| neighbours.was_wrong(origin()));
        assert!(!urgent(&mut neighbours));
        neighbours.begin_window();
        assert!(urgent(&mut neighbours));
        neighbours.go(origin());
        neighbours.begin_window();
        assert_eq!(neighbours.0.len(), 0);
    }
}
