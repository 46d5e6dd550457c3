// Connect four: two bots drop discs into columns; a row of four wins.
"use strict";

const joust = require("./joust.js");

function* play(bout) {
  const { columns, rows, connect } = bout.options;
  const board = Array.from({ length: columns }, () => []);
  bout.tell([0, 1], `board ${columns} ${rows}`);
  for (let discs = 0; ; discs += 1) {
    const seat = discs % 2;
    const state = draw(board, rows);
    const view = `you ${seat}\nconnect ${connect}\n${state}`;
    const answer = (yield bout.ask({ [seat]: view }, { state }))[seat];
    let column = read(answer, board, rows);
    if (column === null) {
      column = board.findIndex((discs) => discs.length < rows);
      bout.fault(seat, `the disc falls into column ${column}`);
    }
    board[column].push(seat);
    const after = { state: draw(board, rows) };
    if (isConnected(board, column, connect)) return bout.end(seat === 0 ? [2, 0] : [0, 2], "connected", after);
    if (discs + 1 === columns * rows) return bout.end([1, 1], "board-full", after);
  }
}

/** One line for each row, the top one first. */
function draw(board, rows) {
  let text = "";
  for (let y = rows - 1; y >= 0; y -= 1) text += board.map((column) => column[y] ?? ".").join("") + "\n";
  return text;
}

/** The column that was answered, or null. */
function read(answer, board, rows) {
  const number = answer.verdict === "ok" && /^[ \t-\r]*0*([0-9]{1,9})[ \t-\r]*$/.exec(answer.text);
  const column = number ? Number(number[1]) : board.length;
  return column < board.length && board[column].length < rows ? column : null;
}

/** Whether the disc that fell last, into column x, is one of enough in a line. */
function isConnected(board, x, connect) {
  const y = board[x].length - 1;
  const run = (dx, dy) => {
    let count = 0;
    while (board[x + dx * (count + 1)]?.[y + dy * (count + 1)] === board[x][y]) count += 1;
    return count;
  };
  return [[1, 0], [0, 1], [1, 1], [1, -1]].some(([dx, dy]) => 1 + run(dx, dy) + run(-dx, -dy) >= connect);
}

joust.serve("connect-four-kit", "1", play);
