/* Tiles: what fills a whole square. Each function draws into the unit square. */
(function (viewer) {
  const TAU = Math.PI * 2;

  /* A number from 0 to 1 that belongs to a square, so that walls are not all alike. */
  function grain(x, y, salt = 0) {
    let hash = (x * 374761393 + y * 668265263 + salt * 2147483647) | 0;
    hash = Math.imul(hash ^ (hash >>> 13), 1274126177);
    return ((hash ^ (hash >>> 16)) >>> 0) / 4294967296;
  }

  function box(pen, x, y, width, height, radius) {
    pen.beginPath();
    pen.roundRect(x, y, width, height, radius);
  }

  function disc(pen, x, y, radius) {
    pen.beginPath();
    pen.arc(x, y, radius, 0, TAU);
  }

  function polygon(pen, points) {
    pen.beginPath();
    points.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    pen.closePath();
  }

  function floor(pen, { x, y, colours }) {
    pen.fillStyle = (x + y) % 2 ? colours.floorA : colours.floorB;
    pen.fillRect(0, 0, 1.01, 1.01);
  }

  function water(pen, { x, y, colours }) {
    pen.fillStyle = (x + y) % 2 ? colours.waterA : colours.waterB;
    pen.fillRect(0, 0, 1.01, 1.01);
    pen.strokeStyle = colours.wave;
    pen.lineWidth = 0.035;
    pen.lineCap = "round";
    const shift = grain(x, y) * 0.4;
    for (const [left, top] of [[0.12 + shift, 0.32], [0.4 - shift / 2, 0.7]]) {
      pen.beginPath();
      pen.moveTo(left, top);
      pen.quadraticCurveTo(left + 0.09, top - 0.08, left + 0.18, top);
      pen.quadraticCurveTo(left + 0.27, top + 0.08, left + 0.36, top);
      pen.stroke();
    }
  }

  function wall(pen, { colours }) {
    pen.fillStyle = colours.wallSide;
    pen.fillRect(0, 0, 1.01, 1.01);
    pen.fillStyle = colours.wallTop;
    box(pen, 0.03, 0.02, 0.94, 0.84, 0.12);
    pen.fill();
    pen.fillStyle = colours.wallLight;
    box(pen, 0.1, 0.08, 0.8, 0.1, 0.05);
    pen.fill();
    pen.fillStyle = colours.wallSide;
    for (const [x, y] of [[0.17, 0.3], [0.83, 0.3], [0.17, 0.72], [0.83, 0.72]]) {
      disc(pen, x, y, 0.045);
      pen.fill();
    }
  }

  function brick(pen, { x, y, colours }) {
    pen.fillStyle = colours.mortar;
    pen.fillRect(0, 0, 1.01, 1.01);
    for (let row = 0; row < 3; row++) {
      const cuts = row % 2 ? [0, 0.5, 1] : [0, 0.27, 0.77, 1];
      for (let i = 0; i + 1 < cuts.length; i++) {
        pen.fillStyle = grain(x, y, row * 4 + i) > 0.5 ? colours.brickA : colours.brickB;
        box(pen, cuts[i] + 0.02, row / 3 + 0.025, cuts[i + 1] - cuts[i] - 0.04, 0.285, 0.05);
        pen.fill();
      }
    }
    pen.fillStyle = colours.brickLight;
    pen.fillRect(0.02, 0.025, 0.96, 0.035);
  }

  function crate(pen, { colours }) {
    pen.fillStyle = colours.shadow;
    box(pen, 0.08, 0.12, 0.86, 0.84, 0.08);
    pen.fill();
    pen.fillStyle = colours.woodA;
    box(pen, 0.06, 0.06, 0.88, 0.86, 0.08);
    pen.fill();
    pen.fillStyle = colours.woodB;
    for (const top of [0.2, 0.42, 0.64]) {
      box(pen, 0.16, top, 0.68, 0.15, 0.02);
      pen.fill();
    }
    pen.strokeStyle = colours.woodC;
    pen.lineWidth = 0.11;
    pen.lineCap = "butt";
    pen.beginPath();
    pen.moveTo(0.18, 0.8);
    pen.lineTo(0.82, 0.18);
    pen.stroke();
    pen.lineWidth = 0.1;
    box(pen, 0.12, 0.12, 0.76, 0.74, 0.04);
    pen.stroke();
  }

  function ore(pen, { cell, colours }) {
    pen.fillStyle = colours.shadow;
    polygon(pen, [[0.2, 0.16], [0.74, 0.1], [0.98, 0.5], [0.8, 0.96], [0.2, 0.96], [0.06, 0.56]]);
    pen.fill();
    pen.fillStyle = colours.rockA;
    polygon(pen, [[0.18, 0.1], [0.72, 0.05], [0.96, 0.44], [0.8, 0.9], [0.2, 0.92], [0.04, 0.5]]);
    pen.fill();
    pen.fillStyle = colours.rockB;
    polygon(pen, [[0.18, 0.1], [0.72, 0.05], [0.6, 0.36], [0.3, 0.4], [0.04, 0.5]]);
    pen.fill();
    pen.fillStyle = colours.oreGem;
    for (const [x, y, r] of [[0.3, 0.62, 0.1], [0.64, 0.5, 0.13], [0.56, 0.76, 0.08]]) {
      polygon(pen, [[x, y - r], [x + r * 0.8, y], [x, y + r], [x - r * 0.8, y]]);
      pen.fill();
    }
    if (cell.count === null || cell.count === undefined) return;
    pen.strokeStyle = colours.crack;
    pen.lineWidth = 0.045;
    pen.lineCap = pen.lineJoin = "round";
    const cracks = [[[0.5, 0.05], [0.42, 0.28], [0.54, 0.42], [0.44, 0.66]], [[0.94, 0.42], [0.7, 0.6], [0.74, 0.9]]];
    for (const crack of cracks.slice(0, Math.max(0, 3 - cell.count))) {
      pen.beginPath();
      crack.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
      pen.stroke();
    }
  }

  /* A piece of a ship runs on into its neighbours of the same ship. */
  function ship(pen, { cell, colours, joined }) {
    const rim = 0.13;
    const left = joined.w ? -0.01 : rim - 0.06;
    const right = joined.e ? 1.01 : 1 - rim + 0.06;
    const top = joined.n ? -0.01 : rim - 0.06;
    const bottom = joined.s ? 1.01 : 1 - rim + 0.06;
    const isUpright = joined.n || joined.s;
    const isLevel = joined.e || joined.w;
    const [x0, x1] = isLevel ? [left, right] : [rim + 0.04, 1 - rim - 0.04];
    const [y0, y1] = isUpright ? [top, bottom] : [rim + 0.04, 1 - rim - 0.04];
    const round = (here) => (here ? 0.36 : 0);
    const corners = [
      round(!joined.n && !joined.w), round(!joined.n && !joined.e),
      round(!joined.s && !joined.e), round(!joined.s && !joined.w),
    ];
    pen.fillStyle = colours.shadow;
    box(pen, x0 + 0.03, y0 + 0.05, x1 - x0, y1 - y0, corners);
    pen.fill();
    pen.fillStyle = colours.seat(cell.seat);
    box(pen, x0, y0, x1 - x0, y1 - y0, corners);
    pen.fill();
    pen.fillStyle = "rgba(255,255,255,0.22)";
    const deck = 0.12;
    box(pen, x0 + (joined.w ? 0 : deck), y0 + (joined.n ? 0 : deck),
      x1 - x0 - (joined.w ? 0 : deck) - (joined.e ? 0 : deck), y1 - y0 - (joined.n ? 0 : deck) - (joined.s ? 0 : deck),
      corners.map((corner) => corner * 0.65));
    pen.fill();
    pen.fillStyle = "rgba(0,0,0,0.6)";
    disc(pen, 0.5, 0.5, 0.15);
    pen.fill();
    pen.fillStyle = "#ffffff";
    pen.font = "700 0.2px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    letter(pen, cell.symbol, 0.5, 0.51, 0.2);
  }

  /* Text in the unit square: fonts are drawn at a size that browsers like. */
  function letter(pen, text, x, y, size, weight = 700) {
    pen.save();
    pen.translate(x, y);
    pen.scale(size / 100, size / 100);
    pen.font = weight + " 100px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(text, 0, 4);
    pen.restore();
  }

  function sign(pen, { cell, colours }) {
    pen.fillStyle = cell.seat === null ? colours.ink : colours.seat(cell.seat);
    letter(pen, cell.symbol, 0.5, 0.5, 0.6);
  }

  viewer.tiles = { floor, water, wall, brick, crate, ore, ship, sign };
  Object.assign(viewer, { box, disc, polygon, letter, grain, TAU });
})(window.joustViewer);
