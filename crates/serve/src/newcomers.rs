//! Limits of new names, per origin and period and in total.
//!
//! A name costs a client nothing, but it is stored for good and needs a slow hash. A client that
//! makes names without end would fill the database and delay others. People in one room often share
//! an address, so the limit of an origin suits a big room.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use joust_model::network_of;
use tokio::time::Instant;

/// Period over which new names are counted.
pub(super) const WHILE: Duration = Duration::from_secs(60 * 60);

/// Number of origins from which outdated counts are dropped.
const REMEMBERED: usize = 1024;

/// Origin of a connection, used as the identity of its user: an IPv4 address, or an IPv6 network,
/// because one machine can use all addresses of its network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Origin(pub(super) IpAddr);

impl From<IpAddr> for Origin {
    fn from(address: IpAddr) -> Self {
        Self(network_of(address))
    }
}

/// Reason why a new name is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRefusal {
    /// The maximum number of accounts exists.
    Full,
    /// This address has made the maximum number of names in an hour.
    TooMany(IpAddr),
}

/// The new names of the current period.
#[derive(Debug)]
pub(super) struct Newcomers {
    most: u32,
    counts: BTreeMap<Origin, Count>,
}

#[derive(Clone, Copy, Debug)]
struct Count {
    since: Instant,
    names: u32,
}

/// Answer to a request for a new name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameAdmission {
    /// The name may be made.
    Yes,
    /// It may not, for the first time in this period.
    NotAnyMore,
    /// It may not, as earlier in this period.
    No,
}

impl Newcomers {
    /// Allows each origin `most` new names in a [`WHILE`].
    pub(super) fn new(most: u32) -> Self {
        Self { most, counts: BTreeMap::new() }
    }

    /// Counts a new name of `origin` if it is allowed.
    pub(super) fn admit(&mut self, origin: Origin, now: Instant) -> NameAdmission {
        if self.counts.len() >= REMEMBERED {
            self.counts.retain(|_, count| now.duration_since(count.since) < WHILE);
        }
        let count = self.counts.entry(origin).or_insert(Count { since: now, names: 0 });
        if now.duration_since(count.since) >= WHILE {
            *count = Count { since: now, names: 0 };
        }
        count.names = count.names.saturating_add(1);
        match count.names.checked_sub(self.most) {
            None | Some(0) => NameAdmission::Yes,
            Some(1) => NameAdmission::NotAnyMore,
            Some(_) => NameAdmission::No,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use super::*;

    fn origin(text: &str) -> Origin {
        text.parse::<IpAddr>().expect("an address").into()
    }

    #[test]
    fn each_origin_makes_its_own_number_and_is_told_once() {
        let (mut newcomers, now) = (Newcomers::new(2), Instant::now());
        let (one, other) = (origin("192.0.2.1"), origin("192.0.2.2"));
        let answers: Vec<_> = (0..4).map(|_| newcomers.admit(one, now)).collect();
        assert_eq!(
            answers,
            [NameAdmission::Yes, NameAdmission::Yes, NameAdmission::NotAnyMore, NameAdmission::No]
        );
        assert_eq!(newcomers.admit(other, now), NameAdmission::Yes);
    }

    #[test]
    fn after_an_hour_the_count_begins_anew() {
        let (mut newcomers, now) = (Newcomers::new(1), Instant::now());
        let one = origin("192.0.2.1");
        assert_eq!(newcomers.admit(one, now), NameAdmission::Yes);
        assert_eq!(
            newcomers.admit(one, now + WHILE - Duration::from_secs(1)),
            NameAdmission::NotAnyMore
        );
        assert_eq!(newcomers.admit(one, now + WHILE), NameAdmission::Yes);
        assert_eq!(newcomers.admit(one, now + WHILE), NameAdmission::NotAnyMore);
    }

    #[test]
    fn a_machine_with_a_network_of_its_own_is_one_origin() {
        assert_eq!(origin("2001:db8:1:2::1"), origin("2001:db8:1:2:ffff::9"));
        assert_ne!(origin("2001:db8:1:2::1"), origin("2001:db8:1:3::1"));
        assert_eq!(origin("::ffff:192.0.2.1"), origin("192.0.2.1"));
        assert_eq!(origin("::1"), Origin(IpAddr::V6(Ipv6Addr::LOCALHOST)));
    }

    #[test]
    fn what_is_over_is_forgotten() {
        let (mut newcomers, now) = (Newcomers::new(1), Instant::now());
        for number in 0..3 * REMEMBERED as u32 {
            let address = IpAddr::V4(number.into());
            let later = now + WHILE * (number / 512);
            assert_eq!(newcomers.admit(address.into(), later), NameAdmission::Yes);
        }
        assert!(newcomers.counts.len() <= REMEMBERED, "{}", newcomers.counts.len());
    }

    #[test]
    fn none_may_be_made_where_the_number_is_zero() {
        let mut newcomers = Newcomers::new(0);
        assert_eq!(newcomers.admit(origin("192.0.2.1"), Instant::now()), NameAdmission::NotAnyMore);
    }
}
