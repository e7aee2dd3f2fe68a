/** The only module that touches Plotly. It loads it when the first plot is wanted, and draws heat maps. */

/** @typedef {import("../api/types.js").Matrix} Matrix */
/** @typedef {import("../api/types.js").Range} Range */

/**
 * @typedef {object} Heatmap  what to draw
 * @property {Matrix} matrix
 * @property {Range} rows  queries in view
 * @property {Range} cols  keys in view
 * @property {{at: number[], text: string[]}} rowLabels
 * @property {{at: number[], text: string[]}} colLabels
 * @property {[number, string][]} scale
 * @property {[number, number]} limits  values at the ends of the scale
 * @property {{left: number, top: number, right: number, bottom: number}} margins
 * @property {number} width  of the plot and its margins
 * @property {number} height
 * @property {{font: string, size: number, row: string, col: string}} type
 * @property {boolean} drag  whether dragging zooms
 */

/**
 * @typedef {object} Listeners
 * @property {(row: number, col: number) => void} onHover  first query and key of the cell
 * @property {() => void} onLeave
 * @property {(row: number, col: number) => void} onClick
 * @property {(rows: [number, number], cols: [number, number]) => void} onZoom  axis ranges as dragged
 * @property {() => void} onReset
 */

/** @type {Promise<any> | null} */
let library = null;

/**
 * @param {string} url
 * @returns {Promise<any>}
 */
export function loadPlotly(url) {
  library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = url;
    script.addEventListener("load", () => resolve(/** @type {any} */ (globalThis).Plotly));
    script.addEventListener("error", () => {
      library = null;
      script.remove();
      reject(new Error(`could not load ${url}`));
    });
    document.head.append(script);
  });
  return library;
}

/**
 * @param {any} plotly
 * @param {HTMLElement} element
 * @param {Listeners} listeners
 * @returns {{draw: (heatmap: Heatmap) => Promise<void>, destroy: () => void}}
 */
export function createHeatmap(plotly, element, listeners) {
  const target = /** @type {any} */ (element);
  /** @type {Matrix | null} */
  let shown = null;
  let bound = false;

  /** @param {any} event */
  const cell = (event) => {
    const [row, col] = event.points[0].pointIndex;
    const matrix = /** @type {Matrix} */ (shown);
    return /** @type {const} */ ([matrix.rows[0] + row * matrix.cellRows, matrix.cols[0] + col * matrix.cellCols]);
  };

  const bind = () => {
    bound = true;
    target.on("plotly_hover", (/** @type {any} */ event) => listeners.onHover(...cell(event)));
    target.on("plotly_unhover", () => listeners.onLeave());
    target.on("plotly_click", (/** @type {any} */ event) => listeners.onClick(...cell(event)));
    target.on("plotly_doubleclick", () => listeners.onReset());
    target.on("plotly_relayout", (/** @type {any} */ change) => {
      // Only a drag reports single ends of a range; our own drawing never does.
      if (!("xaxis.range[0]" in change) && !("yaxis.range[0]" in change)) return;
      const [[top, bottom], [left, right]] = [target.layout.yaxis.range, target.layout.xaxis.range];
      listeners.onZoom([top, bottom], [left, right]);
    });
  };

  return {
    async draw(heatmap) {
      shown = heatmap.matrix;
      await plotly.react(target, [trace(heatmap)], layout(heatmap), {
        displayModeBar: false,
        doubleClick: false,
        responsive: false,
        showTips: false,
        staticPlot: !heatmap.drag,
      });
      if (!bound) bind();
    },
    destroy() {
      plotly.purge(target);
    },
  };
}

/**
 * @param {Heatmap} heatmap
 */
function trace({ matrix, scale, limits }) {
  const { values, height, width } = matrix;
  return {
    type: "heatmap",
    z: Array.from({ length: height }, (_, row) => finiteRow(values.subarray(row * width, (row + 1) * width))),
    x0: matrix.cols[0] + (matrix.cellCols - 1) / 2,
    dx: matrix.cellCols,
    y0: matrix.rows[0] + (matrix.cellRows - 1) / 2,
    dy: matrix.cellRows,
    zmin: limits[0],
    zmax: limits[1],
    zsmooth: false,
    colorscale: scale,
    showscale: false,
    // The page draws its own tooltip, from text nodes; gaps (−∞) answer to the pointer too.
    hoverinfo: "none",
    hoverongaps: true,
  };
}

/**
 * A row as Plotly draws it: −∞ is a gap, through which the page's hatching shows.
 * @param {Float32Array} row
 * @returns {Float32Array}
 */
function finiteRow(row) {
  return row.includes(-Infinity) ? row.map((value) => (value === -Infinity ? NaN : value)) : row;
}

/**
 * @param {Heatmap} heatmap
 */
function layout({ rows, cols, rowLabels, colLabels, margins, width, height, type, drag }) {
  const axis = { showgrid: false, zeroline: false, showline: false, ticks: "", fixedrange: !drag, tickmode: "array" };
  const font = { family: type.font, size: type.size };
  return {
    width,
    height,
    margin: { l: margins.left, t: margins.top, r: margins.right, b: margins.bottom, pad: 3 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    dragmode: drag ? "zoom" : false,
    hovermode: "closest",
    xaxis: {
      ...axis,
      side: "top",
      range: [cols[0] - 0.5, cols[1] - 0.5],
      tickvals: colLabels.at,
      ticktext: colLabels.text.map(escapeMarkup),
      tickangle: -90,
      tickfont: { ...font, color: type.col },
    },
    yaxis: {
      ...axis,
      range: [rows[1] - 0.5, rows[0] - 0.5],
      tickvals: rowLabels.at,
      ticktext: rowLabels.text.map(escapeMarkup),
      tickfont: { ...font, color: type.row },
    },
  };
}

/**
 * Plotly reads tags and entities in labels; a token such as "<s>" must stay what it is.
 * @param {string} text
 * @returns {string}
 */
export function escapeMarkup(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
