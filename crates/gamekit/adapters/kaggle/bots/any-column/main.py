"""An agent of connectx as Kaggle's are: any column with room."""

import random

luck = random.Random(1)


def agent(obs, config):
    return luck.choice([column for column in range(config.columns) if obs["board"][column] == 0])
