/* The player: controls, keys, the link to a round, and the start. */
(function (viewer) {
  const { element, icon, ONLOOKER } = viewer;
  const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32, 64];
  const COMFORTABLE_SECONDS = 45;
  const TWEEN_MS = 220;
  /* Pixels: the least height of the board, and what stays free below the controls. */
  const LEAST_BOARD = 260;
  const MARGIN = 10;
  /* Time after which a board on a first page starts again. */
  const REST_MS = 6000;
  /* Limit on the tries to load a recording, and the delay before the next one. */
  const MOST_TRIES = 12;
  const AGAIN_MS = 5000;
  const ICONS = {
    first: "M6 5h2v14H6zM20 5v14L9 12z",
    back: "M16 5v14L5 12zM17 5h2v14h-2z",
    play: "M7 4l14 8-14 8z",
    pause: "M6 5h4v14H6zM14 5h4v14h-4z",
    forward: "M8 5v14l11-7zM5 5h2v14H5z",
    last: "M16 5h2v14h-2zM4 5v14l11-7z",
    full: "M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z",
  };
  const KEYS = {
    " ": (player) => player.toggle(),
    ArrowLeft: (player, event) => player.step(event.shiftKey ? -10 : -1),
    ArrowRight: (player, event) => player.step(event.shiftKey ? 10 : 1),
    Home: (player) => player.seek(0),
    End: (player) => player.seek(player.replay.last),
    "+": (player) => player.changeSpeed(1),
    "=": (player) => player.changeSpeed(1),
    "-": (player) => player.changeSpeed(-1),
  };
  const KEY_NAMES = [["space", "play, pause"], ["← →", "a step"], ["Shift ← →", "ten steps"], ["Home End", "the ends"], ["+ −", "speed"]];

  const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  function button(name, label, act) {
    const node = element("button", { type: "button", id: "replay-" + name, class: "rv-button", title: label, "aria-label": label }, icon(ICONS[name]));
    node.addEventListener("click", act);
    return node;
  }

  class Player {
    constructor(section, replay) {
      Object.assign(this, { section, replay, frame: 0, eyes: ONLOOKER, isPlaying: false });
      /* The bout's own page, when this board is on another one. */
      this.page = section.dataset.page || null;
      this.build();
      this.listen();
      if (!this.page) this.openHash();
      this.render();
      if (this.page) this.playWhileSeen();
    }

    /* Plays by itself while it is on the screen, until the viewer pauses it. */
    playWhileSeen() {
      if (isStill()) return;
      this.isOnItsOwn = true;
      const seen = new IntersectionObserver(([entry]) => {
        if (!this.isOnItsOwn) return;
        if (!entry.isIntersecting) this.stop();
        else if (!this.isPlaying) this.play();
      }, { threshold: 0.4 });
      seen.observe(this.main);
    }

    build() {
      const { replay } = this;
      this.canvas = element("canvas", { id: "replay-board", class: "rv-board", role: "img" });
      this.canvas.width = replay.layout.width * 32;
      this.canvas.height = replay.layout.height * 32;
      this.under = element("p", { class: "rv-under", "aria-hidden": "true" });
      this.live = element("p", { id: "replay-live", class: "rv-hidden", role: "status", "aria-live": "polite" });
      this.plates = new viewer.Plates(replay);
      this.seats = new viewer.Seats(replay);
      this.turns = new viewer.Turns(replay);
      this.rounds = new viewer.Rounds(replay);
      this.texts = new viewer.Texts(replay);
      this.picture = element("img", { class: "rv-picture", alt: "", hidden: true });
      this.picture.addEventListener("load", () => this.fit(), { once: true });
      this.text = element("pre", { id: "replay-text", class: "rv-stage", tabindex: 0, role: "region", hidden: true });
      const main = element("div", { class: "rv-main" }, this.plates.node, this.picture, this.canvas, this.text, this.under, this.controls(), this.graphBox(), this.keysBox());
      this.main = main;
      const all = [this.eyesBox(), this.seats.node, this.turns.node, this.texts.node, this.rounds.node];
      const side = element("div", { class: "rv-side" }, ...(this.page ? [this.seats.node, this.turns.node] : all));
      this.section.replaceChildren(main, side, this.live);
      this.section.classList.add("rv-ready");
      this.fit();
      this.board = new viewer.Board(replay, this.canvas);
    }

    controls() {
      this.playButton = button("play", "Play", () => this.toggle());
      this.slider = element("input", { type: "range", id: "replay-slider", min: 0, max: this.replay.last, step: 1, value: 0, "aria-label": "Position in the bout" });
      this.slider.addEventListener("input", () => this.seek(Number(this.slider.value)));
      this.label = element("output", { id: "replay-round", class: "rv-label" });
      this.link = element("a", { id: "replay-link", class: "rv-link", title: "The address of exactly this position" }, "link");
      this.controlBox = element("div", { class: "rv-controls", role: "group", "aria-label": "Replay" },
        element("div", { class: "rv-buttons" },
          button("first", "First (Home)", () => this.seek(0)),
          button("back", "Step back (left arrow)", () => this.step(-1)),
          this.playButton,
          button("forward", "Step forward (right arrow)", () => this.step(1)),
          button("last", "Last (End)", () => this.seek(this.replay.last))),
        this.slider, this.label, this.speedBox(), this.link, ...this.fullBox());
      return this.controlBox;
    }

    /* A button for the whole screen, where a browser has one. */
    fullBox() {
      if (!document.fullscreenEnabled) return [];
      document.addEventListener("fullscreenchange", () => this.fit());
      return [button("full", "Full screen", () => {
        if (document.fullscreenElement) document.exitFullscreen();
        else this.main.requestFullscreen();
      })];
    }

    speedBox() {
      const pace = this.replay.doc.pace_ms;
      const wanted = pace ? 1000 / pace : Math.min(16, Math.max(2, this.replay.last / COMFORTABLE_SECONDS));
      this.speed = SPEEDS.find((speed) => speed >= wanted) || SPEEDS[SPEEDS.length - 1];
      const options = SPEEDS.map((speed) => element("option", { value: speed, selected: speed === this.speed }, speed + "/s"));
      this.speedSelect = element("select", { id: "replay-speed", title: "Speed (+ and -)" }, ...options);
      this.speedSelect.addEventListener("change", () => { this.speed = Number(this.speedSelect.value); });
      return element("label", { class: "rv-speed" }, element("span", { class: "rv-hidden" }, this.replay.unit + "s per second"), this.speedSelect);
    }

    changeSpeed(count) {
      this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(this.speed) + count))];
      this.speedSelect.value = this.speed;
      this.due = performance.now() + 1000 / this.speed;
    }

    keysBox() {
      const keys = KEY_NAMES.flatMap(([keys, effect]) => [element("kbd", {}, keys), " " + effect + "  "]);
      return element("p", { class: "rv-keys" }, ...keys);
    }

    graphBox() {
      this.graphCanvas = element("canvas", { class: "rv-graph", "aria-hidden": "true" });
      this.graph = new viewer.Graph(this.replay, this.graphCanvas, (frame) => this.seek(frame));
      const { graph } = this.replay;
      const caption = graph ? graph.key + " by " + this.replay.unit + ", as far as it was watched; triangles are faults" : "triangles are faults";
      return element("figure", { class: "rv-figure", hidden: !this.graph.isWanted }, this.graphCanvas, element("figcaption", {}, caption));
    }

    eyesBox() {
      const names = ["everything", ...this.replay.seats.map(({ bot }, seat) => "what seat " + seat + " is shown: " + bot)];
      const options = names.map((name, i) => element("option", { value: i - 1 }, name));
      this.eyesSelect = element("select", { id: "replay-eyes" }, ...options);
      this.eyesSelect.addEventListener("change", () => {
        this.eyes = Number(this.eyesSelect.value);
        this.render();
        this.writeHash();
      });
      return element("label", { class: "rv-eyes" }, element("span", {}, "Show "), this.eyesSelect);
    }

    /* The board is as large as leaves the controls on the screen: this much of
       the page is above it when it is opened, and this much below. */
    fit() {
      const { layout } = this.replay;
      const { picture } = this;
      if (picture.hidden && !this.replay.hasBoard) return;
      const shown = picture.hidden ? this.canvas : picture;
      const ratio = picture.hidden ? layout.width / layout.height : picture.naturalWidth / picture.naturalHeight || 1;
      const board = shown.getBoundingClientRect();
      const below = this.controlBox.getBoundingClientRect().bottom - board.bottom;
      const show = (height) => {
        shown.style.maxWidth = Math.floor(height * ratio) + "px";
      };
      if (document.fullscreenElement === this.main) {
        const end = Math.max(...Array.from(this.main.children, (child) => child.getBoundingClientRect().bottom));
        return show(innerHeight - (board.top + this.main.scrollTop) - (end - board.bottom) - 2 * MARGIN);
      }
      const isAlone = document.documentElement.hasAttribute("data-embed");
      const isWide = isAlone || matchMedia("(min-width: 56rem)").matches;
      const above = this.page ? innerHeight / 3 : isWide ? board.top + scrollY : 0;
      show(Math.max(isAlone ? 0 : LEAST_BOARD, innerHeight - above - below - MARGIN));
    }

    listen() {
      window.addEventListener("resize", () => this.fit());
      document.addEventListener("keydown", (event) => this.key(event));
      if (!this.page) window.addEventListener("hashchange", () => { if (this.openHash()) this.render(); });
      document.addEventListener("click", (event) => this.jump(event));
      this.canvas.addEventListener("pointermove", (event) => this.point(event));
      this.canvas.addEventListener("pointerleave", () => { this.under.textContent = ""; });
      const refresh = () => {
        this.board.refresh();
        this.graph.refresh();
      };
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh);
      new MutationObserver(refresh).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme", "class"] });
    }

    /* Space and arrows belong to fields and buttons that have the focus. */
    key(event) {
      const act = KEYS[event.key];
      if (!act || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
      const held = event.target.closest("input, select, textarea, [contenteditable]");
      const isOnControl = event.key === " " && event.target.closest("button, a, summary");
      const isScrolled = event.target.closest(".rv-scroll") && (event.key === "Home" || event.key === "End");
      /* A page with more than a replay scrolls by its keys. */
      const isElsewhere = this.page && !this.section.contains(event.target);
      if (held || isOnControl || isScrolled || isElsewhere) return;
      event.preventDefault();
      act(this, event);
    }

    jump(event) {
      const target = event.target.closest("[data-replay-round]");
      if (!target) return;
      event.preventDefault();
      this.seek(this.replay.frameOf(Number(target.dataset.replayRound)));
      (this.replay.hasBoard ? this.canvas : this.main).scrollIntoView({ block: "nearest" });
    }

    point(event) {
      const square = this.board.squareAt(event.clientX, event.clientY);
      const labels = square ? this.replay.things(this.frame, square.x, square.y, this.eyes) : [];
      this.under.textContent = square ? this.replay.layout.name(square) + "  " + labels.join(" · ") : "";
    }

    toggle() {
      this.isOnItsOwn = false;
      if (this.isPlaying) this.pause();
      else this.play();
    }

    play() {
      if (this.frame === this.replay.last) this.moveTo(0);
      this.isPlaying = true;
      this.showPlaying();
      this.due = performance.now() + 1000 / this.speed;
      this.animate();
    }

    pause() {
      this.stop();
      this.announce();
      this.writeHash();
    }

    stop() {
      this.isPlaying = false;
      this.showPlaying();
    }

    showPlaying() {
      const label = this.isPlaying ? "Pause" : "Play";
      this.playButton.replaceChildren(icon(this.isPlaying ? ICONS.pause : ICONS.play));
      this.playButton.title = label + " (space)";
      this.playButton.setAttribute("aria-label", label);
      this.section.classList.toggle("rv-playing", this.isPlaying);
    }

    step(count) {
      this.isOnItsOwn = false;
      if (this.isPlaying) this.pause();
      const frame = Math.min(this.replay.last, Math.max(0, this.frame + count));
      this.moveTo(frame);
      this.announce();
      this.writeHash();
      this.animate();
    }

    seek(frame) {
      this.isOnItsOwn = false;
      if (this.isPlaying) this.pause();
      this.frame = frame;
      this.tween = null;
      this.render();
      this.announce();
      this.writeHash();
    }

    /* Goes to a frame; from the frame just before it, things move there. */
    moveTo(frame) {
      const isNext = frame === this.frame + 1 && !isStill();
      const length = this.isPlaying ? Math.min(TWEEN_MS, 800 / this.speed) : TWEEN_MS;
      this.tween = isNext ? { from: this.frame, since: performance.now(), length } : null;
      this.frame = frame;
      this.render();
      if (isNext && this.speed <= 16) this.board.float(frame);
    }

    animate() {
      if (this.ticking) return;
      this.ticking = true;
      const tick = () => {
        const now = performance.now();
        if (this.isPlaying && now >= this.due) this.advance(now);
        const progress = this.tween ? Math.min(1, (now - this.tween.since) / this.tween.length) : 1;
        if (this.tween || this.board.isMoving) this.board.between(this.tween ? this.tween.from : this.frame, this.frame, progress);
        if (progress >= 1) this.tween = null;
        this.ticking = this.isPlaying || this.tween !== null || this.board.isMoving;
        if (this.ticking) requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
    }

    /* A page that was in the background continues where it was. */
    advance(now) {
      const interval = 1000 / this.speed;
      const steps = Math.min(8, 1 + Math.floor((now - this.due) / interval));
      this.due = Math.max(this.due + steps * interval, now - interval);
      for (let i = 0; i < steps && this.frame < this.replay.last; i++) this.moveTo(this.frame + 1);
      if (this.frame !== this.replay.last) return;
      if (!this.isOnItsOwn) return this.pause();
      this.stop();
      setTimeout(() => { if (this.isOnItsOwn && !this.isPlaying) this.play(); }, REST_MS);
    }

    render() {
      const { replay, frame, eyes } = this;
      this.showPicture();
      this.board.show(frame, eyes);
      if (this.tween) this.board.between(this.tween.from, frame, 0);
      this.graph.show(frame);
      this.plates.show(frame);
      this.seats.show(frame, eyes);
      this.turns.show(frame, eyes);
      this.rounds.show(frame);
      this.texts.show(frame, eyes);
      this.slider.value = frame;
      const text = replay.name(frame) + (frame === replay.last ? ", the end: " + replay.doc.ended : "");
      this.slider.setAttribute("aria-valuetext", text);
      this.label.textContent = replay.name(frame) + " / " + replay.roundOf(replay.last);
      this.link.href = (this.page || "") + this.hash();
      this.eyesSelect.value = eyes;
      this.canvas.setAttribute("aria-label", "Board of " + replay.doc.title + ", " + text);
      this.text.setAttribute("aria-label", "Position of " + replay.doc.title + ", " + text);
      this.picture.alt = "Picture of " + replay.doc.title + ", " + text;
      /* The result is opened once the end has been watched. */
      const result = document.getElementById("result");
      if (result && frame === replay.last) result.open = true;
      this.section.dataset.frame = frame;
      this.section.dataset.last = replay.last;
    }

    /* The referee's own picture in place of the board, or, of a game that has neither, the position as text.
       A picture can as an image neither run nor load anything. */
    showPicture() {
      const { replay, frame, eyes } = this;
      const { picture } = replay.positions[frame];
      const isShown = picture !== null && eyes === ONLOOKER;
      if (isShown) this.picture.src = "data:image/svg+xml," + encodeURIComponent(picture);
      this.picture.hidden = !isShown;
      this.canvas.hidden = isShown || !replay.hasBoard;
      this.text.hidden = isShown || replay.hasBoard;
      if (!this.text.hidden) this.text.textContent = replay.text(frame, eyes).trim() || "The referee shows nothing of this position.";
    }

    /* The text that a screen reader reads for a round. */
    announce() {
      const { replay, frame } = this;
      const turns = replay.turnsOfFrame[frame].map((turn) => {
        const fault = viewer.isFault(turn) ? turn.verdict : "";
        return replay.seats[turn.seat].bot + ": " + [viewer.said(turn), fault].filter(Boolean).join(", ");
      });
      const stats = replay.stats(frame, this.eyes).map(({ values, rest }, seat) =>
        [replay.seats[seat].bot, ...values.map(([key, value]) => key + " " + value), rest].filter(Boolean).join(" "));
      const end = frame === replay.last ? "The end: " + replay.doc.ended + ". " : "";
      this.live.textContent = [replay.name(frame), ...turns].join(". ") + ". " + end + stats.join("; ");
    }

    hash() {
      const place = this.frame === 0 ? "start" : "round=" + this.replay.roundOf(this.frame);
      return "#" + place + (this.eyes === ONLOOKER ? "" : "&seat=" + this.eyes);
    }

    writeHash() {
      if (!this.page && location.hash !== this.hash()) history.replaceState(null, "", this.hash());
    }

    /* Opens the round that the address names; returns whether it names one. */
    openHash() {
      const place = /^#(?:start|round=(\d{1,9}))(?:&seat=(\d{1,2}))?$/.exec(location.hash);
      if (!place) return false;
      if (this.isPlaying) this.pause();
      this.frame = place[1] === undefined ? 0 : this.replay.frameOf(Number(place[1]));
      const seat = place[2] === undefined ? ONLOOKER : Number(place[2]);
      this.eyes = seat < this.replay.seats.length ? seat : ONLOOKER;
      this.tween = null;
      return true;
    }
  }

  let tries = 0;

  function start() {
    const section = document.getElementById("replay");
    const inside = document.getElementById("replay-data");
    if (!section || !(inside || section.dataset.src)) return;
    if (section.classList.contains("rv-ready") || section.hasAttribute("aria-busy")) return;
    section.setAttribute("aria-busy", "true");
    const loaded = inside ? viewer.unpack(inside.textContent) : viewer.load(section.dataset.src);
    loaded.then((replay) => {
      viewer.player = new Player(section, replay);
    }).catch((error) => {
      section.replaceChildren(element("p", { class: "rv-error", role: "alert" }, "This recording cannot be drawn: " + error.message + "."));
      tries += 1;
      if (error instanceof viewer.Missing && tries < MOST_TRIES) setTimeout(start, AGAIN_MS);
    }).finally(() => section.removeAttribute("aria-busy"));
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
  /* A live page has replaced its main part by a newer one. */
  document.addEventListener("joust-replaced", start);
})(window.joustViewer);
