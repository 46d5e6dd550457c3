//! Differences between the rule sets: where the program differs from its README.
//!
//! The rows are the rows of the table
//! [README against program](crate::docs::battleships_2017#readme-against-program).
//! Nothing else differs between the two rule sets: the files are the program's under
//! both. Where the README says nothing (the limit of rounds, row 10) or contradicts itself (the
//! seeker missile's cost, row 1: 10 rounds in the rules and 12 in the change log; 20 or
//! more than 20 do-nothings, row 3; ties, row 9) both rule sets do what the program does.
//! The program's leaks (row 13) are in neither: a bot finds its own folder only.

use super::Rules;

impl Rules {
    /// Returns whether completing a ship with a seeker missile earns nothing.
    ///
    /// README: 30 points for every sunk ship. Program: the seeker missile tests a flag
    /// that cannot change inside a round.
    ///
    /// Source: [Striking a cell](crate::docs::battleships_2017#striking-a-cell); row 2.
    pub(super) fn seeker_sinks_for_nothing(self) -> bool {
        self == Self::Original
    }

    /// Returns whether a placement round stops at the first failure, so that only
    /// one player is charged, and both must place again.
    ///
    /// README: a failing player is charged, and after at most five rounds the ships are
    /// placed or a player is dead. Program: both boards are cleared and only the first
    /// in the order of the round is charged, so that placing can last nine rounds.
    /// Under `documented` a good placement stands and its player waits for the other
    /// one.
    ///
    /// Source: [Placement rounds](crate::docs::battleships_2017#placement-rounds); rows 4 and 5.
    pub(super) fn one_failure_spoils_the_round(self) -> bool {
        self == Self::Original
    }

    /// Returns whether a `place.txt` in phase 2 moves and repairs the whole fleet.
    ///
    /// README: phase 2 has the listed commands only. Program: it is carried out. The
    /// option `phase_2_placement` overrides this.
    ///
    /// Source: [Placement in phase 2](crate::docs::battleships_2017#placement-in-phase-2); row 6.
    pub(super) fn moves_fleet_in_phase_2(self) -> bool {
        self == Self::Original
    }

    /// Returns whether charging follows the global round number and radius and
    /// charges go apart.
    ///
    /// README: a charge after 7 rounds without the shield, and the radius is the number
    /// of charges. Program: a charge at the end of every round that is a multiple of 7
    /// after the last use, charges without end, a radius that is capped and does not
    /// shrink while the shield is up. Under `documented` charges end at the largest
    /// radius.
    ///
    /// Source: [Shield](crate::docs::battleships_2017#shield); row 7.
    pub(super) fn shield_counts_global_rounds(self) -> bool {
        self == Self::Original
    }

    /// Returns whether rounds of placing bring no energy.
    ///
    /// README: energy after each round. Program: only after rounds of phase 2.
    ///
    /// Source: [Placement rounds](crate::docs::battleships_2017#placement-rounds); row 11.
    pub(super) fn placing_brings_no_energy(self) -> bool {
        self == Self::Original
    }

    /// Returns whether a weapon that strikes several cells counts as one shot.
    ///
    /// README: shots. Program: commands, even one that strikes no cell.
    ///
    /// Source: [Firing](crate::docs::battleships_2017#firing), step 7,
    /// row 12.
    pub(super) fn counts_commands_as_shots(self) -> bool {
        self == Self::Original
    }

    /// Returns whether the files count of a bot that ended by itself with another
    /// status than 0, or by a signal, after writing them.
    ///
    /// README: a malfunctioning bot does nothing. Program: the exit code is ignored. A
    /// bot that a limit ended has left no files under either.
    ///
    /// Source: [What does not matter](crate::docs::battleships_2017#what-does-not-matter); row 25.
    pub(super) fn files_of_a_crash_count(self) -> bool {
        self == Self::Original
    }

    /// Returns whether a fleet sunk by the harness brings the survivor 100 points.
    ///
    /// README: the player is destroyed and the opponent wins. Program, release 1.2.0:
    /// its cells are struck, the round continues, and 100 points are given if that has
    /// sunk all ships, which shields and missing placements prevent. Later releases
    /// crash here. Under `documented` all ships are destroyed and neither player gets points.
    ///
    /// Source: [Harness kills](crate::docs::battleships_2017#harness-kills),
    /// [Choices of Joust](crate::docs::battleships_2017#choices-of-joust); rows 3 and 4.
    pub(super) fn harness_kill_pays(self) -> bool {
        self == Self::Original
    }
}
