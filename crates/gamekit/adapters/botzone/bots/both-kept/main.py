"""Stays for its bout, and speaks JSON."""

import json

request = json.loads(input())["requests"][0]
while True:
    print(json.dumps({"response": (request["last"] or [0, 0])[0]}))
    print(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<", flush=True)
    try:
        request = json.loads(input())
    except EOFError:
        break
