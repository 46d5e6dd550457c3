"""Breaks wooden and ore blocks, takes what lies on its way and steps aside in time."""

from .board import Board
from .timers import Timers


class Agent:
    def __init__(self):
        self.timers = Timers()

    def next_move(self, game_state, player_state):
        self.timers.see(game_state)
        board = Board(game_state)
        here = player_state.location
        burning = board.arms(game_state.bombs)
        if here in burning:
            return board.step_to(here, lambda square: square not in burning)
        avoided = self.soon_burning(board, game_state)
        if player_state.ammo and not game_state.bombs and board.breaks_a_block(here):
            retreat = burning | board.arms([here])
            if board.step_to(here, lambda square: square not in retreat):
                return "p"
        things = set(game_state.treasure) | set(game_state.ammo)
        move = board.step_to(here, things.__contains__, avoided)
        if move is None and player_state.ammo:
            move = board.step_to(here, board.breaks_a_block, avoided)
        return move

    def soon_burning(self, board, game_state):
        """Bombs that are far from exploding may be walked past."""
        soon = [bomb for bomb in game_state.bombs if self.timers.left(bomb) < 12]
        return board.arms(soon or game_state.bombs)
