//! Where the program differs from its README.
//!
//! "Spec" is the description of `EntelectChallenge/2017-Battleships`, commit
//! `83e2fa9e`; the table of its section 13 numbers the differences. Nothing
//! else differs between the two rule sets: the files are the program's under
//! both. Where the README says nothing (the limit of rounds, line 10) or two
//! things (the seeker missile's cost, line 1: 10 rounds in the rules and 12 in
//! the change log; 20 or more than 20 do-nothings, line 3; ties, line 9) both
//! do what the program does. The program's leaks (line 13) are in neither: a
//! bot finds its own folder only.

use super::Rules;

impl Rules {
    /// Says whether completing a ship with a seeker missile earns nothing.
    ///
    /// README: 30 points for every sunk ship. Program: the seeker missile tests
    /// a flag that cannot change inside a round. Source: spec, 4.4; 13, line 2.
    pub(super) fn seeker_sinks_for_nothing(self) -> bool {
        self == Self::Original
    }

    /// Says whether a placement round stops at the first failure, so that only
    /// one player is charged, and both must place again.
    ///
    /// README: a failing player is charged, and after at most five rounds the
    /// ships are placed or somebody is dead. Program: both boards are cleared
    /// and only the first in the order of the round is charged, so that placing
    /// can last nine rounds. Under `documented` a good placement stands
    /// and its player waits for the other one. Source: spec, 2.3; 13, lines 4
    /// and 5.
    pub(super) fn one_failure_spoils_the_round(self) -> bool {
        self == Self::Original
    }

    /// Says whether a `place.txt` in phase 2 moves and repairs the whole fleet.
    ///
    /// README: phase 2 has the listed commands only. Program: it is carried
    /// out. The option `phase_2_placement` overrides this. Source: spec, 2.5;
    /// 13, line 6.
    pub(super) fn moves_fleet_in_phase_2(self) -> bool {
        self == Self::Original
    }

    /// Says whether charging follows the global round number and radius and
    /// charges go apart.
    ///
    /// README: a charge after 7 rounds without the shield, and the radius is the
    /// number of charges. Program: a charge at the end of every round that is a
    /// multiple of 7 after the last use, charges without end, a radius that is
    /// capped and does not shrink while the shield is up. Under `documented`
    /// charges end at the largest radius. Source: spec, 5; 13, line 7.
    pub(super) fn shield_counts_global_rounds(self) -> bool {
        self == Self::Original
    }

    /// Says whether rounds of placing bring no energy.
    ///
    /// README: energy after each round. Program: only after rounds of phase 2.
    /// Source: spec, 2.3; 13, line 11.
    pub(super) fn placing_brings_no_energy(self) -> bool {
        self == Self::Original
    }

    /// Says whether a weapon that strikes several cells counts as one shot.
    ///
    /// README: shots. Program: commands, even one that strikes no cell. Source:
    /// spec, 4.2, step 7; 13, line 12.
    pub(super) fn counts_commands_as_shots(self) -> bool {
        self == Self::Original
    }

    /// Says whether the files count of a bot that ended by itself with another
    /// status than 0, or by a signal, after writing them.
    ///
    /// README: a malfunctioning bot does nothing. Program: the exit code is
    /// ignored. A bot that a limit ended has left no files under either.
    /// Source: spec, 10.4; 13, line 25.
    pub(super) fn files_of_a_crash_count(self) -> bool {
        self == Self::Original
    }

    /// Says whether a fleet sunk by the harness brings the survivor 100 points.
    ///
    /// README: the player is destroyed and the opponent wins. Program, release
    /// 1.2.0: its cells are struck, the round goes on, and 100 points are given
    /// if that has sunk all ships, which shields and missing placements prevent.
    /// Later releases crash here. Under `documented` all ships are destroyed and
    /// nobody gets points. Source: spec, 7.4 and 14; 13, lines 3 and 4.
    pub(super) fn harness_kill_pays(self) -> bool {
        self == Self::Original
    }
}
