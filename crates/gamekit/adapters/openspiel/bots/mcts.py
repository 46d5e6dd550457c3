"""Tree search over any game of OpenSpiel (UCT with decoupled choices where seats move at once).

In games of perfect information it follows what is played. In others it makes up positions in
which it would have seen what it has seen, and searches in those; where it finds none in time,
it plays any legal action.
"""

import math
import os
import random
import time

import pyspiel

SECONDS = 0.01
DEEPEST = 60
luck = random.Random(os.environ.get("JOUST_SEED"))


def seen(state, seat):
    kind = state.get_game().get_type()
    if kind.provides_observation_string:
        return state.observation_string(seat)
    return state.information_state_string(seat)


def draw(state):
    actions, weights = zip(*state.chance_outcomes())
    return luck.choices(actions, weights)[0]


def legal_of(state):
    """The legal actions of each seat that moves now."""
    if state.is_simultaneous_node():
        return {seat: state.legal_actions(seat) or [0] for seat in range(state.num_players())}
    return {state.current_player(): state.legal_actions()}


def apply(state, chosen):
    if state.is_simultaneous_node():
        state.apply_actions([chosen[seat] for seat in range(state.num_players())])
    else:
        state.apply_action(next(iter(chosen.values())))


def bound(entry, visits):
    count, value = entry
    return math.inf if count == 0 else value / count + math.sqrt(2 * math.log(visits + 1) / count)


def search(positions, seat, legal):
    """The action that was tried most, over the positions that may be."""
    tree, until, spread = {}, time.process_time() + SECONDS, 1e-9
    while time.process_time() < until:
        state, path, key, is_new = luck.choice(positions).clone(), [], (), False
        for _ in range(DEEPEST):
            if state.is_terminal():
                break
            if state.is_chance_node():
                action = draw(state)
                state.apply_action(action)
                key += (action,)
                continue
            chosen = {}
            for mover, actions in legal_of(state).items():
                if is_new:
                    chosen[mover] = luck.choice(actions)
                    continue
                node = tree.setdefault((key, mover), {})
                visits = sum(count for count, _ in node.values())
                chosen[mover] = max(actions, key=lambda action: (bound(node.get(action, (0, 0.0)), visits), luck.random()))
                path.append((node, mover, chosen[mover]))
            is_new = is_new or any(node.get(action, (0, 0))[0] == 0 for node, _, action in path[-len(chosen):])
            apply(state, chosen)
            key += tuple(chosen.values())
        returns = state.returns()
        spread = max([spread, *map(abs, returns)])
        for node, mover, action in path:
            count, value = node.get(action, (0, 0.0))
            node[action] = count + 1, value + returns[mover] / spread
    root = tree.get(((), seat), {})
    return max(legal, key=lambda action: root.get(action, (0, 0.0))[0])


def made_up(game, seat, history):
    """Positions in which the seat would have seen what it has seen, and done what it did."""
    found, until = [], time.process_time() + SECONDS
    while time.process_time() < until and len(found) < 8:
        state, at = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(draw(state))
                continue
            legal = legal_of(state)
            chosen = {mover: luck.choice(actions) for mover, actions in legal.items()}
            if seat in legal and state.legal_actions(seat):
                view, action = history[at]
                if seen(state, seat).splitlines() != view:
                    break
                if action is None:
                    found.append(state)
                    break
                chosen[seat], at = action, at + 1
            apply(state, chosen)
    return found


def main():
    game, state, history = None, None, []
    while True:
        try:
            words = input().split()
        except EOFError:
            return
        if words[:1] == ["game"]:
            game = pyspiel.load_game(" ".join(words[1:]))
            is_open = game.get_type().information == pyspiel.GameType.Information.PERFECT_INFORMATION
            state = game.new_initial_state()
        elif words[:1] == ["played"]:
            said = list(map(int, words[1:]))
            state.apply_actions(said) if state.is_simultaneous_node() else state.apply_action(said[0])
        elif words[:1] == ["move"]:
            seat = int(words[1])
            legal = [int(input().split()[0]) for _ in range(int(words[2]))]
            view = [input() for _ in range(int(words[3]))]
            positions = [state] if is_open else made_up(game, seat, [*history, (view, None)])
            action = search(positions, seat, legal) if positions and len(legal) > 1 else luck.choice(legal)
            history.append((view, action))
            print(action, flush=True)


main()
