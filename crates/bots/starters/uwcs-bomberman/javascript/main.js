// A starter bot for UWCS Bomberman: it walks where it can and lays no bomb.
//
// Joust starts this program once per bout. It connects to the game, registers when it
// reads INIT, learns the map, and sends one action after each TICK:
//
//     ACTION UP | DOWN | LEFT | RIGHT | BOMB
//
// `joust rules uwcs-bomberman` has every line that the game sends, and the whole story.

"use strict";

const net = require("net");
const readline = require("readline");

const HOST = process.env.JOUST_HOST || "uwcs.co.uk";
const PORT = Number(process.env.JOUST_PORT || 8037);
const SEED = BigInt(process.env.JOUST_SEED || 1);
const NAME = `starter-${SEED % 100000n}`;
const STEPS = { UP: [-1, 0], DOWN: [1, 0], LEFT: [0, -1], RIGHT: [0, 1] };

let state = Number(SEED % 4294967291n) || 1;
let grid = []; // grid[row][column] is "0" free, "1" rock, "2" pillar
let players = new Map();

// Returns an action.
function choose() {
  // Your ideas go here. Where are bombs? Who is near? Is there a way out?
  const here = players.get(NAME);
  const open = Object.keys(STEPS).filter((word) => isFree(target(here, word)));
  return open.length ? open[Math.floor(luck() * open.length)] : "UP";
}

// A number from 0 to 1, the same ones for the same JOUST_SEED.
function luck() {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 4294967296;
}

function target([row, column], word) {
  return [row + STEPS[word][0], column + STEPS[word][1]];
}

function isFree([row, column]) {
  return grid[row] !== undefined && grid[row][column] === "0";
}

// What a block of lines means, by the word before it: each is called with its words.
const entries = {
  MAP: (squares) => grid.push(squares),
  PLAYERS: ([name, row, column]) => players.set(name, [Number(row), Number(column)]),
  ACTIONS: ([name, action]) => {
    const here = players.get(name);
    if (here && STEPS[action] && isFree(target(here, action))) {
      players.set(name, target(here, action));
    }
  },
  DEAD: ([name]) => players.delete(name),
  SCORES: () => {},
};

const socket = net.connect(PORT, HOST);
socket.setNoDelay(true);
socket.on("error", () => process.exit(0)); // the game is over

let block = "";
let left = 0; // lines of the block still to come
readline.createInterface({ input: socket }).on("line", (line) => {
  const words = line.split(" ");
  if (left > 0) {
    left -= 1;
    entries[block](words);
  } else if (entries[words[0]]) {
    block = words[0];
    left = Number(words[1]);
    if (block === "MAP") grid = [];
    if (block === "PLAYERS") players = new Map();
  } else if (words[0] === "INIT") {
    socket.write(`REGISTER ${NAME} secret\n`);
  } else if (words[0] === "TICK" && players.has(NAME)) {
    socket.write(`ACTION ${choose()}\n`);
  }
});
