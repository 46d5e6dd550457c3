"""Ways and blasts on the board of one state."""

from collections import deque

DIRECTIONS = (("u", 0, 1), ("d", 0, -1), ("l", -1, 0), ("r", 1, 0))
POWER = 2


class Board:
    def __init__(self, game_state):
        self.game_state = game_state
        self.blocks = set(game_state.all_blocks)
        self.targets = set(game_state.soft_blocks) | set(game_state.ore_blocks)

    def arms(self, bombs):
        """Returns the squares that bombs on these squares burn."""
        burning = set()
        for bomb in bombs:
            burning.update(self.blast(bomb))
        return burning

    def blast(self, bomb):
        x, y = bomb
        yield bomb
        for _, dx, dy in DIRECTIONS:
            for distance in range(1, POWER + 1):
                square = (x + dx * distance, y + dy * distance)
                yield square
                if square in self.blocks:
                    break

    def breaks_a_block(self, square):
        """Says whether a bomb there would hit a block that can break."""
        return any(hit in self.targets for hit in self.blast(square))

    def step_to(self, start, is_goal, avoided=()):
        """Returns the first move of a shortest way to a goal, None if there is none."""
        seen = {start}
        queue = deque([(start, None)])
        while queue:
            (x, y), first = queue.popleft()
            if first is not None and is_goal((x, y)):
                return first
            for move, dx, dy in DIRECTIONS:
                square = (x + dx, y + dy)
                if square not in seen and square not in avoided and self.is_free(square):
                    seen.add(square)
                    queue.append((square, first or move))
        return None

    def is_free(self, square):
        state = self.game_state
        return state.is_in_bounds(square) and state.entity_at(square) in (None, "a", "t")
