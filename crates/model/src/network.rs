//! Networks of addresses: one for all the addresses that one machine may have.

use std::net::{IpAddr, Ipv6Addr};

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
    fn a_network_of_ipv6_is_one_and_a_mapped_address_is_that_of_ipv4() {
        let network = |text: &str| network_of(text.parse().expect("an address"));
        assert_eq!(network("2001:db8:1:2::1"), network("2001:db8:1:2:ffff::9"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
        assert_eq!(network("::1"), IpAddr::V6(Ipv6Addr::LOCALHOST));
    }
}
