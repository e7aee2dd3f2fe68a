/** Lecture tools of a page: snippets, image files, the page as a file, and the API calls behind its numbers. */

import { absolute } from "../../base/place.js";
import { command } from "../../base/code/shell_code.js";
import { bindFilmFile } from "./film_file.js";
import { callsOf, ownCall } from "./answer_binding.js";
import { askConcept, requestOfCall } from "../../api/analyses.js";
import { el, need } from "../../base/dom.js";
import { t } from "../../base/i18n.js";
import { lectureToolsView } from "../../page/lecture_tools.js";
import { small } from "../../base/numbers.js";
import { offlineFile } from "./save_page.js";
import { stateLinks } from "./story.js";
import { copyOf, standalone } from "../../page/image_file.js";
import { download, pngFile, svgFile } from "../../base/picture_files.js";
import { mount } from "../../base/mount.js";

/** @typedef {import("./concept.js").Types} Types */
/** @typedef {import("../../api/types.js").Call} Call */

/**
 * @template {Types} T
 * @typedef {ReturnType<typeof import("./scene.js").createScene<T>>} Shown
 */

/** Pixels; height of a frame until the embedded page reports its own. */
const HEIGHT = 760;

/**
 * @template {Types} T
 * @param {import("./concept.js").Page<T>} page
 * @param {Shown<T>} scene
 * @returns {(value: Readonly<T["state"]>, obstacle: string) => void}  `obstacle`: why nothing can be exported; "" if it can
 */
export function bindLecture(page, scene) {
  const { root, concept, write } = page;
  const { page: name = concept.stem } = concept;
  const title = root.title.split(" · ")[0].trim();
  const full = (/** @type {string} */ path, /** @type {Readonly<T["state"]>} */ value) =>
    absolute(`${path}?${write(value)}`);
  const files = ["#save-png", "#save-svg", "#save-gif", "#save-html"].map((id) => root.querySelector(id));
  const buttons = files.filter((control) => control instanceof HTMLButtonElement);
  const barred = el("p", { class: "note save-obstacle", hidden: true });
  root.querySelector("#save-status")?.closest("p")?.after(barred);
  /** @param {string} obstacle */
  const bar = (obstacle) => {
    film();
    for (const button of buttons) button.disabled = obstacle !== "";
    barred.hidden = obstacle === "";
    barred.textContent = obstacle;
  };
  if (root.querySelector("#save-svg")) bindPictures(root, name, title, scene);
  const film = bindFilmFile(page, scene, name, title);
  if (root.querySelector("#save-html")) bindOffline(page, scene);
  const open = /** @type {HTMLAnchorElement | null} */ (root.querySelector("#open-page"));
  if (open)
    return (value, obstacle) => {
      open.href = full(`/${name}`, value);
      bar(obstacle);
    };

  const call = bindCall(page, scene);
  const { embeddable } = JSON.parse(need(root, "#config").textContent ?? "{}");
  const tools = mount(need(root, "#snippets"), lectureToolsView, { embeddable });
  return (value, obstacle) => {
    bar(obstacle);
    tools({
      obstacle,
      link: full(`/${name}`, value),
      embed: full(`/embed/${name}`, value),
      title,
      height: HEIGHT,
    });
    call(value);
  };
}

/**
 * @param {Document} root
 * @param {string} stem
 * @param {string} title
 * @param {{pictures: () => Element[]}} scene
 */
function bindPictures(root, stem, title, scene) {
  const frame = need(root, "#concept");
  const files = async () => standalone(await Promise.all(scene.pictures().map(copyOf)), title);
  save("#save-svg", async () => download(svgFile(await files()), `${stem}.svg`));
  save("#save-png", async () => download(await pngFile(await files()), `${stem}.png`));

  /**
   * Saves once the chart is up to date; never a stale one.
   * @param {string} id
   * @param {() => Promise<void>} make
   */
  function save(id, make) {
    need(root, id).addEventListener("click", () => void when());

    async function when() {
      while (frame.getAttribute("aria-busy") === "true") await new Promise(requestAnimationFrame);
      if (!frame.hasAttribute("data-stale")) await make();
    }
  }
}

/**
 * The page as one file, with the answers for the current state and every preset.
 * @template {Types} T
 * @param {import("./concept.js").Page<T>} page
 * @param {Shown<T>} scene
 */
function bindOffline(page, scene) {
  const { root, concept, state, write, presets } = page;
  const { page: name = concept.stem } = concept;
  const status = need(root, "#save-status");
  const needs = concept.needs ?? ((value) => callsOf(concept, value));
  need(root, "#save-html").addEventListener("click", () => void save());

  /** Whether the file does not compute the answer. @param {Call} call */
  const isLeft = ({ stem, body }) => !concept.computes?.[stem]?.(/** @type {never} */ (body));

  async function save() {
    const value = state.get();
    status.textContent = t("Preparing …");
    try {
      const held = await scene.held();
      const shown = [...presets.list.map((preset) => preset.state), ...stateLinks(page).map((link) => link.own)];
      const own = [value, ...shown.map((patch) => ({ ...value, ...patch }))].flatMap(needs);
      const further = scene.grid(value).flatMap((patch) => needs({ ...value, ...patch }));
      const calls = concept.recordsPresets ? own : own.filter(isLeft);
      const file = await offlineFile(name, write({ ...value, ...held.state }), calls, {
        further: further.filter(isLeft),
        held: held.records,
        kept: concept.kept,
        onAnswer: (done, of) => (status.textContent = t("Preparing … {done} of {of} answers", { done, of })),
      });
      download(file, `${name}.html`);
      status.textContent = t("Saved: {size} kB.", { size: Math.ceil(file.size / 1000) });
    } catch (error) {
      status.textContent = error instanceof Error ? error.message : String(error);
    }
  }
}

/**
 * The API calls behind what is drawn, as commands; for a page that computes by itself, the one that the comparison of
 * its numbers with the server's sends.
 * @template {Types} T
 * @param {import("./concept.js").Page<T>} page
 * @param {Shown<T>} scene
 * @returns {(value: Readonly<T["state"]>) => void}
 */
function bindCall({ root, concept }, scene) {
  const text = need(root, "#call");
  const verdict = need(root, "#call-verdict");
  let shown = "";
  const button = need(root, "#compare");
  button.hidden = !concept.difference;
  button.addEventListener("click", () => void compare());

  async function compare() {
    const call = scene.comparison();
    if (!call) return;
    const asked = shown;
    verdict.textContent = t("Asking …");
    try {
      const answer = await askConcept(call);
      if (asked !== shown) return;
      verdict.textContent = t("Largest difference between the server's numbers and this page's: {difference}", {
        difference: small(scene.difference(answer)),
      });
    } catch (error) {
      verdict.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  return (value) => {
    const said = callsShown(concept, scene, value)
      .map(({ path, body }) => command(absolute(path), body, root.documentElement.lang))
      .join("\n\n");
    if (said === shown) return;
    shown = said;
    text.textContent = said;
    verdict.textContent = "";
  };
}

/**
 * Those that have brought what is drawn; before there is anything, those that are under way or wait for a button.
 * @template {Types} T
 * @param {import("./concept.js").Parts<T>} concept
 * @param {Shown<T>} scene
 * @param {Readonly<T["state"]>} value
 * @returns {import("../../requests/sent_requests.js").SentRequest[]}
 */
function callsShown(concept, scene, value) {
  const comparison = scene.comparison();
  const sent = [...(comparison ? [requestOfCall(comparison)] : []), ...scene.sent()];
  if (sent.length > 0) return sent;
  const isAskedLater = concept.source !== undefined && !concept.isWaiting;
  return (isAskedLater ? [ownCall(concept, value)] : callsOf(concept, value)).map(requestOfCall);
}
