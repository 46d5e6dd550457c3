"""connect_four of OpenSpiel as a referee."""

import joust
import pyspiel

GAME = pyspiel.load_game("connect_four")


def play(bout):
    state = GAME.new_initial_state()
    while not state.is_terminal():
        seat = state.current_player()
        text = str(state).rstrip("\n")
        answer = (yield bout.ask({seat: f"you {seat}\n{text}\nend"}, state=text))[seat]
        state.apply_action(int(answer.text))
    return bout.end(state.returns(), "over", state=str(state))


joust.serve("discs", "1", play)
