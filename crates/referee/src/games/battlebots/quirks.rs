//! Differences between the rule sets: where the program that ran the tournaments differs
//! from its README.
//!
//! The rows are the rows of the table
//! [README against program](crate::docs::battlebots#readme-against-program). Nothing else
//! differs between the two rule sets.

use super::{ARENA_SQUARES, Rules};
use crate::Point;

impl Rules {
    /// Returns whether bots, mines, bullets and missiles can be on `square`.
    ///
    /// README: ten by ten squares, and its picture has bots, mines
    /// and a missile in row 0 and column 0. Program: nothing can ever enter row
    /// 0 or column 0, though they are drawn.
    ///
    /// Source: [Arena and start](crate::docs::battlebots#arena-and-start); row 1.
    #[must_use]
    pub fn is_in_bounds(self, square: Point) -> bool {
        let lowest = match self {
            Self::Documented => 0,
            Self::Original => 1,
        };
        let playable = lowest..ARENA_SQUARES;
        playable.contains(&square.x) && playable.contains(&square.y)
    }

    /// Returns whether a view shows landmines, in the grid and in the list.
    ///
    /// README: `L` on the grid and `L x= y=` lines. Program:
    /// neither is ever printed.
    ///
    /// Source: [View](crate::docs::battlebots#view); rows 3 and 4.
    pub(super) fn shows_mines(self) -> bool {
        self == Self::Documented
    }

    /// Returns the hit points a missile takes from the bot it meets.
    ///
    /// README, "Weapons", `M <dir>`: 2. Program: 3.
    ///
    /// Source: [Missiles](crate::docs::battlebots#missiles); row 5.
    #[must_use]
    pub fn missile_damage(self) -> i32 {
        match self {
            Self::Documented => 2,
            Self::Original => 3,
        }
    }

    /// Returns whether a missile that met the wall explodes again in each step it
    /// has left in the round.
    ///
    /// README, "Weapons", `M <dir>`: it is destroyed at the edge of the arena. Program: the loop
    /// continues, so a missile whose first step leaves the arena explodes twice.
    ///
    /// Source: [Missiles](crate::docs::battlebots#missiles); row 6.
    pub(super) fn wall_explosion_repeats(self) -> bool {
        self == Self::Original
    }

    /// Returns whether only the first of two EMPs of one round is paid for.
    ///
    /// README, "Weapons", `P`: the bot that uses it loses 1 hp. Program: the second bot is
    /// looked at only when the first did not use one.
    ///
    /// Source: [EMP](crate::docs::battlebots#emp); row 7.
    pub(super) fn second_emp_is_free(self) -> bool {
        self == Self::Original
    }

    /// Returns whether a mine set off by another mine stays until the next mine
    /// check that is carried out.
    ///
    /// README, "Weapons", `L <dir>`: it is triggered and destroyed. Program: it is only marked;
    /// until then it can be set off again, and it hurts a bot that stands on it.
    ///
    /// Source: [Deploying weapons](crate::docs::battlebots#deploying-weapons); row 8.
    pub(super) fn spent_mines_linger(self) -> bool {
        self == Self::Original
    }

    /// Returns whether a mine dropped on the opponent's square waits for the next
    /// mine check.
    ///
    /// README: a mine never shares a square with a bot, for it
    /// would have gone off, so there it goes off at once. Program: it lies under
    /// the bot, which may walk away unhurt first.
    ///
    /// Source: [Deploying weapons](crate::docs::battlebots#deploying-weapons); row 9.
    pub(super) fn mine_under_bot_waits(self) -> bool {
        self == Self::Original
    }

    /// Returns whether any white space, line breaks included, separates a weapon
    /// from its direction.
    ///
    /// README, "Weapons": one space. Program: the text is cut at runs of white
    /// space.
    ///
    /// Source: [Bot process and output](crate::docs::battlebots#bot-process-and-output); row 10.
    pub(super) fn any_blanks_separate_words(self) -> bool {
        self == Self::Original
    }
}
