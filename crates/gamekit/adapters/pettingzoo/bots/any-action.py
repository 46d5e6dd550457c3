"""Any legal action, drawn from the bot's seed."""

import json
import os
import random
import sys

luck = random.Random(int(os.environ["JOUST_SEED"]))
for line in sys.stdin:
    given = json.loads(line)
    observation = given["observation"]
    mask = observation.get("action_mask") if isinstance(observation, dict) else None
    print(luck.choice([one for one in range(given["actions"]) if not mask or mask[one]]), flush=True)
