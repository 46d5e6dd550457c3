// Kit for a referee of Joust in JavaScript (Node 12 or later): copy this file beside your program.
//
// A game is a generator. It asks with `yield`, and returns the end:
//
//     function* play(bout) {
//       const answers = yield bout.ask({ 0: "your number?" }, { state: "" });
//       return bout.end([answers[0].text.length], "one question", { state: answers[0].text });
//     }
//     joust.serve("my-game", "1", play);
//
// All chance comes from `bout.seed`, a BigInt. What `console.log` prints goes to standard error.
"use strict";

const fs = require("fs");

/** One bout: `seed`, `seats`, `options`, and what a referee can say. */
class Bout {
  constructor(start, say) {
    this.number = start.b;
    this.seed = BigInt(start.seed);
    this.seats = start.seats;
    this.options = start.options;
    this.sceneWanted = Boolean(start.scene);
    this.asks = 0;
    this.answers = {};
    this.say = say;
  }

  /**
   * Asks the seats of `views` (seat to text); `more` is `state`, `scene`, `numbers`. With `channel:
   * http` a text is a request, such as "POST /move application/json\n{}", and the text of an answer
   * begins with a line such as "200 application/json".
   */
  ask(views, more = {}) {
    const seats = Object.keys(views).map(Number).sort((a, b) => a - b);
    const to = seats.map((seat) => ({ seat, text: views[seat] }));
    this.asks += 1;
    return { t: "ask", b: this.number, n: this.asks, to, ...more };
  }

  /** Ends the bout; a score for each seat, more is better. Ranks follow, or are in `more`. */
  end(scores, reason, more = {}) {
    return { t: "end", b: this.number, scores, reason, ...more };
  }

  /** Tells seats something, without an answer. */
  tell(seats, text) {
    this.say({ t: "tell", b: this.number, to: seats, text });
  }

  /** Says that an answer was bad, and what happens now. */
  fault(seat, text) {
    const { verdict } = this.answers[seat];
    this.say({ t: "fault", b: this.number, seat, kind: verdict === "ok" ? "illegal" : verdict, text });
  }

  /** Says that a seat plays no longer. */
  out(seat, text = "") {
    this.say({ t: "out", b: this.number, seat, text });
  }

  /** Writes a line for the author. */
  log(text) {
    this.say({ t: "log", b: this.number, text: String(text) });
  }
}

function write(text) {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(fs.writeSync(1, bytes));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

/** Hands every line of standard input to `take`. */
function readLines(take) {
  const chunk = Buffer.alloc(1 << 16);
  let rest = Buffer.alloc(0);
  for (;;) {
    const length = fs.readSync(0, chunk, 0, chunk.length, null);
    if (length === 0) return;
    rest = Buffer.concat([rest, chunk.subarray(0, length)]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = rest.subarray(0, end).toString();
      rest = rest.subarray(end + 1);
      take(line);
    }
  }
}

/** Speaks to Joust until standard input ends; `game` may be a function of the id that is wanted. */
function serve(game, version, play, can = ["bouts", "rejudge"]) {
  const bouts = new Map();
  const say = (message) => write(JSON.stringify(message) + "\n");
  console.log = console.info = console.error;

  const goOn = ({ bout, steps }, answers) => {
    try {
      const { value, done } = steps.next(answers);
      if (done) bouts.delete(bout.number);
      say(value);
    } catch (error) {
      console.error(error);
      say({ t: "error", b: bout.number, text: String(error) });
    }
  };

  readLines((line) => {
    const message = JSON.parse(line);
    if (message.t === "hello") {
      const id = typeof game === "function" ? game(message.game) : game;
      say({ t: "game", protocol: 1, id, version, can });
    } else if (message.t === "start") {
      const bout = new Bout(message, say);
      bouts.set(bout.number, { bout, steps: play(bout) });
      goOn(bouts.get(bout.number));
    } else if (message.t === "answers") {
      const under = bouts.get(message.b);
      under.bout.answers = Object.fromEntries(message.of.map((said) => [said.seat, said]));
      goOn(under, under.bout.answers);
    } else if (message.t === "drop") {
      bouts.delete(message.b);
    }
  });
}

module.exports = { serve, Bout };
