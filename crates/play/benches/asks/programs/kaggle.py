"""Plays connectx of kaggle-environments; prints actions and seconds of the processor."""

import time

from kaggle_environments import make


def first_free(observation, configuration):
    return next(x for x in range(configuration.columns) if observation.board[x] == 0)


began, actions = time.process_time(), 0
for _ in range(20):
    game = make("connectx")
    actions += len(game.run([first_free, first_free])) - 1
print(actions, time.process_time() - began)
