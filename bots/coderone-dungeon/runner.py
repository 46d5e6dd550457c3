"""Never fights: stays out of every arm and as far from the others as it can get."""

MOVES = {"u": (0, 1), "d": (0, -1), "l": (-1, 0), "r": (1, 0), None: (0, 0)}


class Agent:
    def next_move(self, game_state, player_state):
        self.state = game_state
        self.others = game_state.opponents(player_state.id)
        here = player_state.location
        choices = []
        for move, (dx, dy) in MOVES.items():
            square = (here[0] + dx, here[1] + dy)
            if move is None or self.can_enter(square):
                choices.append((self.worth(square), move or "", move))
        return max(choices)[2]

    def can_enter(self, square):
        state = self.state
        return state.is_in_bounds(square) and state.entity_at(square) in (None, "a", "t")

    def worth(self, square):
        """Safety first, then treasure, distance, and ways out."""
        x, y = square
        ways_out = sum(self.can_enter((x + dx, y + dy)) for dx, dy in MOVES.values())
        distances = [abs(x - ox) + abs(y - oy) for ox, oy in self.others]
        is_reward = square in self.state.treasure
        return (-self.danger(square), is_reward, min(distances, default=0), ways_out)

    def danger(self, square):
        """Returns how near the centre of a blast it is: 3 on a bomb, 0 for safe."""
        x, y = square
        danger = 0
        for bx, by in self.state.bombs:
            if x == bx and abs(y - by) <= 2 or y == by and abs(x - bx) <= 2:
                danger = max(danger, 3 - abs(x - bx) - abs(y - by))
        return danger
