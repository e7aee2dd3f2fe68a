/**
 * The Explorer in the output of a notebook's cell. The page comes from Python and stands in a frame of its own, whose
 * requests Python answers: the browser needs no way to the server, and nothing is loaded from anywhere.
 */

/** What is chosen, as traits of the model in Python have it. */
const SELECTED = ["part", "layer", "head", "stage", "view", "query", "key", "rows", "cols"];
const TITLE = "Attention Observatory";

/**
 * @typedef {object} Model  of anywidget
 * @property {(name: string) => any} get
 * @property {(name: string, value: unknown) => void} set
 * @property {() => void} save_changes
 * @property {(event: string, listener: (...given: any[]) => void) => void} on
 * @property {(event: string, listener: (...given: any[]) => void) => void} off
 * @property {(content: unknown) => void} send
 */

/**
 * @param {{model: Model, el: HTMLElement}} given
 * @returns {() => void}  ends it
 */
function render({ model, el }) {
  const view = crypto.getRandomValues(new Uint32Array(2)).join("-");
  const frame = document.createElement("iframe");
  /** The picture that Python puts beside the widget is for where no widget lives. */
  const hiding = document.createElement("style");
  frame.title = TITLE;
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  const size = () => void (frame.style.cssText = `display:block;width:100%;height:${model.get("height")}px;border:0`);
  const tell = (/** @type {object} */ message) => frame.contentWindow?.postMessage(message, "*");
  /** Counts what the page was told to choose. What it said before it heard the newest is out of date. */
  let turn = 0;
  /** What it is about to be told, all at once. @type {Set<string>} */
  const due = new Set();
  /** Whether the page itself has just chosen something. */
  let isHearing = false;

  function select(/** @type {string[]} */ names) {
    if (isHearing) return;
    if (due.size === 0) queueMicrotask(tellDue);
    for (const name of names) due.add(name);
  }

  function tellDue() {
    const selection = Object.fromEntries([...due].map((name) => [name, model.get(name)]));
    due.clear();
    turn += 1;
    tell({ type: "observatory:select", turn, selection });
  }

  /** What the page says. @type {Record<string, (message: any) => void>} */
  const heard = {
    "observatory:ready": () => select(SELECTED),
    "observatory:request": ({ type, ...request }) => model.send({ kind: "request", view, ...request }),
    "observatory:selection"({ turn: heardOf, selection }) {
      if (heardOf !== turn || due.size > 0) return;
      isHearing = true;
      for (const name of SELECTED) {
        if (!isSame(model.get(name), selection[name])) model.set(name, selection[name]);
      }
      isHearing = false;
      model.save_changes();
    },
  };
  /** @param {MessageEvent} event */
  function hear({ source, data }) {
    if (source === frame.contentWindow) heard[data?.type]?.(data);
  }

  /**
   * What Python says.
   * @param {any} content
   * @param {DataView[]} buffers
   */
  function answered({ kind, view: whose, ...rest }, buffers) {
    if (whose !== view) return;
    if (kind === "page") {
      frame.srcdoc = marked(new TextDecoder().decode(buffers[0]));
      hiding.textContent = hidingRule(model.get("picture"));
    }
    if (kind === "response") tell({ type: "observatory:response", ...rest, body: copyOf(buffers[0]) });
  }

  const changes = SELECTED.map((name) => ({ event: `change:${name}`, listener: () => select([name]) }));
  for (const { event, listener } of changes) model.on(event, listener);
  model.on("change:height", size);
  model.on("msg:custom", answered);
  window.addEventListener("message", hear);
  const theming = new MutationObserver(() => tell({ type: "observatory:theme", theme: themeOf() }));
  for (const element of [document.documentElement, document.body]) theming.observe(element, { attributes: true });
  size();
  el.append(hiding, frame);
  model.send({ kind: "page", view });

  return () => {
    for (const { event, listener } of changes) model.off(event, listener);
    model.off("change:height", size);
    model.off("msg:custom", answered);
    window.removeEventListener("message", hear);
    theming.disconnect();
    hiding.remove();
    frame.remove();
  };
}

/**
 * Hides a drawing, and the line of the cell's output in which it stands: JupyterLab shows it as an image.
 * @param {string} id
 */
function hidingRule(id) {
  const drawings = `:is(svg#${id}, img[src*="${id}"])`;
  return `${drawings}, :is(.jp-OutputArea-child, .output_area, .output_container):has(${drawings}) { display: none }`;
}

/**
 * The page with marks by which it knows before its first paint where it is.
 * @param {string} page
 */
function marked(page) {
  return page.replace("<html", `<html data-host="notebook" data-theme="${themeOf()}"`);
}

/** @returns {"" | "paper" | "night"}  as JupyterLab, VS Code and Colab say; "" where the system is followed */
function themeOf() {
  const { jpThemeLight: light, vscodeThemeKind: kind } = document.body.dataset;
  if (light) return light === "true" ? "paper" : "night";
  if (kind) return kind.includes("dark") || kind === "vscode-high-contrast" ? "night" : "paper";
  const theme = document.documentElement.getAttribute("theme");
  return theme === "dark" ? "night" : theme === "light" ? "paper" : "";
}

/** @param {DataView} buffer  maybe a part of a larger one */
function copyOf({ buffer, byteOffset, byteLength }) {
  return buffer.slice(byteOffset, byteOffset + byteLength);
}

/**
 * @param {unknown} one
 * @param {unknown} other
 */
function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

export default { render };
