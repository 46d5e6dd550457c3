/* Things: what stands, lies or flies on a square. Each function draws into the
   unit square; `facing` is a compass word, `look` a player's direction. */
(function (viewer) {
  const { box, disc, polygon, letter, TAU } = viewer;
  const COMPASS = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"];

  function shadow(pen, colours, y = 0.86, width = 0.3) {
    pen.fillStyle = colours.shadow;
    pen.beginPath();
    pen.ellipse(0.5, y, width, 0.08, 0, 0, TAU);
    pen.fill();
  }

  function body(pen, fill) {
    pen.fillStyle = "#1c2230";
    box(pen, 0.27, 0.76, 0.17, 0.13, 0.05);
    pen.fill();
    box(pen, 0.56, 0.76, 0.17, 0.13, 0.05);
    pen.fill();
    pen.strokeStyle = fill;
    pen.lineWidth = 0.05;
    pen.beginPath();
    pen.moveTo(0.5, 0.2);
    pen.lineTo(0.5, 0.1);
    pen.stroke();
    pen.fillStyle = fill;
    disc(pen, 0.5, 0.09, 0.055);
    pen.fill();
    box(pen, 0.17, 0.17, 0.66, 0.66, 0.19);
    pen.fill();
    pen.strokeStyle = "rgba(0,0,0,0.35)";
    pen.lineWidth = 0.03;
    pen.stroke();
    pen.fillStyle = "rgba(255,255,255,0.2)";
    box(pen, 0.21, 0.2, 0.58, 0.14, 0.07);
    pen.fill();
  }

  function visor(pen) {
    pen.fillStyle = "#10141f";
    box(pen, 0.25, 0.28, 0.5, 0.24, 0.11);
    pen.fill();
  }

  function player(pen, { cell, colours, look }) {
    shadow(pen, colours);
    body(pen, colours.seat(cell.seat));
    visor(pen);
    const [dx, dy] = look || [0, 1];
    pen.fillStyle = "#ffffff";
    for (const x of [0.39, 0.61]) {
      disc(pen, x + dx * 0.05, 0.4 + dy * 0.035, 0.058);
      pen.fill();
    }
    pen.fillStyle = colours.onSeat;
    letter(pen, cell.symbol, 0.5, 0.67, 0.27, 800);
  }

  function fallen(pen, { cell, colours }) {
    shadow(pen, colours);
    pen.translate(0.5, 0.5);
    pen.rotate(0.3);
    pen.translate(-0.5, -0.46);
    body(pen, colours.fallen);
    visor(pen);
    pen.strokeStyle = colours.seat(cell.seat);
    pen.lineWidth = 0.045;
    pen.lineCap = "round";
    for (const x of [0.39, 0.61]) {
      pen.beginPath();
      pen.moveTo(x - 0.05, 0.35);
      pen.lineTo(x + 0.05, 0.45);
      pen.moveTo(x + 0.05, 0.35);
      pen.lineTo(x - 0.05, 0.45);
      pen.stroke();
    }
    pen.fillStyle = colours.seat(cell.seat);
    box(pen, 0.3, 0.62, 0.4, 0.09, 0.04);
    pen.fill();
  }

  /* An edge that is seen on every floor. */
  function rim(pen, colours) {
    pen.strokeStyle = colours.rim;
    pen.lineWidth = 0.03;
    pen.lineJoin = "round";
    pen.stroke();
  }

  function bombBody(pen, x, y, radius, colours) {
    const shine = pen.createRadialGradient(x - radius * 0.35, y - radius * 0.4, radius * 0.1, x, y, radius);
    shine.addColorStop(0, colours.bombLight);
    shine.addColorStop(1, colours.bombDark);
    pen.fillStyle = shine;
    disc(pen, x, y, radius);
    pen.fill();
    rim(pen, colours);
    pen.strokeStyle = colours.fuse;
    pen.lineWidth = radius * 0.17;
    pen.lineCap = "round";
    pen.beginPath();
    pen.moveTo(x + radius * 0.6, y - radius * 0.75);
    pen.quadraticCurveTo(x + radius * 0.85, y - radius * 1.25, x + radius * 1.2, y - radius * 1.1);
    pen.stroke();
    pen.fillStyle = "#ffb020";
    disc(pen, x + radius * 1.22, y - radius * 1.1, radius * 0.2);
    pen.fill();
  }

  function bomb(pen, { cell, colours }) {
    shadow(pen, colours, 0.87, 0.28);
    bombBody(pen, 0.48, 0.56, 0.31, colours);
    if (cell.seat !== null) {
      pen.strokeStyle = colours.seat(cell.seat);
      pen.lineWidth = 0.07;
      disc(pen, 0.48, 0.56, 0.31);
      pen.stroke();
    }
    if (cell.count === null) return;
    pen.fillStyle = "#ffffff";
    letter(pen, String(cell.count), 0.48, 0.57, String(cell.count).length > 1 ? 0.3 : 0.36, 800);
  }

  function spikes(pen, colour, radius) {
    pen.fillStyle = colour;
    const points = [];
    for (let i = 0; i < 16; i++) {
      const reach = i % 2 ? radius * 0.72 : radius;
      points.push([0.5 + Math.cos(i / 16 * TAU) * reach, 0.52 + Math.sin(i / 16 * TAU) * reach]);
    }
    polygon(pen, points);
    pen.fill();
  }

  function mine(pen, { colours }) {
    shadow(pen, colours, 0.8, 0.3);
    spikes(pen, colours.bombDark, 0.36);
    rim(pen, colours);
    pen.fillStyle = colours.bombLight;
    disc(pen, 0.5, 0.52, 0.21);
    pen.fill();
    pen.fillStyle = "#ff4d4d";
    disc(pen, 0.5, 0.52, 0.1);
    pen.fill();
  }

  function spentMine(pen, { colours }) {
    pen.globalAlpha *= 0.5;
    spikes(pen, colours.fallen, 0.3);
  }

  /* Draws `inner`, which heads north, the way the thing flies. */
  function heading(pen, facing, inner) {
    pen.translate(0.5, 0.5);
    pen.rotate(Math.max(0, COMPASS.indexOf(facing)) * TAU / 8);
    pen.translate(-0.5, -0.5);
    inner();
  }

  function trail(pen, length, width, colour) {
    const fade = pen.createLinearGradient(0, 0.45, 0, 0.45 + length);
    fade.addColorStop(0, colour);
    fade.addColorStop(1, "rgba(255,160,40,0)");
    pen.fillStyle = fade;
    polygon(pen, [[0.5 - width, 0.45], [0.5 + width, 0.45], [0.5, 0.45 + length]]);
    pen.fill();
  }

  function bullet(pen, { cell, colours }) {
    heading(pen, cell.facing, () => {
      trail(pen, 0.5, 0.1, "rgba(255,170,40,0.85)");
      pen.fillStyle = colours.bullet;
      box(pen, 0.4, 0.22, 0.2, 0.34, [0.1, 0.1, 0.04, 0.04]);
      pen.fill();
      rim(pen, colours);
    });
  }

  function missile(pen, { cell, colours }) {
    heading(pen, cell.facing, () => {
      pen.fillStyle = "#ff9d2e";
      polygon(pen, [[0.42, 0.72], [0.58, 0.72], [0.5, 1.02]]);
      pen.fill();
      pen.fillStyle = "#e03131";
      polygon(pen, [[0.4, 0.5], [0.4, 0.76], [0.26, 0.8]]);
      pen.fill();
      polygon(pen, [[0.6, 0.5], [0.6, 0.76], [0.74, 0.8]]);
      pen.fill();
      pen.fillStyle = colours.missile;
      pen.beginPath();
      pen.moveTo(0.5, 0.04);
      pen.quadraticCurveTo(0.66, 0.24, 0.61, 0.74);
      pen.lineTo(0.39, 0.74);
      pen.quadraticCurveTo(0.34, 0.24, 0.5, 0.04);
      pen.fill();
      rim(pen, colours);
      pen.fillStyle = "#e03131";
      disc(pen, 0.5, 0.34, 0.07);
      pen.fill();
    });
  }

  function blast(pen, { x, y, colours }) {
    const glow = pen.createRadialGradient(0.5, 0.5, 0.05, 0.5, 0.5, 0.72);
    glow.addColorStop(0, "rgba(255,255,235,0.98)");
    glow.addColorStop(0.3, "rgba(255,220,90,0.95)");
    glow.addColorStop(0.62, "rgba(255,130,30,0.85)");
    glow.addColorStop(1, "rgba(220,40,20,0.12)");
    pen.fillStyle = glow;
    const points = [];
    for (let i = 0; i < 20; i++) {
      const reach = i % 2 ? 0.42 + viewer.grain(x, y, i) * 0.1 : 0.56 + viewer.grain(x, y, i) * 0.12;
      points.push([0.5 + Math.cos(i / 20 * TAU) * reach, 0.5 + Math.sin(i / 20 * TAU) * reach]);
    }
    polygon(pen, points);
    pen.fill();
    pen.strokeStyle = colours.blastEdge;
    pen.lineWidth = 0.03;
    pen.stroke();
  }

  function treasure(pen, { colours }) {
    shadow(pen, colours, 0.84, 0.26);
    pen.fillStyle = "#ffd43b";
    polygon(pen, [[0.3, 0.28], [0.7, 0.28], [0.84, 0.46], [0.5, 0.84], [0.16, 0.46]]);
    pen.fill();
    pen.fillStyle = "#fff3bf";
    polygon(pen, [[0.3, 0.28], [0.5, 0.28], [0.36, 0.46], [0.16, 0.46]]);
    pen.fill();
    pen.fillStyle = "#f59f00";
    polygon(pen, [[0.36, 0.46], [0.64, 0.46], [0.5, 0.84]]);
    pen.fill();
    polygon(pen, [[0.3, 0.28], [0.7, 0.28], [0.84, 0.46], [0.5, 0.84], [0.16, 0.46]]);
    rim(pen, colours);
  }

  function ammo(pen, { colours }) {
    shadow(pen, colours, 0.84, 0.3);
    bombBody(pen, 0.36, 0.62, 0.17, colours);
    bombBody(pen, 0.62, 0.64, 0.17, colours);
    bombBody(pen, 0.49, 0.42, 0.17, colours);
  }

  function badge(pen, colours) {
    shadow(pen, colours, 0.87, 0.28);
    pen.fillStyle = colours.bonus;
    disc(pen, 0.5, 0.5, 0.36);
    pen.fill();
    pen.strokeStyle = "rgba(255,255,255,0.85)";
    pen.lineWidth = 0.045;
    disc(pen, 0.5, 0.5, 0.31);
    pen.stroke();
  }

  function bombBag(pen, { colours }) {
    badge(pen, colours);
    bombBody(pen, 0.47, 0.54, 0.17, colours);
  }

  function flame(pen, x, y, size) {
    for (const [colour, scale] of [["#e8590c", 1], ["#ffd43b", 0.55]]) {
      const s = size * scale;
      const base = y + size * 0.5;
      pen.fillStyle = colour;
      pen.beginPath();
      pen.moveTo(x, base - s * 1.25);
      pen.bezierCurveTo(x + s * 0.15, base - s * 0.8, x + s * 0.62, base - s * 0.7, x + s * 0.45, base - s * 0.2);
      pen.quadraticCurveTo(x + s * 0.3, base, x, base);
      pen.quadraticCurveTo(x - s * 0.3, base, x - s * 0.45, base - s * 0.2);
      pen.bezierCurveTo(x - s * 0.55, base - s * 0.6, x - s * 0.1, base - s * 0.7, x, base - s * 1.25);
      pen.fill();
    }
  }

  function blastRadius(pen, { colours }) {
    badge(pen, colours);
    flame(pen, 0.5, 0.55, 0.36);
  }

  function superPower(pen, { colours }) {
    badge(pen, colours);
    pen.fillStyle = "#ffffff";
    const points = [];
    for (let i = 0; i < 10; i++) {
      const reach = i % 2 ? 0.1 : 0.24;
      points.push([0.5 + Math.sin(i / 10 * TAU) * reach, 0.51 - Math.cos(i / 10 * TAU) * reach]);
    }
    polygon(pen, points);
    pen.fill();
  }

  function hit(pen, { colours }) {
    pen.fillStyle = colours.scorch;
    disc(pen, 0.5, 0.5, 0.34);
    pen.fill();
    flame(pen, 0.5, 0.56, 0.5);
  }

  function miss(pen, { colours }) {
    pen.strokeStyle = colours.ripple;
    pen.lineWidth = 0.05;
    disc(pen, 0.5, 0.5, 0.24);
    pen.stroke();
    pen.fillStyle = colours.ripple;
    disc(pen, 0.5, 0.5, 0.09);
    pen.fill();
  }

  function bubble(pen, colour) {
    pen.save();
    pen.fillStyle = pen.strokeStyle = colour;
    pen.globalAlpha *= 0.28;
    disc(pen, 0.5, 0.5, 0.4);
    pen.fill();
    pen.globalAlpha *= 3;
    pen.lineWidth = 0.05;
    pen.stroke();
    pen.restore();
    pen.strokeStyle = "rgba(255,255,255,0.7)";
    pen.lineWidth = 0.05;
    pen.lineCap = "round";
    pen.beginPath();
    pen.arc(0.5, 0.5, 0.3, 3.5, 4.4);
    pen.stroke();
  }

  function shield(pen, { cell, colours }) {
    bubble(pen, cell.seat === null ? colours.bonus : colours.seat(cell.seat));
  }

  function shieldHit(pen, { colours }) {
    bubble(pen, "#ffd43b");
    pen.strokeStyle = "#ffffff";
    pen.lineWidth = 0.05;
    pen.lineJoin = "round";
    pen.beginPath();
    pen.moveTo(0.56, 0.24);
    pen.lineTo(0.42, 0.48);
    pen.lineTo(0.58, 0.54);
    pen.lineTo(0.44, 0.78);
    pen.stroke();
  }

  /* A piece of a board game: a disc that fills its square. */
  function piece(pen, { cell, colours }) {
    pen.fillStyle = cell.seat === null ? colours.ink : colours.seat(cell.seat);
    disc(pen, 0.5, 0.5, 0.42);
    pen.fill();
    pen.strokeStyle = "rgba(0,0,0,0.35)";
    pen.lineWidth = 0.03;
    pen.stroke();
    pen.strokeStyle = "rgba(255,255,255,0.3)";
    pen.lineWidth = 0.05;
    disc(pen, 0.5, 0.5, 0.3);
    pen.stroke();
    pen.fillStyle = colours.onSeat;
    letter(pen, cell.symbol, 0.5, 0.5, 0.34, 800);
  }

  function food(pen, { colours }) {
    shadow(pen, colours, 0.8, 0.24);
    pen.fillStyle = "#e03131";
    disc(pen, 0.5, 0.52, 0.27);
    pen.fill();
    rim(pen, colours);
    pen.strokeStyle = "#2f9e44";
    pen.lineWidth = 0.07;
    pen.lineCap = "round";
    pen.beginPath();
    pen.moveTo(0.5, 0.28);
    pen.quadraticCurveTo(0.53, 0.16, 0.64, 0.14);
    pen.stroke();
  }

  /* The more layers, the darker. */
  function hazard(pen, { cell }) {
    pen.globalAlpha *= 0.15 + 0.15 * Math.min(4, cell.count || 1);
    pen.fillStyle = "#e8590c";
    pen.fillRect(0, 0, 1, 1);
  }

  /* A piece of a snake, joined to the next one towards the head. */
  function snakeBody(pen, { cell, colours }) {
    pen.fillStyle = colours.seat(cell.seat);
    box(pen, 0.12, 0.12, 0.76, 0.76, 0.16);
    pen.fill();
    heading(pen, cell.facing, () => pen.fillRect(0.12, -0.38, 0.76, 0.76));
  }

  function snakeHead(pen, { cell, colours }) {
    pen.fillStyle = colours.seat(cell.seat);
    heading(pen, cell.facing, () => {
      box(pen, 0.06, 0.06, 0.88, 0.88, 0.3);
      pen.fill();
      rim(pen, colours);
      for (const x of [0.3, 0.7]) {
        for (const [colour, radius] of [["#ffffff", 0.12], ["#10141f", 0.06]]) {
          pen.fillStyle = colour;
          disc(pen, x, 0.34, radius);
          pen.fill();
        }
      }
    });
  }

  viewer.things = {
    ...viewer.tiles,
    player, fallen, bomb, mine, "spent-mine": spentMine, bullet, missile, blast, treasure, ammo,
    "bomb-bag": bombBag, "blast-radius": blastRadius, "super-power": superPower, hit, miss, shield, "shield-hit": shieldHit,
    disc: piece, food, hazard, "snake-body": snakeBody, "snake-head": snakeHead,
  };

  /* What covers what, from the ground up; equal ones in the order of the scene. */
  const ORDER = [
    "floor", "water", "wall", "brick", "crate", "ore", "sign", "ship", "hazard", "spent-mine", "mine", "treasure", "ammo", "bomb-bag",
    "blast-radius", "super-power", "shield", "miss", "hit", "shield-hit", "disc", "food", "snake-body", "fallen", "bomb", "snake-head", "player", "bullet", "missile", "blast",
  ];
  viewer.height = (kind) => ORDER.indexOf(kind);
})(window.joustViewer);
