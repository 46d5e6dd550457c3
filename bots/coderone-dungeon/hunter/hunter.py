"""Follows the nearest opponent, lays a bomb beside it and runs.

Has the constructor of the contest's documentation, which gets the player's
number, from 1, and the old game object, which no longer exists.
"""

from collections import deque

MOVES = (("u", 0, 1), ("d", 0, -1), ("l", -1, 0), ("r", 1, 0))


class Agent:
    def __init__(self, player_num, env):
        self.number = player_num - 1

    def next_move(self, game_state, player_state):
        here = player_state.location
        burning = arms(game_state, game_state.bombs)
        if here in burning:
            return way(game_state, here, lambda square: square not in burning)
        opponents = game_state.opponents(self.number)
        if player_state.ammo and any(is_beside(here, other) for other in opponents):
            with_mine = burning | arms(game_state, [here])
            if way(game_state, here, lambda square: square not in with_mine):
                return "p"
        if not player_state.ammo:
            return way(game_state, here, set(game_state.ammo).__contains__, burning)
        beside = lambda square: any(is_beside(square, other) for other in opponents)
        move = way(game_state, here, beside, burning)
        return move or self.dig(game_state, here, burning)

    def dig(self, game_state, here, burning):
        """Breaks a block when no way leads to an opponent."""
        if game_state.bombs:
            return None
        targets = set(game_state.soft_blocks) | set(game_state.ore_blocks)
        can_dig = lambda square: any(is_beside(square, target) for target in targets)
        if not can_dig(here):
            return way(game_state, here, can_dig, burning)
        with_mine = arms(game_state, [here])
        return "p" if way(game_state, here, lambda square: square not in with_mine) else None


def is_beside(square, other):
    return abs(square[0] - other[0]) + abs(square[1] - other[1]) == 1


def way(game_state, start, is_goal, avoided=()):
    """Returns the first move of a shortest way to a goal, None if there is none."""
    seen = {start}
    queue = deque([(start, None)])
    while queue:
        (x, y), first = queue.popleft()
        if first is not None and is_goal((x, y)):
            return first
        for move, dx, dy in MOVES:
            square = (x + dx, y + dy)
            if square in seen or square in avoided or not game_state.is_in_bounds(square):
                continue
            if game_state.entity_at(square) in (None, "a", "t"):
                seen.add(square)
                queue.append((square, first or move))
    return None


def arms(game_state, bombs):
    """Returns every square that these bombs burn."""
    burning = set(bombs)
    blocks = set(game_state.all_blocks)
    for x, y in bombs:
        for _, dx, dy in MOVES:
            for distance in (1, 2):
                square = (x + dx * distance, y + dy * distance)
                burning.add(square)
                if square in blocks:
                    break
    return burning
