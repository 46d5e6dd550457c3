//! Slots for connections, with a limit in total and a limit per address, or per network: one for all the
//! addresses that one machine may have.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use parking_lot::Mutex;

/// Maximum numbers of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionCaps {
    /// The most simultaneous connections; further ones are closed on arrival.
    pub connections: usize,
    /// The most simultaneous connections from one address (IPv6: one network, /64); further ones
    /// are closed on arrival.
    pub per_address: usize,
}

impl Default for ConnectionCaps {
    /// Returns caps without limits.
    fn default() -> Self {
        Self { connections: usize::MAX, per_address: usize::MAX }
    }
}

/// Open connections by address.
#[derive(Debug, Default)]
pub struct ConnectionSlots(Mutex<BTreeMap<IpAddr, usize>>);

/// A slot that is in use until this value is dropped.
#[derive(Debug)]
pub struct ConnectionSlot {
    slots: Arc<ConnectionSlots>,
    address: IpAddr,
}

impl ConnectionSlots {
    /// Takes a slot for a connection from `address`; `None` when all are in use.
    #[must_use]
    pub fn take(self: &Arc<Self>, address: IpAddr, caps: ConnectionCaps) -> Option<ConnectionSlot> {
        let address = network_of(address);
        let mut open = self.0.lock();
        let all: usize = open.values().sum();
        let of_address = open.get(&address).copied().unwrap_or(0);
        if all >= caps.connections || of_address >= caps.per_address {
            return None;
        }
        open.insert(address, of_address + 1);
        Some(ConnectionSlot { slots: Arc::clone(self), address })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut open = self.slots.0.lock();
        open.entry(self.address).and_modify(|count| *count -= 1);
        open.retain(|_, count| *count > 0);
    }
}

/// Returns the network that one machine may have: an IPv4 address, or the network (/64) of an IPv6
/// address, all of whose addresses the machine can use.
pub fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_and_all_together_have_so_many_places_until_they_go() {
        let address = |text: &str| text.parse().expect("an address");
        let slots = Arc::<ConnectionSlots>::default();
        let caps = ConnectionCaps { connections: 3, per_address: 2 };
        let mut one: Vec<_> = (0..3).map(|_| slots.take(address("192.0.2.1"), caps)).collect();
        assert!(one[1].is_some() && one[2].is_none());
        let _other = slots.take(address("192.0.2.2"), caps).expect("a place");
        assert!(slots.take(address("192.0.2.3"), caps).is_none());
        one.truncate(1);
        assert!(slots.take(address("::ffff:192.0.2.1"), caps).is_some());
        drop(one);
        assert_eq!(slots.0.lock().len(), 1);
    }

    #[test]
    fn one_address_cannot_take_every_slot() {
        let address = |text: &str| text.parse().expect("an address");
        let slots = Arc::<ConnectionSlots>::default();
        let caps = ConnectionCaps { connections: 4, per_address: 2 };
        let one: Vec<_> = (0..3).map(|_| slots.take(address("192.0.2.1"), caps)).collect();
        assert!(one[1].is_some() && one[2].is_none());
        assert!(slots.take(address("192.0.2.2"), caps).is_some());
        drop(one);
        assert!(slots.take(address("::ffff:192.0.2.1"), caps).is_some());
        assert!(slots.0.lock().is_empty());
    }

    #[test]
    fn a_network_of_ipv6_is_one_and_a_mapped_address_is_that_of_ipv4() {
        let network = |text: &str| network_of(text.parse().expect("an address"));
        assert_eq!(network("2001:db8:1:2::1"), network("2001:db8:1:2:ffff::9"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
        assert_eq!(network("::1"), IpAddr::V6(Ipv6Addr::LOCALHOST));
    }
}
