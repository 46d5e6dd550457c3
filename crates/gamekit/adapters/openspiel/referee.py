"""Referee of every OpenSpiel game for two and more seats.

The id that Joust wants is `openspiel-` and OpenSpiel's own name with `-` for `_`. A game is
loaded with the event's options as its parameters. Luck is drawn from the bout's seed, and
is a move like any other. What bots are told is in `rules.md`.
"""

import random

import joust
import pyspiel

PREFIX = "openspiel-"
# The runner's own: everything else among the options is a parameter of the game.
MOST_MOVES = "most_moves"
# What games whose luck is hidden in them are seeded by.
SEED = "rng_seed"

wanted = None
loaded = {}


def know(game):
    """Takes the id that is wanted, which is what this referee is."""
    global wanted
    wanted = game[len(PREFIX):].replace("-", "_")
    return game


def load(bout):
    """The game with its parameters; it holds nothing of a bout unless it is seeded."""
    known = pyspiel.load_game(wanted).get_type().parameter_specification
    parameters = {key: value for key, value in bout.options.items() if key != MOST_MOVES}
    if "players" in known:
        parameters["players"] = bout.seats
    if SEED in known:
        return pyspiel.load_game(wanted, dict(parameters, **{SEED: bout.seed % (1 << 31)}))
    key = repr(sorted(parameters.items()))
    if key not in loaded:
        loaded[key] = pyspiel.load_game(wanted, parameters)
    return loaded[key]


def play(bout):
    game = load(bout)
    if game.num_players() != bout.seats:
        raise ValueError(f"{game} is for {game.num_players()} seats, not {bout.seats}")
    everyone = list(range(bout.seats))
    luck = random.Random(bout.seed)
    is_open = game.get_type().information == pyspiel.GameType.Information.PERFECT_INFORMATION
    state = game.new_initial_state()
    bout.tell(everyone, f"game {game}")
    moves = 0
    while not state.is_terminal() and moves < bout.options[MOST_MOVES]:
        moves += 1
        if state.is_chance_node():
            said = [draw(state, luck)]
            state.apply_action(said[0])
        else:
            seats = everyone if state.is_simultaneous_node() else [state.current_player()]
            legal = {seat: state.legal_actions(seat) for seat in seats}
            views = {seat: view(state, seat, legal[seat]) for seat in seats if legal[seat]}
            answers = (yield bout.ask(views, state=str(state))) if views else {}
            # A seat that has nothing to do in a joint move is given 0, as OpenSpiel does it.
            said = [choice(bout, state, answers[seat], legal[seat]) if seat in answers else 0 for seat in seats]
            state.apply_actions(said) if state.is_simultaneous_node() else state.apply_action(said[0])
        if is_open:
            bout.tell(everyone, "played " + " ".join(map(str, said)))
    return bout.end(state.returns(), "over" if state.is_terminal() else "most moves", state=str(state))


def draw(state, luck):
    """An outcome of chance, by its probability."""
    rest = luck.random()
    outcomes = state.chance_outcomes()
    for action, probability in outcomes:
        rest -= probability
        if rest < 0:
            return action
    return outcomes[-1][0]


def view(state, seat, legal):
    """What a seat is shown: `move SEAT ACTIONS LINES`, then the actions, then its view."""
    kind = state.get_game().get_type()
    if kind.provides_observation_string:
        seen = state.observation_string(seat)
    elif kind.provides_information_state_string:
        seen = state.information_state_string(seat)
    else:
        seen = str(state)
    seen = seen.splitlines()
    actions = [f"{action} {state.action_to_string(seat, action)}" for action in legal]
    actions = [" ".join(action.split()) for action in actions]
    return "\n".join([f"move {seat} {len(actions)} {len(seen)}", *actions, *seen])


def choice(bout, state, answer, legal):
    """The action that was answered, as a number or in words; else the first that is legal."""
    if answer.ok:
        text = " ".join(answer.text.split())
        for action in legal:
            if text in (str(action), " ".join(state.action_to_string(answer.seat, action).split())):
                return action
    bout.fault(answer.seat, f"plays {state.action_to_string(answer.seat, legal[0])}")
    return legal[0]


joust.serve(know, "1", play)
