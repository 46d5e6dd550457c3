//! Those who have told no name yet, and who of them makes room when more come than there are
//! places.
//!
//! Whoever says nothing must not keep others out. Who makes room is the one that has waited
//! longest at the address with the most connections, so that many of one address are in each
//! other's way and in nobody else's; one that came just now stays where the next comes from its
//! own address, since it may be typing.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use joust_model::network_of;

use super::guest::Guest;

/// Connections beyond the seats, for those who have not told a name.
pub(super) const PLACES: usize = 64;
/// How long a guest may take to tell a name.
const NAME_PATIENCE: Duration = Duration::from_secs(60);
/// How long one who looks on may take to tell a name when a seat is free.
pub(super) const OFFER_PATIENCE: Duration = Duration::from_secs(20);
/// How long one is sure of its place before others of its own address.
pub(super) const TYPING: Duration = Duration::from_secs(10);

/// Somebody who has told no name yet.
pub(super) struct Nameless {
    pub(super) guest: Guest,
    pub(super) since: Instant,
    /// Whether it looked on and was offered a seat.
    pub(super) was_offered: bool,
}

impl Nameless {
    pub(super) fn new(guest: Guest, was_offered: bool) -> Self {
        Self { guest, since: Instant::now(), was_offered }
    }

    /// Says whether it is still waited for.
    pub(super) fn may_stay(&self) -> bool {
        let patience = if self.was_offered { OFFER_PATIENCE } else { NAME_PATIENCE };
        self.since.elapsed() < patience
    }

    /// Returns its address, and how long it has waited.
    pub(super) fn waits(&self) -> (IpAddr, Duration) {
        (network_of(self.guest.from.ip()), self.since.elapsed())
    }
}

/// Whether there is room for one more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// There is.
    Free,
    /// The one with this number makes room.
    Instead(usize),
    /// All of its own address have come just now.
    No,
}

/// Finds room for one more from `address` among those who wait, each with its address and how
/// long it has waited.
pub(super) fn room(waiting: &[(IpAddr, Duration)], address: IpAddr) -> Room {
    if waiting.len() < PLACES {
        return Room::Free;
    }
    let own = network_of(address);
    let mut counts = BTreeMap::from([(own, 1)]);
    for (address, _) in waiting {
        *counts.entry(*address).or_insert(0) += 1;
    }
    let most = counts.values().max();
    let of_most = |(_, (address, _)): &(usize, &(IpAddr, Duration))| counts.get(address) == most;
    let longest = waiting.iter().enumerate().filter(of_most).max_by_key(|(_, (_, waited))| *waited);
    match longest {
        Some((_, (address, waited))) if *address == own && *waited < TYPING => Room::No,
        Some((number, _)) => Room::Instead(number),
        None => Room::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(number: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, number])
    }

    fn seconds(seconds: usize) -> Duration {
        Duration::from_secs(seconds as u64)
    }

    #[test]
    fn many_of_one_address_keep_nobody_out_and_put_nobody_else_out() {
        let (silent, honest) = (address(1), address(2));
        let mut waiting: Vec<_> = (0..PLACES).map(|number| (silent, seconds(number))).collect();
        assert_eq!(room(&waiting[1..], honest), Room::Free);
        assert_eq!(room(&waiting, honest), Room::Instead(PLACES - 1));
        waiting[5] = (honest, seconds(59));
        assert_eq!(room(&waiting, silent), Room::Instead(PLACES - 1));
        assert_eq!(room(&waiting, address(3)), Room::Instead(PLACES - 1));
    }

    #[test]
    fn who_came_just_now_is_not_put_out_by_its_own_address() {
        let mut waiting = vec![(address(1), seconds(9)); PLACES];
        assert_eq!(room(&waiting, address(1)), Room::No);
        waiting[7].1 = TYPING;
        assert_eq!(room(&waiting, address(1)), Room::Instead(7));
    }

    #[test]
    fn of_as_many_addresses_the_one_that_has_waited_longest_makes_room() {
        let waiting: Vec<_> = (1..=PLACES as u8).map(|one| (address(one), seconds(0))).collect();
        let mut waiting = waiting;
        waiting[9].1 = seconds(1);
        assert_eq!(room(&waiting, address(200)), Room::Instead(9));
    }
}
