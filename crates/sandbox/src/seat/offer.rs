//! Descriptor passing, the caller's side: takes over what a launcher offers.

use std::os::fd::OwnedFd;

use crate::link::Broken;
use crate::machine::Fresh;
use crate::sys;
use crate::wire::{OfferAnswer, Reply, Request};

/// Receives an offer and takes what it names; `Err` inside is the reply that came instead.
pub(super) fn take(fresh: &mut Fresh) -> Result<Result<Vec<OwnedFd>, Reply>, Broken> {
    let (numbers, along) = match receive(fresh)? {
        Ok(offered) => offered,
        Err(other) => return Ok(Err(other)),
    };
    if numbers.is_empty() {
        return Ok(Ok(along));
    }
    let process = fresh.process.descriptor();
    let taken = numbers.iter().map(|number| sys::take_from(process, *number));
    if let Ok(taken) = taken.collect::<Result<Vec<_>, _>>() {
        fresh.link.send(&Request::Offer(OfferAnswer::Taken), &[])?;
        return Ok(Ok(taken));
    }
    fresh.link.send(&Request::Offer(OfferAnswer::Refused), &[])?;
    Ok(receive(fresh)?.map(|(_, along)| along))
}

/// Numbers that are offered, and descriptors that came along.
type Offered = (Vec<u32>, Vec<OwnedFd>);

fn receive(fresh: &mut Fresh) -> Result<Result<Offered, Reply>, Broken> {
    Ok(match fresh.link.receive_with_descriptors()? {
        (Reply::Offered(numbers), along) => Ok((numbers, along)),
        (other, _) => Err(other),
    })
}
