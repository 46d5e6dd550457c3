"""Lets an agent of Kaggle play as it is: copy this file beside it, and write a `bot.yaml`

    name: my-agent
    language: python
    entry: kaggle_agent.py
    args: [main.py]

The last function that the agent's file defines is the agent. Paths below `/kaggle_simulations/agent` lead to its folder,
wherever Python opens them.
"""

import builtins
import inspect
import io
import json
import os
import sys

THERE = "/kaggle_simulations/agent"


class Struct(dict):
    """A dictionary whose keys are attributes as well."""

    __getattr__ = dict.get

    def __setattr__(self, key, value):
        self[key] = value


def here(place):
    """The place that one on Kaggle stands for; any other as it is."""
    text = os.fspath(place) if isinstance(place, os.PathLike) else place
    is_there = isinstance(text, str) and (text == THERE or text.startswith(THERE + "/"))
    return folder + text[len(THERE):] if is_there else place


def leading_here(function):
    return lambda place=".", *more, **named: function(here(place), *more, **named)


path = os.path.abspath(sys.argv[1])
folder = os.path.dirname(path)
sys.path.insert(0, folder)
builtins.open = io.open = leading_here(io.open)
for name in ("access", "chdir", "fsencode", "listdir", "lstat", "open", "scandir", "stat"):
    setattr(os, name, leading_here(getattr(os, name)))
out, sys.stdout = sys.stdout, sys.stderr
names = {"__name__": "agent", "__file__": path}
exec(compile(open(path).read(), path, "exec"), names)
agent = [value for value in names.values() if callable(value)][-1]
count = len(inspect.signature(agent).parameters)
for line in sys.stdin:
    given = json.loads(line, object_hook=Struct)
    given.configuration["__raw_path__"] = path
    action = agent(*[given.observation, given.configuration][:count])
    # Arrays and their numbers become lists and plain numbers.
    print(json.dumps(action, default=lambda value: value.tolist()), file=out, flush=True)
