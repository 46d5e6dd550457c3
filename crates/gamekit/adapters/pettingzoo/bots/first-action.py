"""The first legal action."""

import json
import sys

for line in sys.stdin:
    observation = json.loads(line)["observation"]
    mask = observation.get("action_mask", [1]) if isinstance(observation, dict) else [1]
    print(mask.index(1), flush=True)
