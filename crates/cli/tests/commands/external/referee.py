import json, os, random, socket, subprocess, sys, tempfile, time

def say(**message):
    print(json.dumps(message), flush=True)

class Bout:
    def __init__(self, start):
        self.b, self.n, self.seat = start["b"], 0, 0
        self.taken = [0, 0]
        self.behave = start["options"]["behave"]
        self.stones = start["options"]["stones"] + random.Random(start["seed"]).randrange(4)
        self.ask()

    def ask(self):
        self.n += 1
        self.asked = time.monotonic()
        row = "".join("o" if stone < self.stones else "." for stone in range(30))
        scene = {"layers": [{"rows": [row]}], "legend": {"o": {"kind": "disc", "colour": "bonus"}},
                 "lines": [{"from": [0, 0], "to": [29, 0], "colour": f"seat-{self.seat}"}]}
        if self.behave == "picture":
            scene = {"svg": f"<svg viewBox='0 0 99 9'><script>alert(1)</script>"
                            f"<text y='9'>{self.stones} stones</text></svg>"}
        say(t="ask", b=self.b, n=self.n, state=self.position(), scene=scene, numbers=self.numbers(),
            to=[{"seat": self.seat, "text": f"stones {self.stones}"}])

    def misbehave(self):
        waited = time.monotonic() - self.asked
        match self.behave:
            case "die":
                print("no such stone", file=sys.stderr)
                os.abort()
            case "exit":
                sys.exit(0)
            case "hang":
                time.sleep(60)
            case "flood":
                while True:
                    print("x" * 65536)
            case "lie":
                say(t="ask", b=self.b, n=self.n + 1, state="", to=[{"seat": 7, "text": ""}])
            case "blame":
                say(t="fault", b=self.b, seat=self.seat, kind="crash", text="")
            case "gibberish":
                print("hello", flush=True)
            case "babble":
                print("half a line", end="", flush=True)
                sys.exit(0)
            case "nosy":
                self.look_round()
            case "once" if waited > 1.2:
                os.abort()

    def look_round(self):
        print("x" * 1_000_000, file=sys.stderr, flush=True)
        subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL)
        with tempfile.TemporaryFile() as file:
            file.write(b"x")
        try:
            open(__file__, "a").close()
            sys.exit("its own program can be written")
        except OSError:
            pass
        try:
            socket.create_connection(("192.0.2.1", 9), timeout=1)
            sys.exit("there is a network")
        except TimeoutError:
            sys.exit("there is a network")
        except OSError:
            pass

    def numbers(self):
        return {"taken": self.taken, "left": [self.stones, None]}

    def position(self):
        moody = f" {time.time_ns()}" if self.behave == "moody" else ""
        return f"{self.stones} {self.seat}{moody}"

    def take(self, answer):
        if self.n == 3:
            self.misbehave()
        try:
            taken = int(answer["text"]) if answer["verdict"] == "ok" else 0
        except ValueError:
            taken = 0
        if not 1 <= taken <= min(3, self.stones):
            if answer["verdict"] == "ok":
                say(t="fault", b=self.b, seat=self.seat, kind="illegal", text="takes one stone")
            taken = 1
        self.stones -= taken
        self.taken[self.seat] += taken
        if self.stones == 0:
            scores = [0, 0]
            scores[self.seat] = 1
            ranks = [2 - s for s in scores]
            if self.behave == "tenths":
                scores = [0.1 + s / 10 for s in scores]
            say(t="end", b=self.b, scores=scores, ranks=ranks,
                reason="last stone", state=f"0 {self.seat}", numbers=self.numbers())
            return False
        self.seat = 1 - self.seat
        self.ask()
        return True

bouts = {}
for line in sys.stdin:
    message = json.loads(line)
    if message["t"] == "hello":
        say(t="game", protocol=1, id="nim", version="1", can=["bouts", "rejudge", "scene", "numbers"])
    elif message["t"] == "start":
        bouts[message["b"]] = Bout(message)
    elif message["t"] == "answers":
        if not bouts[message["b"]].take(message["of"][0]):
            del bouts[message["b"]]
    elif message["t"] == "drop":
        bouts.pop(message["b"], None)
