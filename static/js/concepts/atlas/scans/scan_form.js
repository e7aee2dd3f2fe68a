/** The form that begins a scan: a model, a corpus of the list or a file of one's own, and how many tokens. */

import { el, fill, plainButton, say } from "../../../base/dom.js";
import { grouped } from "../../../base/numbers.js";
import { t } from "../../../base/i18n.js";
import { MINILM } from "../../../wording/model_names.js";
import { CORPUS_FORMATS } from "./scans.js";
import { drawnView } from "../../../base/mount.js";

/** @typedef {import("../state.js").AtlasData} AtlasData */
/** @typedef {import("../state.js").AtlasView} AtlasView */
/** @typedef {import("../../../api/atlases.js").Corpus} Corpus */

const FORMATS = [...CORPUS_FORMATS, ".gz"].join();
const USUAL_TOKENS = 100_000;

/** @typedef {ReturnType<typeof createParts>} Parts */

/** @type {AtlasView} */
export const scanForm = (element, data, { set, latest }) => {
  let current = data;
  const parts = createParts();
  const { form, model, corpus, most, file, browse, begin, forget, remark, problem } = parts;
  fill(element, form, parts.hint, remark, problem, parts.again);
  const upload = bindUpload(parts, () => current.answer.scans);
  const offer = createOffer(parts, () => latest().model || MINILM);
  browse.addEventListener("click", () => file.click());
  forget.addEventListener("click", () => void current.answer.scans.forget(corpus.value));
  corpus.addEventListener("change", describe);
  form.addEventListener("submit", (event) => void submit(event));
  bindDrop(element, (dropped) => void upload(dropped));

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    const wanted = { model: model.value, corpus: corpus.value, max_tokens: Number(most.value) };
    const begun = await current.answer.scans.begin(wanted);
    if (begun) set({ atlas: begun.id, model: begun.model, part: "", layer: null, head: null, heads: "" }, "pick");
  }

  function describe() {
    const { list, scans } = current.answer;
    const chosen = list?.corpora.find(({ id }) => id === corpus.value) ?? null;
    say(remark, chosen ? corpusSays(chosen) : "");
    forget.hidden = !chosen?.deletable;
    begin.disabled = scans.standing().isBusy || chosen?.state !== "ready";
  }

  /** @param {AtlasData} next */
  function update(next) {
    current = next;
    const { list, scans } = next.answer;
    browse.disabled = scans.standing().isBusy || !list;
    tellProblem(parts, scans.standing());
    if (list) offer(list);
    describe();
  }

  return drawnView(element, data, update);
};

/**
 * Uploads of corpora; one that is refused because nobody knows which of its columns holds the texts is asked about.
 * @param {Parts} parts
 * @param {() => AtlasData["answer"]["scans"]} scans
 */
function bindUpload({ file, corpus, again, column }, scans) {
  /** @type {File | null} */
  let refused = null;
  file.addEventListener("change", () => void upload(file.files?.[0]));
  again.addEventListener("submit", (event) => {
    event.preventDefault();
    if (refused) void upload(refused, column.value.trim());
  });

  /** @param {File | undefined} picked @param {string} [of]  its column with the texts */
  async function upload(picked, of = "") {
    file.value = "";
    if (!picked) return;
    const uploaded = await scans().upload(picked, of);
    const isAsked = !uploaded && scans().standing().field === "column";
    refused = isAsked ? picked : null;
    again.hidden = !isAsked;
    if (isAsked) column.focus();
    if (!uploaded) return;
    corpus.append(optionOf(uploaded));
    corpus.value = uploaded.id;
  }

  return upload;
}

/**
 * What there is to choose from; what is chosen stays.
 * @param {Parts} parts
 * @param {() => string} first  the model chosen in the beginning
 */
function createOffer({ model, corpus, most }, first) {
  let known = "";
  return (/** @type {NonNullable<AtlasData["answer"]["list"]>} */ { models, corpora, limits }) => {
    const key = JSON.stringify([models, corpora.map(({ id, state, documents }) => [id, state, documents])]);
    if (key === known) return;
    const [chosenModel, chosenCorpus] = [known ? model.value : first(), corpus.value];
    known = key;
    fill(model, ...models.map(({ id, title }) => el("option", { value: id }, title)));
    fill(corpus, ...corpora.map(optionOf));
    if (models.some(({ id }) => id === chosenModel)) model.value = chosenModel;
    if (corpora.some(({ id }) => id === chosenCorpus)) corpus.value = chosenCorpus;
    most.max = String(limits.max_scan_tokens);
    most.value = String(Math.min(Number(most.value), limits.max_scan_tokens));
  };
}

/** What went wrong, and in which field. @param {Parts} parts @param {import("./scans.js").Standing} standing */
function tellProblem({ problem, model, corpus, most, column }, { problem: said, field }) {
  problem.hidden = said === "";
  say(problem, said);
  for (const [name, control] of Object.entries({ model, corpus, max_tokens: most, column })) {
    if (said && field === name) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
  }
}

function createParts() {
  const model = el("select", { id: "scan-model" });
  const corpus = el("select", { id: "scan-corpus" });
  const most = el("input", { type: "number", id: "scan-tokens", min: 1, step: 1, value: USUAL_TOKENS, required: true });
  const name = t("Upload a file …");
  const file = el("input", { type: "file", accept: FORMATS, hidden: true, "aria-label": name, tabindex: -1 });
  const browse = plainButton(name);
  const begin = el("button", { type: "submit", class: "button is-main" }, t("Start the scan"));
  const forget = plainButton(t("Delete this corpus"), null, { hidden: true });
  const field = (/** @type {string} */ title, /** @type {HTMLElement} */ control) =>
    el("label", { class: "field", for: control.id }, el("span", {}, title), control);
  const form = el(
    "form",
    { class: "atlas-scan-form" },
    field(t("Model"), model),
    field(t("Corpus"), corpus),
    field(t("Tokens at most"), most),
    el("p", { class: "buttons" }, begin, browse, forget, file),
  );
  const column = el("input", {
    type: "text",
    id: "scan-column",
    required: true,
    autocomplete: "off",
    spellcheck: "false",
  });
  const send = el("button", { type: "submit", class: "button" }, t("Upload with this column"));
  const again = el(
    "form",
    { class: "atlas-scan-form", hidden: true },
    field(t("Column with the texts"), column),
    el("p", { class: "buttons" }, send),
  );
  const words = t(
    "A corpus is text (.txt), JSON Lines, CSV or Parquet with a column of texts, or CoNLL-U with dependency relations. You can also drop a file here. Everybody who can open this page can read what is uploaded.",
  );
  return {
    form,
    model,
    corpus,
    most,
    file,
    browse,
    begin,
    forget,
    again,
    column,
    hint: el("p", { class: "note" }, words),
    remark: el("p", { class: "note", role: "status" }),
    problem: el("p", { class: "field-error", role: "alert", hidden: true }),
  };
}

/** @param {Corpus} corpus */
function optionOf({ id, name, documents }) {
  const text = documents === null ? name : t("{name} ({count} documents)", { name, count: grouped(documents) });
  return el("option", { value: id }, text);
}

/** What is known of a corpus, with the lines that were left out. @param {Corpus} corpus */
export function corpusSays({ state, reason, documents, characters, has_relations: relations, skipped }) {
  if (state === "preparing") return t("The corpus is being read …");
  if (state === "failed") return reason ?? t("This corpus cannot be read.");
  if (documents === null) return ""; // it is written when it is first scanned
  const lines = skipped.first.map(({ line, reason: why }) => t("line {line}: {reason}", { line, reason: why }));
  const parts = [
    t("{documents} documents, {characters} characters", {
      documents: grouped(documents),
      characters: grouped(characters ?? 0),
    }),
    relations && t("with dependency relations"),
    skipped.count > 0 &&
      `${t("{count} malformed lines left out", { count: grouped(skipped.count) })}: ${lines.join("; ")}`,
  ];
  return parts.filter(Boolean).join(" · ");
}

/** @param {HTMLElement} element @param {(file: File) => void} onFile */
function bindDrop(element, onFile) {
  element.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    element.classList.add("is-dropping");
  });
  element.addEventListener("dragleave", () => element.classList.remove("is-dropping"));
  element.addEventListener("drop", (event) => {
    element.classList.remove("is-dropping");
    const [file] = event.dataTransfer?.files ?? [];
    if (!file) return;
    event.preventDefault();
    onFile(file);
  });
}
