// Hunter steps to the heads of shorter snakes and keeps away from those of others. It eats until it is the
// longest.
'use strict';

const http = require('http');

const SELF = { apiversion: '1', color: '#c62828', head: 'fang', tail: 'sharp' };
const STEPS = { up: [0, 1], right: [1, 0], down: [0, -1], left: [-1, 0] };

function choose({ board, you }) {
  const free = new Set();
  for (let x = 0; x < board.width; x++) for (let y = 0; y < board.height; y++) free.add(name({ x, y }));
  board.snakes.forEach((snake) => snake.body.slice(0, -1).forEach((part) => free.delete(name(part))));
  const others = board.snakes.filter((snake) => snake.id !== you.id);
  const prey = others.filter((snake) => snake.length < you.length).map((snake) => snake.head);
  const feared = others.filter((snake) => snake.length >= you.length).map((snake) => snake.head);
  const wanted = prey.length && feared.length === 0 && you.health > 30 ? prey : board.food;
  const cost = (move) => {
    const place = nextTo(you.head, move);
    const isTight = room(place, free) < you.length;
    const isRisky = feared.some((head) => distance(head, place) === 1);
    const isHazard = board.hazards.some((hazard) => distance(hazard, place) === 0);
    const way = Math.min(...wanted.map((target) => distance(target, place)), 100);
    return (isTight ? 10000 - room(place, free) : 0) + (isRisky ? 1000 : 0) + (isHazard ? 200 : 0) + way;
  };
  const safe = Object.keys(STEPS).filter((move) => free.has(name(nextTo(you.head, move))));
  safe.sort((one, other) => cost(one) - cost(other));
  return safe[0] || 'up';
}

/** Counts the squares that can be reached. */
function room(start, free) {
  const seen = new Set([name(start)]);
  const waiting = [start];
  while (waiting.length) {
    const place = waiting.pop();
    for (const move of Object.keys(STEPS)) {
      const other = nextTo(place, move);
      if (free.has(name(other)) && !seen.has(name(other))) {
        seen.add(name(other));
        waiting.push(other);
      }
    }
  }
  return seen.size;
}

function name({ x, y }) {
  return `${x},${y}`;
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
