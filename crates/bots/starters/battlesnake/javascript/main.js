// A starter snake for Battlesnake: it stays alive and eats what is near.
//
// A snake is a web server. Joust starts it once for every game, with the port in `PORT`,
// and sends requests:
//
//   GET /           answer who you are: {"apiversion": "1", "color": "#f9a825"}
//   POST /start     the game begins
//   POST /move      answer {"move": "up"}; `down`, `left` and `right` are the others
//   POST /end       the game is over
//
// The body of a POST is the position in JSON: `turn`, `board` (`width`, `height`, `food`,
// `hazards`, `snakes`) and `you`. A snake's `body` is a list of squares, its head first;
// (0, 0) is the lower left corner, and up is y + 1. A late or wrong answer repeats your
// last move. `joust rules battlesnake` has the whole story.
'use strict';

const http = require('http');

const SELF = { apiversion: '1', color: '#f9a825', head: 'default', tail: 'default' };
const STEPS = { up: [0, 1], right: [1, 0], down: [0, -1], left: [-1, 0] };

function choose({ board, you }) {
  // A tail moves away, unless its snake has just eaten.
  const bodies = board.snakes.flatMap((snake) => snake.body.slice(0, -1));
  const taken = new Set(bodies.map(({ x, y }) => `${x},${y}`));
  const isFree = ({ x, y }) =>
    x >= 0 && x < board.width && y >= 0 && y < board.height && !taken.has(`${x},${y}`);
  const exits = (place) => Object.keys(STEPS).filter((move) => isFree(nextTo(place, move))).length;
  const hunger = (place) => Math.min(...board.food.map((food) => distance(place, food)), 1000);
  // Your ideas go here. Where can longer snakes go? How much room is there?
  const safe = Object.keys(STEPS).filter((move) => isFree(nextTo(you.head, move)));
  const cost = (move) => {
    const place = nextTo(you.head, move);
    return hunger(place) + (exits(place) === 0 ? 10000 : 0);
  };
  safe.sort((one, other) => cost(one) - cost(other));
  return safe[0] || 'up';
}

function nextTo({ x, y }, move) {
  return { x: x + STEPS[move][0], y: y + STEPS[move][1] };
}

function distance(one, other) {
  return Math.abs(one.x - other.x) + Math.abs(one.y - other.y);
}

function answer(request, body) {
  if (request.method === 'GET') return SELF;
  return request.url.endsWith('/move') ? { move: choose(JSON.parse(body)) } : {};
}

const server = http.createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (part) => (body += part));
  request.on('end', () => {
    const text = JSON.stringify(answer(request, body));
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': text.length });
    response.end(text);
  });
});
server.keepAliveTimeout = 0; // a turn may take its time
server.listen(Number(process.env.PORT) || 8000);
