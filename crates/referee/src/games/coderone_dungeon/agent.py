"""What agents may import of the original: `coderone.dungeon.agent`.

The host makes a `GameState` and a `PlayerState` of every state it is sent. Both
are ordinary objects: agents may copy them, make some of their own, write on them
and read what begins with an underscore. The names of types that are imported here
are for agents that import everything.
"""

from abc import ABC, ABCMeta, abstractmethod
from enum import Enum
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set
from typing import Tuple, Union

Point = Tuple[int, int]
PID = int


class EntityTags(Enum):
    """The tags in a state. States hold the values, not the members."""

    Ammo = "a"
    Treasure = "t"
    Bomb = "b"
    SoftBlock = "sb"
    OreBlock = "ob"
    IndestructibleBlock = "ib"


class PlayerState:
    """What an agent knows of its own player."""

    def __init__(self, id, ammo, hp, location, reward, power):
        self.id = id
        self.ammo = ammo
        self.hp = hp
        self.location = location
        self.reward = reward
        self.power = power


class GameState:
    """What every agent knows of the game."""

    def __init__(
        self, is_over, tick_number, size, game_map, ammo, treasure, bombs, blocks, players
    ):
        self.is_over = is_over
        self.tick_number = tick_number
        self._size = size
        self._game_map = game_map
        self._treasure = treasure
        self._ammo = ammo
        self._bombs = bombs
        self._blocks = blocks
        self._players = players

    @property
    def size(self):
        """Columns and rows."""
        return self._size

    @property
    def bombs(self):
        """Where bombs lie, oldest first."""
        return self._bombs

    @property
    def ammo(self):
        """Where ammo lies, oldest first."""
        return self._ammo

    @property
    def treasure(self):
        """Where treasures lie, oldest first."""
        return self._treasure

    @property
    def all_blocks(self):
        """Where blocks stand: metal first."""
        return [location for _, location in self._blocks]

    @property
    def indestructible_blocks(self):
        """Where metal blocks stand."""
        return self._blocks_of(EntityTags.IndestructibleBlock)

    @property
    def soft_blocks(self):
        """Where wooden blocks stand."""
        return self._blocks_of(EntityTags.SoftBlock)

    @property
    def ore_blocks(self):
        """Where ore blocks stand."""
        return self._blocks_of(EntityTags.OreBlock)

    def is_in_bounds(self, location):
        """Says whether a location is on the board."""
        return 0 <= location[0] < self._size[0] and 0 <= location[1] < self._size[1]

    def entity_at(self, location):
        """Returns the tag at a location, a player's number, or None."""
        if not self.is_in_bounds(location):
            return None
        column = self._game_map.get(location[0])
        return None if column is None else column.get(location[1])

    def is_occupied(self, location):
        """Says whether anything is at a location."""
        return self.entity_at(location) is not None

    def opponents(self, excluding_player_pid=None):
        """Returns where all players but one are, dead ones included."""
        return [at for pid, at in self._players if pid != excluding_player_pid]

    def _has_occupancy(self, location):
        return self.entity_at(location) is not None

    def _blocks_of(self, tag):
        value = tag.value
        return [location for found, location in self._blocks if found == value]


class Agent:
    """An agent that does nothing."""

    def next_move(self, game_state, player_state):
        """Returns the next action."""
        return None

    def on_game_over(self, game_state, player_state):
        """Is never called."""
