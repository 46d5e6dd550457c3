"""Nim with one heap, as Botzone's judges are written: takes 1 to 3 stones in turn; who takes the last one wins."""

import json
import random
import sys


def say(message):
    print(json.dumps(message))
    sys.exit()


given = json.load(sys.stdin)
initdata = given["initdata"] or {}
stones = initdata.get("stones") or random.Random(initdata.get("seed")).randint(10, 20)
seat, taken = 0, 0
for entry in given["log"][1::2]:
    answer = entry[str(seat)]
    number = answer["response"]
    number = int(number) if answer["verdict"] == "OK" and str(number).isdigit() else 0
    if not 1 <= number <= min(3, stones - taken):
        say({"command": "finish", "content": {str(seat): 0, str(1 - seat): 2}, "display": answer["verdict"]})
    taken += number
    if taken == stones:
        say({"command": "finish", "content": {str(seat): 2, str(1 - seat): 0}, "display": "last stone"})
    seat = 1 - seat
say({"command": "request", "content": {str(seat): str(stones - taken)}, "display": stones - taken, "initdata": {"stones": stones}})
