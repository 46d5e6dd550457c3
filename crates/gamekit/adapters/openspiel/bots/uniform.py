"""Plays any legal action. Needs nothing of OpenSpiel."""

import os
import random

luck = random.Random(os.environ.get("JOUST_SEED"))
while True:
    try:
        words = input().split()
    except EOFError:
        break
    if words[:1] == ["move"]:
        legal = [input().split()[0] for _ in range(int(words[2]))]
        for _ in range(int(words[3])):
            input()
        print(luck.choice(legal), flush=True)
