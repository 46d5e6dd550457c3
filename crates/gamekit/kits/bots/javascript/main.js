// Drops discs from left to right. A bot reads lines and prints one line for each question.
"use strict";

const lines = require("readline").createInterface({ input: process.stdin });
let columns = 0;
let rows = 0;
let turn = 0;
let view = [];

lines.on("line", (line) => {
  if (line.startsWith("board ")) {
    [columns, rows] = line.split(" ").slice(1).map(Number);
    return;
  }
  view.push(line); // "you 0", "connect 4", then the board
  if (view.length < 2 + rows) return;
  const board = view.slice(2);
  view = [];
  do turn += 1;
  while (board[0][turn % columns] !== ".");
  process.stdout.write(`${turn % columns}\n`);
});
