// A starter bot for Bomberman (Entelect Challenge 2016): it blows walls up and steps aside.
//
// Joust starts this program once per round with two arguments: your key and a folder.
// The folder holds `state.json` and `map.txt`; leave your move there in `move.txt`:
// 1 up, 2 left, 3 right, 4 down, 5 plant a bomb, 6 set your oldest bomb off, 0 nothing.
// `joust rules bomberman-2016` has the whole story.
"use strict";

const fs = require("fs");
const path = require("path");

const STEPS = { 1: [0, -1], 2: [-1, 0], 3: [1, 0], 4: [0, 1] };
const FREE = " &!$";

function choose(key, text) {
  const lines = text.split(/\r?\n/);
  const grid = lines.slice(1).filter((line) => line.startsWith("#"));
  const round = Number(lines[0].match(/Current Round: (\d+)/)[1]);
  const bombs = [...text.matchAll(/\{x:(\d+),y:(\d+),fuse:\d+,radius:(\d+)\}/g)];
  const me = find(grid, key);
  if (!me) return "0";

  const symbol = (x, y) => grid[y - 1][x - 1];
  const isSafe = (x, y) =>
    !bombs.some(([, bx, by, r]) => (x == bx && Math.abs(y - by) <= r) || (y == by && Math.abs(x - bx) <= r));
  const isFree = (x, y) => FREE.includes(symbol(x, y));
  const around = (x, y) => Object.values(STEPS).map(([dx, dy]) => [x + dx, y + dy]);
  const rate = (x, y) => 4 * isSafe(x, y) + around(x, y).filter((at) => isFree(...at) && isSafe(...at)).length;

  // Your ideas go here. What is worth walking to? Can you shut somebody in?
  const luck = Number(BigInt(process.env.JOUST_SEED || "0") % 1000n) + 7 * round;
  const walls = around(...me).some((at) => symbol(...at) === "+");
  const own = new RegExp(`Key: ${key}[^]*?Bombs: (.*)`).exec(text);
  if (isSafe(...me) && walls && luck % 3 === 0 && own && !own[1].includes("{")) return "5";
  let [best, move] = [rate(...me), "0"];
  for (let turn = 0; turn < 4; turn++) {
    const name = String(1 + ((turn + luck) % 4));
    const [dx, dy] = STEPS[name];
    const there = [me[0] + dx, me[1] + dy];
    if (isFree(...there) && rate(...there) >= best) [best, move] = [rate(...there), name];
  }
  return move;
}

function find(grid, key) {
  for (let y = 0; y < grid.length; y++) {
    const x = grid[y].toUpperCase().indexOf(key);
    if (x >= 0) return [x + 1, y + 1];
  }
  return null;
}

const [key, folder] = process.argv.slice(2);
const text = fs.readFileSync(path.join(folder, "map.txt"), "utf8");
fs.writeFileSync(path.join(folder, "move.txt"), choose(key, text));
