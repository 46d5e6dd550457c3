"""An agent of connectx as Kaggle's are: the first column with room."""


def agent(obs, config):
    return [column for column in range(config.columns) if obs.board[column] == 0][0]
