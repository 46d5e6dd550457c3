#!/usr/bin/env python3
"""Writes `games/*.yaml`, one for each OpenSpiel game for two and more seats that plays to its
end, and `tournament.yaml`'s list of them. Needs the library: `pip install -r libraries.txt`.

    python3 generate.py ../../../../bots/openspiel.yaml
"""

import pathlib
import random
import re
import signal
import subprocess
import sys

import pyspiel

HERE = pathlib.Path(__file__).parent
# This folder, from the tournament's.
FROM_BOTS = "../crates/gamekit/adapters/openspiel"
# Which bots are not asked for: the seats decide, the seed does, or it only changes how a game looks.
NOT_OPTIONS = {"players", "rng_seed", "seed", "ansi_color_output", "egocentric", "egocentric_obs_tensor", "plain_obs_tensor"}


def plays_to_its_end(kind):
    """Whether it loads as it is, and a random bout of it ends."""
    signal.alarm(20)
    try:
        game = pyspiel.load_game(kind.short_name)
        luck, state = random.Random(1), game.new_initial_state()
        while not state.is_terminal():
            if state.is_mean_field_node():
                return False
            if state.is_simultaneous_node():
                legal = map(state.legal_actions, range(game.num_players()))
                state.apply_actions([luck.choice(actions) if actions else 0 for actions in legal])
            else:
                state.apply_action(luck.choice(state.legal_actions()))
        return seats(kind) is not None
    except (pyspiel.SpielError, IndexError):
        return False
    finally:
        signal.alarm(0)


def seats(kind):
    """The fewest and the most seats with which it loads; none where it is for one alone."""
    if "players" not in kind.parameter_specification:
        alone = pyspiel.load_game(kind.short_name).num_players()
        return (alone, alone) if alone > 1 else None

    def loads(players):
        try:
            return pyspiel.load_game(kind.short_name, {"players": players}).num_players() == players
        except pyspiel.SpielError:
            return False

    able = [players for players in range(2, kind.max_num_players + 1) if loads(players)]
    # Without gaps, so that every number between them can be played.
    whole = [players for players in able if all(other in able for other in range(able[0], players))]
    return (whole[0], whole[-1]) if whole else None


def options(kind):
    """What an organiser can change, with its default."""
    known = sorted(kind.parameter_specification.items())
    known = {key: value for key, value in known if isinstance(value, int) and key not in NOT_OPTIONS}
    if loads_with(kind, known):
        return known
    # Its zeros are not its defaults: they stand for options that nobody has said.
    return {key: value for key, value in known.items() if isinstance(value, bool) or value != 0}


def loads_with(kind, parameters):
    """Whether it loads with these; one that ends the program instead of refusing them does not."""
    load = f"import pyspiel; pyspiel.load_game({kind.short_name!r}, {parameters!r})"
    return subprocess.run([sys.executable, "-c", load], capture_output=True).returncode == 0


def option(value):
    if isinstance(value, bool):
        return f"{{ type: boolean, default: {str(value).lower()} }}"
    return f"{{ type: integer, default: {value} }}"


def text(kind):
    fewest, most = seats(kind)
    plain = {key: value for key, value in options(kind).items() if re.fullmatch("[A-Za-z][A-Za-z0-9_]*", key)}
    title = re.sub(r"[^\x20-\x7e]|[\"\\]", "", kind.long_name)
    lines = [
        "# Written by generate.py.",
        f"title: \"{title} (OpenSpiel)\"",
        "version: \"1\"",
        "entry: referee.py",
        "files: [referee.py, joust.py, libraries.txt]",
        "provides: libraries.txt",
        "rules: rules.md",
        f"seats: {{ min: {fewest}, max: {most} }}",
        "times: { first: 10s, move: 2s }",
        "can: [bouts, rejudge]",
        "options:",
        "  most_moves: { type: integer, minimum: 1, maximum: 100000, default: 500, description: \"moves, those of chance among them, after which a bout ends as it stands\" }",
        *(f"  {key}: {option(value)}" for key, value in plain.items()),
    ]
    return "\n".join(lines) + "\n"


def main():
    kinds = sorted((kind for kind in pyspiel.registered_games() if plays_to_its_end(kind)), key=lambda kind: kind.short_name)
    folder = HERE / "games"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.yaml"):
        old.unlink()
    ids = {}
    for kind in kinds:
        ids["openspiel-" + kind.short_name.replace("_", "-")] = seats(kind)[0]
        (folder / f"{list(ids)[-1]}.yaml").write_text(text(kind))
    for path in sys.argv[1:]:
        write_tournament(pathlib.Path(path), ids)
    print(len(ids), "games", file=sys.stderr)


def event(id, fewest):
    crowd = f", players_per_match: {fewest}" if fewest > 2 else ", bouts: 2"
    return f"  - {{ game: {id}, bots: ['{FROM_BOTS}/bots/*'], provides: {FROM_BOTS}/libraries.txt{crowd} }}\n"


def write_tournament(path, ids):
    """Puts the games and events behind what stands before `games:`."""
    head = path.read_text().split("\ngames:\n")[0]
    games = "".join(f"  {id}: {{ referee: {FROM_BOTS} }}\n" for id in ids)
    events = "".join(event(id, fewest) for id, fewest in ids.items())
    path.write_text(f"{head}\ngames:\n{games}events:\n{events}")


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(IndexError("too slow")))
    main()
