//! Refusals: why a command was not carried out.

use std::fmt;

/// Why a command was not carried out; the turn is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Phase 1 takes placements only.
    NotAPlacement,
    /// Phase 2 takes no placement here.
    PlacementInPhase2,
    /// The first cell of a ship lies off the map.
    StartsOutside,
    /// A ship goes off the map.
    LeavesTheMap,
    /// A ship is named twice.
    PlacedTwice,
    /// Two ships share a cell.
    Overlaps,
    /// The ship with the weapon is destroyed.
    WeaponLost,
    /// Not all ships are on the map.
    FleetNotPlaced,
    /// The energy does not suffice.
    TooLittleEnergy,
    /// The cell to be struck lies off the map.
    TargetOutside,
    /// The shield is up already.
    ShieldActive,
    /// The shield has no charge.
    NoCharge,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAPlacement => "ships must be placed first",
            Self::PlacementInPhase2 => "ships cannot be moved in phase 2",
            Self::StartsOutside => "a ship starts off the map",
            Self::LeavesTheMap => "a ship leaves the map",
            Self::PlacedTwice => "a ship is placed twice",
            Self::Overlaps => "two ships overlap",
            Self::WeaponLost => "no ship with this weapon is left",
            Self::FleetNotPlaced => "not all ships are placed",
            Self::TooLittleEnergy => "too little energy",
            Self::TargetOutside => "the target lies off the map",
            Self::ShieldActive => "the shield is active",
            Self::NoCharge => "the shield has no charge",
        })
    }
}
