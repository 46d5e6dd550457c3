"""Referee of games of PettingZoo's `classic` family, played by its turn-based interface (AEC).

The game `pettingzoo-NAME` is the environment NAME with `_` for `-`, in its newest version. What bots read and say is in `rules.md`.
"""

import importlib
import json
import pkgutil
import re

import joust

PREFIX = "pettingzoo-"
wanted = None


def know(game):
    global wanted
    wanted = game[len(PREFIX):].replace("-", "_")
    return game


def newest(name):
    """The module of an environment in its newest version."""
    from pettingzoo import classic

    versions = [re.fullmatch(name + r"_v(\d+)", one.name) for one in pkgutil.iter_modules(classic.__path__)]
    number = max(int(version[1]) for version in versions if version)
    return importlib.import_module(f"pettingzoo.classic.{name}_v{number}")


def play(bout):
    # Rules alone: what the wrappers of `env` do on a bad action is decided here.
    env = newest(wanted).raw_env(**bout.options)
    env.reset(seed=bout.seed % (1 << 31))
    seats = {agent: seat for seat, agent in enumerate(env.possible_agents)}
    totals = dict.fromkeys(env.possible_agents, 0.0)
    actions = []
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        seat = seats[agent]
        answers = yield bout.ask({seat: view(env, agent, observation)}, state=plain(actions))
        action = legal(answers[seat], env.action_space(agent), observation)
        if action is None:
            bout.fault(seat, "no legal action: the bout is lost")
            totals[agent] = min(totals.values()) - 1
            return end(bout, seats, totals, "no legal action", actions)
        actions.append([seat, action])
        env.step(action)
        for one, reward in env.rewards.items():
            totals[one] += float(reward)
    return end(bout, seats, totals, "over", actions)


def end(bout, seats, totals, reason, actions):
    return bout.end([totals[agent] for agent in seats], reason, state=plain([actions, list(totals.values())]))


def view(env, agent, observation):
    return plain({"agent": agent, "actions": int(env.action_space(agent).n), "observation": observation})


def plain(value):
    return json.dumps(value, default=lambda array: array.tolist())


def legal(answer, space, observation):
    """The action that was answered; `None` for none, or one that is not legal."""
    try:
        action = json.loads(answer.text) if answer.ok else None
    except (ValueError, RecursionError):
        return None
    if type(action) is not int or not 0 <= action < space.n:
        return None
    mask = observation.get("action_mask") if isinstance(observation, dict) else None
    return action if mask is None or mask[action] else None


joust.serve(know, "1", play, can=("rejudge",))
