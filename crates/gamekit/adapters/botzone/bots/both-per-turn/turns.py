"""Lets a Botzone bot play that ends after every turn: copy this file beside it, and write a `bot.yaml`

    name: my-bot
    language: python
    entry: turns.py
    args: [main.py]

`args` is the bot's command; a `.py` file is run by this Python. A bot that asks to be kept is kept.
"""

import json
import subprocess
import sys

KEEP = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
command = sys.argv[1:]
if command[0].endswith(".py"):
    command.insert(0, sys.executable)


class Bot:
    """The bot, with what it was asked and what it answered."""

    def __init__(self):
        self.requests, self.responses, self.kept = [], [], {}
        self.is_plain, self.process = False, None

    def first(self, line):
        """Takes the first thing said: an object in JSON, or the number 1 and a line."""
        self.is_plain = line.strip() == "1"
        return input() if self.is_plain else json.loads(line)["requests"][0]

    def turn(self, request):
        self.requests.append(request)
        is_new = self.process is None
        if is_new:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.say(self.told() if is_new else request if self.is_plain else json.dumps(request))
        said = []
        while KEEP not in said:
            line = self.process.stdout.readline()
            if not line:
                break
            said.append(line.rstrip("\r\n"))
        if KEEP not in said:
            self.process.wait()
            self.process = None
        lines = [line for line in said if line != KEEP]
        self.note(lines)
        return lines

    def say(self, text):
        try:
            self.process.stdin.write(text + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def told(self):
        """Everything since the beginning, and what the bot has asked to be told again."""
        if not self.is_plain:
            return json.dumps(dict(requests=self.requests, responses=self.responses, **self.kept))
        lines = [str(len(self.requests))]
        for request, response in zip(self.requests, self.responses):
            lines += [request, response]
        lines += [self.requests[-1], self.kept.get("data", ""), self.kept.get("globaldata", "")]
        return "\n".join(lines)

    def note(self, lines):
        if self.is_plain:
            self.responses.append(lines[0] if lines else "")
            self.kept = {"data": lines[2] if len(lines) > 2 else ""}
            return
        whole = json.loads("\n".join(lines) or "null")
        self.responses.append(whole.get("response") if isinstance(whole, dict) else whole)
        keys = ("data", "globaldata")
        self.kept = {key: whole[key] for key in keys if isinstance(whole, dict) and key in whole}



def main():
    bot = Bot()
    for line in iter(sys.stdin.readline, ""):
        line = line.rstrip("\n")
        if not bot.requests:
            line = bot.first(line)
        elif not bot.is_plain:
            line = json.loads(line)
        lines = bot.turn(line)
        print("\n".join(lines[:1] if bot.is_plain else lines), KEEP, sep="\n", flush=True)


main()
