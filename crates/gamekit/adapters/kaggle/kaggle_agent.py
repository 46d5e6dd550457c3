"""Lets an agent of Kaggle play as it is: copy this file beside it, and write a `bot.yaml`

    name: my-agent
    language: python
    entry: kaggle_agent.py
    args: [main.py]

The last function that the agent's file defines is the agent.
"""

import inspect
import json
import os
import sys


class Struct(dict):
    """A dictionary whose keys are attributes as well."""

    __getattr__ = dict.get

    def __setattr__(self, key, value):
        self[key] = value


path = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.dirname(path))
out, sys.stdout = sys.stdout, sys.stderr
names = {"__name__": "agent", "__file__": path}
exec(compile(open(path).read(), path, "exec"), names)
agent = [value for value in names.values() if callable(value)][-1]
count = len(inspect.signature(agent).parameters)
for line in sys.stdin:
    given = json.loads(line, object_hook=Struct)
    action = agent(*[given.observation, given.configuration][:count])
    # Arrays and their numbers become lists and plain numbers.
    print(json.dumps(action, default=lambda value: value.tolist()), file=out, flush=True)
