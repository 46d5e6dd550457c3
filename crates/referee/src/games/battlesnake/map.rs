//! Maps: their names, and the figures of those that have fixed squares.

use std::sync::LazyLock;

use super::Square;
use crate::named::named;

named! {
    /// A map: it places snakes, food and hazards.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Map {
        /// Food alone.
        Standard = "standard",
        /// Nothing.
        Empty = "empty",
        /// Hazards close in from the sides.
        Royale = "royale",
        /// A maze of hazards on 19x21.
        ArcadeMaze = "arcade_maze",
        /// Pools that heal if the damage is negative, on 7x7, 11x11 or 19x19.
        HealingPools = "healing_pools",
        /// A castle of hazards on 11x11.
        CastleWall = "hz_castle_wall",
        /// A castle of hazards on 19x19.
        CastleWallLarge = "hz_castle_wall_lg",
        /// A castle of hazards on 25x25.
        CastleWallExtraLarge = "hz_castle_wall_xl",
        /// Columns of hazards.
        Columns = "hz_columns",
        /// A square of hazards that grows from a point.
        ExpandBox = "hz_expand_box",
        /// Hazards in growing rings, in random order.
        ExpandScatter = "hz_expand_scatter",
        /// A box of hazards that grows by a random side.
        GrowBox = "hz_grow_box",
        /// Pits that deepen and vanish, on 11x11.
        HazardPits = "hz_hazard_pits",
        /// A wall of hazards one square from the edge.
        InnerWall = "hz_inner_wall",
        /// Islands with bridges between them on 11x11.
        IslandsBridges = "hz_islands_bridges",
        /// Islands with bridges between them on 19x19.
        IslandsBridgesLarge = "hz_islands_bridges_lg",
        /// Rings of hazards.
        Rings = "hz_rings",
        /// Rivers with bridges on 11x11.
        RiversBridges = "hz_rivers_bridges",
        /// Rivers with bridges on 19x19.
        RiversBridgesLarge = "hz_rivers_bridges_lg",
        /// Rivers with bridges on 25x25.
        RiversBridgesExtraLarge = "hz_rivers_bridges_xl",
        /// Hazards in random order.
        Scatter = "hz_scatter",
        /// A spiral of hazards.
        Spiral = "hz_spiral",
        /// Hazards sink in the middle, layer upon layer.
        Sinkholes = "sinkholes",
        /// Tails leave hazards behind.
        SnailMode = "snail_mode",
    }
}

impl Map {
    /// Returns the only sizes of board that it can be played on, as squares `(width, height)`;
    /// none for a map of any size.
    pub(super) fn sizes(self) -> &'static [Square] {
        self.figure("size")
    }

    /// Returns the most snakes that it has places for, if they are fewer than a bout may have.
    pub(super) fn most_snakes(self) -> Option<usize> {
        match self {
            Self::HazardPits | Self::IslandsBridges => Some(4),
            Self::ArcadeMaze => Some(6),
            _ => None,
        }
    }

    /// Returns whether it is crossed by hazards with gaps, and has places by quarters of the board.
    pub(super) fn has_bridges(self) -> bool {
        self.figures("quadrant").next().is_some()
    }

    /// Returns the squares of the only figure called `list`; none if there is no such figure.
    pub(super) fn figure(self, list: &str) -> &'static [Square] {
        self.figures(list).next().unwrap_or_default()
    }

    /// Returns the squares of each figure called `list`.
    pub(super) fn figures(self, list: &str) -> impl Iterator<Item = &'static [Square]> {
        let is_asked = move |figure: &&Figure| figure.map == self && figure.list == list;
        FIGURES.iter().filter(is_asked).map(|figure| &*figure.squares)
    }
}

/// A list of squares that belongs to a map.
struct Figure {
    map: Map,
    list: &'static str,
    squares: Vec<Square>,
}

static FIGURES: LazyLock<Vec<Figure>> = LazyLock::new(|| {
    let lines = include_str!("maps.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| figure(line).expect("the table of figures is well formed")).collect()
});

fn figure(line: &'static str) -> Option<Figure> {
    let mut words = line.split(' ');
    let (map, list) = (Map::from_name(words.next()?)?, words.next()?);
    let square = |word: &str| {
        let (x, y) = word.split_once(',')?;
        Some(Square { x: x.parse().ok()?, y: y.parse().ok()? })
    };
    Some(Figure { map, list, squares: words.map(square).collect::<Option<_>>()? })
}
