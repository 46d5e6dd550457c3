// A starter bot for Battleships (Entelect Challenge 2017): it hunts on every second square.
//
// Joust starts this program once per round with two arguments: your key (A or B) and a
// folder with `state.json` and `map.txt`. Leave your answer in that folder: in phase 1
// `place.txt`, five lines such as `Carrier 0 0 East`; in phase 2 `command.txt`, one line
// `code,x,y` (code 1 is a single shot). (0, 0) is the lower left corner, y grows to the north.
// `joust rules battleships-2017` has the other weapons and the shield.
"use strict";

const fs = require("fs");
const path = require("path");

const FLEET = ["Carrier", "Battleship", "Cruiser", "Submarine", "Destroyer"];

function place() {
  // Your ideas go here: any five lines that do not cross and stay on the map.
  return FLEET.map((ship, y) => `${ship} 0 ${y} East\n`).join("");
}

function command(state) {
  const cells = state.OpponentMap.Cells;
  const isHit = (x, y) => cells.some((cell) => cell.X === x && cell.Y === y && cell.Damaged);
  const unknown = cells.filter((cell) => !cell.Damaged && !cell.Missed);
  // Your ideas go here: seeker missiles, shields, what must be sunk already ...
  const near = unknown.filter(({ X, Y }) => isHit(X - 1, Y) || isHit(X + 1, Y) || isHit(X, Y - 1) || isHit(X, Y + 1));
  const second = unknown.filter(({ X, Y }) => (X + Y) % 2 === 0);
  const targets = [near, second, unknown].find((list) => list.length > 0);
  if (!targets) return "0,0,0\n";
  const luck = Number(BigInt(process.env.JOUST_SEED || "0") % 1000n) + 31 * state.Round;
  const { X, Y } = targets[luck % targets.length];
  return `1,${X},${Y}\n`;
}

const folder = process.argv[3];
const state = JSON.parse(fs.readFileSync(path.join(folder, "state.json"), "utf8"));
if (state.Phase === 1) fs.writeFileSync(path.join(folder, "place.txt"), place());
else fs.writeFileSync(path.join(folder, "command.txt"), command(state));
