// A starter bot for BattleBots: it walks up to the other bot and
// shoots from up to 3 squares.
//
// Joust starts this program once per turn. The last argument is the view:
//
//     ten lines of ten characters: . empty, Y you, X the other bot,
//         B bullet, M missile, L land mine
//     Y hp=10             your hit points
//     X hp=10             the other bot's
//     B x=3 y=9 dir=W     one line per bullet (flies 3 squares a turn, costs 1)
//     M x=0 y=4 dir=S     ... per missile (2 squares a turn, costs 2, splash 1)
//     L x=6 y=0           ... per land mine (costs 2, splash 1)
//
// x grows to the east, y to the south, (0, 0) is the upper left corner.
//
// Print one action: N NE E SE S SW W NW (a step); "B N", "M N", "L N" (a bullet,
// missile or mine, any direction); P (nobody moves for two turns, costs you 1).
// Anything else does nothing. `joust rules battlebots` has the whole story.
"use strict";

function choose(view) {
  const lines = view.split("\n");
  const grid = lines.slice(0, 10);
  const me = find(grid, "Y");
  const foe = find(grid, "X");
  if (!me || !foe) return "NO";
  const dx = foe.x - me.x;
  const dy = foe.y - me.y;
  const towards = direction(dx, dy);
  // Your ideas go here. Is a bullet coming (lines.slice(12))? Is a mine in the way?
  const aligned = dx === 0 || dy === 0 || Math.abs(dx) === Math.abs(dy);
  const near = Math.max(Math.abs(dx), Math.abs(dy)) <= 3;
  return aligned && near ? "B " + towards : towards;
}

function find(grid, symbol) {
  for (let y = 0; y < grid.length; y++) {
    const x = grid[y].indexOf(symbol);
    if (x >= 0) return { x, y };
  }
  return null;
}

function direction(dx, dy) {
  const northSouth = dy < 0 ? "N" : dy > 0 ? "S" : "";
  const eastWest = dx < 0 ? "W" : dx > 0 ? "E" : "";
  return northSouth + eastWest;
}

console.log(choose(process.argv[process.argv.length - 1]));
