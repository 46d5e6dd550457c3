"""Referee of a race, whose engine starts its bots itself."""

import json
import sys

import bridge


def command(bout, bots):
    return [sys.executable, "engine.py", "--no-timeout", "--seed", str(bout.seed), *bots]


def is_question(seat, text, asked):
    return text.endswith("go\n")


def scores(bout, printed):
    return json.loads(printed.splitlines()[-1])["positions"]


def position(views):
    return json.dumps(views)


bridge.serve("bridge-race", "1", command, is_question, scores, position=position)
