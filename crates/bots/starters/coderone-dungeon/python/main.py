"""A starter agent for Coder One's dungeon: it digs for points and steps aside.

Joust makes one `Agent` per bout and calls `next_move` with every state, ten times a second
at most. Answer "u", "d", "l" or "r" to walk ("u" is y + 1), "p" to lay a bomb, None to wait.
A bomb burns two squares far in four directions, 35 ticks after it was laid.

`game_state` has size, bombs, ammo, treasure, soft_blocks, ore_blocks, all_blocks, opponents(me),
entity_at(square) and is_in_bounds(square); `player_state` has id, location, ammo, hp and reward.
`joust rules coderone-dungeon` has the whole story.
"""

from collections import deque

STEPS = {"u": (0, 1), "d": (0, -1), "l": (-1, 0), "r": (1, 0)}
BLAST = 2


class Agent:
    def __init__(self):
        self.bombs = []  # of the state before

    def next_move(self, game_state, player_state):
        here = player_state.location
        # A bomb that has just gone burns in this tick, after everybody has walked; fire is not shown.
        burning = blasts(game_state, self.bombs + game_state.bombs)
        self.bombs = game_state.bombs
        if here in burning:
            return self.walk(game_state, here, lambda square: square not in burning)
        prizes = set(game_state.treasure) | set(game_state.ammo)
        move = self.walk(game_state, here, prizes.__contains__, burning)
        if move is None and player_state.ammo and not game_state.bombs:
            targets = set(game_state.soft_blocks) | set(game_state.ore_blocks)
            targets |= set(game_state.opponents(player_state.id))
            move = self.dig(game_state, here, targets, burning)
        return move

    def dig(self, game_state, here, targets, burning):
        """Lays a bomb beside a target if there is a way out, else walks to one."""
        def is_beside(square):
            return any(step in targets for step in neighbours(square))

        if is_beside(here):
            mine = blasts(game_state, [here])
            way_out = self.walk(game_state, here, lambda square: square not in mine, burning)
            return "p" if way_out else None
        return self.walk(game_state, here, is_beside, burning)

    def walk(self, game_state, start, is_goal, avoided=()):
        """Returns the first step of a shortest way to a goal, None if there is none."""
        ways = deque([(start, None)])
        seen = {start}
        while ways:
            square, first = ways.popleft()
            if first is not None and is_goal(square):
                return first
            for step, (dx, dy) in STEPS.items():
                after = (square[0] + dx, square[1] + dy)
                if after not in seen and after not in avoided and is_free(game_state, after):
                    seen.add(after)
                    ways.append((after, first or step))
        return None


def is_free(game_state, square):
    return game_state.is_in_bounds(square) and game_state.entity_at(square) in (None, "a", "t")


def neighbours(square):
    return [(square[0] + dx, square[1] + dy) for dx, dy in STEPS.values()]


def blasts(game_state, bombs):
    """Returns every square that `bombs` burn."""
    blocks = set(game_state.all_blocks)
    burning = set(bombs)
    for x, y in bombs:
        for dx, dy in STEPS.values():
            for distance in range(1, BLAST + 1):
                square = (x + dx * distance, y + dy * distance)
                burning.add(square)
                if square in blocks:
                    break
    return burning
