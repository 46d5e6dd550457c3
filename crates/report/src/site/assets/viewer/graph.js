/* The graph under the board: what the game counts, over the whole bout, with
   the faults above it. A click goes to that round. */
(function (viewer) {
  const FAULTS_HEIGHT = 9;

  class Graph {
    constructor(replay, canvas, seek) {
      Object.assign(this, { replay, canvas, frame: 0, seen: 0 });
      this.pen = canvas.getContext("2d");
      this.faults = replay.turns.filter((turn) => turn.verdict && turn.verdict !== "ok");
      canvas.addEventListener("pointerdown", (event) => this.drag(event, seek));
      canvas.addEventListener("pointermove", (event) => event.buttons && this.drag(event, seek));
      new ResizeObserver(() => this.draw()).observe(canvas);
    }

    get isWanted() {
      return this.replay.graph !== null || this.faults.length > 0;
    }

    drag(event, seek) {
      const box = this.canvas.getBoundingClientRect();
      const part = (event.clientX - box.left) / box.width;
      seek(Math.round(Math.min(1, Math.max(0, part)) * this.replay.last));
    }

    /* Shows the part that has been watched, without the rounds that follow. */
    show(frame) {
      this.frame = frame;
      if (frame > this.seen) {
        this.seen = frame;
        this.picture = null;
      }
      this.draw();
    }

    refresh() {
      this.picture = null;
      this.draw();
    }

    draw() {
      const box = this.canvas.getBoundingClientRect();
      if (!box.width) return;
      const ratio = window.devicePixelRatio || 1;
      const [w, h] = [Math.round(box.width * ratio), Math.round(box.height * ratio)];
      if (!this.picture || this.canvas.width !== w || this.canvas.height !== h) this.drawPicture(w, h, ratio);
      const { pen } = this;
      pen.clearRect(0, 0, w, h);
      pen.drawImage(this.picture, 0, 0);
      const x = this.x(this.frame, w);
      pen.fillStyle = this.playhead;
      pen.fillRect(Math.min(w - 2 * ratio, Math.max(0, x - ratio)), 0, 2 * ratio, h);
    }

    x(frame, width) {
      return frame / Math.max(1, this.replay.last) * width;
    }

    drawPicture(w, h, ratio) {
      const read = viewer.colours(this.canvas);
      this.playhead = read("--rv-playhead");
      this.colours = this.replay.seats.map((_, seat) => read("--seat-" + seat % 12));
      this.canvas.width = w;
      this.canvas.height = h;
      this.picture = document.createElement("canvas");
      this.picture.width = w;
      this.picture.height = h;
      const pen = this.picture.getContext("2d");
      if (this.replay.graph) this.drawLines(pen, { w, h, ratio });
      this.drawFaults(pen, { w, ratio });
    }

    drawLines(pen, { w, h, ratio }) {
      const { lines } = this.replay.graph;
      const values = lines.flat();
      const [low, high] = [Math.min(0, ...values), Math.max(1, ...values)];
      const top = FAULTS_HEIGHT * ratio;
      const y = (value) => h - 3 * ratio - (value - low) / (high - low) * (h - top - 6 * ratio);
      lines.forEach((line, seat) => {
        pen.strokeStyle = this.colours[seat];
        pen.lineWidth = 2 * ratio;
        pen.lineJoin = "round";
        pen.beginPath();
        line.slice(0, this.seen + 1).forEach((value, frame) => {
          if (frame === 0) pen.moveTo(0, y(value));
          else {
            pen.lineTo(this.x(frame, w), y(line[frame - 1]));
            pen.lineTo(this.x(frame, w), y(value));
          }
        });
        pen.stroke();
      });
    }

    drawFaults(pen, { w, ratio }) {
      for (const turn of this.faults) {
        if (this.replay.frameOf(turn.round) > this.seen) continue;
        const x = this.x(this.replay.frameOf(turn.round), w);
        pen.fillStyle = this.colours[turn.seat];
        pen.beginPath();
        pen.moveTo(x - 4 * ratio, 0);
        pen.lineTo(x + 4 * ratio, 0);
        pen.lineTo(x, 7 * ratio);
        pen.fill();
      }
    }
  }

  viewer.Graph = Graph;
})(window.joustViewer);
