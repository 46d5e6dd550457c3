"""Ends after every turn, and speaks JSON; what it keeps in `data` comes again."""

import json

given = json.loads(input())
count = given.get("data", 0)
assert len(given["requests"]) == len(given["responses"]) + 1 == count + 1
print(json.dumps({"response": given["requests"][-1]["round"] % 3, "data": count + 1, "debug": "nothing"}))
