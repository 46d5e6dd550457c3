"""Referee of games of kaggle-environments, one bout for each process: what they leave in global state ends with it.

The game `kaggle-NAME` is the environment NAME with `_` for `-`. What bots read and say is in `rules.md`.
"""

import json
import random

import joust

PREFIX = "kaggle-"
# Joust keeps the bank, and fills in how many thousandths of a second are left of it.
BANK = "{bank_ms}"
wanted = None


def know(game):
    global wanted
    wanted = game[len(PREFIX):].replace("-", "_")
    return game


def make(bout):
    """The environment, its luck from the bout's seed alone."""
    random.seed(bout.seed)
    import numpy

    numpy.random.seed(bout.seed % (1 << 32))
    from kaggle_environments import make

    known = make(wanted).specification.configuration
    seeds = {key: bout.seed % (1 << 31) for key in ("randomSeed", "seed") if key in known}
    random.seed(bout.seed)
    numpy.random.seed(bout.seed % (1 << 32))
    env = make(wanted, configuration=dict(bout.options, **seeds))
    env.reset(bout.seats)
    return env


def play(bout):
    env = make(bout)
    from kaggle_environments.errors import DeadlineExceeded

    # The observation with what all seats share, as the environments' own runner gives it.
    shared = env._Environment__get_shared_state
    while not env.done:
        asked = [seat for seat, state in enumerate(env.state) if state.status == "ACTIVE"]
        views = {seat: view(shared(seat).observation, env.configuration) for seat in asked}
        state = json.dumps([one.observation for one in env.state], sort_keys=True)
        answers = (yield bout.ask(views, state=state)) if asked else {}
        actions = [None] * bout.seats
        for seat, answer in answers.items():
            actions[seat] = action(bout, answer, DeadlineExceeded)
        env.step(actions)
        for seat in answers:
            if env.state[seat].status == "INVALID" and answers[seat].ok:
                bout.fault(seat, "is out")
    scores = [None if state.reward is None else float(state.reward) for state in env.state]
    statuses = [state.status for state in env.state]
    # Who has no reward is behind everybody who has one.
    order = [float("-inf") if score is None else score for score in scores]
    ranks = [1 + sum(other > own for other in order) for own in order]
    return bout.end(scores, "over", ranks=ranks, state=json.dumps([scores, statuses]))


def view(observation, configuration):
    if "remainingOverageTime" in observation:
        observation = dict(observation, remainingOverageTime=BANK)
    said = json.dumps({"observation": observation, "configuration": configuration})
    return said.replace(json.dumps(BANK), BANK + "e-3")


def action(bout, answer, late):
    """What was answered, or what the environments take for no answer."""
    if answer.verdict == "timeout":
        return late()
    try:
        return json.loads(answer.text) if answer.ok else RuntimeError(answer.verdict)
    except ValueError:
        return RuntimeError("no JSON")


joust.serve(know, "1", play, can=("rejudge",))
