/* Layout: where the squares of a board are drawn. A board of several panels has a
   row of titles and one of numbers above them, and numbers of rows beside each. */
(function (viewer) {
  const ABOVE = 2;
  const BESIDE = 1;

  class Layout {
    constructor({ width, height, panels = [], seats }) {
      Object.assign(this, { rows: height, panels: [], width, height });
      if (!panels.length) return;
      let at = 0;
      for (const panel of panels) {
        const title = panel.owner === null || !seats[panel.owner] ? "" : seats[panel.owner].bot;
        this.panels.push({ ...panel, title, at: at + BESIDE });
        at += BESIDE + panel.width;
      }
      this.width = at + BESIDE / 2;
      this.height = height + ABOVE;
    }

    get isPlain() {
      return this.panels.length === 0;
    }

    panelOf(x) {
      return this.panels.find(({ left, width }) => x >= left && x < left + width);
    }

    /* Where a square is drawn, in squares from the top left; null when it is in no panel. */
    place(x, y) {
      if (this.isPlain) return { x, y };
      const panel = this.panelOf(Math.round(x));
      return panel ? { x: x - panel.left + panel.at, y: y + ABOVE } : null;
    }

    /* The square that is drawn at a point, given in squares from the top left. */
    squareAt(x, y) {
      if (this.isPlain) return x >= 0 && y >= 0 && x < this.width && y < this.height ? { x: Math.floor(x), y: Math.floor(y) } : null;
      const panel = this.panels.find(({ at, width }) => x >= at && x < at + width);
      const row = Math.floor(y) - ABOVE;
      return panel && row >= 0 && row < this.rows ? { x: Math.floor(x - panel.at) + panel.left, y: row } : null;
    }

    /* A square as the game names it. */
    name({ x, y }) {
      const panel = this.panelOf(x);
      if (!panel) return x + "," + y;
      return (panel.title ? panel.title + " " : "") + (x - panel.left) + "," + (panel.upwards ? this.rows - 1 - y : y);
    }

    /* Titles and numbers, each in the middle of a place: text, x, y, size, and whose it is. */
    labels() {
      return this.panels.flatMap((panel) => [
        { text: panel.title, x: panel.at + panel.width / 2, y: 0.55, size: 0.72, seat: panel.owner, most: panel.width },
        ...Array.from({ length: panel.width }, (_, i) => ({ text: String(i), x: panel.at + i + 0.5, y: ABOVE - 0.42, size: 0.5 })),
        ...Array.from({ length: this.rows }, (_, y) => ({
          text: String(panel.upwards ? this.rows - 1 - y : y), x: panel.at - 0.42, y: ABOVE + y + 0.5, size: 0.5,
        })),
      ]);
    }
  }

  viewer.Layout = Layout;
})(window.joustViewer);
