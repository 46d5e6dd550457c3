"""When bombs explode: states do not show it, so remember when each was first seen."""

FUSE_TICKS = 35


class Timers:
    def __init__(self):
        self.first_seen = {}
        self.tick = 0

    def see(self, game_state):
        self.tick = game_state.tick_number
        bombs = set(game_state.bombs)
        self.first_seen = {at: tick for at, tick in self.first_seen.items() if at in bombs}
        for bomb in bombs:
            self.first_seen.setdefault(bomb, self.tick)

    def left(self, bomb):
        """Returns in how many ticks it explodes, at the latest."""
        return FUSE_TICKS - (self.tick - self.first_seen.get(bomb, self.tick))
