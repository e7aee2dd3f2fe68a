/** The lines between two columns of tokens: all of them, and over them those of the token followed. */

import { el } from "../../base/dom.js";
import { differs } from "../../base/mount.js";
import { sized } from "../../charts/heat_map/cell_frames.js";
import { ROW } from "./row_window.js";

/** @typedef {import("./lines.js").Followed} Followed */
/** @typedef {import("./lines.js").Series} Series */
/** @typedef {import("./links.js").Link} Link */
/** @typedef {{middle: (place: number) => number}} Column  pixels from its top to the middle of a token */
/** @typedef {{query: Column, key: Column}} Columns */

export function createPicture() {
  const all = el("canvas", { class: "lines-all", "aria-hidden": "true" });
  const some = el("canvas", { class: "lines-some", "aria-hidden": "true" });
  const element = el("div", { class: "lines-middle" }, all, some);
  let size = { width: 0, height: 0, row: ROW };
  return {
    element,
    hasRoom: () => element.clientWidth > 0,
    /**
     * @param {{row: number, height: number}} rows  height of a token, and of the columns
     * @returns {boolean}  whether that is another size
     */
    resize({ row, height }) {
      const next = { width: element.clientWidth, height, row };
      element.style.height = `${height}px`;
      const isOther = differs(size, next);
      size = next;
      return isOther;
    },
    /** @param {Link[]} links @param {Series[]} series @param {Columns} columns */
    draw: (links, series, columns) => paint(all, links, series, size, columns),
    /**
     * @param {Followed | null} token
     * @param {Link[]} links  those drawn
     * @param {Series[]} series
     * @param {Columns} columns
     */
    follow(token, links, series, columns) {
      const own = token ? links.filter((link) => link[token.side] === token.place) : [];
      paint(some, own, series, size, columns);
      element.classList.toggle("is-following", token !== null);
    },
  };
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Link[]} links
 * @param {Series[]} series
 * @param {{width: number, height: number, row: number}} size  `row`: height of a token
 * @param {Columns} columns
 */
function paint(canvas, links, series, size, columns) {
  const ratio = devicePixelRatio || 1;
  const target = sized(canvas, size, ratio);
  target.setTransform(ratio, 0, 0, ratio, 0, 0);
  const { width } = size;
  const unit = size.row / ROW;
  const spread = unit * Math.min(3, (ROW - 8) / Math.max(1, series.length));
  target.lineCap = "round";
  for (const { head, query, key, weight } of links) {
    const shift = (head - (series.length - 1) / 2) * spread;
    const [from, to] = [columns.query.middle(query) + shift, columns.key.middle(key) + shift];
    target.strokeStyle = series[head].color;
    target.globalAlpha = 0.15 + 0.85 * Math.sqrt(weight);
    target.lineWidth = unit * (0.75 + 4.25 * weight);
    target.setLineDash(series[head].dash);
    target.beginPath();
    target.moveTo(0, from);
    target.bezierCurveTo(width * 0.4, from, width * 0.6, to, width, to);
    target.stroke();
  }
}
