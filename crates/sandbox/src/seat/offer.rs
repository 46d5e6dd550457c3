//! Descriptor passing, the caller's side: takes over what a launcher offers.

use std::os::fd::OwnedFd;

use crate::host::Fresh;
use crate::link::Broken;
use crate::sys;
use crate::wire::{OfferAnswer, Reply};

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
        fresh.link.send(&OfferAnswer::Taken.encode(), &[])?;
        return Ok(Ok(taken));
    }
    fresh.link.send(&OfferAnswer::Refused.encode(), &[])?;
    Ok(receive(fresh)?.map(|(_, along)| along))
}

/// Numbers that are offered, and descriptors that came along.
type Offered = (Vec<u32>, Vec<OwnedFd>);

fn receive(fresh: &mut Fresh) -> Result<Result<Offered, Reply>, Broken> {
    let (message, along) = fresh.link.receive_with_descriptors()?;
    match Reply::decode(&message) {
        Ok(Reply::Offered(numbers)) => Ok(Ok((numbers, along))),
        Ok(other) => Ok(Err(other)),
        Err(_) => Err(Broken::Malformed),
    }
}
