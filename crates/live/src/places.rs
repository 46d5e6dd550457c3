//! Places for connections: so many in all, and so many for one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use joust_model::network_of;

/// The places there are.
#[derive(Debug)]
pub(crate) struct Places {
    most: usize,
    per_address: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// A place that is taken until this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: Arc<Places>,
    address: IpAddr,
}

impl Places {
    pub(crate) fn new(most: usize, per_address: usize) -> Arc<Self> {
        Arc::new(Self { most, per_address, taken: Mutex::default() })
    }

    /// Takes a place for a connection from `address`; `None` when there is none. This machine's
    /// own addresses may have them all: a proxy speaks for many.
    pub(crate) fn take(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        let address = network_of(address);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let of_address = taken.by_address.get(&address).copied().unwrap_or(0);
        if taken.all >= self.most || (!address.is_loopback() && of_address >= self.per_address) {
            return None;
        }
        taken.all += 1;
        taken.by_address.insert(address, of_address + 1);
        Some(Place { places: Arc::clone(self), address })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.all -= 1;
        let left = taken.by_address.get(&self.address).map_or(0, |count| count - 1);
        match left {
            0 => taken.by_address.remove(&self.address),
            left => taken.by_address.insert(self.address, left),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn one_address_cannot_take_every_place() {
        let places = Places::new(4, 2);
        let one: Vec<_> = (0..3).map(|_| places.take(address("192.0.2.1"))).collect();
        assert!(one[1].is_some() && one[2].is_none());
        assert!(places.take(address("192.0.2.2")).is_some());
        drop(one);
        assert!(places.take(address("::ffff:192.0.2.1")).is_some());
        let taken = places.taken.lock().expect("nobody panicked");
        assert!(taken.all == 0 && taken.by_address.is_empty());
    }

    #[test]
    fn a_network_is_one_address_and_this_machine_is_none() {
        let places = Places::new(5, 1);
        let _one = places.take(address("2001:db8::1")).expect("a place");
        assert!(places.take(address("2001:db8::2")).is_none());
        let _other = places.take(address("2001:db8:0:1::2")).expect("a place");
        let own: Vec<_> = (0..4).filter_map(|_| places.take(address("127.0.0.1"))).collect();
        assert_eq!(own.len(), 3);
    }
}
