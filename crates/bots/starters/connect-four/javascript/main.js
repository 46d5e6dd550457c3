// A starter bot for connect four: it wins where it can, blocks where it
// must, and else drops its disc as far to the right as it can.
//
// Joust starts this program once for every disc of yours. The last argument is the
// view:
//
//     you 1               your seat, and the digit of your discs
//     connect 4           how many in a row win
//     .......             the board, one line for each row, the top one first:
//     ...1...             . is free, 0 and 1 are discs of that seat
//     ..010..
//
// Print the number of a column, counted from 0 at the left. Anything else, and a full
// column, drops your disc into the leftmost column with room.
// `joust rules connect-four` has the whole story.
"use strict";

function choose(view) {
  const lines = view.split("\n");
  const me = lines[0].split(" ")[1];
  const connect = Number(lines[1].split(" ")[1]);
  const board = lines.slice(2).filter((line) => line !== "");
  const free = [...Array(board[0].length).keys()].filter((x) => board[0][x] === ".");
  free.reverse();
  // Your ideas go here. What can the other do after your disc?
  for (const disc of [me, me === "0" ? "1" : "0"]) {
    const column = free.find((x) => completes(board, x, disc, connect));
    if (column !== undefined) return column;
  }
  return free[0];
}

// Says whether a disc dropped into column x has enough in a row.
function completes(board, x, disc, connect) {
  const y = board.filter((row) => row[x] === ".").length - 1;
  const lines = [[1, 0], [0, 1], [1, 1], [1, -1]];
  return lines.some(([dx, dy]) => 1 + run(board, x, y, dx, dy, disc) + run(board, x, y, -dx, -dy, disc) >= connect);
}

// Counts the discs beside (x, y) in one direction.
function run(board, x, y, dx, dy, disc) {
  let count = 0;
  while (board[y + dy * (count + 1)]?.[x + dx * (count + 1)] === disc) count++;
  return count;
}

console.log(choose(process.argv[process.argv.length - 1]));
