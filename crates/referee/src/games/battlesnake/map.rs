//! Maps: their names, and the figures of those that have fixed squares.

use std::sync::LazyLock;

use super::Square;

/// A map: it places snakes, food and hazards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Map {
    /// Food alone.
    Standard,
    /// Nothing.
    Empty,
    /// Hazards close in from the sides.
    Royale,
    /// A maze of hazards on 19x21.
    ArcadeMaze,
    /// Pools that heal if the damage is negative, on 7x7, 11x11 or 19x19.
    HealingPools,
    /// A castle of hazards on 11x11.
    CastleWall,
    /// A castle of hazards on 19x19.
    CastleWallLarge,
    /// A castle of hazards on 25x25.
    CastleWallExtraLarge,
    /// Columns of hazards.
    Columns,
    /// A square of hazards that grows from a point.
    ExpandBox,
    /// Hazards in growing rings, in random order.
    ExpandScatter,
    /// A box of hazards that grows by a random side.
    GrowBox,
    /// Pits that deepen and vanish, on 11x11.
    HazardPits,
    /// A wall of hazards one square from the edge.
    InnerWall,
    /// Islands with bridges between them on 11x11.
    IslandsBridges,
    /// Islands with bridges between them on 19x19.
    IslandsBridgesLarge,
    /// Rings of hazards.
    Rings,
    /// Rivers with bridges on 11x11.
    RiversBridges,
    /// Rivers with bridges on 19x19.
    RiversBridgesLarge,
    /// Rivers with bridges on 25x25.
    RiversBridgesExtraLarge,
    /// Hazards in random order.
    Scatter,
    /// A spiral of hazards.
    Spiral,
    /// Hazards sink in the middle, layer upon layer.
    Sinkholes,
    /// Tails leave hazards behind.
    SnailMode,
}

/// Name and map, in the order in which people are shown them.
pub(super) const MAPS: [(&str, Map); 24] = [
    ("standard", Map::Standard),
    ("empty", Map::Empty),
    ("royale", Map::Royale),
    ("arcade_maze", Map::ArcadeMaze),
    ("healing_pools", Map::HealingPools),
    ("hz_castle_wall", Map::CastleWall),
    ("hz_castle_wall_lg", Map::CastleWallLarge),
    ("hz_castle_wall_xl", Map::CastleWallExtraLarge),
    ("hz_columns", Map::Columns),
    ("hz_expand_box", Map::ExpandBox),
    ("hz_expand_scatter", Map::ExpandScatter),
    ("hz_grow_box", Map::GrowBox),
    ("hz_hazard_pits", Map::HazardPits),
    ("hz_inner_wall", Map::InnerWall),
    ("hz_islands_bridges", Map::IslandsBridges),
    ("hz_islands_bridges_lg", Map::IslandsBridgesLarge),
    ("hz_rings", Map::Rings),
    ("hz_rivers_bridges", Map::RiversBridges),
    ("hz_rivers_bridges_lg", Map::RiversBridgesLarge),
    ("hz_rivers_bridges_xl", Map::RiversBridgesExtraLarge),
    ("hz_scatter", Map::Scatter),
    ("hz_spiral", Map::Spiral),
    ("sinkholes", Map::Sinkholes),
    ("snail_mode", Map::SnailMode),
];

impl Map {
    /// Returns the map with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        MAPS.iter().find(|(known, _)| *known == name).map(|(_, map)| *map)
    }

    /// Returns its name in the original.
    #[must_use]
    pub fn name(self) -> &'static str {
        MAPS.iter().find(|(_, map)| *map == self).map_or("", |(name, _)| *name)
    }

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
