/* The replay viewer: draws the positions of a recorded bout. It knows kinds of
   things (walls, bombs, ships), never a game; whatever a game's referee says
   is on the board is drawn from the table in things.js and tiles.js. */
"use strict";

window.joustViewer = {
  /* Small helpers that every part uses. */
  element(name, properties = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (key === "class") node.className = value;
      else if (key.startsWith("data-") || key.startsWith("aria-") || key === "role" || key === "for") node.setAttribute(key, value);
      else node[key] = value;
    }
    node.append(...children);
    return node;
  },

  /* Reads colours of the style sheet as they are in the page's theme. */
  colours(node) {
    const style = getComputedStyle(node);
    const kept = node.style.color;
    const read = (name) => {
      node.style.color = "var(" + name + ")";
      const colour = style.color;
      node.style.color = kept;
      return colour;
    };
    return read;
  },

  icon(path) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("aria-hidden", "true");
    const shape = document.createElementNS("http://www.w3.org/2000/svg", "path");
    shape.setAttribute("d", path);
    svg.append(shape);
    return svg;
  },
};
