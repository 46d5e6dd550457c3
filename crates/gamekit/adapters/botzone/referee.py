"""Referee for judges of Botzone, which stay as they are: `judges/` has them, one program each.

The game `botzone-NAME` is judged by `judges/NAME` or `judges/NAME.py`. A judge is started for every turn, is
told everything since the beginning, and says whom to ask next. What bots read and say is in
`rules.md`.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

import joust

PREFIX = "botzone-"
JUDGES = pathlib.Path(__file__).resolve().parent / "judges"
# What Botzone calls Joust's verdicts.
VERDICTS = {"timeout": "TLE", "cpu-limit": "TLE", "memory-limit": "MLE", "output-limit": "OLE"}

wanted = None


def know(game):
    global wanted
    wanted = game[len(PREFIX):]
    return game


def command():
    script = JUDGES / f"{wanted}.py"
    if script.exists():
        return [sys.executable, str(script)]
    if not os.access(JUDGES / wanted, os.X_OK):
        raise FileNotFoundError(f"there is no program judges/{wanted} and no script judges/{wanted}.py")
    return [str(JUDGES / wanted)]


def judged(log, initdata):
    """What the judge says to all that was said."""
    given = json.dumps({"log": log, "initdata": initdata}) + "\n"
    said = subprocess.run(command(), input=given.encode(), stdout=subprocess.PIPE, check=True, cwd=JUDGES).stdout
    # A judge that would rather stay says so in a line of its own.
    lines = [line for line in said.decode().splitlines() if line.strip() and not line.startswith(">>>")]
    said = json.loads("\n".join(lines))
    if not isinstance(said, dict) or said.get("command") not in ("request", "finish"):
        raise ValueError(f"the judge said {said!r:.200}")
    return said


def play(bout):
    log, initdata = [], {"seed": bout.seed} if bout.options["initdata"] == "seed" else ""
    history = {seat: [] for seat in range(bout.seats)}
    while True:
        said = judged(log, initdata)
        initdata = said.get("initdata", initdata)
        log.append({"verdict": "OK", "time": 0, "memory": 0, "output": said})
        state = json.dumps([said, initdata], sort_keys=True, ensure_ascii=False)
        content = said.get("content", {})
        if said["command"] == "finish":
            return bout.end([float(content[str(seat)]) for seat in range(bout.seats)], "finish", state=state)
        asked = {int(seat): request for seat, request in content.items()}
        if not asked:
            log.append({})
            continue
        views = {seat: view(bout, history[seat], request) for seat, request in asked.items()}
        answers = yield bout.ask(views, state=state)
        log.append({str(seat): heard(bout, history[seat], answers[seat], asked[seat]) for seat in asked})


def view(bout, history, request):
    """What a bot reads: at first the form that a new program is told, then the request alone."""
    line = words(request) if bout.options["form"] == "lines" else json.dumps(request, ensure_ascii=False)
    if history:
        return line
    if bout.options["form"] == "lines":
        return f"1\n{line}"
    return json.dumps({"requests": [request], "responses": []}, ensure_ascii=False)


def names(request):
    """The names in an object, those with a number by their numbers: x0 y0 x1 y1."""
    return sorted(request, key=lambda name: int(re.search("[0-9]*$", name).group() or 0))


def words(request):
    """A request in plain words: of an object and of a list the values, with blanks between them."""
    if isinstance(request, dict):
        return " ".join(words(request[name]) for name in names(request))
    if isinstance(request, list):
        return " ".join(words(value) for value in request)
    return request if isinstance(request, str) else json.dumps(request)


def from_words(text, request):
    """An answer in plain words: one to an object is an object with the same names, if it has as many words."""
    said = text.split("\n")[0].split()
    if not isinstance(request, dict) or len(said) != len(request):
        return text
    return dict(zip(names(request), (int(word) if re.fullmatch("-?[0-9]+", word) else word for word in said)))


def heard(bout, history, answer, request):
    """What the judge is told of an answer."""
    history.append(request)
    said = {"time": answer.us // 1000, "memory": 0, "response": None}
    if not answer.ok:
        return dict(said, verdict=VERDICTS.get(answer.verdict, "RE"))
    if bout.options["form"] == "lines":
        return dict(said, verdict="OK", response=from_words(answer.text.strip(), request))
    try:
        whole = json.loads(answer.text)
        # Without the object around it, it is the response.
        response = whole["response"] if isinstance(whole, dict) and "response" in whole else whole
    except ValueError:
        bout.fault(answer.seat, "is told the judge as no JSON")
        return dict(said, verdict="NJ")
    return dict(said, verdict="OK", response=response)


joust.serve(know, "1", play)
