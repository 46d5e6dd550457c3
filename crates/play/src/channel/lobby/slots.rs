//! Places for connections: so many in all, and so many for one address.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use joust_model::network_of;

/// Maximum numbers of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LobbyCaps {
    /// At once; more are closed on arrival.
    pub connections: usize,
    /// At once from one address (IPv6: one network, /64); more are closed on arrival.
    pub per_address: usize,
}

impl Default for LobbyCaps {
    /// As many as the lobby has places for.
    fn default() -> Self {
        Self { connections: usize::MAX, per_address: usize::MAX }
    }
}

/// The places there are.
#[derive(Debug)]
pub(super) struct ConnectionSlots {
    caps: LobbyCaps,
    taken: Mutex<BTreeMap<IpAddr, usize>>,
}

/// A place that is taken until this is dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    slots: Arc<ConnectionSlots>,
    address: IpAddr,
}

impl ConnectionSlots {
    pub(super) fn new(caps: LobbyCaps) -> Arc<Self> {
        Arc::new(Self { caps, taken: Mutex::default() })
    }

    /// Takes a place for a connection from `address`; `None` when there is none.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr) -> Option<ConnectionSlot> {
        let address = network_of(address);
        let mut taken = self.taken();
        let all: usize = taken.values().sum();
        let of_address = taken.get(&address).copied().unwrap_or(0);
        if all >= self.caps.connections || of_address >= self.caps.per_address {
            return None;
        }
        taken.insert(address, of_address + 1);
        Some(ConnectionSlot { slots: Arc::clone(self), address })
    }

    fn taken(&self) -> MutexGuard<'_, BTreeMap<IpAddr, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut taken = self.slots.taken();
        match taken.get(&self.address).map_or(0, |count| count - 1) {
            0 => taken.remove(&self.address),
            left => taken.insert(self.address, left),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_and_all_together_have_so_many_places_until_they_go() {
        let address = |text: &str| text.parse().expect("an address");
        let slots = ConnectionSlots::new(LobbyCaps { connections: 3, per_address: 2 });
        let mut one: Vec<_> = (0..3).map(|_| slots.take(address("192.0.2.1"))).collect();
        assert!(one[1].is_some() && one[2].is_none());
        let _other = slots.take(address("192.0.2.2")).expect("a place");
        assert!(slots.take(address("192.0.2.3")).is_none());
        one.truncate(1);
        assert!(slots.take(address("::ffff:192.0.2.1")).is_some());
        drop(one);
        assert_eq!(slots.taken().len(), 1);
    }
}
